// Which accesses are ordered.
#include "RaceCheck.h"
#include "Machine.h"
#include <bit>

using namespace tilec::emulator;

RaceCheck *const RaceCheck::one = new RaceCheck();

void RaceCheck::reset() {
  shadow.clear();
  published.clear();
  begun.clear();
  reported.clear();
  races.clear();
  excused.clear();
  muted = false;
  // Components and their ticks stay: clocks of streams and events hold them.
  for (Component &component : components)
    component.tenants.erase(component.tenants.begin(), component.tenants.end() - 1);
}

int RaceCheck::newComponent(std::string tenant, int device) {
  components.emplace_back();
  components.back().device = device;
  components.back().tenants.push_back({1, std::move(tenant)});
  return int(components.size()) - 1;
}

void RaceCheck::forget(const void *memory) { shadow.remove(memory); }

//===- accesses
//-----------------------------------------------------------------------------------------------------===//

void RaceCheck::access(Lane *lane, const void *memory, size_t bytes, std::uint8_t kind, const void *place) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  GroupClock *group = lane ? lane->home->clock.get() : nullptr;
  const std::uintptr_t inLds = group ? start - reinterpret_cast<std::uintptr_t>(lane->home->lds) : 0;
  const bool lds = group && inLds < std::uintptr_t(lane->home->ldsBytes);
  if (!lds && !shadow.find(start))
    return;
  WaveClock *wave = group ? &group->waves[lane->wave] : nullptr;
  const int component = wave ? wave->component : action ? actionComponent : hostComponent;
  const Clock &seen = wave ? wave->seen : action ? action->done : host;
  const std::uint32_t begin = wave ? wave->start : 0;
  Access now;
  now.place = place;
  now.tick = components[component].tick;
  now.component = std::uint16_t(component);
  now.lane = lane ? std::uint8_t(lane->lane) : 0;
  now.kind = std::uint8_t(kind | (kind & accessAtomic && lane && lane->narrow ? accessNarrow : 0));
  if (wave && !lds && !now.atomic() && !wave->lanes[lane->lane].undrained)
    wave->lanes[lane->lane].undrained = now.tick;
  auto ordered = [&](const Access &old) {
    if (old.component == component && old.lane == now.lane && old.tick >= begin)
      return true;
    return seen.get(old.component).covers(old.lane, old.tick);
  };
  // Scopes that do not reach each other make no pair of atomics.
  auto together = [&](const Access &old) {
    return (!old.narrow() && !now.narrow()) || components[old.component].device == components[component].device;
  };
  for (std::uintptr_t at = start; at < start + bytes;) {
    const size_t first = at % Granule::bytes, count = std::min(Granule::bytes - first, start + bytes - at);
    Granule *granule = lds ? group->lds.granules() + (at - start + inLds) / Granule::bytes : shadow.find(at);
    if (granule)
      enter(*granule, std::uint16_t(((1u << count) - 1) << first), now, ordered, together,
            [&](const Access &old, std::uint16_t both) {
              report(old, now, lds ? lane->home : nullptr, at - first + std::countr_zero(both), std::popcount(both));
            });
    at += count;
  }
}

void RaceCheck::atomic(Lane &lane, const void *word, bool loads, bool stores, std::uint64_t value) {
  LaneClock &mine = lane.home->clock->waves[lane.wave].lanes[lane.lane];
  const auto found = published.find(word);
  PublishedPointer last = found == published.end() ? nullptr : found->second.values.back().what;
  if (loads) {
    std::erase_if(mine.collected, [&](const Collected &earlier) { return earlier.what == last; });
    if (last)
      mine.collected.push_back({word, last});
  }
  if (!stores)
    return;
  if (!loads || !last || !mine.fence)
    return leaveAt(word, value, loads && !mine.fence ? last : mine.fence);
  // What changes a word leaves there what it found, too.
  auto both = std::make_shared<Published>(*mine.fence);
  both->near.join(last->device == both->device ? last->near : last->far);
  both->passed.join(last->device == both->device ? last->passed : last->far);
  both->far.join(last->far);
  if (last->device == both->device && last->chiplet >= 0 && (both->chiplet < 0 || both->chiplet == last->chiplet)) {
    both->chiplet = last->chiplet;
    both->local.join(last->local);
  }
  leaveAt(word, value, std::move(both));
}

void RaceCheck::satisfied(Lane &lane, const void *word, std::uint32_t wanted) {
  LaneClock &mine = lane.home->clock->waves[lane.wave].lanes[lane.lane];
  std::erase_if(mine.collected, [&](const Collected &earlier) { return earlier.word == word; });
  const auto found = published.find(word);
  // A word is zero before the first store.
  if (found == published.end() || std::int32_t(0 - wanted) >= 0)
    return;
  for (const Word::Value &stored : found->second.values)
    if (std::int32_t(stored.value - wanted) >= 0) {
      if (stored.what)
        mine.collected.push_back({word, stored.what});
      return;
    }
}

void RaceCheck::posted(Lane &lane, const void *word) { begun[word] = lane.home->clock->passed; }

void RaceCheck::taken(Lane &lane, const void *word) {
  const auto found = begun.find(word);
  if (found == begun.end())
    return;
  GroupClock &group = *lane.home->clock;
  WaveClock &wave = group.waves[lane.wave];
  wave.seen.join(*found->second);
  wave.drained.join(*found->second);
  wave.passed.join(*found->second);
  group.learned = true;
}

PublishedPointer RaceCheck::fenceOf(Lane &lane) const {
  return lane.home->clock->waves[lane.wave].lanes[lane.lane].fence;
}

//===- edges
//--------------------------------------------------------------------------------------------------------===//

void RaceCheck::drain(Lane &lane) {
  WaveClock &wave = lane.home->clock->waves[lane.wave];
  // What the lane does next is of another tick than what it has drained.
  if (std::exchange(wave.lanes[lane.lane].undrained, 0))
    ++tickOf(wave);
}

void RaceCheck::release(Lane &lane, bool system) {
  GroupClock &group = *lane.home->clock;
  WaveClock &wave = group.waves[lane.wave];
  LaneClock &mine = wave.lanes[lane.lane];
  mine.undrained = 0;
  wave.drained.of(wave.component).join({0, tickOf(wave), lane.lane});
  if (system) {
    for (const WaveClock &member : group.waves)
      wave.passed.of(member.component).join(wave.drained.get(member.component));
    if (!std::exchange(wave.passedBegin, true))
      wave.passed.join(group.begin);
  }
  // A store behind a narrower release still carries what the last release at system scope did, and no more.
  Clock far = system ? wave.passed : mine.fence ? mine.fence->far : Clock();
  mine.fence =
      std::make_shared<Published>(Published{lane.home->device, wave.drained, wave.passed, std::move(far), -1, {}});
  ++tickOf(wave);
}

void RaceCheck::acquire(Lane &lane, bool system) {
  GroupClock &group = *lane.home->clock;
  WaveClock &wave = group.waves[lane.wave];
  LaneClock &mine = wave.lanes[lane.lane];
  std::erase_if(mine.collected, [&](const Collected &found) {
    const PublishedPointer &what = found.what;
    const bool near = what->device == lane.home->device;
    if (!near && !system)
      return false;
    const Clock &learned = near ? what->near : what->far;
    wave.seen.join(learned);
    wave.drained.join(learned);
    if (near && what->chiplet == lane.home->chiplet) {
      wave.seen.join(what->local);
      wave.drained.join(what->local);
    }
    wave.passed.join(near ? what->passed : what->far);
    group.learned = true;
    return true;
  });
}

void RaceCheck::releaseToChiplet(Lane &lane) {
  WaveClock &wave = lane.home->clock->waves[lane.wave];
  LaneClock &mine = wave.lanes[lane.lane];
  mine.undrained = 0;
  wave.drained.of(wave.component).join({0, tickOf(wave), lane.lane});
  // What the last wider release did its stores still carry.
  Published what = mine.fence ? *mine.fence : Published{lane.home->device, {}, wave.passed, {}, -1, {}};
  what.chiplet = lane.home->chiplet;
  what.local = wave.drained;
  mine.fence = std::make_shared<Published>(std::move(what));
  ++tickOf(wave);
}

void RaceCheck::acquireOfChiplet(Lane &lane) {
  GroupClock &group = *lane.home->clock;
  WaveClock &wave = group.waves[lane.wave];
  std::erase_if(wave.lanes[lane.lane].collected, [&](const Collected &found) {
    if (found.what->device != lane.home->device || found.what->chiplet != lane.home->chiplet)
      return false;
    wave.seen.join(found.what->local);
    wave.drained.join(found.what->local);
    group.learned = true;
    return true;
  });
}

Handover RaceCheck::handOver(Lane &lane) {
  WaveClock &wave = lane.home->clock->waves[lane.wave];
  const std::uint32_t tick = tickOf(wave)++, undrained = wave.lanes[lane.lane].undrained;
  Handover what{wave.seen, wave.drained, wave.passed};
  what.seen.of(wave.component).join({0, tick, lane.lane});
  what.drained.of(wave.component).join({0, undrained ? std::min(tick, undrained - 1) : tick, lane.lane});
  return what;
}

void RaceCheck::takeOver(Lane &lane, const Handover &what) {
  GroupClock &group = *lane.home->clock;
  WaveClock &wave = group.waves[lane.wave];
  wave.seen.join(what.seen);
  wave.drained.join(what.drained);
  wave.passed.join(what.passed);
  group.learned = true;
}

/// Gives every wave of a set what any of them knows.
void RaceCheck::meet(GroupClock &group, std::uint64_t waves, Clock WaveClock::*clock) {
  if (group.learned) {
    Clock all;
    for (std::uint64_t left = waves; left; left &= left - 1)
      all.join(group.waves[std::countr_zero(left)].*clock);
    for (std::uint64_t left = waves; left; left &= left - 1)
      group.waves[std::countr_zero(left)].*clock = all;
    return;
  }
  for (const WaveClock &member : group.waves) {
    Known all;
    for (std::uint64_t left = waves; left; left &= left - 1)
      all.join((group.waves[std::countr_zero(left)].*clock).get(member.component));
    for (std::uint64_t left = waves; left; left &= left - 1)
      (group.waves[std::countr_zero(left)].*clock).of(member.component) = all;
  }
}

void RaceCheck::barrier(Workgroup &workgroup, std::uint64_t waves) {
  GroupClock &group = *workgroup.clock;
  for (std::uint64_t left = waves; left; left &= left - 1) {
    WaveClock &wave = group.waves[std::countr_zero(left)];
    const std::uint32_t tick = tickOf(wave)++;
    std::uint32_t drained = tick;
    for (const LaneClock &lane : wave.lanes)
      if (lane.undrained)
        drained = std::min(drained, lane.undrained - 1);
    wave.seen.of(wave.component).join({tick, 0, -1});
    wave.drained.of(wave.component).join({drained, 0, -1});
  }
  meet(group, waves, &WaveClock::seen);
  meet(group, waves, &WaveClock::drained);
  meet(group, waves, &WaveClock::passed);
  if (std::popcount(waves) == workgroup.liveWaves)
    group.learned = false;
}

int RaceCheck::takeSlot(int device, size_t waves) {
  size_t slot = 0;
  while (slot < slots.size() && (slots[slot].taken || slots[slot].device != device))
    ++slot;
  if (slot == slots.size())
    slots.push_back({device, false, {}});
  slots[slot].taken = true;
  while (slots[slot].components.size() < waves)
    slots[slot].components.push_back(newComponent("nobody", device));
  return int(slot);
}

void RaceCheck::startGroup(Workgroup &workgroup, const StreamClock &begin) {
  if (!workgroup.clock)
    workgroup.clock = std::make_unique<GroupClock>();
  GroupClock &group = *workgroup.clock;
  group.slot = takeSlot(workgroup.device, size_t(workgroup.waves));
  group.learned = true;
  group.begin = begin.done;
  group.passed = std::make_shared<const Clock>(begin.passed);
  group.waves = std::vector<WaveClock>(size_t(workgroup.waves));
  for (int i = 0; i < workgroup.waves; ++i) {
    WaveClock &wave = group.waves[i];
    wave.component = slots[group.slot].components[i];
    wave.start = ++tickOf(wave);
    wave.seen = wave.drained = begin.done;
    wave.passed = begin.passed;
    components[wave.component].tenants.push_back(
        {wave.start, "workgroup " + std::to_string(workgroup.block.x) + ", wave " + std::to_string(i) + " of rank " +
                         std::to_string(workgroup.device) +
                         (workgroup.grid_->label.empty() ? "" : " in " + workgroup.grid_->label)});
  }
  if (group.lds.count() * Granule::bytes < size_t(workgroup.ldsBytes))
    group.lds = ShadowRange(size_t(workgroup.ldsBytes));
  else
    group.lds.clear();
}

/// The end of a kernel drains everything and releases it to its device.
void RaceCheck::finishGroup(Workgroup &workgroup, StreamClock &end) {
  GroupClock &group = *workgroup.clock;
  for (WaveClock &wave : group.waves) {
    end.done.join(wave.seen);
    end.done.of(wave.component).join({tickOf(wave)++, 0, -1});
    end.passed.join(wave.passed);
  }
  if (Machine::get().endsReachAll())
    end.passed.join(end.done);
  slots[group.slot].taken = false;
}

Clock RaceCheck::hostSends() {
  Clock sent = host;
  sent.of(hostComponent).join({components[hostComponent].tick++, 0, -1});
  return sent;
}

void RaceCheck::beginAction(StreamClock &clock, int device, bool engine) {
  action = &clock;
  auto [found, isNew] = actionComponents[engine].try_emplace(device, 0);
  if (isNew)
    found->second = newComponent(
        (engine ? "the copy engine of rank " : "the application of rank ") + std::to_string(device), device);
  actionComponent = found->second;
}

void RaceCheck::raisedByEngine(const void *word, std::uint32_t value, int device) {
  Clock known = action->done;
  known.of(actionComponent).join({components[actionComponent].tick++, 0, -1});
  leaveAt(word, value, std::make_shared<Published>(Published{device, known, known, known, -1, {}}));
}

void RaceCheck::takenByEngine(const void *word, int device) {
  // What its device alone sees the engine need not.
  if (const auto found = published.find(word); found != published.end())
    action->done.join(found->second.values.back().what->far);
  raisedByEngine(word, 0, device);
}

void RaceCheck::endAction(bool asKernel) {
  action->done.of(actionComponent).join({components[actionComponent].tick++, 0, -1});
  if (!asKernel)
    action->passed.join(action->done);
  action = nullptr;
}
