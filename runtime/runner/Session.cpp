// Worlds over the C API.
#include "runner/Session.h"
#include "runner/Words.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tilec::runner;

namespace {
constexpr size_t mebibyte = size_t(1) << 20, alignment = 256;
/// Ranks may still be reading their arrays.
constexpr unsigned long long joinDeadline = 20ull * 1000 * 1000 * 1000;
} // namespace

void tilec::runner::requireDevice() {
  int count = 0;
  const hipError_t error = hipGetDeviceCount(&count);
  require(error == hipSuccess && count > 0,
          std::string("no GPU: ") + (error == hipSuccess ? "the driver lists none" : hipGetErrorString(error)));
}

void tilec::runner::requireDevices([[maybe_unused]] int wanted) {
#ifndef TILEC_EMULATED
  int count = 0;
  check(hipGetDeviceCount(&count), "asking for the devices");
  require(count >= wanted, "a world of " + std::to_string(wanted) + " takes as many GPUs, " + std::to_string(count) +
                               (count == 1 ? " is" : " are") + " visible");
#endif
}

Session::Session(const std::vector<const PreparedProgram *> &given, int copies, size_t guard, Deadline deadline)
    : ranks(given.front()->world), deadline(deadline) {
  sizes = given.front()->capacity();
  for (const PreparedProgram *program : given) {
    const std::vector<size_t> other = program->capacity();
    require(other.size() == sizes.size(), "the programs of a session have other arguments");
    for (size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], other[i]);
  }
  size_t total = alignment; // where ranks meet
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
    world.reset();
    signals *= loaded ? 1 : 4;
    heap = std::max(heap, total + workspaceBytes());
    programs.clear();
  }
  check(hipStreamCreate(&stream), "hipStreamCreate");
  allocate(copies, guard);
  std::vector<std::optional<Number>> none;
  for (const Argument &argument : given.front()->launches.front().arguments)
    none.push_back(argument.isNumber() ? std::optional<Number>(Number{}) : std::nullopt);
  numbers.assign(size_t(copies), none);
  clearWorkspaces();
}

void Session::create(size_t heapBytes, size_t signalBytes) {
  tilec_world_options options{};
  options.heap_bytes = heapBytes;
  options.signal_bytes = signalBytes;
  options.device = kindOfDevice;
  options.device_index = -1;
  options.deadline_ns = deadline.nanoseconds();
  tilec_world *made = nullptr;
  if (ranks == 1) {
    options.size = 1;
    check(tilec_world_create(&options, &made), "making a world");
  } else {
    // Rank, size and job are in the environment of the process. Every world is another job.
    static int number = 0;
    const char *given = std::getenv("TILEC_JOB");
    const std::string job = (given ? given : "") + std::string("-") + std::to_string(number++);
    options.job = given ? job.c_str() : nullptr;
    options.join_deadline_ns = joinDeadline;
    check(tilec_world_join(&options, &made), "joining a world");
  }
  world.reset(made);
  // What is filled and copied here lies there.
  check(hipSetDevice(tilec_world_device(made)), "making the device of the world current");
}

/// False where the signal mapping is too small.
bool Session::load(const std::vector<const PreparedProgram *> &given) {
  for (const PreparedProgram *program : given) {
    const std::vector<std::int64_t> greatest = program->greatest();
    Loaded &loaded = programs.emplace_back();
    const tilec_result result = tilec_program_load(world.get(), program->manifest.c_str(), program->code.c_str(),
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
      check(tilec_heap_alloc(world.get(), loaded.workspaceBytes, &loaded.workspace), "allocating the workspace");
  for (int copy = 0; copy < copies; ++copy) {
    std::vector<void *> &all = memory.emplace_back();
    for (const size_t bytes : sizes)
      check(tilec_heap_alloc(world.get(), bytes + guard, &all.emplace_back()), "allocating an argument");
  }
}

Session::~Session() {
  for (const hipGraphExec_t graph : graphs)
    (void)hipGraphExecDestroy(graph);
  if (stream)
    (void)hipStreamDestroy(stream);
}

void Session::give(int copy, size_t number, const void *value) {
  std::optional<Number> &known = numbers[size_t(copy)][number];
  require(known.has_value(), "an argument with dimensions is no number");
  std::memcpy(known->bytes, value, std::min(sizeof(known->bytes), sizes[number]));
}

void Session::launch(size_t program, const std::vector<std::int64_t> &extents, int copy) const {
  std::vector<void *> arguments = memory[size_t(copy)];
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const std::optional<Number> &number = numbers[size_t(copy)][i])
      arguments[i] = const_cast<char *>(number->bytes);
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

void Session::finish() const { check(tilec_synchronize(world.get(), stream), "a launch failed"); }

void Session::meet() const {
  if (ranks == 1)
    return;
  // The heap is asked by all ranks together.
  void *nothing = nullptr;
  check(tilec_heap_alloc(world.get(), 0, &nothing), "meeting the other ranks");
  check(tilec_heap_free(world.get(), nothing), "meeting the other ranks");
}

void Session::clearWorkspaces() const {
  for (const Loaded &loaded : programs)
    if (loaded.workspaceBytes) {
      check(hipMemset(loaded.workspace, 0xff, loaded.workspaceBytes), "filling the workspace");
      check(tilec_workspace_clear(loaded.program, loaded.workspace), "clearing the workspace");
    }
  // What a peer's launch writes here must come later.
  check(hipDeviceSynchronize(), "filling the workspaces");
  meet();
}

unsigned Session::epoch(size_t program) const {
  unsigned epoch = 0;
  check(tilec_program_epoch(programs[program].program, &epoch), "reading the epoch");
  return epoch;
}

std::vector<char> Session::scratch(size_t program, const std::vector<std::int64_t> &extents,
                                   const Scratch &buffer) const {
  const Loaded &loaded = programs[program];
  size_t offset = 0;
  if (!loaded.workspace || tilec_workspace_offset(loaded.program, extents.data(), int(extents.size()),
                                                  buffer.name.c_str(), epoch(program), &offset) != TILEC_OK)
    return {};
  require(offset + buffer.bytes <= loaded.workspaceBytes, "scratch '" + buffer.name + "' is not in the workspace");
  std::vector<char> bytes(buffer.bytes);
  check(hipMemcpy(bytes.data(), static_cast<const char *>(loaded.workspace) + offset, bytes.size(),
                  hipMemcpyDeviceToHost),
        "hipMemcpy");
  return bytes;
}
