// Hashing, compiling and finding shared objects of generated text.
#include "codegen/tilec/run/TextCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

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

/// The words of TILEC_CXXFLAGS. They come first: what a run needs stands behind them and prevails.
static void addFlagsOfUser(std::vector<std::string> &command) {
  std::string flags = llvm::sys::Process::GetEnv("TILEC_CXXFLAGS").value_or("");
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(flags, words);
  command.insert(command.end(), words.begin(), words.end());
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

/// What each generated text begins with, so that it can be compiled beforehand.
static constexpr StringRef kHeaders = "#include <hip/hip_runtime.h>\n#include <tilec/device.h>\n";

/// What stands behind the lines of comments at the beginning.
static StringRef behindComments(StringRef text) {
  while (text.starts_with("//"))
    text = text.split('\n').second;
  return text;
}

/// Runs a command that writes a file, and puts it in its place.
static llvm::Error make(std::vector<std::string> command, StringRef source, StringRef target) {
  SmallString<128> temporary;
  if (std::error_code error = fs::createUniqueFile(target + ".%%%%%%%%", temporary))
    return createStringError("cannot write '" + target + "': " + error.message());
  command.insert(command.end(), {source.str(), "-o", std::string(temporary)});
  llvm::Error failed = execute(command, source);
  if (!failed)
    if (std::error_code error = fs::rename(temporary, target))
      failed = createStringError("cannot write '" + target + "': " + error.message());
  if (failed)
    fs::remove(temporary);
  return failed;
}

/// The headers as this command reads them, compiled once for all texts; empty where that fails. They are
/// half of what a small text takes.
static std::string precompiledHeaders(std::vector<std::string> command, llvm::SHA256 hash, StringRef cache) {
  fs::file_status compiler;
  if (fs::status(command.front(), compiler))
    return "";
  for (const std::string &word : command)
    hash.update(word + '\n');
  hash.update(std::to_string(compiler.getLastModificationTime().time_since_epoch().count()));
  SmallString<128> headers(cache);
  path::append(headers, "headers-" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32) + ".h");
  std::string precompiled = (headers + ".pch").str();
  if (fs::exists(precompiled))
    return precompiled;
  // The compiler asks for this file again whenever it reads the other.
  if (llvm::Error failed = llvm::writeToOutput(headers, [](llvm::raw_ostream &out) {
        out << kHeaders;
        return llvm::Error::success();
      })) {
    llvm::consumeError(std::move(failed));
    return "";
  }
  command.insert(command.end(), {"-x", "c++-header", "-Xclang", "-fno-pch-timestamp", "-fpch-instantiate-templates"});
  if (llvm::Error failed = make(command, headers, precompiled)) {
    llvm::consumeError(std::move(failed));
    return "";
  }
  return precompiled;
}

llvm::Expected<std::string> tilec::compileText(StringRef text, const TextCompiler &compiler) {
  llvm::Expected<std::string> program = findCompiler(compiler);
  if (!program)
    return program.takeError();
  std::vector<std::string> command{*program, "-std=c++20", "-O2", "-march=native", "-fPIC", "-fexcess-precision=16"};
  addFlagsOfUser(command);
  command.insert(command.end(), compiler.flags.begin(), compiler.flags.end());
  llvm::SHA256 hash;
  for (const std::string &word : command)
    hash.update(word + '\n');
  for (const std::string &directory : compiler.includeDirectories) {
    if (llvm::Error error = addHeaders(hash, directory))
      return std::move(error);
    command.push_back("-I" + directory);
  }
  auto content = llvm::MemoryBuffer::getFile(text);
  if (!content)
    return createStringError("cannot read '" + text + "': " + content.getError().message());
  StringRef whole = (*content)->getBuffer(), code = behindComments(whole);
  llvm::SHA256 headersHash = hash;
  // Worlds whose texts differ in the first line share an object; reports of races name lines of it.
  hash.update(std::to_string(whole.drop_back(code.size()).count('\n')) + '\n');
  hash.update(code);
  llvm::Expected<std::string> cache = cacheDirectory();
  if (!cache)
    return cache.takeError();
  SmallString<128> object(*cache);
  path::append(object, path::stem(text) + "-" + llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32) + ".so");
  if (fs::exists(object))
    return std::string(object);
  // A compiler that someone named may be a program around one, with headers of its own.
  bool isOwn = compiler.compiler.empty() && !llvm::sys::Process::GetEnv("TILEC_CXX");
  std::string headers;
  if (isOwn && code.starts_with(kHeaders))
    headers = precompiledHeaders(command, headersHash, *cache);
  command.insert(command.end(), {"-shared", "-x", "c++"});
  if (!headers.empty()) {
    std::vector<std::string> rest = command;
    rest.insert(rest.end(), {"-include-pch", headers, "-Xclang", "-fno-pch-timestamp"});
    llvm::Error failed = make(rest, text, object);
    if (!failed)
      return std::string(object);
    llvm::consumeError(std::move(failed)); // what is wrong is said of the text as it stands
  }
  if (llvm::Error failed = make(command, text, object))
    return std::move(failed);
  return std::string(object);
}
