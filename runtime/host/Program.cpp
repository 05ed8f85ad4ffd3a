// One program loaded into one rank.
#include "host/Program.h"
#include <algorithm>
#include <dlfcn.h>
#include <fstream>
#include <hip/hip_runtime.h>
#include <sstream>

using namespace tilec;
using namespace tilec::host;

namespace {

/// Where notes go while a program is asked for its kernels' occupancy.
thread_local std::vector<int> *noted = nullptr;

/// Lets code that is loaded find this library: who loaded it with dlopen, as Python does, did not make its symbols
/// global.
void exportRuntime() {
  static const bool done = [] {
    Dl_info here;
    return dladdr(reinterpret_cast<void *>(&tilec_program_load), &here) && here.dli_fname &&
           dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
  }();
  // Linked into the program itself it has no file of its own to load, and needs none.
  (void)done;
}

/// Closes the code unless a program took it.
struct Code {
  void *handle = nullptr;
  ~Code() {
    if (handle)
      dlclose(handle);
  }
};

/// Text says which manifest it goes with. One that was written by hand may not.
void requireSameFacts(const Manifest &manifest, void *handle) {
  using Facts = const char *(*)();
  auto facts = reinterpret_cast<Facts>(dlsym(handle, (manifest.program + "_facts").c_str()));
  require(!facts || manifest.facts.empty() || manifest.facts == facts(), TILEC_BAD_MANIFEST,
          "the text of '" + manifest.program +
              "' was made for another target, world, extents or parameters than its manifest: their sizes, signals or "
              "launches differ");
}

/// Keeps the program in the world when all ranks have loaded the same.
template <typename Make>
tilec_program *keep(tilec_world &world, const std::string &text, const std::int64_t *most, int count, Make &&make) {
  std::string what = "load a program with hash " + std::to_string(hashBytes(text.data(), text.size())) + " for extents";
  for (int i = 0; most && i < count; ++i)
    what += (i ? ", " : " ") + std::to_string(most[i]);
  std::unique_ptr<tilec_program> program = world.together(what, TILEC_BAD_MANIFEST, std::forward<Make>(make));
  world.programs.push_back(program.get());
  return program.release();
}

} // namespace

extern "C" void tilec_note_occupancy(int workgroups) {
  if (noted)
    noted->push_back(workgroups);
}

tilec_program *tilec_program::load(tilec_world &world, const char *manifestPath, const char *codePath,
                                   const std::int64_t *maxExtents, int count) {
  require(manifestPath, TILEC_INVALID_ARGUMENT, "the manifest's path is null");
  std::ifstream file(manifestPath);
  std::ostringstream text;
  text << file.rdbuf();
  return keep(world, text.str(), maxExtents, count, [&] {
    require(bool(file), TILEC_NOT_FOUND, std::string("cannot read '") + manifestPath + "'");
    Manifest manifest = Manifest::parse(text.str());
    Code code;
    if (codePath) {
      exportRuntime();
      code.handle = dlopen(codePath, RTLD_NOW | RTLD_LOCAL);
      require(code.handle, TILEC_NOT_FOUND, std::string("cannot load the code: ") + (code.handle ? "" : dlerror()));
    }
    const std::string symbol = manifest.program + "_launch";
    void *found = dlsym(codePath ? code.handle : RTLD_DEFAULT, symbol.c_str());
    require(found, TILEC_NOT_FOUND,
            "no function '" + symbol + "' in " +
                (codePath ? std::string("'") + codePath + "'" : "the running program"));
    requireSameFacts(manifest, codePath ? code.handle : RTLD_DEFAULT);
    return std::make_unique<tilec_program>(world, std::move(manifest), reinterpret_cast<tilec_launch_function>(found),
                                           std::exchange(code.handle, nullptr), maxExtents, count);
  });
}

tilec_program *tilec_program::link(tilec_world &world, const char *manifestText, tilec_launch_function launch,
                                   const std::int64_t *maxExtents, int count) {
  require(manifestText && launch, TILEC_INVALID_ARGUMENT, "the manifest or the launch function is null");
  return keep(world, manifestText, maxExtents, count, [&] {
    return std::make_unique<tilec_program>(world, Manifest::parse(manifestText), launch, nullptr, maxExtents, count);
  });
}

tilec_program::tilec_program(tilec_world &world, Manifest given, tilec_launch_function launch, void *code,
                             const std::int64_t *most, int count)
    : world(world), manifest(std::move(given)), launch(launch), number(unsigned(world.programs.size())), code(code) {
  // A constructor that throws runs no destructor: the code must not leak with it.
  Code guard{code};
  world.group->requireNoneLost();
  require(world.group->complete(), TILEC_INVALID_ARGUMENT, "programs are loaded when every rank of the world exists");
  require(manifest.world == world.group->size, TILEC_BAD_MANIFEST,
          "'" + manifest.program + "' is for a world of " + std::to_string(manifest.world) + ", got " +
              std::to_string(world.group->size));
  require(count >= 0 && (count == 0 || most), TILEC_INVALID_ARGUMENT, "the maximal extents are null");
  // Launch functions hand extents to kernels as int.
  const std::vector<std::int64_t> largest(manifest.extents.size(), INT32_MAX);
  maxValues = manifest.values(most, count, largest);
  maxExtents.assign(most, most + count);
  measureOccupancy();
  checkDevice();
  std::copy(maxExtents.begin(), maxExtents.end(), maxValues.begin() + count);
  const std::int64_t bytes = manifest.signalBytes(maxValues.data());
  const size_t offset = world.takeSignals(sizeof(LaunchState) + size_t(bytes));
  state = reinterpret_cast<LaunchState *>(world.signalBase() + offset);
  makeTables(offset + sizeof(LaunchState));
  guard.handle = nullptr;
}

tilec_program::~tilec_program() {
  // Nothing of the program is taken away below a launch.
  CurrentDevice current(world.device);
  (void)hipDeviceSynchronize();
  trace.reset();
  engine.reset();
  if (number < world.programs.size())
    world.programs[number] = nullptr;
  (void)hipFree(tables);
  if (code)
    dlclose(code);
}

/// The manifest says what the compiler planned; what counts is the code that the device's compiler made of it.
void tilec_program::measureOccupancy() {
  // Numbers are read, but nothing runs that would use them.
  static std::int64_t anyNumber = 0;
  std::vector<void *> pointers;
  for (const Buffer &argument : manifest.arguments)
    pointers.push_back(argument.isNumber() ? &anyNumber : nullptr);
  const std::vector<long long> extents(maxExtents.begin(), maxExtents.end());
  LaunchArguments query = {};
  query.pointers = pointers.data();
  query.pointer_count = int(pointers.size());
  query.extents = query.max_extents = extents.data();
  query.extent_count = int(extents.size());
  CurrentDevice current(world.device);
  noted = &occupancy;
  const int error = launch(&query);
  noted = nullptr;
  check(error, ("asking for the occupancy of '" + manifest.program + "'").c_str());
  require(occupancy.size() == manifest.kernels.size(), TILEC_BAD_MANIFEST,
          "the code of '" + manifest.program + "' has " + std::to_string(occupancy.size()) + " kernels, its manifest " +
              std::to_string(manifest.kernels.size()));
}

void tilec_program::checkDevice() const {
  int lds = 0;
  check(hipDeviceGetAttribute(&lds, hipDeviceAttributeMaxSharedMemoryPerBlock, world.device), "asking for the lds");
  for (const Kernel &kernel : manifest.kernels) {
    require(kernel.ldsBytes <= lds, TILEC_BAD_MANIFEST,
            "kernel '" + kernel.name + "' needs " + std::to_string(kernel.ldsBytes) + " bytes of lds, the device has " +
                std::to_string(lds));
    require(kernel.resident <= capacity(kernel), TILEC_NOT_RESIDENT,
            "kernel '" + kernel.name + "' needs " + std::to_string(kernel.resident) +
                " resident workgroups, the device holds " + std::to_string(capacity(kernel)));
    require(capacity(kernel) > 0, TILEC_NOT_RESIDENT, "no workgroup of kernel '" + kernel.name + "' fits the device");
  }
}

void tilec_program::makeTables(size_t signalOffset) {
  const Group &group = *world.group;
  std::vector<char *> bases = group.heapBases;
  for (char *base : group.signalBases)
    bases.push_back(base + signalOffset);
  CurrentDevice current(world.device);
  const bool runsBeside =
      std::any_of(manifest.kernels.begin(), manifest.kernels.end(), [](const Kernel &kernel) { return kernel.beside; });
  if (!manifest.engines.empty() || runsBeside)
    engine = std::make_unique<EngineStream>(group.heapBases, group.heapBytes,
                                            std::vector<char *>(bases.begin() + group.size, bases.end()));
  const size_t bytes = bases.size() * sizeof(char *);
  check(hipMalloc(reinterpret_cast<void **>(&tables), bytes), "allocating the table of bases");
  check(hipMemcpy(tables, bases.data(), bytes, hipMemcpyHostToDevice), "filling the table of bases");
}

std::vector<std::int64_t> tilec_program::values(const std::int64_t *extents, int count) const {
  return manifest.values(extents, count, maxExtents);
}

const Signal *tilec_program::signalAt(std::uint64_t offset) const {
  return manifest.signalAt(offset, maxValues.data());
}

int tilec_program::capacity(const Kernel &kernel) const {
  int units = 0;
  check(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, world.device),
        "asking for the compute units");
  return units * occupancy[size_t(&kernel - manifest.kernels.data())];
}

unsigned tilec_program::epoch() const {
  CurrentDevice current(world.device);
  unsigned long long value = 0;
  check(hipMemcpy(&value, &state->entered, sizeof(value), hipMemcpyDeviceToHost), "reading the epoch");
  return unsigned(value >> 32);
}

void tilec_program::clearWorkspace(void *workspace) {
  require(workspace, TILEC_INVALID_ARGUMENT, "the workspace is null");
  const std::int64_t total = manifest.workspaceBytes(maxValues.data());
  require(!manifest.needsSymmetricWorkspace() || world.inHeap(workspace, total), TILEC_NOT_SYMMETRIC,
          "'" + manifest.program + "': the workspace must lie in the symmetric heap");
  world.together("clear a workspace of '" + manifest.program + "'", TILEC_INVALID_ARGUMENT, [&] {
    CurrentDevice current(world.device);
    for (const Scratch &buffer : manifest.scratch)
      if (const std::int64_t bytes = manifest.bytes(buffer, maxValues.data()); buffer.persistent && bytes)
        check(hipMemset(static_cast<char *>(workspace) + buffer.offset.evaluate(maxValues.data()), 0,
                        size_t(bytes * buffer.copies)),
              "clearing the persistent scratch");
    check(hipDeviceSynchronize(), "clearing the persistent scratch");
    return cleared = workspace;
  });
}

bool tilec_program::keepsScratch() const {
  return std::any_of(manifest.scratch.begin(), manifest.scratch.end(), [&](const Scratch &buffer) {
    return buffer.persistent && manifest.bytes(buffer, maxValues.data()) > 0;
  });
}

void tilec_program::requireCleared(const void *workspace) const {
  if (!keepsScratch())
    return;
  require(workspace == cleared, TILEC_REFUSED,
          "'" + manifest.program + "' keeps persistent scratch from launch to launch, expected " +
              (cleared ? "the workspace that tilec_workspace_clear was called with"
                       : "tilec_workspace_clear before the first launch"));
  for (const tilec_world *member : world.group->members) {
    if (!member || number >= member->programs.size() || !member->programs[number])
      continue;
    const tilec_program &peer = *member->programs[number];
    require(peer.cleared || !peer.keepsScratch(), TILEC_REFUSED,
            "'" + manifest.program + "': rank " + std::to_string(member->rank) +
                " has not called tilec_workspace_clear, expected it on every rank before the first launch");
  }
}
