//===- RingLoops.h - products over K through rings of LDS, as a compiler would print them -----------------*- C++
//-*-===//
// Two loops: operands through registers into two slots, and direct copies into four. The emulator runs them
// (RingTest.cpp) and the device compiler's instructions are counted (test/isa/device/ring.hip). The knobs take out what
// protects.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_DEVICE_RINGLOOPS_H
#define TILEC_TEST_DEVICE_RINGLOOPS_H

#include <tilec/device.h>
#include <tilec/places.h>

namespace tilec::test {

/// 256 x 256 x 32 on 8 waves of 64 x 128 each.
struct Tall {
  static constexpr int rows = 256, columns = 256, depth = 32, wave_bits = 3;
  static constexpr int share = 4; ///< matrix instructions to an access
  using Instruction = Mfma16x16x16<bf16>;
  using Acc =
      Layout<Shape<256, 256>, Registers<at(0, 1), at(0, 2), at(0, 16), at(0, 32), at(16, 0), at(32, 0), at(0, 64)>,
             Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(0, 128), at(64, 0), at(128, 0)>>;
  using A = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(0), at(64), at(128)>>;
  using B = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32), at(64)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(128), at(0), at(0)>>;
  using Copy = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(128)>,
                      Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4), at(8)>, Waves<at(16), at(32), at(64)>>;
  using Operand = Shared<bf16, Shape<256, 32>, Swizzle<8, 2, 4>>;
};

/// The same on 8 waves of 128 x 64, with instructions of k = 32.
struct Deep {
  static constexpr int rows = 256, columns = 256, depth = 32, wave_bits = 3;
  using Instruction = Mfma16x16x32<bf16>;
  using Acc =
      Layout<Shape<256, 256>, Registers<at(0, 1), at(0, 2), at(0, 16), at(0, 32), at(16, 0), at(32, 0), at(64, 0)>,
             Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(0, 64), at(0, 128), at(128, 0)>>;
  using A = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32), at(64)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(0), at(0), at(128)>>;
  using B = Layout<Shape<256, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(64), at(128), at(0)>>;
  using Operand = Shared<bf16, Shape<256, 32>, Swizzle<8, 2, 4>>;
};

/// 64 x 64 x 32 on 2 waves of 32 x 64.
struct Small {
  static constexpr int rows = 64, columns = 64, depth = 32, wave_bits = 1;
  static constexpr int share = 1;
  using Instruction = Mfma16x16x32<bf16>;
  using Acc = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 16), at(16, 0), at(0, 32)>,
                     Lanes<at(1), at(2), at(4), at(8), at(0, 4), at(0, 8)>, Waves<at(32)>>;
  using A = Layout<Shape<64, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(32)>>;
  using B = Layout<Shape<64, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(16), at(32)>,
                   Lanes<at(1), at(2), at(4), at(8), at(0, 8), at(0, 16)>, Waves<at(0)>>;
  using Copy = Layout<Shape<64, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(32)>,
                      Lanes<at(0, 8), at(0, 16), at(1), at(2), at(4), at(8)>, Waves<at(16)>>;
  using Operand = Shared<bf16, Shape<64, 32>, Swizzle<8, 2, 4>>;
};

/// Bytes of the next step along the rows; the last step is taken again rather than what lies behind it.
struct Ahead {
  int next, last;
  TILEC_DEVICE void advance(int bytes) { next = next + bytes < last ? next + bytes : last; }
};

/// c[m, n] = a[m, :] * b[n, :]^T through registers and two slots, K a multiple of the depth and not 0. Fragments are
/// read half a step ahead; the one meeting of a step is in its middle.
template <class L, int Offset = 0, bool Meets = true, class T>
TILEC_DEVICE void product_by_registers(const View<T, 2> &a, const View<T, 2> &b, const View<bf16, 2> &c, int m, int n) {
  using S = typename L::Operand;
  constexpr int half = L::Acc::register_bits - 1, half_b = L::B::register_bits - 1, bytes = L::depth * 2;
  using Acc0 = Part<typename L::Acc, half, 0>;
  using Acc1 = Part<typename L::Acc, half, 1>;
  const Ring<S, 2, Offset, 2 * S::bytes> a_ring;
  const Ring<S, 2, Offset + S::bytes, 2 * S::bytes> b_ring;
  const auto a_feed = feed<typename L::Copy, 8>(a, {m * L::rows, 0});
  const auto b_feed = feed<typename L::Copy, 8>(b, {n * L::columns, 0});
  const auto a_from = addresses_in<typename L::A>(a_ring);
  const auto b_from = addresses_in<typename L::B>(b_ring);
  const auto a_to = addresses_in<typename L::Copy>(a_ring);
  const auto b_to = addresses_in<typename L::Copy>(b_ring);
  const int steps = a.extents[1] / L::depth;
  Ahead k{0, (steps - 1) * bytes};
  auto acc_0 = splat<float, Acc0>(0.0f);
  auto acc_1 = splat<float, Acc1>(0.0f);
  Tile<bf16, typename L::Copy> a_next, b_next;
  Tile<bf16, typename L::A> a_tile[2];
  Tile<bf16, Part<typename L::B, half_b, 0>> b_tile_0;
  Tile<bf16, Part<typename L::B, half_b, 1>> b_tile_1;
  using I = typename L::Instruction;

  barrier();
  target::pin();
  in_order(fetching(a_next, a_feed, k.next), fetching(b_next, b_feed, k.next));
  k.advance(bytes);
  in_order(refilling(a_ring.template slot<0>(), a_to, a_next, a_feed, k.next),
           refilling(b_ring.template slot<0>(), b_to, b_next, b_feed, k.next));
  k.advance(bytes);
  barrier();
  in_order(reading(a_tile[0], a_from, a_ring.template slot<0>()), reading(b_tile_0, b_from, b_ring.template slot<0>()),
           refilling(a_ring.template slot<1>(), a_to, a_next, a_feed, k.next),
           refilling(b_ring.template slot<1>(), b_to, b_next, b_feed, k.next));
  k.advance(bytes);
  by_slot<2>(steps, [&](auto slot, int) TILEC_LAMBDA {
    constexpr int here = decltype(slot)::value, there = 1 - here;
    await_lds<4>();
    constexpr int share = L::share;
    places(multiplying<I, transposed_b>(acc_0, a_tile[here], b_tile_0),
           every<share>(reading(b_tile_1, b_from, b_ring.template slot<here>())));
    if constexpr (Meets)
      barrier();
    target::pin();
    places(multiplying<I, transposed_b>(acc_1, a_tile[here], b_tile_1),
           every<share / 2>(reading(a_tile[there], a_from, a_ring.template slot<there>())),
           every<share / 2>(reading(b_tile_0, b_from, b_ring.template slot<there>())),
           every<share>(refilling(a_ring.template slot<here>(), a_to, a_next, a_feed, k.next)),
           every<share>(refilling(b_ring.template slot<here>(), b_to, b_next, b_feed, k.next)));
    k.advance(bytes);
  });
  drain<4>(acc_0, c, {m * L::rows, n * L::columns});
  drain<4>(acc_1, c, {m * L::rows, n * L::columns});
}

/// The same by direct copies and four slots. `Left`: copies that may be in flight when a slot is read, those of the two
/// steps after it.
template <class L, int Offset = 0, int Left = -1, bool Meets = true, class T>
TILEC_DEVICE void product_by_direct_copies(const View<T, 2> &a, const View<T, 2> &b, const View<bf16, 2> &c, int m,
                                           int n) {
  using S = typename L::Operand;
  constexpr int bytes = L::depth * 2;
  const Ring<S, 4, Offset, 2 * S::bytes> a_ring;
  const Ring<S, 4, Offset + S::bytes, 2 * S::bytes> b_ring;
  const auto a_feed = direct_feed<S, L::wave_bits>(a, {m * L::rows, 0});
  const auto b_feed = direct_feed<S, L::wave_bits>(b, {n * L::columns, 0});
  const auto a_from = addresses_in<typename L::A>(a_ring);
  const auto b_from = addresses_in<typename L::B>(b_ring);
  const int steps = a.extents[1] / L::depth;
  Ahead k{0, (steps - 1) * bytes};
  auto acc = splat<float, typename L::Acc>(0.0f);
  Tile<bf16, typename L::A> a_tile[2];
  Tile<bf16, typename L::B> b_tile[2];
  constexpr int copies = 2 * (S::bytes >> L::wave_bits) / 1024, left = Left < 0 ? 2 * copies : Left;

  barrier();
  target::pin();
  detail::repeat<4>([&](auto slot) TILEC_LAMBDA {
    in_order(copying(a_ring.template slot<decltype(slot)::value>(), a_feed, k.next),
             copying(b_ring.template slot<decltype(slot)::value>(), b_feed, k.next));
    k.advance(bytes);
  });
  await_copies<left + copies>();
  meet();
  in_order(reading(a_tile[0], a_from, a_ring.template slot<0>()),
           reading(b_tile[0], b_from, b_ring.template slot<0>()));
  by_slot<4>(steps, [&](auto slot, int) TILEC_LAMBDA {
    constexpr int here = decltype(slot)::value, following = (here + 1) % 4, now = here % 2, then = 1 - now;
    await_copies<left>();
    if constexpr (Meets)
      meet();
    const auto products = multiplying<typename L::Instruction, transposed_b>(acc, a_tile[now], b_tile[now]);
    const auto read_a = reading(a_tile[then], a_from, a_ring.template slot<following>());
    const auto read_b = reading(b_tile[then], b_from, b_ring.template slot<following>());
    constexpr int share = products.steps / (read_a.steps + read_b.steps + copies);
    places(products, every<share>(read_a), every<share>(read_b),
           every<share>(copying(a_ring.template slot<here>(), a_feed, k.next)),
           every<share>(copying(b_ring.template slot<here>(), b_feed, k.next)));
    k.advance(bytes);
  });
  // The copies of the steps that do not come would land in what the next task stores.
  await_copies<0>();
  drain<4>(acc, c, {m * L::rows, n * L::columns});
}

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_RINGLOOPS_H
