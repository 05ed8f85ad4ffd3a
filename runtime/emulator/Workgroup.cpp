// Lanes of one workgroup taking turns.
#include "Machine.h"
#include "Switch.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

using namespace tilec::emulator;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace tilec::emulator {
Place *here = nullptr;
bool adversarial = false;
} // namespace tilec::emulator

namespace {
constexpr size_t ldsCanary = 64;
constexpr unsigned char ldsCanaryByte = 0x5c;

void lineOfLife(transfer_t left) noexcept {
  arriveFirst(left);
  Lane &lane = *static_cast<Lane *>(here);
  try {
    lane.home->grid_->lane();
  } catch (...) {
    Machine::get().fault("a kernel threw an exception");
  }
  lane.home->finish(lane);
  __builtin_unreachable();
}
} // namespace

bool Workgroup::start(Grid &grid, unsigned number, Stacks &stacks) {
  const int waveLanes = Machine::waveLanes;
  const unsigned lanes = grid.threads.x * grid.threads.y * grid.threads.z;
  grid_ = &grid;
  this->grid = grid.grid;
  threads = grid.threads;
  device = grid.device;
  block = {number % grid.grid.x, number / grid.grid.x % grid.grid.y, number / grid.grid.x / grid.grid.y};
  ldsBytes = grid.ldsBytes;
  waves = int((lanes + waveLanes - 1) / waveLanes);
  waveList.assign(waves, Wave());
  if (laneCount != lanes) {
    giveStacks(stacks);
    laneList = std::make_unique<Lane[]>(lanes);
    laneCount = lanes;
  }
  for (size_t i = 0; i < laneCount; ++i)
    if (!laneList[i].stack && !(laneList[i].stack = stacks.take()))
      return false;
  std::fill(std::begin(barriers), std::end(barriers), Barrier());
  readyWaves = pausedWaves = 0;
  current = 0;
  liveLanes = int(lanes);
  liveWaves = waves;
  disagreed = false;
  stores.assign(weak ? laneCount : 0, {});
  copies.clear();
  beside.reset();
  placeLanes(grid, waveLanes);
  clearLds();
  return true;
}

void Workgroup::placeLanes(const Grid &grid, int waveLanes) {
  for (unsigned i = 0; i < laneCount; ++i) {
    Lane &lane = laneList[i];
    lane.thread = {i % threads.x, i / threads.x % threads.y, i / threads.x / threads.y};
    lane.lane = int(i) % waveLanes;
    lane.wave = int(i) / waveLanes;
    lane.group = this;
    lane.home = this;
    lane.polls = lane.returned = false;
    lane.inFlight = 0;
    lane.watched = false;
    lane.poll = Polling();
    lane.meetings = lane.uniforms = 0;
    forgetFrames(lane);
    lane.context = make_fcontext(lane.stack, Stacks::bytes, lineOfLife);
    Wave &wave = waveList[lane.wave];
    wave.ready.push(&lane);
    ++wave.live;
    readyWaves |= std::uint64_t(1) << lane.wave;
  }
}

void Workgroup::clearLds() {
  constexpr size_t alignment = 1024;
  const size_t needed = size_t(ldsBytes) + ldsCanary + alignment;
  if (memoryBytes < needed) {
    memory = std::make_unique<char[]>(needed);
    memoryBytes = needed;
  }
  lds = reinterpret_cast<char *>((reinterpret_cast<std::uintptr_t>(memory.get()) + alignment - 1) & ~(alignment - 1));
  std::memset(lds, 0xff, ldsBytes);
  std::memset(lds + ldsBytes, ldsCanaryByte, ldsCanary);
}

bool Workgroup::ldsIntact() const {
  const char *end = lds + ldsBytes;
  return std::all_of(end, end + ldsCanary, [](char c) { return (unsigned char)c == ldsCanaryByte; });
}

Engines &Workgroup::engines() {
  if (!beside) {
    beside = std::make_unique<Engines>(*this);
    for (size_t i = 0; i < laneCount; ++i)
      laneList[i].watched = true;
  }
  return *beside;
}

void Workgroup::giveStacks(Stacks &stacks) {
  for (size_t i = 0; i < laneCount; ++i)
    if (laneList[i].stack)
      stacks.give(laneList[i].stack);
  laneList.reset();
  laneCount = 0;
}

void Workgroup::run() {
  for (std::uint64_t left = pausedWaves; left; left &= left - 1) {
    Wave &wave = waveList[std::countr_zero(left)];
    wave.ready.take(wave.paused);
  }
  readyWaves |= pausedWaves;
  pausedWaves = 0;
  if (Lane *first = pick())
    go(Machine::scheduler, *first, first);
}

/// The next lane: of the wave that ran last while it has any, else of the next wave with ready lanes. In an adversarial
/// mode any wave, and now and then none, so that another workgroup runs.
inline Lane *Workgroup::pick() {
  if (!readyWaves)
    return nullptr;
  if (adversarial) {
    const std::uint64_t dice = Machine::random.next();
    if (dice % 64 == 0 && here)
      return nullptr;
    if (dice / 64 % 4 == 0)
      for (std::uint64_t n = (dice >> 16) % std::popcount(readyWaves), left = readyWaves;; left &= left - 1, --n)
        if (n == 0) {
          current = std::countr_zero(left);
          break;
        }
  }
  if (!(readyWaves >> current & 1)) {
    const std::uint64_t later = readyWaves & (~std::uint64_t(0) << current);
    current = std::countr_zero(later ? later : readyWaves);
  }
  Wave &wave = waveList[current];
  Lane *lane = wave.ready.pop();
  if (wave.ready.empty())
    readyWaves &= ~(std::uint64_t(1) << current);
  return lane;
}

/// Goes on with another lane, or with the scheduler.
inline void Workgroup::leave(Lane &lane) {
  ++Machine::counts.switches;
  if (Lane *next = pick()) {
    if (next != &lane)
      go(lane, *next, next);
    return;
  }
  go(lane, Machine::scheduler, nullptr);
}

inline void Workgroup::arrive(Lane &lane, int barrier, int waves) {
  Wave &wave = waveList[lane.wave];
  ++Machine::progress;
  if (wave.waits != Wave::Waits::Nothing && (wave.waits != Wave::Waits::Barrier || wave.barrier != barrier)) {
    wave.astray.push(&lane);
    return leave(lane);
  }
  wave.waits = Wave::Waits::Barrier;
  wave.barrier = barrier;
  if (barrier)
    barriers[barrier].wanted = waves;
  wave.waiting.push(&lane);
  if (++wave.arrived == wave.live)
    waveArrived(lane.wave);
  leave(lane);
}

void Workgroup::waveArrived(int number) {
  Barrier &barrier = barriers[waveList[number].barrier];
  ++barrier.arrived;
  barrier.waves |= std::uint64_t(1) << number;
  releaseIfComplete(waveList[number].barrier);
}

void Workgroup::releaseIfComplete(int number) {
  Barrier &barrier = barriers[number];
  if (barrier.arrived == 0 || int(barrier.arrived) != (number ? barrier.wanted : liveWaves))
    return;
  if (racing)
    RaceCheck::get().barrier(*this, barrier.waves);
  if (beside)
    beside->meet(barrier.waves);
  for (std::uint64_t left = barrier.waves; left; left &= left - 1)
    release(std::countr_zero(left));
  barrier = Barrier();
}

void Workgroup::release(int number) {
  Wave &wave = waveList[number];
  if (beside)
    beside->meetWave(number);
  wave.ready.take(wave.waiting);
  wave.uniforms.clear();
  ++wave.meetings;
  wave.arrived = 0;
  wave.waits = Wave::Waits::Nothing;
  if (!wave.ready.empty())
    readyWaves |= std::uint64_t(1) << number;
}

inline void Workgroup::collect(Lane &lane, const void *in, void *out, Compute *compute, void *extra) {
  Wave &wave = waveList[lane.wave];
  ++Machine::progress;
  if (wave.waits != Wave::Waits::Nothing && (wave.waits != Wave::Waits::Collective || wave.compute != compute)) {
    wave.astray.push(&lane);
    return leave(lane);
  }
  wave.waits = Wave::Waits::Collective;
  wave.compute = compute;
  wave.in[lane.lane] = in;
  wave.out[lane.lane] = out;
  if (++wave.arrived < wave.live) {
    wave.waiting.push(&lane);
    return leave(lane);
  }
  // The last to come computes for all and goes on; the others follow in their order.
  compute(wave.in, wave.out, Machine::waveLanes, extra);
  release(lane.wave);
}

inline void Workgroup::rest(Lane &lane) {
  waveList[lane.wave].paused.push(&lane);
  pausedWaves |= std::uint64_t(1) << lane.wave;
  leave(lane);
  lane.polls = false;
}

/// What a lane says at a place against what the first lane said there. Lanes take the same way but for branches that
/// some of them leave out.
void Workgroup::compare(Lane &lane, std::uint64_t place, std::uint64_t value) {
  Wave &wave = waveList[lane.wave];
  if (lane.meetings != wave.meetings) {
    lane.meetings = wave.meetings;
    lane.uniforms = 0;
  }
  // Beside the way of the lane that came first nothing is compared until the lanes meet again.
  constexpr unsigned astray = ~0u;
  if (lane.uniforms == astray)
    return;
  if (lane.uniforms == wave.uniforms.size()) {
    wave.uniforms.push_back({place, value, lane.lane});
    ++lane.uniforms;
    return;
  }
  const Uniform &said = wave.uniforms[lane.uniforms++];
  if (said.place != place)
    lane.uniforms = astray;
  else if (said.value != value && !std::exchange(disagreed, true))
    fault("a value that must be the same in all lanes of a wave is " + std::to_string(value) + " in lane " +
          std::to_string(lane.lane) + " of wave " + std::to_string(lane.wave) + ", and " + std::to_string(said.value) +
          " in lane " + std::to_string(said.lane));
}

void Workgroup::yield(Lane &lane) {
  ++Machine::progress;
  waveList[lane.wave].ready.push(&lane);
  readyWaves |= std::uint64_t(1) << lane.wave;
  leave(lane);
}

void Workgroup::giveWay(Lane &lane) {
  ++Machine::progress;
  ++Machine::counts.switches;
  waveList[lane.wave].ready.push(&lane);
  readyWaves |= std::uint64_t(1) << lane.wave;
  go(lane, Machine::scheduler, nullptr);
}

void Workgroup::finish(Lane &lane) {
  ++Machine::progress;
  awaitCopies(0);
  if (beside)
    beside->finish(lane);
  if (!Stacks::intact(lane.stack)) {
    Machine::get().fault("a lane used more than " + std::to_string(Stacks::bytes / 1024) + " KiB of stack");
    Stacks::mend(lane.stack);
  }
  lane.returned = true;
  Wave &wave = waveList[lane.wave];
  --liveLanes;
  if (--wave.live == 0)
    --liveWaves;
  settle(lane.wave);
  if (!liveLanes && beside)
    beside->finish();
  leave(lane);
}

/// After a lane returned: those that wait for it wait no more. An unfinished wave operation stays so, as the operation
/// was written for all lanes; the deadlock report names it.
void Workgroup::settle(int number) {
  Wave &wave = waveList[number];
  if (wave.live == 0)
    releaseIfComplete(0);
  else if (wave.waits == Wave::Waits::Barrier && wave.arrived == wave.live)
    waveArrived(number);
}

namespace tilec::emulator {

void barrier() { self().home->arrive(self(), 0, 0); }
void barrier(int id, int waves) { self().home->arrive(self(), id, waves); }

void wave_collective([[clang::noescape]] const void *in, [[clang::noescape]] void *out, Compute *compute, void *extra) {
  self().home->collect(self(), in, out, compute, extra);
}

static void joinWave(const void *const *, void *const *, int, void *) {
  if (racing)
    RaceCheck::get().barrier(*self().home, std::uint64_t(1) << self().wave);
}
void meet_wave() { wave_collective(nullptr, nullptr, joinWave, nullptr); }

__attribute__((noinline)) void uniform(unsigned long long value, int line) {
  Lane &lane = self();
  // Where nothing is inlined many calls come from one place: they lie at different depths of the stack.
  const auto depth = lane.stack - static_cast<char *>(__builtin_frame_address(0));
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  lane.home->compare(lane, from ^ std::uint64_t(depth) << 48 ^ std::uint64_t(line) << 36, value);
}

void pause() { self().home->rest(self()); }

void giveWay() {
  if (racing)
    self().home->giveWay(self());
}

void polling([[clang::noescape]] const Polling &what) {
  Lane &lane = self();
  const bool same = lane.poll.signal == what.signal && lane.poll.program == what.program &&
                    std::equal(std::begin(what.index), std::end(what.index), std::begin(lane.poll.index));
  if (same && lane.poll.seen != what.seen)
    ++Machine::progress;
  lane.poll = what;
  lane.polls = true;
}

void interleaveNow() {
  Lane &lane = self();
  if (Machine::random.below(16) == 0)
    lane.home->yield(lane);
}

} // namespace tilec::emulator
