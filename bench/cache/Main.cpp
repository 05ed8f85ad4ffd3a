// Prints the cache model beside published measurements: bench/cache_model builds and runs it.
#include "bench/cache/Layer.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilec;
using namespace tilec::cache_rows;

static std::optional<Target> targetOf(const char *name) {
  std::string error;
  std::optional<Target> target = loadTarget(name, {TILEC_BENCH_TARGETS}, error);
  if (!target)
    llvm::errs() << "cache-model: " << error << "\n";
  return target;
}

/// A share as a percentage, or "-".
static void printShare(double share) {
  if (share < 0)
    llvm::outs() << "     -";
  else
    llvm::outs() << llvm::format(" %5.1f", 100 * share);
}

static void print(const char *title, const std::vector<Row> &rows) {
  llvm::outs() << title << "\n";
  llvm::outs() << llvm::format("  %-46s %-13s %6s   %-13s %s\n", "order", "L2 model", "error", "LLC model", "TB/s");
  int within = 0;
  for (const Row &row : rows) {
    llvm::outs() << llvm::format("  %-46s", row.name.c_str());
    printShare(row.model.chipletRate());
    printShare(row.least);
    if (row.most > row.least)
      llvm::outs() << llvm::format("-%-3.0f", 100 * row.most);
    else
      llvm::outs() << "    ";
    llvm::outs() << llvm::format("%+6.1f ", row.error());
    printShare(row.model.lastRate());
    printShare(row.last);
    llvm::outs() << llvm::format("  %5.1f", row.model.gbPerSecond * 1e-3);
    if (row.tbPerSecond >= 0)
      llvm::outs() << llvm::format(" %5.1f", row.tbPerSecond);
    llvm::outs() << "\n";
    within += row.error() >= -5 && row.error() <= 5;
  }
  llvm::outs() << "  L2 within 5 points: " << within << " of " << rows.size() << "\n\n";
}

/// What the model says of orders of which no measurement is known.
static void printUnmeasured(const char *title, const std::vector<Row> &rows) {
  llvm::outs() << title << "\n" << llvm::format("  %-46s %6s %6s\n", "order", "L2", "LLC");
  for (const Row &row : rows) {
    llvm::outs() << llvm::format("  %-46s", row.name.c_str());
    printShare(row.model.chipletRate());
    printShare(row.model.lastRate());
    llvm::outs() << "\n";
  }
  llvm::outs() << "\n";
}

/// What tasks that share what they read save when one chiplet has them, in MB that its cache does not serve.
static void printLayer(const CacheMachine &machine, int64_t tokens) {
  llvm::outs() << "A layer of Qwen3-8B behind " << tokens
               << " tokens, MI350: MB that leave the chiplets' caches; the model alone\n"
               << llvm::format("  %-10s %-14s %9s %11s %7s\n", "sequences", "part", "in turn", "by chiplet", "saved");
  for (int64_t batch : {1, 8, 64}) {
    double before = 0, behind = 0;
    auto print = [&](const std::string &name, double inTurn, double byChiplet) {
      llvm::outs() << llvm::format("  %-10ld %-14s %9.1f %11.1f %6.1f%%\n", long(batch), name.c_str(), inTurn * 1e-6,
                                   byChiplet * 1e-6, 100 * (1 - byChiplet / inTurn));
    };
    for (const Part &part : decoderLayer(machine, batch, tokens)) {
      print(part.name, Part::left(part.inTurn), Part::left(part.byChiplet));
      before += Part::left(part.inTurn);
      behind += Part::left(part.byChiplet);
    }
    print("all", before, behind);
  }
}

int main() {
  const std::optional<Target> gfx942 = targetOf("gfx942"), gfx950 = targetOf("gfx950");
  if (!gfx942 || !gfx950)
    return 1;
  CacheOptions drift;
  drift.driftSteps = 4;
  drift.jitter = 0.02;
  const CacheMachine mi300 = CacheMachine::of(*gfx942, 1), mi350 = CacheMachine::of(*gfx950, 1);
  llvm::outs() << "Columns: the model, then what was measured. L2: of all requests; LLC: of those that miss L2.\n\n";
  print("HipKittens, products on MI355X: fitted", hipKittens(mi350));
  print("NUMA attention, MI300X: held out", numaAttention(mi300));
  print("Fleet, Qwen3-8B gate and up on MI350: held out", fleet(mi350));
  print("The same with workgroups that drift apart (up to 4 steps late, 2 % of steps stalled): HipKittens",
        hipKittens(mi350, drift));
  print("NUMA attention with drift", numaAttention(mi300, drift));
  print("Fleet with drift", fleet(mi350, drift));
  printUnmeasured("Orders of --order, products on MI355X: the model alone, nothing measured", unmeasured(mi350));
  CacheMachine workers = mi350;
  workers.slots = 31; // Fleet's, of each chiplet
  printLayer(workers, 4096);
  return 0;
}
