// The order of the passes. A new pass is added here and in Passes.td, nowhere else.
#include "passes/Pipeline.h"
#include "passes/Passes.h"

using namespace mlir;
using namespace tilec;

static void addSpecialize(OpPassManager &manager, const PipelineOptions &options) {
  SpecializeOptions pass;
  pass.world = options.world;
  pass.extents.assign(options.extents.begin(), options.extents.end());
  pass.parameters.assign(options.parameters.begin(), options.parameters.end());
  manager.addPass(createSpecialize(pass));
}

static constexpr Stage stages[] = {
    {"specialize", addSpecialize},
    {"lower", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createLower()); }},
    {"prepare", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createPrepareHip()); }},
};

ArrayRef<Stage> tilec::getStages() { return stages; }

LogicalResult tilec::buildPipeline(PassManager &manager, const PipelineOptions &options, StringRef until) {
  OpPassManager &programs = manager.nest<tile::ProgramOp>();
  for (const Stage &stage : stages) {
    stage.add(programs, options);
    if (stage.name == until)
      return success();
  }
  return success(until.empty());
}
