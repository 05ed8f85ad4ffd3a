//===- ring.h - LDS with slots, and the activities that fill and read them ------------------------------*- C++ -*-===//
// A loop over K keeps several steps of its operands in flight: they come from a feed, lie in the slots of a ring, and
// are read part by part. Where each access stands among the matrix instructions is the business of places.h; no wait is
// inside but those that a register needs.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_RING_H
#define TILEC_RING_H

#include "tilec/feed.h"

namespace tilec {

/// The registers of layout L whose number has `Value` (0 or 1) at bit `Bit`. A part names elements of the same tile, so
/// that coordinates, LDS addresses and matrix instructions need no rule of their own for it.
template <class L, int Bit, int Value>
struct Part {
  using Shape = typename L::Shape;
  static constexpr int rank = L::rank;
  static constexpr int register_bits = L::register_bits - 1;
  static constexpr int lane_bits = L::lane_bits, wave_bits = L::wave_bits, thread_bits = L::thread_bits;
  static constexpr int registers = 1 << register_bits, threads = L::threads;
  static_assert(Bit >= 0 && Bit < L::register_bits && (Value == 0 || Value == 1), "a part fixes one bit of a register");
  static_assert(L::redundant_registers == 0, "registers of a tile with parts do not replicate");
  static constexpr unsigned redundant_registers = 0, redundant_threads = L::redundant_threads;

  static constexpr Point register_basis(int bit) { return L::register_basis(bit < Bit ? bit : bit + 1); }
  static constexpr Point lane_basis(int bit) { return L::lane_basis(bit); }
  static constexpr Point wave_basis(int bit) { return L::wave_basis(bit); }
  static constexpr Point thread_basis(int bit) { return L::thread_basis(bit); }
  /// The register of L.
  static constexpr int whole(int index) {
    return (index >> Bit) << (Bit + 1) | Value << Bit | (index & ((1 << Bit) - 1));
  }
  static constexpr Point of(int index) { return L::of(whole(index)); }
  template <int Dim>
  static TILEC_DEVICE int of_thread(int thread) {
    return L::template of_thread<Dim>(thread);
  }
};

/// An LDS tile of type S at a byte offset that is known when compiling, so that it is part of the instruction.
template <class S, int Offset>
struct Slot {
  using Tile = S;
  static constexpr int first = Offset;
  static constexpr bool is_aligned(int bytes) { return Offset % bytes == 0; }
};

/// One of a ring of such tiles, of a number that is not known when compiling: what the machine's engines read and fill.
template <class R>
struct AnySlot {
  using Tile = typename R::Tile;
  int first;
  static constexpr bool is_aligned(int bytes) { return R::first % bytes == 0 && R::pitch % bytes == 0; }
};

namespace detail {
template <class A>
inline constexpr bool is_slot = false;
template <class S, int Offset>
inline constexpr bool is_slot<Slot<S, Offset>> = true;
template <class R>
inline constexpr bool is_slot<AnySlot<R>> = true;
} // namespace detail
/// One of the two.
template <class A>
concept SlotOfRing = detail::is_slot<A>;

/// `Slots` tiles of type S, the first at byte Offset of dynamic LDS, each Pitch bytes behind the one before.
template <class S, int Slots, int Offset, int Pitch = S::bytes>
struct Ring {
  using Tile = S;
  static constexpr int slots = Slots, end = Offset + (Slots - 1) * Pitch + S::bytes;
  static constexpr int first = Offset, pitch = Pitch;
  template <int Number>
  static constexpr Slot<S, Offset + Number * Pitch> slot() {
    static_assert(Number >= 0 && Number < Slots, "the ring has no such slot");
    return {};
  }
  static TILEC_DEVICE AnySlot<Ring> slot(int number) { return {Offset + number * Pitch}; }
};

/// This thread's addresses in the slots of a ring, for tiles of layout L and their parts: each access is then one of
/// few registers and an immediate. LDS instructions have 16 bits for it, hence one register for each 64 KiB; and one
/// for each way in which registers and threads flip the same bits. `Transpose`: slots hold transposes of the tiles.
template <class L, class R, bool Transpose = false>
struct Addresses {
  static constexpr bool transposes = Transpose;
  using Turns = detail::TurnPlan<L, typename R::Tile>;
  using Plan = detail::SharedPlan<L, typename R::Tile, Transpose>;
  using Matrices = detail::MatrixPlan<L, typename R::Tile>;
  /// Whether lanes read rows for each other: then a thread's address is that of the row it names.
  static constexpr bool by_matrices = [] {
    if constexpr (target::reads_matrices && !Transpose)
      return Matrices::fits();
    else
      return false;
  }();
  /// Whether lanes turn what they read, where each would read element by element: then a thread's address is that of
  /// what it names.
  static constexpr bool turns = [] {
    if constexpr (target::turns_reads && !Transpose)
      return Plan::count == 1 && Turns::fits();
    else
      return false;
  }();
  using ThreadMap =
      std::conditional_t<turns, typename Turns::ThreadMap,
                         std::conditional_t<by_matrices, typename Matrices::ThreadMap, typename Plan::ThreadMap>>;
  static constexpr int span = 65536, banks = (R::end - 1) / span + 1;
  static constexpr int reach = detail::reach_of<ThreadMap>();
  static constexpr int flipped = [] {
    int bits = 0;
    for (int bit = 0; bit < L::register_bits; ++bit) {
      bool is_matrix = false;
      if constexpr (by_matrices)
        is_matrix = bit == Matrices::matrix_bit(0) || bit == Matrices::matrix_bit(1);
      bits |= is_matrix || (turns && bit < 2) ? 0 : Plan::byte_of(L::register_basis(bit)) & reach;
    }
    return bits;
  }();
  static constexpr int variants = 1 << __builtin_popcount(flipped);

  /// Bits of `flipped` by the number of their combination, and back.
  static constexpr int bits_of(int variant) {
    int result = 0;
    for (int bit = 1; bit <= flipped; bit *= 2)
      if (flipped & bit) {
        result |= variant % 2 ? bit : 0;
        variant /= 2;
      }
    return result;
  }
  static constexpr int variant_of(int bits) {
    int result = 0;
    while (bits_of(result) != bits)
      ++result;
    return result;
  }

  int at[banks][variants];

  /// The place of what lies `Own` bytes from the thread's own, in slot S.
  template <class S, int Own>
  TILEC_DEVICE int of() const {
    // Constants before anything is optimised: an index that becomes one later keeps the array out of registers.
    constexpr int fixed = S::first + (Own & ~reach), variant = variant_of(Own & reach);
    return at[fixed / span][variant] + fixed % span;
  }
};

/// Computes them for the task at hand; they stay in registers through its steps.
template <class L, bool Transpose = false, class R>
TILEC_DEVICE Addresses<L, R, Transpose> addresses_in(R) {
  using A = Addresses<L, R, Transpose>;
  A result;
  const int mine = detail::apply<typename A::ThreadMap>(target::recompute(target::thread()));
  detail::repeat<A::banks>([&](auto bank) TILEC_LAMBDA {
    detail::repeat<A::variants>([&](auto variant) TILEC_LAMBDA {
      constexpr int flips = A::bits_of(decltype(variant)::value), from = decltype(bank)::value * A::span;
      result.at[bank][variant] = target::lds_place((mine ^ flips) + from);
    });
  });
  return result;
}

/// The same where slots hold the transposes.
template <class L, class R>
TILEC_DEVICE Addresses<L, R, true> addresses_in(R ring, Transposed) {
  return addresses_in<L, true>(ring);
}

// An activity has `steps`, and step<i>() does one of them.
namespace detail {

/// The first register of an access.
template <class L, class Plan>
constexpr int lead_of(int step) {
  int index = 0;
  for (int before = 0;; ++index)
    if (Plan::leads(index) && before++ == step)
      return index;
}

template <class T, class L, class A, class S>
struct Reading {
  using Plan = SharedPlan<L, typename S::Tile, A::transposes>;
  static constexpr int steps = L::registers / (A::turns ? 4 : Plan::count) / (A::by_matrices ? 4 : 1);
  Tile<T, L> &to;
  const A &addresses;

  template <int Step>
  TILEC_DEVICE void step() const {
    if constexpr (A::turns)
      read_turned<4 * Step>();
    else if constexpr (A::by_matrices)
      read_matrices<lead_of<L, typename A::Matrices>(Step)>();
    else
      read_run<lead_of<L, Plan>(Step)>();
  }

private:
  template <int First>
  TILEC_DEVICE void read_turned() const {
    T run[4];
    target::load_turned(run, addresses.template of<S, Plan::byte_of(L::of(First))>());
    repeat<4>([&](auto e) TILEC_LAMBDA { to.data[First + decltype(e)::value] = run[e]; });
  }
  template <int First>
  TILEC_DEVICE void read_matrices() const {
    unsigned words[4];
    target::load_matrices(words, addresses.template of<S, Plan::byte_of(L::of(First))>());
    repeat<4>([&](auto matrix) TILEC_LAMBDA {
      T run[Plan::count];
      __builtin_memcpy(run, &words[decltype(matrix)::value], 4);
      repeat<Plan::count>([&](auto e) TILEC_LAMBDA {
        constexpr int member = Plan::member(A::Matrices::member(First, decltype(matrix)::value), decltype(e)::value);
        to.data[member] = run[e];
      });
    });
  }
  template <int First>
  TILEC_DEVICE void read_run() const {
    constexpr int first = First;
    T run[Plan::count];
    target::load_place<Plan::count>(run, addresses.template of<S, Plan::byte_of(L::of(first))>());
    if constexpr (Plan::keeps_bytes())
      __builtin_memcpy(&to.data[first], run, sizeof(run));
    else
      for_each<Plan::count>([&](auto e) TILEC_LAMBDA {
        TILEC_KNOWN int member = Plan::member(first, e);
        to.data[member] = run[e];
      });
  }
};

template <class T, class L, int V, bool IsAcross>
struct Fetching {
  static constexpr int steps = L::registers / V;
  Tile<T, L> &to;
  const Feed<T, L, V, IsAcross> &from;
  int moved; ///< bytes, the same in all lanes

  template <int Step>
  TILEC_DEVICE void step() const {
    target::load_window<V>(&to.data[Step * V], from.window, from.offset[Step], from.bytes(moved));
  }
};

template <class T, class L, class A, class S>
struct Depositing {
  using Plan = SharedPlan<L, typename S::Tile, A::transposes>;
  static constexpr int steps = L::registers / Plan::count;
  const Tile<T, L> &from;
  const A &addresses;
  static_assert(!A::turns, "lanes turn what they read, and deposit it as they hold it");

  template <int Step>
  TILEC_DEVICE void step() const {
    constexpr int first = lead_of<L, Plan>(Step);
    T run[Plan::count];
    for_each<Plan::count>([&](auto e) TILEC_LAMBDA {
      TILEC_KNOWN int member = Plan::member(first, e);
      run[e] = from.data[member];
    });
    target::store_place<Plan::count>(addresses.template of<S, Plan::byte_of(L::of(first))>(), run);
  }
};

/// What was fetched stays as it came until here. Without it the compiler turns bytes of each vector where it is
/// fetched, and waits for it there.
template <class T, int Count>
TILEC_DEVICE void settle(T (&registers)[Count]) {
  if constexpr (sizeof(T) == 1 && Count % 4 == 0)
    repeat<Count / 4>([&](auto word) TILEC_LAMBDA {
      int bits;
      __builtin_memcpy(&bits, &registers[4 * decltype(word)::value], 4);
      bits = target::recompute(bits);
      __builtin_memcpy(&registers[4 * decltype(word)::value], &bits, 4);
    });
}

/// Where LDS takes vectors as they were fetched, each is deposited and the next one fetched into its registers, behind
/// one wait for all of them; else all are deposited, and then fetched.
template <class Deposit, class Fetch>
struct Refilling {
  static constexpr bool rolls = Deposit::steps == Fetch::steps && Deposit::Plan::in_order();
  static constexpr int steps = rolls ? Fetch::steps : Deposit::steps + Fetch::steps;
  Deposit deposit;
  Fetch fetch;

  template <int Step>
  TILEC_DEVICE void step() const {
    if constexpr (rolls) {
      deposit.template step<Step>();
      fetch.template step<Step>();
    } else if constexpr (Step < Deposit::steps) {
      if constexpr (Step == 0)
        settle(fetch.to.data);
      deposit.template step<Step>();
    } else {
      fetch.template step<Step - Deposit::steps>();
    }
  }
};

template <class F, class T, class S>
struct Copying {
  static constexpr int steps = F::vectors, begin = S::first;
  const F &from;
  int moved;

  template <int Step>
  TILEC_DEVICE void step() const {
    constexpr int fixed = S::first + Step / F::group * F::group * F::pitch;
    target::copy_to_lds<Step % F::group * F::pitch>(from.wave + fixed, from.window, from.offset[Step], moved);
  }
};

template <class First, class Second>
struct ByHalves {
  using F = decltype(First::from);
  static constexpr int steps = First::steps;
  static_assert(First::steps == Second::steps, "the halves copy as many bytes");
  First first;
  Second second;

  template <int Step>
  TILEC_DEVICE void step() const {
    using Feed = std::remove_reference_t<F>;
    constexpr int fixed = Step / Feed::group * Feed::group * Feed::pitch, apart = Second::begin - First::begin;
    const bool later = first.from.half != 0;
    const int wave = later ? second.from.wave + apart : first.from.wave;
    target::copy_to_lds<Step % Feed::group * Feed::pitch>(
        wave + First::begin + fixed, later ? second.from.window : first.from.window,
        later ? second.from.offset[Step] : first.from.offset[Step], later ? second.moved : first.moved);
  }
};

} // namespace detail

/// LDS to registers, a step per access.
template <class T, class L, class A, class S>
TILEC_DEVICE detail::Reading<T, L, A, S> reading(Tile<T, L> &to, const A &addresses, S) {
  return {to, addresses};
}
/// LDS to registers at once, in an order that is the compiler's.
template <class L, class R, bool Transpose, class S>
TILEC_DEVICE auto read(const Addresses<L, R, Transpose> &addresses, S slot) {
  using T = typename S::Tile::Element;
  Tile<T, L> tile;
  const auto activity = reading(tile, addresses, slot);
  detail::repeat<decltype(activity)::steps>([&](auto step)
                                                TILEC_LAMBDA { activity.template step<decltype(step)::value>(); });
  return tile;
}
/// Global memory to registers, `moved` bytes along the rows of the feed; a step per vector. The bytes are the same in
/// all lanes, which the compiler does not know where vector registers have divided the number of a task: it would ask
/// each lane where each access goes.
template <class T, class L, int V, bool IsAcross>
TILEC_DEVICE detail::Fetching<T, L, V, IsAcross> fetching(Tile<T, L> &to, const Feed<T, L, V, IsAcross> &from,
                                                          int moved) {
  return {to, from, target::uniform_or_constant(moved)};
}
/// Registers to LDS, a step per vector.
template <class T, class L, class A, class S>
TILEC_DEVICE detail::Depositing<T, L, A, S> depositing(S, const A &addresses, const Tile<T, L> &from) {
  return {from, addresses};
}
/// Vectors leave their registers for LDS, and the next ones are fetched into them.
template <class T, class L, int V, bool IsAcross, class A, class S>
TILEC_DEVICE auto refilling(S to, const A &addresses, Tile<T, L> &registers, const Feed<T, L, V, IsAcross> &from,
                            int moved) {
  return detail::Refilling<detail::Depositing<T, L, A, S>, detail::Fetching<T, L, V, IsAcross>>{
      depositing(to, addresses, registers), fetching(registers, from, moved)};
}
/// Global memory to LDS, a step per 16 bytes of each lane; `moved` as in `fetching`. They are there after
/// `await_copies` and a meeting.
template <class T, class S, int WaveBits, int Offset>
TILEC_DEVICE auto copying(Slot<S, Offset>, const DirectFeed<T, S, WaveBits> &from, int moved) {
  return detail::Copying<DirectFeed<T, S, WaveBits>, T, Slot<S, Offset>>{from, target::uniform_or_constant(moved)};
}

/// The first half of the waves makes the first of two copies from halved feeds, the others make the second.
template <class First, class Second>
TILEC_DEVICE detail::ByHalves<First, Second> by_halves(const First &first, const Second &second) {
  return {first, second};
}

/// Waits until at most `Left` vector memory accesses that this wave issued have not completed, and all its LDS reads
/// have.
template <int Left>
TILEC_DEVICE void await_copies() {
  target::await_copies<Left>();
}
/// Waits until at most `Left` of this wave's LDS accesses have not completed.
template <int Left>
TILEC_DEVICE void await_lds() {
  target::await_lds<Left>();
  target::pin();
}
/// The waves of the workgroup meet, and no more: what is in flight stays there.
TILEC_DEVICE void meet() { target::meet(); }

} // namespace tilec

#endif // TILEC_RING_H
