// The C API used wrongly by an application: the call is refused, in words that say what is wrong; nothing crashes,
// hangs or computes garbage.
#include "RingKernel.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tilec/abi.h>
#include <tilec/host.h>

using namespace tilec;
using nlohmann::json;

namespace {

constexpr int most = 8;

int launchError = 0; ///< what the next launch function returns without enqueuing anything

int ringLaunch(const LaunchArguments *arguments) {
  if (arguments->workgroups && launchError)
    return std::exchange(launchError, 0);
  return launch_kernel(ringKernel<most>, arguments->workgroups, 64, 64, arguments->stream, arguments->context,
                       static_cast<const int *>(arguments->pointers[0]), static_cast<int *>(arguments->pointers[1]),
                       arguments->workspace, int(arguments->extents[0]));
}

json manifest(const char *program = "ring") {
  json result = json::parse(R"json({
    "tilec": 1, "target": "gfx942", "world": 2, "extents": ["M"],
    "arguments": [
      {"name": "in", "dtype": "i32", "shape": ["M"], "symmetric": true, "peers": "none"},
      {"name": "out", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"}],
    "scratch": [{"name": "inbox", "dtype": "i32", "shape": [8], "copies": 4, "offset": 0, "symmetric": true}],
    "signals": [{"name": "sent", "shape": [8], "scope": "system", "offset": 0}],
    "kernels": [{"name": "ringKernel", "threads": 64, "lds_bytes": 64,
                 "roles": [{"name": "rows", "workgroups": null, "tasks": "M"}], "progress": {"class": "any"}}]
  })json");
  result["program"] = program;
  return result;
}

/// Two ranks of one process.
class Misuse : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(emulator::configure({}));
    emulator::clear_report();
    ASSERT_EQ(tilec_emulated_worlds(2, 1 << 16, 1 << 16, worlds), TILEC_OK) << tilec_last_error();
    load(0), load(1);
  }

  void TearDown() override {
    for (tilec_world *world : worlds)
      tilec_world_destroy(world);
  }

  void load(int rank) {
    programs[rank] = link(rank, manifest());
    void *memory = nullptr;
    ASSERT_EQ(tilec_heap_alloc(worlds[rank], 4 * most * 4, &workspaces[rank]), TILEC_OK);
    ASSERT_EQ(tilec_heap_alloc(worlds[rank], most * 4, &memory), TILEC_OK);
    in[rank] = static_cast<int *>(memory);
    std::fill_n(in[rank], most, 1 + rank);
  }

  tilec_program *link(int rank, const json &text) {
    tilec_program *made = nullptr;
    const int64_t extents[] = {most};
    EXPECT_EQ(tilec_program_link(worlds[rank], text.dump().c_str(), ringLaunch, extents, 1, &made), TILEC_OK)
        << tilec_last_error();
    return made;
  }

  tilec_result launch(int rank, int64_t rows) { return launch(rank, programs[rank], rows); }
  tilec_result launch(int rank, tilec_program *program, int64_t rows) {
    void *const arguments[] = {in[rank], out[rank]};
    return tilec_launch(program, nullptr, arguments, 2, &rows, 1, workspaces[rank], 0);
  }

  void expectWorks(int64_t rows) {
    for (int rank = 0; rank < 2; ++rank) {
      std::fill_n(out[rank], most, 0);
      ASSERT_EQ(launch(rank, rows), TILEC_OK) << tilec_last_error();
    }
    for (int rank = 0; rank < 2; ++rank)
      ASSERT_EQ(tilec_synchronize(worlds[rank], nullptr), TILEC_OK) << tilec_last_error();
    for (int rank = 0; rank < 2; ++rank)
      for (int i = 0; i < most; ++i)
        EXPECT_EQ(out[rank][i], i < rows ? 2 - rank : 0) << "rank " << rank << ", row " << i;
  }

  void reset() {
    for (tilec_world *world : worlds)
      ASSERT_EQ(tilec_world_reset(world), TILEC_OK) << tilec_last_error();
  }

  bool says(const std::string &words) { return std::string(tilec_last_error()).find(words) != std::string::npos; }

  tilec_world *worlds[2] = {};
  tilec_program *programs[2] = {};
  void *workspaces[2] = {};
  int *in[2] = {}, out[2][most] = {};
};

/// Elements two apart: the range of an argument ends with the last, and none may share memory.
TEST_F(Misuse, stridesWithWhichElementsOverlap) {
  json strided = manifest("strided");
  strided["extents"] = {"M", "gap"};
  strided["arguments"][0]["strides"] = {"gap"};
  tilec_program *made = nullptr;
  const int64_t extents[] = {most, 4};
  auto tryLaunch = [&](int64_t rows, int64_t gap, int *output) {
    void *const arguments[] = {in[0], output};
    const int64_t now[] = {rows, gap};
    return tilec_launch(made, nullptr, arguments, 2, now, 2, workspaces[0], 0);
  };
  for (int rank : {1, 0})
    ASSERT_EQ(tilec_program_link(worlds[rank], strided.dump().c_str(), ringLaunch, extents, 2, &made), TILEC_OK)
        << tilec_last_error();
  EXPECT_EQ(tryLaunch(3, 0, out[0]), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(),
               "'strided': elements of argument 'in' share memory: dimension 0 has stride 0, expected at least 1");
  EXPECT_EQ(tryLaunch(3, 2, in[0] + 4), TILEC_OVERLAP);
  EXPECT_STREQ(tilec_last_error(), "'strided': argument 'in' and argument 'out' overlap by 4 bytes");
  EXPECT_EQ(tryLaunch(3, 2, in[0] + 1), TILEC_OVERLAP) << "between elements";
  EXPECT_EQ(tryLaunch(1, 0, in[0] + 1), TILEC_OK) << "one element steps nowhere";
}

TEST_F(Misuse, ranksOfOneProcessWithOtherExtentsComputedGarbage) {
  ASSERT_EQ(launch(0, 5), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(1, 7), TILEC_REFUSED);
  const std::string words = "launch 1 of 'ring': rank 0 gave M=5, rank 1 gave M=7";
  EXPECT_EQ(tilec_last_error(), words);
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(tilec_synchronize(worlds[rank], nullptr), TILEC_LAUNCH_FAILED);
    const std::string failed = "a launch of rank " + std::to_string(rank) + " failed: " + words;
    EXPECT_EQ(tilec_last_error(), failed);
    tilec_failure failure;
    ASSERT_EQ(tilec_status(worlds[rank], &failure), TILEC_OK);
    EXPECT_EQ(failure.failed, 1);
    EXPECT_STREQ(failure.reason, "mismatch");
    EXPECT_EQ(failure.words, failed);
    EXPECT_EQ(launch(rank, 5), TILEC_REFUSED);
    EXPECT_EQ(tilec_last_error(), words + "; every rank must call tilec_world_reset");
  }
  reset();
  expectWorks(7);
}

TEST_F(Misuse, aLaunchThatExchangesNothingLetARankOverwriteItsPeer) {
  json text = manifest();
  text["verified"] = {{"launches", 4}, {"extents", json::array()}, {"nonzero", {{"M"}}}};
  for (int rank = 0; rank < 2; ++rank)
    programs[rank] = link(rank, text);
  expectWorks(3);
  // Without a task on any rank it is as if the launch had not been, on the device, too.
  for (int rank = 0; rank < 2; ++rank) {
    unsigned before = 0, after = 0;
    ASSERT_EQ(tilec_program_epoch(programs[rank], &before), TILEC_OK);
    ASSERT_EQ(launch(rank, 0), TILEC_OK) << tilec_last_error();
    ASSERT_EQ(tilec_synchronize(worlds[rank], nullptr), TILEC_OK) << tilec_last_error();
    ASSERT_EQ(tilec_program_epoch(programs[rank], &after), TILEC_OK);
    EXPECT_EQ(before, after);
  }
  expectWorks(5);
  text["kernels"][0]["roles"][0]["tasks"] = "M + 1";
  for (int rank = 0; rank < 2; ++rank) {
    programs[rank] = link(rank, text);
    EXPECT_EQ(launch(rank, 0), TILEC_BAD_EXTENTS);
    EXPECT_TRUE(says("extent 'M' of 'ring' is 0, expected more")) << tilec_last_error();
  }
  // The same without a launch.
  const int64_t none = 0, one = 1;
  EXPECT_EQ(tilec_extents_nonzero(text.dump().c_str(), &none, 1), TILEC_BAD_EXTENTS);
  EXPECT_EQ(tilec_extents_nonzero(text.dump().c_str(), &one, 1), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_extents_nonzero(nullptr, &one, 1), TILEC_INVALID_ARGUMENT);
  expectWorks(2);
}

TEST_F(Misuse, persistentScratchThatNobodyZeroedWasRead) {
  json text = manifest();
  text["scratch"][0]["persistent"] = true;
  for (int rank = 0; rank < 2; ++rank)
    programs[rank] = link(rank, text);
  EXPECT_EQ(launch(0, 3), TILEC_REFUSED);
  EXPECT_TRUE(says("'ring' keeps persistent scratch from launch to launch, expected tilec_workspace_clear before the "
                   "first launch"))
      << tilec_last_error();
  std::memset(workspaces[0], 0xff, 4 * most * 4);
  ASSERT_EQ(tilec_workspace_clear(programs[0], workspaces[0]), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(static_cast<int *>(workspaces[0])[most - 1], 0);
  EXPECT_EQ(launch(0, 3), TILEC_REFUSED);
  EXPECT_TRUE(says("rank 1 has not called tilec_workspace_clear")) << tilec_last_error();
  ASSERT_EQ(tilec_workspace_clear(programs[1], workspaces[1]), TILEC_OK) << tilec_last_error();
  expectWorks(3);
  void *other = nullptr;
  ASSERT_EQ(tilec_heap_alloc(worlds[0], 4 * most * 4, &other), TILEC_OK);
  std::swap(workspaces[0], other);
  EXPECT_EQ(launch(0, 3), TILEC_REFUSED);
  EXPECT_TRUE(says("expected the workspace that tilec_workspace_clear was called with")) << tilec_last_error();
  std::swap(workspaces[0], other);
  // What a failed launch left is no content to go on with.
  reset();
  EXPECT_EQ(launch(0, 3), TILEC_REFUSED);
  EXPECT_EQ(tilec_workspace_clear(programs[0], nullptr), TILEC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("the workspace is null")) << tilec_last_error();
  EXPECT_EQ(tilec_workspace_clear(programs[0], in), TILEC_NOT_SYMMETRIC);
  EXPECT_TRUE(says("'ring': the workspace must lie in the symmetric heap")) << tilec_last_error();
}

TEST_F(Misuse, scratchIsFoundByItsNameAlone) {
  const int64_t rows = 3;
  size_t offset = 0;
  EXPECT_EQ(tilec_workspace_offset(programs[0], &rows, 1, "inbox", 7, &offset), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(offset, 3 * 8 * 4u);
  EXPECT_EQ(tilec_workspace_offset(programs[0], &rows, 1, "outbox", 7, &offset), TILEC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("no scratch buffer is named 'outbox'")) << tilec_last_error();
  EXPECT_EQ(tilec_workspace_offset(programs[0], &rows, 1, nullptr, 7, &offset), TILEC_INVALID_ARGUMENT);
}

TEST_F(Misuse, aLaunchOfTwoBillionWorkgroupsDidNotEnd) {
  void *const arguments[] = {in[0], out[0]};
  const int64_t rows = 3;
  for (int workgroups : {-1, 65537, INT32_MAX}) {
    EXPECT_EQ(tilec_launch(programs[0], nullptr, arguments, 2, &rows, 1, workspaces[0], workgroups),
              TILEC_INVALID_ARGUMENT);
    EXPECT_TRUE(says("a launch cannot have " + std::to_string(workgroups) + " workgroups, expected 0 to 65536"))
        << tilec_last_error();
  }
}

TEST_F(Misuse, aProductOfExtentsWrappedIn32Bits) {
  json text = manifest();
  text["kernels"][0]["roles"][0]["tasks"] = "ceildiv(M * 1000000000, 1000000000)";
  tilec_program *program = link(0, text);
  EXPECT_EQ(launch(0, program, 3), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("expression 'ceildiv(M * 1000000000, 1000000000)': the value 3000000000 on the way does not fit the "
                   "32 bits that it is computed in"))
      << tilec_last_error();
  text["kernels"][0]["roles"][0]["tasks"] = "ceildiv(M * 1000000000, 2000000000)";
  program = link(0, text);
  EXPECT_EQ(launch(0, program, 2), TILEC_BAD_EXTENTS) << "rounding up adds the divisor";
}

TEST_F(Misuse, anExtentFixedWhenCompiledTookOtherValues) {
  json text = manifest();
  text["conditions"] = {{{"left", "M"}, {"relation", "=="}, {"right", 2}}};
  tilec_program *program = link(0, text);
  EXPECT_EQ(launch(0, program, 3), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("'ring' is for extents with M == 2, got M=3")) << tilec_last_error();
  programs[0] = program, programs[1] = link(1, text);
  expectWorks(2);
}

TEST_F(Misuse, aConditionIsCheckedAtEveryLaunch) {
  json text = manifest();
  text["conditions"] = {{{"left", "mod(M, 4)"}, {"relation", "=="}, {"right", 0}},
                        {{"left", "M"}, {"relation", "<="}, {"right", "max_M - 4"}}};
  for (int rank = 0; rank < 2; ++rank)
    programs[rank] = link(rank, text);
  expectWorks(4);
  EXPECT_EQ(launch(0, 6), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("'ring' is for extents with mod(M, 4) == 0, got M=6")) << tilec_last_error();
  EXPECT_EQ(launch(0, 8), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("'ring' is for extents with M <= max_M - 4, got M=8")) << tilec_last_error();
  expectWorks(0);
}

TEST_F(Misuse, scratchAndGridsThatShrinkWithTheirExtentOverlapped) {
  json text = manifest();
  text["scratch"][0]["shape"] = {"9 - max_M"};
  tilec_program *program = link(0, text);
  EXPECT_EQ(launch(0, program, 3), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("'ring': scratch buffer 'inbox' is larger for these extents than for the greatest ones"))
      << tilec_last_error();
  text = manifest();
  text["signals"][0]["shape"] = {"mod(max_M, 8) + 1", 8};
  program = link(0, text);
  EXPECT_EQ(launch(0, program, 3), TILEC_BAD_EXTENTS);
  EXPECT_TRUE(says("'ring': signal grid 'sent' is larger for these extents")) << tilec_last_error();
}

TEST_F(Misuse, ranksOfOneProcessMayRunAhead) {
  // Two programs, whose launches interleave as each rank likes; launch n of each is the same everywhere.
  tilec_program *others[] = {link(0, manifest()), link(1, manifest())};
  for (int64_t rows : {5, 0, 8})
    ASSERT_EQ(launch(0, rows), TILEC_OK) << tilec_last_error();
  for (int64_t rows : {3, 4})
    ASSERT_EQ(launch(0, others[0], rows), TILEC_OK) << tilec_last_error();
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(launch(1, i ? 0 : 5), TILEC_OK) << tilec_last_error();
    ASSERT_EQ(launch(1, others[1], 3 + i), TILEC_OK) << tilec_last_error();
  }
  EXPECT_EQ(launch(1, 7), TILEC_REFUSED);
  EXPECT_TRUE(says("launch 3 of 'ring': rank 0 gave M=8, rank 1 gave M=7")) << tilec_last_error();
  reset();
  expectWorks(8);
}

TEST_F(Misuse, ranksOfOneProcessWithOtherProgramsOrBuffersAreNamed) {
  tilec_program *others[] = {link(0, manifest()), link(1, manifest("gnir"))};
  ASSERT_EQ(launch(1, others[1], 5), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, others[0], 5), TILEC_REFUSED);
  EXPECT_TRUE(says("launch 1: rank 1 gave 'gnir', M=5,") && says("rank 0 gave 'ring', M=5,")) << tilec_last_error();
  reset();
  json same = manifest();
  same["kernels"][0]["per_compute_unit"] = 2;
  tilec_program *alike[] = {link(0, manifest()), link(1, same)};
  ASSERT_EQ(launch(0, alike[0], 5), TILEC_OK);
  EXPECT_EQ(launch(1, alike[1], 5), TILEC_REFUSED);
  EXPECT_TRUE(says("launch 1 of 'ring': rank 0 gave one manifest, rank 1 gave another manifest")) << tilec_last_error();
  reset();
  ASSERT_EQ(launch(0, 5), TILEC_OK);
  in[1] += 1;
  EXPECT_EQ(launch(1, 5), TILEC_REFUSED);
  EXPECT_TRUE(says("rank 0 gave 'in' at byte 256 of the heap, rank 1 gave 'in' at byte 260 of the heap"))
      << tilec_last_error();
  in[1] -= 1;
  reset();
  ASSERT_EQ(launch(0, 0), TILEC_OK);
  EXPECT_EQ(launch(1, 5), TILEC_REFUSED);
  EXPECT_TRUE(says("rank 0 gave M=0, rank 1 gave M=5, 'in' at byte 256 of the heap")) << tilec_last_error();
  reset();
  expectWorks(5);
}

TEST_F(Misuse, aLaunchAfterAPeersWorldWasDestroyedCrashed) {
  tilec_world_destroy(std::exchange(worlds[0], nullptr));
  EXPECT_EQ(launch(1, 5), TILEC_REFUSED);
  const std::string words =
      "rank 0 of the world was destroyed: destroy the other ranks as well, then make all of them again";
  EXPECT_EQ(tilec_last_error(), words);
  tilec_program *program = nullptr;
  const int64_t extents[] = {most};
  EXPECT_EQ(tilec_program_link(worlds[1], manifest().dump().c_str(), ringLaunch, extents, 1, &program), TILEC_REFUSED);
  EXPECT_EQ(tilec_last_error(), words);
  void *there = nullptr;
  EXPECT_EQ(tilec_heap_remote(worlds[1], in[1], 0, &there), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "rank 0 does not exist");
  EXPECT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_world_reset(worlds[1]), TILEC_OK) << tilec_last_error();
}

TEST_F(Misuse, destroyingARankWithLaunchesUnderWayCrashed) {
  // Whatever device the application has made the current one.
  for (int current : {0, 1})
    for (bool programsFirst : {false, true}) {
      for (int rank : {0, 1}) {
        std::fill_n(out[rank], most, 0);
        for (int round = 0; round < 3; ++round)
          ASSERT_EQ(launch(rank, most), TILEC_OK) << tilec_last_error();
      }
      ASSERT_EQ(hipSetDevice(current), hipSuccess);
      for (tilec_program *program : programs)
        if (programsFirst)
          tilec_program_destroy(program);
      for (tilec_world *&world : worlds)
        tilec_world_destroy(std::exchange(world, nullptr));
      for (int rank : {0, 1})
        EXPECT_EQ(out[rank][most - 1], 3 * (2 - rank)) << "all launches have completed";
      SetUp();
    }
}

TEST_F(Misuse, aRankMadeAgainCrashedItsPeersPrograms) {
  TearDown();
  tilec_world_options options = {};
  options.size = 2;
  options.heap_bytes = options.signal_bytes = 1 << 16;
  options.device_index = -1;
  options.job = "made again";
  const auto make = [&](int rank) {
    options.rank = rank;
    ASSERT_EQ(tilec_world_create(&options, &worlds[rank]), TILEC_OK) << tilec_last_error();
  };
  make(0), make(1), load(0), load(1);
  expectWorks(5);
  tilec_world_destroy(worlds[0]);
  make(0);
  // The old rank 1 is no rank of the new world.
  EXPECT_EQ(launch(1, 5), TILEC_REFUSED);
  EXPECT_EQ(
      tilec_last_error(),
      std::string("rank 0 of the world was destroyed: destroy the other ranks as well, then make all of them again"));
  tilec_program *program = nullptr;
  const int64_t extents[] = {most};
  EXPECT_EQ(tilec_program_link(worlds[0], manifest().dump().c_str(), ringLaunch, extents, 1, &program),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "programs are loaded when every rank of the world exists");
  tilec_world_destroy(worlds[1]);
  make(1), load(0), load(1);
  expectWorks(5);
}

TEST_F(Misuse, anEmptySymmetricBufferMayLieAnywhere) {
  const int64_t none = 0;
  in[1] = nullptr;
  void *const arguments[] = {nullptr, nullptr};
  ASSERT_EQ(launch(0, 0), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(tilec_launch(programs[1], nullptr, arguments, 2, &none, 1, workspaces[1], 0), TILEC_OK)
      << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
}

TEST_F(Misuse, aMisalignedPointerAbortedTheApplication) {
  const int64_t rows = 5;
  char *const bytes = reinterpret_cast<char *>(out[0]);
  void *arguments[] = {in[0], bytes + 1};
  const auto tryLaunch = [&](void *workspace) {
    return tilec_launch(programs[0], nullptr, arguments, 2, &rows, 1, workspace, 0);
  };
  EXPECT_EQ(tryLaunch(workspaces[0]), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(),
               "'ring': argument 'out' lies 1 bytes past a multiple of its elements' 4, expected an aligned pointer");
  arguments[1] = bytes;
  EXPECT_EQ(tryLaunch(static_cast<char *>(workspaces[0]) + 3), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "'ring': 'inbox' in the workspace lies 3 bytes past a multiple of its elements' 4, "
                                   "expected an aligned pointer");
  // An element is enough.
  arguments[1] = bytes + 4;
  EXPECT_EQ(tryLaunch(workspaces[0]), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(1, rows), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[0][1], 2);
}

/// A number lies in memory of the host: it may lie beside others, and need not lie in the heap.
TEST_F(Misuse, aNumberWithoutAnAddressCrashed) {
  json text = manifest("numbers");
  text["arguments"].push_back(
      {{"name", "alpha"}, {"dtype", "f32"}, {"shape", json::array()}, {"symmetric", false}, {"peers", "none"}});
  text["arguments"].push_back(text["arguments"].back());
  text["arguments"].back()["name"] = "beta";
  tilec_program *both[] = {link(0, text), link(1, text)};
  const int64_t rows = 5;
  const float number = 2;
  void *arguments[] = {in[0], out[0], const_cast<float *>(&number), nullptr};
  EXPECT_EQ(tilec_launch(both[0], nullptr, arguments, 4, &rows, 1, workspaces[0], 0), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "'numbers': argument 'beta' is null, expected the address of its number");
  for (int rank = 0; rank < 2; ++rank) {
    void *each[] = {in[rank], out[rank], const_cast<float *>(&number), const_cast<float *>(&number)};
    std::fill_n(out[rank], most, 0);
    EXPECT_EQ(tilec_launch(both[rank], nullptr, each, 4, &rows, 1, workspaces[rank], 0), TILEC_OK)
        << tilec_last_error();
  }
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[0][1], 2);
  text["arguments"].back()["symmetric"] = true;
  tilec_program *made = nullptr;
  const int64_t extents[] = {most};
  EXPECT_EQ(tilec_program_link(worlds[0], text.dump().c_str(), ringLaunch, extents, 1, &made), TILEC_BAD_MANIFEST);
  EXPECT_STREQ(tilec_last_error(),
               "manifest: arguments[3].symmetric: the argument 'beta' is a number, which is not symmetric");
}

TEST_F(Misuse, aLaunchThatTheDeviceRefusedMayBeTriedAgain) {
  launchError = hipErrorInvalidValue;
  EXPECT_EQ(launch(0, 3), TILEC_DEVICE_ERROR);
  expectWorks(5);
}

TEST_F(Misuse, anExtentBeyondIntWasCut) {
  tilec_program *program = nullptr;
  json text = manifest();
  const auto load = [&](int64_t extent) {
    return tilec_program_link(worlds[0], text.dump().c_str(), ringLaunch, &extent, 1, &program);
  };
  EXPECT_EQ(load((int64_t(1) << 32) + 5), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(), "extent 'M' of 'ring': expected a value in [0, 2147483647], got 4294967301");
  ASSERT_EQ(load(INT32_MAX), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, program, (int64_t(1) << 32) + 5), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(), "extent 'M' of 'ring': expected a value in [0, 2147483647], got 4294967301");
}

TEST_F(Misuse, aWorldOfMoreBytesThanThereAreHadNoMemory) {
  tilec_world_options options = {};
  options.size = 1;
  options.heap_bytes = SIZE_MAX;
  options.signal_bytes = 4096;
  options.job = "much";
  tilec_world *world = nullptr;
  EXPECT_EQ(tilec_world_create(&options, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "heap_bytes is 18446744073709551615, expected at most 9223372036854775552");
  std::swap(options.heap_bytes, options.signal_bytes);
  EXPECT_EQ(tilec_world_create(&options, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("signal_bytes is 18446744073709551615")) << tilec_last_error();
  EXPECT_EQ(tilec_world_join(&options, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("signal_bytes is 18446744073709551615")) << tilec_last_error();
}

TEST_F(Misuse, adoptedMemoryThatOverlapsOrCannotExistWasTaken) {
  struct alignas(256) Mapping {
    char bytes[4096];
  };
  std::vector<Mapping> memory(4);
  void *bases[] = {&memory[0], &memory[1]}, *signals[] = {&memory[2], &memory[3]};
  tilec_world *world = nullptr;
  const auto adopt = [&](size_t bytes, size_t signalBytes) {
    return tilec_world_adopt(0, 2, bases, bytes, signals, signalBytes, &world);
  };
  EXPECT_EQ(adopt(SIZE_MAX, 4096), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "the number of bytes of a heap is 18446744073709551615, expected at most "
                                   "9223372036854775552");
  EXPECT_EQ(adopt(4096, SIZE_MAX), TILEC_INVALID_ARGUMENT);
  EXPECT_TRUE(says("the number of bytes of a signal mapping is")) << tilec_last_error();
  EXPECT_EQ(adopt(4097, 4096), TILEC_OVERLAP);
  EXPECT_STREQ(tilec_last_error(), "rank 0's heap and rank 1's heap overlap");
  signals[0] = bases[0];
  EXPECT_EQ(adopt(4096, 4096), TILEC_OVERLAP);
  EXPECT_TRUE(says("rank 0's heap and rank 0's signal mapping overlap") ||
              says("rank 0's signal mapping and rank 0's heap overlap"))
      << tilec_last_error();
  signals[0] = &memory[2].bytes[8];
  EXPECT_EQ(adopt(4096, 4096), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "rank 0's signal mapping is not aligned, expected a multiple of 256");
  signals[0] = nullptr;
  EXPECT_EQ(adopt(4096, 4096), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "rank 0's signal mapping is null");
  signals[0] = reinterpret_cast<void *>(UINTPTR_MAX - 255);
  EXPECT_EQ(adopt(4096, 4096), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "rank 0's signal mapping of 4096 bytes goes beyond the last address");
}

TEST_F(Misuse, theNameOfNoProgramAndTheRankOfNoWorldCrashed) {
  EXPECT_EQ(tilec_world_rank(nullptr), -1);
  EXPECT_EQ(tilec_world_size(nullptr), 0);
  EXPECT_STREQ(tilec_program_name(nullptr), "");
  tilec_world *world = nullptr;
  EXPECT_EQ(tilec_world_create(nullptr, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "the options are null");
  EXPECT_EQ(tilec_world_join(nullptr, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "the options are null");
}

TEST_F(Misuse, aWorldOfTooManyRanksHung) {
  tilec_world *world = nullptr;
  tilec_world_options options = {};
  setenv("TILEC_RANK", "0", 1);
  setenv("TILEC_WORLD", "99999999", 1);
  EXPECT_EQ(tilec_world_join(&options, &world), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "expected a world of 1 to 1024 ranks, got 99999999");
  unsetenv("TILEC_RANK");
  unsetenv("TILEC_WORLD");
  for (int size : {-1, 0, 1025, INT32_MAX}) {
    const std::string words = "expected a world of 1 to 1024 ranks, got " + std::to_string(size);
    options.size = size;
    EXPECT_EQ(tilec_world_create(&options, &world), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_last_error(), words);
    EXPECT_EQ(tilec_emulated_worlds(size, 256, 256, &world), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_last_error(), words);
    EXPECT_EQ(tilec_world_adopt(0, size, nullptr, 0, nullptr, 0, &world), TILEC_INVALID_ARGUMENT);
    EXPECT_EQ(tilec_last_error(), words);
  }
}

} // namespace
