// `tilec trace`.
#include "codegen/tilec/commands/TraceCommand.h"
#include "codegen/tilec/run/Timeline.h"

#include "llvm/Support/WithColor.h"

using namespace tilec;

int tilec::trace(const Options &options) {
  if (options.traces.empty()) {
    llvm::WithColor::error(llvm::errs(), "tilec")
        << "no file to read, expected those that tilec_trace_save wrote, one of each rank\n";
    return 1;
  }
  return failed(writeTimeline(options.traces, options.timeline)) ? 1 : 0;
}
