// One rank: its mappings, heap and failure record.
#include "host/World.h"
#include "host/Environment.h"
#include "host/Program.h"
#include "tilec/constants.h"
#include <algorithm>
#include <cstring>
#include <hip/hip_runtime.h>

using namespace tilec;
using namespace tilec::host;

namespace {

// Uncached: a flag must not stay in the L2 of the GPU that polls it. HIP before 5.5 has fine-grained memory alone.
#ifdef hipDeviceMallocUncached
constexpr unsigned signalMemory = hipDeviceMallocUncached;
#else
constexpr unsigned signalMemory = hipDeviceMallocFinegrained;
#endif

constexpr unsigned long long defaultDeadline = 60ull * 1000 * 1000 * 1000;

/// Lets the current device address memory of `peer`.
void openPeer(int peer) {
  const hipError_t error = hipDeviceEnablePeerAccess(peer, 0);
  if (error != hipErrorPeerAccessAlreadyEnabled)
    check(error, "opening a peer's memory");
}

/// Groups that live, for joining and for the emulator's report.
std::vector<std::weak_ptr<Group>> jobs;

std::shared_ptr<Group> groupOf(const std::string &job, int size, size_t heapBytes, size_t signalBytes) {
  std::erase_if(jobs, [](const auto &known) { return known.expired(); });
  for (const auto &known : jobs) {
    auto group = known.lock();
    if (group->job != job || group->lost >= 0)
      continue;
    require(group->size == size && group->heapBytes == heapBytes && group->signalBytes == signalBytes,
            TILEC_INVALID_ARGUMENT, "the ranks of job '" + job + "' disagree about its size or its mappings' bytes");
    return group;
  }
  auto group = std::make_shared<Group>();
  group->job = job;
  group->size = size;
  group->heapBytes = heapBytes;
  group->signalBytes = signalBytes;
  group->members.resize(size);
  group->heapBases.resize(size);
  group->signalBases.resize(size);
  jobs.push_back(group);
  return group;
}

/// What pointers can address and count.
constexpr size_t mostBytes = size_t(PTRDIFF_MAX) / Heap::alignment * Heap::alignment;

void requireBytes(size_t bytes, const char *what) {
  require(bytes <= mostBytes, TILEC_INVALID_ARGUMENT,
          std::string(what) + " is " + std::to_string(bytes) + ", expected at most " + std::to_string(mostBytes));
}

size_t rounded(size_t bytes, const char *what) {
  requireBytes(bytes, what);
  return (std::max<size_t>(bytes, 1) + Heap::alignment - 1) / Heap::alignment * Heap::alignment;
}

/// The mappings of adopted memory: each where pointers reach, no two with a byte in common.
void requireMappings(int size, void *const *bases, size_t bytes, void *const *signalBases, size_t signalBytes) {
  struct Range {
    std::uintptr_t start;
    size_t bytes;
    std::string name;
  };
  std::vector<Range> ranges;
  const auto add = [&](void *base, size_t length, const std::string &name) {
    const auto start = reinterpret_cast<std::uintptr_t>(base);
    require(base && start % Heap::alignment == 0, TILEC_INVALID_ARGUMENT,
            name + (base ? " is not aligned, expected a multiple of " + std::to_string(Heap::alignment) : " is null"));
    require(length <= UINTPTR_MAX - start, TILEC_INVALID_ARGUMENT,
            name + " of " + std::to_string(length) + " bytes goes beyond the last address");
    if (length)
      ranges.push_back({start, length, name});
  };
  for (int rank = 0; rank < size; ++rank) {
    add(bases[rank], bytes, "rank " + std::to_string(rank) + "'s heap");
    add(signalBases[rank], signalBytes, "rank " + std::to_string(rank) + "'s signal mapping");
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.start < b.start; });
  for (size_t i = 1; i < ranges.size(); ++i)
    require(ranges[i].start - ranges[i - 1].start >= ranges[i - 1].bytes, TILEC_OVERLAP,
            ranges[i - 1].name + " and " + ranges[i].name + " overlap");
}

void requireRank(int rank, int size) {
  requireWorld(size);
  require(rank >= 0 && rank < size, TILEC_INVALID_ARGUMENT,
          "expected a rank in [0, " + std::to_string(size) + "), got " + std::to_string(rank));
}

void requireDevice(tilec_device device) {
#ifdef TILEC_EMULATED
  require(device == TILEC_DEVICE_EMULATED, TILEC_INVALID_ARGUMENT, "this runtime was built for the emulator");
#else
  require(device == TILEC_DEVICE_HIP, TILEC_INVALID_ARGUMENT, "this runtime was built without the emulator");
#endif
}

/// The device of a rank that names none: the emulator makes one for each; a launcher may show each rank its own alone.
int deviceOf(int local) {
#ifdef TILEC_EMULATED
  return local;
#else
  int count = 0;
  check(hipGetDeviceCount(&count), "asking for the devices");
  require(count == 1 || local < count, TILEC_INVALID_ARGUMENT,
          "rank " + std::to_string(local) + " of this machine has no device: " + std::to_string(count) +
              " are visible; give device_index, or show each rank one device");
  return count == 1 ? 0 : local;
#endif
}

/// Fills a failure record that nobody has filled. On the host, while kernels may be reading it.
void abandon(Failure *failure, unsigned reason) {
  unsigned expected = failure_unset;
  if (!__atomic_compare_exchange_n(&failure->set, &expected, unsigned(failure_writing), false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
  failure->reason = reason;
  __atomic_store_n(&failure->set, unsigned(failure_asked), __ATOMIC_RELEASE);
}

/// The elements of `all` that are not in `others`; `none` when there are none.
std::string without(const std::vector<std::string> &all, const std::vector<std::string> &others, const char *none) {
  std::string text;
  for (const std::string &one : all)
    if (std::find(others.begin(), others.end(), one) == others.end())
      text += (text.empty() ? "" : ", ") + one;
  return text.empty() ? none : text;
}

const char *reasonName(unsigned reason) {
  switch (reason) {
  case failure_deadline:
    return "deadline";
  case failure_deadlock:
    return "deadlock";
  case failure_mismatch:
    return "mismatch";
  case failure_abort:
    return "abort";
  }
  return "fault";
}

#ifdef TILEC_EMULATED
/// The emulator knows a wait by its failure record, which belongs to one world.
std::string nameSignal(emulator::Polling &poll) {
  for (const auto &known : jobs)
    if (auto group = known.lock())
      for (tilec_world *world : group->members)
        if (world && world->failure == poll.failure && poll.program < world->programs.size() &&
            world->programs[poll.program])
          if (const Signal *signal = world->programs[poll.program]->signalAt(poll.signal)) {
            poll.dimensions = int(signal->shape.size());
            return signal->name;
          }
  return "";
}
#endif

} // namespace

bool Group::complete() const {
  return std::all_of(heapBases.begin(), heapBases.end(), [](char *base) { return base != nullptr; });
}

void Group::requireNoneLost() const {
  require(lost < 0, TILEC_REFUSED,
          "rank " + std::to_string(lost) +
              " of the world was destroyed: destroy the other ranks as well, then make all of them again");
}

CurrentDevice::CurrentDevice(int device) {
  check(hipGetDevice(&before), "asking for the current device");
  check(hipSetDevice(device), "making a device current");
}

CurrentDevice::~CurrentDevice() { (void)hipSetDevice(before); }

void tilec::host::check(int error, const char *what) {
  if (error == hipSuccess)
    return;
  const auto code = static_cast<hipError_t>(error);
  throw Error(code == hipErrorOutOfMemory ? TILEC_OUT_OF_MEMORY : TILEC_DEVICE_ERROR,
              std::string(what) + ": " + hipGetErrorName(code) + ": " + hipGetErrorString(code));
}

Mapping tilec::host::allocate(size_t heapBytes, size_t signalBytes) {
  Mapping made;
  check(hipMalloc(reinterpret_cast<void **>(&made.heap), heapBytes), "allocating the heap");
  const int error = hipExtMallocWithFlags(reinterpret_cast<void **>(&made.signals), signalBytes, signalMemory);
  if (error != hipSuccess)
    (void)hipFree(made.heap);
  check(error, "allocating the signal mapping");
  check(hipMemset(made.signals, 0, signalBytes), "clearing the signal mapping");
  return made;
}

void tilec::host::requireWorld(int size) {
  require(size >= 1 && size <= most_ranks, TILEC_INVALID_ARGUMENT,
          "expected a world of 1 to " + std::to_string(most_ranks) + " ranks, got " + std::to_string(size));
}

void tilec::host::requireEmulatedDevices(int count) {
#ifdef TILEC_EMULATED
  emulator::Options machine = emulator::options();
  if (machine.devices >= count)
    return;
  machine.devices = count;
  require(emulator::configure(machine), TILEC_INVALID_ARGUMENT, "the emulator is at work");
#endif
}

tilec_world::tilec_world(int rank, int device, std::shared_ptr<Group> group, unsigned long long deadline)
    : rank(rank), device(device), group(std::move(group)), deadline(deadline ? deadline : defaultDeadline),
      heap(this->group->heapBytes) {
  CurrentDevice current(device);
  check(hipHostMalloc(reinterpret_cast<void **>(&failure), sizeof(Failure), hipHostMallocMapped),
        "allocating the failure record");
  std::memset(failure, 0, sizeof(Failure));
#ifdef TILEC_EMULATED
  emulator::name_signals(nameSignal);
#endif
}

tilec_world::~tilec_world() {
  // Deleting a program waits for its launches; so does this, for what peers and the application have queued.
  CurrentDevice current(device);
  (void)hipDeviceSynchronize();
  for (tilec_program *program : programs)
    delete program;
  if (link) {
    link.reset();
#ifdef TILEC_EMULATED
    emulator::othersTakePart(-1);
#endif
  }
  shared.reset();
  (void)hipHostFree(failure);
  if (group->members[rank] != this)
    return;
  group->members[rank] = nullptr;
  if (ownsMemory) {
    group->lost = rank;
    (void)hipFree(group->heapBases[rank]);
    (void)hipFree(group->signalBases[rank]);
    group->heapBases[rank] = group->signalBases[rank] = nullptr;
  }
}

tilec_world *tilec_world::create(const tilec_world_options &options) {
  requireRank(options.rank, options.size);
  requireDevice(options.device);
  const size_t heapBytes = rounded(options.heap_bytes, "heap_bytes");
  const size_t signalBytes = rounded(options.signal_bytes, "signal_bytes");
  const int device = options.device_index < 0 ? options.rank : options.device_index;
  auto group = groupOf(options.job ? options.job : "", options.size, heapBytes, signalBytes);
  require(!group->members[options.rank], TILEC_INVALID_ARGUMENT,
          "rank " + std::to_string(options.rank) + " of job '" + group->job + "' exists already");
  auto world = std::make_unique<tilec_world>(options.rank, device, group, options.deadline_ns);
  world->ownsMemory = true;
  CurrentDevice current(device);
  for (tilec_world *peer : group->members)
    if (peer && peer->device != device) {
      openPeer(peer->device);
      CurrentDevice there(peer->device);
      openPeer(device);
    }
  world->takeMapping(allocate(heapBytes, signalBytes));
  return world.release();
}

tilec_world *tilec_world::join(const tilec_world_options &given) {
  tilec_world_options options = given;
  std::string job = options.job ? options.job : "";
  int local = options.rank;
  if (options.size == 0) {
    const StartedAs started = readEnvironment();
    options.rank = started.rank;
    options.size = started.size;
    local = started.local;
    job = options.job ? job : started.job;
  }
  requireRank(options.rank, options.size);
  requireDevice(options.device);
  auto group = std::make_shared<Group>();
  group->job = "process " + job;
  group->size = options.size;
  group->heapBytes = rounded(options.heap_bytes, "heap_bytes");
  group->signalBytes = rounded(options.signal_bytes, "signal_bytes");
  group->members.resize(options.size);
  group->heapBases.resize(options.size);
  group->signalBases.resize(options.size);
  const int device = options.device_index < 0 ? deviceOf(local) : options.device_index;
  requireEmulatedDevices(device + 1);
  const std::uint64_t deadline = options.join_deadline_ns ? options.join_deadline_ns : defaultDeadline;
  const std::string settings = "a world of " + std::to_string(options.size) + " ranks with " +
                               std::to_string(group->heapBytes) + " bytes of heap and " +
                               std::to_string(group->signalBytes) + " of signals";
  CurrentDevice current(device);
  auto shared = std::make_unique<SharedMemory>(group->heapBytes, group->signalBytes);
  auto link = std::make_unique<Link>(Link::Place{job, options.rank, options.size, std::chrono::nanoseconds(deadline)},
                                     settings);
  auto world = std::make_unique<tilec_world>(options.rank, device, group, options.deadline_ns);
  world->shared = std::move(shared);
  world->link = std::move(link);
  jobs.push_back(group);
#ifdef TILEC_EMULATED
  emulator::othersTakePart(1);
#endif
  world->takeMapping(world->shared->mine());
  const std::vector<Message> all = world->link->exchange(world->shared->handle(), world->shared->descriptor());
  for (int rank = 0; rank < options.size; ++rank)
    if (rank != options.rank) {
      const Mapping mapping = world->shared->open(all[rank].text, all[rank].descriptor);
      group->heapBases[rank] = mapping.heap;
      group->signalBases[rank] = mapping.signals;
    }
  world->link->onFailure([failure = world->failure](unsigned reason) { abandon(failure, reason); });
  return world.release();
}

void tilec_world::takeMapping(const Mapping &mapping) {
  group->members[rank] = this;
  group->heapBases[rank] = mapping.heap;
  group->signalBases[rank] = mapping.signals;
}

tilec_world *tilec_world::adopt(int rank, int size, void *const *bases, size_t bytes, void *const *signalBases,
                                size_t signalBytes) {
  requireRank(rank, size);
  require(bases && signalBases, TILEC_INVALID_ARGUMENT, "the bases are null");
  requireBytes(bytes, "the number of bytes of a heap");
  requireBytes(signalBytes, "the number of bytes of a signal mapping");
  requireMappings(size, bases, bytes, signalBases, signalBytes);
  auto group = std::make_shared<Group>();
  group->size = size;
  group->heapBytes = bytes;
  group->signalBytes = signalBytes;
  group->members.resize(size);
  for (int r = 0; r < size; ++r) {
    group->heapBases.push_back(static_cast<char *>(bases[r]));
    group->signalBases.push_back(static_cast<char *>(signalBases[r]));
  }
  int device = 0;
  check(hipGetDevice(&device), "asking for the current device");
  auto world = std::make_unique<tilec_world>(rank, device, group, 0);
  group->members[rank] = world.get();
  // Found by the emulator's report like every other group.
  jobs.push_back(group);
  group->job = "adopted " + std::to_string(reinterpret_cast<std::uintptr_t>(world.get()));
  return world.release();
}

bool tilec_world::inHeap(const void *pointer, std::int64_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer), base = reinterpret_cast<std::uintptr_t>(heapBase());
  return at >= base && at - base <= group->heapBytes && std::uintptr_t(bytes) <= group->heapBytes - (at - base);
}

size_t tilec_world::takeSignals(size_t bytes) {
  const size_t wanted = (bytes + signal_stride - 1) / signal_stride * signal_stride;
  require(wanted <= group->signalBytes - signalsTaken, TILEC_OUT_OF_MEMORY,
          "the signal mapping has " + std::to_string(group->signalBytes - signalsTaken) + " bytes left, needed " +
              std::to_string(wanted));
  return std::exchange(signalsTaken, signalsTaken + wanted);
}

bool tilec_world::failed() const {
  return !fault.empty() || __atomic_load_n(&failure->set, __ATOMIC_ACQUIRE) != failure_unset;
}

void tilec_world::requireHealthy() const {
  group->requireNoneLost();
  if (link)
    require(link->failure().empty(), TILEC_REFUSED, link->failure());
  const std::scoped_lock lock(group->mutex);
  unsigned newest = 0;
  for (const tilec_world *member : group->members)
    if (member)
      newest = std::max(newest, member->resets);
  for (const tilec_world *member : group->members) {
    if (!member)
      continue;
    require(
        !member->failed(), TILEC_REFUSED,
        (group->mismatch.empty() ? "a launch of rank " + std::to_string(member->rank) + " failed" : group->mismatch) +
            "; every rank must call tilec_world_reset");
    require(member->resets == newest, TILEC_REFUSED,
            "rank " + std::to_string(member->rank) + " has not called tilec_world_reset");
  }
}

bool tilec_world::comparesLaunches() const {
  return group->size > 1 && std::count(group->members.begin(), group->members.end(), nullptr) == 0;
}

void tilec_world::compareLaunch(unsigned program, unsigned number, unsigned hash,
                                const std::vector<std::string> &given) {
  const std::scoped_lock lock(group->mutex);
  auto [it, first] = group->launches.try_emplace({program, number}, Group::Noted{rank, hash, given, 0});
  const Group::Noted &known = it->second;
  if (known.hash == hash) {
    if (++it->second.count == group->size)
      group->launches.erase(it);
    return;
  }
  // Of one program only what differs.
  const bool same = known.given[0] == given[0];
  const std::string theirs = same ? without(known.given, given, "one manifest") : without(known.given, {}, "");
  const std::string mine = same ? without(given, known.given, "another manifest") : without(given, {}, "");
  group->mismatch = "launch " + std::to_string(number) + (same ? " of " + given[0] : "") + ": rank " +
                    std::to_string(known.rank) + " gave " + theirs + ", rank " + std::to_string(rank) + " gave " + mine;
  // What is under way waits for signals that will not come, or come for other tasks.
  for (const tilec_world *member : group->members)
    abandon(member->failure, failure_mismatch);
  throw Error(TILEC_REFUSED, group->mismatch);
}

void tilec_world::withdrawLaunch(unsigned program, unsigned number) {
  const std::scoped_lock lock(group->mutex);
  const auto it = group->launches.find({program, number});
  if (it != group->launches.end() && --it->second.count == 0)
    group->launches.erase(it);
}

void tilec_world::reset() {
  CurrentDevice current(device);
  // Fails when a launch did, which is what the reset is for.
  (void)hipDeviceSynchronize();
  (void)hipGetLastError();
  // From here on no rank has a launch under way that may signal.
  if (link) {
    link->agree("tilec_world_reset", TILEC_INVALID_ARGUMENT);
    link->clearFailure();
  }
  check(hipMemset(signalBase(), 0, group->signalBytes), "clearing the signal mapping");
  std::memset(failure, 0, sizeof(Failure));
  fault.clear();
  ++resets;
  for (tilec_program *program : programs)
    if (program)
      program->launches = 0, program->cleared = nullptr;
  if (link)
    link->agree("tilec_world_reset, done", TILEC_INVALID_ARGUMENT);
  const auto &members = group->members;
  const bool all = std::all_of(members.begin(), members.end(),
                               [&](const tilec_world *member) { return !member || member->resets == resets; });
  {
    // No rank launches before all were reset: nothing new is among these.
    const std::scoped_lock lock(group->mutex);
    group->launches.clear();
    if (all)
      group->mismatch.clear();
  }
#ifdef TILEC_EMULATED
  if (all)
    emulator::clear_report();
#endif
}

void tilec_world::synchronize(void *stream) {
  CurrentDevice current(device);
  const hipError_t error = hipStreamSynchronize(static_cast<hipStream_t>(stream));
  if (error != hipSuccess && fault.empty()) {
    fault = std::string(hipGetErrorName(error)) + ": " + hipGetErrorString(error);
#ifdef TILEC_EMULATED
    if (!emulator::report().empty())
      fault += "\n" + emulator::report();
#endif
  }
  if (failed())
    throw Error(TILEC_LAUNCH_FAILED, describe().words);
}

tilec_failure tilec_world::describe() {
  tilec_failure result = readRecord();
  if (!result.failed)
    return result;
  failureWords = "a launch of rank " + std::to_string(rank) + " failed: " + wordsOf(result);
  result.words = failureWords.c_str();
  return result;
}

std::string tilec_world::wordsOf(const tilec_failure &what) const {
  // Which rank ended is said before where this one waited for it.
  std::string words = link ? link->failure() : "";
  if (words.empty()) {
    const std::scoped_lock lock(group->mutex);
    words = group->mismatch;
  }
  if (!what.signal)
    return words.empty() ? fault : words;
  words += words.empty() ? what.reason : "; rank " + std::to_string(what.rank) + " stopped";
  words += std::string(" in '") + what.program + "', waiting for " + what.signal + "[";
  for (int i = 0; i < what.dimensions && i < failure_dimensions; ++i)
    words += (i ? ", " : "") + std::to_string(what.index[i]);
  return words + "]: wanted " + std::to_string(what.wanted) + ", seen " + std::to_string(what.seen);
}

tilec_failure tilec_world::readRecord() {
  tilec_failure result = {};
  if (!failed())
    return result;
  result.failed = 1;
  result.rank = rank;
  result.reason = "fault";
  const unsigned set = __atomic_load_n(&failure->set, __ATOMIC_ACQUIRE);
  // Another lane may be writing the record.
  if (set != failure_complete && set != failure_asked)
    return result;
  result.reason = reasonName(failure->reason);
  // No wait has seen what the host asked for; and where launches differ, the place of a wait explains nothing.
  if (set == failure_asked || failure->reason == failure_mismatch)
    return result;
  const tilec_program *program = failure->program < programs.size() ? programs[failure->program] : nullptr;
  failureProgram = program ? program->manifest.program : "";
  const Signal *signal = program ? program->signalAt(failure->signal) : nullptr;
  failureSignal = signal ? signal->name : "signal at byte " + std::to_string(failure->signal);
  result.dimensions = signal ? int(signal->shape.size()) : failure_dimensions;
  result.program = failureProgram.c_str();
  result.signal = failureSignal.c_str();
  static_assert(std::size(tilec_failure{}.index) == failure_dimensions);
  std::copy(std::begin(failure->index), std::end(failure->index), result.index);
  result.rank = failure->rank;
  result.epoch = failure->epoch;
  result.wanted = failure->wanted;
  result.seen = failure->seen;
  return result;
}
