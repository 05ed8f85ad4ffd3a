// The command: options to subcommands. No logic of passes.
#include "codegen/tilec/Compile.h"
#include "codegen/tilec/commands/Doctor.h"
#include "codegen/tilec/commands/Explain.h"
#include "codegen/tilec/commands/Launch.h"
#include "codegen/tilec/commands/RunCommand.h"
#include "codegen/tilec/commands/TraceCommand.h"
#include "codegen/tilec/commands/Tune.h"
#include "codegen/tilec/commands/VerifyCommand.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

static int execute(const tilec::Options &options) {
  switch (options.command) {
  case tilec::Command::Verify:
    return tilec::verify(options);
  case tilec::Command::Explain:
    return tilec::explain(options);
  case tilec::Command::Launch:
    return tilec::launch(options);
  case tilec::Command::Tune:
    return tilec::tune(options);
  case tilec::Command::Trace:
    return tilec::trace(options);
  case tilec::Command::Doctor:
    return tilec::examineMachine();
  case tilec::Command::Run:
    return tilec::run(options);
  case tilec::Command::Compile:
    return tilec::compile(options);
  }
}

/// What was printed is lost on a full disk: no success, whatever the command says.
static bool printedAll() {
  llvm::raw_fd_ostream &stream = llvm::outs();
  stream.flush();
  if (!stream.has_error())
    return true;
  llvm::WithColor::error(llvm::errs(), "tilec")
      << "cannot write to standard output: " << stream.error().message() << "\n";
  // A stream whose error nobody has taken ends the program with a stack trace.
  stream.clear_error();
  return false;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  int result = execute(tilec::parseOptions(argc, argv));
  return printedAll() ? result : 1;
}
