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

#include <malloc.h>

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

/// The checkers take and free tens of megabytes for each sample. A tenth of their time went into handing these back to
/// the system and taking them again.
static void keepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  keepFreedMemory();
  int result = execute(tilec::parseOptions(argc, argv));
  return printedAll() ? result : 1;
}
