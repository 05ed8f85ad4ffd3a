// One program loaded into one rank. Its manifest, code, state and signal words. Enqueuing it is Launch's.
#ifndef TILEC_HOST_PROGRAM_H
#define TILEC_HOST_PROGRAM_H

#include "host/EngineStream.h"
#include "host/Manifest.h"
#include "host/Trace.h"
#include "host/World.h"

struct tilec_program {
  /// Takes `code`, a handle of dlopen or null. Throws Error.
  tilec_program(tilec_world &world, tilec::host::Manifest manifest, tilec_launch_function launch, void *code,
                const std::int64_t *maxExtents, int count);
  ~tilec_program();
  tilec_program(const tilec_program &) = delete;

  static tilec_program *load(tilec_world &world, const char *manifestPath, const char *codePath,
                             const std::int64_t *maxExtents, int count);
  static tilec_program *link(tilec_world &world, const char *manifestText, tilec_launch_function launch,
                             const std::int64_t *maxExtents, int count);

  /// The values of the manifest's names; throws Error(TILEC_BAD_EXTENTS).
  std::vector<std::int64_t> values(const std::int64_t *extents, int count) const;
  /// The grid at a byte offset of the signal area; null when there is none.
  const tilec::host::Signal *signalAt(std::uint64_t offset) const;
  /// Workgroups of a kernel that the device holds at once, by what its runtime says of the compiled code.
  int capacity(const tilec::host::Kernel &kernel) const;
  unsigned epoch() const;
  /// Zeroes persistent scratch, which belongs to this workspace from then on.
  void clearWorkspace(void *workspace);
  /// Whether persistent scratch has any bytes for the greatest extents.
  bool keepsScratch() const;
  /// Throws Error(TILEC_REFUSED) where persistent scratch was not zeroed, here or on a rank of this process.
  void requireCleared(const void *workspace) const;

  tilec_world &world;
  const tilec::host::Manifest manifest;
  const tilec_launch_function launch;
  std::vector<std::int64_t> maxExtents, maxValues;
  unsigned number = 0;           ///< in the world
  unsigned launches = 0;         ///< enqueued since the world was made or reset
  const void *cleared = nullptr; ///< the workspace whose persistent scratch was zeroed since then
  tilec::LaunchState *state = nullptr;
  std::unique_ptr<tilec::host::Trace> trace;         ///< null: launches record nothing
  std::unique_ptr<tilec::host::EngineStream> engine; ///< null: nothing is the copy engine's
  char **tables = nullptr; ///< device memory: heap bases, then this program's signal areas, `size` each

private:
  void measureOccupancy();
  void checkDevice() const;
  void makeTables(size_t signalOffset);
  void *code;
  std::vector<int> occupancy; ///< per kernel: workgroups that a compute unit holds
};

#endif // TILEC_HOST_PROGRAM_H
