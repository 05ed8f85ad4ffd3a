// Writes launch.json and the arrays beside it.
#include "codegen/tilec/run/Expectation.h"
#include "codegen/tilec/run/Npy.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {

class Writer {
public:
  Writer(ProgramOp program, StringRef folder, std::optional<double> tolerance)
      : program(program), folder(folder), tolerance(tolerance) {}

  llvm::Error writeArrays(size_t number, const PreparedLaunch &launch) {
    for (auto [rank, buffers] : llvm::enumerate(launch.after))
      for (auto [argument, buffer] : llvm::enumerate(buffers)) {
        std::string name = nameOf(argument) + "-" + std::to_string(rank) + "-" + std::to_string(number);
        if (llvm::Error error = writeArgument(name, launch.before[rank][argument], buffer))
          return error;
      }
    return llvm::Error::success();
  }

  llvm::Error writeLaunches(ArrayRef<PreparedLaunch> launches, bool expected) {
    std::string path = pathOf("launch.json");
    std::error_code error;
    llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
    if (error)
      return llvm::createStringError("cannot write '" + path + "': " + error.message());
    llvm::json::Array all;
    for (const PreparedLaunch &launch : launches)
      all.push_back(describe(launch));
    bool keepsScratch =
        llvm::any_of(program.getBody().getOps<AllocOp>(), [](AllocOp alloc) { return alloc.getPersistent(); });
    file.os() << llvm::formatv(
        "{0:2}\n", llvm::json::Value(llvm::json::Object{{"program", program.getSymName()},
                                                        {"world", launches.empty() ? 1 : worldOf(launches.front())},
                                                        {"keeps_scratch", keepsScratch},
                                                        {"expected", expected},
                                                        {"launches", std::move(all)}}));
    file.keep();
    return llvm::Error::success();
  }

private:
  /// What the program leaves open is known to who ran the oracle.
  static int64_t worldOf(const PreparedLaunch &launch) {
    return std::max<int64_t>(1, static_cast<int64_t>(launch.before.size()));
  }

  std::string nameOf(unsigned argument) { return argumentName(program.getArguments()[argument]); }

  std::string pathOf(const llvm::Twine &file) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    return path.str().str();
  }

  template <class T>
  llvm::Error writeArray(const std::string &path, StringRef dtype, const Buffer &buffer, const std::vector<T> &values) {
    const char *bytes = reinterpret_cast<const char *>(values.data());
    return writeNpy(path, {dtype.str(), buffer.shape, std::vector<char>(bytes, bytes + values.size() * sizeof(T))});
  }

  llvm::Error writeArgument(const std::string &name, const std::vector<char> &before, const Buffer &oracle) {
    const Buffer &buffer = oracle;
    std::vector<double> bounds(buffer.size(), tolerance ? *tolerance * largestMagnitude(buffer) : 0);
    for (int64_t i = 0; i < buffer.size() && !(tolerance && buffer.format.isFloat); ++i)
      bounds[i] = buffer.errorAt(i);
    if (llvm::Error error =
            writeNpy(pathOf(name + ".before.npy"), {npyDtype(buffer.format).str(), buffer.shape, before}))
      return error;
    if (llvm::Error error = buffer.format.isFloat
                                ? writeArray(pathOf(name + ".after.npy"), "<f8", buffer, buffer.real)
                                : writeArray(pathOf(name + ".after.npy"), "<i8", buffer, buffer.whole))
      return error;
    return writeArray(pathOf(name + ".bound.npy"), "<f8", buffer, bounds);
  }

  llvm::json::Object describe(const PreparedLaunch &launch) {
    llvm::json::Array arguments;
    for (auto [argument, layout] : llvm::enumerate(launch.layouts)) {
      std::string type;
      llvm::raw_string_ostream(type) << getElementTypeOrSelf(program.getArguments()[argument].getType());
      arguments.push_back(llvm::json::Object{{"name", nameOf(argument)},
                                             {"type", type},
                                             {"sizes", llvm::json::Array(layout.getSizes())},
                                             {"strides", llvm::json::Array(layout.getStrides())}});
    }
    // With a tolerance nothing is followed, and of several ranks nothing is kept.
    llvm::json::Array scratch;
    for (const FollowedScratch &one :
         tolerance || worldOf(launch) > 1 ? ArrayRef<FollowedScratch>() : ArrayRef(launch.scratch))
      scratch.push_back(llvm::json::Object{{"name", one.name}, {"bytes", one.bytes}});
    return llvm::json::Object{{"extents", llvm::json::Array(launch.extents)},
                              {"arguments", std::move(arguments)},
                              {"scratch", std::move(scratch)}};
  }

  ProgramOp program;
  StringRef folder;
  std::optional<double> tolerance;
};

} // namespace

llvm::Error tilec::writeExpectation(ProgramOp program, StringRef folder, ArrayRef<PreparedLaunch> launches,
                                    bool expected, std::optional<double> tolerance) {
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot make '" + folder + "': " + error.message());
  Writer writer(program, folder, tolerance);
  for (auto [number, launch] : llvm::enumerate(launches))
    if (llvm::Error error = expected ? writer.writeArrays(number, launch) : llvm::Error::success())
      return error;
  return writer.writeLaunches(launches, expected);
}
