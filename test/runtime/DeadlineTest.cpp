// Ranks of one process: no clock ends a wait. A run that is slow goes on; one that cannot go on is found at once.
#include "RingKernel.h"
#include <chrono>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <tilec/abi.h>
#include <tilec/host.h>

using namespace tilec;
using nlohmann::json;

namespace {

constexpr int most = 4;

/// Every workgroup of rank 1 is late; those of rank 0 have been polling for it then.
__global__ void lateKernel(const Context context, const int *in, int *out, char *workspace, const int rows) {
  if (context.rank == 1 && threadIdx.x == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ringKernel<most>(context, in, out, workspace, rows);
}

int slowLaunch(const LaunchArguments *arguments) {
  return launch_kernel(lateKernel, arguments->workgroups, 64, 64, arguments->stream, arguments->context,
                       static_cast<const int *>(arguments->pointers[0]), static_cast<int *>(arguments->pointers[1]),
                       arguments->workspace, int(arguments->extents[0]));
}

const char *const manifest = R"json({
    "tilec": 1, "program": "slow", "target": "gfx942", "world": 2, "extents": ["M"],
    "arguments": [
      {"name": "in", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"},
      {"name": "out", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"}],
    "scratch": [{"name": "inbox", "dtype": "i32", "shape": [4], "copies": 4, "offset": 0, "symmetric": true}],
    "signals": [{"name": "sent", "shape": [4], "scope": "system", "offset": 0}],
    "kernels": [{"name": "lateKernel", "threads": 64, "lds_bytes": 64,
                 "roles": [{"name": "rows", "workgroups": null, "tasks": "M"}], "progress": {"class": "any"}}]
  })json";

/// Two ranks whose waits may take a thousandth of a second by the clock.
class Deadline : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(emulator::configure({}));
    emulator::clear_report();
    for (int rank = 0; rank < 2; ++rank) {
      tilec_world_options options = {};
      options.rank = rank;
      options.size = 2;
      options.heap_bytes = options.signal_bytes = 1 << 16;
      options.device_index = -1;
      options.job = "slow";
      options.deadline_ns = 1'000'000;
      ASSERT_EQ(tilec_world_create(&options, &worlds[rank]), TILEC_OK) << tilec_last_error();
    }
    for (int rank = 0; rank < 2; ++rank) {
      const int64_t extents[] = {most};
      size_t bytes = 0;
      ASSERT_EQ(tilec_program_link(worlds[rank], manifest, slowLaunch, extents, 1, &programs[rank]), TILEC_OK)
          << tilec_last_error();
      ASSERT_EQ(tilec_workspace_bytes(programs[rank], extents, 1, &bytes), TILEC_OK);
      ASSERT_EQ(tilec_heap_alloc(worlds[rank], bytes, &workspaces[rank]), TILEC_OK);
    }
  }
  void TearDown() override {
    for (tilec_world *world : worlds)
      tilec_world_destroy(world);
  }

  tilec_result launch(int rank) {
    void *const arguments[] = {in[rank], out[rank]};
    const int64_t rows = most;
    return tilec_launch(programs[rank], nullptr, arguments, 2, &rows, 1, workspaces[rank], 0);
  }

  tilec_world *worlds[2] = {};
  tilec_program *programs[2] = {};
  void *workspaces[2] = {};
  int in[2][most] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, out[2][most] = {};
};

} // namespace

TEST_F(Deadline, aSlowRunDoesNotFail) {
  ASSERT_EQ(launch(0), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(launch(1), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[0][3], 8);
  EXPECT_EQ(out[1][3], 4);
}

TEST_F(Deadline, aRealDeadlockIsReportedWithSignalTileAndRank) {
  ASSERT_EQ(launch(0), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_LAUNCH_FAILED) << "rank 1 never launched";
  EXPECT_NE(std::string(tilec_last_error()).find("deadlock in 'slow', waiting for sent["), std::string::npos)
      << tilec_last_error();
  EXPECT_NE(emulator::report().find("rank 0, workgroup 0, wave 0: 1 lane waiting for sent[0], wanted 1, seen 0"),
            std::string::npos)
      << emulator::report();
  tilec_failure failure;
  ASSERT_EQ(tilec_status(worlds[0], &failure), TILEC_OK);
  EXPECT_STREQ(failure.reason, "deadlock");
  EXPECT_STREQ(failure.signal, "sent");
  EXPECT_EQ(failure.rank, 0);
}
