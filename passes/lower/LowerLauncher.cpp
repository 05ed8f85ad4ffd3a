// `lower`: the launcher, and the facts that the manifest needs once the kernel form is gone.
#include "dialect/Limits.h"
#include "passes/lower/Lower.h"

using namespace mlir;
using namespace tilec;

/// Of each argument: what other ranks do with it.
static ArrayAttr peersOf(tile::ProgramOp program) {
  llvm::DenseMap<Value, std::pair<bool, bool>> uses;
  forEachUse(program, [&](const BufferUse &access) {
    if (!access.isRemote)
      return;
    auto &[reads, writes] = uses[access.root];
    reads |= access.reads;
    writes |= access.writes;
  });
  SmallVector<Attribute> peers;
  for (BlockArgument buffer : program.getArguments()) {
    auto [reads, writes] = uses.lookup(buffer);
    auto use = reads && writes ? tile::PeerUse::Both
               : reads         ? tile::PeerUse::Read
               : writes        ? tile::PeerUse::Write
                               : tile::PeerUse::None;
    peers.push_back(tile::PeerUseAttr::get(program.getContext(), use));
  }
  return ArrayAttr::get(program.getContext(), peers);
}

/// Of each grid, in the order of the program: the widest scope of its signals and waits.
static ArrayAttr scopesOf(tile::ProgramOp program) {
  llvm::MapVector<Value, tile::Scope> scopes;
  for (auto signals : program.getBody().getOps<tile::SignalsOp>())
    scopes[signals.getResult()] = tile::Scope::Agent;
  program.walk([&](Operation *op) {
    if (auto signal = dyn_cast<tile::SignalOp>(op)) {
      // What an engine raises it raises for all to see.
      auto kernel = op->getParentOfType<tile::KernelOp>();
      tile::Scope scope = kernel && kernel.getEngine() ? tile::Scope::System : signal.getScope();
      scopes[signal.getSignals()] = std::max(scopes[signal.getSignals()], scope);
    }
    if (auto wait = dyn_cast<tile::WaitOp>(op))
      scopes[wait.getSignals()] = std::max(scopes[wait.getSignals()], wait.getScope());
    if (auto take = dyn_cast<tile::TakeCountedOp>(op))
      scopes[take.getSignals()] = tile::Scope::System;
    if (auto post = dyn_cast<tile::PostOp>(op))
      scopes[post.getSignals()] = tile::Scope::System;
  });
  return ArrayAttr::get(program.getContext(), llvm::map_to_vector(scopes, [&](auto &entry) -> Attribute {
                          return tile::ScopeAttr::get(program.getContext(), entry.second);
                        }));
}

AffineExpr tilec::tasksOf(tile::ProgramOp program, tile::RoleOp role) {
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

/// The matrices that a buffer is made of become a dimension of the view.
static void divide(const MappedMatrix &matrix, MemoryView &view, OpBuilder &builder, Location loc, ValueRange extents) {
  view.extents = {expandExpression(builder, loc, matrix.rows, extents),
                  expandExpression(builder, loc, matrix.columns, extents)};
  view.extents.insert(view.extents.begin(), arith::ConstantIndexOp::create(builder, loc, matrix.count));
  Location name = named(loc, nameOf(matrix.root.getLoc()) + "_apart");
  view.strides.insert(view.strides.begin(), expandExpression(builder, name, matrix.apart, extents, /*wide=*/true));
}

/// Where an alloc begins; its copies, where it has several, become a dimension of the view.
static Value placeScratch(const ScratchBuffer &buffer, MemoryView &view, OpBuilder &builder, Location loc,
                          Value scratch, ValueRange maxima) {
  MLIRContext *context = builder.getContext();
  tile::AllocOp alloc = buffer.alloc;
  if (alloc.getCopies() > 1) {
    auto copies = arith::ConstantIndexOp::create(builder, loc, static_cast<int64_t>(alloc.getCopies()));
    AffineExpr apart = buffer.copyBytes.floorDiv(elementBytes(alloc.getResult().getType().getElementType()));
    view.extents.insert(view.extents.begin(), copies);
    Location name = named(loc, nameOf(alloc.getLoc()) + "_apart");
    view.strides.insert(view.strides.begin(), expandExpression(builder, name, apart, maxima, /*wide=*/true));
  }
  if (buffer.offset == getAffineConstantExpr(0, context))
    return scratch;
  return hip::AdvanceOp::create(builder, loc, scratch.getType(), scratch,
                                expandExpression(builder, loc, buffer.offset, maxima, /*wide=*/true));
}

/// What copy engines are told of buffers, before the launches.
static SmallVector<Value> createMaps(tile::ProgramOp program, const Workspace &workspace, OpBuilder &builder,
                                     Block &body, ArrayRef<MappedBuffer> maps) {
  unsigned firstExtent = 2 + program.getArguments().size(), numExtents = program.getNumExtents();
  ValueRange all = body.getArguments();
  ValueRange extents = all.slice(firstExtent, numExtents), maxima = all.slice(firstExtent + numExtents, numExtents);
  SmallVector<Value> made;
  for (const MappedBuffer &mapped : maps) {
    Value root = mapped.matrix.root, pointer;
    Location loc = unnamed(root.getLoc());
    MemoryView view = wholeBuffer(program, builder, loc, root, extents, maxima);
    if (mapped.matrix.count)
      divide(mapped.matrix, view, builder, loc, extents);
    if (auto argument = dyn_cast<BlockArgument>(root))
      pointer = all[1 + argument.getArgNumber() - program.getNumExtents()];
    else
      pointer = placeScratch(*workspace.find(root), view, builder, loc, all[firstExtent - 1], maxima);
    made.push_back(hip::TensorMapOp::create(builder, named(loc, nameOf(root.getLoc()) + "_map"),
                                            mapped.argument.getType(), pointer, view.extents, view.strides));
  }
  return made;
}

/// Whether the first workgroup and the last one are the same, who does all that there is.
static bool isAlone(hip::KernelOp kernel) {
  return llvm::none_of(kernel.getGroups(), [](hip::GroupOp group) { return group.getTurn() == tile::Turn::Each; });
}

/// Whether the kernel's slots are filled by it. Other maps may be missing: results are stored without, too.
static bool isFedBy(Value map) {
  return llvm::any_of(map.getUsers(), [](Operation *user) { return isa<hip::MappedFeedOp>(user); });
}

static void launchKernel(hip::KernelOp kernel, OpBuilder &builder, ArrayRef<Value> sources, int64_t numLaunched,
                         Value beside) {
  SmallVector<Value> arguments, own;
  for (auto [source, argument] : llvm::zip(kernel.getSources(), kernel.getBody().getArguments()))
    if (source >= numLaunched && isFedBy(argument))
      own.push_back(sources[source]);
  for (int64_t source : kernel.getSources())
    if (source == hip::KernelOp::kMapped)
      arguments.push_back(hip::MappedOp::create(builder, named(kernel.getLoc(), "mapped"), builder.getI1Type(), own));
    else if (source == hip::KernelOp::kAll)
      arguments.push_back(hip::AllWorkgroupsOp::create(builder, kernel.getLoc(), builder.getIndexType(), beside));
    else
      arguments.push_back(sources[source]);
  hip::LaunchKernelOp::create(builder, kernel.getLoc(), kernel.getSymName(), kernel.getThreads(),
                              kernel.getSharedBytes(), arguments, beside, isAlone(kernel),
                              beside ? IntegerAttr() : kernel.getMostWorkgroupsAttr(), kernel.getPairs(),
                              /*aside=*/kernel.getBeside());
}

/// Begins a stream for a kernel that runs beside the next one.
static Value createBeside(hip::KernelOp kernel, hip::KernelOp next, OpBuilder &builder) {
  auto most = next.getMostWorkgroups().value_or(tile::kMostWorkgroups);
  return hip::BesideOp::create(builder, named(kernel.getLoc(), "beside"), hip::ContextType::get(builder.getContext()),
                               kernel.getOwnWorkgroups(), most);
}

/// Asks for the copies, in a stream that begins here; returns it.
static Value launchEngine(hip::EngineOp engine, OpBuilder &builder, ArrayRef<Value> sources) {
  SmallVector<Value> arguments{
      hip::CopiesOp::create(builder, named(engine.getLoc(), "copies"), hip::ContextType::get(builder.getContext()))
          .getResult()};
  for (int64_t source : engine.getSources().drop_front())
    arguments.push_back(sources[source]);
  hip::LaunchCopiesOp::create(builder, engine.getLoc(), engine.getSymName(), arguments);
  return arguments.front();
}

void tilec::createLauncher(tile::ProgramOp program, const Workspace &workspace, ArrayRef<Operation *> kernels,
                           ArrayRef<MappedBuffer> maps) {
  OpBuilder builder(program.getContext());
  MLIRContext *context = builder.getContext();
  builder.setInsertionPointToEnd(&program.getBody().front());
  Location loc = unnamed(program.getLoc());
  auto launcher =
      hip::LauncherOp::create(builder, loc, (program.getSymName() + "_launch").str(), program.getArguments().size(),
                              program.getNumExtents(), peersOf(program), scopesOf(program));
  // The region has the arguments that kernels were given before unused ones were dropped.
  Block &body = launcher.getBody().emplaceBlock();
  body.addArgument(hip::ContextType::get(context), named(loc, "context"));
  for (BlockArgument argument : program.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    body.addArgument(buffer ? hip::PointerType::get(context, buffer.getElementType(), false) : argument.getType(),
                     argument.getLoc());
  }
  body.addArgument(hip::PointerType::get(context, builder.getNoneType(), false), named(loc, "scratch"));
  for (BlockArgument extent : program.getExtents())
    body.addArgument(builder.getIndexType(), extent.getLoc());
  for (BlockArgument extent : program.getExtents())
    body.addArgument(builder.getIndexType(), named(extent.getLoc(), "max_" + nameOf(extent.getLoc())));
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> sources(body.getArguments());
  llvm::append_range(sources, createMaps(program, workspace, builder, body, maps));
  Value copies, beside;
  for (auto [number, op] : llvm::enumerate(kernels)) {
    if (auto engine = dyn_cast<hip::EngineOp>(op)) {
      copies = launchEngine(engine, builder, sources);
      continue;
    }
    auto kernel = cast<hip::KernelOp>(op);
    if (kernel.getBeside())
      beside = createBeside(kernel, cast<hip::KernelOp>(kernels[number + 1]), builder);
    launchKernel(kernel, builder, sources, body.getNumArguments(), beside);
    if (kernel.getBeside()) {
      hip::AwaitBesideOp::create(builder, op->getLoc(), beside);
      continue;
    }
    if (beside)
      hip::JoinBesideOp::create(builder, op->getLoc(), beside);
    beside = Value();
    if (copies)
      hip::JoinCopiesOp::create(builder, op->getLoc(), copies);
    copies = Value();
  }
}
