// Text is compiled once per content, and failures leave nothing.
#include "codegen/tilec/run/TextCache.h"
#include "Scratch.h"

#include "llvm/Support/FileSystem.h"

using namespace tilec;
using namespace tilec::test;

static unsigned filesIn(const std::string &directory) {
  unsigned files = 0;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(directory, error), end; it != end && !error; it.increment(error))
    ++files;
  return files;
}

/// A small text that needs no header, so that compiling it is quick.
static TextCompiler bare() { return TextCompiler(); }

TEST(TextCache, CompilesOncePerContent) {
  Scratch scratch;
  std::string text = scratch.write("x.hip", "extern \"C\" int one() { return 1; }\n");
  auto first = compileText(text, bare()), again = compileText(text, bare());
  ASSERT_TRUE(static_cast<bool>(first)) << llvm::toString(first.takeError());
  ASSERT_TRUE(static_cast<bool>(again));
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(filesIn(scratch.path("cache")), 1u);
  scratch.write("x.hip", "extern \"C\" int one() { return 2; }\n");
  auto other = compileText(text, bare());
  ASSERT_TRUE(static_cast<bool>(other));
  EXPECT_NE(*first, *other);
  TextCompiler flagged = bare();
  flagged.flags = {"-DX"};
  auto withFlag = compileText(text, flagged);
  ASSERT_TRUE(static_cast<bool>(withFlag));
  EXPECT_NE(*withFlag, *other);
  EXPECT_EQ(filesIn(scratch.path("cache")), 3u);
}

TEST(TextCache, HeadersCount) {
  Scratch scratch;
  ASSERT_FALSE(llvm::sys::fs::create_directories(scratch.path("include/tilec")));
  std::string text = scratch.write("x.hip", "#include <tilec/value.h>\nextern \"C\" int one() { return VALUE; }\n");
  scratch.write("include/tilec/value.h", "#define VALUE 1\n");
  TextCompiler compiler = bare();
  compiler.includeDirectories = {scratch.path("include")};
  auto first = compileText(text, compiler);
  ASSERT_TRUE(static_cast<bool>(first)) << llvm::toString(first.takeError());
  scratch.write("include/tilec/value.h", "#define VALUE 2\n");
  auto second = compileText(text, compiler);
  ASSERT_TRUE(static_cast<bool>(second));
  EXPECT_NE(*first, *second);
}

TEST(TextCache, MissingHeadersAreAnError) {
  Scratch scratch;
  TextCompiler compiler = bare();
  compiler.includeDirectories = {scratch.path("nothing")};
  auto none = compileText(scratch.write("x.hip", ""), compiler);
  ASSERT_FALSE(static_cast<bool>(none));
  std::string words = llvm::toString(none.takeError());
  EXPECT_NE(words.find("cannot read the runtime's headers in '" + scratch.path("nothing")), std::string::npos) << words;
  EXPECT_NE(words.find("set TILEC_RUNTIME"), std::string::npos) << words;
}

TEST(TextCache, FailuresAreErrorsAndLeaveNothing) {
  Scratch scratch;
  std::string text = scratch.write("x.hip", "int one() { return nothing; }\n");
  auto object = compileText(text, bare());
  ASSERT_FALSE(static_cast<bool>(object));
  std::string words = llvm::toString(object.takeError());
  EXPECT_NE(words.find("does not compile"), std::string::npos);
  EXPECT_NE(words.find("use of undeclared identifier 'nothing'"), std::string::npos) << words;
  EXPECT_EQ(filesIn(scratch.path("cache")), 0u);
  TextCompiler missing = bare();
  missing.compiler = "no-such-compiler";
  auto none = compileText(text, missing);
  ASSERT_FALSE(static_cast<bool>(none));
  EXPECT_NE(llvm::toString(none.takeError()).find("no compiler 'no-such-compiler'"), std::string::npos);
}
