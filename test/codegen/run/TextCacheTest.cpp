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

TEST(TextCache, CommentsInFrontDoNotCountButLinesDo) {
  Scratch scratch;
  auto compiled = [&](std::string comments) {
    auto object = compileText(scratch.write("x.hip", comments + "extern \"C\" int one() { return 1; }\n"), bare());
    EXPECT_TRUE(static_cast<bool>(object));
    return object ? *object : llvm::toString(object.takeError());
  };
  std::string first = compiled("// world 1\n");
  EXPECT_EQ(compiled("// world 2\n"), first);
  EXPECT_NE(compiled("// world 2\n// and more\n"), first);
}

TEST(TextCache, HeadersAreCompiledOnceForAllTexts) {
  Scratch scratch;
  ASSERT_FALSE(llvm::sys::fs::create_directories(scratch.path("include/tilec")));
  ASSERT_FALSE(llvm::sys::fs::create_directories(scratch.path("include/hip")));
  scratch.write("include/hip/hip_runtime.h", "#pragma once\n#define ONE 1\n");
  scratch.write("include/tilec/device.h", "#pragma once\n");
  TextCompiler compiler = bare();
  compiler.includeDirectories = {scratch.path("include")};
  std::string headers = "#include <hip/hip_runtime.h>\n#include <tilec/device.h>\n";
  auto compiles = [&](std::string text) {
    auto object = compileText(scratch.write("x.hip", text), compiler);
    std::string words = object ? "" : llvm::toString(object.takeError());
    return words;
  };
  EXPECT_EQ(compiles("// world 1\n" + headers + "extern \"C\" int one() { return ONE; }\n"), "");
  EXPECT_EQ(filesIn(scratch.path("cache")), 3u); // an object, the headers, and these precompiled
  EXPECT_EQ(compiles(headers + "extern \"C\" int two() { return 2 * ONE; }\n"), "");
  EXPECT_EQ(filesIn(scratch.path("cache")), 4u);
  // What a text defines in front of its headers may change them.
  EXPECT_EQ(compiles("#define TWO 2\n" + headers + "extern \"C\" int two() { return TWO; }\n"), "");
  EXPECT_NE(compiles(headers + "int none() { return nothing; }\n").find("identifier 'nothing'"), std::string::npos);
  EXPECT_EQ(filesIn(scratch.path("cache")), 5u);
  scratch.write("include/hip/hip_runtime.h", "#pragma once\n#define ONE 1 + 0\n");
  EXPECT_EQ(compiles(headers + "static_assert(3 * ONE == 3);\nextern \"C\" int two() { return 2 * ONE; }\n"), "");
  EXPECT_EQ(filesIn(scratch.path("cache")), 8u);
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
