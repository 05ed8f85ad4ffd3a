// Seeded or read inputs, and the oracle's results.
#include "codegen/tilec/run/RunInputs.h"
#include "codegen/tilec/run/Npy.h"
#include "codegen/tilec/run/Undetermined.h"
#include "dialect/Identifiers.h"
#include "dialect/UnknownName.h"

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
      return program.emitError() << "argument '" << text
                                 << "', expected NAME=FILE.npy, or of an argument that is a number NAME=NUMBER";
    auto buffers = program.getArguments();
    auto it = llvm::find_if(buffers, [name = name](BlockArgument buffer) { return argumentName(buffer) == name; });
    if (it == buffers.end())
      return unknownArgument(program, name);
    result.push_back({it->getArgNumber() - static_cast<unsigned>(program.getNumExtents()), path.str()});
  }
  return result;
}

/// `M = 200, K = 72`
static std::string describe(ProgramOp program, ArrayRef<int64_t> extents) {
  std::string text;
  for (auto [extent, value] : llvm::zip(program.getExtents(), extents))
    text += (text.empty() ? "" : ", ") + argumentName(extent) + " = " + std::to_string(value);
  return text;
}

/// The only symbol of `size` that is not known, when `size` is a multiple of it plus a constant.
static std::optional<unsigned> soleUnknown(AffineExpr size) {
  std::optional<unsigned> unknown;
  bool sole = true;
  size.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    if (symbol) {
      sole &= !unknown || *unknown == symbol.getPosition();
      unknown = symbol.getPosition();
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(part)) {
      // A product of extents is only linear while one of them is known, that is a constant.
      bool product = part.getKind() == AffineExprKind::Mul;
      sole &= part.getKind() == AffineExprKind::Add ||
              (product && (isa<AffineConstantExpr>(binary.getLHS()) || isa<AffineConstantExpr>(binary.getRHS())));
    }
  });
  return sole ? unknown : std::nullopt;
}

/// The value of symbol `position` with which `size` is `wanted`; nothing when no integer of at least 0 does it.
static std::optional<int64_t> solve(AffineExpr size, unsigned position, int64_t wanted) {
  auto at = [&](int64_t value) -> std::optional<int64_t> {
    AffineExpr symbol = getAffineSymbolExpr(position, size.getContext());
    AffineExpr number = getAffineConstantExpr(value, size.getContext());
    auto constant = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(size.replace(symbol, number), 0, 0));
    // Beyond any file: nothing below overflows.
    constexpr int64_t most = int64_t(1) << 60;
    return constant && std::abs(constant.getValue()) < most ? std::optional(constant.getValue()) : std::nullopt;
  };
  std::optional<int64_t> base = at(0), next = at(1);
  if (!base || !next || *next == *base || wanted >= int64_t(1) << 60)
    return std::nullopt;
  int64_t factor = *next - *base, rest = wanted - *base;
  return rest % factor == 0 && rest / factor >= 0 ? std::optional(rest / factor) : std::nullopt;
}

FailureOr<std::vector<Binding>> tilec::extentsOfInputs(ProgramOp program, int64_t world, ArrayRef<Binding> given,
                                                       ArrayRef<std::string> files) {
  FailureOr<SmallVector<ArgumentFile>> inputs = parseFiles(program, files);
  if (failed(inputs))
    return failure();
  std::vector<Binding> result(given);
  MLIRContext *context = program.getContext();
  SmallVector<AffineExpr> symbols{getAffineConstantExpr(world, context)};
  for (BlockArgument extent : program.getExtents()) {
    symbols.push_back(getAffineSymbolExpr(symbols.size(), context));
    if (std::optional<int64_t> value = valueOf(given, argumentName(extent)))
      symbols.back() = getAffineConstantExpr(*value, context);
  }
  SmallVector<std::pair<AffineMap, SmallVector<int64_t, 4>>> shapes;
  for (const ArgumentFile &file : *inputs) {
    auto map = cast<AffineMapAttr>(program.getShapes()[file.argument]).getValue();
    auto shape = readNpyShape(file.path(0, 0));
    if (!shape)
      llvm::consumeError(shape.takeError());
    else if (shape->size() == map.getNumResults())
      shapes.emplace_back(map, *shape);
  }
  // What one dimension determines may leave another with one unknown.
  for (bool found = true; found;) {
    found = false;
    for (auto &[map, shape] : shapes)
      for (auto [dimension, wanted] : llvm::zip(map.getResults(), shape)) {
        AffineExpr size = simplifyAffineExpr(dimension.replaceSymbols(symbols), 0, symbols.size());
        std::optional<unsigned> unknown = soleUnknown(size);
        std::optional<int64_t> value = unknown ? solve(size, *unknown, wanted) : std::nullopt;
        if (!value)
          continue;
        symbols[*unknown] = getAffineConstantExpr(*value, context);
        result.push_back({argumentName(program.getExtents()[*unknown - 1]), *value});
        found = true;
      }
  }
  return result;
}

/// A number that the command line gives itself, `alpha=0.5`. Whether it is one; fails where it does not fit.
static FailureOr<bool> readNumber(ProgramOp program, const ArgumentFile &given, Buffer &buffer) {
  BlockArgument argument = program.getArguments()[given.argument];
  if (isa<MemRefType>(argument.getType()))
    return false;
  double real = 0;
  int64_t whole = 0;
  bool isFloat = buffer.format.isFloat, isNumber = isFloat ? !StringRef(given.pattern).getAsDouble(real)
                                                           : !StringRef(given.pattern).getAsInteger(10, whole);
  if (!isNumber && StringRef(given.pattern).ends_with(".npy"))
    return false;
  bool fits = isFloat || buffer.format.wrap(whole) == whole;
  if (!isNumber || !fits)
    return program.emitError() << "argument '" << argumentName(argument) << "' is '" << given.pattern
                               << "', expected a number of " << argument.getType() << " or FILE.npy";
  if (isFloat)
    buffer.real[0] = buffer.format.round(real);
  else
    buffer.whole[0] = whole;
  return true;
}

static LogicalResult readInputs(Interpreter &oracle, ArrayRef<ArgumentFile> files, ArrayRef<int64_t> extents,
                                int64_t launch) {
  for (const ArgumentFile &file : files)
    for (int64_t rank = 0; rank < oracle.getWorld(); ++rank) {
      Buffer &buffer = oracle.argument(rank, file.argument);
      FailureOr<bool> isNumber = readNumber(oracle.getProgram(), file, buffer);
      if (failed(isNumber))
        return failure();
      if (*isNumber)
        continue;
      llvm::Expected<NpyArray> array = readNpy(file.path(rank, launch), buffer.format, buffer.shape);
      if (!array) {
        ProgramOp program = oracle.getProgram();
        InFlightDiagnostic diagnostic = program.emitError() << llvm::toString(array.takeError());
        if (program.getNumExtents())
          diagnostic.attachNote(program.getLoc()) << "in a launch with " << describe(program, extents)
                                                  << "; --extent NAME=VALUE gives what no file determines";
        return diagnostic;
      }
      buffer.fromBytes(array->bytes);
    }
  return success();
}

/// Of every rank alike, after the oracle has run.
static std::vector<FollowedScratch> followedScratch(const Interpreter &oracle) {
  std::vector<FollowedScratch> result;
  ProgramOp program = oracle.getProgram();
  for (AllocOp alloc : program.getBody().getOps<AllocOp>()) {
    if (alloc.getPersistent())
      return {};
    auto name = dyn_cast<NameLoc>(alloc.getLoc());
    const Buffer &buffer = oracle.scratch(0, alloc);
    if (name && buffer.format.isFloat && buffer.size())
      result.push_back({legalName(name.getName()), buffer.size() * buffer.format.bytes()});
  }
  return result;
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
    if (failed(readInputs(oracle, *inputs, extents, number)))
      return failure();
    for (int64_t rank = 0; rank < oracle.getWorld(); ++rank)
      for (unsigned i = 0; i < oracle.getNumArguments(); ++i)
        bytes += static_cast<double>(oracle.argument(rank, i).size()) * 20;
    // Every launch is kept until all are compared; they are about as large as the first.
    if (number == 0 && bytes * static_cast<double>(plan.extents.size()) > machine)
      return ProgramOp(oracle.getProgram()).emitError()
             << "this machine has no memory for the arguments of " << plan.extents.size() << " launches";
    for (unsigned i = 0; i < oracle.getNumArguments(); ++i)
      launch.layouts.push_back(
          ArgumentLayout::of(oracle.getProgram(), i, oracle.getWorld(), extents, oracle.argument(0, i)));
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
    launch.stuck = oracle.getStuck();
    launch.unwritten = oracle.getUnwritten();
    launch.hasInexactScratch = oracle.hasInexactScratch();
    if (launch.hasInexactScratch)
      launch.scratch = followedScratch(oracle);
    forEachArgument([&](int64_t rank, Buffer &buffer) { launch.after[rank].push_back(buffer); });
  }
  if (failed(findUndetermined(oracle, result)))
    return failure();
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
      return program.emitError() << "two files for argument '" << argumentName(program.getArguments()[file.argument])
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
