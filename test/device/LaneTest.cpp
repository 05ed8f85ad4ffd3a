// What the twins of uniform values ask of the lanes of a wave.
#include "Harness.h"

using namespace tilec;
using namespace tilec::test;

namespace {

/// What the emulator says of one workgroup of two waves; empty where nothing was wrong.
template <class Lane>
std::string faultOf(Lane lane) {
  emulator::clear_report();
  EXPECT_EQ(0, emulator::launch(lane, {1, 1, 1}, {128, 1, 1}, 1024, nullptr));
  (void)hipDeviceSynchronize();
  std::string said = emulator::report();
  emulator::clear_report();
  return said;
}

TEST(Lanes, uniformIsTheSameInAWave) {
  EXPECT_EQ(faultOf([] {
              for (int i = 0; i < 3; ++i)
                (void)target::uniform(target::wave() + i);
              (void)target::uniform_base(7);
            }),
            "");
}

TEST(Lanes, uniformOfALanesOwnValueIsAFault) {
  const std::string said = faultOf([] { (void)target::uniform(target::lane() / 63); });
  EXPECT_NE(
      said.find("a value that must be the same in all lanes of a wave is 1 in lane 63 of wave 0, and 0 in lane 0"),
      std::string::npos)
      << said;
  EXPECT_NE(faultOf([] { (void)target::uniform_base(target::thread() & 1); }), "");
}

TEST(Lanes, addressThatDiffersIsAFault) {
  static char memory[64];
  EXPECT_EQ(faultOf([] { (void)target::uniform_pointer(memory); }), "");
  EXPECT_NE(faultOf([] { (void)target::uniform_pointer(memory + target::lane()); }), "");
}

TEST(Lanes, branchOfOneLaneIsNotAskedOfTheOthers) {
  // Calls are told apart by their lines, of which the argument of a macro has one.
  const auto kernel = [] {
    (void)target::uniform(1);
    if (target::lane() == 0)
      (void)target::uniform(2);
    else if (target::lane() == 5)
      (void)target::uniform(3);
    (void)target::uniform(4);
  };
  EXPECT_EQ(faultOf(kernel), "");
}

TEST(Lanes, aLanesOwnValueBehindAStoreBySomeLanesIsAFault) {
  // Every second lane holds what its neighbour does and stores nothing.
  using Halved = Layout<Shape<64>, Registers<>, Lanes<at(0), at(1), at(2), at(4), at(8), at(16)>, Waves<at(32)>>;
  static float memory[64];
  const auto store_and_say = [](int first, int own) {
    store<1>(Tile<float, Halved>(), view(memory, {64}, {1}), {first});
    (void)target::uniform(own);
  };
  // The second place lies across the view's end.
  for (int first : {0, 32}) {
    EXPECT_EQ(faultOf([&] { store_and_say(first, 7); }), "");
    EXPECT_NE(faultOf([&] { store_and_say(first, target::lane() & 1); }), "");
  }
}

TEST(Lanes, valuesMayDifferBetweenMeetings) {
  EXPECT_EQ(faultOf([] {
              for (int i = 0; i < 4; ++i) {
                // Lane 0 comes once more than the others before each barrier.
                for (int k = 0; k < (target::lane() == 0 ? 2 : 1); ++k)
                  (void)target::uniform(10 * i + k);
                target::barrier();
              }
            }),
            "");
  EXPECT_NE(faultOf([] {
              target::barrier();
              (void)target::uniform(target::lane() == 7);
            }),
            "");
}

} // namespace
