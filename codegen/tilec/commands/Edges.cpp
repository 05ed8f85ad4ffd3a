// Reads the edges of a launch off the waits of accesses to other ranks.
#include "codegen/tilec/commands/Edges.h"
#include "passes/ProgramTarget.h"
#include "passes/analysis/Footprint.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

StringRef tilec::nameOf(Value value) {
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? name.getName().strref() : StringRef("?");
}

namespace {

/// What peers do to one buffer.
struct PeerUse {
  bool reads = false, writes = false;
};

class Edges {
public:
  Edges(ProgramOp program, ArrayRef<int64_t> extents, double flag)
      : program(program), extents(extents), flag(flag), others(program.getWorld().value_or(1) - 1) {
    for (const Footprint &access : footprintsIn(program))
      if (access.rank) {
        PeerUse &use = uses[access.root];
        use.reads |= access.reads;
        use.writes |= access.writes;
      }
    for (const Footprint &access : footprintsIn(program))
      if (access.writes && waitsFor(access, Handshake::Consumed))
        credited.insert(access.root);
    for (SignalsOp grid : program.getBody().getOps<SignalsOp>())
      if (grid.getHandshake() == Handshake::Done)
        handshake = true;
      else if (grid.getHandshake() == Handshake::Entered)
        entry = true;
  }

  void print() {
    for (auto [buffer, use] : uses)
      if (auto alloc = buffer.getDefiningOp<AllocOp>())
        printScratch(alloc, use);
      else
        printArgument(buffer, use);
    for (AllocOp alloc : program.getBody().getOps<AllocOp>())
      if (!uses.contains(alloc.getResult()))
        llvm::outs() << "  scratch " << nameOf(alloc) << ": of this rank alone, launches follow each other; "
                     << megabytes(alloc) << "\n";
  }

private:
  static bool waitsFor(const Footprint &access, Handshake handshake) {
    return llvm::any_of(cast<AccessOpInterface>(access.op).getAfterTokensMutable(), [&](OpOperand &token) {
      auto wait = token.get().getDefiningOp<WaitOp>();
      auto grid = wait ? wait.getSignals().getDefiningOp<SignalsOp>() : SignalsOp();
      return grid && grid.getHandshake() == handshake;
    });
  }

  std::string messages(int64_t count) const {
    return std::to_string(count) + (count == 1 ? " message" : " messages") + " per launch";
  }

  /// Bytes of all copies, for the modelled extents.
  std::string megabytes(AllocOp alloc) {
    auto type = cast<MemRefType>(alloc.getType());
    double bytes = type.getElementTypeBitWidth() / 8.0 * static_cast<double>(alloc.getCopies());
    SmallVector<AffineExpr> values;
    for (int64_t extent : extents)
      values.push_back(getAffineConstantExpr(extent, program.getContext()));
    for (AffineExpr size : shapeOf(alloc.getResult()))
      if (auto value =
              dyn_cast_or_null<AffineConstantExpr>(size ? simplifyAffineExpr(size.replaceSymbols(values), 0, 0) : size))
        bytes *= static_cast<double>(value.getValue());
    std::string text;
    llvm::raw_string_ostream(text) << alloc.getCopies() << (alloc.getCopies() == 1 ? " copy, " : " copies, ")
                                   << llvm::format("%.2f MB", bytes / 1e6);
    return text;
  }

  static StringRef verb(const PeerUse &use) {
    return use.reads && use.writes ? "read and write" : use.writes ? "write" : "read";
  }

  void printArgument(Value buffer, const PeerUse &use) {
    llvm::outs() << "  argument " << nameOf(buffer) << ": entry, peers that " << verb(use) << " it "
                 << (entry ? "wait for `entered`" : "have already waited for its rank by " + exchange())
                 << "; exit, the launch ends when they have signalled `done`; " << messages((1 + entry) * others)
                 << " for all arguments together" << llvm::format(", %.1f us", (1 + entry) * flag) << "\n";
  }

  void printScratch(AllocOp alloc, const PeerUse &use) {
    llvm::outs() << "  scratch " << nameOf(alloc) << ": peers " << verb(use) << " it; ";
    if (alloc.getPersistent())
      llvm::outs() << "persistent, kept apart by `entered` and `done`";
    else if (others == 0)
      llvm::outs() << "implied, a world of one rank has no peers; no message";
    else if (handshake)
      llvm::outs() << "implied by exit, `done` ends every launch; no message of its own";
    else if (credited.contains(alloc.getResult()))
      printCredit(alloc);
    else
      printImplied(alloc);
    llvm::outs() << "; " << megabytes(alloc) << "\n";
  }

  void printImplied(AllocOp alloc) {
    llvm::outs() << "implied, every rank waits for a signal of every other "
                 << (alloc.getCopies() == 1 ? "before it is written again" : "in each launch that has tiles") << " by "
                 << exchange() << "; no message";
    if (alloc.getCopies() > 1)
      llvm::outs() << " (alternative: one copy and credits, " << messages(others) << llvm::format(", %.1f us)", flag);
  }

  /// With several copies the credit was sent a launch ago: in the steady state no wait takes time.
  void printCredit(AllocOp alloc) {
    llvm::outs() << "credit, each rank signals `consumed` at its end and writers wait for that of every rank, with lag "
                 << alloc.getCopies() << "; " << messages(others)
                 << llvm::format(", %.1f us", alloc.getCopies() == 1 ? flag : 0.0);
  }

  /// The grids by which every rank signals every rank.
  std::string exchange() {
    std::string names;
    for (SignalsOp grid : program.getBody().getOps<SignalsOp>()) {
      bool remote = llvm::any_of(grid.getResult().getUsers(), [](Operation *user) {
        auto signal = dyn_cast<SignalOp>(user);
        return signal && signal.getScope() == Scope::System;
      });
      if (remote && grid.getHandshake() != Handshake::Done && grid.getHandshake() != Handshake::Consumed)
        names += (names.empty() ? "`" : ", `") + nameOf(grid).str() + "`";
    }
    return names.empty() ? "its signals" : names;
  }

  ProgramOp program;
  ArrayRef<int64_t> extents;
  double flag; ///< microseconds of one between ranks
  int64_t others;
  bool handshake = false, entry = false;
  llvm::DenseSet<Value> credited; ///< some write waits for `consumed`
  llvm::MapVector<Value, PeerUse> uses;
};

} // namespace

void tilec::printEdges(ProgramOp program, ArrayRef<int64_t> extents, const Target &target) {
  Edges(program, extents, target.times.flagMicroseconds).print();
}
