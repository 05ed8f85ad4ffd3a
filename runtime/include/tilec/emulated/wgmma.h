//===- wgmma.h - emulated: asynchronous matrix products of a warpgroup ----------------------------------*- C++ -*-===//
// The twin of tilec/nvidia/wgmma.h. Each wave has its own part of a product. While one is in flight the emulator has
// the sums, and the lanes hold what no product gives.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_WGMMA_H
#define TILEC_EMULATED_WGMMA_H

#include "tilec/cast.h"
#include "tilec/emulated_async.h"
#include "tilec/wgmma.h"
#include <array>

namespace tilec::target {

/// A sum in flight: NaN, or a number that small tests do not meet.
template <class Sum>
inline Sum sum_in_flight() {
  if constexpr (std::is_same_v<Sum, float>)
    return __builtin_nanf("7");
  else
    return Sum(0x5a5a5a5a);
}

/// The sums of a wave while they are not in its registers.
template <class Sum, int Count>
struct WaveSums {
  std::array<Sum[Count], 32> lanes;

  void take(Sum *const *from) {
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < Count; ++r) {
        lanes[lane][r] = from[lane][r];
        from[lane][r] = sum_in_flight<Sum>();
      }
  }
  bool untouched(const Sum *const *there) const {
    const Sum nothing = sum_in_flight<Sum>();
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < Count; ++r)
        if (__builtin_memcmp(&there[lane][r], &nothing, sizeof(Sum)) != 0)
          return false;
    return true;
  }
  void give(Sum *const *to) const {
    for (int lane = 0; lane < 32; ++lane)
      __builtin_memcpy(to[lane], lanes[lane], sizeof(lanes[lane]));
  }
};

/// The first row and column of the sums of a wave.
template <class LC>
inline Point first_of_wave(int wave) {
  Point result;
  for (int bit = 0; bit < LC::wave_bits; ++bit)
    if (wave >> bit & 1)
      result = result ^ LC::wave_basis(bit);
  return result;
}

/// The element of an operand in LDS.
template <class Operand, class S>
inline auto element_in_slot(int slot, int row, int k) {
  typename S::Element value;
  const int byte = slot + S::element(Operand::point(row, k)) * int(sizeof(value));
  __builtin_memcpy(&value, static_cast<const char *>(emulator::lds()) + byte, sizeof(value));
  return value;
}

/// The panels that hold so many rows of an operand, or these rows alone.
template <class Operand>
inline void add_reads(std::vector<emulator::LdsRange> &reads, int slot, int row, int count) {
  using Boxes = typename Operand::Boxes;
  const int panels = Operand::across ? (row % Boxes::columns + count - 1) / Boxes::columns + 1 : Boxes::panels;
  const int first = Operand::across ? row / Boxes::columns : 0;
  for (int panel = first; panel < first + panels; ++panel)
    if (Operand::across)
      reads.push_back({slot + panel * Boxes::panel_bytes, Boxes::panel_bytes});
    else
      reads.push_back({slot + panel * Boxes::panel_bytes + row * Boxes::row_bytes, count * Boxes::row_bytes});
}

/// One block of a wave: 16 rows and as many columns as the instruction has, instruction by instruction along k.
template <class Plan, class A, class B>
void multiply_block(int number, Point own, bool accumulate, A &&a, B &&b,
                    std::array<typename Plan::Sum[Plan::sums], 32> &lanes) {
  using I = typename Plan::Instruction;
  using Sum = typename Plan::Sum;
  static Sum rows[16][Plan::depth], columns[I::columns][Plan::depth];
  for (int k = 0; k < Plan::depth; ++k) {
    for (int row = 0; row < 16; ++row)
      rows[row][k] = cast<Sum>(a(own[0] + row, k));
    for (int column = 0; column < I::columns; ++column)
      columns[column][k] = cast<Sum>(b(own[1] + column, k));
  }
  for (int lane = 0; lane < 32; ++lane)
    for (int r = 0; r < I::registers; ++r) {
      const Point place = I::accumulator(lane, r);
      Sum &sum = lanes[lane][Plan::accumulator(number, r)];
      for (int step = 0; step < Plan::steps; ++step) {
        Sum product = 0;
        for (int k = step * I::k; k < (step + 1) * I::k; ++k)
          product += rows[place[0]][k] * columns[place[1]][k];
        sum = step == 0 && !accumulate ? product : sum + product;
      }
    }
}

/// What one wave multiplies: LDS tiles at two offsets.
template <class PlanOf>
struct OfSlots {
  using Plan = PlanOf;
  int a, b, wave;
  bool accumulate;

  std::vector<emulator::LdsRange> reads() const {
    std::vector<emulator::LdsRange> result;
    for (int number = 0; number < Plan::blocks; ++number) {
      const Point own = place(number);
      add_reads<typename Plan::A>(result, a, own[0], 16);
      add_reads<typename Plan::B>(result, b, own[1], Plan::Instruction::columns);
    }
    return result;
  }
  Point place(int number) const {
    return first_of_wave<typename Plan::Layout>(wave) ^ Plan::Layout::of(Plan::accumulator(number, 0));
  }
  template <class Sums>
  void perform(Sums &sums) const {
    for (int number = 0; number < Plan::blocks; ++number)
      multiply_block<Plan>(
          number, place(number), accumulate,
          [&](int row, int k) { return element_in_slot<typename Plan::A, typename Plan::SlotA>(a, row, k); },
          [&](int column, int k) { return element_in_slot<typename Plan::B, typename Plan::SlotB>(b, column, k); },
          sums);
  }
  std::uint64_t kind() const { return std::uint64_t(a) << 32 | std::uint64_t(b) << 8 | std::uint64_t(accumulate); }
};

/// The same with a in registers, as they were when the product was issued.
template <class PlanOf, class T>
struct OfRegisters {
  using Plan = PlanOf;
  using LA = typename Plan::LayoutA;
  int b, wave;
  bool accumulate;
  std::vector<T> a; ///< by row of the wave's first 64, and more in further blocks, and k

  void take(const void *const *in) {
    a.resize(LA::Shape::extent(0) * LA::Shape::extent(1));
    for (int lane = 0; lane < 32; ++lane)
      for (int r = 0; r < LA::registers; ++r) {
        const Point point = LA::of(r) ^ LA::of_constant_thread(lane + 32 * wave);
        a[point[0] * LA::Shape::extent(1) + point[1]] = static_cast<const T *>(in[lane])[r];
      }
  }
  std::vector<emulator::LdsRange> reads() const {
    std::vector<emulator::LdsRange> result;
    for (int number = 0; number < Plan::blocks; ++number)
      add_reads<typename Plan::B>(result, b, place(number)[1], Plan::Instruction::columns);
    return result;
  }
  Point place(int number) const {
    return first_of_wave<typename Plan::Layout>(wave) ^ Plan::Layout::of(Plan::accumulator(number, 0));
  }
  template <class Sums>
  void perform(Sums &sums) const {
    for (int number = 0; number < Plan::blocks; ++number)
      multiply_block<Plan>(
          number, place(number), accumulate, [&](int row, int k) { return a[row * LA::Shape::extent(1) + k]; },
          [&](int column, int k) { return element_in_slot<typename Plan::B, typename Plan::SlotB>(b, column, k); },
          sums);
  }
  std::uint64_t kind() const { return 1ull << 63 | std::uint64_t(b) << 8 | std::uint64_t(accumulate); }
};

/// For a wave, by one of its lanes: the sums leave the registers, if they are not in flight already.
template <class Product>
void issue_product(void *const *out, Product product) {
  using Plan = typename Product::Plan;
  using Sum = typename Plan::Sum;
  using Sums = WaveSums<Sum, Plan::sums>;
  Sum *registers[32];
  for (int lane = 0; lane < 32; ++lane)
    registers[lane] = static_cast<Sum *>(out[lane]);
  std::shared_ptr<void> &held = emulator::sumsOf(registers[0]);
  if (!held) {
    held = std::make_shared<Sums>();
    static_cast<Sums *>(held.get())->take(registers);
  } else if (!static_cast<const Sums *>(held.get())->untouched(registers)) {
    emulator::fault("sums are written while a product of theirs is in flight");
  }
  auto reads = product.reads();
  const std::uint64_t kind = product.kind();
  emulator::issueProducts(
      {registers[0], [product = std::move(product), held] { product.perform(static_cast<Sums *>(held.get())->lanes); },
       std::move(reads), kind});
}

template <class Plan>
void multiply_slots(typename Plan::Sum (&acc)[Plan::sums], int a, int b, bool accumulate) {
  emulator::interleave();
  OfSlots<Plan> product{a, b, emulator::wave(), accumulate};
  emulator::wave_collective(
      nullptr, acc,
      [](const void *const *, void *const *out, int, void *extra) {
        issue_product(out, *static_cast<OfSlots<Plan> *>(extra));
      },
      &product);
}

template <class Plan, class T, int Count>
void multiply_registers(typename Plan::Sum (&acc)[Plan::sums], const T (&a)[Count], int b, bool accumulate) {
  emulator::interleave();
  OfRegisters<Plan, T> product{b, emulator::wave(), accumulate, {}};
  emulator::wave_collective(
      a, acc,
      [](const void *const *in, void *const *out, int, void *extra) {
        auto &mine = *static_cast<OfRegisters<Plan, T> *>(extra);
        mine.take(in);
        issue_product(out, mine);
      },
      &product);
}

template <int Left>
void await_products() {
  emulator::interleave();
  emulator::wave_collective(
      nullptr, nullptr, [](const void *const *, void *const *, int, void *) { emulator::awaitProducts(Left); },
      nullptr);
}
inline void part_from_wait() {}
template <class Sum, int Count>
void give_back(Sum (&acc)[Count]) {
  emulator::wave_collective(
      nullptr, acc,
      [](const void *const *, void *const *out, int, void *) {
        Sum *registers[32];
        for (int lane = 0; lane < 32; ++lane)
          registers[lane] = static_cast<Sum *>(out[lane]);
        if (emulator::inFlight(registers[0]))
          return emulator::fault("sums are given back while a product of theirs is in flight");
        std::shared_ptr<void> &held = emulator::sumsOf(registers[0]);
        if (held)
          static_cast<const WaveSums<Sum, Count> *>(held.get())->give(registers);
        held = nullptr;
      },
      nullptr);
}

} // namespace tilec::target

#endif // TILEC_EMULATED_WGMMA_H
