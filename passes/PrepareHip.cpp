// The last mutation before printing: which values are variables, how they are called, which of them are assigned again,
// and the aliases of layouts. How anything is spelled is codegen's.
#include "dialect/Deferred.h"
#include "dialect/Identifiers.h"
#include "passes/Passes.h"
#include "passes/prepare/Divisors.h"
#include "passes/prepare/HipNames.h"
#include "passes/prepare/WrappingSums.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilec;
using hip::HipDialect;

namespace tilec {
#define GEN_PASS_DEF_PREPAREHIP
#include "passes/Passes.h.inc"
} // namespace tilec

namespace {

/// The block whose braces an operation stands in: a role has none of its own, nor has a group that nobody passes by.
Block *scopeOf(Block *block) {
  while (true) {
    Operation *parent = block->getParentOp();
    auto group = dyn_cast<hip::GroupOp>(parent);
    if (!isa<hip::RoleOp>(parent) && !(group && !group.isConditional()))
      return block;
    block = parent->getBlock();
  }
}
bool isSameScope(Operation *a, Operation *b) { return scopeOf(a->getBlock()) == scopeOf(b->getBlock()); }

/// Which values share one variable: those that a loop carries, what initialises and what updates them.
class Variables {
public:
  /// Sees inner loops after outer ones, so that an outer variable may go on in an inner loop.
  explicit Variables(Operation *root) {
    SmallVector<scf::ForOp> loops;
    root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        coalesce(loop, i);
    root->walk([&](scf::IfOp branch) { assignInBranches(branch); });
  }

  bool contains(Value value) const { return classes.contains(value.getAsOpaquePointer()); }
  const void *leader(Value value) const { return *classes.findLeader(value.getAsOpaquePointer()); }
  bool isAssignment(Operation *op) const { return assignments.contains(op); }

private:
  void join(Value a, Value b) { classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer()); }

  /// A branch assigns the result where it computes it.
  void assignInBranches(scf::IfOp branch) {
    for (Region &region : branch->getRegions()) {
      if (region.empty())
        continue;
      auto yield = cast<scf::YieldOp>(region.front().getTerminator());
      for (auto [value, result] : llvm::zip(yield.getOperands(), branch.getResults())) {
        Operation *def = value.getDefiningOp();
        if (!def || def->getBlock() != &region.front() || !value.hasOneUse() || def->getNumResults() != 1 ||
            contains(value) || isa<arith::ConstantOp, scf::ForOp, scf::IfOp>(def))
          continue;
        join(value, result);
        assignments.insert(def);
      }
    }
  }

  /// A variable of its own for the loop: what initialises it, or a copy where that is used elsewhere too.
  void coalesce(scf::ForOp loop, unsigned i) {
    Value init = loop.getInitArgs()[i], argument = loop.getRegionIterArg(i), result = loop.getResult(i);
    Operation *def = init.getDefiningOp();
    bool carried =
        isa_and_nonnull<scf::ForOp>(init.getDefiningOp()) ||
        (isa<BlockArgument>(init) && isa<scf::ForOp>(init.getParentBlock()->getParentOp()) && contains(init));
    bool fresh = def && !isa<arith::ConstantOp>(def) && def->getNumResults() == 1 &&
                 !def->hasTrait<OpTrait::ConstantLike>() && !isa<scf::IfOp>(def) && !def->hasTrait<hip::Enters>();
    if (!init.hasOneUse() || scopeOf(init.getParentBlock()) != scopeOf(loop->getBlock()) || !(carried || fresh)) {
      OpBuilder builder(loop);
      auto copy = hip::CopyOp::create(builder, argument.getLoc(), init.getType(), init);
      loop.getInitArgsMutable()[i].set(copy.getResult());
      init = copy.getResult();
    } else if (fresh && !carried && isa<NameLoc>(argument.getLoc())) {
      def->setLoc(argument.getLoc());
    }
    Operation *update = cast<scf::YieldOp>(loop.getBody()->getTerminator()).getOperand(i).getDefiningOp();
    bool sums = isa_and_nonnull<hip::MmaOp, hip::DotOp>(update);
    if (Operation *start = init.getDefiningOp(); start && sums && !isa<NameLoc>(start->getLoc()))
      start->setLoc(NameLoc::get(StringAttr::get(loop.getContext(), "acc"), start->getLoc()));
    join(init, argument);
    join(argument, result);
    updateInPlace(loop, i);
  }

  /// Whether a value, or what inner loops make of it in its variable, is read behind an operation, but for `own`.
  static bool isReadBehind(Value value, Operation *op, OpOperand &own) {
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *at = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (&use == &own || !at)
        return false;
      auto inner = dyn_cast<scf::ForOp>(use.getOwner());
      bool isInit = inner && inner == at && use.getOperandNumber() >= inner.getNumControlOperands();
      return op->isBeforeInBlock(at) || (isInit && isReadBehind(inner.getTiedLoopResult(&use), op, own));
    });
  }

  /// What a value that loops hand on began as: it may still lie in the variable of that.
  static Value startOf(Value value) {
    while (auto inner = value.getDefiningOp<scf::ForOp>())
      value = inner.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    return value;
  }

  /// The update assigns the variable where it is computed when nobody reads the old value afterwards.
  void updateInPlace(scf::ForOp loop, unsigned i) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    Value next = yield.getOperand(i), argument = loop.getRegionIterArg(i);
    Operation *def = next.getDefiningOp();
    if (next == argument)
      return;
    bool inBody = def && def->getBlock() == loop.getBody();
    bool readLater = inBody && isReadBehind(argument, def, yield->getOpOperand(i));
    if (inBody && next.hasOneUse() && !readLater && !isa<arith::ConstantOp, scf::IfOp>(def)) {
      auto inner = dyn_cast<scf::ForOp>(def);
      if (!inner) {
        join(next, argument);
        assignments.insert(def);
        return;
      }
      // The inner loop goes on with the same variable.
      unsigned position = cast<OpResult>(next).getResultNumber();
      if (inner.getInitArgs()[position] == argument && argument.hasOneUse()) {
        join(next, argument);
        return;
      }
    }
    // Another carried value, or one from elsewhere, may be overwritten before it is read: take it first. Those behind
    // this one are assigned behind it.
    auto other = dyn_cast<BlockArgument>(next);
    bool isBehind =
        other && other.getOwner() == loop.getBody() && other.getArgNumber() > loop.getRegionIterArg(i).getArgNumber();
    if (!isBehind && isa<BlockArgument>(startOf(next))) {
      OpBuilder builder(yield);
      yield.setOperand(i, hip::CopyOp::create(builder, next.getLoc(), next.getType(), next).getResult());
    }
  }

  llvm::EquivalenceClasses<const void *> classes;
  DenseSet<Operation *> assignments;
};

/// Decides which values have names, and names them.
class Naming {
public:
  explicit Naming(const Variables &variables) : variables(variables) {}

  void run(Operation *function) {
    Builder builder(function->getContext());
    nameRegion(function->getRegion(0), builder);
  }

private:
  static bool isNamed(Value value) {
    Operation *def = value.getDefiningOp();
    return !def || def->hasAttr(HipDialect::nameAttr);
  }

  /// How many operations are printed in one another below this one.
  static int depth(Operation *op) {
    int deepest = 0;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp(); def && !isNamed(operand) && !isa<arith::ConstantOp>(def))
        deepest = std::max(deepest, depth(def));
    return deepest + 1;
  }

  /// True when the operation is printed where its result is used.
  bool isInline(Operation *op) {
    Value result = op->getResult(0);
    if (variables.contains(result))
      return false;
    if (isa<arith::ConstantOp>(op))
      return true;
    if (isa<hip::WorkgroupsOp, hip::SharedOp, hip::ViewOp, hip::ViewAtOp, hip::RemoteOp, hip::AdvanceOp, hip::HeldAtOp,
            hip::TileOfOp, hip::AllWorkgroupsOp>(op) ||
        isa<hip::SlotType, hip::ActivityType>(result.getType()))
      return true;
    Operation *user = result.hasOneUse() ? *result.user_begin() : nullptr;
    if (!user || isa<scf::YieldOp>(user))
      return false;
    // What is printed twice, or in the head of a loop, is short.
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp>(user) || (isa<scf::ForOp>(user) && depth(op) > 1))
      return false;
    if (isa<hip::SplatOp>(op))
      return !isa<hip::ElementwiseOp>(user) && isSameScope(user, op);
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
      return false;
    // A variable that is assigned again must be read here and not later.
    for (Value operand : op->getOperands())
      if (variables.contains(operand))
        return false;
    bool inElementwise = isa<hip::ElementwiseOp>(op->getParentOp());
    if (!isSameScope(user, op) || (isa<NameLoc>(op->getLoc()) && !inElementwise))
      return false;
    return depth(op) <= (inElementwise ? 3 : 5);
  }

  std::string nameFor(Value value, StringRef suggestion) {
    if (!variables.contains(value))
      return names.add(suggestion);
    std::string &name = shared[variables.leader(value)];
    if (name.empty())
      name = names.add(suggestion);
    return name;
  }

  void nameOperation(Operation *op, Builder &builder) {
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch.getNumResults())
      nameResults(op, builder);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      nameResults(op, builder);
    } else if (op->getNumResults() == 1 && !isa<scf::IfOp>(op) && !isInline(op)) {
      Value result = op->getResult(0);
      op->setAttr(HipDialect::nameAttr, builder.getStringAttr(nameFor(result, suggestName(op))));
      if (variables.isAssignment(op))
        op->setAttr(HipDialect::assignAttr, builder.getUnitAttr());
      else if (variables.contains(result))
        op->setAttr(HipDialect::mutableAttr, builder.getUnitAttr());
    }
    for (Region &region : op->getRegions())
      nameRegion(region, builder);
  }

  void nameResults(Operation *op, Builder &builder) {
    SmallVector<Attribute> all;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      Operation *model = op;
      if (auto branch = dyn_cast<scf::IfOp>(op))
        if (Operation *def = branch.thenYield().getOperand(i).getDefiningOp(); def && !isa<arith::ConstantOp>(def))
          model = def;
      all.push_back(builder.getStringAttr(nameFor(result, suggestName(model))));
    }
    op->setAttr(HipDialect::nameAttr, builder.getArrayAttr(all));
  }

  static std::string argumentName(BlockArgument argument) {
    auto name = dyn_cast<NameLoc>(argument.getLoc());
    return name ? legalName(name.getName()) : isa<scf::ForOp>(argument.getOwner()->getParentOp()) ? "step" : "element";
  }

  void nameRegion(Region &region, Builder &builder) {
    if (region.empty())
      return;
    Operation *op = region.getParentOp();
    bool hasBraces = scopeOf(&region.front()) == &region.front();
    if (hasBraces)
      names.push();
    nameTicket(op, builder);
    SmallVector<Attribute> all;
    // The arguments of all regions, one after the other.
    if (auto before = op->getAttrOfType<ArrayAttr>(HipDialect::argumentsAttr); before && region.getRegionNumber() > 0)
      llvm::append_range(all, before);
    if (isa<hip::ElementwiseOp>(op))
      all.push_back(builder.getStringAttr(names.add("i")));
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      all.push_back(builder.getStringAttr(names.add(argumentName(cast<BlockArgument>(loop.getInductionVar())))));
    else if (auto tasks = dyn_cast<hip::TasksOp>(op))
      all.push_back(tasks.getGroup()->getAttr(HipDialect::nameAttr));
    else
      for (BlockArgument argument : region.getArguments())
        all.push_back(builder.getStringAttr(names.add(argumentName(argument))));
    if (!all.empty())
      op->setAttr(HipDialect::argumentsAttr, builder.getArrayAttr(all));
    for (Operation &inner : region.front())
      nameOperation(&inner, builder);
    if (hasBraces)
      names.pop();
  }

  /// One variable for the ticket of a group, whose loops may share it.
  void nameTicket(Operation *op, Builder &builder) {
    auto group = dyn_cast<hip::GroupOp>(op);
    if (!group)
      return;
    hip::TasksOp first;
    group.walk([&](hip::TasksOp tasks) { first = first ? first : tasks; });
    if (first)
      group->setAttr(HipDialect::nameAttr, builder.getStringAttr(names.add(argumentName(first.getTask()))));
  }

  const Variables &variables;
  ScopedNames names;
  DenseMap<const void *, std::string> shared;
};

class PrepareHip : public tilec::impl::PrepareHipBase<PrepareHip> {
public:
  using PrepareHipBase::PrepareHipBase;

  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front())
      if (isa<hip::KernelOp, hip::EngineOp, hip::LauncherOp>(op)) {
        divideByNoZero(&op);
        Variables variables(&op);
        Naming(variables).run(&op);
        markPositiveDivisors(&op);
      }
    for (auto kernel : getOperation().getBody().getOps<hip::KernelOp>())
      markWrappingSums(kernel);
    nameTypes(getOperation());
    separateRounding(getOperation());
  }

private:
  /// Of a grid without tiles, whose size is known: no task divides by it, but compilers warn of text that does.
  static void divideByNoZero(Operation *op) {
    op->walk([](Operation *inner) {
      if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
               arith::CeilDivUIOp>(inner) ||
          getConstantIntValue(inner->getOperand(1)) != 0)
        return;
      OpBuilder builder(inner);
      Type type = inner->getOperand(1).getType();
      inner->setOperand(1, arith::ConstantOp::create(builder, inner->getLoc(), builder.getIntegerAttr(type, 1)));
    });
  }

  /// f16 rounds after every operation, so that a product fused with a sum would be another number.
  static void separateRounding(tile::ProgramOp program) {
    auto isOfHalves = [](arith::MulFOp product) {
      return product.getType().isF16() ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!program.walk(isOfHalves).wasInterrupted())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    auto rounding = hip::SeparateRoundingOp::create(builder, program.getLoc());
    tile::TileDialect::CommentAttrHelper(program.getContext())
        .setAttr(rounding, builder.getStringAttr("f16 rounds after every operation: no product is fused with a sum"));
  }

  /// One alias per layout and per LDS type, called after the first value that has it.
  void nameTypes(tile::ProgramOp program) {
    llvm::MapVector<Type, std::string> layouts, shared;
    auto capital = [](StringRef name, StringRef kind) {
      std::string result;
      bool up = true;
      for (char c : name)
        if (c == '_')
          up = true;
        else
          result += up ? llvm::toUpper(c) : c, up = false;
      return result + kind.str();
    };
    program.walk([&](Operation *op) {
      if (!isa<hip::HipDialect, scf::SCFDialect>(op->getDialect()))
        return;
      for (Value result : op->getResults()) {
        if (RankedTensorType tile = hip::tileOf(result.getType()))
          layouts.insert({layoutKey(tile), capital(suggestName(op), "Layout")});
        if (auto deferred = dyn_cast<hip::DeferredOp>(op))
          layouts.insert({layoutKey(cast<RankedTensorType>(deferred.getStored())), "StoredLayout"});
        // Maps come last: kernels have names for most of their tiles.
        if (hip::SharedType tile = hip::sharedOf(result.getType()))
          shared.insert({tile, capital(suggestName(op), isa<hip::TensorMapOp>(op) ? "Box" : "Shared")});
      }
      if (auto store = dyn_cast<hip::StoreAsyncOp>(op))
        layouts.insert({layoutKey(cast<RankedTensorType>(store.getStored())), "StoredLayout"});
    });
    ScopedNames names;
    names.push();
    OpBuilder builder = OpBuilder::atBlockBegin(&program.getBody().front());
    for (auto &[type, name] : layouts)
      hip::LayoutOp::create(builder, program.getLoc(), names.add(name), type);
    for (auto &[type, name] : shared)
      hip::SharedTypeOp::create(builder, program.getLoc(), names.add(name), type);
  }

  /// Tiles of one shape and layout have one alias, whatever their elements.
  static Type layoutKey(RankedTensorType tile) {
    return RankedTensorType::get(tile.getShape(), IntegerType::get(tile.getContext(), 1), tile.getEncoding());
  }
};

} // namespace
