// What the oracle's tests share: parsing a program, running it on all ranks, and reading buffers.
#pragma once

#include "passes/interpreter/Inputs.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace tilec::test {

/// A parsed program and its oracle; diagnostics are collected instead of printed.
class Oracle {
public:
  /// `text` is a whole file; a program is expected in it.
  explicit Oracle(llvm::StringRef text, int64_t world, std::vector<std::pair<std::string, int64_t>> parameters = {});

  /// Reads an example by its path below examples/.
  static std::string example(llvm::StringRef path);

  bool begin(llvm::ArrayRef<int64_t> extents) { return oracle && llvm::succeeded(oracle->begin(extents)); }
  bool run() { return llvm::succeeded(oracle->run()); }
  interpreter::Buffer &argument(int64_t rank, unsigned number) { return oracle->argument(rank, number); }
  void fill(int64_t rank, unsigned number, std::vector<double> values);
  void fill(int64_t rank, unsigned number, std::vector<int64_t> values);
  const std::vector<double> &reals(int64_t rank, unsigned number) { return argument(rank, number).real; }
  const std::vector<int64_t> &wholes(int64_t rank, unsigned number) { return argument(rank, number).whole; }

  std::string diagnostics;
  std::unique_ptr<interpreter::Interpreter> oracle;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilec::test
