// When nothing can go on: say who waits for what, and let go.
#include "Machine.h"
#include "tilec/abi.h"
#include <map>

using namespace tilec;
using namespace tilec::emulator;

namespace {

std::string nameOf(Polling poll, const std::function<std::string(Polling &)> &namer) {
  std::string name = poll.name ? poll.name : namer ? namer(poll) : "";
  if (name.empty())
    name = "signal at byte " + std::to_string(poll.signal);
  std::string text = name + "[";
  for (int i = 0; i < poll.dimensions && i < int(std::size(poll.index)); ++i)
    text += (i ? ", " : "") + std::to_string(poll.index[i]);
  return text + "]";
}

int length(const LaneList &list) {
  int n = 0;
  for (const Lane *lane = list.head; lane; lane = lane->next)
    ++n;
  return n;
}

std::string lanes(int n) { return std::to_string(n) + (n == 1 ? " lane" : " lanes"); }

} // namespace

void Machine::describe(const Workgroup &group, std::string &text) const {
  const std::string place = "  rank " + std::to_string(group.device) + ", workgroup " + std::to_string(group.block.x);
  // When one wave polls, the others stand at the barrier behind the wait: no news.
  const bool polls = group.pausedWaves != 0;
  for (int w = 0; w < group.waves; ++w) {
    const Wave &wave = group.waveList[w];
    const std::string head = place + ", wave " + std::to_string(w) + ": ";
    std::map<std::string, int> waits;
    for (const Lane *lane = wave.paused.head; lane; lane = lane->next)
      ++waits[lane->polls ? "for " + nameOf(lane->poll, namer) + ", wanted " + std::to_string(lane->poll.wanted) +
                                ", seen " + std::to_string(lane->poll.seen)
                          : "in a loop that names no signal"];
    for (const auto &[what, count] : waits)
      text += head + lanes(count) + " waiting " + what + "\n";
    if (wave.arrived && (!polls || !wave.astray.empty()))
      text += head + lanes(wave.arrived) + " of " + std::to_string(wave.live) +
              (wave.waits == Wave::Waits::Barrier ? " at barrier " + std::to_string(wave.barrier)
                                                  : std::string(" in a wave operation")) +
              "\n";
    if (!wave.astray.empty())
      text += head + lanes(length(wave.astray)) + " at another barrier or wave operation than the rest\n";
  }
  if (group.beside)
    text += group.beside->describe(place);
}

void Machine::breakDeadlock() {
  RaceCheck::get().muted = true;
  std::string text = "deadlock: no wait can be satisfied\n";
  for (const auto &group : live)
    describe(*group, text);
  std::map<const Grid *, const Workgroup *> grids;
  for (const auto &group : live)
    grids.emplace(group->grid_, group.get());
  for (const auto &[grid, group] : grids)
    if (grid->dispatched < grid->total)
      text += "  rank " + std::to_string(group->device) + ": " + std::to_string(grid->total - grid->dispatched) +
              " of " + std::to_string(grid->total) + " workgroups never started, as only " +
              std::to_string(current.computeUnits * current.resident) + " can be resident\n";
  for (const auto &group : live)
    devices[group->device].failed = true;
  if (freeWaits()) {
    report += text;
    return;
  }
  if (report.empty())
    report = text;
  abandon();
}

/// Sets the failure of every rank that waits and had none; false when no wait can be freed so.
bool Machine::freeWaits() {
  bool any = false;
  for (const auto &group : live)
    for (const Wave &wave : group->waveList)
      for (const Lane *lane = wave.paused.head; lane; lane = lane->next) {
        const Polling &poll = lane->poll;
        if (!lane->polls || !poll.failure || poll.failure->set != failure_unset)
          continue;
        Failure &failure = *poll.failure;
        failure.reason = failure_deadlock;
        failure.program = poll.program;
        failure.epoch = poll.epoch;
        failure.signal = poll.signal;
        std::copy(std::begin(poll.index), std::end(poll.index), failure.index);
        failure.rank = poll.rank;
        failure.wanted = poll.wanted;
        failure.seen = poll.seen;
        failure.set = failure_complete;
        any = true;
      }
  return any;
}

/// Lanes that no failure record frees are dropped where they stand, with the rest of their launches: their frames hold
/// nothing that must be destroyed, as kernels own no host objects.
void Machine::abandon() {
  for (const auto &group : live)
    group->grid_->dispatched = group->grid_->total;
  while (!live.empty())
    retire(live.size() - 1);
  for (Device &device : devices)
    for (auto &stream : device.streams)
      if (!stream->entries.empty() && stream->entries.front().grid)
        stream->entries.front().grid->finished = stream->entries.front().grid->total;
}
