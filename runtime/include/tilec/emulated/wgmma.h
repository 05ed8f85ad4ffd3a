//===- wgmma.h - emulated: asynchronous matrix products of a warpgroup ----------------------------------*- C++ -*-===//
// The twin of tilec/nvidia/wgmma.h. Each wave has its own part of a product. While one is in flight the emulator has
// the sums, and the lanes hold what no product gives.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_WGMMA_H
#define TILEC_EMULATED_WGMMA_H

#include "tilec/cast.h"
#include "tilec/emulated_async.h"
#include "tilec/wgmma.h"
#include <array>

namespace tilec::target {

/// A sum in flight: NaN, or a number that small tests do not meet.
template <class Sum>
inline Sum sum_in_flight() {
  if constexpr (std::is_same_v<Sum, float>)
    return __builtin_nanf("7");
  else
    return Sum(0x5a5a5a5a);
}

/// The sums of a wave while they are not in its registers.
template <class Sum, int Count>
struct WaveSums {
  std::array<Sum[Count], 32> lanes;

  void take(Sum *const *from) {
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < Count; ++r) {
        lanes[lane][r] = from[lane][r];
        from[lane][r] = sum_in_flight<Sum>();
      }
  }
  bool untouched(const Sum *const *there) const {
    const Sum nothing = sum_in_flight<Sum>();
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < Count; ++r)
        if (__builtin_memcmp(&there[lane][r], &nothing, sizeof(Sum)) != 0)
          return false;
    return true;
  }
  void give(Sum *const *to) const {
    for (int lane = 0; lane < 32; ++lane)
      __builtin_memcpy(to[lane], lanes[lane], sizeof(lanes[lane]));
  }
};

/// What one wave multiplies: LDS tiles at two offsets.
template <class Plan>
struct WaveProduct {
  using I = typename Plan::Instruction;
  using Sum = typename I::Sum;
  int a, b, wave;
  bool accumulate;

  Point first() const {
    Point result;
    for (int bit = 0; bit < Plan::Layout::wave_bits; ++bit)
      if (wave >> bit & 1)
        result = result ^ Plan::Layout::wave_basis(bit);
    return result;
  }
  template <class S>
  static Sum element(const char *lds, int slot, int row, int k) {
    typename S::Element value;
    __builtin_memcpy(&value, lds + slot + S::element(at(row, k)) * int(sizeof(value)), sizeof(value));
    return cast<Sum>(value);
  }
  /// One block of 16 rows and as many columns as the instruction has, instruction by instruction along k.
  void block(const char *lds, int number, std::array<Sum[Plan::sums], 32> &lanes) const {
    const Point own = first() ^ Plan::Layout::of(Plan::accumulator(number, 0));
    static Sum rows[16][Plan::depth], columns[I::columns][Plan::depth];
    for (int k = 0; k < Plan::depth; ++k) {
      for (int row = 0; row < 16; ++row)
        rows[row][k] = element<typename Plan::A>(lds, a, own[0] + row, k);
      for (int column = 0; column < I::columns; ++column)
        columns[column][k] = element<typename Plan::B>(lds, b, own[1] + column, k);
    }
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < I::registers; ++r) {
        const Point place = I::accumulator(lane, r);
        Sum &sum = lanes[lane][Plan::accumulator(number, r)];
        for (int step = 0; step < Plan::steps; ++step) {
          Sum product = 0;
          for (int k = step * I::k; k < (step + 1) * I::k; ++k)
            product += rows[place[0]][k] * columns[place[1]][k];
          sum = step == 0 && !accumulate ? product : sum + product;
        }
      }
  }
  /// The rows of both tiles that it reads.
  std::vector<emulator::LdsRange> reads() const {
    constexpr int a_pitch = detail::BoxPlan<typename Plan::A>::row_bytes;
    constexpr int b_pitch = detail::BoxPlan<typename Plan::B>::row_bytes;
    std::vector<emulator::LdsRange> result;
    for (int number = 0; number < Plan::blocks; ++number) {
      const Point own = first() ^ Plan::Layout::of(Plan::accumulator(number, 0));
      result.push_back({a + own[0] * a_pitch, 16 * a_pitch});
      result.push_back({b + own[1] * b_pitch, I::columns * b_pitch});
    }
    return result;
  }
};

template <class Plan>
void issueProduct(const void *const *, void *const *out, int, void *extra) {
  using Sum = typename Plan::Sum;
  using Sums = WaveSums<Sum, Plan::sums>;
  const auto &product = *static_cast<const WaveProduct<Plan> *>(extra);
  Sum *registers[32];
  for (int lane = 0; lane < 32; ++lane)
    registers[lane] = static_cast<Sum *>(out[lane]);
  std::shared_ptr<void> &held = emulator::sumsOf(registers[0]);
  if (!held) {
    held = std::make_shared<Sums>();
    static_cast<Sums *>(held.get())->take(registers);
  } else if (!static_cast<const Sums *>(held.get())->untouched(registers)) {
    emulator::fault("sums are written while a product of theirs is in flight");
  }
  const auto kind = std::uint64_t(product.a) << 32 | std::uint64_t(product.b) << 8 | std::uint64_t(product.accumulate);
  emulator::issueProducts({registers[0],
                           [product, held, lds = static_cast<const char *>(emulator::lds())] {
                             for (int number = 0; number < Plan::blocks; ++number)
                               product.block(lds, number, static_cast<Sums *>(held.get())->lanes);
                           },
                           product.reads(), kind});
}

template <class Plan>
void multiply_async(typename Plan::Sum (&acc)[Plan::sums], int a, int b, bool accumulate) {
  emulator::interleave();
  WaveProduct<Plan> product{a, b, emulator::wave(), accumulate};
  emulator::wave_collective(nullptr, acc, issueProduct<Plan>, &product);
}

template <int Left>
void await_products() {
  emulator::interleave();
  emulator::wave_collective(
      nullptr, nullptr, [](const void *const *, void *const *, int, void *) { emulator::awaitProducts(Left); },
      nullptr);
}
inline void part_from_wait() {}
template <class Sum, int Count>
void give_back(Sum (&acc)[Count]) {
  emulator::wave_collective(
      nullptr, acc,
      [](const void *const *, void *const *out, int, void *) {
        Sum *registers[32];
        for (int lane = 0; lane < 32; ++lane)
          registers[lane] = static_cast<Sum *>(out[lane]);
        if (emulator::inFlight(registers[0]))
          return emulator::fault("sums are given back while a product of theirs is in flight");
        std::shared_ptr<void> &held = emulator::sumsOf(registers[0]);
        if (held)
          static_cast<const WaveSums<Sum, Count> *>(held.get())->give(registers);
        held = nullptr;
      },
      nullptr);
}

} // namespace tilec::target

#endif // TILEC_EMULATED_WGMMA_H
