//===- StreamLoops.h - products over K through slots that bulk copies fill ---------------------------------*- C++
//-*-===//
// The loop as a compiler would print it for sm_90a. The emulator runs it (StreamTest.cpp), and the device compilers
// translate it (test/gpu/stream.hip). The knobs take out what protects.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_DEVICE_STREAMLOOPS_H
#define TILEC_TEST_DEVICE_STREAMLOOPS_H

#include <tilec/device.h>

namespace tilec::test {

/// 128 x 256 x 64 on two warpgroups, one below the other.
struct Large {
  static constexpr int rows = 128, columns = 256, depth = 64, waves = 8, flags = transposed_b;
  using Element = bf16;
  using Instruction = Wgmma64x256x16<bf16>;
  using Sums =
      Layout<Shape<128, 256>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(0, 128)>,
             Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32), at(64)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<256, 64>, Swizzle<8, 1, 8>>;
};

/// The same with 224 columns.
struct Uneven {
  static constexpr int rows = 128, columns = 224, depth = 64, waves = 8, flags = transposed_b;
  using Element = bf16;
  using Instruction = Wgmma64x224x16<bf16>;
  using Sums =
      Layout<Shape<128, 224>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(0, 128)>,
             Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32), at(64)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<224, 64>, Swizzle<8, 1, 8>>;
};

/// 128 x 64 x 64 on one warpgroup, two blocks below each other.
struct Narrow {
  static constexpr int rows = 128, columns = 64, depth = 64, waves = 4, flags = transposed_b;
  using Element = bf16;
  using Instruction = Wgmma64x64x16<bf16>;
  using Sums = Layout<Shape<128, 64>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(64)>,
                      Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
};

/// The first with b as K x N, in four panels.
struct Untransposed : Large {
  static constexpr int flags = 0;
  using B = Panels<bf16, Shape<64, 256>, 64, Swizzle<8, 1, 8>>;
};

/// 64 x 128 x 64 on one warpgroup with a in registers, as the sums of a product are.
struct FromRegisters {
  static constexpr int rows = 64, columns = 128, depth = 64, waves = 4, flags = 0;
  using Element = bf16;
  using Instruction = Wgmma64x128x16<bf16>;
  using Sums = Layout<Shape<64, 128>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(0, 64)>,
                      Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  using Operand = Layout<Shape<64, 64>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32)>,
                         Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  using A = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
  using B = Panels<bf16, Shape<64, 128>, 64, Swizzle<8, 1, 8>>;
};

/// 128 x 256 x 128 of eight-bit floats, whose sums take two instructions.
struct Promoted {
  static constexpr bool promotes = true; ///< threads add the sums of a step
  static constexpr int rows = 128, columns = 256, depth = 128, waves = 8, flags = transposed_b;
  using Element = fp8_e4m3;
  using Instruction = Wgmma64x128x32<fp8_e4m3>;
  using Sums = Large::Sums;
  using A = Shared<fp8_e4m3, Shape<128, 128>, Swizzle<16, 1, 8>>;
  using B = Shared<fp8_e4m3, Shape<256, 128>, Swizzle<16, 1, 8>>;
};

/// What each thread keeps of a product: its words, four slots.
inline constexpr int word_offset = 128, ring_offset = 1024;
template <class L>
inline constexpr int stream_lds = ring_offset + 4 * (L::A::bytes + L::B::bytes);

/// What a faulty loop leaves out or does wrong.
enum class Fault {
  None,
  NoFull,     ///< reads a slot without waiting for it
  NoParity,   ///< waits for the phase that it awaited before
  NoProducts, ///< a slot is filled again while products read it
  NoSums,     ///< sums are read while products are in flight
  NoMeeting,  ///< a wave fills a slot that another still reads
  FewBytes,   ///< the word of a slot expects too little
  ManyBytes,  ///< and too much
  NoFill,     ///< a slot is awaited that nobody fills
  OneWave,    ///< a wave does not come to the products
  Unfenced,   ///< a store to a slot behind whose products it is filled again
};

/// Fills a slot whose word expects so many bytes more than come.
template <int Slot, class... Copies>
TILEC_DEVICE void fill_beside(const Full<4> &full, int more, const Copies &...copies) {
  if (target::elected()) {
    target::expect_bytes(full.words + 8 * Slot, more + (Copies::bytes + ...));
    (copies.issue(full.words + 8 * Slot), ...);
  }
}

template <class S, class L, class C>
TILEC_DEVICE void store_sums(const Tile<S, L> &acc, const View<C, 2> &c, const Coordinates<2> &start) {
  Tile<C, L> result;
#pragma unroll
  for (int r = 0; r < L::registers; ++r)
    result.data[r] = cast<C>(acc.data[r]);
  store<2>(result, c, start);
}

TILEC_DEVICE Coordinates<2> turned(const Coordinates<2> &at, bool turn) {
  return {at.data[turn ? 1 : 0], at.data[turn ? 0 : 1]};
}

/// c[m, n] = a[m, :] * b[:, n], in steps of L::depth of K, with operands as L::flags say.
template <class L, Fault F = Fault::None, class C>
TILEC_DEVICE void product_by_stream(Full<4> &full, const TensorMap &a_map, const TensorMap &b_map, const View<C, 2> &c,
                                    int depth, int m, int n) {
  const auto a_ring = Ring<typename L::A, 4, ring_offset>();
  const auto b_ring = Ring<typename L::B, 4, ring_offset + 4 * L::A::bytes>();
  using I = typename L::Instruction;
  auto acc = splat<typename I::Sum, typename L::Sums>(0);
  stream<4, 3>((depth + L::depth - 1) / L::depth,
               [&](auto slot, int k) TILEC_LAMBDA {
                 const Coordinates<2> a_start = {m * L::rows, k * L::depth}, b_start = {n * L::columns, k * L::depth};
                 const auto a = copying(a_ring.template slot<slot>(), a_map, turned(a_start, L::flags & transposed_a));
                 const auto b =
                     copying(b_ring.template slot<slot>(), b_map, turned(b_start, !(L::flags & transposed_b)));
                 if constexpr (F == Fault::FewBytes || F == Fault::ManyBytes)
                   fill_beside<slot>(full, F == Fault::FewBytes ? -128 : 128, a, b);
                 else if (F != Fault::NoFill || k != 5)
                   fill<slot>(full, a, b);
               },
               [&](auto slot, int) TILEC_LAMBDA {
                 if constexpr (F != Fault::NoFull)
                   await_full<slot>(full);
                 if constexpr (F == Fault::NoParity)
                   full.parities ^= 1u << slot;
                 if constexpr (requires { L::promotes; })
                   multiply_promoted<I, L::flags>(acc, a_ring.template slot<slot>(), b_ring.template slot<slot>());
                 else if (F != Fault::OneWave || target::wave() != 1)
                   multiply_async<I, L::flags>(acc, a_ring.template slot<slot>(), b_ring.template slot<slot>());
                 if constexpr (F != Fault::NoProducts)
                   await_products<1>();
                 if constexpr (F == Fault::Unfenced) {
                   const int none = 0;
                   target::store_lds<1>(ring_offset + (slot + 3) % 4 * L::A::bytes + 4 * target::thread(), &none);
                 }
                 if constexpr (F != Fault::NoMeeting)
                   meet();
               });
  if constexpr (F != Fault::NoSums)
    await_products<0>(acc);
  store_sums(acc, c, {m * L::rows, n * L::columns});
}

/// The same with a read to registers: each step is complete before the next one takes them. `Begins`: of a single step,
/// whose sums hold anything before.
template <class L, bool Begins = false, class C>
TILEC_DEVICE void product_from_registers(Full<4> &full, const TensorMap &a_map, const TensorMap &b_map,
                                         const View<C, 2> &c, int depth, int m, int n) {
  using RingA = Ring<typename L::A, 4, ring_offset>;
  const auto a_ring = RingA();
  const auto b_ring = Ring<typename L::B, 4, ring_offset + 4 * L::A::bytes>();
  using I = typename L::Instruction;
  auto acc = splat<typename I::Sum, typename L::Sums>(Begins ? 7 : 0);
  stream<4, 3>((depth + L::depth - 1) / L::depth,
               [&](auto slot, int k) TILEC_LAMBDA {
                 fill<slot>(full, copying(a_ring.template slot<slot>(), a_map, {m * L::rows, k * L::depth}),
                            copying(b_ring.template slot<slot>(), b_map, {k * L::depth, n * L::columns}));
               },
               [&](auto slot, int) TILEC_LAMBDA {
                 await_full<slot>(full);
                 const auto a =
                     load<typename L::Operand>(shared<typename L::A>(decltype(RingA::template slot<slot>())::first));
                 multiply_async<I>(acc, a, b_ring.template slot<slot>(), !Begins);
                 await_products<0>();
                 meet();
               });
  await_products<0>(acc);
  store_sums(acc, c, {m * L::rows, n * L::columns});
}

/// What a faulty loop with a producer leaves out or does wrong.
enum class RoleFault {
  None,
  NoEmpty,      ///< a slot is filled again before it is released
  EarlyRelease, ///< it is released while products read it
  FewReleases,  ///< a wave does not release
  NoFence,      ///< results are stored without a fence behind them
  NoMeeting,    ///< and without a meeting
  NoRead,       ///< LDS is written again while a bulk store reads it
};

/// Large with a warpgroup more, the last, that fills slots for the others, and its results by way of LDS.
struct Specialised : Large {
  static constexpr int waves = 12, consumers = 8;
  /// 64 x 256 of each consumer, in four panels.
  using Result = Panels<bf16, Shape<64, 256>, 64, Swizzle<8, 1, 8>>;
  using Own = Layout<Shape<64, 256>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(0, 128)>,
                     Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  static constexpr int slots = 3, results = ring_offset + slots * (A::bytes + B::bytes);
  static constexpr int lds = results + 2 * Result::bytes;
};

/// All tasks of a workgroup. Sums of one warpgroup are 64 x 256: its rows of the tile.
template <class L, RoleFault F = RoleFault::None>
TILEC_DEVICE void products_by_roles(const TensorMap &a_map, const TensorMap &b_map, const TensorMap &c_map, int tasks,
                                    int across, int depth) {
  constexpr int slots = L::slots;
  auto full_words = full<slots>(word_offset);
  auto empty_words = empty<slots>(word_offset + 8 * slots, L::consumers);
  const auto a_ring = Ring<typename L::A, slots, ring_offset>();
  const auto b_ring = Ring<typename L::B, slots, ring_offset + slots * L::A::bytes>();
  const int steps = (depth + L::depth - 1) / L::depth;
  using I = typename L::Instruction;
  if (target::wave() >= L::consumers) {
    shrink_registers<40>();
    if (target::wave() == L::consumers && elected_of_wave())
      for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x))
        by_slot<slots>(steps, [&](auto slot, int k) TILEC_LAMBDA {
          if constexpr (F != RoleFault::NoEmpty)
            await_empty<slot>(empty_words);
          fill_alone<slot>(full_words,
                           copying(a_ring.template slot<slot>(), a_map, {task / across * L::rows, k * L::depth}),
                           copying(b_ring.template slot<slot>(), b_map, {task % across * L::columns, k * L::depth}));
        });
    return;
  }
  grow_registers<232>();
  const int warpgroup = target::wave() / 4;
  const auto result = shared<typename L::Result>(L::results + warpgroup * L::Result::bytes);
  for (int task = int(blockIdx.x); task < tasks; task += int(gridDim.x)) {
    auto acc = splat<typename I::Sum, typename L::Sums>(0);
    by_slot<slots>(steps, [&](auto slot, int k) TILEC_LAMBDA {
      constexpr int before = (decltype(slot)::value + slots - 1) % slots;
      await_full<slot>(full_words);
      multiply_async<I, L::flags>(acc, a_ring.template slot<slot>(), b_ring.template slot<slot>());
      if constexpr (F != RoleFault::EarlyRelease)
        await_products<1>();
      if (k != 0 && (F != RoleFault::FewReleases || target::wave() != 2))
        release<before>(empty_words);
    });
    await_products<0>(acc);
    if (steps != 0)
      release(empty_words, (steps - 1) % slots);
    if constexpr (F != RoleFault::NoRead)
      if (target::thread() % 128 == 0)
        await_stores_read<0>();
    meet_at<4>(1 + warpgroup);
    Tile<bf16, typename L::Own> rounded;
#pragma unroll
    for (int r = 0; r < L::Own::registers; ++r)
      rounded.data[r] = cast<bf16>(acc.data[r]);
    store(result, rounded);
    if constexpr (F != RoleFault::NoFence)
      fence_async();
    if constexpr (F != RoleFault::NoMeeting)
      meet_at<4>(1 + warpgroup);
    if (target::thread() % 128 == 0)
      store_async(c_map, {task / across * L::rows + warpgroup * 64, task % across * L::columns}, result);
  }
  if (target::thread() % 128 == 0)
    await_stores<0>();
}

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_STREAMLOOPS_H
