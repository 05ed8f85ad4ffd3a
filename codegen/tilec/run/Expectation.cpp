// Writes launch.json and the arrays beside it.
#include "codegen/tilec/run/Expectation.h"
#include "codegen/tilec/run/Npy.h"

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
  Writer(ProgramOp program, StringRef folder, const PreparedLaunch &launch)
      : program(program), folder(folder), launch(launch) {}

  llvm::Error write() {
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return llvm::createStringError("cannot make '" + folder + "': " + error.message());
    for (auto [rank, buffers] : llvm::enumerate(launch.after))
      for (auto [argument, buffer] : llvm::enumerate(buffers))
        if (llvm::Error error = writeArgument(rank, argument, buffer))
          return error;
    return writeLaunch();
  }

private:
  std::string nameOf(unsigned argument) { return argumentName(program.getBuffers()[argument]); }

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

  llvm::Error writeArgument(size_t rank, unsigned argument, const Buffer &buffer) {
    std::string name = nameOf(argument) + "-" + std::to_string(rank);
    std::vector<double> bounds(buffer.size());
    for (int64_t i = 0; i < buffer.size(); ++i)
      bounds[i] = buffer.errorAt(i);
    if (llvm::Error error = writeNpy(pathOf(name + ".before.npy"),
                                     {npyDtype(buffer.format).str(), buffer.shape, launch.before[rank][argument]}))
      return error;
    if (llvm::Error error = buffer.format.isFloat
                                ? writeArray(pathOf(name + ".after.npy"), "<f8", buffer, buffer.real)
                                : writeArray(pathOf(name + ".after.npy"), "<i8", buffer, buffer.whole))
      return error;
    return writeArray(pathOf(name + ".bound.npy"), "<f8", buffer, bounds);
  }

  llvm::Error writeLaunch() {
    std::string path = pathOf("launch.json");
    std::error_code error;
    llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
    if (error)
      return llvm::createStringError("cannot write '" + path + "': " + error.message());
    llvm::json::Array arguments;
    for (auto [argument, layout] : llvm::enumerate(launch.layouts)) {
      std::string type;
      llvm::raw_string_ostream(type) << cast<MemRefType>(program.getBuffers()[argument].getType()).getElementType();
      arguments.push_back(llvm::json::Object{{"name", nameOf(argument)},
                                             {"type", type},
                                             {"sizes", llvm::json::Array(layout.getSizes())},
                                             {"strides", llvm::json::Array(layout.getStrides())}});
    }
    file.os() << llvm::formatv("{0:2}\n",
                               llvm::json::Value(llvm::json::Object{{"program", program.getSymName()},
                                                                    {"world", int64_t(launch.after.size())},
                                                                    {"extents", llvm::json::Array(launch.extents)},
                                                                    {"arguments", std::move(arguments)}}));
    file.keep();
    return llvm::Error::success();
  }

  ProgramOp program;
  StringRef folder;
  const PreparedLaunch &launch;
};

} // namespace

LogicalResult tilec::writeExpectation(ProgramOp program, StringRef folder, const PreparedLaunch &launch) {
  if (llvm::Error error = Writer(program, folder, launch).write())
    return program.emitError() << llvm::toString(std::move(error));
  return success();
}
