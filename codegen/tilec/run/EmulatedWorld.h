// All ranks of one world on the emulator, with one program loaded: memory, launches and failures in words.
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

struct tilec_world;
struct tilec_program;

namespace tilec {

/// When copies to LDS that pass no register land: where they are awaited, where they are issued, or as the seed says.
enum class CopyLanding { Latest, Earliest, Seeded };

/// The emulated machine.
struct EmulatedMachine {
  uint64_t orderSeed = 0; ///< 0: workgroups run first come, first served; else in a random order that the seed repeats
  int computeUnits = 4;   ///< per device
  bool grows = false;     ///< more compute units where a kernel must have more workgroups resident
  int resident = 1;       ///< workgroups a compute unit holds
  int workgroups = 0;     ///< per kernel; 0: as many as are resident and have tasks
  int chiplets = 1;       ///< of a GPU, each with a cache
  bool oneCache = false;  ///< of a GPU's units: the target has one chiplet
  int waveLanes = 0;      ///< of the target that the text is for; the code must be compiled for as many (TextCache.h)
  int ldsBytes = 0;       ///< of a compute unit, of that target; 0: the emulator's
  bool weak = false;      ///< workgroups see memory as they first read it until they acquire; stores drain late
  bool race = false;      ///< accesses are checked for races; the code must be compiled for it (TextCache.h)
  CopyLanding landing = CopyLanding::Latest;
  bool skewed = false; ///< one rank runs through all its queued launches until it cannot go on; then another
};

/// Errors hold the runtime's words, and the emulator's report of stuck waits.
class EmulatedWorld {
public:
  /// Starts `ranks` ranks whose heaps hold `argumentBytes` beside the program's workspace, and loads the program into
  /// each. `greatest` holds the greatest value of every extent in any launch.
  static llvm::Expected<std::unique_ptr<EmulatedWorld>> start(int ranks, size_t argumentBytes,
                                                              const std::string &manifest, const std::string &code,
                                                              std::vector<int64_t> greatest,
                                                              const EmulatedMachine &machine);
  ~EmulatedWorld();
  EmulatedWorld(const EmulatedWorld &) = delete;
  EmulatedWorld &operator=(const EmulatedWorld &) = delete;

  /// Symmetric memory: every rank asks for the same sizes in the same order.
  llvm::Expected<char *> allocate(int rank, size_t bytes);
  /// Fills the scratch of every rank with ones, which is NaN in every float type. Nothing may be queued. The
  /// race check reports who reads it before it is written.
  void poisonWorkspaces();
  /// Whether a launch finds in its scratch what the one before has left: some of it is persistent.
  bool keepsScratch() const { return isPersistent; }
  /// Persistent scratch is zero again.
  llvm::Error clearWorkspaces();
  /// Queues one launch on one rank; `arguments` in the order of the program.
  llvm::Error launch(int rank, const std::vector<char *> &arguments, const std::vector<int64_t> &extents);
  /// Queues an action of the application between the launches of one rank.
  void enqueue(int rank, std::function<void()> action);
  /// What lies in a rank's scratch at an address, as in "%full, copy 1, element 17, of rank 2"; empty when it is none.
  /// `extents` are those of the launch.
  std::string nameOfScratch(const void *memory, const std::vector<int64_t> &extents) const;
  /// The rank and the name of the alloc in whose scratch an address lies, if it is one.
  std::optional<std::pair<int, std::string>> scratchAt(const void *memory, const std::vector<int64_t> &extents) const;
  /// All scratch of a rank as its device sees it, in actions too; no access of anybody.
  std::vector<char> workspace(int rank) const;
  /// What a launch with these extents left of a scratch buffer in a copy of the workspace: `bytes` bytes from its first
  /// element, of the copy that it used. `launchesAgo`: how many launches with tasks came after it.
  std::vector<char> scratchIn(const std::vector<char> &workspace, int rank, const std::string &name,
                              const std::vector<int64_t> &extents, unsigned launchesAgo, size_t bytes) const;
  /// Launches record what they do from now on.
  llvm::Error startTraces();
  /// Writes what each rank recorded to RANK.json in a folder.
  llvm::Error saveTraces(const std::string &folder) const;
  /// Runs what is queued on all ranks.
  llvm::Error synchronize();
  /// Launches that the device has counted on a rank.
  unsigned epoch(int rank) const;

private:
  EmulatedWorld(int ranks, const EmulatedMachine &machine)
      : machine(machine), worlds(ranks), programs(ranks), workspaces(ranks) {}
  /// False when the heap or the signal mapping was too small.
  llvm::Expected<bool> load(size_t heapBytes, size_t signalBytes, const std::string &manifest, const std::string &code,
                            const std::vector<int64_t> &greatest);
  void destroy();

  EmulatedMachine machine;
  std::vector<tilec_world *> worlds;
  std::vector<tilec_program *> programs;
  std::vector<void *> workspaces;
  size_t workspaceBytes = 0;
  bool isPersistent = false;
};

} // namespace tilec
