// Parsing and running of programs in the oracle's tests.
#include "Programs.h"

#include "dialect/ParseTile.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <fstream>
#include <sstream>

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

Oracle::Oracle(llvm::StringRef text, int64_t world, std::vector<std::pair<std::string, int64_t>> parameters) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(diagnostics);
    stream << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
    return success();
  });
  // Files that a program uses are beside the examples.
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, TILEC_EXAMPLES "/03_matmul/program.mlir"),
                             llvm::SMLoc());
  module = parseTile(sources, &context);
  if (!module)
    return;
  interpreter::InterpreterOptions options;
  options.world = world;
  for (auto &[name, value] : parameters)
    options.parameters[name] = value;
  tile::ProgramOp program = *module->getOps<tile::ProgramOp>().begin();
  auto created = interpreter::Interpreter::create(program, options);
  if (succeeded(created))
    oracle = std::move(*created);
}

std::string Oracle::example(llvm::StringRef path) {
  std::ifstream file(std::string(TILEC_EXAMPLES "/") + path.str());
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void Oracle::fill(int64_t rank, unsigned number, std::vector<double> values) {
  ASSERT_EQ(argument(rank, number).real.size(), values.size());
  argument(rank, number).real = std::move(values);
}

void Oracle::fill(int64_t rank, unsigned number, std::vector<int64_t> values) {
  ASSERT_EQ(argument(rank, number).whole.size(), values.size());
  argument(rank, number).whole = std::move(values);
}
