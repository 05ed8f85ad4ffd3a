// A text written by hand, compiled, launched on three emulated ranks and judged by the oracle; and wrong ones.
#include "codegen/tilec/run/Run.h"
#include "Scratch.h"
#include "codegen/tilec/run/Npy.h"

#include "llvm/Support/Error.h"

using namespace tilec;
using namespace tilec::test;

namespace {

const char *source = R"(
  tile.program @gather_matmul<%M>(%a: memref<?x512xbf16>, %b: memref<256x512xbf16>, %c: memref<?x256xbf16>)
      extents [%a: %M, 512] [%c: W * %M, 256] {
    %full = tile.alloc [W * %M, 512] : memref<?x512xbf16, #tile.symmetric>
    tile.all_gather %a into %full dim 0 : memref<?x512xbf16>, memref<?x512xbf16, #tile.symmetric>
    tile.matmul %full, transpose %b into %c : memref<?x512xbf16, #tile.symmetric>, memref<256x512xbf16>, memref<?x256xbf16>
  })";

class Run : public testing::Test {
protected:
  Run() : parsed(source) {
    options.text = TILEC_TEXTS "/gather_matmul.hip";
    options.manifest = TILEC_TEXTS "/gather_matmul.json";
    options.machine.waveLanes = 64; // as the text was made for
    options.world = 3;
    // Most tests run the same text: one cache for all of them.
    static Scratch shared;
    setenv("TILEC_CACHE", shared.path("cache").c_str(), 1);
  }

  /// The text with one part replaced.
  void change(const std::string &part, const std::string &by) {
    std::string text = Scratch::read(options.text);
    size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part;
    text.replace(at, part.size(), by);
    options.text = scratch.write("gather_matmul.hip", text);
  }

  int run() {
    printed.clear();
    llvm::raw_string_ostream stream(printed);
    return static_cast<int>(runProgram(parsed.program(), options, stream));
  }

  bool says(const std::string &words) {
    return printed.find(words) != std::string::npos || parsed.diagnostics.find(words) != std::string::npos;
  }

  std::string all() { return printed + parsed.diagnostics; }

  Scratch scratch;
  Parsed parsed;
  RunOptions options;
  std::string printed;
};

} // namespace

TEST_F(Run, ARightTextIsWithinItsBounds) {
  EXPECT_EQ(run(), 0) << all();
  for (const char *rank : {"rank 0: largest error", "rank 1: largest error", "rank 2: largest error"})
    EXPECT_TRUE(says(rank)) << all();
  EXPECT_TRUE(says("at %c[")) << all();
  EXPECT_FALSE(says("WRONG")) << all();
}

TEST_F(Run, LaunchesWithDrawnExtentsQueuedAndSkewed) {
  options.launches = 3;
  options.extentsFrom = {1, 40, 130};
  EXPECT_EQ(run(), 0) << all();
  for (uint64_t seed : {1, 2}) {
    options.machine.skewed = seed == 2;
    options.queued = true;
    options.machine.orderSeed = seed;
    options.machine.computeUnits = seed;
    EXPECT_EQ(run(), 0) << all();
  }
}

TEST_F(Run, AMissingStepIsSeen) {
  change("for (int k = 0; k < K; k += 32) {", "for (int k = 32; k < K; k += 32) {");
  options.extents = {{"M", 40}};
  EXPECT_EQ(run(), 1);
  EXPECT_TRUE(says("WRONG")) << all();
  EXPECT_TRUE(says("elements exceed their bound")) << all();
}

TEST_F(Run, AnUnwrittenOutputIsPoison) {
  change("tilec::store<4>(out", "if (m != 0) tilec::store<4>(out");
  options.extents = {{"M", 40}};
  EXPECT_EQ(run(), 1);
  EXPECT_TRUE(says("the furthest is nan")) << all();
}

TEST_F(Run, AStoreBehindAnArgumentIsSeen) {
  change("{M, N}, {N, 1}), {m * 128", "{M + 1, N}, {N, 1}), {m * 128");
  options.extents = {{"M", 40}};
  EXPECT_EQ(run(), 1);
  EXPECT_TRUE(says("behind the end of %c have changed")) << all();
}

TEST_F(Run, ADeadlockIsReported) {
  change("tilec::signal<SENT_SCOPE>(launch, sent, {rank, m}, to);", "");
  options.extents = {{"M", 40}};
  EXPECT_EQ(run(), 1);
  EXPECT_TRUE(says("a launch failed")) << all();
  EXPECT_TRUE(says("sent")) << all();
}

TEST_F(Run, TextThatDoesNotCompile) {
  change("tilec::barrier();", "tilec::barier();");
  EXPECT_EQ(run(), 1);
  EXPECT_TRUE(says("does not compile")) << all();
  EXPECT_TRUE(says("barier")) << all();
}

TEST_F(Run, InputsAndOutputsAreFiles) {
  options.extents = {{"M", 1}};
  NpyArray a{"<V2", {1, 512}, std::vector<char>(1024, 0)};
  for (int rank = 0; rank < 3; ++rank) {
    // One at column 0: row r of the result is column 0 of b.
    a.bytes[0] = char(0x80);
    a.bytes[1] = 0x3f;
    ASSERT_FALSE(static_cast<bool>(writeNpy(scratch.path("a" + std::to_string(rank) + ".npy"), a)));
  }
  options.inputs = {"a=" + scratch.path("a{rank}.npy")};
  options.outputs = {"c=" + scratch.path("c{rank}.npy"), "b=" + scratch.path("b{rank}.npy")};
  EXPECT_EQ(run(), 0) << all();
  llvm::Expected<NpyArray> b = readNpy(scratch.path("b1.npy")), c = readNpy(scratch.path("c1.npy"));
  ASSERT_TRUE(b && c);
  for (int row = 0; row < 3; ++row)
    for (int n = 0; n < 256; ++n)
      for (int byte = 0; byte < 2; ++byte)
        ASSERT_EQ(c->bytes[(row * 256 + n) * 2 + byte], b->bytes[n * 512 * 2 + byte]);
}

TEST_F(Run, BadOptionsAreDiagnosed) {
  auto refused = [&](const std::string &words) {
    parsed.diagnostics.clear();
    EXPECT_EQ(run(), 1);
    EXPECT_TRUE(says(words)) << all();
  };
  RunOptions right = options;
  options.inputs = {"q=x.npy"};
  refused("unknown argument 'q'");
  options.inputs = {"a"};
  refused("argument 'a', expected NAME=FILE.npy, or of an argument that is a number NAME=NUMBER");
  options.inputs = {"a=" + scratch.path("none.npy")};
  refused("cannot read");
  options = right;
  options.world = 0;
  refused("world is not known");
  options = right;
  options.world = 2;
  refused("cannot load the program");
  options = right;
  options.text = scratch.path("none.hip");
  refused("cannot read");
}
