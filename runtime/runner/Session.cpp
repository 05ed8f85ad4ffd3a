// Worlds of one over the C API.
#include "runner/Session.h"
#include "runner/Words.h"
#include <algorithm>
#include <utility>

using namespace tilec::runner;

namespace {
constexpr size_t mebibyte = size_t(1) << 20, alignment = 256;
constexpr unsigned long long deadline = 5ull * 1000 * 1000 * 1000;
#ifdef TILEC_EMULATED
constexpr tilec_device kind = TILEC_DEVICE_EMULATED;
#else
constexpr tilec_device kind = TILEC_DEVICE_HIP;
#endif
} // namespace

void tilec::runner::requireDevice() {
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  require(error == hipSuccess && count > 0,
          std::string("no GPU: ") + (error == hipSuccess ? "the driver lists none" : hipGetErrorString(error)));
}

Session::Session(const std::vector<const PreparedProgram *> &given, int copies, size_t guard) {
  sizes = given.front()->capacity();
  for (const PreparedProgram *program : given) {
    const std::vector<size_t> other = program->capacity();
    require(other.size() == sizes.size(), "the programs of a session have other arguments");
    for (size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], other[i]);
  }
  size_t total = 0;
  for (const size_t bytes : sizes)
    total += size_t(copies) * (bytes + guard + alignment);
  // How much the programs need is known when they are loaded, which takes a world: ask for more until it fits.
  constexpr size_t mostSignals = size_t(1) << 33;
  size_t heap = total, signals = 2 * mebibyte;
  for (bool fits = false; !fits;) {
    create(heap, signals);
    const bool loaded = load(given);
    require(loaded || signals < mostSignals, std::string("loading the program: ") + tilec_last_error());
    fits = loaded && heap >= total + workspaceBytes();
    if (fits)
      break;
    tilec_world_destroy(std::exchange(world, nullptr));
    signals *= loaded ? 1 : 4;
    heap = std::max(heap, total + workspaceBytes());
    programs.clear();
  }
  check(hipStreamCreate(&stream), "hipStreamCreate");
  allocate(copies, guard);
  clearWorkspaces();
}

void Session::create(size_t heapBytes, size_t signalBytes) {
  tilec_world_options options{};
  options.size = 1;
  options.heap_bytes = heapBytes;
  options.signal_bytes = signalBytes;
  options.device = kind;
  options.deadline_ns = deadline;
  check(tilec_world_create(&options, &world), "making a world");
}

/// False where the signal mapping is too small.
bool Session::load(const std::vector<const PreparedProgram *> &given) {
  for (const PreparedProgram *program : given) {
    const std::vector<std::int64_t> greatest = program->greatest();
    Loaded &loaded = programs.emplace_back();
    const tilec_result result = tilec_program_load(world, program->manifest.c_str(), program->code.c_str(),
                                                   greatest.data(), int(greatest.size()), &loaded.program);
    if (result == TILEC_OUT_OF_MEMORY)
      return false;
    check(result, "loading the program");
    check(tilec_workspace_bytes(loaded.program, greatest.data(), int(greatest.size()), &loaded.workspaceBytes),
          "sizing the workspace");
  }
  return true;
}

size_t Session::workspaceBytes() const {
  size_t total = 0;
  for (const Loaded &loaded : programs)
    total += loaded.workspaceBytes + alignment;
  return total;
}

void Session::allocate(int copies, size_t guard) {
  for (Loaded &loaded : programs)
    if (loaded.workspaceBytes)
      check(tilec_heap_alloc(world, loaded.workspaceBytes, &loaded.workspace), "allocating the workspace");
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<void *> &all = memory.emplace_back();
    for (const size_t bytes : sizes)
      check(tilec_heap_alloc(world, bytes + guard, &all.emplace_back()), "allocating an argument");
  }
}

Session::~Session() {
  for (const hipGraphExec_t graph : graphs)
    (void)hipGraphExecDestroy(graph);
  if (stream)
    (void)hipStreamDestroy(stream);
  tilec_world_destroy(world);
}

void Session::launch(size_t program, const std::vector<std::int64_t> &extents, int copy) const {
  const std::vector<void *> &arguments = memory[size_t(copy)];
  check(tilec_launch(programs[program].program, stream, arguments.data(), int(arguments.size()), extents.data(),
                     int(extents.size()), programs[program].workspace, /*workgroups=*/0),
        "launching");
}

hipGraphExec_t Session::capture(const std::function<void()> &work) {
  hipGraph_t graph;
  hipGraphExec_t executable;
  check(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "beginning a capture");
  work();
  check(hipStreamEndCapture(stream, &graph), "ending a capture");
  check(hipGraphInstantiate(&executable, graph, nullptr, nullptr, 0), "making a graph");
  check(hipGraphDestroy(graph), "releasing a capture");
  graphs.push_back(executable);
  return executable;
}

void Session::replay(hipGraphExec_t graph) const { check(hipGraphLaunch(graph, stream), "replaying a graph"); }

void Session::finish() const { check(tilec_synchronize(world, stream), "a launch failed"); }

void Session::clearWorkspaces() const {
  for (const Loaded &loaded : programs)
    if (loaded.workspaceBytes) {
      check(hipMemset(loaded.workspace, 0xff, loaded.workspaceBytes), "filling the workspace");
      check(tilec_workspace_clear(loaded.program, loaded.workspace), "clearing the workspace");
    }
}

unsigned Session::epoch(size_t program) const {
  unsigned epoch = 0;
  check(tilec_program_epoch(programs[program].program, &epoch), "reading the epoch");
  return epoch;
}
