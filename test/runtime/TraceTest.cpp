// What the host keeps and saves of launches that record. What kernels write is test/device/TraceTest's.
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tilec/host.h>

using nlohmann::json;

namespace {

constexpr int world = 3; // of the text

class HostTrace : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(tilec_emulated_worlds(world, 4 << 20, 1 << 16, worlds), TILEC_OK) << tilec_last_error();
  }
  void TearDown() override {
    for (tilec_world *one : worlds)
      tilec_world_destroy(one);
  }
  /// Of rank 0, from the manifest with this key.
  tilec_program *load(bool traced) {
    std::ifstream file(TEXT_MANIFEST);
    json manifest = json::parse(file);
    if (traced)
      manifest["traced"] = true;
    const std::string path = testing::TempDir() + "traced.json";
    std::ofstream(path) << manifest;
    tilec_program *program = nullptr;
    const int64_t extents[] = {64};
    EXPECT_EQ(tilec_program_load(worlds[0], path.c_str(), TEXT_CODE, extents, 1, &program), TILEC_OK)
        << tilec_last_error();
    return program;
  }

  tilec_world *worlds[world] = {};
};

TEST_F(HostTrace, NothingIsRecordedOfAProgramCompiledWithoutTrace) {
  tilec_program *program = load(/*traced=*/false);
  EXPECT_EQ(tilec_trace_save(program, "nowhere.json"), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "nothing was recorded: tilec_trace_start comes first");
  EXPECT_EQ(tilec_trace_start(program, 16), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "'gather_matmul' records nothing, expected one compiled with --trace");
}

TEST_F(HostTrace, AFileNamesRolesAndSignals) {
  tilec_program *program = load(/*traced=*/true);
  EXPECT_EQ(tilec_trace_start(program, 0), TILEC_INVALID_ARGUMENT);
  EXPECT_STREQ(tilec_last_error(), "0 records, expected 1 to 1048576");
  ASSERT_EQ(tilec_trace_start(program, 16), TILEC_OK) << tilec_last_error();
  EXPECT_EQ(tilec_trace_save(program, "/nowhere/x.json"), TILEC_NOT_FOUND);
  EXPECT_STREQ(tilec_last_error(), "cannot write '/nowhere/x.json'");
  const std::string path = testing::TempDir() + "trace.json";
  ASSERT_EQ(tilec_trace_save(program, path.c_str()), TILEC_OK) << tilec_last_error();
  std::ifstream file(path), manifestFile(TEXT_MANIFEST);
  const json saved = json::parse(file), manifest = json::parse(manifestFile);
  EXPECT_EQ(saved["program"], "gather_matmul");
  EXPECT_EQ(saved["world"], world);
  ASSERT_EQ(saved["kernels"].size(), manifest["kernels"].size());
  for (size_t i = 0; i < saved["kernels"][0]["roles"].size(); ++i)
    EXPECT_EQ(saved["kernels"][0]["roles"][i], manifest["kernels"][0]["roles"][i]["name"]);
  EXPECT_EQ(saved["signals"][0]["name"], manifest["signals"][0]["name"]);
  EXPECT_TRUE(saved["tracks"].empty()) << "nothing was launched";
}

} // namespace
