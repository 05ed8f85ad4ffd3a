// `lower`: the launcher, and the facts about kernels that the manifest needs once their kernel form is gone.
#include "passes/Lower.h"

using namespace mlir;
using namespace tilec;

/// Of each argument: "none", "read", "write" or "both", what other ranks do with it.
static ArrayAttr peersOf(tile::ProgramOp program) {
  llvm::DenseMap<Value, std::pair<bool, bool>> uses;
  program.walk([&](tile::AccessOpInterface access) {
    if (!access.getAccessRank())
      return;
    auto &[reads, writes] = uses[rootOf(access.getAccessedBuffer())];
    reads |= access.readsBuffer();
    writes |= access.writesBuffer();
  });
  SmallVector<StringRef> peers;
  for (BlockArgument buffer : program.getBuffers()) {
    auto [reads, writes] = uses.lookup(buffer);
    peers.push_back(reads && writes ? "both" : reads ? "read" : writes ? "write" : "none");
  }
  return Builder(program.getContext()).getStrArrayAttr(peers);
}

/// Of each grid, in the order of the program: the widest scope of its signals and waits.
static ArrayAttr scopesOf(tile::ProgramOp program) {
  llvm::MapVector<Value, StringRef> scopes;
  for (auto signals : program.getBody().getOps<tile::SignalsOp>())
    scopes[signals.getResult()] = "agent";
  program.walk([&](Operation *op) {
    if (auto signal = dyn_cast<tile::SignalOp>(op); signal && signal.getScope() == tile::Scope::System)
      scopes[signal.getSignals()] = "system";
    if (auto wait = dyn_cast<tile::WaitOp>(op); wait && wait.getScope() == tile::Scope::System)
      scopes[wait.getSignals()] = "system";
  });
  return Builder(program.getContext()).getStrArrayAttr(llvm::to_vector(llvm::make_second_range(scopes)));
}

/// The number of tasks of a role over the program's extents; null when it is no expression over them.
static AffineExpr tasksOf(tile::ProgramOp program, tile::RoleOp role) {
  AffineExpr sum = getAffineConstantExpr(0, program.getContext());
  for (auto forall : role.getBody().getOps<tile::ForallOp>()) {
    SmallVector<AffineExpr> grid;
    if (forall.getBounds()) {
      grid = extentExpressions(program, *forall.getBounds(), forall.getExtents());
    } else if (auto argument = dyn_cast<BlockArgument>(forall.getBuffer())) {
      grid = argumentShape(program, argument.getArgNumber() - program.getNumExtents());
    } else if (auto alloc = forall.getBuffer().getDefiningOp<tile::AllocOp>()) {
      grid = extentExpressions(program, alloc.getSizes(), alloc.getExtents());
    }
    if (grid.empty())
      return {};
    AffineExpr tasks = getAffineConstantExpr(1, program.getContext());
    for (auto [i, size] : llvm::enumerate(grid)) {
      // Below zero counts as none: two such sizes have no tasks, whatever their product.
      if (auto number = dyn_cast<AffineConstantExpr>(size); number && number.getValue() < 0)
        size = getAffineConstantExpr(0, program.getContext());
      tasks = tasks * (forall.getBounds() ? size : size.ceilDiv(cast<IntegerAttr>((*forall.getTiles())[i]).getInt()));
    }
    sum = sum + tasks;
  }
  return sum;
}

static ArrayAttr rolesOf(tile::ProgramOp program, tile::KernelOp kernel) {
  Builder builder(program.getContext());
  SmallVector<Attribute> roles;
  for (auto role : kernel.getBody().getOps<tile::RoleOp>()) {
    SmallVector<NamedAttribute> facts{builder.getNamedAttr("name", role.getSymNameAttr())};
    if (role.getWorkgroups())
      facts.push_back(builder.getNamedAttr("workgroups", builder.getI64IntegerAttr(*role.getWorkgroups())));
    if (AffineExpr tasks = tasksOf(program, role))
      facts.push_back(
          builder.getNamedAttr("tasks", AffineMapAttr::get(AffineMap::get(0, program.getNumExtents(), tasks))));
    roles.push_back(builder.getDictionaryAttr(facts));
  }
  return builder.getArrayAttr(roles);
}

void tilec::createLauncher(tile::ProgramOp program, ArrayRef<tile::KernelOp> sources, ArrayRef<hip::KernelOp> kernels) {
  OpBuilder builder(program.getContext());
  MLIRContext *context = builder.getContext();
  builder.setInsertionPointToEnd(&program.getBody().front());
  Location loc = unnamed(program.getLoc());
  auto launcher = hip::LauncherOp::create(builder, loc, (program.getSymName() + "_launch").str(),
                                          program.getBuffers().size(), program.getNumExtents());
  launcher->setAttr("peers", peersOf(program));
  launcher->setAttr("scopes", scopesOf(program));
  // The region has the arguments that kernels were given before unused ones were dropped.
  Block &body = launcher.getBody().emplaceBlock();
  body.addArgument(hip::ContextType::get(context), named(loc, "context"));
  for (BlockArgument buffer : program.getBuffers())
    body.addArgument(hip::PointerType::get(context, cast<MemRefType>(buffer.getType()).getElementType(), false),
                     buffer.getLoc());
  body.addArgument(hip::PointerType::get(context, builder.getNoneType(), false), named(loc, "scratch"));
  for (BlockArgument extent : program.getExtents())
    body.addArgument(builder.getIndexType(), extent.getLoc());
  for (BlockArgument extent : program.getExtents())
    body.addArgument(builder.getIndexType(), named(extent.getLoc(), "max_" + nameOf(extent.getLoc())));
  builder.setInsertionPointToEnd(&body);
  for (auto [kernelForm, lowered] : llvm::zip(sources, kernels)) {
    tile::KernelOp source = kernelForm;
    hip::KernelOp kernel = lowered;
    kernel->setAttr("roles", rolesOf(program, source));
    if (Attribute resident = source->getAttr("resident"))
      kernel->setAttr("resident", resident);
    if (Attribute progress = source->getAttr("progress"))
      kernel->setAttr("progress", progress);
    SmallVector<Value> arguments;
    for (int64_t i : cast<DenseI64ArrayAttr>(kernel->removeAttr("passed")).asArrayRef())
      arguments.push_back(body.getArgument(i));
    hip::LaunchKernelOp::create(builder, kernel.getLoc(), kernel.getSymName(), kernel.getThreads(),
                                kernel.getSharedBytes(), arguments);
  }
}
