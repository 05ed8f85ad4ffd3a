// What emulated device code asks of the emulator. Hooks for the device headers' emulated twins, and the knobs of the
// emulator for hosts and tests. The HIP API itself is in the stand-in <hip/hip_runtime.h>; meanings of matrix
// instructions, layouts and signals are in the device headers.
#ifndef TILEC_EMULATED_H
#define TILEC_EMULATED_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tilec {
struct Failure;
}

namespace tilec::emulator {

struct Index {
  unsigned x = 1, y = 1, z = 1;
};

/// What a copy engine is asked for in a stream (a hipStream_t): `rows` rows of `bytes`, which lie pitches apart, in
/// pieces between which everything else goes on; and a copy of a word to that of a signal. Return a hipError_t.
int copy_by_engine(void *into, size_t into_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows,
                   void *stream);
int signal_by_engine(void *word, const void *from, void *stream);
/// Waits until a word has counted so far, and sets it to 0.
int take_by_engine(void *word, unsigned count, void *stream);
/// Waits until a word has counted so far.
int await_by_stream(const void *word, unsigned count, void *stream);

/// What every lane of one workgroup shares.
struct GroupPlace {
  Index block, grid, threads;
  int waves = 0;
  int device = 0;
  int ldsBytes = 0;
  char *lds = nullptr;
};

/// Where a lane stands. `here` is the running lane's; null outside kernels.
struct Place {
  Index thread;
  int lane = 0; ///< in its wave
  int wave = 0; ///< in its workgroup
  const GroupPlace *group = nullptr;
  unsigned inFlight = 0; ///< copies to LDS that it issued and that have not landed
  bool watched = false;  ///< its stores to LDS may be read, or overwritten, by copies and products that run beside it
};
extern Place *here;

/// True in the modes that interrupt lanes where a real device might: device headers call `interleave` beside each
/// atomic, each store others may see and each load of such memory; never inside a polling loop, where `pause` does it.
extern bool adversarial;
/// True when memory is weak: a workgroup sees bytes as they were when it first read them, until it acquires, and shows
/// what it wrote only when it releases; `system` says whether that goes beyond its device. A kernel's start acquires
/// and its end releases at the scope of its device; where the host or a copy waits, it is that of the system. Device
/// headers read and write global memory through the functions below, and call `bypass` before an atomic access, saying
/// whether it also changes what it reads.
extern bool weak;
/// True when accesses are checked for races (`Options::race`).
extern bool racing;
/// One of the last two: accesses take the long way.
extern bool observed;

/// Where the running lane stands and the modes of the machine; nothing of it changes while a lane lives. `device` is
/// the emulated device the lane runs on, `lds` this workgroup's dynamic LDS, 1024-byte aligned, every byte of it 0xff
/// when the workgroup starts, which is NaN in every float type.
#define TILEC_ANSWERS(ANSWER)                                                                                          \
  ANSWER(int, lane, here->lane)                                                                                        \
  ANSWER(int, wave, here->wave)                                                                                        \
  ANSWER(int, waves, here->group->waves)                                                                               \
  ANSWER(int, device, here->group->device)                                                                             \
  ANSWER(void *, lds, here->group->lds)                                                                                \
  ANSWER(int, lds_bytes, here->group->ldsBytes)                                                                        \
  ANSWER(Index, threadOf, here->thread)                                                                                \
  ANSWER(Index, blockOf, here->group->block)                                                                           \
  ANSWER(Index, threadsOf, here->group->threads)                                                                       \
  ANSWER(Index, gridOf, here->group->grid)                                                                             \
  ANSWER(bool, isAdversarial, adversarial)                                                                             \
  ANSWER(bool, isWeak, weak)                                                                                           \
  ANSWER(bool, isRacing, racing)                                                                                       \
  ANSWER(bool, isObserved, observed)
#if defined(__has_feature) && __has_feature(thread_sanitizer)
// By calls, which may be merged: instrumentation would have each of these looks at memory checked, and lanes do little
// else.
#define TILEC_ANSWER(type, name, value)                                                                                \
  [[gnu::const]] type name##Called();                                                                                  \
  inline type name() { return name##Called(); }
#else
#define TILEC_ANSWER(type, name, value)                                                                                \
  inline type name() { return value; }
#endif
TILEC_ANSWERS(TILEC_ANSWER)
#undef TILEC_ANSWER

/// Copies `bytes` (16 at most) from global memory to LDS, zeros where `from` is null: source and target are accessed at
/// any time between now and the wait, as Options::landing says.
void copyToLds(void *lds, const void *from, std::size_t bytes);
/// Returns when at most `left` of the accesses to global memory that the running lane issued have not completed. They
/// complete in their order, copies and others alike.
void awaitCopies(int left);
/// Counts an access to global memory of the running lane, which only its copies in flight ask for.
void countIssued();

/// Returns when every live wave of the workgroup arrived. A wave arrives when all its live lanes did.
void barrier();
/// The same for `waves` waves meeting at barrier `id` in [1, 15]; all of them name the same count.
void barrier(int id, int waves);

/// `in` and `out` hold one pointer per lane; `lanes` is the wave's size.
using Compute = void(const void *const *in, void *const *out, int lanes, void *extra);
/// Every lane of the wave deposits its pointers; the last one to come runs `compute` once, with its own `extra`; then
/// all return. All lanes must name the same `compute`.
void wave_collective([[clang::noescape]] const void *in, [[clang::noescape]] void *out, Compute *compute, void *extra);
/// A value that must be the same in all lanes of the wave that come here between two meetings of the wave: a fault
/// where it is not. Lanes that do not come (a branch of lane 0 alone) are not asked, and nobody waits. `line`: of the
/// caller, whose functions may not have been inlined.
void uniform(unsigned long long value, int line);
/// Returns when every lane of the wave is here: what each has drained is then the wave's to release.
void meet_wave();

/// Lets others run. Called once per turn of a polling loop; a lane that does nothing but pause counts as stuck, so a
/// loop that waits for memory must contain it and a loop that works must not rely on it.
void pause();

/// Where races are looked for, lets the other workgroups have a turn. Called by the lane that has drawn a task: else
/// the first workgroup would draw all of them before another runs, and its tasks are ordered. Elsewhere it does
/// nothing, as a run takes up to half as long again when the stacks of all workgroups are in use.
void giveWay();

/// What a polling lane waits for.
struct Polling {
  const char *name = nullptr;    ///< of the signal grid; null: found by `program` and `signal`, see name_signals
  unsigned long long signal = 0; ///< byte offset of the grid in the program's signal area
  int index[8] = {};             ///< of the signal in the grid, its first dimensions
  int dimensions = 8;            ///< of the grid
  int rank = 0;                  ///< who waits
  unsigned wanted = 0, seen = 0, program = 0, epoch = 0;
  Failure *failure = nullptr; ///< set on deadlock, so that the wait falls through
};
/// Says what the next `pause` is for. After it the wait must look at `failure->set` and return when that is not 0.
void polling([[clang::noescape]] const Polling &what);

void interleaveNow();
inline void interleave() {
  if (isAdversarial())
    interleaveNow();
}

/// The lane's own side does not escape, so that what it keeps there is in registers or, at least, not looked at.
void readObserved([[clang::noescape]] void *to, const void *from, std::size_t bytes);
void writeObserved(void *to, [[clang::noescape]] const void *from, std::size_t bytes);
void readLdsObserved([[clang::noescape]] void *to, const void *from, std::size_t bytes);
void writeLdsObserved(void *to, [[clang::noescape]] const void *from, std::size_t bytes);
/// A store to LDS by a lane that is `watched`.
void noteStore(const void *to, std::size_t bytes);
/// An acquire by such a lane.
void noteAcquire();
void drainObserved();
void releaseObserved(bool system);
void acquireObserved(bool system);
void releaseToChipletObserved();
void acquireOfChipletObserved();
void bypassWeak(const void *address, std::size_t bytes, bool changes);
inline void read(void *to, const void *from, std::size_t bytes) {
  if (__builtin_expect(isObserved(), false))
    return readObserved(to, from, bytes);
  if (__builtin_expect(here->inFlight != 0, false))
    countIssued();
  __builtin_memcpy(to, from, bytes);
}
inline void write(void *to, const void *from, std::size_t bytes) {
  if (__builtin_expect(isObserved(), false))
    return writeObserved(to, from, bytes);
  if (__builtin_expect(here->inFlight != 0, false))
    countIssued();
  __builtin_memcpy(to, from, bytes);
}
/// The same for a pointer that no kernel writes, so that no access to it can race.
char *readConstant(char *const *from);
/// The same for LDS.
inline void readLds(void *to, const void *from, std::size_t bytes) {
  if (__builtin_expect(isRacing(), false))
    return readLdsObserved(to, from, bytes);
  __builtin_memcpy(to, from, bytes);
}
inline void writeLds(void *to, const void *from, std::size_t bytes) {
  if (__builtin_expect(isRacing(), false))
    return writeLdsObserved(to, from, bytes);
  if (__builtin_expect(here->watched, false))
    noteStore(to, bytes);
  __builtin_memcpy(to, from, bytes);
}
/// The running lane waits until the stores it issued have completed.
inline void drain() {
  if (isObserved())
    drainObserved();
}
/// What the machine that emulates needs, as another process runs on another core. Not inline: in text that is compiled
/// for the race check a fence is one of the text's own, of system scope, and would hide that the text's are too narrow.
void fenceOfRelease();
void fenceOfAcquire();
inline void release(bool system) {
  if (isObserved())
    releaseObserved(system);
  fenceOfRelease();
}
inline void acquire(bool system) {
  fenceOfAcquire();
  if (__builtin_expect(here->watched, false))
    noteAcquire();
  if (isObserved())
    acquireObserved(system);
}
/// The chiplet of the running lane's workgroup.
int chiplet();
/// What the running lane released goes as far as the cache of its chiplet: a lane there that acquires it releases it
/// further with what is its own. On a machine without caches of chiplets it is released to the device.
inline void release_to_chiplet() {
  if (isObserved())
    releaseToChipletObserved();
  fenceOfRelease();
}
inline void acquire_of_chiplet() {
  fenceOfAcquire();
  if (isObserved())
    acquireOfChipletObserved();
}
inline void bypass(const void *address, std::size_t bytes, bool changes = false) {
  if (isWeak())
    bypassWeak(address, bytes, changes);
}
/// The scope of the atomic accesses of the running lane that follow: the device, or all of them.
void atScopeObserved(bool system);
inline void atScope(bool system) {
  if (isRacing())
    atScopeObserved(system);
}
/// In weak memory with a seed an atomic store of 4 or 8 bytes arrives late, after those that its lane issued later
/// elsewhere perhaps. True: it is on its way.
void storeLater(void *to, [[clang::noescape]] const void *value, std::size_t bytes);
inline bool delay(void *to, const void *value, std::size_t bytes) {
  if (!isWeak() || !isAdversarial() || (bytes != 4 && bytes != 8))
    return false;
  storeLater(to, value, bytes);
  return true;
}

/// The running lane has waited until a word that only rises reached `wanted`; called behind the load that saw it. The
/// race check then counts on no more than was waited for.
void satisfiedObserved(const void *word, unsigned wanted);
inline void satisfied(const void *word, unsigned wanted) {
  if (isRacing())
    satisfiedObserved(word, wanted);
}
/// The running lane posts a word, or has taken one that was posted: it knows then what was done, and released at system
/// scope, before the kernel of who posted it, and nothing else.
void postedObserved(const void *word);
void takenObserved(const void *word);
inline void posted(const void *word) {
  if (isRacing())
    postedObserved(word);
}
inline void taken(const void *word) {
  if (isRacing())
    takenObserved(word);
}
/// The running lane did what no kernel may; the launch fails and `report` says why.
void fault(const std::string &what);

/// Enqueues a grid on a hipStream_t (null: the current device's default stream); `lane` runs once per lane. Returns a
/// hipError_t. The work runs when somebody synchronises. With `pairs` workgroups 2 n and 2 n + 1 are there together.
int launch(std::function<void()> lane, Index grid, Index block, int ldsBytes, void *stream, bool pairs = false);

/// When an asynchronous copy reads its source and writes its target: where it is awaited, where it is issued, or, for
/// each copy as the seed says, both early, both late, or read early and written late.
enum class Landing { Latest, Earliest, Seeded };

/// The emulated machine. `configure` fails (returns false) while work is queued. Before the first use of a device the
/// environment variable TILEC_EMULATOR, such as "devices=4,compute_units=8,seed=3", replaces the defaults.
struct Options {
  int devices = 8;
  int computeUnits = 4;      ///< per device
  int resident = 1;          ///< workgroups a compute unit holds
  int waveLanes = 64;        ///< 64 on AMD, 32 on NVIDIA
  int ldsBytes = 160 * 1024; ///< the most a workgroup may ask for
  bool oneCache = false;     ///< of a device's units, in which others find its memory; else each chiplet has its own
  int chiplets = 1;          ///< with a cache of their own between workgroups and device; 1: there is none
  std::uint64_t seed = 0;    ///< 0: first come, first served; else a random order that the seed reproduces
  bool skewed = false;       ///< one device runs alone, launch after launch, until it cannot go on; then another
  bool weak = false;         ///< see `weak` above
  /// Accesses are checked for races. What reads and writes memory must be compiled with -fsanitize=thread (and not
  /// linked with that sanitizer's runtime): its atomics are seen by nothing else.
  /// At most 3125 workgroups may be resident then, on all devices together.
  bool race = false;
  Landing landing = Landing::Latest;
  int stalledRounds = 1000; ///< rounds in which every lane only paused before it is called a deadlock
};
bool configure(const Options &options);
const Options &options();

/// Adds to the number of worlds whose other ranks are processes of their own. While there is one, lanes that only poll
/// may be waiting for another process: the machine then yields its core, and only deadlines end such waits.
void othersTakePart(int change);

/// The clock of deadlines. It stands still while every rank lives in this process: a wait that nothing will satisfy is
/// then found exactly, however slow the machine, and one that something will satisfy has all the time it takes.
unsigned long long nanoseconds();

/// How to name a signal whose wait gave none; it may also correct `dimensions`. An empty answer prints the offset.
void name_signals(std::function<std::string(Polling &)> namer);

/// The last deadlock or fault in words, one line per stuck wave; empty when there was none since `clear_report`.
const std::string &report();
void clear_report();

/// Races found since `configure`, in words: both accesses, in the order in which they ran.
const std::vector<std::string> &races();
/// Reads of what nobody wrote (`host_poison`) that are no races, as there is an excuse for the byte: an answer that is
/// not empty, and stands behind the report. One for each place in code.
const std::vector<std::string> &excused_reads();
void excuse_unwritten(std::function<std::string(const void *)> excuse);
/// In words the last write to a byte of device memory; empty when nothing is known of it.
std::string last_writer(const void *memory);
/// How reports call a byte of device memory and a place in code (a return address); an empty answer prints the address.
void name_memory(std::function<std::string(const void *)> namer);
void name_places(std::function<std::string(const void *)> namer);
/// How reports call the launches that follow.
void name_launches(std::string name);
/// Runs `action` when everything before it in the device's default stream is done; what is put into the stream later
/// waits for it. It stands for a kernel of the application: inside, `host_read` and `host_write` copy from and to
/// device memory as the device sees it, and what they write is released to the device alone.
void enqueue_action(int device, std::function<void()> action);
void host_read(void *to, const void *from, std::size_t bytes);
void host_write(void *to, const void *from, std::size_t bytes);
/// The same as `host_read` for who watches and is no part of the application: no access, so that nothing races with it.
void host_peek(void *to, const void *from, std::size_t bytes);
/// Says what code of the application reads or writes itself, in memory.
void host_access(const void *memory, std::size_t bytes, bool write);
/// The same for bytes that nobody may read before they are written again: the race check reports who does.
void host_poison(const void *memory, std::size_t bytes);

/// Counts since the process started; for tests and measurements.
struct Counts {
  std::uint64_t launches = 0, workgroups = 0, switches = 0;
  std::uint64_t releases = 0;  ///< at the scope of a device or wider, where memory is weak or races are looked for
  int mostResident = 0;        ///< most workgroups on one device at a time since `configure`
  std::uint64_t orderHash = 0; ///< of the sequence in which workgroups ran, since `configure`
};
const Counts &counts();

} // namespace tilec::emulator

#endif // TILEC_EMULATED_H
