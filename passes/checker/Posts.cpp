// Compares what is posted with what is received.
#include "passes/checker/Posts.h"

#include "dialect/Hip.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::checker;

static bool moves(Operation *op) { return op->hasTrait<hip::CarriesFlags>(); }

static LogicalResult refuse(Operation *op, const Twine &what, Operation *other, StringRef note) {
  InFlightDiagnostic diagnostic = op->emitOpError() << what;
  diagnostic.attachNote(other->getLoc()) << note;
  return diagnostic;
}

/// A release before it in the task would have its signal known with the tile, which says nothing of it.
static LogicalResult checkOrder(hip::PostOp post) {
  for (Operation *around = post; around && !isa<hip::TasksOp, hip::GroupOp>(around); around = around->getParentOp())
    for (Operation *before = around->getPrevNode(); before; before = before->getPrevNode()) {
      WalkResult result = before->walk([&](Operation *op) {
        return isa<hip::RaisingOpInterface>(op)
               ? (void)refuse(post, "stands behind a signal of its task", op, "the signal is here"),
               WalkResult::interrupt() : WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
    }
  return success();
}

LogicalResult tilec::checker::checkPosts(const ProgramCode &program, int64_t chiplets) {
  llvm::DenseMap<uint32_t, Operation *> grids, roots;
  for (const SyncSite &site : program.syncs)
    if (site.posted)
      grids.try_emplace(site.grid, site.op);
  for (const AccessSite &site : program.accesses)
    if (moves(site.op))
      roots.try_emplace(program.views[site.view].root, site.op);
  for (const SyncSite &site : program.syncs)
    if (Operation *named = site.posted ? nullptr : grids.lookup(site.grid))
      return refuse(site.op, "uses signals that name posted tiles, which nobody raises", named, "a tile is named here");
  for (const AccessSite &site : program.accesses)
    if (Operation *moved = moves(site.op) ? nullptr : roots.lookup(program.views[site.view].root))
      return refuse(site.op, "touches scratch that tiles are posted to, whose words tell of them alone", moved,
                    "a tile moves here");
  for (auto [root, op] : roots) {
    if (chiplets > 1)
      return op->emitOpError() << "moves a tile without a release, expected a target whose units share one cache";
    auto alloc = program.roots[root].value.getDefiningOp<tile::AllocOp>();
    if (!alloc || !alloc.getPersistent())
      return op->emitOpError() << "moves a tile in a buffer that is no persistent scratch, expected words that are 0 "
                                  "until something is posted";
  }
  for (const AccessSite &site : program.accesses)
    if (auto post = dyn_cast<hip::PostOp>(site.op); post && failed(checkOrder(post)))
      return failure();
  return success();
}

namespace {

/// Who moves the tile of one word.
struct Move {
  uint32_t thread = 0, box = 0, owner = 0;
  Operation *op = nullptr;
  Type tile;
};

class Posts {
public:
  Posts(const Trace &trace, Findings &findings) : trace(trace), findings(findings) {}

  void run() {
    for (uint32_t number = 0; number < trace.threads.size(); ++number)
      collect(number);
    for (auto &[word, post] : posted)
      if (auto taken = received.find(word); taken == received.end())
        report(post, word, "posts a tile that nobody receives, in ", nullptr);
      else if (const Move &other = taken->second;
               other.box != post.box || other.owner != post.owner || other.tile != post.tile)
        report(post, word, "posts other words than are received, in ", &other);
    // What is received and never posted is a wait without end, which the execution finds.
  }

private:
  /// The accesses of an operation follow its words one by one; a receive has two, of which the first reads.
  void collect(uint32_t number) {
    const Thread &thread = trace.threads[number];
    llvm::DenseMap<Operation *, SmallVector<uint32_t>> accesses;
    for (uint32_t i = thread.firstAccess; i < thread.endAccess; ++i) {
      const AccessSite &site = trace.program->accesses[trace.accesses[i].site];
      if (moves(site.op) && site.writes)
        accesses[site.op].push_back(i);
    }
    llvm::DenseMap<Operation *, unsigned> next;
    for (uint32_t i = thread.firstSync; i < thread.endSync; ++i) {
      const Sync &sync = trace.syncs[i];
      const SyncSite &site = trace.program->syncs[sync.site];
      if (!site.posted)
        continue;
      unsigned turn = next[site.op]++;
      ArrayRef<uint32_t> own = accesses[site.op];
      // A place outside of its buffer has been reported.
      if (turn >= own.size())
        continue;
      const Access &access = trace.accesses[own[turn]];
      add(site.signal ? posted : received, sync.signal ? sync.object : wordOf(sync),
          {number, access.box, access.owner, site.op, trace.program->accesses[access.site].tile});
    }
  }

  uint32_t wordOf(const Sync &wait) const { return trace.boxWords[trace.waits[wait.object].begin]; }

  void add(std::map<uint32_t, Move> &moves, uint32_t word, Move move) {
    auto [place, isNew] = moves.try_emplace(word, move);
    if (!isNew)
      report(move, word,
             isa<hip::PostOp>(move.op) ? "posts a tile that is posted already, in "
                                       : "receives a tile for the second time, in ",
             &place->second);
  }

  void report(const Move &move, uint32_t word, StringRef what, const Move *other) {
    findings.report("post", move.op, other ? other->op : nullptr, [&](InFlightDiagnostic &diagnostic) {
      diagnostic << what << trace.describe(trace.threads[move.thread]) << ": " << trace.describeWord(word);
      if (other)
        diagnostic.attachNote(other->op->getLoc())
            << "the other is here, in " << trace.describe(trace.threads[other->thread]);
    });
  }

  const Trace &trace;
  Findings &findings;
  std::map<uint32_t, Move> posted, received; ///< by word of the rank that receives
};

} // namespace

void tilec::checker::checkPosts(const Trace &trace, Findings &findings) { Posts(trace, findings).run(); }
