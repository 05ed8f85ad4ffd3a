// What was measured of orders of workgroups on machines with chiplets, and the cache model's replay of it.
// Belongs here: published rows, their workloads and orders. Does not: the model (passes/machine/CacheModel.h).
#ifndef TILEC_BENCH_CACHE_ROWS_H
#define TILEC_BENCH_CACHE_ROWS_H

#include "passes/machine/CacheModel.h"

#include <string>
#include <vector>

namespace tilec::cache_rows {

/// The n tasks of a grid, dealt out to chiplets so that each has a contiguous range (tilec::remap_xcd).
inline int64_t remap(int64_t w, int64_t n, int64_t chiplets) {
  const int64_t chiplet = w % chiplets, share = n / chiplets, more = n % chiplets;
  return chiplet * share + (chiplet < more ? chiplet : more) + w / chiplets;
}

/// A product with its result in rows x cols tiles of `high` x `wide` elements of two bytes, the depth in steps of
/// `deep`.
struct Product {
  int64_t rows, cols, steps;
  int64_t high = 192, wide = 256, deep = 64;

  /// As HipKittens measured them.
  static Product square(int64_t size) { return {size / 192, size / 256, size / 64}; }
  int64_t tasks() const { return rows * cols; }

  CacheReport run(llvm::ArrayRef<int64_t> order, const CacheMachine &machine, const CacheOptions &options = {}) const {
    auto accesses = [&](int64_t task, int64_t step, llvm::SmallVectorImpl<TileAccess> &out) {
      out.push_back({uint64_t((task / cols) * steps + step), high * deep * 2});
      out.push_back({uint64_t(1) << 40 | uint64_t((task % cols) * steps + step), wide * deep * 2});
    };
    return replay(order, {steps, accesses}, machine, options);
  }

  std::vector<int64_t> rowMajor() const {
    std::vector<int64_t> result(tasks());
    for (int64_t w = 0; w < tasks(); ++w)
      result[w] = w;
    return result;
  }
  /// Chunks of `chunk` consecutive numbers on one of 8 chiplets; 0: one contiguous part each, -1: as numbered.
  int64_t dealt(int64_t w, int64_t chunk) const {
    if (chunk == 0)
      return remap(w, tasks(), 8);
    if (chunk > 0 && w < tasks() / (8 * chunk) * 8 * chunk)
      return w / 8 / chunk * 8 * chunk + w % 8 * chunk + w / 8 % chunk;
    return w;
  }
  /// Anti-diagonals, each from its first row down (`--order=diagonal`), of numbers that are dealt out before.
  std::vector<int64_t> diagonals(int64_t chunk) const {
    std::vector<int64_t> tiles, result;
    for (int64_t line = 0; line < rows + cols - 1; ++line)
      for (int64_t row = 0; row < rows; ++row)
        if (line - row >= 0 && line - row < cols)
          tiles.push_back(row * cols + line - row);
    for (int64_t w = 0; w < tasks(); ++w)
      result.push_back(tiles[dealt(w, chunk)]);
    return result;
  }
  /// Algorithm 1 of HipKittens: numbers dealt out in chunks, then columns inside of windows of `height` rows.
  std::vector<int64_t> windows(int64_t height, int64_t chunk) const {
    const int64_t n = tasks();
    std::vector<int64_t> result;
    for (int64_t w = 0; w < n; ++w) {
      const int64_t id = dealt(w, chunk);
      const int64_t window = height * cols, first = id / window * height, inside = id % window;
      const int64_t tall = rows - first < height ? rows - first : height;
      result.push_back((first + inside % tall) * cols + inside / tall);
    }
    return result;
  }
};

/// Attention forward: a task is a block of 128 rows of a head of 128 columns, and a step reads 64 rows of its keys and
/// of its values, of two bytes. `group` heads of queries share keys and values. Task = (batch * heads + head) * blocks
/// + block.
struct Attention {
  int64_t heads, blocks, steps, group = 1, batch = 1;

  static Attention of(int64_t heads, int64_t tokens, int64_t group = 1, int64_t batch = 1) {
    return {heads, tokens / 128, tokens / 64, group, batch};
  }
  int64_t tasks() const { return batch * heads * blocks; }

  CacheReport run(llvm::ArrayRef<int64_t> order, const CacheMachine &machine, const CacheOptions &options = {}) const {
    auto accesses = [&](int64_t task, int64_t step, llvm::SmallVectorImpl<TileAccess> &out) {
      const uint64_t tile = uint64_t(task / blocks / group) * uint64_t(steps) + uint64_t(step);
      out.push_back({tile, 64 * 128 * 2});
      out.push_back({uint64_t(1) << 40 | tile, 64 * 128 * 2});
    };
    return replay(order, {steps, accesses}, machine, options);
  }

  /// Heads are the fastest dimension.
  int64_t blockFirst(int64_t w) const {
    return w / (heads * blocks) * heads * blocks + w % heads * blocks + w / heads % blocks;
  }
  /// The heads of a chiplet, of which it has several at once, are the fastest dimension.
  int64_t blockFirstByChiplet(int64_t w) const {
    const int64_t plane = heads * blocks, inside = w % plane, each = (heads + 7) / 8;
    const int64_t chiplet = inside % 8, turn = inside / 8;
    return w / plane * plane + (chiplet * each + turn % each) * blocks + turn / each;
  }
  /// Blocks are the fastest dimension.
  int64_t headFirst(int64_t w) const { return w; }
  /// Each chiplet goes over its own heads, one after the other: what `--order=head-first` does.
  int64_t headFirstByChiplet(int64_t w) const { return remap(w, tasks(), 8); }

  /// The first `count` workgroups of an order; all where there are fewer.
  std::vector<int64_t> order(int64_t (Attention::*of)(int64_t) const, int64_t count) const {
    std::vector<int64_t> result;
    for (int64_t w = 0; w < count && w < tasks(); ++w)
      result.push_back((this->*of)(w));
    return result;
  }
};

/// One row: what the model says beside what was measured, as shares from 0 to 1. A range where a source gives one, -1
/// where nothing was measured.
struct Row {
  std::string name;
  CacheReport model;
  double least, most; ///< of the chiplets' caches
  double last = -1;   ///< of what missed them; -1 where it was not published
  double tbPerSecond = -1;

  /// How far the model is from the range, in points.
  double error() const {
    const double rate = model.chipletRate();
    return 100 * (rate < least ? rate - least : rate > most ? rate - most : 0);
  }
};

/// HipKittens (arXiv 2511.08083), table 4, on MI355X. The model's one parameter set is fitted to these.
inline std::vector<Row> hipKittens(const CacheMachine &machine, const CacheOptions &options = {}) {
  const Product small = Product::square(9216), large = Product::square(14592);
  return {{"9216 row-major", small.run(small.rowMajor(), machine, options), .55, .55, .95, 15.1},
          {"9216 W7/C216", small.run(small.windows(7, 216), machine, options), .79, .79, .24, 14.9},
          {"9216 W5/C25", small.run(small.windows(5, 25), machine, options), .75, .75, .93, 18.3},
          {"14592 row-major", large.run(large.rowMajor(), machine, options), .36, .36, .76, 10.7},
          {"14592 W8/C542", large.run(large.windows(8, 0), machine, options), .79, .79, .07, 13.9},
          {"14592 W8/C64", large.run(large.windows(8, 64), machine, options), .78, .78, .55, 16.6}};
}

/// NUMA attention (arXiv 2511.02132) on MI300X, two workgroups of each unit: what the text gives of L2 hits.
inline std::vector<Row> numaAttention(const CacheMachine &machine, const CacheOptions &options = {}) {
  const int64_t count = 2 * machine.chiplets * machine.slots;
  const Attention many = Attention::of(128, 131072), few = Attention::of(8, 8192),
                  grouped = Attention::of(64, 32768, 8);
  auto row = [&](const char *name, const Attention &attention, int64_t (Attention::*order)(int64_t) const, double least,
                 double most) {
    return Row{name, attention.run(attention.order(order, count), machine, options), least, most};
  };
  return {row("128 heads, 128 K: head-first by chiplet", many, &Attention::headFirstByChiplet, .90, .96),
          row("128 heads, 128 K: head-first", many, &Attention::headFirst, .40, .60),
          row("128 heads, 128 K: block-first by chiplet", many, &Attention::blockFirstByChiplet, .01, .01),
          row("128 heads, 128 K: block-first", many, &Attention::blockFirst, .01, .01),
          row("8 heads, 8 K: head-first by chiplet", few, &Attention::headFirstByChiplet, .90, .90),
          row("8 heads, 8 K: block-first", few, &Attention::blockFirst, .90, .90),
          row("64 heads on 8, 32 K: head-first by chiplet", grouped, &Attention::headFirstByChiplet, .90, .96),
          row("64 heads on 8, 32 K: block-first by chiplet", grouped, &Attention::blockFirstByChiplet, .90, .96)};
}

/// Fleet (arXiv 2604.15379) on MI350: the largest product of a decoded token of Qwen3-8B, 4096 by 24576, in tiles of 16
/// x 64 x 256 on 31 units of each chiplet. Plain: tasks in turn, rows of tiles one after the other. By chiplet: a
/// chiplet has columns of its own, and takes all rows of one column of tiles together.
inline std::vector<Row> fleet(CacheMachine machine, const CacheOptions &options = {}) {
  machine.slots = 31;
  std::vector<Row> rows;
  for (auto [batch, plain, shared] : {std::tuple(32, .389, .510), std::tuple(64, .390, .614)}) {
    const Product product{batch / 16, 24576 / 64, 4096 / 256, 16, 64, 256};
    std::vector<int64_t> byChiplet;
    for (int64_t w = 0; w < product.tasks(); ++w) {
      const int64_t task = remap(w, product.tasks(), 8); // columns slow, rows fast
      byChiplet.push_back(task % product.rows * product.cols + task / product.rows);
    }
    const std::string name = "batch " + std::to_string(batch);
    rows.push_back({name + ": in turn", product.run(product.rowMajor(), machine, options), plain, plain});
    rows.push_back({name + ": columns by chiplet", product.run(byChiplet, machine, options), shared, shared});
  }
  return rows;
}

/// Orders that `--order` names, one piece or several, for the products of HipKittens. Nobody has measured these.
inline std::vector<Row> unmeasured(const CacheMachine &machine, const CacheOptions &options = {}) {
  std::vector<Row> rows;
  for (int64_t size : {9216, 14592}) {
    const Product product = Product::square(size);
    auto add = [&](const char *order, const std::vector<int64_t> &tasks) {
      rows.push_back({std::to_string(size) + " " + order, product.run(tasks, machine, options), -1, -1});
    };
    add("none", product.rowMajor());
    add("grouped-8", product.windows(8, -1));
    add("remap+grouped-8", product.windows(8, 0));
    add("chunked-16+grouped-4", product.windows(4, 16));
    add("chunked-64+grouped-8", product.windows(8, 64));
    add("diagonal", product.diagonals(-1));
    add("remap+diagonal", product.diagonals(0));
    add("chunked-16+diagonal", product.diagonals(16));
  }
  return rows;
}

} // namespace tilec::cache_rows

#endif // TILEC_BENCH_CACHE_ROWS_H
