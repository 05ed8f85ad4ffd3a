//===- Harness.h - runs device code of a test in the emulator -------------------------------------------*- C++ -*-===//
// One launch from a lambda, layouts the tests share, and a naive owner of elements. Tests of one header are in its
// file.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TEST_DEVICE_HARNESS_H
#define TILEC_TEST_DEVICE_HARNESS_H

#include <cmath>
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <tilec/device.h>
#include <vector>

namespace tilec::test {

/// Runs `lane` once per thread of `workgroups` workgroups and waits for the end.
template <class Lane>
void run(int workgroups, int waves, Lane lane, int ldsBytes = 64 * 1024) {
  ASSERT_EQ(0, emulator::launch(lane, {unsigned(workgroups), 1, 1}, {unsigned(waves * target::wave_lanes), 1, 1},
                                ldsBytes, nullptr));
  ASSERT_EQ(hipSuccess, hipDeviceSynchronize()) << emulator::report();
}

/// Small integers that differ from element to element: exact in every type, and sums of them in float.
inline float valueAt(long long i) { return float((i * 7 + i / 5 * 3 + i / 64 * 11) % 17 - 8); }

template <class T>
std::vector<T> values(long long count) {
  std::vector<T> result(count);
  for (long long i = 0; i < count; ++i)
    result[i] = cast<T>(valueAt(i));
  return result;
}

// 128x32, four waves, runs of eight columns: how operands are copied.
using CopyLayout =
    Layout<Shape<128, 32>, Registers<at(0, 1), at(0, 2), at(0, 4), at(64, 0)>,
           Lanes<at(0, 8), at(0, 16), at(1, 0), at(2, 0), at(4, 0), at(8, 0)>, Waves<at(16, 0), at(32, 0)>>;
// 64x64 accumulator of two waves, 32x32 blocks.
using BlockLayout = Layout<Shape<64, 64>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(0, 32)>,
                           Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>, Waves<at(32, 0)>>;
// 16x16 in one wave with replicas: four lanes hold each element, and every register is there twice.
using ReplicatedLayout = Layout<Shape<16, 16>, Registers<at(0, 1), at(0, 0), at(0, 2), at(8, 0), at(0, 4), at(0, 8)>,
                                Lanes<at(1, 0), at(0, 0), at(2, 0), at(0, 0), at(4, 0), at(0, 0)>, Waves<>>;
// Registers whose bases mix dimensions with those of lanes.
using SkewedLayout = Layout<Shape<32, 32>, Registers<at(0, 1), at(0, 2), at(4, 4), at(0, 16)>,
                            Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 4), at(16, 8), at(0, 8)>, Waves<>>;

// Columns that are no power of two: 64x40, of which each thread has 20, and 32x24, of which it has 3.
using UnevenLayout = Layout<Shape<64, 40>, Registers<at(0, 1), at(0, 2), at(0, 8), at(0, 16), at(0, 32)>,
                            Lanes<at(1, 0), at(2, 0), at(4, 0), at(8, 0), at(16, 0), at(0, 4)>, Waves<at(32, 0)>>;
using OddLayout = Layout<Shape<32, 24>, Registers<at(0, 8), at(0, 16)>,
                         Lanes<at(0, 1), at(0, 2), at(0, 4), at(1, 0), at(2, 0), at(4, 0)>, Waves<at(8, 0), at(16, 0)>>;

} // namespace tilec::test

#endif // TILEC_TEST_DEVICE_HARNESS_H
