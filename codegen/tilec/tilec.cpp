// The command: options to subcommands. No logic of passes.
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/Explain.h"
#include "codegen/tilec/Launch.h"
#include "codegen/tilec/RunCommand.h"
#include "codegen/tilec/VerifyCommand.h"

#include "llvm/Support/InitLLVM.h"

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tilec::Options options = tilec::parseOptions(argc, argv);
  switch (options.command) {
  case tilec::Command::Verify:
    return tilec::verify(options);
  case tilec::Command::Explain:
    return tilec::explain(options);
  case tilec::Command::Launch:
    return tilec::launch(options);
  case tilec::Command::Run:
    return tilec::run(options);
  case tilec::Command::Compile:
    return tilec::compile(options);
  }
}
