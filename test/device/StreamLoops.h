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
  static constexpr int rows = 128, columns = 256, depth = 64, waves = 8;
  using Element = bf16;
  using Instruction = Wgmma64x256x16<bf16>;
  using Sums =
      Layout<Shape<128, 256>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(0, 64), at(0, 128)>,
             Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32), at(64)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<256, 64>, Swizzle<8, 1, 8>>;
};

/// 128 x 64 x 64 on one warpgroup, two blocks below each other.
struct Narrow {
  static constexpr int rows = 128, columns = 64, depth = 64, waves = 4;
  using Element = bf16;
  using Instruction = Wgmma64x64x16<bf16>;
  using Sums = Layout<Shape<128, 64>, Registers<at(0, 1), at(8), at(0, 8), at(0, 16), at(0, 32), at(64)>,
                      Lanes<at(0, 2), at(0, 4), at(1), at(2), at(4)>, Waves<at(16), at(32)>>;
  using A = Shared<bf16, Shape<128, 64>, Swizzle<8, 1, 8>>;
  using B = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;
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

/// c[m, n] = a[m, :] * b[n, :]^T, in steps of L::depth of K.
template <class L, Fault F = Fault::None, class C>
TILEC_DEVICE void product_by_stream(Full<4> &full, const TensorMap &a_map, const TensorMap &b_map, const View<C, 2> &c,
                                    int depth, int m, int n) {
  const auto a_ring = Ring<typename L::A, 4, ring_offset>();
  const auto b_ring = Ring<typename L::B, 4, ring_offset + 4 * L::A::bytes>();
  using I = typename L::Instruction;
  auto acc = splat<typename I::Sum, typename L::Sums>(0);
  stream<4, 3>((depth + L::depth - 1) / L::depth,
               [&](auto slot, int k) TILEC_LAMBDA {
                 const auto a = copying(a_ring.template slot<slot>(), a_map, {m * L::rows, k * L::depth});
                 const auto b = copying(b_ring.template slot<slot>(), b_map, {n * L::columns, k * L::depth});
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
                 if (F != Fault::OneWave || target::wave() != 1)
                   multiply_async<I, transposed_b>(acc, a_ring.template slot<slot>(), b_ring.template slot<slot>());
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
  Tile<C, typename L::Sums> result;
#pragma unroll
  for (int r = 0; r < L::Sums::registers; ++r)
    result.data[r] = cast<C>(acc.data[r]);
  store<2>(result, c, {m * L::rows, n * L::columns});
}

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_STREAMLOOPS_H
