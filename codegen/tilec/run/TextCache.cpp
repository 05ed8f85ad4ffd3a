// Hashing, compiling and finding shared objects of generated text.
#include "codegen/tilec/run/TextCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"

using namespace tilec;
using llvm::createStringError;
using llvm::SmallString;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

TextCompiler TextCompiler::configured() {
  TextCompiler result;
  if (std::optional<std::string> runtime = llvm::sys::Process::GetEnv("TILEC_RUNTIME")) {
    result.includeDirectories = {*runtime + "/emulator/include", *runtime + "/include"};
    return result;
  }
  // bin/ and include/ lie beside each other, in the build tree as when installed.
  static const char inThisProgram = 0;
  SmallString<128> include(fs::getMainExecutable(nullptr, const_cast<char *>(&inThisProgram)));
  path::remove_filename(include);
  path::append(include, "..", "include");
  path::remove_dots(include, /*remove_dot_dot=*/true);
  result.includeDirectories = {(include + "/tilec-emulator").str(), include.str().str()};
  return result;
}

void TextCompiler::addRaceCheck(bool handWritten) {
  // A report names the line of the text by what is inlined into it: instrumented code is beyond the usual threshold.
  flags.insert(flags.end(), {"-fsanitize=thread", "-fno-sanitize-link-runtime", "-gline-tables-only", "-mllvm",
                             "-inline-threshold=1000", "-mllvm", "-tsan-instrument-func-entry-exit=0"});
  if (!handWritten)
    flags.insert(flags.end(),
                 {"-mllvm", "-tsan-instrument-memory-accesses=0", "-mllvm", "-tsan-instrument-memintrinsics=0"});
}

void TextCompiler::setWaveLanes(int64_t lanes) {
  flags.push_back("-DTILEC_EMULATED_WAVE_LANES=" + std::to_string(lanes));
}

static llvm::Expected<std::string> findCompiler(const TextCompiler &compiler) {
  std::vector<std::string> names{"clang++-22", "clang++"};
  if (!compiler.compiler.empty())
    names = {compiler.compiler};
  else if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("TILEC_CXX"))
    names = {*chosen};
  for (const std::string &name : names)
    if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
      return *found;
  return createStringError("no compiler '" + names.front() + "' for the generated text: set TILEC_CXX to a clang++");
}

static llvm::Error addFile(llvm::SHA256 &hash, StringRef file) {
  auto content = llvm::MemoryBuffer::getFile(file);
  if (!content)
    return createStringError("cannot read '" + file + "': " + content.getError().message());
  hash.update((*content)->getBuffer());
  hash.update(StringRef("\0", 1));
  return llvm::Error::success();
}

/// The runtime's headers in an include directory, which may hold those of others too, in the order of their names.
static llvm::Error addHeaders(llvm::SHA256 &hash, StringRef directory) {
  std::vector<std::string> files;
  std::error_code error;
  bool any = false;
  for (StringRef folder : {"tilec", "hip"}) {
    SmallString<128> root(directory);
    path::append(root, folder);
    if (!fs::is_directory(root))
      continue;
    any = true;
    for (fs::recursive_directory_iterator it(root, error), end; it != end && !error; it.increment(error))
      if (path::extension(it->path()) == ".h")
        files.push_back(it->path());
  }
  if (!any)
    error = std::make_error_code(std::errc::no_such_file_or_directory);
  if (error)
    return createStringError("cannot read the runtime's headers in '" + directory + "': " + error.message() +
                             "; set TILEC_RUNTIME to the folder runtime of tilec's sources");
  llvm::sort(files);
  for (const std::string &file : files) {
    hash.update(StringRef(file).drop_front(directory.size()));
    if (llvm::Error failed = addFile(hash, file))
      return failed;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> tilec::cacheDirectory() {
  SmallString<128> directory;
  if (std::optional<std::string> chosen = llvm::sys::Process::GetEnv("TILEC_CACHE"))
    directory = *chosen;
  else if (path::cache_directory(directory))
    path::append(directory, "tilec");
  else
    return createStringError("no place for compiled text: set TILEC_CACHE to a directory");
  if (std::error_code error = fs::create_directories(directory))
    return createStringError("cannot make '" + directory + "': " + error.message());
  return std::string(directory);
}

/// Runs the compiler; its words are in the error.
static llvm::Error execute(const std::vector<std::string> &command, StringRef source) {
  SmallString<128> words;
  if (std::error_code error = fs::createTemporaryFile("tilec", "txt", words))
    return createStringError("cannot make a temporary file: " + error.message());
  std::vector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(), words.str(), words.str()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(command[0], arguments, std::nullopt, redirects, 0, 0, &message);
  std::string said;
  if (auto content = llvm::MemoryBuffer::getFile(words))
    said = (*content)->getBuffer().str();
  fs::remove(words);
  if (status == 0)
    return llvm::Error::success();
  return createStringError("the generated text '" + source + "' does not compile\n" + message + said);
}

llvm::Expected<std::string> tilec::compileText(StringRef text, const TextCompiler &compiler) {
  llvm::Expected<std::string> program = findCompiler(compiler);
  if (!program)
    return program.takeError();
  std::vector<std::string> command{
      *program, "-std=c++20", "-O2", "-march=native", "-fPIC", "-shared", "-fexcess-precision=16", "-x", "c++"};
  command.insert(command.end(), compiler.flags.begin(), compiler.flags.end());
  llvm::SHA256 hash;
  for (const std::string &word : command)
    hash.update(word + '\n');
  if (llvm::Error error = addFile(hash, text))
    return std::move(error);
  for (const std::string &directory : compiler.includeDirectories) {
    if (llvm::Error error = addHeaders(hash, directory))
      return std::move(error);
    command.push_back("-I" + directory);
  }
  llvm::Expected<std::string> cache = cacheDirectory();
  if (!cache)
    return cache.takeError();
  SmallString<128> object(*cache);
  path::append(object, path::stem(text) + "-" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32) + ".so");
  if (fs::exists(object))
    return std::string(object);
  SmallString<128> temporary;
  if (std::error_code error = fs::createUniqueFile(object + ".%%%%%%%%", temporary))
    return createStringError("cannot write '" + object + "': " + error.message());
  command.insert(command.end(), {text.str(), "-o", std::string(temporary)});
  llvm::Error failed = execute(command, text);
  if (!failed)
    if (std::error_code error = fs::rename(temporary, object))
      failed = createStringError("cannot write '" + object + "': " + error.message());
  if (failed) {
    fs::remove(temporary);
    return std::move(failed);
  }
  return std::string(object);
}
