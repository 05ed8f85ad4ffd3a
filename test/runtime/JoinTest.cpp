// Ranks that are processes: meeting, working together, noticing what goes wrong, leaving nothing behind. Every test
// forks its ranks; they share nothing but the socket and what travels over it.
#include "RingKernel.h"
#include <chrono>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/wait.h>
#include <tilec/abi.h>
#include <tilec/host.h>
#include <unistd.h>

using namespace tilec;
using nlohmann::json;

namespace {

constexpr int most = 12;

extern "C" __attribute__((visibility("default"))) int pass_launch(const LaunchArguments *arguments) {
  return launch_kernel(ringKernel<most>, arguments->workgroups, 64, 64, arguments->stream, arguments->context,
                       static_cast<const int *>(arguments->pointers[0]), static_cast<int *>(arguments->pointers[1]),
                       arguments->workspace, int(arguments->extents[0]));
}

std::string manifest(int world) {
  json result = json::parse(R"json({
    "tilec": 1, "program": "pass", "target": "gfx942", "extents": ["M"],
    "arguments": [
      {"name": "in", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"},
      {"name": "out", "dtype": "i32", "shape": ["M"], "symmetric": false, "peers": "none"}],
    "scratch": [{"name": "inbox", "dtype": "i32", "shape": [12], "copies": 4, "offset": 0, "symmetric": true}],
    "signals": [{"name": "sent", "shape": [12], "scope": "system", "offset": 0}],
    "kernels": [{"name": "ringKernel", "threads": 64, "lds_bytes": 64,
                 "roles": [{"name": "rows", "workgroups": null, "tasks": "M"}], "progress": {"class": "any"}}]
  })json");
  result["world"] = world;
  return result.dump();
}

/// Exit code 0 of a rank. What went wrong goes to its standard error.
#define REQUIRE(condition)                                                                                             \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, tilec_last_error());                     \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  while (false)

bool says(const char *words) { return std::string(tilec_last_error()).find(words) != std::string::npos; }

/// One rank with the program loaded.
struct Rank {
  static tilec_world_options options(int rank, int size, const std::string &job) {
    tilec_world_options result = {};
    result.rank = rank;
    result.size = size;
    result.heap_bytes = 1 << 16;
    result.signal_bytes = 1 << 16;
    result.device_index = -1;
    result.job = job.c_str();
    result.deadline_ns = 20'000'000'000ull;
    result.join_deadline_ns = 20'000'000'000ull;
    return result;
  }

  Rank(int rank, int size, const std::string &job) {
    const tilec_world_options how = options(rank, size, job);
    REQUIRE(tilec_world_join(&how, &world) == TILEC_OK);
    const int64_t extents[] = {most};
    size_t bytes = 0;
    REQUIRE(tilec_program_link(world, manifest(size).c_str(), pass_launch, extents, 1, &program) == TILEC_OK);
    REQUIRE(tilec_workspace_bytes(program, extents, 1, &bytes) == TILEC_OK);
    REQUIRE(tilec_heap_alloc(world, bytes, &workspace) == TILEC_OK);
    for (int i = 0; i < most; ++i)
      in[i] = 100 * rank + i;
  }
  ~Rank() { tilec_world_destroy(world); }

  tilec_result launch(int64_t rows) {
    void *const arguments[] = {in, out};
    return tilec_launch(program, nullptr, arguments, 2, &rows, 1, workspace, 0);
  }

  tilec_world *world = nullptr;
  tilec_program *program = nullptr;
  void *workspace = nullptr;
  int in[most], out[most] = {};
};

using Body = std::function<void(int rank, const std::string &job)>;

std::string newJob() {
  static int made = 0;
  return "test " + std::to_string(getpid()) + " " + std::to_string(made++);
}

/// Runs the ranks and returns their exit codes; one that runs for over a minute is killed (-9).
std::vector<int> runRanks(int size, const Body &body, const std::string &job = newJob()) {
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t made = fork();
    if (made == 0) {
      alarm(60);
      body(rank, job);
      _exit(0);
    }
    ranks.push_back(made);
  }
  std::vector<int> codes;
  for (const pid_t rank : ranks) {
    int status = 0;
    waitpid(rank, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  }
  return codes;
}

std::vector<int> zeros(int size) { return std::vector<int>(size, 0); }

} // namespace

TEST(Join, processesWorkTogetherOverManyLaunches) {
  for (const int size : {1, 2, 4}) {
    const auto codes = runRanks(size, [&](int number, const std::string &job) {
      Rank rank(number, size, job);
      int wanted[most] = {};
      for (const int rows : {12, 0, 7, 1, 12}) {
        REQUIRE(rank.launch(rows) == TILEC_OK);
        for (int row = 0; row < rows; ++row)
          wanted[row] += 100 * ((number + size - 1) % size) + row;
      }
      REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
      REQUIRE(std::equal(wanted, wanted + most, rank.out));
    });
    EXPECT_EQ(codes, zeros(size));
  }
}

TEST(Join, aJobMayBeAPathThatNobodyLeavesBehind) {
  const std::string path = testing::TempDir() + "tilec-join-" + std::to_string(getpid());
  const auto codes = runRanks(
      2,
      [&](int number, const std::string &job) {
        Rank rank(number, 2, job);
        REQUIRE(rank.launch(most) == TILEC_OK);
        REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
      },
      path);
  EXPECT_EQ(codes, zeros(2));
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Join, rankAndJobComeFromTheEnvironment) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    setenv("TILEC_RANK", std::to_string(number).c_str(), 1);
    setenv("TILEC_WORLD", "2", 1);
    setenv("TILEC_JOB", job.c_str(), 1);
    tilec_world_options options = {};
    options.device_index = -1;
    tilec_world *world = nullptr;
    REQUIRE(tilec_world_join(&options, &world) == TILEC_OK);
    REQUIRE(tilec_world_rank(world) == number && tilec_world_size(world) == 2);
    tilec_world_destroy(world);
    setenv("TILEC_RANK", "one", 1);
    REQUIRE(tilec_world_join(&options, &world) == TILEC_INVALID_ARGUMENT && says("TILEC_RANK is 'one'"));
    unsetenv("TILEC_RANK");
    REQUIRE(tilec_world_join(&options, &world) == TILEC_INVALID_ARGUMENT && says("TILEC_RANK is not set"));
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, whoHasNoLauncherIsTold) {
  const auto codes = runRanks(1, [](int, const std::string &) {
    int rank = 7, size = 7;
    REQUIRE(tilec_world_environment(&rank, &size) == TILEC_OK && rank == -1 && size == 0);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    REQUIRE(tilec_world_environment(&rank, &size) == TILEC_OK && rank == 1 && size == 2);
    setenv("OMPI_COMM_WORLD_RANK", "one", 1);
    REQUIRE(tilec_world_environment(&rank, &size) == TILEC_INVALID_ARGUMENT && says("OMPI_COMM_WORLD_RANK is 'one'"));
    REQUIRE(rank == -1 && size == 0);
    REQUIRE(tilec_world_environment(&rank, nullptr) == TILEC_INVALID_ARGUMENT);
    REQUIRE(tilec_runtime_device() == TILEC_DEVICE_EMULATED);
  });
  EXPECT_EQ(codes, zeros(1));
}

TEST(Join, aMissingRankIsNamedAtTheDeadline) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    // Ranks 1 and 3 of four never come.
    tilec_world_options options = Rank::options(number * 2, 4, job);
    options.join_deadline_ns = 300'000'000;
    tilec_world *world = nullptr;
    REQUIRE(tilec_world_join(&options, &world) == TILEC_PEER_LOST);
    REQUIRE(says("ranks 1, 3 of job") && says("did not come within 300 ms"));
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, noRankZeroIsSaidAtTheDeadline) {
  const auto codes = runRanks(1, [](int, const std::string &job) {
    tilec_world_options options = Rank::options(1, 2, job);
    options.join_deadline_ns = 100'000'000;
    tilec_world *world = nullptr;
    REQUIRE(tilec_world_join(&options, &world) == TILEC_PEER_LOST && says("there was no rank 0 of job"));
  });
  EXPECT_EQ(codes, zeros(1));
}

TEST(Join, ranksThatDisagreeAboutTheirWorldAreNamed) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    tilec_world_options options = Rank::options(number, 2, job);
    options.heap_bytes <<= number;
    tilec_world *world = nullptr;
    REQUIRE(tilec_world_join(&options, &world) == TILEC_PEER_LOST);
    REQUIRE(says("rank 1 (process") && says("131072 bytes of heap") &&
            says("rank 0 has a world of 2 ranks with 65536"));
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, anotherProgramOrAllocationOnOneRankIsRefusedOnBoth) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    Rank rank(number, 2, job);
    tilec_program *program = nullptr;
    const int64_t extents[] = {most - number};
    REQUIRE(tilec_program_link(rank.world, manifest(2).c_str(), pass_launch, extents, 1, &program) ==
            TILEC_BAD_MANIFEST);
    REQUIRE(says("rank 1: load a program") && says("extents 11; rank 0: load") && says("extents 12"));
    void *pointer = nullptr;
    REQUIRE(tilec_heap_alloc(rank.world, 256 + 256 * number, &pointer) == TILEC_NOT_SYMMETRIC);
    REQUIRE(says("rank 1: allocate 512 bytes") && says("rank 0: allocate 256 bytes"));
    // What one rank cannot do, the other does not wait for.
    REQUIRE(tilec_program_load(rank.world, number ? TEXT_MANIFEST : "/nowhere.json", nullptr, extents, 1, &program) ==
            TILEC_NOT_FOUND);
    REQUIRE(says(number ? "no function 'gather_matmul_launch'" : "/nowhere.json"));
    REQUIRE(rank.launch(most) == TILEC_OK);
    REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, aDeadRankEndsTheLaunchesThatWaitForIt) {
  const auto begin = std::chrono::steady_clock::now();
  const auto codes = runRanks(4, [](int number, const std::string &job) {
    Rank rank(number, 4, job);
    if (number == 2)
      _exit(7); // in the middle of its work, as far as the others know
    // Refused where the news came before the launch.
    const bool launched = rank.launch(most) == TILEC_OK;
    REQUIRE(launched || says("rank 2 (process"));
    // Rank 1 needs nothing of rank 2, but no rank's launch counts once one is gone.
    const tilec_result result = tilec_synchronize(rank.world, nullptr);
    if (number == 3) {
      REQUIRE(result == TILEC_LAUNCH_FAILED && says("rank 2 (process") && says("ended while the others need it"));
      tilec_failure failure;
      REQUIRE(tilec_status(rank.world, &failure) == TILEC_OK && failure.failed);
      REQUIRE(std::string(failure.reason) == "abort" && !failure.signal == !launched);
      // For one row or another, whoever polled first.
      REQUIRE(!launched || (says("; rank 3 stopped in 'pass', waiting for sent[") && says("]: wanted 1, seen 0")));
    }
    usleep(300'000);
    REQUIRE(rank.launch(1) == TILEC_REFUSED && says("rank 2 (process"));
    REQUIRE(tilec_world_reset(rank.world) == TILEC_PEER_LOST && says("rank 2 (process"));
  });
  EXPECT_EQ(codes, (std::vector<int>{0, 0, 7, 0}));
  // Not by the deadline of waits.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Join, differentExtentsFailOnEveryRankUntilAReset) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    Rank rank(number, 2, job);
    REQUIRE(rank.launch(number ? 12 : 11) == TILEC_OK);
    (void)tilec_synchronize(rank.world, nullptr);
    // Rank 0's launch may have ended before the news came: its waits were all satisfied.
    for (int i = 0; i < 100 && tilec_synchronize(rank.world, nullptr) == TILEC_OK; ++i)
      usleep(20'000);
    REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_LAUNCH_FAILED);
    REQUIRE(says("gave different extents or symmetric buffers to launch 1 of 'pass'"));
    tilec_failure failure;
    REQUIRE(tilec_status(rank.world, &failure) == TILEC_OK && std::string(failure.reason) == "mismatch");
    REQUIRE(tilec_world_reset(rank.world) == TILEC_OK);
    std::fill(rank.out, rank.out + most, 0);
    REQUIRE(rank.launch(most) == TILEC_OK);
    REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
    REQUIRE(rank.out[5] == 100 * (1 - number) + 5);
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, aProgramLoadedTwiceWasAMismatchWithItself) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    Rank rank(number, 2, job);
    tilec_program *again = nullptr;
    const int64_t extents[] = {most};
    REQUIRE(tilec_program_link(rank.world, manifest(2).c_str(), pass_launch, extents, 1, &again) == TILEC_OK);
    REQUIRE(rank.launch(5) == TILEC_OK);
    rank.program = again;
    REQUIRE(rank.launch(7) == TILEC_OK);
    REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
    // Rank 0 has heard of all launches when every rank has come so far.
    void *pointer = nullptr;
    REQUIRE(tilec_heap_alloc(rank.world, 256, &pointer) == TILEC_OK);
    REQUIRE(rank.launch(3) == TILEC_OK);
    REQUIRE(tilec_synchronize(rank.world, nullptr) == TILEC_OK);
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, aWaitForARankThatDoesNotLaunchEndsAtTheDeadline) {
  const auto codes = runRanks(2, [](int number, const std::string &job) {
    tilec_world_options options = Rank::options(number, 2, job);
    options.deadline_ns = 200'000'000;
    tilec_world *world = nullptr;
    tilec_program *program = nullptr;
    void *workspace = nullptr;
    const int64_t extents[] = {most};
    REQUIRE(tilec_world_join(&options, &world) == TILEC_OK);
    REQUIRE(tilec_program_link(world, manifest(2).c_str(), pass_launch, extents, 1, &program) == TILEC_OK);
    REQUIRE(tilec_heap_alloc(world, 1024, &workspace) == TILEC_OK);
    if (number == 0) {
      int in[most] = {}, out[most] = {};
      void *const arguments[] = {in, out};
      REQUIRE(tilec_launch(program, nullptr, arguments, 2, extents, 1, workspace, 0) == TILEC_OK);
      REQUIRE(tilec_synchronize(world, nullptr) == TILEC_LAUNCH_FAILED);
      REQUIRE(says("deadline in 'pass', waiting for sent[") && says("wanted 1, seen 0"));
    }
    REQUIRE(tilec_world_reset(world) == TILEC_OK);
    tilec_world_destroy(world);
  });
  EXPECT_EQ(codes, zeros(2));
}

TEST(Join, nothingIsLeftOfAWorld) {
  const std::string job = newJob();
  // The same name serves twice.
  for (int turn = 0; turn < 2; ++turn) {
    const auto codes = runRanks(
        2,
        [](int number, const std::string &given) {
          {
            Rank rank(number, 2, given);
          }
          std::ifstream maps("/proc/self/maps");
          for (std::string line; std::getline(maps, line);)
            REQUIRE(line.find("tilec rank") == std::string::npos);
        },
        job);
    EXPECT_EQ(codes, zeros(2));
    std::ifstream sockets("/proc/net/unix");
    for (std::string line; std::getline(sockets, line);)
      EXPECT_EQ(line.find(job), std::string::npos) << line;
  }
}

TEST(Join, aRankThatLeftIsNotWaitedFor) {
  // Once rank 0 is in the call before the other leaves, and once the other way round.
  for (const int leaver : {0, 1}) {
    const auto begin = std::chrono::steady_clock::now();
    const auto codes = runRanks(2, [&](int number, const std::string &job) {
      Rank rank(number, 2, job);
      if (number == leaver)
        return;
      void *memory = nullptr;
      REQUIRE(tilec_heap_alloc(rank.world, 256, &memory) == TILEC_PEER_LOST);
      REQUIRE(says(("rank " + std::to_string(leaver) + " (process ").c_str()) && says("has left the world"));
    });
    EXPECT_EQ(codes, zeros(2));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  }
}

TEST(Join, torchrunMpiAndSlurmSayWhichRankItIs) {
  struct Variables {
    const char *rank, *size;
    std::vector<std::pair<const char *, const char *>> others;
  };
  const std::string port = "9" + std::to_string(getpid() % 1000);
  const std::vector<Variables> launchers = {
      {"RANK", "WORLD_SIZE", {{"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", port.c_str()}}},
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}},
      {"PMI_RANK", "PMI_SIZE", {}},
      {"SLURM_PROCID", "SLURM_NTASKS", {{"SLURM_JOB_ID", port.c_str()}}},
  };
  for (const Variables &launcher : launchers) {
    const auto codes = runRanks(2, [&](int number, const std::string &) {
      setenv(launcher.rank, std::to_string(number).c_str(), 1);
      setenv(launcher.size, "2", 1);
      for (const auto &[name, value] : launcher.others)
        setenv(name, value, 1);
      tilec_world_options options = Rank::options(0, 0, "");
      options.job = nullptr;
      tilec_world *world = nullptr;
      REQUIRE(tilec_world_join(&options, &world) == TILEC_OK);
      REQUIRE(tilec_world_rank(world) == number && tilec_world_size(world) == 2 && tilec_world_device(world) == number);
      tilec_world_destroy(world);
    });
    EXPECT_EQ(codes, zeros(2)) << launcher.rank;
  }
}

TEST(Join, ranksOfSeveralMachinesAreRefused) {
  const auto codes = runRanks(1, [&](int, const std::string &) {
    setenv("RANK", "3", 1);
    setenv("WORLD_SIZE", "4", 1);
    setenv("LOCAL_WORLD_SIZE", "2", 1);
    tilec_world_options options = Rank::options(0, 0, "");
    tilec_world *world = nullptr;
    REQUIRE(tilec_world_join(&options, &world) == TILEC_INVALID_ARGUMENT);
    REQUIRE(says("processes of one machine: WORLD_SIZE is 4, LOCAL_WORLD_SIZE is 2"));
  });
  EXPECT_EQ(codes, zeros(1));
}
