// A layer of Qwen3-8B for the next token of each sequence: what leaves the chiplets' caches, by who has which tasks.
// Belongs here: the parts of the layer and their two orders. Does not: the model (passes/machine/CacheModel.h).
#ifndef TILEC_BENCH_CACHE_LAYER_H
#define TILEC_BENCH_CACHE_LAYER_H

#include "bench/cache/Rows.h"

namespace tilec::cache_rows {

/// One part of the layer. In turn: neighbouring tasks on different chiplets. By chiplet: those that share what they
/// read on one, together.
struct Part {
  std::string name;
  CacheReport inTurn, byChiplet;

  /// Of a report, the bytes that the last cache serves, or memory.
  static double left(const CacheReport &report) { return report.bytes - report.chipletHits; }
};

/// Hidden size 4096, 32 heads of 128 on 8 of keys and values, 12288 columns of gate and up each; products in tiles of
/// 16 x 64 x 256, a task of attention for each head of queries. `tokens`: in the cache, of each sequence.
inline std::vector<Part> decoderLayer(const CacheMachine &machine, int64_t batch, int64_t tokens) {
  std::vector<Part> parts;
  auto product = [&](const char *name, int64_t columns, int64_t depth) {
    const int64_t rows = (batch + 15) / 16;
    const Product made{rows, columns / 64, depth / 256, batch < 16 ? batch : 16, 64, 256};
    std::vector<int64_t> byChiplet;
    for (int64_t w = 0; w < made.tasks(); ++w) {
      const int64_t task = remap(w, made.tasks(), machine.chiplets); // columns slow, rows fast
      byChiplet.push_back(task % rows * made.cols + task / rows);
    }
    parts.push_back({name, made.run(made.rowMajor(), machine), made.run(byChiplet, machine)});
  };
  product("qkv", 6144, 4096);
  const Attention heads{32, 1, tokens / 64, 4, batch};
  parts.push_back({"attention", heads.run(heads.order(&Attention::headFirst, heads.tasks()), machine),
                   heads.run(heads.order(&Attention::headFirstByChiplet, heads.tasks()), machine)});
  product("proj", 4096, 4096);
  product("gate and up", 24576, 4096);
  product("down", 4096, 12288);
  return parts;
}

} // namespace tilec::cache_rows

#endif // TILEC_BENCH_CACHE_LAYER_H
