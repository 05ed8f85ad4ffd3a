// Reads target files without exceptions and with an error for each field that is not as it must be.
// Belongs here: what Target.h declares. Does not: defaults for missing numbers.
#include "passes/machine/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace llvm;
using nlohmann::json;

namespace tilec {

namespace {

/// One object of the file: fields are asked for by name, the first problem is kept, and `finish` reports fields that
/// nobody asked for. After a problem every answer is empty, so that callers need not look in between.
class Fields {
public:
  Fields(const json &object, std::string path, std::string &error) : object(object), path(path), error(error) {
    if (error.empty() && !object.is_object())
      error = where("") + " must be an object, got " + object.type_name();
  }

  bool has(const char *name) const { return object.is_object() && object.contains(name); }

  const json &get(const char *name) {
    static const json nothing;
    asked.insert(name);
    if (!error.empty())
      return nothing;
    if (!has(name)) {
      error = "missing field '" + join(name) + "'";
      return nothing;
    }
    return object.find(name).value();
  }

  int64_t integer(const char *name) {
    const json &value = get(name);
    if (!error.empty())
      return 0;
    if (!value.is_number_integer() || value.get<int64_t>() <= 0 || value.get<int64_t>() > int64_t(1) << 40)
      return expected(name, "a positive integer", value), 0;
    return value.get<int64_t>();
  }

  /// A field that a file may leave out.
  int64_t integerOr(const char *name, int64_t otherwise) {
    return object.is_object() && object.contains(name) ? integer(name) : otherwise;
  }

  int64_t powerOfTwo(const char *name) {
    int64_t value = integer(name);
    if (error.empty() && !isPowerOf2_64(value))
      expected(name, "a power of two", get(name));
    return value;
  }

  double number(const char *name) {
    const json &value = get(name);
    if (!error.empty())
      return 0;
    if (!value.is_number() || !(value.get<double>() > 0))
      return expected(name, "a positive number", value), 0;
    return value.get<double>();
  }

  double share(const char *name) {
    double value = number(name);
    if (error.empty() && value > 1)
      expected(name, "a share, at most 1", get(name));
    return value;
  }

  std::string text(const char *name) {
    const json &value = get(name);
    if (!error.empty())
      return "";
    if (!value.is_string() || value.get_ref<const std::string &>().empty())
      return expected(name, "a string", value), "";
    return value.get<std::string>();
  }

  bool flag(const char *name) {
    const json &value = get(name);
    if (error.empty() && !value.is_boolean())
      expected(name, "true or false", value);
    return error.empty() && value.get<bool>();
  }

  /// Calls `element(value, path)` for each entry of an array.
  void array(const char *name, function_ref<void(const json &, std::string)> element) {
    const json &value = get(name);
    if (!error.empty())
      return;
    if (!value.is_array())
      return expected(name, "an array", value);
    for (size_t i = 0; i < value.size() && error.empty(); ++i)
      element(value[i], join(name) + "[" + std::to_string(i) + "]");
  }

  Fields fields(const char *name) { return Fields(get(name), join(name), error); }

  void finish() {
    if (!error.empty())
      return;
    for (const auto &item : object.items())
      if (!asked.contains(item.key()) && error.empty())
        error = "unknown field '" + join(item.key()) + "'";
  }

  void expected(const char *name, const char *what, const json &got) {
    if (error.empty())
      error = where(name) + " must be " + what + ", got " +
              (got.is_structured() ? got.type_name() : got.dump(-1, ' ', false, json::error_handler_t::replace));
  }

private:
  std::string join(const std::string &name) const {
    return path.empty() || name.empty() ? path + name : path + "." + name;
  }
  std::string where(const std::string &name) const {
    std::string field = join(name);
    return field.empty() ? "target" : "field '" + field + "'";
  }

  const json &object;
  std::string path;
  std::string &error;
  StringSet<> asked;
};

/// Phases are lists of ranges of lanes, both ends included; each lane of the wave is in exactly one.
std::vector<std::vector<unsigned>> readPhases(Fields &fields, int64_t lanes, std::string &error) {
  std::vector<std::vector<unsigned>> phases;
  std::vector<bool> seen(lanes, false);
  auto wrong = [&](const std::string &path, const Twine &what) {
    if (error.empty())
      error = ("field '" + Twine(path) + "' " + what).str();
  };
  fields.array("phases", [&](const json &phase, std::string path) {
    phases.emplace_back();
    if (!phase.is_array() || phase.empty())
      return wrong(path, "must be a list of lane ranges");
    for (const json &range : phase) {
      if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() || !range[1].is_number_unsigned() ||
          range[0].get<uint64_t>() > range[1].get<uint64_t>() || range[1].get<uint64_t>() >= uint64_t(lanes))
        return wrong(path, "must hold ranges [first, last] of lanes below " + Twine(lanes));
      for (unsigned lane = range[0].get<unsigned>(); lane <= range[1].get<unsigned>(); ++lane) {
        if (seen[lane])
          return wrong(path, "names lane " + Twine(lane) + " a second time");
        seen[lane] = true;
        phases.back().push_back(lane);
      }
    }
  });
  for (int64_t lane = 0; lane < lanes && error.empty(); ++lane)
    if (!seen[lane])
      error = (Twine("lane ") + Twine(lane) + " is in no phase").str();
  return phases;
}

SharedMemory readLds(Fields fields, int64_t lanes, std::string &error) {
  SharedMemory lds;
  lds.bytes = fields.integer("bytes");
  lds.directBytes = fields.integerOr("direct_bytes", 0);
  lds.mappedRowBytes = fields.integerOr("mapped_row_bytes", 0);
  lds.turnedElementBytes = fields.integerOr("turned_element_bytes", 0);
  lds.banks = fields.powerOfTwo("banks");
  lds.bankBytes = fields.powerOfTwo("bank_bytes");
  lds.lanes = lanes;
  for (auto [name, rules] : {std::pair("reads", &lds.reads), std::pair("writes", &lds.writes)})
    fields.array(name, [&, rules = rules](const json &value, std::string path) {
      Fields rule(value, path, error);
      SharedAccessRule read;
      read.bytes = rule.powerOfTwo("bytes");
      read.banks = rule.powerOfTwo("banks");
      read.phases = readPhases(rule, lanes, error);
      rule.finish();
      rules->push_back(std::move(read));
    });
  fields.finish();
  return lds;
}

CacheLevel readCache(Fields fields) {
  CacheLevel cache;
  cache.bytes = fields.integer("bytes");
  cache.lineBytes = fields.powerOfTwo("line_bytes");
  cache.ways = fields.integer("ways");
  if (fields.has("bytes_per_clock"))
    cache.bytesPerClock = fields.number("bytes_per_clock");
  if (fields.has("gb_per_s"))
    cache.gbPerSecond = fields.number("gb_per_s");
  if (fields.has("sector_bytes"))
    cache.sectorBytes = fields.powerOfTwo("sector_bytes");
  fields.finish();
  return cache;
}

/// The instructions of a row: one, or those of all widths that it names.
std::vector<MatrixInstructionInfo> readInstructions(Fields fields, const std::string &path, std::string &error) {
  MatrixInstructionInfo info;
  info.name = fields.text("name");
  std::string family = fields.text("family");
  if (std::optional<MatrixFamily> known = matrixFamily(family))
    info.family = *known;
  else if (error.empty())
    error = "field '" + path + "': unknown family '" + family + "', expected 'mfma', 'mma' or 'wgmma'";
  info.m = fields.integer("m");
  info.n = fields.integer("n");
  info.k = fields.integer("k");
  fields.array("operands", [&](const json &type, std::string where) {
    if (type.is_string())
      info.operands.push_back(type.get<std::string>());
    else
      error = "field '" + where + "' must be a string";
  });
  info.accumulator = fields.text("accumulator");
  info.cycles = fields.integer("cycles");
  if (fields.has("fast"))
    info.fast = fields.flag("fast");
  int64_t step = fields.has("n_step") ? fields.integer("n_step") : info.n;
  fields.finish();
  if (error.empty() && (info.n % step || info.cycles * step % info.n))
    error = (Twine("field '") + path + ".n_step' must divide n and give whole cycles, got " + Twine(step)).str();
  std::vector<MatrixInstructionInfo> rows;
  std::string width = "x" + std::to_string(info.n) + "x", why;
  if (error.empty() && step != info.n && !StringRef(info.name).contains(width))
    error = "field '" + path + ".name' must hold '" + width + "', in whose place the other widths stand";
  for (int64_t n = info.n; error.empty() && n > 0; n -= step) {
    MatrixInstructionInfo row = info;
    row.n = n;
    row.cycles = info.cycles * n / info.n;
    if (n != info.n)
      row.name.replace(row.name.find(width), width.size(), "x" + std::to_string(n) + "x");
    if (!MatrixInstruction::create(row, &why))
      error = "field '" + path + "': " + why;
    rows.push_back(std::move(row));
  }
  return rows;
}

ReachedShares readReached(Fields fields) {
  ReachedShares reached;
  reached.matrix = fields.share("matrix");
  reached.memory = fields.share("memory");
  reached.push = fields.share("push");
  reached.pull = fields.share("pull");
  reached.caches = fields.share("caches");
  reached.registers = fields.share("registers");
  reached.ahead = fields.share("ahead");
  reached.kept = fields.share("kept");
  reached.missed = fields.share("missed");
  fields.finish();
  return reached;
}

TargetTimes readTimes(Fields fields) {
  TargetTimes times;
  times.launchMicroseconds = fields.number("launch_us");
  times.flagMicroseconds = fields.number("flag_us");
  times.releaseMicroseconds = fields.number("release_us");
  times.countMicroseconds = fields.has("count_us") ? fields.number("count_us") : times.releaseMicroseconds;
  times.lookMicroseconds = fields.number("look_us");
  times.loadClocks = fields.number("load_clocks");
  times.missedClocks = fields.has("missed_clocks") ? fields.number("missed_clocks") : times.loadClocks;
  times.barrierClocks = fields.number("barrier_clocks");
  times.stepClocks = fields.has("step_clocks") ? fields.number("step_clocks") : times.barrierClocks;
  times.issueClocks = fields.number("issue_clocks");
  times.exchangeClocks = fields.number("exchange_clocks");
  times.stalled = fields.share("stalled");
  times.meeting = fields.share("meeting");
  fields.finish();
  return times;
}

TextInstructions readInstructionCounts(Fields fields) {
  TextInstructions counts;
  counts.task = fields.number("task");
  counts.access = fields.number("access");
  counts.function = fields.number("function");
  counts.element = fields.number("element");
  counts.exchange = fields.number("exchange");
  counts.reduction = fields.number("reduction");
  counts.step = fields.number("step");
  counts.stepAccess = fields.number("step_access");
  fields.finish();
  return counts;
}

ProducerWaves readProducer(Fields fields) {
  ProducerWaves producer;
  producer.waves = fields.powerOfTwo("waves");
  producer.registers = fields.integer("registers");
  producer.consumerRegisters = fields.integer("consumer_registers");
  producer.drawingRegisters = fields.integer("drawing_registers");
  producer.pollingRegisters = fields.integer("polling_registers");
  producer.addressRegisters = fields.integer("address_registers");
  producer.slots = fields.integer("slots");
  producer.fewSlots = fields.integer("few_slots");
  producer.together = fields.integer("together");
  producer.relay = {fields.integer("relay_slots"), fields.integer("relay_slot_bytes")};
  producer.beside = {fields.integer("beside_slots"), fields.integer("beside_slot_bytes")};
  producer.sent = {fields.integer("sent_slots"), fields.integer("sent_slot_bytes")};
  fields.finish();
  return producer;
}

void readLinks(Fields links, Target &target) {
  target.links = links.integer("count");
  target.linkGbPerSecond = links.number("gb_per_s");
  target.linksSwitched = links.has("switched") && links.flag("switched");
  if (links.has("beside_gb_per_s")) {
    target.besideGbPerSecond = links.number("beside_gb_per_s");
    target.besideLeastRowBytes = links.integer("beside_least_row_bytes");
    target.besideMostRowBytes = links.integer("beside_most_row_bytes");
    target.besideLeastRows = links.integer("beside_least_rows");
  }
  if (links.has("workgroup_gb_per_s"))
    target.workgroupGbPerSecond = links.number("workgroup_gb_per_s");
  if (links.has("engine_gb_per_s")) {
    target.engineGbPerSecond = links.number("engine_gb_per_s");
    target.engineBesideGbPerSecond = links.number("engine_beside_gb_per_s");
    target.engineMicroseconds = links.number("engine_us");
    target.engineTurnMicroseconds = links.number("engine_turn_us");
    target.engineBeginMicroseconds = links.number("engine_begin_us");
    target.sentBesideGbPerSecond = links.number("sent_beside_gb_per_s");
  }
  links.finish();
}

/// A rate that nobody can trace is worth little: each of these has an entry in `sources`, which may name several.
void requireSources(const json &root, const Target &target, std::string &error) {
  StringSet<> named;
  for (const auto &[names, source] : target.sources)
    for (StringRef name : split(names, ", "))
      named.insert(name);
  for (const char *object : {"reached", "times", "instructions"})
    for (const auto &item : root[object].items())
      if (std::string name = std::string(object) + "." + item.key(); error.empty() && !named.contains(name))
        error = "field '" + name + "' has no source, expected one in 'sources'";
}

void readSources(Fields &fields, Target &target, std::string &error) {
  const json &sources = fields.get("sources");
  if (error.empty() && !sources.is_object())
    fields.expected("sources", "an object", sources);
  if (!error.empty())
    return;
  for (const auto &item : sources.items()) {
    if (!item.value().is_string())
      fields.expected("sources", "an object of strings", item.value());
    else
      target.sources.push_back({item.key(), item.value().get<std::string>()});
  }
}

Target readTarget(const json &root, std::string &error) {
  Target target;
  Fields fields(root, "", error);
  target.name = fields.text("name");
  target.arch = fields.text("arch");
  std::string compiler = fields.text("compiler");
  target.compiler = compiler == "nvcc" ? DeviceCompiler::Nvcc : DeviceCompiler::Clang;
  if (error.empty() && compiler != "nvcc" && compiler != "clang")
    error = "field 'compiler': unknown compiler '" + compiler + "', expected 'clang' or 'nvcc'";
  target.product = fields.text("product");
  if (fields.has("similar_products"))
    fields.array("similar_products", [&](const json &product, std::string path) {
      if (product.is_string())
        target.similarProducts.push_back(product.get<std::string>());
      else
        fields.expected("similar_products", "an array of strings", product);
    });
  target.chiplets = fields.integer("chiplets");
  target.unitsPerChiplet = fields.integer("units_per_chiplet");
  target.clockMhz = fields.integer("clock_mhz");
  target.waveLanes = fields.powerOfTwo("wave_lanes");
  target.simdsPerUnit = fields.integer("simds_per_unit");
  target.maxWavesPerSimd = fields.integer("max_waves_per_simd");
  target.registersPerLane = fields.integer("registers_per_lane");
  target.mostRegisters = fields.integer("most_registers");
  target.registerStep = fields.powerOfTwo("register_step");
  if (error.empty() && target.waveLanes > 128)
    fields.expected("wave_lanes", "at most 128", root["wave_lanes"]);
  target.lds = readLds(fields.fields("lds"), target.waveLanes, error);
  if (fields.has("producer"))
    target.producer = readProducer(fields.fields("producer"));
  target.receivedBytes = fields.integerOr("received_bytes", 0);
  target.stridedRows = fields.has("strided_rows") && fields.flag("strided_rows");
  Fields caches = fields.fields("caches");
  target.vectorCache = readCache(caches.fields("vector"));
  target.chipletCache = readCache(caches.fields("chiplet"));
  target.lastCache = readCache(caches.fields("last"));
  caches.finish();
  Fields memory = fields.fields("memory");
  target.memoryGb = memory.number("gb");
  target.memoryGbPerSecond = memory.number("gb_per_s");
  memory.finish();
  readLinks(fields.fields("links"), target);
  target.reached = readReached(fields.fields("reached"));
  target.times = readTimes(fields.fields("times"));
  target.instructions = readInstructionCounts(fields.fields("instructions"));
  fields.array("matrix", [&](const json &row, std::string path) {
    llvm::append_range(target.matrix, readInstructions(Fields(row, path, error), path, error));
  });
  readSources(fields, target, error);
  fields.finish();
  if (error.empty())
    requireSources(root, target, error);
  return target;
}

} // namespace

int64_t Target::wavesPerSimd(int64_t registers) const {
  int64_t rounded = alignTo(std::max<int64_t>(registers, 1), registerStep);
  return std::min(maxWavesPerSimd, registersPerLane / rounded);
}

std::optional<Target> parseTarget(StringRef text, StringRef file, std::string &error) {
  json root = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    error = (file + ": not valid json").str();
    return std::nullopt;
  }
  std::string problem;
  Target target = readTarget(root, problem);
  if (problem.empty())
    return target;
  error = (file + ": " + problem).str();
  return std::nullopt;
}

std::vector<std::string> targetFolders(StringRef program) {
  std::vector<std::string> folders;
  if (std::optional<std::string> list = sys::Process::GetEnv("TILEC_TARGETS")) {
    SmallVector<StringRef> parts;
    StringRef(*list).split(parts, sys::EnvPathSeparator, -1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      folders.push_back(part.str());
  }
  SmallString<256> beside(sys::path::parent_path(program));
  if (beside.empty())
    beside = ".";
  sys::path::append(beside, "..", "share", "tilec", "targets");
  sys::path::remove_dots(beside, /*remove_dot_dot=*/false);
  folders.push_back(std::string(beside));
  return folders;
}

std::vector<std::string> targetNames(ArrayRef<std::string> folders) {
  std::vector<std::string> names;
  for (const std::string &folder : folders) {
    std::error_code failed;
    for (sys::fs::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed))
      if (StringRef name = sys::path::filename(file->path()); name.consume_back(".json"))
        names.push_back(name.str());
  }
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

std::string targetOfProduct(StringRef product, ArrayRef<std::string> folders) {
  for (const std::string &name : targetNames(folders)) {
    std::string error;
    std::optional<Target> target = loadTarget(name, folders, error);
    if (!target)
      continue;
    auto isMeant = [&](StringRef other) { return other.equals_insensitive(product); };
    if (isMeant(target->product) || any_of(target->similarProducts, isMeant))
      return name;
  }
  return "";
}

std::optional<Target> loadTarget(StringRef name, ArrayRef<std::string> folders, std::string &error) {
  std::string path = name.str();
  if (!name.ends_with(".json")) {
    path.clear();
    for (const std::string &folder : folders) {
      SmallString<256> candidate(folder);
      sys::path::append(candidate, name + ".json");
      if (path.empty() && sys::fs::exists(candidate))
        path = std::string(candidate);
    }
  }
  if (path.empty()) {
    error = ("no target '" + name + "' in " + join(folders, ", ")).str();
    if (std::vector<std::string> names = targetNames(folders); !names.empty())
      error += ", expected one of " + join(names, ", ");
    return std::nullopt;
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer) {
    error = path + ": " + buffer.getError().message();
    return std::nullopt;
  }
  // A compilation asks once in each of a dozen passes, and parsing takes as long as any of them.
  thread_local struct {
    std::string path, text;
    std::optional<Target> target;
  } last;
  if (last.path != path || last.text != (*buffer)->getBuffer())
    last = {path, (*buffer)->getBuffer().str(), parseTarget((*buffer)->getBuffer(), path, error)};
  if (!last.target)
    last.path.clear(); // what is wrong with it is said again
  return last.target;
}

} // namespace tilec
