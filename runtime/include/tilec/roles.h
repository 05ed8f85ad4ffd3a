//===- roles.h - waves of one workgroup that do different work -------------------------------------------*- C++
//-*-===//
// A producer fills slots, and runs ahead of those who read them: into later tasks too. The two sides meet in the words
// of the slots (Full, Empty) alone.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_ROLES_H
#define TILEC_ROLES_H

#include "tilec/launch.h"
#include "tilec/stream.h"

#if defined(TILEC_EMULATED) || defined(__CUDACC__)
namespace tilec {

/// What a wave is, when compiling. One that sends has tasks of its own, beside those of the others.
template <bool Produces, bool Sends = false>
struct WaveRole {
  static constexpr bool produces = Produces, sends = Sends;
};

/// Waves 0 ... Consumers - 1 do body(role) as consumers, those behind them as producers; with a sender, the second of
/// these sends. Where register counts are given, each goes on with its own: those of a producer are free for the
/// others.
template <int Consumers, int ProducerRegisters = 0, int ConsumerRegisters = 0, int Senders = 0, class Body>
TILEC_DEVICE void by_role(Body &&body) {
  // ptxas gives the larger count to what stands first alone: behind the producer, consumers spill (CUDA 13.0).
  if (target::thread() < Consumers * target::wave_lanes) {
    if constexpr (ConsumerRegisters != 0)
      grow_registers<ConsumerRegisters>();
    body(WaveRole<false>{});
  } else {
    static_assert(Senders <= 1, "the wave behind the one that fills slots");
    if constexpr (ProducerRegisters != 0)
      shrink_registers<ProducerRegisters>();
    if (Senders != 0 && target::wave() == Consumers + 1)
      body(WaveRole<true, Senders != 0>{});
    else
      body(WaveRole<true>{});
  }
}

namespace detail {

/// body() by one thread of the first wave behind so many, or by all of its lanes, when what others stored to global
/// memory before this kernel, or before a wait of these threads, is there for the engine.
template <int Consumers, bool ByWave, class Body>
TILEC_DEVICE void act_as_producer(Body &&body) {
  if (target::thread() / target::wave_lanes != Consumers)
    return;
  if (ByWave || elected_of_wave()) {
    fence_async_global();
    body();
  }
  if (!ByWave)
    target::meet_wave();
}

} // namespace detail

/// Steps 0 ... count - 1 of a producer that follows so many waves: fills(slot, step), by one thread of its first wave.
template <int Slots, int Consumers, class Fills>
TILEC_DEVICE void produce(int count, Fills &&fills) {
  detail::act_as_producer<Consumers, false>([&]() TILEC_LAMBDA { by_slot<Slots>(count, fills); });
}
/// The same with the number of the slot as a value (by_turn).
template <int Slots, int Consumers, class Fills>
TILEC_DEVICE void produce_in_turn(int count, Fills &&fills) {
  detail::act_as_producer<Consumers, false>([&]() TILEC_LAMBDA { by_turn<Slots>(count, fills); });
}

/// Behind the tasks of a workgroup of a pair. All threads call it; the thread of `produce` goes on when both workgroups
/// have released every slot that it filled: nobody releases one here any more, and LDS may go. A meeting of the two
/// would wait for what their threads have stored (.8 us of a launch on an H200).
template <int Consumers, int Slots, bool OfPair>
TILEC_DEVICE void end_pair(Empty<Slots, OfPair> &empty) {
  produce<Slots, Consumers>(Slots, [&](auto slot, int) TILEC_LAMBDA { await_empty<decltype(slot)::value>(empty); });
}

/// The same by all lanes of that wave, which wait for others together: fills(slot, step) has a fence_async_global()
/// behind what it waits for.
template <int Slots, int Consumers, class Fills>
TILEC_DEVICE void produce_by_wave(int count, Fills &&fills) {
  detail::act_as_producer<Consumers, true>([&]() TILEC_LAMBDA { by_slot<Slots>(count, fills); });
}
template <int Slots, int Consumers, class Fills>
TILEC_DEVICE void produce_by_wave_in_turn(int count, Fills &&fills) {
  detail::act_as_producer<Consumers, true>([&]() TILEC_LAMBDA { by_turn<Slots>(count, fills); });
}

/// body() by all lanes of the first wave behind so many consumers, where `when` holds.
template <int Consumers, class Body>
TILEC_DEVICE void by_producer(bool when, Body &&body) {
  if (when && target::thread() / target::wave_lanes == Consumers)
    body();
}

/// This wave reads no more of what the slot of a step holds: its reads and its products have been awaited. There is
/// none before step 0.
template <int Slots, bool OfPair>
TILEC_DEVICE void release_step(const Empty<Slots, OfPair> &empty, int step) {
  if (step >= 0)
    release(empty, step % Slots);
}

/// Words by which the first producing wave tells all waves of the tasks that it draws: nobody meets.
struct Tickets {
  detail::SlotWords<1> told, read; ///< that a ticket is there, and that all waves have read it
  int drawer;                      ///< number of the wave
  bool numbered = false;           ///< whether the numbers of the workgroups were their tickets
};

/// Makes the words in `ticket_words_lds` bytes of LDS, for the length of the kernel. All threads call it; they meet in
/// it. So many waves have tasks of their own, and do not ask for these.
TILEC_DEVICE Tickets tickets(int offset, int consumers, int apart = 0) {
  return {detail::make_words<1>(offset, 1, 0),
          detail::make_words<1>(offset + slot_word_bytes, target::threads() / target::wave_lanes - apart, ~0u),
          consumers};
}

/// The next task of a queue for this wave alone, the same in its lanes.
TILEC_DEVICE int next_by_wave(const Launch &launch, int queue) {
  int ticket = 0;
  if (target::lane() == 0) {
    LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
    ticket = detail::draw(state, queue);
  }
  return target::of_first_lane(ticket);
}

/// The next task of a queue, the same in every thread. All waves call it as often; the one that draws is at most one
/// task ahead of the last.
TILEC_DEVICE int next(const Launch &launch, int queue, Tickets &tickets) {
  if (tickets.numbered)
    return 0x7fffffff;
  if (target::wave() == tickets.drawer) {
    tickets.read.await_phase<0>("tickets, read");
    if (elected_of_wave()) {
      LaunchState *state = detail::held_address<detail::state_words, LaunchState>(launch);
      const int ticket = detail::draw(state, queue);
      detail::broadcast(detail::ticket_word, ticket);
      target::arrive(tickets.told.of(0));
      detail::count_drawn(launch, state, queue, ticket);
    }
    target::meet_wave();
  }
  tickets.told.await_phase<0>("tickets, drawn");
  const int ticket = detail::read_broadcast(detail::ticket_word);
  target::meet_wave();
  if (target::lane() == 0)
    target::arrive(tickets.read.of(0));
  return ticket;
}

/// The first task of a queue that all workgroups draw from, and nobody else, of so many. They have come in the order of
/// their numbers: with a workgroup for each task these are the tickets that they would draw, one way to memory later.
TILEC_DEVICE int first(const Launch &launch, int queue, Tickets &tickets, int tasks) {
  tickets.numbered = tasks <= launch.workgroups;
  if (!tickets.numbered)
    return next(launch, queue, tickets);
  if (launch.last_ticket >= 0 && target::thread() == 0 && launch.worker + 1 == launch.workgroups)
    detail::make_ready(detail::held_address<detail::state_words, LaunchState>(launch), launch.epoch - !launch.advance);
  return launch.worker;
}

/// Words by which consumers hand on to the second producing wave what it tells others: they go on while it publishes
/// their stores, which takes as long as the farthest of them is under way.
struct Telling {
  detail::SlotWords<1> stored, begun; ///< that all consumers have stored, and that the wave knows
  int teller;                         ///< number of the wave
};

/// Makes the words in `telling_words_lds` bytes of LDS, for the length of the kernel. All threads call it; they meet in
/// it.
TILEC_DEVICE Telling telling(int offset, int consumers) {
  return {detail::make_words<1>(offset, consumers, 0), detail::make_words<1>(offset + slot_word_bytes, 1, ~0u),
          consumers + 1};
}

/// What this wave stored, and what it loaded, comes before what is told next. All consumers call it as often as the
/// wave tells; one of them is at most one call ahead of that.
TILEC_DEVICE void hand_on(Telling &telling) {
  telling.begun.await_phase<0>("telling, begun");
  target::drain();
  target::meet_wave();
  if (target::lane() == 0)
    target::arrive(telling.stored.of(0));
}

/// body() by all lanes of the wave that tells, when all consumers have handed on. What it signals, as a wave, comes
/// behind what they stored: the word that they arrive at and it awaits orders that for the workgroup, and its release
/// hands it on to a wider scope.
template <class Body>
TILEC_DEVICE void tell(Telling &telling, Body &&body) {
  if (target::wave() != telling.teller)
    return;
  telling.stored.await_phase<0>("telling, stored");
  target::meet_wave();
  if (target::lane() == 0)
    target::arrive(telling.begun.of(0));
  body();
}

/// The first `Waves` waves of the workgroup meet; their LDS and global stores are visible to them after.
template <int Waves>
TILEC_DEVICE void barrier() {
  meet_at<Waves>(1);
}

} // namespace tilec
#endif

#endif // TILEC_ROLES_H
