// What every command requires of its input, said at the place in the input.
#include "codegen/tilec/Input.h"

#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tilec;

LogicalResult Input::report(const Options &options, Diagnostic &diagnostic) {
  // Values of options have no place in the input.
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error && isa<UnknownLoc>(diagnostic.getLocation())) {
    llvm::WithColor::error(llvm::errs(), "tilec") << diagnostic.str() << "\n";
    return success();
  }
  // Remarks are for `explain` and `verify --minimal`.
  return success(diagnostic.getSeverity() == DiagnosticSeverity::Remark && options.command != Command::Explain &&
                 !options.minimal);
}

/// What an option spells, null where it is not given.
template <typename Choice>
static FailureOr<Choice> readChoice(MLIRContext *context, StringRef spelling) {
  if (spelling.empty())
    return Choice();
  if (Choice choice = Choice::ofSpelling(context, spelling))
    return choice;
  return emitError(UnknownLoc::get(context)) << "--" << Choice::getMnemonic() << ": " << Choice::refuse(spelling);
}

/// A schedule has keys with values; null where none is given.
static FailureOr<tile::ScheduleAttr> readSchedule(MLIRContext *context, StringRef spelling) {
  if (spelling.empty())
    return tile::ScheduleAttr();
  std::string why;
  if (tile::ScheduleAttr schedule = tile::ScheduleAttr::ofSpelling(context, spelling, why))
    return schedule;
  return emitError(UnknownLoc::get(context)) << "--schedule: " << why;
}

/// For all products: what a statement says of the same keys no longer counts.
static void giveSchedule(tile::ProgramOp program, tile::ScheduleAttr schedule) {
  program.walk([&](tile::ScheduledOpInterface op) {
    if (tile::ScheduleAttr own = op.getScheduleAttr())
      op.setScheduleAttr(own.withoutGivenOf(schedule));
  });
  program.setScheduleAttr(program.getSchedule() ? program.getSchedule()->withGivenOf(schedule) : schedule);
}

LogicalResult Input::choose(const Options &options) {
  auto pattern = readChoice<tile::PatternAttr>(&context, options.pattern);
  auto granularity = readChoice<tile::GranularityAttr>(&context, options.granularity);
  auto order = readChoice<tile::OrderRuleAttr>(&context, options.order);
  auto schedule = readSchedule(&context, options.schedule);
  if (failed(pattern) || failed(granularity) || failed(order) || failed(schedule))
    return failure();
  for (auto program : module->getOps<tile::ProgramOp>()) {
    if (*pattern)
      program.setPatternAttr(*pattern);
    if (*granularity)
      program.setGranularityAttr(*granularity);
    if (*order)
      program.setOrderAttr(*order);
    if (*schedule)
      giveSchedule(program, *schedule);
  }
  return success();
}

/// What was made for one target is not finished for another: layouts and schedules would be those of the first.
static LogicalResult requireTarget(tile::ProgramOp program, StringRef target) {
  if (!program.getTarget() || *program.getTarget() == target)
    return success();
  return program.emitError() << "the program is for target '" << *program.getTarget() << "', expected '" << target
                             << "' as for the others or by --target";
}

Options tilec::withTarget(ModuleOp module, const Options &options) {
  Options result = options;
  for (auto program : module.getOps<tile::ProgramOp>())
    if (!options.targetGiven && program.getTarget()) {
      result.pipeline.target = program.getTarget()->str();
      break;
    }
  return result;
}

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
  const std::string target = withTarget(*module, options).pipeline.target;
  for (tile::ProgramOp program : programs)
    if (failed(requireTarget(program, target)))
      return failure();
  if ((options.command == Command::Run || options.command == Command::Tune) && programs.size() > 1) {
    InFlightDiagnostic diagnostic = programs.front().emitError()
                                    << "the file has " << programs.size() << " programs, '"
                                    << (options.command == Command::Run ? "run" : "tune") << "' takes one";
    diagnostic.attachNote(programs[1].getLoc()) << "the second is here";
    return diagnostic;
  }
  return success();
}
