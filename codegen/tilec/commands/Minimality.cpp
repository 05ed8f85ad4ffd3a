// Removal on a copy, the checker on the copy, a remark on the original.
#include "codegen/tilec/commands/Minimality.h"
#include "passes/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilec;

namespace {

/// Something that can be taken out: the whole operation, or one token that a signal publishes.
struct Candidate {
  Operation *op;
  int token = -1; ///< position among the tokens that it publishes
  StringRef kind() const { return token >= 0 ? "published token" : isa<tile::WaitOp>(op) ? "wait" : "signal"; }
};

} // namespace

static SmallVector<Candidate> candidatesOf(tile::ProgramOp program) {
  SmallVector<Candidate> list;
  program.walk([&](Operation *op) {
    if (!isa<tile::WaitOp, tile::SignalOp>(op))
      return;
    list.push_back({op});
    if (auto signal = dyn_cast<tile::SignalOp>(op))
      for (size_t i = 0; i < signal.getPublishes().size(); ++i)
        list.push_back({op, int(i)});
  });
  return list;
}

static void remove(const Candidate &candidate) {
  if (candidate.token >= 0) {
    cast<tile::SignalOp>(candidate.op).getPublishesMutable().erase(candidate.token);
    return;
  }
  if (auto wait = dyn_cast<tile::WaitOp>(candidate.op)) {
    OpBuilder builder(wait);
    // An empty join stands for nothing.
    wait.getToken().replaceAllUsesWith(
        tile::JoinOp::create(builder, wait.getLoc(), wait.getToken().getType(), ValueRange()));
  }
  candidate.op->erase();
}

/// Verifies `program` without number `index` of its candidates. A sample that the checker could not run says nothing:
/// what was checked of the whole must have been checked of the rest.
static bool isAcceptedWithout(tile::ProgramOp program, size_t index) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  auto copy = cast<tile::ProgramOp>(program->clone());
  module->push_back(copy);
  remove(candidatesOf(copy)[index]);
  ScopedDiagnosticHandler silence(program.getContext(), [](Diagnostic &) { return success(); });
  PassManager manager(program.getContext());
  manager.nest<tile::ProgramOp>().addPass(createVerify());
  if (failed(manager.run(*module)))
    return false;
  auto checked = [](tile::ProgramOp of) { return of.getVerifiedAttr().getSamples(); };
  return !checked(program).empty() && checked(copy) == checked(program);
}

void tilec::reportRedundant(tile::ProgramOp program, llvm::raw_ostream &stream) {
  static constexpr StringRef kinds[] = {"wait", "signal", "published token"};
  size_t total[3] = {}, redundant[3] = {};
  for (auto [index, candidate] : llvm::enumerate(candidatesOf(program))) {
    size_t kind = llvm::find(kinds, candidate.kind()) - std::begin(kinds);
    ++total[kind];
    if (!isAcceptedWithout(program, index))
      continue;
    ++redundant[kind];
    InFlightDiagnostic remark = candidate.op->emitRemark() << candidate.kind();
    if (candidate.token >= 0)
      remark << " " << candidate.token;
    remark << " is redundant: the program is accepted without it";
  }
  bool minimal = redundant[0] + redundant[1] + redundant[2] == 0;
  stream << "@" << program.getSymName() << ": " << (minimal ? "minimal: " : "redundant: ");
  for (size_t i = 0; i < 3; ++i) {
    stream << (i ? ", " : "");
    if (!minimal)
      stream << redundant[i] << " of ";
    stream << total[i] << " " << kinds[i] << "s";
  }
  stream << "\n";
}
