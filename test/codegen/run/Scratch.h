// A directory that a test may fill, and the cache of compiled text in it.
#pragma once

#include "dialect/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace tilec::test {

/// Made empty, removed at the end; TILEC_CACHE names `cache` in it meanwhile.
class Scratch {
public:
  Scratch();
  ~Scratch();
  std::string path(const std::string &name) const { return directory + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string &name, const std::string &content) const;
  static std::string read(const std::string &path);

private:
  std::string directory;
};

/// A parsed program; diagnostics are collected.
struct Parsed {
  explicit Parsed(const std::string &text);
  tile::ProgramOp program() { return *module->getOps<tile::ProgramOp>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string diagnostics;
};

} // namespace tilec::test
