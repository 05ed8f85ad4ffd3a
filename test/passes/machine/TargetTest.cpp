// Target files: the committed ones, and each way in which one can be wrong.
// Belongs here: Target. Does not: what passes do with the numbers.
#include "passes/machine/Target.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace tilec;

namespace {

const char *kSmall = R"({
  "name": "toy", "arch": "gfx942", "compiler": "clang", "product": "Toy", "similar_products": ["Toy 2"],
  "chiplets": 2, "units_per_chiplet": 4, "clock_mhz": 1000,
  "wave_lanes": 4, "simds_per_unit": 4, "max_waves_per_simd": 8, "registers_per_lane": 512, "most_registers": 256, "register_step": 8,
  "lds": {"bytes": 1024, "banks": 4, "bank_bytes": 4,
          "reads": [{"bytes": 8, "banks": 4, "phases": [[[0, 0], [2, 2]], [[1, 1], [3, 3]]]}], "writes": []},
  "caches": {"vector": {"bytes": 1024, "line_bytes": 128, "ways": 4},
             "chiplet": {"bytes": 4096, "line_bytes": 128, "ways": 4, "bytes_per_clock": 64},
             "last": {"bytes": 8192, "line_bytes": 128, "ways": 4, "gb_per_s": 100.5}},
  "memory": {"gb": 1, "gb_per_s": 10}, "links": {"count": 1, "gb_per_s": 2.5},
  "matrix": [{"name": "Mfma32x32x8", "family": "mfma", "m": 32, "n": 32, "k": 8, "operands": ["bf16"],
              "accumulator": "f32", "cycles": 32}],
  "reached": {"matrix": 0.5, "memory": 0.8, "push": 0.7, "pull": 0.3, "caches": 0.6, "kept": 0.5, "missed": 0.125, "registers": 0.75, "ahead": 0.75},
  "times": {"launch_us": 6, "flag_us": 2, "release_us": 0.4, "look_us": 1, "load_clocks": 540, "barrier_clocks": 100,
            "issue_clocks": 4, "exchange_clocks": 30, "stalled": 0.125, "meeting": 0.2},
  "instructions": {"task": 150, "access": 20, "function": 10, "element": 0.5, "exchange": 2, "reduction": 8, "step": 4, "step_access": 1.3},
  "sources": {"memory": "invented", "reached.matrix, reached.memory, reached.push, reached.pull": "invented", "reached.caches, reached.kept, reached.missed, reached.registers, reached.ahead": "invented",
              "times.launch_us, times.flag_us, times.release_us, times.look_us": "invented",
              "times.load_clocks, times.barrier_clocks, times.stalled, times.meeting": "invented",
              "times.issue_clocks, times.exchange_clocks": "invented",
              "instructions.task, instructions.access, instructions.function": "invented",
              "instructions.element, instructions.exchange, instructions.reduction, instructions.step, instructions.step_access": "invented"}
})";

// The toy file with one piece replaced.
std::string with(std::string from, std::string to) {
  std::string text = kSmall;
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string errorOf(const std::string &json) {
  std::string error;
  EXPECT_FALSE(parseTarget(json, "toy.json", error));
  return error;
}

Target committed(const char *name) {
  std::string error;
  std::optional<Target> target = loadTarget(name, {TILEC_TEST_TARGETS}, error);
  EXPECT_TRUE(target) << error;
  return target ? *target : Target();
}

} // namespace

TEST(Target, ReadsEveryField) {
  std::string error;
  std::optional<Target> target = parseTarget(kSmall, "toy.json", error);
  ASSERT_TRUE(target) << error;
  EXPECT_EQ(target->name, "toy");
  EXPECT_EQ(target->units(), 8);
  EXPECT_EQ(target->lds.lanes, 4);
  ASSERT_EQ(target->lds.reads.size(), 1u);
  EXPECT_EQ(target->lds.reads[0].phases, (std::vector<std::vector<unsigned>>{{0, 2}, {1, 3}}));
  EXPECT_EQ(target->chipletCache.bytesPerClock, 64);
  EXPECT_EQ(target->lastCache.gbPerSecond, 100.5);
  EXPECT_EQ(target->linkGbPerSecond, 2.5);
  EXPECT_EQ(target->matrix[0].operands, std::vector<std::string>{"bf16"});
  EXPECT_EQ(target->sources[0].second, "invented");
  EXPECT_EQ(target->reached.pull, 0.3);
  EXPECT_EQ(target->reached.kept, 0.5);
  EXPECT_EQ(target->times.flagMicroseconds, 2);
  EXPECT_EQ(target->times.meeting, 0.2);
  EXPECT_EQ(target->times.stalled, 0.125);
  EXPECT_EQ(target->instructions.access, 20);
  EXPECT_EQ(target->mostRegisters, 256);
}

TEST(Target, CommittedFilesAgreeWithTheirMachines) {
  Target mi300 = committed("gfx942"), mi325 = committed("gfx942-mi325x"), mi355 = committed("gfx950");
  EXPECT_EQ(mi300.units(), 304);
  EXPECT_EQ(mi355.units(), 256);
  EXPECT_EQ(mi325.arch, "gfx942");
  EXPECT_GT(mi325.memoryGbPerSecond, mi300.memoryGbPerSecond);
  EXPECT_EQ(mi300.lds.bytes, 64 * 1024);
  EXPECT_EQ(mi355.lds.bytes, 160 * 1024);
  // Peak dense bf16: 2048 and 4096 flop a clock and unit.
  auto peak = [](const Target &target, llvm::StringRef type) {
    double best = 0;
    for (const MatrixInstructionInfo &info : target.matrix)
      if (llvm::is_contained(info.operands, type.str()))
        best = std::max(best, 2.0 * info.m * info.n * info.k / info.cycles * target.simdsPerUnit);
    return best * target.units() * target.clockMhz * 1e-6;
  };
  EXPECT_NEAR(peak(mi300, "bf16"), 1307.4, 1);
  EXPECT_NEAR(peak(mi300, "f8E4M3FNUZ"), 2614.9, 1);
  EXPECT_NEAR(peak(mi355, "bf16"), 2517, 1);
  // Occupancy: 512 registers for one wave, 128 for four.
  EXPECT_EQ(mi300.wavesPerSimd(512), 1);
  EXPECT_EQ(mi300.wavesPerSimd(128), 4);
  EXPECT_EQ(mi300.wavesPerSimd(129), 3);
  EXPECT_EQ(mi300.wavesPerSimd(10), 8);
  for (const Target &target : {mi300, mi325, mi355})
    EXPECT_FALSE(target.sources.empty());
}

TEST(Target, SaysWhichFieldIsWrong) {
  EXPECT_EQ(errorOf("{"), "toy.json: not valid json");
  EXPECT_EQ(errorOf("[]"), "toy.json: target must be an object, got array");
  EXPECT_EQ(errorOf(with("\"arch\": \"gfx942\", ", "")), "toy.json: missing field 'arch'");
  EXPECT_EQ(errorOf(with("\"arch\": \"gfx942\"", "\"arch\": 942")), "toy.json: field 'arch' must be a string, got 942");
  EXPECT_EQ(errorOf(with("\"chiplets\": 2", "\"chiplets\": 0")),
            "toy.json: field 'chiplets' must be a positive integer, got 0");
  EXPECT_EQ(errorOf(with("\"chiplets\": 2", "\"chiplets\": 2.5")),
            "toy.json: field 'chiplets' must be a positive integer, got 2.5");
  EXPECT_EQ(errorOf(with("\"chiplets\": 2", "\"chiplets\": 99999999999999999999")),
            "toy.json: field 'chiplets' must be a positive integer, got 1e+20");
  EXPECT_EQ(errorOf(with("\"banks\": 4", "\"banks\": 5")), "toy.json: field 'lds.banks' must be a power of two, got 5");
  EXPECT_EQ(errorOf(with("\"wave_lanes\": 4", "\"wave_lanes\": 1024")),
            "toy.json: field 'wave_lanes' must be at most 128, got 1024");
  EXPECT_EQ(errorOf(with("\"gb_per_s\": 2.5", "\"gb_per_s\": \"fast\"")),
            "toy.json: field 'links.gb_per_s' must be a positive number, got \"fast\"");
  EXPECT_EQ(errorOf(with("\"ways\": 4}", "\"wais\": 4}")), "toy.json: missing field 'caches.vector.ways'");
  EXPECT_EQ(errorOf(with("\"bytes_per_clock\"", "\"bytes_per_clok\"")),
            "toy.json: unknown field 'caches.chiplet.bytes_per_clok'");
  EXPECT_EQ(errorOf(with("\"writes\": []", "\"writes\": {}")),
            "toy.json: field 'lds.writes' must be an array, got object");
  EXPECT_EQ(errorOf(with("\"sources\": {\"memory\"", "\"sources\": [], \"more\": {\"memory\"")),
            "toy.json: field 'sources' must be an object, got array");
  EXPECT_EQ(errorOf(with(", \"missed\": 0.125", "")), "toy.json: missing field 'reached.missed'");
  EXPECT_EQ(errorOf(with("\"issue_clocks\": 4, ", "")), "toy.json: missing field 'times.issue_clocks'");
  EXPECT_EQ(errorOf(with("\"exchange_clocks\": 30, ", "")), "toy.json: missing field 'times.exchange_clocks'");
  EXPECT_EQ(errorOf(with("\"pull\": 0.3, ", "")), "toy.json: missing field 'reached.pull'");
  EXPECT_EQ(errorOf(with("\"pull\": 0.3", "\"pull\": 3")),
            "toy.json: field 'reached.pull' must be a share, at most 1, got 3");
  EXPECT_EQ(errorOf(with("\"flag_us\": 2, ", "")), "toy.json: missing field 'times.flag_us'");
  EXPECT_EQ(errorOf(with("times.flag_us, ", "")),
            "toy.json: field 'times.flag_us' has no source, expected one in 'sources'");
  EXPECT_EQ(errorOf(with("instructions.access, ", "")),
            "toy.json: field 'instructions.access' has no source, expected one in 'sources'");
  EXPECT_EQ(errorOf(with("\"gb_per_s\": 2.5}", "\"gb_per_s\": 2.5, \"beside_gb_per_s\": 1}")),
            "toy.json: missing field 'links.beside_least_row_bytes'");
  EXPECT_EQ(errorOf(with("\"invented\"", "1")), "toy.json: field 'sources' must be an object of strings, got 1");
}

TEST(Target, ChecksPhasesAndInstructions) {
  EXPECT_EQ(errorOf(with("[[0, 0], [2, 2]]", "[[0, 0], [1, 2]]")),
            "toy.json: field 'lds.reads[0].phases[1]' names lane 1 a second time");
  EXPECT_EQ(errorOf(with("[[0, 0], [2, 2]]", "[[0, 0]]")), "toy.json: lane 2 is in no phase");
  EXPECT_EQ(errorOf(with("[[0, 0], [2, 2]]", "[[0, 4]]")),
            "toy.json: field 'lds.reads[0].phases[0]' must hold ranges [first, last] of lanes below 4");
  EXPECT_EQ(errorOf(with("[[0, 0], [2, 2]]", "[]")),
            "toy.json: field 'lds.reads[0].phases[0]' must be a list of lane ranges");
  EXPECT_EQ(errorOf(with("\"mfma\"", "\"fma\"")),
            "toy.json: field 'matrix[0]': unknown family 'fma', expected 'mfma', 'mma' or 'wgmma'");
  EXPECT_EQ(errorOf(with("\"compiler\": \"clang\"", "\"compiler\": \"gcc\"")),
            "toy.json: field 'compiler': unknown compiler 'gcc', expected 'clang' or 'nvcc'");
  EXPECT_EQ(errorOf(with("\"family\": \"mfma\"", "\"fast\": 1, \"family\": \"mfma\"")),
            "toy.json: field 'matrix[0].fast' must be true or false, got 1");
  EXPECT_EQ(errorOf(with("\"n\": 32,", "\"n\": 32, \"n_step\": 12,")),
            "toy.json: field 'matrix[0].n_step' must divide n and give whole cycles, got 12");
  EXPECT_EQ(errorOf(with("\"Mfma32x32x8\", \"family\": \"mfma\", \"m\": 32, \"n\": 32,",
                         "\"Mfma\", \"family\": \"mfma\", \"m\": 32, \"n\": 32, \"n_step\": 16,")),
            "toy.json: field 'matrix[0].name' must hold 'x32x', in whose place the other widths stand");
  EXPECT_EQ(errorOf(with("[\"bf16\"]", "[16]")), "toy.json: field 'matrix[0].operands[0]' must be a string");
}

TEST(Target, IsFoundByNameInOrder) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-targets", folder));
  std::string mine = (folder + "/toy.json").str();
  {
    std::error_code failed;
    llvm::raw_fd_ostream file(mine, failed);
    ASSERT_FALSE(failed);
    file << kSmall;
  }
  setenv("TILEC_TARGETS", folder.c_str(), 1);
  std::vector<std::string> folders = targetFolders("/opt/tilec/bin/tilec");
  unsetenv("TILEC_TARGETS");
  EXPECT_EQ(folders, (std::vector<std::string>{folder.str().str(), "/opt/tilec/bin/../share/tilec/targets"}));
  std::string error;
  EXPECT_TRUE(loadTarget("toy", folders, error)) << error;
  EXPECT_TRUE(loadTarget(mine, {}, error)) << error;
  EXPECT_EQ(targetOfProduct("toy", folders), "toy");
  EXPECT_EQ(targetOfProduct("TOY 2", folders), "toy");
  EXPECT_EQ(targetOfProduct("Toy 3", folders), "");
  EXPECT_FALSE(loadTarget("sm_1", {"/a", "/b"}, error));
  EXPECT_EQ(error, "no target 'sm_1' in /a, /b");
  std::string here = folder.str().str();
  EXPECT_FALSE(loadTarget("sm_1", {here}, error));
  EXPECT_EQ(error, "no target 'sm_1' in " + here + ", expected one of toy");
  EXPECT_FALSE(loadTarget("/nowhere/x.json", {}, error));
  EXPECT_EQ(error, "/nowhere/x.json: No such file or directory");
  // A file that has changed is read again, and what is wrong with it is said each time.
  auto write = [&](const std::string &text) {
    std::error_code failed;
    llvm::raw_fd_ostream(mine, failed) << text;
  };
  write("{");
  for (int time = 0; time < 2; ++time) {
    error.clear();
    EXPECT_FALSE(loadTarget(mine, {}, error));
    EXPECT_NE(error, "");
  }
  write(with("Toy 2", "Toy 9"));
  EXPECT_EQ(targetOfProduct("toy 9", {here}), "toy");
  llvm::sys::fs::remove_directories(folder);
}
