// Tracks, tasks, waits and arrows from what ranks recorded.
#include "codegen/tilec/run/Timeline.h"
#include "tilec/abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <map>
#include <optional>
#include <set>

using namespace tilec;
using llvm::failure;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using llvm::Twine;
namespace json = llvm::json;

static LogicalResult userError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tilec") << message << "\n";
  return failure();
}

namespace {

/// Nanoseconds of a rank's clock; of all ranks alike once they are aligned.
using Time = int64_t;

// What a file of tilec_trace_save holds (host/Trace.cpp); records have what their kind needs.

struct RecordJson {
  Time time = 0;
  unsigned kind = 0, epoch = 0;
  int role = 0, task = 0, to = 0;
  int64_t signal = 0;
  std::vector<int> first, count;
};

struct TrackJson {
  int kernel = 0, workgroup = 0;
  int64_t part = 0; ///< of its workgroup: 0 consumes, or is all; 1 produces; 2 tells
  unsigned lost = 0;
  std::vector<RecordJson> records;
};

struct KernelJson {
  std::string name;
  std::vector<std::string> roles;
};

struct GridJson {
  std::string name;
  int64_t offset = 0;
  unsigned dimensions = 0;
};

struct RankJson {
  int version = 0;
  std::string program;
  int rank = 0;
  std::vector<KernelJson> kernels;
  std::vector<GridJson> signals;
  std::vector<TrackJson> tracks;
};

bool fromJSON(const json::Value &value, RecordJson &record, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("time", record.time) || !map.map("kind", record.kind) || !map.map("epoch", record.epoch))
    return false;
  const bool hasWords = record.kind == trace_wait_begins || record.kind == trace_signal;
  if (record.kind == trace_task_begins && (!map.map("role", record.role) || !map.map("task", record.task)))
    return false;
  if (record.kind == trace_signal && !map.map("to", record.to))
    return false;
  if (hasWords &&
      (!map.map("signal", record.signal) || !map.map("first", record.first) || !map.map("count", record.count)))
    return false;
  if (!hasWords || (record.first.size() == trace_dimensions && record.count.size() == trace_dimensions))
    return true;
  path.field("first").report("expected as many as a record has");
  return false;
}

bool fromJSON(const json::Value &value, TrackJson &track, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kernel", track.kernel) && map.map("workgroup", track.workgroup) &&
         map.map("part", track.part) && map.map("lost", track.lost) && map.map("records", track.records);
}

bool fromJSON(const json::Value &value, KernelJson &kernel, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", kernel.name) && map.map("roles", kernel.roles);
}

bool fromJSON(const json::Value &value, GridJson &grid, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", grid.name) && map.map("offset", grid.offset) && map.map("dimensions", grid.dimensions);
}

bool fromJSON(const json::Value &value, RankJson &rank, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("tilec_trace", rank.version) || !map.map("program", rank.program) ||
      !map.map("rank", rank.rank) || !map.map("kernels", rank.kernels) || !map.map("signals", rank.signals) ||
      !map.map("tracks", rank.tracks))
    return false;
  if (rank.version != 1) {
    path.field("tilec_trace").report("expected 1");
    return false;
  }
  for (auto [i, track] : llvm::enumerate(rank.tracks)) {
    if (track.kernel < 0 || track.kernel >= int(rank.kernels.size())) {
      path.field("tracks").index(i).field("kernel").report("expected one of the kernels");
      return false;
    }
    const size_t roles = rank.kernels[size_t(track.kernel)].roles.size();
    for (const RecordJson &record : track.records)
      if (record.role < 0 || size_t(record.role) >= std::max<size_t>(roles, 1) ||
          (record.kind == trace_task_begins && !roles)) {
        path.field("tracks").index(i).field("records").report("expected roles of the kernel");
        return false;
      }
  }
  return true;
}

/// A word or a box of words of a grid of signals on one rank.
struct Words {
  int64_t grid = 0; ///< byte offset
  std::vector<int> first, count;

  bool contains(const std::vector<int> &index) const {
    for (size_t dim = 0; dim < first.size(); ++dim)
      if (index[dim] < first[dim] || index[dim] >= first[dim] + count[dim])
        return false;
    return true;
  }
};

struct Task {
  int role = 0, number = 0;
  unsigned epoch = 0;
  Time begin = 0, end = -1;
};

struct Wait {
  Words words;
  unsigned epoch = 0;
  Time begin = 0, end = -1;
  int role = -1;
};

struct Signal {
  Words word;
  unsigned epoch = 0;
  int to = 0;
  Time time = 0;
};

/// What one part of one workgroup did.
struct Track {
  int rank = 0, kernel = 0, workgroup = 0;
  int64_t part = 0; ///< of its workgroup: 0 consumes, or is all; 1 produces; 2 tells
  unsigned lost = 0;
  std::vector<Task> tasks;
  std::vector<Wait> waits;
  std::vector<Signal> signals;
};

/// The signal that a wait ended with, by track and number.
struct Arrow {
  size_t fromTrack = 0, signal = 0, toTrack = 0, wait = 0;
};

class Timeline {
public:
  LogicalResult read(const std::string &path);
  void match();
  void align();
  json::Value events() const;
  void printRoles(llvm::raw_ostream &stream) const;

private:
  void readTrack(const TrackJson &from, int rank);
  const KernelJson &kernelOf(const Track &track) const { return common->kernels[size_t(track.kernel)]; }
  const std::string &roleOf(const Track &track, int role) const { return kernelOf(track).roles[size_t(role)]; }
  std::string rolesOf(const Track &track) const;
  std::string nameOf(const Words &words, bool isBox) const;
  double microseconds(const Track &track, Time time) const { return double(time + shift(track.rank) - start) / 1000; }
  Time shift(int rank) const {
    auto found = shifts.find(rank);
    return found == shifts.end() ? 0 : found->second;
  }
  template <class Each>
  void forEachArrow(Each each) const {
    for (const Arrow &arrow : arrows) {
      const Track &from = tracks[arrow.fromTrack], &to = tracks[arrow.toTrack];
      each(from, from.signals[arrow.signal], to, to.waits[arrow.wait]);
    }
  }

  std::optional<RankJson> common; ///< the file read first, for what all ranks have in common
  std::set<int> ranks;
  std::vector<Track> tracks;
  std::vector<Arrow> arrows;
  std::map<int, Time> shifts; ///< what is added to a rank's clock
  Time start = std::numeric_limits<Time>::max();
};

} // namespace

/// `arrived[2, 0:4]`
std::string Timeline::nameOf(const Words &words, bool isBox) const {
  for (const GridJson &grid : common->signals) {
    if (grid.offset != words.grid)
      continue;
    std::string text = grid.name + "[";
    const size_t dimensions = std::min<size_t>(grid.dimensions, words.first.size());
    for (size_t dim = 0; dim < dimensions; ++dim) {
      text += (dim ? ", " : "") + std::to_string(words.first[dim]);
      if (isBox && words.count[dim] != 1)
        text += ":" + std::to_string(words.first[dim] + words.count[dim]);
    }
    return text + "]";
  }
  return "signal " + std::to_string(words.grid);
}

static const char *partOf(const Track &track) {
  return track.part == 1 ? " (producer)" : track.part == 2 ? " (teller)" : "";
}

std::string Timeline::rolesOf(const Track &track) const {
  std::set<std::string> names;
  for (const Task &task : track.tasks)
    names.insert(roleOf(track, task.role));
  return llvm::join(names, ", ") + partOf(track);
}

void Timeline::readTrack(const TrackJson &from, int rank) {
  Track track;
  track.rank = rank;
  track.kernel = from.kernel;
  track.workgroup = from.workgroup;
  track.part = from.part;
  track.lost = from.lost;
  for (const RecordJson &record : from.records) {
    start = std::min(start, record.time);
    const bool inTask = !track.tasks.empty() && track.tasks.back().end < 0;
    const Words words{record.signal, record.first, record.count};
    switch (record.kind) {
    case trace_task_begins:
      track.tasks.push_back({record.role, record.task, record.epoch, record.time});
      break;
    case trace_task_ends: // what its beginning was has been overwritten where there is no task
      if (inTask)
        track.tasks.back().end = record.time;
      break;
    case trace_wait_begins:
      track.waits.push_back({words, record.epoch, record.time, -1, inTask ? track.tasks.back().role : -1});
      break;
    case trace_wait_ends:
      if (!track.waits.empty() && track.waits.back().end < 0)
        track.waits.back().end = record.time;
      break;
    case trace_signal:
      track.signals.push_back({words, record.epoch, record.to, record.time});
      break;
    default:
      break;
    }
  }
  tracks.push_back(std::move(track));
}

LogicalResult Timeline::read(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return userError("cannot read '" + path + "': " + text.getError().message());
  llvm::Expected<json::Value> parsed = json::parse((*text)->getBuffer());
  RankJson from;
  json::Path::Root root("trace");
  if (!parsed || !fromJSON(*parsed, from, root))
    return userError("'" + path + "' is no file of tilec_trace_save: " +
                     llvm::toString(parsed ? root.getError() : parsed.takeError()));
  if (!ranks.insert(from.rank).second)
    return userError("'" + path + "' is of rank " + Twine(from.rank) + ", as another file");
  if (!common)
    common = from;
  if (from.program != common->program)
    return userError("'" + path + "' is of the program '" + from.program + "', the file before it of '" +
                     common->program + "'");
  for (const TrackJson &track : from.tracks)
    readTrack(track, from.rank);
  return success();
}

/// Each wait with the last of the signals that it waited for, of its launch.
void Timeline::match() {
  std::map<std::tuple<int, int64_t, unsigned>, std::vector<std::pair<size_t, size_t>>> told;
  for (size_t t = 0; t < tracks.size(); ++t)
    for (size_t s = 0; s < tracks[t].signals.size(); ++s) {
      const Signal &signal = tracks[t].signals[s];
      told[{signal.to, signal.word.grid, signal.epoch}].emplace_back(t, s);
    }
  for (size_t t = 0; t < tracks.size(); ++t)
    for (size_t w = 0; w < tracks[t].waits.size(); ++w) {
      const Wait &wait = tracks[t].waits[w];
      std::optional<Arrow> last;
      Time latest = 0;
      for (auto [from, s] : told[{tracks[t].rank, wait.words.grid, wait.epoch}]) {
        const Signal &signal = tracks[from].signals[s];
        const Time time = signal.time + shift(tracks[from].rank);
        if (wait.words.contains(signal.word.first) && (!last || time > latest)) {
          last = Arrow{from, s, t, w};
          latest = time;
        }
      }
      if (last)
        arrows.push_back(*last);
    }
}

/// Devices have clocks of their own. Where a wait ends before the signal that it waited for, the receiver's clock is
/// moved so that what passes between it and the first rank takes equally long both ways.
void Timeline::align() {
  std::map<std::pair<int, int>, Time> shortest;
  forEachArrow([&](const Track &from, const Signal &signal, const Track &to, const Wait &wait) {
    if (wait.end < 0 || from.rank == to.rank)
      return;
    auto [place, isNew] = shortest.try_emplace({from.rank, to.rank}, wait.end - signal.time);
    place->second = std::min(place->second, wait.end - signal.time);
  });
  if (ranks.empty())
    return;
  const int first = *ranks.begin();
  for (int rank : ranks) {
    auto there = shortest.find({first, rank}), back = shortest.find({rank, first});
    if (there != shortest.end() && back != shortest.end() && (there->second < 0 || back->second < 0))
      shifts[rank] = (back->second - there->second) / 2;
  }
  if (shifts.empty())
    return;
  arrows.clear();
  match();
  for (const Track &track : tracks)
    for (const Task &task : track.tasks)
      start = std::min(start, task.begin + shift(track.rank));
}

json::Value Timeline::events() const {
  json::Array list;
  auto meta = [&](StringRef what, int rank, int track, const std::string &name) {
    list.push_back(json::Object{
        {"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", track}, {"args", json::Object{{"name", name}}}});
  };
  for (int rank : ranks)
    meta("process_name", rank, 0, "rank " + std::to_string(rank));
  for (auto [number, track] : llvm::enumerate(tracks)) {
    const int tid = int(number);
    // What did not end is drawn where it began.
    auto slice = [&](const std::string &name, Time begin, Time end, json::Object arguments) {
      if (end < 0)
        arguments["ended"] = false;
      list.push_back(json::Object{{"ph", "X"},
                                  {"name", name},
                                  {"pid", track.rank},
                                  {"tid", tid},
                                  {"ts", microseconds(track, begin)},
                                  {"dur", end < 0 ? 0.0 : double(end - begin) / 1000},
                                  {"args", std::move(arguments)}});
    };
    meta("thread_name", track.rank, tid,
         kernelOf(track).name + " " + std::to_string(track.workgroup) + ": " + rolesOf(track));
    for (const Task &task : track.tasks)
      slice(roleOf(track, task.role) + " " + std::to_string(task.number), task.begin, task.end,
            json::Object{{"launch", task.epoch}});
    for (const Wait &wait : track.waits)
      slice("wait " + nameOf(wait.words, /*isBox=*/true), wait.begin, wait.end, json::Object{{"launch", wait.epoch}});
    for (const Signal &signal : track.signals)
      slice("signal " + nameOf(signal.word, /*isBox=*/false), signal.time, signal.time,
            json::Object{{"launch", signal.epoch}, {"to", signal.to}});
  }
  for (auto [number, arrow] : llvm::enumerate(arrows)) {
    const Track &from = tracks[arrow.fromTrack], &to = tracks[arrow.toTrack];
    const Wait &wait = to.waits[arrow.wait];
    auto end = [&](const Track &track, size_t tid, Time time, StringRef phase) {
      return json::Object{
          {"cat", "signal"}, {"name", "signal"},  {"id", int64_t(number)}, {"ph", phase},
          {"bp", "e"},       {"pid", track.rank}, {"tid", int64_t(tid)},   {"ts", microseconds(track, time)}};
    };
    list.push_back(end(from, arrow.fromTrack, from.signals[arrow.signal].time, "s"));
    list.push_back(end(to, arrow.toTrack, wait.end < 0 ? wait.begin : wait.end, "f"));
  }
  return json::Object{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(list)}};
}

void Timeline::printRoles(llvm::raw_ostream &stream) const {
  struct Sum {
    int64_t tasks = 0;
    double busy = 0, waited = 0;
  };
  std::map<std::string, Sum> sums;
  unsigned lost = 0;
  for (const Track &track : tracks) {
    lost += track.lost;
    auto sumOf = [&](int role) -> Sum & { return sums[roleOf(track, role) + partOf(track)]; };
    for (const Task &task : track.tasks)
      if (task.end >= 0) {
        ++sumOf(task.role).tasks;
        sumOf(task.role).busy += double(task.end - task.begin);
      }
    for (const Wait &wait : track.waits)
      if (wait.end >= 0 && wait.role >= 0)
        sumOf(wait.role).waited += double(wait.end - wait.begin);
  }
  stream << llvm::left_justify("role", 24) << "    tasks   mean us   of it waiting\n";
  for (auto &[name, sum] : sums)
    stream << llvm::left_justify(name, 24)
           << llvm::format(" %8lld %9.2f %14.0f %%\n", (long long)sum.tasks,
                           sum.tasks ? sum.busy / double(sum.tasks) / 1000 : 0.0,
                           sum.busy > 0 ? 100 * sum.waited / sum.busy : 0.0);
  if (lost)
    stream << lost << " records were overwritten by later ones\n";
}

LogicalResult tilec::writeTimeline(const std::vector<std::string> &ranks, const std::string &output) {
  Timeline timeline;
  for (const std::string &path : ranks)
    if (failed(timeline.read(path)))
      return failure();
  timeline.match();
  timeline.align();
  std::error_code error;
  llvm::raw_fd_ostream file(output, error);
  if (error)
    return userError("cannot write '" + output + "': " + error.message());
  file << timeline.events() << "\n";
  file.close();
  if (file.has_error()) {
    const std::string words = file.error().message();
    file.clear_error();
    return userError("cannot write '" + output + "': " + words);
  }
  timeline.printRoles(llvm::outs());
  llvm::outs() << "timeline: " << output << "\n";
  return success();
}
