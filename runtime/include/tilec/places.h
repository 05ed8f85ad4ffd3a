//===- places.h - matrix instructions and memory accesses in a given order ------------------------------*- C++ -*-===//
// A loop body is a sequence of places: one step of an activity (an LDS read, a deposit and a fetch), then a number of
// matrix instructions. Left to itself the compiler gathers loads and spills registers, so the order is pinned.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_PLACES_H
#define TILEC_PLACES_H

#include "tilec/mma.h"
#include "tilec/ring.h"

namespace tilec {
namespace detail {

template <class I, int Flags, class T, class LA, class LB, class S, class LC>
struct Multiplying {
  using Plan = MmaPlan<I, Flags, LA, LB, LC>;
  static constexpr int steps = Plan::steps * Plan::blocks;
  Tile<S, LC> &acc;
  const Tile<T, LA> &a;
  const Tile<T, LB> &b;

  template <int Step>
  TILEC_DEVICE void step() const {
    multiply_block<I, Plan, Step / Plan::blocks, Step % Plan::blocks>(a, b, acc);
  }
};

template <int Products, class Activity>
struct Every {
  static constexpr int products = Products, steps = Activity::steps;
  Activity activity;
};

/// Activities one behind the other.
template <class First, class... Rest>
struct InTurn {
  static constexpr int steps = First::steps + InTurn<Rest...>::steps;
  First first;
  InTurn<Rest...> rest;

  template <int Step>
  TILEC_DEVICE void step() const {
    if constexpr (Step < First::steps)
      first.template step<Step>();
    else
      rest.template step<Step - First::steps>();
  }
};
template <class Only>
struct InTurn<Only> {
  static constexpr int steps = Only::steps;
  Only first;

  template <int Step>
  TILEC_DEVICE void step() const {
    first.template step<Step>();
  }
};

template <class Activity>
struct Evenly {
  Activity activity;
};

struct Nothing {
  static constexpr int steps = 1;
  template <int Step>
  TILEC_DEVICE void step() const {}
};

/// Vectors that an activity fetches into registers which it has deposited.
template <class Activity>
inline constexpr int fetched = 0;
template <class Deposit, class Fetch>
inline constexpr int fetched<Refilling<Deposit, Fetch>> = Fetch::steps;
template <class... Activities>
inline constexpr int fetched<InTurn<Activities...>> = (fetched<Activities> + ...);
template <int Products, class Activity>
inline constexpr int fetched<Every<Products, Activity>> = fetched<Activity>;

/// Before the first step of an activity that deposits what was fetched, of several that fetch `All` in a step.
template <int All, int Mine>
TILEC_DEVICE void await_own() {
  if constexpr (Mine > 0)
    target::await_fetched<All - Mine>();
}

template <int From, int All, class Products>
TILEC_DEVICE void run_places(const Products &products) {
  static_assert(From <= Products::steps, "the places hold more matrix instructions than there are");
  repeat<Products::steps - From>([&](auto i) TILEC_LAMBDA { products.template step<From + decltype(i)::value>(); });
  target::pin();
}
/// `All`: vectors that the activities fetch, those that have been run, too.
template <int From, int All, class Products, class First, class... Rest>
TILEC_DEVICE void run_places(const Products &products, const First &first, const Rest &...rest) {
  await_own<All, fetched<First>>();
  repeat<First::steps>([&](auto place) TILEC_LAMBDA {
    first.activity.template step<decltype(place)::value>();
    repeat<First::products>([&](auto i) TILEC_LAMBDA {
      products.template step<From + decltype(place)::value * First::products + decltype(i)::value>();
    });
    target::pin();
  });
  run_places<From + First::steps * First::products, All>(products, rest...);
}

/// Whether an activity reads operands of the next step, which have the whole step for their way.
template <class Activity>
inline constexpr bool reads_ahead = false;
template <class T, class L, class A, class S>
inline constexpr bool reads_ahead<Reading<T, L, A, S>> = true;
template <class... Activities>
inline constexpr bool reads_ahead<InTurn<Activities...>> = (reads_ahead<Activities> || ...);

/// Whether it copies past the registers. Reads of LDS stay where such copies are: left to the compiler they gathered in
/// front of the product, whose waves then waited for each other's.
template <class Activity>
inline constexpr bool copies = false;
template <class F, class T, class S>
inline constexpr bool copies<Copying<F, T, S>> = true;
template <class First, class Second>
inline constexpr bool copies<ByHalves<First, Second>> = true;
template <class... Activities>
inline constexpr bool copies<InTurn<Activities...>> = (copies<Activities> || ...);

/// Those of the activity that begins with step `Step` of several in turn; 0 where none does.
template <int Step, class Activity>
inline constexpr int fetched_from = Step == 0 ? fetched<Activity> : 0;
template <int Step, class Only>
inline constexpr int fetched_from<Step, InTurn<Only>> = fetched_from<Step, Only>;
template <int Step, class First, class Second, class... Rest>
inline constexpr int fetched_from<Step, InTurn<First, Second, Rest...>> =
    Step < First::steps ? fetched_from<Step, First> : fetched_from<Step - First::steps, InTurn<Second, Rest...>>;

/// Step i stands before the share of the matrix instructions that begins with number i * products / steps. Where
/// registers are deposited, a sixteenth of the instructions is left for the end: what was deposited last is on its way
/// meanwhile, as nothing passes the meeting that the next step begins with. The registers of a tile are awaited at
/// once, with as many fetches behind theirs as the other tiles have. Where no step reads ahead, the product is one
/// among others that the step computes with, and these fill what is left between; a few instructions behind the last
/// access are free to go with what follows.
template <class Products, class Activity>
TILEC_DEVICE void run_evenly(const Products &products, const Activity &activity) {
  constexpr bool ahead = reads_ahead<Activity>, refills = ahead && fetched<Activity> > 0;
  constexpr int begun = fetched<Activity> > 0 ? 3 : 2; // by the loops of bench/attention: docs/isa.md
  constexpr int left = refills ? Products::steps / 16 : ahead ? 0 : begun;
  constexpr int count = Products::steps - left, steps = Activity::steps;
  if constexpr (refills)
    target::pin();
  repeat<steps>([&](auto place) TILEC_LAMBDA {
    constexpr int number = decltype(place)::value, from = number * count / steps;
    await_own<fetched<Activity>, refills ? fetched_from<number, Activity> : 0>();
    activity.template step<number>();
    repeat<(number + 1) * count / steps - from>([&](auto i) TILEC_LAMBDA {
      constexpr int product = number * count / steps + decltype(i)::value;
      products.template step<product>();
    });
    if constexpr (ahead)
      target::pin();
    else
      target::pin_products<!copies<Activity>>();
  });
  repeat<left>([&](auto i) TILEC_LAMBDA { products.template step<count + decltype(i)::value>(); });
}

template <class Activity>
TILEC_DEVICE void run_steps(const Activity &activity) {
  repeat<Activity::steps>([&](auto i) TILEC_LAMBDA {
    activity.template step<decltype(i)::value>();
    target::pin();
  });
}

} // namespace detail

/// acc += a * b, a step per matrix instruction.
template <class I, int Flags = 0, class T, class LA, class LB, class S, class LC>
TILEC_DEVICE detail::Multiplying<I, Flags, T, LA, LB, S, LC> multiplying(Tile<S, LC> &acc, const Tile<T, LA> &a,
                                                                         const Tile<T, LB> &b) {
  return {acc, a, b};
}

/// An activity of which each step is followed by `Products` matrix instructions.
template <int Products, class Activity>
TILEC_DEVICE detail::Every<Products, Activity> every(const Activity &activity) {
  return {activity};
}

/// `Products` matrix instructions alone.
template <int Products>
TILEC_DEVICE detail::Every<Products, detail::Nothing> alone() {
  return {};
}

/// One activity made of several.
template <class First, class... Rest>
TILEC_DEVICE detail::InTurn<First, Rest...> in_turn(const First &first, const Rest &...rest) {
  if constexpr (sizeof...(Rest) == 0)
    return {first};
  else
    return {first, in_turn(rest...)};
}

/// Activities that share the matrix instructions: as many of these between any two accesses, but for one.
template <class... Activities>
TILEC_DEVICE auto evenly(const Activities &...activities) {
  return detail::Evenly<decltype(in_turn(activities...))>{in_turn(activities...)};
}
template <class Products, class Activity>
TILEC_DEVICE void places(const Products &products, const detail::Evenly<Activity> &share) {
  detail::run_evenly(products, share.activity);
}

/// The activities in turn, each with its share of the matrix instructions; those that are left come last.
template <class Products, class... Activities>
TILEC_DEVICE void places(const Products &products, const Activities &...activities) {
  detail::run_places<0, (0 + ... + detail::fetched<Activities>)>(products, activities...);
}

/// body(slot, step) for steps from ... end - 1, with the number of the slot as a constant: 0, 1 ... Slots - 1, 0, 1 ...
/// The first step is a multiple of the slots.
template <int Slots, class Body>
TILEC_DEVICE void by_slot(int from, int end, Body &&body) {
#if defined(TILEC_EMULATED)
  if (from % Slots != 0)
    emulator::fault("steps in " + std::to_string(Slots) + " slots begin with " + std::to_string(from) +
                    ", which is not a step of the first slot");
#endif
  int step = from;
  for (int round = (end - from) / Slots; round > 0; --round, step += Slots)
    detail::repeat<Slots>([&](auto slot) TILEC_LAMBDA { body(slot, step + decltype(slot)::value); });
  const int rest = (end - from) % Slots;
  detail::repeat<Slots - 1>([&](auto slot) TILEC_LAMBDA {
    constexpr int number = decltype(slot)::value;
    if (number < rest)
      body(slot, step + number);
  });
}
template <int Slots, class Body>
TILEC_DEVICE void by_slot(int count, Body &&body) {
  by_slot<Slots>(0, target::counted_late(count), body);
}

/// body(slot, step) for steps 0 ... count - 1 with the number of the slot as a value: one text for all slots. Where a
/// workgroup has few steps, and much to do in each, what it costs is bringing the text from memory.
template <int Slots, class Body>
TILEC_DEVICE void by_turn(int count, Body &&body) {
  int slot = 0;
#pragma unroll 1
  for (int step = 0; step < count; ++step) {
    body(slot, step);
    slot = slot + 1 == Slots ? 0 : slot + 1;
  }
}

/// by_slot of a workgroup of so many threads, with the second half of its waves one meeting behind the first: while
/// one half computes, the other reads and copies. What a wave does is settled for all others behind the second meeting
/// that follows. Behind the steps all are together again.
template <int Slots, int Threads, class Body>
TILEC_DEVICE void by_slot_alternating(int from, int end, Body &&body) {
  static_assert(Threads % (2 * target::wave_lanes) == 0, "halves of a workgroup are whole waves");
#if defined(TILEC_EMULATED)
  if (target::threads() != Threads)
    emulator::fault("halves of " + std::to_string(Threads) + " threads alternate in a workgroup of " +
                    std::to_string(target::threads()));
#endif
  const bool later = target::uniform_or_constant(target::thread() / (Threads / 2)) != 0;
  if (later)
    target::meet();
  by_slot<Slots>(from, end, body);
  if (!later)
    target::meet();
}
template <int Slots, int Threads, class Body>
TILEC_DEVICE void by_slot_alternating(int count, Body &&body) {
  by_slot_alternating<Slots, Threads>(0, target::counted_late(count), body);
}

/// Of the waves of a SIMD that could issue, those with the highest level do: 0, with which a wave begins, to 3.
template <int Level>
TILEC_DEVICE void priority() {
  static_assert(Level >= 0 && Level < 4, "there are four levels");
  target::priority<Level>();
}

/// Activities without matrix instructions, in this order.
template <class... Activities>
TILEC_DEVICE void in_order(const Activities &...activities) {
  (detail::run_steps(activities), ...);
}

} // namespace tilec

#endif // TILEC_PLACES_H
