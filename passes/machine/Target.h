// A machine as the passes know it: the numbers of codegen/targets/*.json.
// Belongs here: reading and finding target files. Does not: any number of a machine, any decision from one.
#ifndef TILEC_PASSES_MACHINE_TARGET_H
#define TILEC_PASSES_MACHINE_TARGET_H

#include "passes/machine/BankConflicts.h"
#include "passes/machine/MatrixInstruction.h"

namespace tilec {

/// LDS buffers begin at a multiple of so many bytes.
inline constexpr int64_t kSharedAlignment = 128;

/// One cache level.
struct CacheLevel {
  int64_t bytes = 0, lineBytes = 0, ways = 0;
  double bytesPerClock = 0; ///< of one instance; 0 when not given
  double gbPerSecond = 0;   ///< of one instance (1e9 bytes); 0 when not given
  int64_t sectorBytes = 0;  ///< of a line, moved by themselves; 0 when not given
};

/// What share of the target's peak rates kernels reach.
struct ReachedShares {
  double matrix = 0, memory = 0, caches = 0;
  double registers = 0;      ///< that tiles may take where steps of a loop overlap; the rest is for addresses
  double ahead = 0;          ///< the same where a step begins in the one before it, which holds more of both
  double push = 0, pull = 0; ///< of the links: stores to, and loads from other ranks
  double kept = 0;           ///< of the last cache, that bytes which are read twice may fill to be found there again
  double missed = 0;         ///< of the bytes that tasks read, that reaches memory: caches have the rest
};

/// What costs time beside bytes and products.
struct TargetTimes {
  double launchMicroseconds = 0;  ///< one more kernel on a stream
  double flagMicroseconds = 0;    ///< from a flag's store to its sight by a wait of another rank
  double releaseMicroseconds = 0; ///< of the workgroup that signals
  double countMicroseconds = 0;   ///< of one that counts by chiplet in its place
  double lookMicroseconds = 0;    ///< a wait for what is there already
  double loadClocks = 0;          ///< a load that misses the chiplet's cache
  double missedClocks = 0;        ///< a copy that no cache has, while memory is busy
  double barrierClocks = 0;       ///< a barrier and the first reads from LDS behind it
  double stepClocks = 0;          ///< what a step of a loop through slots loses where its waves meet
  double issueClocks = 0;         ///< of a SIMD, from an instruction of its waves to the next
  double exchangeClocks = 0;      ///< until the value of another lane has been combined
  double stalled = 0;             ///< share of what should overlap that does not
  double meeting =
      0; ///< of a flag's way, what ranks that meet at a launch's end wait beyond the waits that are counted
};

/// Instructions of a wave for parts of a text, as the device compiler makes them.
struct TextInstructions {
  double task = 0;       ///< the loop over tasks
  double access = 0;     ///< a load or a store with its place and its mask, of the widest access of a lane
  double function = 0;   ///< of an element
  double element = 0;    ///< arithmetic on one, where two are computed at once
  double exchange = 0;   ///< a step of a reduction over lanes
  double reduction = 0;  ///< of the lanes that share a row, where a loop over rows reduces
  double step = 0;       ///< of a loop over the depth: where its waves meet, its counters and branches
  double stepAccess = 0; ///< an access of that loop, whose places differ by a constant from step to step
};

/// Slots of LDS that what is sent passes through.
struct RelaySlots {
  int64_t count = 0, bytes = 0; ///< at most so many, of so many bytes
};

/// Waves that fill slots for others; none where the machine has nothing that they would fill them with.
struct ProducerWaves {
  int64_t waves = 0;
  int64_t registers = 0; ///< of a lane, that it goes on with
  /// Of a lane of those for whom slots are filled, what they need beside sums and results.
  int64_t consumerRegisters = 0;
  /// Of a lane that draws tasks too or may send tiles, and of one that waits for others besides.
  int64_t drawingRegisters = 0, pollingRegisters = 0;
  /// Of a lane of those that multiply, for addresses and counters beside sums.
  int64_t addressRegisters = 0;
  /// At most so many slots; and where units without a task leave memory to those that have one.
  int64_t slots = 0, fewSlots = 0;
  /// Workgroups that may be resident together and copy to each other; less than 2: none.
  int64_t together = 0;
  /// Of a workgroup that sends tiles, of a wave that sends them beside those that multiply, and of one that sends what
  /// these have stored.
  RelaySlots relay, beside, sent;
};

/// Who makes code of a text: clang for GPUs of AMD's, nvcc for those of NVIDIA's.
enum class DeviceCompiler { Clang, Nvcc };

/// What is compiled for where nobody says it; and where GPUs of this machine are to run it, which takes nvcc's.
constexpr const char *kDefaultTarget = "gfx942", *kDefaultDeviceTarget = "sm_90a";

struct Target {
  std::string name;                                ///< of the file: gfx942-mi325x
  std::string arch;                                ///< for the device compiler: gfx942
  DeviceCompiler compiler = DeviceCompiler::Clang; ///< of its texts
  std::string product;                             ///< MI325X
  std::vector<std::string> similarProducts;        ///< have no file of their own and take this one

  int64_t chiplets = 0;        ///< dies with an L2 of their own
  int64_t unitsPerChiplet = 0; ///< compute units (SMs)
  int64_t clockMhz = 0;        ///< peak
  int64_t waveLanes = 0;
  int64_t simdsPerUnit = 0;
  int64_t maxWavesPerSimd = 0;
  int64_t registersPerLane = 0; ///< 32-bit, for one wave alone on its SIMD
  int64_t mostRegisters = 0;    ///< of a lane, that instructions compute with
  int64_t registerStep = 0;     ///< they are given away and taken in steps of so many

  SharedMemory lds;
  ProducerWaves producer;
  bool stridedRows = false;  ///< tasks whose waves meet nowhere are dealt out by number where they reduce
  int64_t receivedBytes = 0; ///< of a thread, for tiles of other ranks that it asks for at once; 0: for none
  CacheLevel vectorCache;    ///< one per unit
  CacheLevel chipletCache;   ///< one per chiplet
  CacheLevel lastCache;      ///< one per device
  double memoryGb = 0, memoryGbPerSecond = 0;
  int64_t links = 0;            ///< to peers
  bool linksSwitched = false;   ///< each leads to every peer, by a switch; else a link leads to one of them
  double linkGbPerSecond = 0;   ///< of one link, one direction
  double besideGbPerSecond = 0; ///< sent by a wave of each workgroup, for which products lose a second; 0: by none
  int64_t besideLeastRowBytes = 0, besideMostRowBytes = 0; ///< of rows that such a wave sends
  int64_t besideLeastRows = 0;                             ///< of a task of it
  double workgroupGbPerSecond = 0;    ///< that one workgroup copies, to a peer or not; 0: as much as there is
  double engineGbPerSecond = 0;       ///< of the copy engine, to peers; 0: not known, and not chosen
  double engineBesideGbPerSecond = 0; ///< that it sends for each second that products lose by it
  double engineMicroseconds = 0;      ///< of a copy, before its first byte, with its signal
  double engineTurnMicroseconds = 0;  ///< of a copy to another rank than the one before, in addition to its bytes
  double engineBeginMicroseconds =
      0;                            ///< of a launch with copies, for the wait before the first and that behind the last
  double sentBesideGbPerSecond = 0; ///< as `engineBesideGbPerSecond`, of what the tasks beside have stored at home
  ReachedShares reached;
  TargetTimes times;
  TextInstructions instructions;
  std::vector<MatrixInstructionInfo> matrix;
  std::vector<std::pair<std::string, std::string>> sources; ///< field -> where its number comes from

  int64_t units() const { return chiplets * unitsPerChiplet; }

  /// Waves of a SIMD whose kernel uses `registers` a lane: min(max waves, registers / register count in whole steps).
  int64_t wavesPerSimd(int64_t registers) const;
};

/// Parses a target. On failure returns nothing and says in `error` which field is missing or malformed, with `file` in
/// front. Unknown fields are errors: a misspelt optional field must not be ignored.
std::optional<Target> parseTarget(llvm::StringRef json, llvm::StringRef file, std::string &error);

/// The folders searched for target files, first first: those in the environment variable TILEC_TARGETS (separated as in
/// PATH), then share/tilec/targets beside the folder of the program. `program` is the path of the running executable.
std::vector<std::string> targetFolders(llvm::StringRef program);

/// The names of all targets in these folders, in alphabetical order.
std::vector<std::string> targetNames(llvm::ArrayRef<std::string> folders);

/// The name of the target that is of a product, whatever the case of its letters; empty where none is.
std::string targetOfProduct(llvm::StringRef product, llvm::ArrayRef<std::string> folders);

/// Loads a target by name from the first folder that has <name>.json, or by path when `name` ends in .json.
std::optional<Target> loadTarget(llvm::StringRef name, llvm::ArrayRef<std::string> folders, std::string &error);

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_TARGET_H
