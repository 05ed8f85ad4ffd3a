//===- mfma.h - emulated: matrix instructions -----------------------------------------------------------*- C++ -*-===//
// The twin of tilec/amd/mfma.h and tilec/nvidia/mma.h for every instruction at once: lanes deposit their operands, the
// last one multiplies by the description in tilec/mma.h and gives each lane its part.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_MFMA_H
#define TILEC_EMULATED_MFMA_H

#include "tilec/cast.h"
#include "tilec/mma.h"

namespace tilec::target {

/// What a lane deposits.
template <class I>
struct Deposit {
  detail::Fragment<typename I::Element, I::elements_a> a;
  detail::Fragment<typename I::Element, I::elements_b> b;
  detail::Fragment<typename I::Sum, I::registers> acc;
};

/// The product of a wave: sums in the order of k.
template <class I>
void multiplyWave(const void *const *in, void *const *out, int lanes, void *) {
  using Sum = typename I::Sum;
  Sum a[I::k][I::rows], b[I::k][I::columns], sums[I::rows][I::columns] = {};
  for (int lane = 0; lane < lanes; ++lane) {
    const auto &deposit = *static_cast<const Deposit<I> *>(in[lane]);
    for (int e = 0; e < I::elements_a; ++e) {
      const Point place = I::operand_a(lane, e);
      a[place[1]][place[0]] = cast<Sum>(deposit.a.data[e]);
    }
    for (int e = 0; e < I::elements_b; ++e) {
      const Point place = I::operand_b(lane, e);
      b[place[1]][place[0]] = cast<Sum>(deposit.b.data[e]);
    }
  }
  for (int k = 0; k < I::k; ++k)
    for (int row = 0; row < I::rows; ++row)
      for (int col = 0; col < I::columns; ++col)
        sums[row][col] += a[k][row] * b[k][col];
  for (int lane = 0; lane < lanes; ++lane) {
    const auto &deposit = *static_cast<const Deposit<I> *>(in[lane]);
    auto &result = *static_cast<detail::Fragment<typename I::Sum, I::registers> *>(out[lane]);
    for (int r = 0; r < I::registers; ++r) {
      const Point place = I::accumulator(lane, r);
      result.data[r] = deposit.acc.data[r] + sums[place[0]][place[1]];
    }
  }
}

/// acc += a * b.
template <class I>
void multiply(const detail::Fragment<typename I::Element, I::elements_a> &a,
              const detail::Fragment<typename I::Element, I::elements_b> &b,
              detail::Fragment<typename I::Sum, I::registers> &acc) {
  const Deposit<I> deposit{a, b, acc};
  emulator::wave_collective(&deposit, &acc, multiplyWave<I>, nullptr);
}

} // namespace tilec::target

#endif // TILEC_EMULATED_MFMA_H
