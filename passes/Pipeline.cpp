// The order of the passes. A new pass is added here and in Passes.td, nowhere else.
#include "passes/Pipeline.h"
#include "dialect/Tile.h"
#include "passes/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

static void addSpecialize(OpPassManager &manager, const PipelineOptions &options) {
  SpecializeOptions pass;
  pass.world = options.world;
  pass.extents.assign(options.extents.begin(), options.extents.end());
  pass.parameters.assign(options.parameters.begin(), options.parameters.end());
  pass.target = options.target;
  manager.addPass(createSpecialize(pass));
}

static void addChoose(OpPassManager &manager, const PipelineOptions &options) {
  ChooseOptions pass;
  pass.target = options.target;
  manager.addPass(createChoose(pass));
}

static void addExpand(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createExpand()); }
static void addFuse(OpPassManager &manager, const PipelineOptions &options) {
  FuseOptions pass;
  pass.target = options.target;
  manager.addPass(createFuse(pass));
}

// Index arithmetic is emitted where it is needed and shared afterwards. No canonicalisation: it may turn views into
// casts, which footprints do not look through.
static void addWaits(OpPassManager &manager, const PipelineOptions &options) {
  WaitsOptions pass;
  pass.target = options.target;
  manager.addPass(createWaits(pass));
  manager.addPass(mlir::createCSEPass());
}

static void addTally(OpPassManager &manager, const PipelineOptions &options) {
  TallyOptions pass;
  pass.target = options.target;
  manager.addPass(createTally(pass));
}

static void addOrder(OpPassManager &manager, const PipelineOptions &options) {
  OrderOptions pass;
  pass.target = options.target;
  manager.addPass(createOrder(pass));
}

static void addVerify(OpPassManager &manager, const PipelineOptions &options) {
  VerifyOptions pass;
  pass.target = options.target;
  pass.explainLimits = options.explainLimits;
  if (options.verify)
    manager.addPass(createVerify(pass));
}

static void addPartition(OpPassManager &manager, const PipelineOptions &options) {
  PartitionOptions pass;
  pass.target = options.target;
  manager.addPass(createPartition(pass));
}

// From here on the program names its target.
static void addLayout(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createLayout()); }
static void addStage(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createStage()); }
static void addSchedule(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createSchedule()); }
static void addCount(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createCount()); }
static void addPipelining(OpPassManager &manager, const PipelineOptions &) { manager.addPass(createPipelining()); }
static void addAllocate(OpPassManager &manager, const PipelineOptions &) {
  manager.addPass(createAllocate());
  manager.addPass(mlir::createCSEPass());
}
static void addTrace(OpPassManager &manager, const PipelineOptions &options) {
  if (options.trace)
    manager.addPass(createTrace());
}
static void addCheck(OpPassManager &manager, const PipelineOptions &options) {
  CheckOptions pass;
  pass.protocol = options.verify;
  manager.addPass(createCheck(pass));
}

static constexpr PipelineStage stages[] = {
    {"specialize", addSpecialize},
    {"choose", addChoose},
    {"expand", addExpand},
    {"fuse", addFuse},
    {"waits", addWaits},
    {"arrivals", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createArrivals()); }},
    {"tally", addTally},
    {"order", addOrder},
    {"verify", addVerify},
    {"merge", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createMerge()); }},
    {"partition", addPartition},
    {"layout", addLayout},
    {"pack", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createPack()); }},
    {"send", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createSend()); }},
    {"post", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createPost()); }},
    {"stage", addStage},
    {"schedule", addSchedule},
    {"count", addCount},
    {"pipeline", addPipelining},
    {"allocate", addAllocate},
    {"lower", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createLower()); }},
    {"trace", addTrace},
    {"prepare", [](OpPassManager &manager, const PipelineOptions &) { manager.addPass(createPrepareHip()); }},
    {"check", addCheck},
};

ArrayRef<PipelineStage> tilec::getStages() { return stages; }

LogicalResult tilec::buildPipeline(PassManager &manager, const PipelineOptions &options, StringRef until,
                                   StringRef from) {
  OpPassManager &programs = manager.nest<tile::ProgramOp>();
  bool begun = from.empty();
  for (const PipelineStage &stage : stages) {
    begun |= stage.name == from;
    if (begun)
      stage.add(programs, options);
    if (stage.name == until)
      return success();
  }
  return success(until.empty());
}
