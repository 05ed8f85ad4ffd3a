// The runtime's C API behind one object.
#include "codegen/tilec/run/EmulatedWorld.h"

#include "tilec/emulated.h"
#include "tilec/host.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <climits>
#include <cstring>

using namespace tilec;
using llvm::createStringError;

static llvm::Error failed(const char *what) { return createStringError(std::string(what) + ": " + tilec_last_error()); }

static emulator::Landing landingOf(CopyLanding landing) {
  switch (landing) {
  case CopyLanding::Latest:
    return emulator::Landing::Latest;
  case CopyLanding::Earliest:
    return emulator::Landing::Earliest;
  case CopyLanding::Seeded:
    return emulator::Landing::Seeded;
  }
  llvm_unreachable("copies land in one of three ways");
}

/// What a manifest asks of whoever runs its program.
struct Needs {
  bool persistent = false; ///< scratch: the passes may have made it so, which the program does not say
  int workgroups = 1;      ///< that must be resident in each kernel, or in two together
};

static Needs needsOf(llvm::StringRef manifest) {
  Needs needs;
  auto content = llvm::MemoryBuffer::getFile(manifest);
  if (!content)
    return needs;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*content)->getBuffer());
  if (!parsed) {
    llvm::consumeError(parsed.takeError()); // loading it says what is wrong
    return needs;
  }
  auto objects = [&](llvm::StringRef name) {
    const llvm::json::Object *object = parsed->getAsObject();
    const llvm::json::Array *array = object ? object->getArray(name) : nullptr;
    std::vector<const llvm::json::Object *> result;
    for (size_t i = 0; array && i < array->size(); ++i)
      if (const llvm::json::Object *one = (*array)[i].getAsObject())
        result.push_back(one);
    return result;
  };
  for (const llvm::json::Object *buffer : objects("scratch"))
    needs.persistent |= buffer->getBoolean("persistent").value_or(false);
  auto need = [&](std::optional<int64_t> workgroups) {
    needs.workgroups = std::clamp<int64_t>(workgroups.value_or(1), needs.workgroups, INT_MAX);
  };
  for (const llvm::json::Object *kernel : objects("kernels")) {
    need(kernel->getInteger("beside"));
    if (const llvm::json::Object *progress = kernel->getObject("progress"))
      need(progress->getInteger("workgroups"));
  }
  return needs;
}

llvm::Expected<std::unique_ptr<EmulatedWorld>>
EmulatedWorld::start(int ranks, size_t argumentBytes, const std::string &manifest, const std::string &code,
                     std::vector<int64_t> greatest, const EmulatedMachine &machine) {
  emulator::Options options = emulator::options();
  options.devices = std::max(options.devices, ranks);
  options.seed = machine.orderSeed;
  const Needs needs = needsOf(manifest);
  constexpr int mostUnits = 4096; // a kernel that needs more is refused when it is loaded
  options.computeUnits = machine.computeUnits;
  if (machine.grows)
    options.computeUnits = std::max(machine.computeUnits, std::min(needs.workgroups, mostUnits));
  options.resident = machine.resident;
  options.waveLanes = machine.waveLanes;
  options.oneCache = machine.oneCache;
  options.chiplets = machine.chiplets;
  options.ldsBytes = machine.ldsBytes ? machine.ldsBytes : options.ldsBytes;
  options.skewed = machine.skewed;
  options.weak = machine.weak;
  options.race = machine.race;
  options.landing = landingOf(machine.landing);
  if (!emulator::configure(options))
    return createStringError("the emulator is at work, or the race check has more than 3125 resident workgroups");
  emulator::clear_report();
  std::unique_ptr<EmulatedWorld> result(new EmulatedWorld(ranks, machine));
  result->isPersistent = needs.persistent;
  // How much the program needs is known when it is loaded, which takes a world: ask for more until it fits.
  constexpr size_t mebibyte = 1 << 20, most = size_t(1) << 36;
  for (size_t heap = argumentBytes + 16 * mebibyte, signals = 2 * mebibyte; heap < most; heap *= 4, signals *= 4) {
    llvm::Expected<bool> loaded = result->load(heap, signals, manifest, code, greatest);
    if (!loaded)
      return loaded.takeError();
    // The workspace has taken its part; what remains must hold the arguments.
    if (*loaded && heap - result->workspaceBytes >= argumentBytes + mebibyte)
      return result;
    result->destroy();
  }
  return createStringError("the program needs more memory than an emulated rank has");
}

llvm::Expected<bool> EmulatedWorld::load(size_t heapBytes, size_t signalBytes, const std::string &manifest,
                                         const std::string &code, const std::vector<int64_t> &greatest) {
  int ranks = worlds.size(), extents = greatest.size();
  if (tilec_emulated_worlds(ranks, heapBytes, signalBytes, worlds.data()) != TILEC_OK)
    return failed("cannot start the emulated ranks");
  for (int rank = 0; rank < ranks; ++rank) {
    tilec_result result =
        tilec_program_load(worlds[rank], manifest.c_str(), code.c_str(), greatest.data(), extents, &programs[rank]);
    if (result == TILEC_OUT_OF_MEMORY)
      return false;
    if (result != TILEC_OK)
      return failed("cannot load the program");
    if (tilec_workspace_bytes(programs[rank], greatest.data(), extents, &workspaceBytes) != TILEC_OK)
      return failed("cannot size the program's scratch");
    result = workspaceBytes ? tilec_heap_alloc(worlds[rank], workspaceBytes, &workspaces[rank]) : TILEC_OK;
    if (result == TILEC_OUT_OF_MEMORY)
      return false;
    if (result != TILEC_OK)
      return failed("cannot allocate the program's scratch");
  }
  return true;
}

void EmulatedWorld::destroy() {
  for (tilec_world *&world : worlds)
    tilec_world_destroy(std::exchange(world, nullptr));
  std::fill(programs.begin(), programs.end(), nullptr);
  std::fill(workspaces.begin(), workspaces.end(), nullptr);
  workspaceBytes = 0;
}

EmulatedWorld::~EmulatedWorld() { destroy(); }

llvm::Expected<char *> EmulatedWorld::allocate(int rank, size_t bytes) {
  void *pointer = nullptr;
  if (tilec_heap_alloc(worlds[rank], bytes, &pointer) != TILEC_OK)
    return failed("cannot allocate an argument");
  return static_cast<char *>(pointer);
}

void EmulatedWorld::poisonWorkspaces() {
  for (void *workspace : workspaces)
    if (workspaceBytes) {
      emulator::host_poison(workspace, workspaceBytes);
      std::memset(workspace, 0xff, workspaceBytes);
    }
}

llvm::Error EmulatedWorld::clearWorkspaces() {
  for (size_t rank = 0; rank < worlds.size(); ++rank)
    if (workspaces[rank] && tilec_workspace_clear(programs[rank], workspaces[rank]) != TILEC_OK)
      return failed("cannot clear the program's persistent scratch");
  return llvm::Error::success();
}

llvm::Error EmulatedWorld::launch(int rank, const std::vector<char *> &arguments, const std::vector<int64_t> &extents) {
  std::vector<void *> pointers(arguments.begin(), arguments.end());
  tilec_result result = tilec_launch(programs[rank], nullptr, pointers.data(), pointers.size(), extents.data(),
                                     extents.size(), workspaces[rank], machine.workgroups);
  return result == TILEC_OK ? llvm::Error::success() : failed("cannot launch");
}

void EmulatedWorld::enqueue(int rank, std::function<void()> action) {
  emulator::enqueue_action(rank, std::move(action));
}

llvm::Error EmulatedWorld::startTraces() {
  constexpr int records = 4096;
  for (tilec_program *program : programs)
    if (tilec_trace_start(program, records) != TILEC_OK)
      return failed("cannot record the launches");
  return llvm::Error::success();
}

llvm::Error EmulatedWorld::saveTraces(const std::string &folder) const {
  for (size_t rank = 0; rank < programs.size(); ++rank)
    if (tilec_trace_save(programs[rank], (folder + "/" + std::to_string(rank) + ".json").c_str()) != TILEC_OK)
      return failed("cannot write what was recorded");
  return llvm::Error::success();
}

/// The rank, and what is there as in "full, copy 1, element 17".
static std::optional<std::pair<int, std::string>> placeIn(const std::vector<void *> &workspaces, size_t workspaceBytes,
                                                          const std::vector<tilec_program *> &programs,
                                                          const void *memory, const std::vector<int64_t> &extents) {
  char text[256];
  for (size_t rank = 0; rank < workspaces.size(); ++rank) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(memory) - reinterpret_cast<uintptr_t>(workspaces[rank]);
    if (workspaces[rank] && offset < workspaceBytes &&
        tilec_workspace_name(programs[rank], extents.data(), extents.size(), offset, text, sizeof(text)) == TILEC_OK)
      return std::pair(static_cast<int>(rank), std::string(text));
  }
  return std::nullopt;
}

std::string EmulatedWorld::nameOfScratch(const void *memory, const std::vector<int64_t> &extents) const {
  auto place = placeIn(workspaces, workspaceBytes, programs, memory, extents);
  return place ? "%" + place->second + ", of rank " + std::to_string(place->first) : "";
}

std::optional<std::pair<int, std::string>> EmulatedWorld::scratchAt(const void *memory,
                                                                    const std::vector<int64_t> &extents) const {
  auto place = placeIn(workspaces, workspaceBytes, programs, memory, extents);
  if (place)
    place->second.resize(std::min(place->second.find(','), place->second.size()));
  return place;
}

std::vector<char> EmulatedWorld::workspace(int rank) const {
  std::vector<char> result(workspaceBytes);
  emulator::host_peek(result.data(), workspaces[rank], result.size());
  return result;
}

std::vector<char> EmulatedWorld::scratchIn(const std::vector<char> &workspace, int rank, const std::string &name,
                                           const std::vector<int64_t> &extents, unsigned launchesAgo,
                                           size_t bytes) const {
  size_t offset = 0;
  if (tilec_workspace_offset(programs[rank], extents.data(), extents.size(), name.c_str(), epoch(rank) - launchesAgo,
                             &offset) != TILEC_OK ||
      offset + bytes > workspace.size())
    return {};
  return {workspace.begin() + static_cast<std::ptrdiff_t>(offset),
          workspace.begin() + static_cast<std::ptrdiff_t>(offset + bytes)};
}

unsigned EmulatedWorld::epoch(int rank) const {
  unsigned epoch = 0;
  return tilec_program_epoch(programs[rank], &epoch) == TILEC_OK ? epoch : 0;
}

llvm::Error EmulatedWorld::synchronize() {
  std::string words;
  for (tilec_world *world : worlds)
    if (tilec_synchronize(world, nullptr) != TILEC_OK && words.empty())
      words = std::string("a launch failed: ") + tilec_last_error();
  if (words.empty())
    return llvm::Error::success();
  llvm::StringRef report = llvm::StringRef(emulator::report()).rtrim();
  if (!report.empty())
    words += "\n" + report.str();
  return createStringError(words);
}
