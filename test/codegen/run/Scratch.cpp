// Files and programs of the run tests.
#include "Scratch.h"
#include "dialect/ParseTile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace tilec::test;

Scratch::Scratch() {
  llvm::SmallString<128> made;
  if (llvm::sys::fs::createUniqueDirectory("tilec-test", made))
    ADD_FAILURE() << "no temporary directory";
  directory = std::string(made);
  setenv("TILEC_CACHE", path("cache").c_str(), 1);
}

Scratch::~Scratch() {
  unsetenv("TILEC_CACHE");
  (void)llvm::sys::fs::remove_directories(directory);
}

std::string Scratch::write(const std::string &name, const std::string &content) const {
  std::ofstream(path(name), std::ios::binary) << content;
  return path(name);
}

std::string Scratch::read(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Parsed::Parsed(const std::string &text) {
  mlir::DialectRegistry registry;
  tilec::registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return llvm::success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  module = tilec::parseTile(sources, &context);
}
