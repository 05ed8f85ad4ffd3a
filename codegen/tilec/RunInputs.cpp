// Seeded or read inputs, and the oracle's results.
#include "codegen/tilec/RunInputs.h"
#include "codegen/tilec/Npy.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;
using namespace tilec::interpreter;

namespace {
struct ArgumentFile {
  unsigned argument;
  std::string pattern;

  std::string path(int64_t rank, int64_t launch) const {
    std::string result = pattern;
    for (auto [name, value] : {std::pair<StringRef, int64_t>{"{rank}", rank}, {"{launch}", launch}})
      for (size_t at; (at = result.find(name)) != std::string::npos;)
        result.replace(at, name.size(), std::to_string(value));
    return result;
  }
};
} // namespace

static FailureOr<SmallVector<ArgumentFile>> parseFiles(ProgramOp program, ArrayRef<std::string> files) {
  SmallVector<ArgumentFile> result;
  for (StringRef text : files) {
    auto [name, path] = text.split('=');
    if (name.empty() || path.empty())
      return program.emitError() << "argument '" << text << "', expected NAME=FILE.npy";
    auto buffers = program.getBuffers();
    auto it = llvm::find_if(buffers, [name = name](BlockArgument buffer) { return argumentName(buffer) == name; });
    if (it == buffers.end())
      return program.emitError() << "unknown argument '" << name << "'";
    result.push_back({it->getArgNumber() - static_cast<unsigned>(program.getNumExtents()), path.str()});
  }
  return result;
}

static LogicalResult readInputs(Interpreter &oracle, ArrayRef<ArgumentFile> files, int64_t launch) {
  for (const ArgumentFile &file : files)
    for (int64_t rank = 0; rank < oracle.getWorld(); ++rank) {
      Buffer &buffer = oracle.argument(rank, file.argument);
      llvm::Expected<NpyArray> array = readNpy(file.path(rank, launch), buffer.format, buffer.shape);
      if (!array)
        return ProgramOp(oracle.getProgram()).emitError() << llvm::toString(array.takeError());
      buffer.fromBytes(array->bytes);
    }
  return success();
}

FailureOr<std::vector<PreparedLaunch>> tilec::prepareLaunches(Interpreter &oracle, const LaunchPlan &plan,
                                                              ArrayRef<std::string> files, uint64_t seed) {
  FailureOr<SmallVector<ArgumentFile>> inputs = parseFiles(oracle.getProgram(), files);
  if (failed(inputs))
    return failure();
  std::vector<PreparedLaunch> result;
  for (auto [number, extents] : llvm::enumerate(plan.extents)) {
    PreparedLaunch &launch = result.emplace_back();
    launch.extents = extents;
    if (failed(oracle.begin(extents)))
      return failure();
    fillInputs(oracle, seed, number);
    if (failed(readInputs(oracle, *inputs, number)))
      return failure();
    launch.before.resize(oracle.getWorld());
    launch.after.resize(oracle.getWorld());
    auto forEachArgument = [&](auto function) {
      for (int64_t rank = 0; rank < oracle.getWorld(); ++rank)
        for (unsigned i = 0; i < oracle.getNumArguments(); ++i)
          function(rank, oracle.argument(rank, i));
    };
    forEachArgument([&](int64_t rank, Buffer &buffer) { launch.before[rank].push_back(buffer.toBytes()); });
    if (failed(oracle.run()))
      return failure();
    forEachArgument([&](int64_t rank, Buffer &buffer) { launch.after[rank].push_back(buffer); });
  }
  return result;
}

LogicalResult tilec::writeOutputs(ProgramOp program, ArrayRef<std::string> files, int64_t launch,
                                  ArrayRef<std::vector<Buffer>> arguments) {
  FailureOr<SmallVector<ArgumentFile>> outputs = parseFiles(program, files);
  if (failed(outputs))
    return failure();
  for (const ArgumentFile &file : *outputs)
    for (auto [rank, buffers] : llvm::enumerate(arguments)) {
      const Buffer &buffer = buffers[file.argument];
      if (llvm::Error error =
              writeNpy(file.path(rank, launch), {npyDtype(buffer.format).str(), buffer.shape, buffer.toBytes()}))
        return program.emitError() << llvm::toString(std::move(error));
    }
  return success();
}
