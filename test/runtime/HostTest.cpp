// The C API: worlds, heap, launches, failures. A program written by hand stands for generated text: every rank sends
// its rows to the next one and adds what it gets.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tilec/abi.h>
#include <tilec/host.h>
#include <tilec/launch_kernel.h>

using namespace tilec;
using nlohmann::json;

namespace {

volatile unsigned *wordAt(const Context &context, int index, int rank) {
  return reinterpret_cast<volatile unsigned *>(context.signal_bases[rank] + index * signal_stride);
}

void await(const Context &context, int index, unsigned epoch) {
  volatile unsigned *word = wordAt(context, index, context.rank);
  while (int(*word - epoch) < 0 && context.failure->set == failure_unset) {
    emulator::Polling poll;
    poll.index[0] = index;
    poll.dimensions = 1;
    poll.rank = context.rank;
    poll.wanted = epoch;
    poll.seen = *word;
    poll.program = context.program;
    poll.epoch = epoch;
    poll.failure = context.failure;
    emulator::polling(poll);
    emulator::pause();
  }
}

bool muteSender = false; ///< makes rank 0 forget its signals
/// Of the inbox. Without credits a sender may be world - 1 epochs ahead of its receiver, so `world` copies are right.
int copies = 4;

/// Workgroup m sends rows m, m + grid, ... of `in` to the next rank's inbox and adds what arrives to `out`. One lane.
__global__ void shiftKernel(const Context context, const int *in, int *out, char *workspace, const int rows,
                            const int most) {
  const unsigned epoch = unsigned(context.state->entered++ >> 32) + 1;
  int *const inbox = reinterpret_cast<int *>(workspace) + epoch % copies * most;
  const int next = (context.rank + 1) % context.world;
  int *const theirs = reinterpret_cast<int *>(context.heap_bases[next] +
                                              (reinterpret_cast<char *>(inbox) - context.heap_bases[context.rank]));
  for (int row = int(blockIdx.x); row < rows; row += int(gridDim.x)) {
    theirs[row] = in[row];
    if (!muteSender || context.rank != 0)
      *wordAt(context, row, next) = epoch;
    emulator::interleave();
  }
  for (int row = int(blockIdx.x); row < rows; row += int(gridDim.x)) {
    await(context, row, epoch);
    out[row] += inbox[row];
  }
  if (++context.state->left == gridDim.x) {
    context.state->left = 0;
    context.state->entered = (unsigned long long)epoch << 32;
  }
}

int lastWorkgroups = 0;

extern "C" __attribute__((visibility("default"))) int shift_launch(const LaunchArguments *arguments) {
  lastWorkgroups = arguments->workgroups;
  return launch_kernel(shiftKernel, arguments->workgroups, 1, 0, arguments->stream, arguments->context,
                       static_cast<const int *>(arguments->pointers[0]), static_cast<int *>(arguments->pointers[1]),
                       arguments->workspace, int(arguments->extents[0]), int(arguments->max_extents[0]));
}

json manifest(int world) {
  json result = json::parse(R"json({
    "tilec": 1, "program": "shift", "target": "gfx942", "extents": ["M"],
    "arguments": [
      {"name": "in", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"},
      {"name": "out", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"}],
    "scratch": [
      {"name": "inbox", "dtype": "i32", "shape": ["max_M"], "copies": 1, "offset": 0, "symmetric": true}],
    "signals": [{"name": "sent", "shape": ["max_M"], "scope": "system", "offset": 0}],
    "kernels": [{"name": "shiftKernel", "threads": 1, "lds_bytes": 0,
                 "roles": [{"name": "rows", "workgroups": null, "tasks": "M"}], "progress": {"class": "any"}}]
  })json");
  result["world"] = world;
  result["scratch"][0]["copies"] = copies;
  return result;
}

class Host : public testing::Test {
protected:
  static constexpr int most = 40;

  void start(int size, std::uint64_t seed = 0, bool skewed = false) {
    emulator::Options options;
    options.seed = seed;
    options.skewed = skewed;
    ASSERT_TRUE(emulator::configure(options));
    emulator::clear_report();
    worlds.resize(size);
    ASSERT_EQ(tilec_emulated_worlds(size, 1 << 16, 1 << 16, worlds.data()), TILEC_OK) << tilec_last_error();
    for (tilec_world *world : worlds) {
      programs.push_back(nullptr);
      const int64_t extents[] = {most};
      ASSERT_EQ(tilec_program_link(world, manifest(size).dump().c_str(), shift_launch, extents, 1, &programs.back()),
                TILEC_OK)
          << tilec_last_error();
      size_t bytes = 0;
      ASSERT_EQ(tilec_workspace_bytes(programs.back(), extents, 1, &bytes), TILEC_OK);
      ASSERT_EQ(bytes, size_t(copies * most * 4));
      workspaces.push_back(nullptr);
      ASSERT_EQ(tilec_heap_alloc(world, bytes, &workspaces.back()), TILEC_OK);
      in.emplace_back(most, 1 + tilec_world_rank(world));
      out.emplace_back(most, 0);
    }
  }

  void TearDown() override {
    muteSender = false;
    copies = 4;
    for (tilec_world *world : worlds)
      tilec_world_destroy(world);
  }

  void stop() {
    TearDown();
    worlds.clear(), programs.clear(), workspaces.clear(), in.clear(), out.clear();
  }

  tilec_result launch(int rank, int64_t rows, int workgroups = 0) {
    void *const arguments[] = {in[rank].data(), out[rank].data()};
    return tilec_launch(programs[rank], nullptr, arguments, 2, &rows, 1, workspaces[rank], workgroups);
  }

  unsigned epoch(int rank) {
    unsigned value = ~0u;
    EXPECT_EQ(tilec_program_epoch(programs[rank], &value), TILEC_OK) << tilec_last_error();
    return value;
  }

  std::vector<tilec_world *> worlds;
  std::vector<tilec_program *> programs;
  std::vector<void *> workspaces;
  std::vector<std::vector<int>> in, out;
};

TEST_F(Host, ranksPassMessagesOverManyLaunches) {
  for (std::uint64_t seed : {0, 1, 2, 3}) {
    start(4, seed, /*skewed=*/seed % 2);
    int sums[4] = {};
    const int rows[] = {40, 0, 7, 39, 1};
    for (int i = 0; i < 5; ++i)
      for (int rank = 0; rank < 4; ++rank) {
        ASSERT_EQ(launch(rank, rows[i]), TILEC_OK) << tilec_last_error();
        sums[rank] += rows[i] * (1 + (rank + 3) % 4);
      }
    for (int rank = 0; rank < 4; ++rank) {
      ASSERT_EQ(tilec_synchronize(worlds[rank], nullptr), TILEC_OK) << tilec_last_error();
      EXPECT_EQ(std::accumulate(out[rank].begin(), out[rank].end(), 0), sums[rank]) << "seed " << seed;
      EXPECT_EQ(epoch(rank), 5u);
    }
    stop();
  }
}

TEST_F(Host, skewedRanksShowAMissingCopy) {
  // Three ranks need three copies; with two the third launch overwrites what a slow receiver has not read.
  for (int given : {3, 2}) {
    copies = given;
    start(3, 0, /*skewed=*/true);
    int wrong = 0;
    for (int i = 0; i < 4; ++i)
      for (int rank = 0; rank < 3; ++rank) {
        std::vector<int> &mine = in.emplace_back(most, 100 * i + rank);
        void *const arguments[] = {mine.data(), out.emplace_back(most, 0).data()};
        const int64_t rows = most;
        ASSERT_EQ(tilec_launch(programs[rank], nullptr, arguments, 2, &rows, 1, workspaces[rank], 0), TILEC_OK);
      }
    for (int rank = 0; rank < 3; ++rank)
      ASSERT_EQ(tilec_synchronize(worlds[rank], nullptr), TILEC_OK) << tilec_last_error();
    for (int i = 0; i < 4; ++i)
      for (int rank = 0; rank < 3; ++rank)
        wrong += out[3 + i * 3 + rank][0] != 100 * i + (rank + 2) % 3;
    EXPECT_EQ(wrong > 0, given == 2) << given << " copies, " << wrong << " wrong";
    stop();
  }
}

TEST_F(Host, epochAdvancesWithEachLaunch) {
  start(2);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(epoch(0), i);
    EXPECT_EQ(epoch(1), i);
    ASSERT_EQ(launch(0, 3), TILEC_OK);
    ASSERT_EQ(launch(1, 3), TILEC_OK);
    ASSERT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
  }
}

TEST_F(Host, capturedLaunchesReplayAndMixWithEagerOnes) {
  start(2);
  hipStream_t streams[2];
  hipGraphExec_t executables[2];
  const int64_t rows = 6;
  auto launchOn = [&](int rank) {
    void *const arguments[] = {in[rank].data(), out[rank].data()};
    return tilec_launch(programs[rank], streams[rank], arguments, 2, &rows, 1, workspaces[rank], 0);
  };
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(hipSetDevice(rank), hipSuccess);
    ASSERT_EQ(hipStreamCreate(&streams[rank]), hipSuccess);
    ASSERT_EQ(hipStreamBeginCapture(streams[rank], hipStreamCaptureModeGlobal), hipSuccess);
    // Were a launch to allocate or synchronise, it would fail now.
    ASSERT_EQ(launchOn(rank), TILEC_OK) << tilec_last_error();
    ASSERT_EQ(launchOn(rank), TILEC_OK) << tilec_last_error();
    EXPECT_EQ(hipStreamSynchronize(streams[rank]), hipErrorStreamCaptureUnsupported);
    hipGraph_t graph;
    ASSERT_EQ(hipStreamEndCapture(streams[rank], &graph), hipSuccess);
    ASSERT_EQ(hipGraphInstantiate(&executables[rank], graph, nullptr, nullptr, 0), hipSuccess);
    ASSERT_EQ(hipGraphDestroy(graph), hipSuccess);
  }
  (void)hipGetLastError();
  EXPECT_EQ(epoch(0), 0u) << "a capture runs nothing";
  for (int turn = 0; turn < 3; ++turn)
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_EQ(hipGraphLaunch(executables[rank], streams[rank]), hipSuccess);
      ASSERT_EQ(launchOn(rank), TILEC_OK) << tilec_last_error();
    }
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(tilec_synchronize(worlds[rank], streams[rank]), TILEC_OK) << tilec_last_error();
    EXPECT_EQ(epoch(rank), 9u);
    EXPECT_EQ(out[rank][5], 9 * (2 - rank));
    EXPECT_EQ(out[rank][6], 0);
  }
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(hipGraphExecDestroy(executables[rank]), hipSuccess);
    EXPECT_EQ(hipStreamDestroy(streams[rank]), hipSuccess);
  }
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

TEST_F(Host, heapIsSymmetric) {
  start(3);
  std::vector<std::vector<size_t>> offsets;
  for (tilec_world *world : worlds) {
    offsets.emplace_back();
    void *first = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;
    ASSERT_EQ(tilec_heap_alloc(world, 10, &first), TILEC_OK);
    ASSERT_EQ(tilec_heap_alloc(world, 1000, &a), TILEC_OK);
    ASSERT_EQ(tilec_heap_alloc(world, 500, &b), TILEC_OK);
    ASSERT_EQ(tilec_heap_free(world, a), TILEC_OK);
    ASSERT_EQ(tilec_heap_alloc(world, 300, &c), TILEC_OK);
    for (void *pointer : {a, b, c})
      offsets.back().push_back(size_t(static_cast<char *>(pointer) - static_cast<char *>(first)));
    EXPECT_EQ(static_cast<unsigned char *>(c)[299], 0xff) << "new memory reads as NaN";
    void *there = nullptr, *back = nullptr;
    ASSERT_EQ(tilec_heap_remote(world, b, 2, &there), TILEC_OK);
    ASSERT_EQ(tilec_heap_remote(worlds[2], there, tilec_world_rank(world), &back), TILEC_OK);
    EXPECT_EQ(back, b);
  }
  EXPECT_EQ(offsets[0], offsets[1]);
  EXPECT_EQ(offsets[0], offsets[2]);
  int outside = 0;
  void *pointer = nullptr;
  EXPECT_EQ(tilec_heap_free(worlds[0], &outside), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_heap_remote(worlds[0], &outside, 1, &pointer), TILEC_NOT_SYMMETRIC);
  EXPECT_EQ(tilec_heap_remote(worlds[0], workspaces[0], 3, &pointer), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tilec_heap_alloc(worlds[0], 1 << 20, &pointer), TILEC_OUT_OF_MEMORY);
  EXPECT_STREQ(tilec_last_error(), "the symmetric heap of 65536 bytes has no 1048576 bytes in one piece");
}

TEST_F(Host, wrongLaunchesAreRejected) {
  start(2);
  int64_t rows = 10;
  void *arguments[] = {in[0].data(), out[0].data()};
  auto tryLaunch = [&](int argumentCount, int extentCount, void *workspace, int workgroups) {
    return tilec_launch(programs[0], nullptr, arguments, argumentCount, &rows, extentCount, workspace, workgroups);
  };
  EXPECT_EQ(tryLaunch(1, 1, workspaces[0], 0), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "'shift' has 2 arguments, got 1");
  EXPECT_EQ(tryLaunch(2, 0, workspaces[0], 0), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(), "'shift' has 1 extents, got 0");
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], -1), TILEC_INVALID_ARGUMENT);
  EXPECT_EQ(tryLaunch(2, 1, nullptr, 0), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "'shift': the workspace is null");
  std::vector<char> local(4096);
  EXPECT_EQ(tryLaunch(2, 1, local.data(), 0), TILEC_NOT_SYMMETRIC);
  EXPECT_STREQ(tilec_last_error(), "'shift': the workspace must lie in the symmetric heap");
  EXPECT_EQ(tryLaunch(2, 1, workspaces[1], 0), TILEC_NOT_SYMMETRIC) << "another rank's heap is not this rank's";

  rows = most + 1;
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], 0), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(), "extent 'M' of 'shift': expected a value in [0, 40], got 41");
  rows = -1;
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], 0), TILEC_BAD_EXTENTS);

  rows = 10;
  arguments[1] = in[0].data() + 9;
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], 0), TILEC_OVERLAP);
  EXPECT_STREQ(tilec_last_error(), "'shift': argument 'in' and argument 'out' overlap by 4 bytes");
  arguments[1] = static_cast<char *>(workspaces[0]) + 400;
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], 0), TILEC_OVERLAP);
  arguments[1] = in[0].data() + 10;
  EXPECT_EQ(tryLaunch(2, 1, workspaces[0], 0), TILEC_OK) << "neighbours do not overlap";
  EXPECT_EQ(launch(1, 10), TILEC_OK);
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
}

TEST_F(Host, workgroupsDefaultToWhatIsResidentAndUseful) {
  start(1);
  ASSERT_EQ(launch(0, 40), TILEC_OK);
  EXPECT_EQ(lastWorkgroups, 4);
  ASSERT_EQ(launch(0, 2), TILEC_OK);
  EXPECT_EQ(lastWorkgroups, 2);
  ASSERT_EQ(launch(0, 0), TILEC_OK);
  EXPECT_EQ(lastWorkgroups, 1) << "an empty launch still advances the epoch";
  ASSERT_EQ(launch(0, 40, 9), TILEC_OK);
  EXPECT_EQ(lastWorkgroups, 9);
  ASSERT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(epoch(0), 4u);
}

TEST_F(Host, residencyIsRequired) {
  start(1);
  const int64_t extents[] = {most};
  json needy = manifest(1);
  needy["kernels"][0]["progress"] = {{"class", "resident"}, {"workgroups", 5}};
  tilec_program *program = nullptr;
  EXPECT_EQ(tilec_program_link(worlds[0], needy.dump().c_str(), shift_launch, extents, 1, &program),
            TILEC_NOT_RESIDENT);
  EXPECT_STREQ(tilec_last_error(), "kernel 'shiftKernel' needs 5 resident workgroups, the device holds 4");
  needy["kernels"][0]["progress"]["workgroups"] = 3;
  needy["verified"] = {{"launches", 3}, {"extents", {{1}}}};
  ASSERT_EQ(tilec_program_link(worlds[0], needy.dump().c_str(), shift_launch, extents, 1, &program), TILEC_OK)
      << tilec_last_error();
  programs[0] = program;
  EXPECT_EQ(launch(0, 1, 2), TILEC_NOT_RESIDENT);
  EXPECT_STREQ(tilec_last_error(), "kernel 'shiftKernel' needs 3 resident workgroups, got 2");
  EXPECT_EQ(launch(0, 1), TILEC_OK);
  EXPECT_EQ(lastWorkgroups, 3);
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK);
}

TEST_F(Host, residencyIsWhatTheDeviceSaysOfTheCode) {
  emulator::Options options;
  options.resident = 2;
  options.computeUnits = 3;
  ASSERT_TRUE(emulator::configure(options));
  tilec_world *world = nullptr;
  ASSERT_EQ(tilec_emulated_worlds(1, 1 << 16, 1 << 16, &world), TILEC_OK) << tilec_last_error();
  const int64_t extents[] = {most};
  json needy = manifest(1);
  // What the compiler planned for does not count.
  needy["kernels"][0]["per_compute_unit"] = 100;
  needy["kernels"][0]["progress"] = {{"class", "resident"}, {"workgroups", 7}};
  tilec_program *program = nullptr;
  EXPECT_EQ(tilec_program_link(world, needy.dump().c_str(), shift_launch, extents, 1, &program), TILEC_NOT_RESIDENT);
  EXPECT_STREQ(tilec_last_error(), "kernel 'shiftKernel' needs 7 resident workgroups, the device holds 6");
  // Class `all`: every workgroup of the launch, however many are asked for.
  needy["kernels"][0]["progress"] = {{"class", "all"}, {"workgroups", 1}};
  needy["verified"] = {{"launches", 3}, {"extents", {{most}}}};
  ASSERT_EQ(tilec_program_link(world, needy.dump().c_str(), shift_launch, extents, 1, &program), TILEC_OK)
      << tilec_last_error();
  std::vector<int> in(most), out(most);
  void *workspace = nullptr;
  ASSERT_EQ(tilec_heap_alloc(world, copies * most * 4, &workspace), TILEC_OK);
  void *const arguments[] = {in.data(), out.data()};
  EXPECT_EQ(tilec_launch(program, nullptr, arguments, 2, extents, 1, workspace, 7), TILEC_NOT_RESIDENT);
  EXPECT_STREQ(tilec_last_error(),
               "all workgroups of kernel 'shiftKernel' must be resident: got 7, the device holds 6");
  EXPECT_EQ(tilec_launch(program, nullptr, arguments, 2, extents, 1, workspace, 0), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(lastWorkgroups, 6);
  EXPECT_EQ(tilec_synchronize(world, nullptr), TILEC_OK) << tilec_last_error();
  // Code and manifest that do not belong together.
  needy["kernels"].push_back(needy["kernels"][0]);
  EXPECT_EQ(tilec_program_link(world, needy.dump().c_str(), shift_launch, extents, 1, &program), TILEC_BAD_MANIFEST);
  EXPECT_STREQ(tilec_last_error(), "the code of 'shift' has 1 kernels, its manifest 2");
  tilec_world_destroy(world);
}

TEST_F(Host, residencyIsKnownForVerifiedExtentsAlone) {
  start(1);
  const int64_t extents[] = {most};
  json needy = manifest(1);
  needy["kernels"][0]["progress"] = {{"class", "resident"}, {"workgroups", 2}};
  needy["verified"] = {{"launches", 3}, {"extents", {{40}, {7}}}, {"not_verified", {{39}}}};
  const auto link = [&] {
    ASSERT_EQ(tilec_program_link(worlds[0], needy.dump().c_str(), shift_launch, extents, 1, &programs[0]), TILEC_OK)
        << tilec_last_error();
  };
  link();
  EXPECT_EQ(launch(0, 7), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 40), TILEC_OK) << tilec_last_error();
  // Fewer tasks may need more workgroups: between samples nothing is known.
  for (int64_t rows : {39, 8, 0}) {
    EXPECT_EQ(launch(0, rows), TILEC_NOT_PROVEN);
    EXPECT_EQ(tilec_last_error(),
              "kernel 'shiftKernel' needs 2 resident workgroups, which is proven for M=40; M=7, got M=" +
                  std::to_string(rows) + "; compile for these extents: tilec --extent M=" + std::to_string(rows));
  }
  EXPECT_EQ(launch(0, 39, 3), TILEC_NOT_PROVEN) << "however many workgroups";
  EXPECT_STREQ(tilec_result_name(TILEC_NOT_PROVEN), "not proven");
  needy["kernels"][0]["progress"]["class"] = "all";
  link();
  EXPECT_EQ(launch(0, 8), TILEC_NOT_PROVEN);
  EXPECT_EQ(launch(0, 7), TILEC_OK) << tilec_last_error();
  needy["verified"]["extents"] = {{nullptr}};
  link();
  EXPECT_EQ(launch(0, 8), TILEC_OK) << "nothing depends on M: " << tilec_last_error();
  needy.erase("verified");
  link();
  EXPECT_EQ(launch(0, 7), TILEC_NOT_PROVEN);
  EXPECT_NE(std::string(tilec_last_error()).find("which is proven for no extents, got M=7"), std::string::npos);
  needy["kernels"][0]["progress"] = {{"class", "any"}};
  link();
  EXPECT_EQ(launch(0, 8), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK);
}

TEST_F(Host, whatIsProvenForItsSamplesAloneIsRefusedBeyondThem) {
  start(1);
  const int64_t extents[] = {most};
  json limited = manifest(1);
  limited["verified"] = {{"launches", 3}, {"extents", {{7}, {39}}}, {"limits", {39}}};
  const auto link = [&] {
    return tilec_program_link(worlds[0], limited.dump().c_str(), shift_launch, extents, 1, &programs[0]);
  };
  ASSERT_EQ(link(), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 39), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 8), TILEC_OK) << "between samples: " << tilec_last_error();
  EXPECT_EQ(launch(0, 40), TILEC_NOT_PROVEN);
  EXPECT_STREQ(tilec_last_error(),
               "'shift' is verified up to M=39, got M=40; compile for these extents: tilec --extent M=40");
  limited["verified"]["limits"] = {nullptr};
  ASSERT_EQ(link(), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 40), TILEC_OK) << "nothing depends on M: " << tilec_last_error();
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK);
  limited["verified"]["limits"] = {39, 39};
  EXPECT_EQ(link(), TILEC_BAD_MANIFEST);
}

TEST_F(Host, indicesThat32BitsDoNotHoldAreRefused) {
  start(1);
  const int64_t extents[] = {most};
  json wide = manifest(1);
  wide["verified"] = {{"launches", 3}, {"extents", {{7}}}, {"greatest", {"(M - 1) * 100000000"}}, {"least", {"-M"}}};
  ASSERT_EQ(tilec_program_link(worlds[0], wide.dump().c_str(), shift_launch, extents, 1, &programs[0]), TILEC_OK);
  EXPECT_EQ(launch(0, 22), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 23), TILEC_BAD_EXTENTS);
  EXPECT_STREQ(tilec_last_error(),
               "'shift': an index of a task may be as great as '(M - 1) * 100000000', 2200000000 for these extents, "
               "which does not fit the 32 bits that it is computed in");
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK);
}

TEST_F(Host, whatIsNotProvenIsLaunchedWithEveryWorkgroupResident) {
  start(1);
  const int64_t extents[] = {most};
  json unknown = manifest(1);
  unknown["kernels"][0]["progress"] = {{"class", "unproven"}};
  ASSERT_EQ(tilec_program_link(worlds[0], unknown.dump().c_str(), shift_launch, extents, 1, &programs[0]), TILEC_OK)
      << tilec_last_error();
  EXPECT_EQ(launch(0, 40, 5), TILEC_NOT_RESIDENT);
  EXPECT_STREQ(tilec_last_error(), "all workgroups of kernel 'shiftKernel' must be resident, as its progress is not "
                                   "proven: got 5, the device holds 4");
  EXPECT_EQ(launch(0, 40, 4), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(0, 40), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(lastWorkgroups, 4);
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK);
}

TEST_F(Host, failureIsRecordedAndRefusesLaunchesUntilEveryRankWasReset) {
  start(2);
  muteSender = true;
  ASSERT_EQ(launch(0, 5), TILEC_OK);
  ASSERT_EQ(launch(1, 5), TILEC_OK);
  EXPECT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_LAUNCH_FAILED);
  EXPECT_NE(std::string(tilec_last_error()).find("deadlock in 'shift', waiting for sent["), std::string::npos)
      << tilec_last_error();
  EXPECT_NE(emulator::report().find("rank 1, workgroup 0, wave 0: 1 lane waiting for sent[0], wanted 1, seen 0"),
            std::string::npos)
      << emulator::report();
  tilec_failure failure;
  ASSERT_EQ(tilec_status(worlds[1], &failure), TILEC_OK);
  EXPECT_EQ(failure.failed, 1);
  EXPECT_STREQ(failure.reason, "deadlock");
  EXPECT_STREQ(failure.program, "shift");
  EXPECT_STREQ(failure.signal, "sent");
  EXPECT_EQ(failure.rank, 1);
  EXPECT_EQ(failure.epoch, 1u);
  EXPECT_EQ(failure.wanted, 1u);
  EXPECT_EQ(failure.seen, 0u);
  ASSERT_EQ(tilec_status(worlds[0], &failure), TILEC_OK);
  EXPECT_EQ(failure.failed, 0) << "rank 0 got everything it waited for";

  muteSender = false;
  EXPECT_EQ(launch(0, 5), TILEC_REFUSED);
  EXPECT_STREQ(tilec_last_error(), "a launch of rank 1 failed; every rank must call tilec_world_reset");
  ASSERT_EQ(tilec_world_reset(worlds[1]), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(launch(1, 5), TILEC_REFUSED);
  EXPECT_STREQ(tilec_last_error(), "rank 0 has not called tilec_world_reset");
  ASSERT_EQ(tilec_world_reset(worlds[0]), TILEC_OK);
  out[1].assign(most, 0);
  ASSERT_EQ(launch(0, 5), TILEC_OK) << tilec_last_error();
  ASSERT_EQ(launch(1, 5), TILEC_OK);
  ASSERT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[1][4], 1);
  EXPECT_EQ(out[1][5], 0);
  EXPECT_EQ(epoch(1), 1u) << "epochs start again";
}

TEST_F(Host, oneRankAloneCannotFinish) {
  start(2);
  ASSERT_EQ(launch(0, 5), TILEC_OK);
  EXPECT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_LAUNCH_FAILED) << "rank 1 never launched";
}

TEST_F(Host, adoptedMemory) {
  start(2);
  // The application's own symmetric memory: here two arrays that every rank of this process can address.
  struct alignas(256) Mapping {
    char bytes[4096];
  };
  std::vector<Mapping> data(2), signals(2);
  void *const bases[] = {&data[0], &data[1]};
  void *const signalBases[] = {&signals[0], &signals[1]};
  for (int rank = 0; rank < 2; ++rank) {
    tilec_world_destroy(worlds[rank]);
    worlds[rank] = nullptr;
  }
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_EQ(hipSetDevice(rank), hipSuccess);
    ASSERT_EQ(tilec_world_adopt(rank, 2, bases, 4096, signalBases, 4096, &worlds[rank]), TILEC_OK)
        << tilec_last_error();
    const int64_t extents[] = {10};
    ASSERT_EQ(tilec_program_link(worlds[rank], manifest(2).dump().c_str(), shift_launch, extents, 1, &programs[rank]),
              TILEC_OK)
        << tilec_last_error();
    ASSERT_EQ(tilec_heap_alloc(worlds[rank], copies * 40, &workspaces[rank]), TILEC_OK);
    ASSERT_EQ(launch(rank, 10), TILEC_OK) << tilec_last_error();
  }
  ASSERT_EQ(tilec_synchronize(worlds[0], nullptr), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(out[0][9], 2);
  ASSERT_EQ(tilec_synchronize(worlds[1], nullptr), TILEC_OK) << tilec_last_error();
  tilec_world *world = nullptr;
  EXPECT_EQ(tilec_world_adopt(2, 2, bases, 4096, signalBases, 4096, &world), TILEC_INVALID_ARGUMENT);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
}

TEST_F(Host, worldsOfOneJob) {
  tilec_world_options options = {};
  options.size = 2;
  options.heap_bytes = options.signal_bytes = 4096;
  options.device_index = -1;
  options.job = "pair";
  worlds.resize(2);
  ASSERT_EQ(tilec_world_create(&options, &worlds[0]), TILEC_OK) << tilec_last_error();
  const int64_t extents[] = {8};
  tilec_program *program = nullptr;
  EXPECT_EQ(tilec_program_link(worlds[0], manifest(2).dump().c_str(), shift_launch, extents, 1, &program),
            TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "programs are loaded when every rank of the world exists");
  EXPECT_EQ(tilec_world_create(&options, &worlds[1]), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "rank 0 of job 'pair' exists already");
  options.rank = 1;
  ASSERT_EQ(tilec_world_create(&options, &worlds[1]), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_program_link(worlds[0], manifest(3).dump().c_str(), shift_launch, extents, 1, &program),
            TILEC_BAD_MANIFEST);
  EXPECT_STREQ(tilec_last_error(), "'shift' is for a world of 3, got 2");
  EXPECT_EQ(tilec_program_link(worlds[0], manifest(2).dump().c_str(), shift_launch, extents, 1, &program), TILEC_OK);
  const int64_t many[] = {1000};
  EXPECT_EQ(tilec_program_link(worlds[0], manifest(2).dump().c_str(), shift_launch, many, 1, &program),
            TILEC_OUT_OF_MEMORY);
  EXPECT_STREQ(tilec_program_name(program), "shift");
}

TEST_F(Host, missingFilesAndSymbols) {
  start(1);
  tilec_program *program = nullptr;
  const int64_t extents[] = {8};
  EXPECT_EQ(tilec_program_load(worlds[0], "/nowhere/x.json", nullptr, extents, 1, &program), TILEC_NOT_FOUND);
  EXPECT_STREQ(tilec_last_error(), "cannot read '/nowhere/x.json'");
  const std::string path = testing::TempDir() + "shift.json";
  std::ofstream(path) << manifest(1);
  EXPECT_EQ(tilec_program_load(worlds[0], path.c_str(), "/nowhere/x.so", extents, 1, &program), TILEC_NOT_FOUND);
  EXPECT_EQ(tilec_program_load(worlds[0], path.c_str(), nullptr, extents, 1, &program), TILEC_OK) << tilec_last_error();
  json renamed = manifest(1);
  renamed["program"] = "absent";
  std::ofstream(path) << renamed;
  EXPECT_EQ(tilec_program_load(worlds[0], path.c_str(), nullptr, extents, 1, &program), TILEC_NOT_FOUND);
  EXPECT_STREQ(tilec_last_error(), "no function 'absent_launch' in the running program");
}

} // namespace
