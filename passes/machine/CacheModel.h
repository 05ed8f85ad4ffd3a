// Replays an order of workgroups against the caches of a machine, at the level of tile accesses.
// Belongs here: hit rates and the bandwidth they allow. Does not: orders themselves, or which one to choose.
#ifndef TILEC_PASSES_MACHINE_CACHEMODEL_H
#define TILEC_PASSES_MACHINE_CACHEMODEL_H

#include "passes/machine/Target.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec {

/// The caches as the model sees them.
struct CacheMachine {
  int64_t chiplets = 1;
  int64_t slots = 1; ///< workgroups that one chiplet holds at once
  int64_t chipletBytes = 0, chipletWays = 16;
  int64_t lastBytes = 0, lastWays = 16;
  /// GB/s of all chiplet caches together, of the last cache, of memory.
  double chipletGbPerSecond = 0, lastGbPerSecond = 0, memoryGbPerSecond = 0;
  double efficiency = 1; ///< measured over predicted rate

  /// From a target, for kernels of which `resident` workgroups fit one unit.
  static CacheMachine of(const Target &target, int64_t resident);
};

/// A read of a whole tile of some buffer.
struct TileAccess {
  uint64_t tile; ///< identity, unique over all buffers and tiles
  int64_t bytes;
};

/// What runs: tasks of steps; the accesses of one step are made at once.
struct CacheWorkload {
  int64_t steps = 0; ///< of every task
  llvm::function_ref<void(int64_t task, int64_t step, llvm::SmallVectorImpl<TileAccess> &accesses)> accesses;
};

struct CacheOptions {
  /// Bytes that are tracked as one. The caches shrink by the same factor in sets, which keeps the statistics of a
  /// hashed set-associative cache; larger is faster and coarser.
  int64_t granule = 8192;
  /// Workgroups start up to this many steps late, and stall for a step with this probability. Zero is lockstep, the
  /// default: workgroups that share tiles pull each other together. Deterministic.
  int64_t driftSteps = 0;
  double jitter = 0;
};

/// What a replay saw, in bytes.
struct CacheReport {
  double bytes = 0;       ///< requested by workgroups
  double chipletHits = 0; ///< found in the cache of their chiplet, or on the way there (hit-on-miss)
  double lastHits = 0;    ///< found in the last cache
  double memoryBytes = 0; ///< from memory
  double gbPerSecond = 0; ///< predicted rate at which requests are served
  double seconds = 0;     ///< predicted time of the reads alone

  double chipletRate() const { return bytes ? chipletHits / bytes : 0; }
  /// Of what missed the chiplet's cache.
  double lastRate() const { return bytes > chipletHits ? lastHits / (bytes - chipletHits) : 0; }
};

/// Replays `order` (workgroup number -> task; workgroup w runs on chiplet w mod chiplets, in rising order). Caches are
/// cold, least recently used, hashed. The rate is the reciprocal of the mean time of a byte, sum of fraction / rate of
/// the level that serves it: unlike a roofline it also ranks orders of which no level is saturated.
CacheReport replay(llvm::ArrayRef<int64_t> order, const CacheWorkload &workload, const CacheMachine &machine,
                   const CacheOptions &options = {});

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_CACHEMODEL_H
