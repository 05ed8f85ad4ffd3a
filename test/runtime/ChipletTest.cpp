// What workgroups of a chiplet hand on to each other, and what of it others see. This file is compiled with
// -fsanitize=thread, as text is.
#include <gtest/gtest.h>
#include <hip/hip_runtime.h>
#include <tilec/device.h>

using namespace tilec;

namespace {

enum Step : unsigned { HandOn = 1, TakeOver = 2, Release = 4, Acquire = 8, All = 15 };

/// Workgroup 0 stores a number, workgroup `by` publishes it, workgroup `to` reads it, each behind a word of the one
/// before: data[0], words at data[64] and data[128], what was read at data[192]. The others stay until it is there: the
/// end of a workgroup would release what it stored.
__global__ void pass(int *data, int by, int to, unsigned steps, bool looksFirst) {
  if (target::thread() != 0)
    return;
  const int me = target::workgroup();
  int value = 42;
  if (me == to) {
    if (looksFirst)
      target::load_global<1>(&value, data, 0); // an old one
    while (target::load_relaxed<agent>(data + 128) != 1)
      emulator::pause();
    if (steps & Acquire)
      target::acquire<agent>();
    target::load_global<1>(&value, data, 0);
    target::store_relaxed<agent>(data + 192, value);
    target::store_relaxed<agent>(data + 256, 1);
  } else if (me == by) {
    while (target::load_relaxed<agent>(data + 64) != 1)
      emulator::pause();
    if (steps & TakeOver)
      target::acquire_of_chiplet();
    if (steps & Release)
      target::release<agent>();
    target::store_relaxed<agent>(data + 128, 1);
  } else if (me == 0) {
    target::store_global<1>(data, 0, &value);
    target::drain();
    if (steps & HandOn)
      target::release_to_chiplet();
    target::store_relaxed<agent>(data + 64, 1);
  }
  while (target::load_relaxed<agent>(data + 256) != 1)
    emulator::pause();
}

struct Outcome {
  size_t races;
  int value;
};

/// On a machine whose four units are dealt to two chiplets in turn.
Outcome passOn(int by, int to, unsigned steps, bool race, int chiplets = 2) {
  emulator::Options options;
  options.race = race;
  options.weak = !race;
  options.chiplets = chiplets;
  EXPECT_TRUE(emulator::configure(options));
  emulator::clear_report();
  EXPECT_EQ(hipSetDevice(0), hipSuccess);
  int *memory = nullptr;
  EXPECT_EQ(hipMalloc(&memory, 4096), hipSuccess);
  EXPECT_EQ(hipMemset(memory, 0, 4096), hipSuccess);
  EXPECT_EQ(launch_kernel(pass, 4, 64, 1024, nullptr, memory, by, to, steps, !race), 0);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess) << emulator::report();
  const Outcome outcome{emulator::races().size(), memory[192]};
  EXPECT_EQ(hipFree(memory), hipSuccess);
  EXPECT_TRUE(emulator::configure(emulator::Options()));
  return outcome;
}

size_t races(int by, int to, unsigned steps, int chiplets = 2) { return passOn(by, to, steps, true, chiplets).races; }

} // namespace

TEST(Chiplet, ReleasesWhatOthersHandedOn) {
  EXPECT_EQ(passOn(2, 1, All, false).value, 42);
  EXPECT_EQ(passOn(2, 3, All, false).value, 42);
  EXPECT_EQ(races(2, 1, All), 0u);
  for (unsigned missing : {HandOn, TakeOver, Release, Acquire})
    EXPECT_EQ(races(2, 1, All & ~missing), 1u) << missing;
}

TEST(Chiplet, WhatWasHandedOnStaysThereUntilItIsReleased) {
  EXPECT_EQ(passOn(2, 1, All & ~Release, false).value, 0);
  EXPECT_EQ(passOn(2, 1, All & ~Acquire, false).value, 0);
}

TEST(Chiplet, HandsNothingOnToAnotherChiplet) {
  EXPECT_EQ(races(1, 2, All), 1u);
  EXPECT_EQ(passOn(1, 3, All, false).value, 0);
}

TEST(Chiplet, OfADeviceWithOneReleasesToTheDevice) {
  EXPECT_EQ(passOn(1, 2, All, false, 1).value, 42);
  EXPECT_EQ(races(1, 2, All, 1), 0u);
}
