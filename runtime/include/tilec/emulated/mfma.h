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

/// Where the lanes of a wave have their parts: offsets in a (k x rows), b (k x columns) and the sums (rows x columns).
template <class I>
struct WavePlaces {
  int a[I::lanes][I::elements_a], b[I::lanes][I::elements_b], sum[I::lanes][I::registers];

  WavePlaces() {
    for (int lane = 0; lane < I::lanes; ++lane) {
      for (int e = 0; e < I::elements_a; ++e)
        a[lane][e] = I::operand_a(lane, e)[1] * I::rows + I::operand_a(lane, e)[0];
      for (int e = 0; e < I::elements_b; ++e)
        b[lane][e] = I::operand_b(lane, e)[1] * I::columns + I::operand_b(lane, e)[0];
      for (int r = 0; r < I::registers; ++r)
        sum[lane][r] = I::accumulator(lane, r)[0] * I::columns + I::accumulator(lane, r)[1];
    }
  }
};

/// The product of a wave: sums in the order of k. What it reads and writes is the lanes' own.
template <class I>
__attribute__((no_sanitize("thread"))) void multiplyWave(const void *const *in, void *const *out, int lanes, void *) {
  using Sum = typename I::Sum;
  static const WavePlaces<I> places;
  Sum a[I::k * I::rows], b[I::k * I::columns], sums[I::rows * I::columns] = {};
  for (int lane = 0; lane < lanes; ++lane) {
    const auto &deposit = *static_cast<const Deposit<I> *>(in[lane]);
    for (int e = 0; e < I::elements_a; ++e)
      a[places.a[lane][e]] = cast<Sum>(deposit.a.data[e]);
    for (int e = 0; e < I::elements_b; ++e)
      b[places.b[lane][e]] = cast<Sum>(deposit.b.data[e]);
  }
  for (int k = 0; k < I::k; ++k)
    for (int row = 0; row < I::rows; ++row)
      for (int col = 0; col < I::columns; ++col)
        sums[row * I::columns + col] += a[k * I::rows + row] * b[k * I::columns + col];
  for (int lane = 0; lane < lanes; ++lane) {
    const auto &deposit = *static_cast<const Deposit<I> *>(in[lane]);
    auto &result = *static_cast<detail::Fragment<typename I::Sum, I::registers> *>(out[lane]);
    for (int r = 0; r < I::registers; ++r)
      result.data[r] = deposit.acc.data[r] + sums[places.sum[lane][r]];
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
