// What every command requires of its input, said at the place in the input.
#include "codegen/tilec/Input.h"

using namespace mlir;
using namespace tilec;

LogicalResult Input::check(const Options &options) {
  auto programs = llvm::to_vector(module->getOps<tile::ProgramOp>());
  if (programs.empty())
    return module->emitError() << "the file has no 'tile.program'";
  if (options.worldGiven && options.pipeline.world == 0) {
    tile::ProgramOp program = programs.front();
    InFlightDiagnostic diagnostic = program.emitError() << "world of 0 ranks, expected at least 1";
    if (program.getWorld())
      diagnostic.attachNote(program.getLoc())
          << "the program is for a world of " << *program.getWorld() << " ranks, which holds without --world";
    else
      diagnostic.attachNote(program.getLoc()) << "the program says no 'world N': --world gives it";
    return diagnostic;
  }
  if (options.command == Command::Run && programs.size() > 1) {
    InFlightDiagnostic diagnostic = programs.front().emitError()
                                    << "the file has " << programs.size() << " programs, 'run' takes one";
    diagnostic.attachNote(programs[1].getLoc()) << "the second is here";
    return diagnostic;
  }
  for (tile::ProgramOp program : programs)
    if (failed(checkNames(program.getLoc(), options.pipeline)))
      return failure();
  return success();
}
