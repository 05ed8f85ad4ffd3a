//===- WarpMachine.h - a machine with waves of 32 lanes for one test, and what it has against a kernel
//--------------===//
#pragma once

#include "Harness.h"

namespace tilec::test {

using emulator::Landing;

/// The machine of one test: a seed, and when copies land and products read.
inline void machine(Landing landing, std::uint64_t seed = 0, bool race = false) {
  emulator::Options options;
  options.waveLanes = 32;
  options.ldsBytes = 227 * 1024;
  options.landing = landing;
  options.seed = seed;
  options.race = race;
  options.computeUnits = 2;
  ASSERT_TRUE(emulator::configure(options));
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  emulator::clear_report();
}

/// What the emulator has against the kernels that ran, races too; empty: nothing.
inline std::string takeReport() {
  std::string report = emulator::report();
  emulator::clear_report();
  for (const std::string &race : emulator::races())
    report += race;
  return report;
}

/// Runs `lane` and returns what the emulator has against it; empty: nothing.
template <class Lane>
std::string reportOf(int waves, Lane lane, int ldsBytes = 64 * 1024) {
  EXPECT_EQ(0, emulator::launch(lane, {1, 1, 1}, {unsigned(waves * 32), 1, 1}, ldsBytes, nullptr));
  const bool good = hipDeviceSynchronize() == hipSuccess;
  EXPECT_EQ(good, emulator::report().empty()) << emulator::report();
  return takeReport();
}

/// One rank whose kernels enter and draw tickets.
struct OneRank {
  LaunchState state = {};
  Failure failure = {};
  std::vector<char> heap = std::vector<char>(256), area = std::vector<char>(16 * signal_stride);
  char *heapBase = heap.data(), *areaBase = area.data();
  Context context() { return {0, 1, &heapBase, &areaBase, &state, &failure, 0, 7, 0}; }
};

} // namespace tilec::test
