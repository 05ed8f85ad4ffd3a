// The order in which emulated work runs.
#include "Machine.h"
#include "tilec/constants.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace tilec::emulator;

Machine &Machine::get() {
  // Never destroyed: streams of static objects may outlive it otherwise.
  static Machine &machine = *new Machine();
  return machine;
}

namespace {
/// "devices=4,seed=3" over the defaults; unknown names are ignored, so that a newer setting does not stop an older
/// build.
Options fromEnvironment(Options options) {
  const char *text = std::getenv("TILEC_EMULATOR");
  for (std::string left = text ? text : ""; !left.empty();) {
    const size_t end = std::min(left.find(','), left.size());
    const std::string item = left.substr(0, end);
    left.erase(0, std::min(end + 1, left.size()));
    const size_t equals = item.find('=');
    if (equals == std::string::npos)
      continue;
    const std::string name = item.substr(0, equals);
    const auto value = std::strtoull(item.c_str() + equals + 1, nullptr, 10);
    if (name == "devices")
      options.devices = int(value);
    else if (name == "compute_units")
      options.computeUnits = int(value);
    else if (name == "resident")
      options.resident = int(value);
    else if (name == "wave")
      options.waveLanes = int(value);
    else if (name == "lds")
      options.ldsBytes = int(value);
    else if (name == "chiplets")
      options.chiplets = int(value);
    else if (name == "skewed")
      options.skewed = value != 0;
    else if (name == "weak")
      options.weak = value != 0;
    else if (name == "race")
      options.race = value != 0;
    else if (name == "landing")
      options.landing = value == 1 ? Landing::Earliest : value == 2 ? Landing::Seeded : Landing::Latest;
    else if (name == "seed")
      options.seed = value;
  }
  return options;
}
} // namespace

bool Machine::configure(const Options &options) {
  // A cell of the race check has 16 bits for a wave.
  const bool tooMany =
      options.race && std::int64_t(options.devices) * options.computeUnits * options.resident * 16 > 50000;
  const bool sane = !tooMany && options.devices > 0 && options.computeUnits > 0 && options.resident > 0 &&
                    options.chiplets > 0 && options.chiplets <= tilec::most_chiplets &&
                    (options.waveLanes == 32 || options.waveLanes == 64) && options.ldsBytes >= 0 &&
                    options.stalledRounds > 0;
  if (!sane || !idle())
    return false;
  adopt(options);
  RaceCheck::get().aloud = false;
  return true;
}

void Machine::adopt(const Options &options) {
  configured = true;
  current = options;
  waveLanes = options.waveLanes;
  adversarial = options.seed != 0;
  weak = options.weak;
  racing = options.race;
  observed = weak || racing;
  settleAll();
  RaceCheck::get().reset();
  random.state = options.seed;
  turn = 0;
  favoured = 0;
  for (Device &device : devices)
    device.turn = 0;
  counts.mostResident = 0;
  counts.orderHash = 0;
  // Devices are never taken away: their streams may be held.
  while (devices.size() < size_t(options.devices)) {
    devices.emplace_back();
    devices.back().streams.push_back(std::make_unique<ihipStream_t>());
    devices.back().streams.back()->device = int(devices.size()) - 1;
  }
  for (Device &device : devices) {
    device.chiplets.clear();
    for (int i = 0; current.chiplets > 1 && i < current.chiplets; ++i)
      device.chiplets.emplace_back(&device.view);
  }
}

const Options &Machine::options() {
  if (!configured) {
    adopt(fromEnvironment(Options()));
    RaceCheck::get().aloud = true;
  }
  return current;
}

bool Machine::idle() const {
  for (const Device &device : devices)
    for (const auto &stream : device.streams)
      if (!stream->entries.empty())
        return false;
  return true;
}

Device &Machine::device(int number) {
  options();
  return devices[number];
}

ihipStream_t *Machine::createStream(int number, bool blocking) {
  Device &owner = device(number);
  owner.streams.push_back(std::make_unique<ihipStream_t>());
  owner.streams.back()->device = number;
  owner.streams.back()->blocking = blocking;
  return owner.streams.back().get();
}

void Machine::destroyStream(ihipStream_t *stream) {
  auto &streams = device(stream->device).streams;
  std::erase_if(streams, [&](const auto &held) { return held.get() == stream; });
}

void Machine::enqueue(ihipStream_t &stream, Entry entry) {
  if (entry.grid)
    entry.grid->label = launchName;
  if (racing && !stream.capture)
    entry.sent = RaceCheck::get().hostSends();
  entry.lane = stream.lane;
  stream.engine |= entry.kind == Entry::Engine || entry.kind == Entry::Take;
  if (stream.capture)
    stream.capture->entries.push_back(std::move(entry));
  else
    stream.entries.push_back(std::move(entry));
}

bool Machine::capturing() const {
  for (const Device &device : devices)
    for (const auto &stream : device.streams)
      if (stream->capture)
        return true;
  return false;
}

bool Machine::onOwnThread() {
  if (owner == std::thread::id())
    owner = std::this_thread::get_id();
  return owner == std::this_thread::get_id();
}

bool Machine::takeFailure(int number) { return std::exchange(device(number).failed, false); }

void Machine::fault(const std::string &line) {
  report += line + "\n";
  if (here)
    devices[here->group->device].failed = true;
}

bool Machine::runUntil(const std::function<bool()> &done) {
  options();
  while (!done())
    if (!step())
      return false;
  return true;
}

/// One action of streams, one dispatch round and one slice of one workgroup; false when there was nothing to do.
bool Machine::step() {
  const bool streamsMoved = advanceStreams();
  if (current.skewed && !hasWork(favoured) && !favourAnother())
    return streamsMoved;
  const bool dispatched = dispatch();
  if (live.empty())
    return streamsMoved || dispatched;
  runSlice();
  if (streamsMoved)
    idleSlices = 0; // an engine that copies for long will raise what is waited for
  if (!delayed.empty())
    performStores([](DelayedStore &store) { return store.slices == 0 || --store.slices == 0; });
  if (outside && awaitOthers())
    return true;
  if (idleSlices > std::uint64_t(current.stalledRounds) * live.size()) {
    idleSlices = 0;
    breakDeadlock();
  }
  return true;
}

/// When every lane only polled in the last round and some lane polls, another process has to go on first: gives it the
/// core. False when nothing can come from outside.
bool Machine::awaitOthers() {
  if (idleSlices <= live.size())
    return false;
  if (std::none_of(live.begin(), live.end(), [](const auto &group) { return group->pausedWaves != 0; }))
    return false;
  // Short at first: a peer that runs on another core answers within microseconds.
  const std::uint64_t rounds = idleSlices / live.size();
  if (rounds < 50)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(std::chrono::microseconds(std::min<std::uint64_t>(rounds, 200)));
  return true;
}

bool Machine::advanceStreams() {
  bool moved = false;
  for (Device &device : devices)
    for (auto &stream : device.streams)
      while (!stream->entries.empty()) {
        Entry &head = stream->entries.front();
        if (head.grid ? !head.grid->done() : !act(*stream, head)) {
          // An engine goes on by itself, however late, but where it waits for tasks.
          moved |= !head.grid && head.kind == Entry::Engine;
          break;
        }
        if (racing && head.grid)
          stream->clock.join(head.grid->end);
        stream->entries.pop_front();
        moved = true;
      }
  progress += moved;
  return moved;
}

/// One try of an action.
bool Machine::act(ihipStream_t &stream, Entry &entry) {
  Device &device = devices[stream.device];
  if (entry.kind == Entry::Kernel && weak)
    viewOfAction = &device.view;
  if (entry.kind == Entry::Copy)
    settle(device);
  if (racing) {
    stream.clock.join(entry.sent);
    RaceCheck::get().beginAction(stream.clock, stream.device, stream.engine);
  }
  const bool finished = entry.action();
  viewOfAction = nullptr;
  if (weak && entry.kind == Entry::Kernel && endsReachAll())
    device.view.publish();
  if (racing)
    RaceCheck::get().endAction(entry.kind == Entry::Kernel && !endsReachAll());
  if (entry.kind == Entry::Wait && finished)
    settle(device);
  return finished;
}

void Machine::settle(Device &device) {
  device.view.publish();
  device.view.invalidate();
}

void Machine::settleAll() {
  for (Device &device : devices)
    settle(device);
}

bool Machine::mayDispatch(const ihipStream_t &stream) const {
  if (stream.entries.empty() || !stream.entries.front().grid)
    return false;
  const Grid &grid = *stream.entries.front().grid;
  return grid.dispatched < grid.total;
}

bool Machine::dispatch() {
  bool any = false;
  for (Device &device : devices)
    while ((!current.skewed || &device == &devices[favoured]) &&
           device.resident < current.computeUnits * current.resident && dispatchOne(device))
      any = true;
  return any;
}

bool Machine::dispatchOne(Device &device) {
  const size_t count = device.streams.size();
  const size_t first = adversarial ? random.below(count) : device.turn;
  for (size_t i = 0; i < count; ++i) {
    ihipStream_t &stream = *device.streams[(first + i) % count];
    // Both of a pair, or none: beside others only where there is room for two.
    const int room = current.computeUnits * current.resident - device.resident;
    if (!mayDispatch(stream) || (stream.entries.front().grid->pairs && device.resident && room < 2))
      continue;
    device.turn = (first + i + 1) % count;
    if (racing)
      stream.clock.join(stream.entries.front().sent);
    startNext(*stream.entries.front().grid, device, stream.clock);
    return true;
  }
  return false;
}

void Machine::startNext(Grid &grid, Device &device, const StreamClock &begin) {
  const unsigned size = grid.pairs ? 2 : 1;
  if (adversarial && grid.order.empty()) {
    grid.order.resize(grid.total / size);
    std::iota(grid.order.begin(), grid.order.end(), 0u);
    for (size_t i = grid.order.size(); i > 1; --i)
      std::swap(grid.order[i - 1], grid.order[random.below(i)]);
  }
  const unsigned next = grid.dispatched / size, number = grid.order.empty() ? next : grid.order[next];
  const auto pair = grid.pairs ? std::make_shared<Pair>() : nullptr;
  for (unsigned half = 0; half < size; ++half)
    startGroup(grid, number * size + half, device, begin, pair);
}

void Machine::startGroup(Grid &grid, unsigned number, Device &device, const StreamClock &begin,
                         std::shared_ptr<Pair> pair) {
  ++grid.dispatched;
  ++progress;
  ++counts.workgroups;
  // A group of the same size has its stacks already.
  const unsigned lanes = grid.threads.x * grid.threads.y * grid.threads.z;
  auto fit = std::find_if(spare.begin(), spare.end(), [&](const auto &group) { return group->laneCount == lanes; });
  if (fit == spare.end() && !spare.empty())
    fit = spare.begin();
  std::unique_ptr<Workgroup> group;
  if (fit != spare.end()) {
    group = std::move(*fit);
    spare.erase(fit);
  } else {
    group = std::make_unique<Workgroup>();
  }
  if (!group->start(grid, number, stacks)) {
    report += "out of memory for the stacks of a workgroup\n";
    device.failed = true;
    ++grid.finished;
    group->giveStacks(stacks);
    return;
  }
  // Workgroups are dealt to chiplets in turn; with a seed often several to one.
  const int chiplets = current.chiplets;
  group->chiplet = adversarial ? int(random.below(1 + random.below(unsigned(chiplets)))) : int(number) % chiplets;
  View *const chiplet = chipletView(*group);
  // A kernel begins with an acquire.
  if (chiplet)
    chiplet->invalidate();
  group->view.setBelow(chiplet ? chiplet : &device.view);
  group->pair = std::move(pair);
  if (group->pair)
    group->pair->groups[number % 2] = group.get();
  if (racing)
    RaceCheck::get().startGroup(*group, begin);
  live.push_back(std::move(group));
  ++device.resident;
  counts.mostResident = std::max(counts.mostResident, device.resident);
}

bool Machine::hasWork(int number) const {
  const Device &device = devices[number];
  return device.resident || std::any_of(device.streams.begin(), device.streams.end(),
                                        [&](const auto &stream) { return mayDispatch(*stream); });
}

/// Lets another device with work run; false when no device has any.
bool Machine::favourAnother() {
  const int count = int(devices.size());
  const int first = favoured + 1 + (adversarial ? int(random.below(count)) : 0);
  favouredIdle = 0;
  for (int i = 0; i < count; ++i)
    if (hasWork((first + i) % count)) {
      favoured = (first + i) % count;
      return true;
    }
  return false;
}

/// The live workgroup whose turn it is.
size_t Machine::choose() {
  const size_t first = adversarial ? random.below(live.size()) : turn++ % live.size();
  for (size_t i = 0; current.skewed && i < live.size(); ++i)
    if (live[(first + i) % live.size()]->device == favoured)
      return (first + i) % live.size();
  return first;
}

void Machine::runSlice() {
  const size_t position = choose();
  Workgroup &group = *live[position];
  const std::uint64_t before = progress;
  counts.orderHash = (counts.orderHash ^ (group.block.x + 1315423911u * unsigned(group.device + 1))) * 0x100000001b3ull;
  group.run();
  idleSlices = progress == before ? idleSlices + 1 : 0;
  favouredIdle = progress == before ? favouredIdle + 1 : 0;
  // A few rounds: a wait may look at its words only now and then.
  if (current.skewed && favouredIdle > 8 * std::uint64_t(devices[favoured].resident))
    favourAnother();
  if (group.finished())
    retire(position);
}

template <typename Due>
void Machine::performStores(Due &&due) {
  std::erase_if(delayed, [&](DelayedStore &store) {
    if (!due(store))
      return false;
    if (store.bytes == 4)
      __atomic_store_n(static_cast<std::uint32_t *>(store.to), std::uint32_t(store.value), __ATOMIC_RELAXED);
    else
      __atomic_store_n(static_cast<std::uint64_t *>(store.to), store.value, __ATOMIC_RELAXED);
    if (racing)
      RaceCheck::get().leaveAt(store.to, store.value, store.leaves);
    ++progress;
    return true;
  });
}

void Machine::performStores(const void *to, const Workgroup *by) {
  if (!delayed.empty())
    performStores([=](const DelayedStore &store) { return store.to == to && (!by || store.by == by); });
}

void Machine::storeLater(void *to, const void *value, size_t bytes) {
  Lane &lane = *static_cast<Lane *>(here);
  // Stores to one address stay in their order.
  performStores(to, nullptr);
  DelayedStore store = {to, 0, bytes, lane.home, unsigned(1 + random.below(64)), nullptr};
  std::memcpy(&store.value, value, bytes);
  if (racing) {
    RaceCheck::get().access(&lane, to, bytes, accessAtomic | accessWrite, nullptr);
    store.leaves = RaceCheck::get().fenceOf(lane);
  }
  delayed.push_back(std::move(store));
}

void Machine::retire(size_t position) {
  std::unique_ptr<Workgroup> group = std::move(live[position]);
  live.erase(live.begin() + position);
  Device &owner = devices[group->device];
  --owner.resident;
  ++group->grid_->finished;
  if (group->pair)
    group->pair->groups[group->half()] = nullptr;
  group->pair.reset();
  performStores([&](const DelayedStore &store) { return store.by == group.get(); });
  if (racing)
    RaceCheck::get().finishGroup(*group, group->grid_->end);
  if (weak) {
    for (const auto &stores : group->stores)
      for (const Store &store : stores)
        group->view.settle(store);
    // To its device and no further: HIP's queues release between kernels at that scope (AMD_OPT_FLUSH=1).
    group->view.publish();
    if (View *chiplet = chipletView(*group))
      chiplet->publish();
    if (endsReachAll())
      owner.view.publish();
    group->view.invalidate();
  }
  if (group->finished() && !group->ldsIntact()) {
    report += "workgroup " + std::to_string(group->block.x) + " of rank " + std::to_string(group->device) +
              " wrote past its " + std::to_string(group->ldsBytes) + " bytes of lds\n";
    owner.failed = true;
  }
  spare.push_back(std::move(group));
}

namespace tilec::emulator {

bool configure(const Options &options) { return Machine::get().configure(options); }
const Options &options() { return Machine::get().options(); }
void name_signals(std::function<std::string(Polling &)> namer) { Machine::get().namer = std::move(namer); }
void fault(const std::string &what) {
  const Workgroup &group = *static_cast<Lane *>(here)->home;
  Machine::get().fault("rank " + std::to_string(group.device) + ", workgroup " + std::to_string(group.block.x) + ": " +
                       what);
}
void othersTakePart(int change) { Machine::get().outside += change; }
unsigned long long nanoseconds() {
  using namespace std::chrono;
  if (!Machine::get().outside)
    return 0;
  return duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
}
void fenceOfRelease() { __atomic_thread_fence(__ATOMIC_RELEASE); }
void fenceOfAcquire() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
const std::string &report() { return Machine::get().report; }
void clear_report() { Machine::get().report.clear(); }
const Counts &counts() { return Machine::counts; }

} // namespace tilec::emulator
