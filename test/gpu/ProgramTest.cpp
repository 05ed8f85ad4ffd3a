// Generated programs on a real GPU, in a world of one, against what `tilec run --expect` wrote (docs/oracle.md). Each
// folder that is named holds such files, the program's manifest and its text compiled as a shared object
// (test/gpu/programs.sh). One line per program; fails if an element exceeds its bound, a byte beside the elements has
// changed, or a launch fails.
#include "Calls.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace tilec::test;

namespace {

constexpr size_t guardBytes = 256;
constexpr int eagerLaunches = 3, relaunches = 1000, timedLaunches = 21;

// --- Files -----------------------------------------------------------------------------------------------------------

std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  require(bool(file), "cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The elements of a .npy file of version 1.0, as bytes.
std::vector<char> readArray(const std::string &path) {
  std::vector<char> bytes = readFile(path);
  require(bytes.size() >= 10 && std::memcmp(bytes.data(), "\x93NUMPY\x01", 7) == 0, "'" + path + "' is no .npy file");
  const size_t header = 10 + (unsigned char)bytes[8] + 256 * (unsigned char)bytes[9];
  require(bytes.size() >= header, "'" + path + "' is truncated");
  return {bytes.begin() + header, bytes.end()};
}
template <class T>
std::vector<T> readValues(const std::string &path) {
  const std::vector<char> bytes = readArray(path);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// --- Elements --------------------------------------------------------------------------------------------------------

/// How an element of an MLIR type is stored; of floats, how many bits its parts have.
struct Element {
  int bytes = 0;
  bool isFloat = false;
  int exponent = 0, mantissa = 0;
  bool fnuz = false, finite = false; ///< without infinities

  static Element of(const std::string &type) {
    if (type == "bf16")
      return {2, true, 8, 7, false, false};
    if (type == "f16")
      return {2, true, 5, 10, false, false};
    if (type == "f32")
      return {4, true, 8, 23, false, false};
    if (type == "f64")
      return {8, true, 11, 52, false, false};
    if (type == "f8E4M3FN" || type == "f8E4M3FNUZ")
      return {1, true, 4, 3, type == "f8E4M3FNUZ", true};
    if (type == "f8E5M2" || type == "f8E5M2FNUZ")
      return {1, true, 5, 2, type == "f8E5M2FNUZ", type == "f8E5M2FNUZ"};
    if (type == "i1" || type == "i8")
      return {1};
    if (type == "i16")
      return {2};
    if (type == "i32")
      return {4};
    require(type == "i64" || type == "index", "elements of type '" + type + "'");
    return {8};
  }

  double value(const char *from) const {
    unsigned long long bits = 0;
    std::memcpy(&bits, from, bytes);
    const int width = 8 * bytes;
    if (!isFloat)
      return double((long long)(bits << (64 - width)) >> (64 - width));
    const unsigned long long fraction = bits & ((1ull << mantissa) - 1);
    const int power = int(bits >> mantissa & ((1ull << exponent) - 1));
    const bool negative = bits >> (width - 1) & 1;
    const int bias = (1 << (exponent - 1)) - 1 + fnuz, most = (1 << exponent) - 1;
    if (fnuz ? negative && !power && !fraction : finite && power == most && fraction == (1ull << mantissa) - 1)
      return NAN;
    if (!finite && power == most)
      return fraction ? NAN : negative ? -INFINITY : INFINITY;
    const double magnitude = power ? std::ldexp(double(fraction + (1ull << mantissa)), power - bias - mantissa)
                                   : std::ldexp(double(fraction), 1 - bias - mantissa);
    return negative ? -magnitude : magnitude;
  }
};

/// One argument: its place in memory, what it holds before the launch and what the oracle says of it after.
struct Argument {
  std::string name;
  Element element;
  std::vector<long long> offsets; ///< in elements, of each element
  size_t bytes = 0;               ///< from the first element to behind the last
  std::vector<char> image;        ///< as the launch finds it, with guard bytes
  std::vector<double> after, bound;

  Argument(const std::string &folder, const nlohmann::json &json)
      : name(json.at("name")), element(Element::of(json.at("type"))) {
    const std::string path = folder + "/" + name + "-0.";
    const std::vector<char> before = readArray(path + "before.npy");
    if (element.isFloat)
      after = readValues<double>(path + "after.npy");
    else
      for (long long value : readValues<long long>(path + "after.npy"))
        after.push_back(double(value));
    bound = readValues<double>(path + "bound.npy");
    require(after.size() == bound.size() && before.size() == after.size() * element.bytes,
            "the arrays of '" + name + "' have different sizes");
    place(json.at("sizes"), json.at("strides"));
    image.assign(bytes + guardBytes, '\xff');
    for (size_t i = 0; i < offsets.size(); ++i)
      std::memcpy(&image[offsets[i] * element.bytes], &before[i * element.bytes], element.bytes);
  }

private:
  void place(const std::vector<long long> &sizes, const std::vector<long long> &strides) {
    for (size_t i = 0; i < after.size(); ++i) {
      long long offset = 0, rest = (long long)i;
      for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
        offset += rest % sizes[d] * strides[d];
      offsets.push_back(offset);
      bytes = std::max(bytes, size_t(offset + 1) * element.bytes);
    }
  }
};

// --- Judgement -------------------------------------------------------------------------------------------------------

struct Report {
  double error = 0, bound = 0; ///< of the element with the largest error
  double usage = 0;            ///< the largest share of a bound
  long long exceeded = 0, weak = 0, stray = 0;
  std::string place = "-";

  /// As the oracle's comparison does (passes/interpreter/Inputs.cpp).
  void add(const Argument &argument, const std::vector<char> &got, double scale) {
    std::vector<bool> owned(got.size());
    for (size_t i = 0; i < argument.after.size(); ++i) {
      const size_t at = argument.offsets[i] * argument.element.bytes;
      std::fill_n(owned.begin() + at, argument.element.bytes, true);
      const double value = argument.element.value(&got[at]), wanted = argument.after[i], limit = argument.bound[i];
      double difference = std::fabs(value - wanted);
      if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
        difference = 0;
      else if (std::isnan(difference))
        difference = INFINITY;
      exceeded += difference > limit;
      weak += !std::isfinite(limit) || (argument.element.isFloat && limit != 0 && limit >= scale);
      usage = std::max(usage, difference == 0 ? 0 : limit == 0 ? INFINITY : difference / limit);
      if (difference > error || (difference == error && place == "-" && limit > 0)) {
        error = difference;
        bound = limit;
        place = argument.name + "[" + std::to_string(i) + "]";
      }
    }
    for (size_t i = 0; i < got.size(); ++i)
      stray += !owned[i] && got[i] != '\xff';
  }
  bool right() const { return !exceeded && !weak && !stray; }
};

// --- Running ---------------------------------------------------------------------------------------------------------

/// One program in a world of its own.
class Program {
public:
  explicit Program(const std::string &folder) {
    const nlohmann::json launch = nlohmann::json::parse(readFile(folder + "/launch.json"));
    require(launch.at("world") == 1, "expected a launch in a world of one");
    extents = launch.at("extents").get<std::vector<int64_t>>();
    size_t total = 0;
    for (const nlohmann::json &json : launch.at("arguments")) {
      arguments.emplace_back(folder, json);
      total += arguments.back().image.size() + 512;
    }
    start(total);
    loaded.load(world, folder + "/" + launch.at("program").get<std::string>(), extents.data(), int(extents.size()));
    for (const Argument &argument : arguments)
      check(tilec_heap_alloc(world, argument.image.size(), &pointers.emplace_back()), "tilec_heap_alloc");
    check(hipStreamCreate(&stream), "hipStreamCreate");
    if (loaded.workspaceBytes) {
      check(hipMemset(loaded.workspace, 0xff, loaded.workspaceBytes), "hipMemset");
      check(tilec_workspace_clear(loaded.program, loaded.workspace), "tilec_workspace_clear");
    }
  }
  ~Program() { tilec_world_destroy(world); }
  Program(const Program &) = delete;

  Report run() {
    Report report;
    for (int i = 0; i < eagerLaunches; ++i) {
      fill();
      launch();
      finish();
      compare(report);
    }
    fill();
    replay(1);
    compare(report);
    fill();
    launch();
    finish();
    compare(report);
    // Epochs count on the device, over eager and captured launches alike: what comes after many of both is right too.
    for (int i = 0; i < relaunches; ++i)
      launch();
    replay(relaunches);
    fill();
    replay(1);
    compare(report);
    return report;
  }

  /// Median of the times of single launches, in microseconds.
  double time() {
    fill();
    hipEvent_t begin, end;
    check(hipEventCreate(&begin), "hipEventCreate");
    check(hipEventCreate(&end), "hipEventCreate");
    std::vector<float> times;
    for (int i = 0; i < timedLaunches; ++i) {
      check(hipEventRecord(begin, stream), "hipEventRecord");
      launch();
      check(hipEventRecord(end, stream), "hipEventRecord");
      check(hipEventSynchronize(end), "hipEventSynchronize");
      check(hipEventElapsedTime(&times.emplace_back(), begin, end), "hipEventElapsedTime");
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1000;
  }

private:
  void start(size_t argumentBytes) {
    tilec_world_options options{};
    options.size = 1;
    options.heap_bytes = argumentBytes + (size_t(2) << 30);
    options.signal_bytes = size_t(64) << 20;
    options.device = TILEC_DEVICE_HIP;
    options.deadline_ns = 5000000000ull;
    check(tilec_world_create(&options, &world), "tilec_world_create");
  }
  /// A launch must write what it says, and read nothing that nobody wrote: all else is NaN.
  void fill() {
    for (size_t i = 0; i < arguments.size(); ++i)
      check(hipMemcpy(pointers[i], arguments[i].image.data(), arguments[i].image.size(), hipMemcpyHostToDevice),
            "hipMemcpy");
  }
  void launch() {
    check(tilec_launch(loaded.program, stream, pointers.data(), int(pointers.size()), extents.data(),
                       int(extents.size()), loaded.workspace, /*workgroups=*/0),
          "tilec_launch");
  }
  void finish() { check(tilec_synchronize(world, stream), "tilec_synchronize"); }
  void replay(int times) {
    if (!graph) {
      hipGraph_t captured;
      check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "hipStreamBeginCapture");
      launch();
      check(hipStreamEndCapture(stream, &captured), "hipStreamEndCapture");
      check(hipGraphInstantiate(&graph, captured, 0), "hipGraphInstantiate");
    }
    for (int i = 0; i < times; ++i)
      check(hipGraphLaunch(graph, stream), "hipGraphLaunch");
    finish();
  }
  void compare(Report &report) {
    double scale = 0;
    for (const Argument &argument : arguments)
      for (double value : argument.after)
        if (argument.element.isFloat && std::isfinite(value))
          scale = std::max(scale, std::fabs(value));
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::vector<char> got(arguments[i].image.size());
      check(hipMemcpy(got.data(), pointers[i], got.size(), hipMemcpyDeviceToHost), "hipMemcpy");
      report.add(arguments[i], got, scale);
    }
  }

  std::vector<int64_t> extents;
  std::vector<Argument> arguments;
  tilec_world *world = nullptr;
  LoadedProgram loaded;
  std::vector<void *> pointers;
  hipStream_t stream = nullptr;
  hipGraphExec_t graph = nullptr;
};

bool judge(const std::string &folder) {
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  try {
    Program program(folder);
    const Report report = program.run();
    std::printf("%-28s error %-9.3g bound %-9.3g at %-14s of its bound %-6.2g %8.1f us  %s\n", name.c_str(),
                report.error, report.bound, report.place.c_str(), report.usage, program.time(),
                report.right() ? "right" : "WRONG");
    if (!report.right())
      std::printf("  %lld elements exceed their bound, %lld have none that says anything, %lld stray bytes\n",
                  report.exceeded, report.weak, report.stray);
    return report.right();
  } catch (const std::exception &error) {
    std::printf("%-28s FAILED %s\n", name.c_str(), error.what());
    return false;
  }
}

} // namespace

int main(int count, char **folders) {
  int right = 0;
  for (int i = 1; i < count; ++i) {
    right += judge(folders[i]);
    std::fflush(stdout);
  }
  std::printf("%d of %d programs right\n", right, count - 1);
  return right == count - 1 ? 0 : 1;
}
