// Seeded or read inputs, and the oracle's results.
#include "codegen/tilec/RunInputs.h"
#include "codegen/tilec/Npy.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"

#include <unistd.h>

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
  double bytes = 0;
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  for (auto [number, extents] : llvm::enumerate(plan.extents)) {
    PreparedLaunch &launch = result.emplace_back();
    launch.extents = extents;
    if (failed(oracle.begin(extents)))
      return failure();
    fillInputs(oracle, seed, number);
    if (failed(readInputs(oracle, *inputs, number)))
      return failure();
    for (int64_t rank = 0; rank < oracle.getWorld(); ++rank)
      for (unsigned i = 0; i < oracle.getNumArguments(); ++i)
        bytes += static_cast<double>(oracle.argument(rank, i).size()) * 20;
    // Every launch is kept until all are compared; they are about as large as the first.
    if (number == 0 && bytes * static_cast<double>(plan.extents.size()) > machine)
      return ProgramOp(oracle.getProgram()).emitError()
             << "this machine has no memory for the arguments of " << plan.extents.size() << " launches";
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

LogicalResult tilec::checkFiles(ProgramOp program, ArrayRef<std::string> inputs, ArrayRef<std::string> outputs,
                                int64_t world) {
  FailureOr<SmallVector<ArgumentFile>> read = parseFiles(program, inputs), written = parseFiles(program, outputs);
  if (failed(read) || failed(written))
    return failure();
  llvm::SmallSet<unsigned, 4> filled;
  for (const ArgumentFile &file : *read)
    if (!filled.insert(file.argument).second)
      return program.emitError() << "two files for argument '" << argumentName(program.getBuffers()[file.argument])
                                 << "'";
  llvm::StringSet<> paths;
  for (const ArgumentFile &file : *written)
    for (int64_t rank = 0; rank < world; ++rank)
      if (!paths.insert(file.path(rank, 0)).second)
        return program.emitError()
               << "'" << file.path(rank, 0)
               << "' would be written twice, expected a file for each rank and argument: use {rank}";
  return success();
}

LogicalResult tilec::writeOutputs(ProgramOp program, ArrayRef<std::string> files, int64_t launch,
                                  ArrayRef<std::vector<Buffer>> arguments) {
  FailureOr<SmallVector<ArgumentFile>> outputs = parseFiles(program, files);
  if (failed(outputs))
    return failure();
  std::vector<std::string> written;
  for (const ArgumentFile &file : *outputs)
    for (auto [rank, buffers] : llvm::enumerate(arguments)) {
      const Buffer &buffer = buffers[file.argument];
      written.push_back(file.path(rank, launch));
      if (llvm::Error error =
              writeNpy(written.back(), {npyDtype(buffer.format).str(), buffer.shape, buffer.toBytes()})) {
        written.pop_back();
        for (const std::string &path : written)
          (void)llvm::sys::fs::remove(path);
        return program.emitError() << "cannot write '" << file.path(rank, launch)
                                   << "': " << llvm::toString(std::move(error));
      }
    }
  return success();
}
