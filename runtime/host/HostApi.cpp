// The C API over World, Program and Launch.
#include "host/Environment.h"
#include "host/Launch.h"
#include <algorithm>
#include <hip/hip_runtime.h>
#include <limits>

using namespace tilec;
using namespace tilec::host;

namespace {
template <typename T>
T &given(T *object, const char *what, const char *missing = " is null") {
  require(object, TILEC_INVALID_ARGUMENT, std::string(what) + missing);
  return *object;
}
} // namespace

tilec_device tilec_runtime_device() {
#ifdef TILEC_EMULATED
  return TILEC_DEVICE_EMULATED;
#else
  return TILEC_DEVICE_HIP;
#endif
}

tilec_result tilec_world_create(const tilec_world_options *options, tilec_world **world) {
  return guarded([&] {
    given(world, "the place for the world") = tilec_world::create(given(options, "the options", " are null"));
  });
}

tilec_result tilec_world_join(const tilec_world_options *options, tilec_world **world) {
  return guarded(
      [&] { given(world, "the place for the world") = tilec_world::join(given(options, "the options", " are null")); });
}

tilec_result tilec_world_environment(int *rank, int *size) {
  return guarded([&] {
    int &number = given(rank, "the place for the rank"), &count = given(size, "the place for the size");
    number = -1;
    count = 0;
    if (!hasLauncher())
      return;
    const StartedAs started = readEnvironment();
    number = started.rank;
    count = started.size;
  });
}

tilec_result tilec_emulated_worlds(int size, size_t heapBytes, size_t signalBytes, tilec_world **worlds) {
  return guarded([&] {
    given(worlds, "the place for the worlds");
    requireWorld(size);
    requireEmulatedDevices(size);
    static unsigned made = 0;
    const std::string job = "emulated " + std::to_string(made++);
    tilec_world_options options = {};
    options.size = size;
    options.heap_bytes = heapBytes;
    options.signal_bytes = signalBytes;
    options.device = TILEC_DEVICE_EMULATED;
    options.device_index = -1;
    options.job = job.c_str();
    std::vector<std::unique_ptr<tilec_world>> all;
    for (options.rank = 0; options.rank < size; ++options.rank)
      all.emplace_back(tilec_world::create(options));
    std::transform(all.begin(), all.end(), worlds, [](auto &world) { return world.release(); });
  });
}

tilec_result tilec_world_adopt(int rank, int size, void *const *bases, size_t bytes, void *const *signalBases,
                               size_t signalBytes, tilec_world **world) {
  return guarded([&] {
    given(world, "the place for the world") = tilec_world::adopt(rank, size, bases, bytes, signalBases, signalBytes);
  });
}

void tilec_world_destroy(tilec_world *world) { delete world; }
int tilec_world_rank(const tilec_world *world) { return world ? world->rank : -1; }
int tilec_world_size(const tilec_world *world) { return world ? world->group->size : 0; }
int tilec_world_device(const tilec_world *world) { return world ? world->device : -1; }

tilec_result tilec_world_reset(tilec_world *world) {
  return guarded([&] { given(world, "the world").reset(); });
}

tilec_result tilec_heap_alloc(tilec_world *world, size_t bytes, void **pointer) {
  return guarded([&] {
    void *&result = given(pointer, "the place for the pointer");
    tilec_world &owner = given(world, "the world");
    result = owner.together("allocate " + std::to_string(bytes) + " bytes of the heap", TILEC_NOT_SYMMETRIC, [&] {
      const auto offset = owner.heap.take(bytes);
      require(offset.has_value(), TILEC_OUT_OF_MEMORY,
              "the symmetric heap of " + std::to_string(owner.heap.size()) + " bytes has no " + std::to_string(bytes) +
                  " bytes in one piece");
      char *const taken = owner.heapBase() + *offset;
#ifdef TILEC_EMULATED
      // What a program reads without having written it shows as NaN.
      std::fill_n(taken, bytes, char(0xff));
#endif
      return taken;
    });
  });
}

tilec_result tilec_heap_free(tilec_world *world, void *pointer) {
  return guarded([&] {
    tilec_world &owner = given(world, "the world");
    if (!pointer)
      return;
    require(owner.inHeap(pointer, 0) && owner.heap.give(size_t(static_cast<char *>(pointer) - owner.heapBase())),
            TILEC_INVALID_ARGUMENT, "the pointer does not come from tilec_heap_alloc of this world");
  });
}

tilec_result tilec_heap_remote(tilec_world *world, const void *pointer, int to, void **remote) {
  return guarded([&] {
    tilec_world &owner = given(world, "the world");
    void *&result = given(remote, "the place for the pointer");
    require(to >= 0 && to < owner.group->size, TILEC_INVALID_ARGUMENT, "no rank " + std::to_string(to));
    require(owner.inHeap(pointer, 0), TILEC_NOT_SYMMETRIC, "the pointer lies outside the symmetric heap");
    require(owner.group->heapBases[to], TILEC_INVALID_ARGUMENT, "rank " + std::to_string(to) + " does not exist");
    result = owner.group->heapBases[to] + (static_cast<const char *>(pointer) - owner.heapBase());
  });
}

tilec_result tilec_program_load(tilec_world *world, const char *manifestPath, const char *codePath,
                                const int64_t *maxExtents, int count, tilec_program **program) {
  return guarded([&] {
    given(program, "the place for the program") =
        tilec_program::load(given(world, "the world"), manifestPath, codePath, maxExtents, count);
  });
}

tilec_result tilec_program_link(tilec_world *world, const char *manifest, tilec_launch_function launch,
                                const int64_t *maxExtents, int count, tilec_program **program) {
  return guarded([&] {
    given(program, "the place for the program") =
        tilec_program::link(given(world, "the world"), manifest, launch, maxExtents, count);
  });
}

void tilec_program_destroy(tilec_program *program) { delete program; }
const char *tilec_program_name(const tilec_program *program) {
  return program ? program->manifest.program.c_str() : "";
}

tilec_result tilec_workspace_bytes(const tilec_program *program, const int64_t *extents, int count, size_t *bytes) {
  return guarded([&] {
    const tilec_program &from = given(program, "the program");
    given(bytes, "the place for the bytes") = size_t(from.manifest.workspaceBytes(from.values(extents, count).data()));
  });
}

tilec_result tilec_workspace_clear(tilec_program *program, void *workspace) {
  return guarded([&] { given(program, "the program").clearWorkspace(workspace); });
}

tilec_result tilec_workspace_name(const tilec_program *program, const int64_t *extents, int count, size_t offset,
                                  char *text, size_t capacity) {
  return guarded([&] {
    const tilec_program &from = given(program, "the program");
    const std::string name = from.manifest.scratchAt(std::int64_t(offset), from.values(extents, count).data());
    require(!name.empty(), TILEC_INVALID_ARGUMENT, "no scratch buffer lies at byte " + std::to_string(offset));
    std::snprintf(&given(text, "the place for the name"), capacity, "%s", name.c_str());
  });
}

tilec_result tilec_workspace_offset(const tilec_program *program, const int64_t *extents, int count, const char *name,
                                    unsigned epoch, size_t *offset) {
  return guarded([&] {
    const tilec_program &from = given(program, "the program");
    const std::string buffer = &given(name, "the name of the buffer");
    const auto at = from.manifest.scratchOffset(buffer, epoch, from.values(extents, count).data());
    require(at.has_value(), TILEC_INVALID_ARGUMENT, "no scratch buffer is named '" + buffer + "'");
    given(offset, "the place for the offset") = size_t(*at);
  });
}

tilec_result tilec_extents_nonzero(const char *manifestJson, const int64_t *extents, int extentCount) {
  return guarded([&] {
    const Manifest manifest = Manifest::parse(&given(manifestJson, "the manifest"));
    const std::vector<std::int64_t> greatest(manifest.extents.size(), std::numeric_limits<std::int64_t>::max());
    manifest.requireNonzero(manifest.values(extents, extentCount, greatest).data());
  });
}

tilec_result tilec_launch(tilec_program *program, void *stream, void *const *arguments, int argumentCount,
                          const int64_t *extents, int extentCount, void *workspace, int workgroups) {
  return guarded([&] {
    Launch{given(program, "the program"), stream, arguments, argumentCount, extents, extentCount, workspace, workgroups}
        .run();
  });
}

tilec_result tilec_synchronize(tilec_world *world, void *stream) {
  return guarded([&] { given(world, "the world").synchronize(stream); });
}

tilec_result tilec_status(tilec_world *world, tilec_failure *failure) {
  return guarded([&] { given(failure, "the place for the failure") = given(world, "the world").describe(); });
}

tilec_result tilec_trace_start(tilec_program *program, int records) {
  return guarded([&] {
    tilec_program &traced = given(program, "the program");
    CurrentDevice current(traced.world.device);
    check(hipDeviceSynchronize(), "waiting for the launches");
    traced.trace = std::make_unique<Trace>(traced, records);
  });
}

tilec_result tilec_trace_save(tilec_program *program, const char *path) {
  return guarded([&] {
    const tilec_program &traced = given(program, "the program");
    require(traced.trace != nullptr, TILEC_INVALID_ARGUMENT, "nothing was recorded: tilec_trace_start comes first");
    traced.trace->save(&given(path, "the path"));
  });
}

tilec_result tilec_program_epoch(tilec_program *program, unsigned *epoch) {
  return guarded([&] { given(epoch, "the place for the epoch") = given(program, "the program").epoch(); });
}
