// Copies of the runtime's sources, and programs beside them.
#include "codegen/tilec/run/Kit.h"
#include "codegen/tilec/run/Expectation.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using llvm::createStringError;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string installed(StringRef name) {
  static const char inThisProgram = 0;
  SmallString<128> folder(fs::getMainExecutable(nullptr, const_cast<char *>(&inThisProgram)));
  path::remove_filename(folder);
  path::append(folder, "..", "share", "tilec", name);
  path::remove_dots(folder, /*remove_dot_dot=*/true);
  return folder.str().str();
}

std::string tilec::runtimeSources() {
  if (std::optional<std::string> given = llvm::sys::Process::GetEnv("TILEC_RUNTIME"))
    return *given;
  return installed("runtime");
}

std::string tilec::jsonSources() { return installed("json"); }

/// Leaves a file alone that says the same already.
static llvm::Error copyFile(const Twine &from, StringRef to) {
  auto content = llvm::MemoryBuffer::getFile(from);
  if (!content)
    return createStringError("cannot read '" + from + "': " + content.getError().message());
  if (auto there = llvm::MemoryBuffer::getFile(to); there && (*there)->getBuffer() == (*content)->getBuffer())
    return llvm::Error::success();
  std::error_code error = fs::create_directories(path::parent_path(to));
  if (!error)
    error = fs::copy_file(from, to);
  if (error)
    return createStringError("cannot write '" + to + "': " + error.message());
  return llvm::Error::success();
}

static llvm::Error copyFolder(StringRef from, StringRef to) {
  std::error_code error;
  if (!fs::is_directory(from))
    return createStringError("no folder '" + from + "': set TILEC_RUNTIME to the folder runtime of tilec's sources");
  for (fs::recursive_directory_iterator it(from, error), end; it != end && !error; it.increment(error)) {
    if (fs::is_directory(it->path()))
      continue;
    SmallString<128> target(to);
    path::append(target, StringRef(it->path()).drop_front(from.size()));
    if (llvm::Error failed = copyFile(it->path(), target))
      return failed;
  }
  return error ? createStringError("cannot read '" + from + "': " + error.message()) : llvm::Error::success();
}

llvm::Error tilec::writeKit(StringRef folder) {
  const std::string runtime = runtimeSources();
  SmallString<128> target(folder);
  path::append(target, "runtime");
  for (StringRef part : {"host", "include", "runner"})
    if (llvm::Error error = copyFolder((runtime + "/" + part).str(), (target + "/" + part).str()))
      return error;
  if (llvm::Error error = copyFolder(jsonSources() + "/nlohmann", (folder + "/json/nlohmann").str()))
    return error;
  const std::string script = (folder + "/run").str();
  if (llvm::Error error = copyFile(runtime + "/runner/run-kit", script))
    return error;
  for (const std::string &executable : {script, (target + "/runner/run").str()})
    if (std::error_code error = fs::setPermissions(executable, fs::all_read | fs::owner_write | fs::all_exe))
      return createStringError("cannot make '" + executable + "' executable: " + error.message());
  return llvm::Error::success();
}

llvm::Error tilec::writeKitProgram(StringRef folder, const KitProgram &program) {
  fs::remove_directories(folder);
  ProgramOp source = program.source;
  for (auto [file, ending] : {std::pair(program.text, ".hip"), {program.manifest, ".json"}})
    if (llvm::Error error = copyFile(file, (folder + "/" + source.getSymName() + ending).str()))
      return error;
  return writeExpectation(source, folder, program.launches, program.expected, program.tolerance);
}

std::string tilec::kitLabel(ProgramOp program, ArrayRef<Binding> extents, ArrayRef<Binding> parameters) {
  std::string label = program.getSymName().str();
  for (ArrayRef<Binding> given : {extents, parameters})
    for (const auto &[name, value] : given)
      label += "-" + name + std::to_string(value);
  return label;
}
