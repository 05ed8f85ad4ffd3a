//===- wgmma.h - emulated: asynchronous matrix products of a warpgroup ----------------------------------*- C++ -*-===//
// The twin of tilec/nvidia/wgmma.h. Each wave has its own part of a product. While one is in flight the emulator has
// the sums, and the lanes hold what no product gives.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_EMULATED_WGMMA_H
#define TILEC_EMULATED_WGMMA_H

#include "tilec/cast.h"
#include "tilec/emulated_async.h"
#include "tilec/wgmma.h"

namespace tilec::target {

/// A sum in flight: NaN, or a number that small tests do not meet.
template <class Sum>
inline Sum sum_in_flight() {
  if constexpr (std::is_same_v<Sum, float>)
    return __builtin_nanf("7");
  else
    return Sum(0x5a5a5a5a);
}

/// The sums of a wave while they are not in its registers: blocks of 16 rows.
template <class Plan>
struct WaveSums {
  using I = typename Plan::Instruction;
  using Sum = typename Plan::Sum;
  Sum blocks[Plan::blocks][16][I::columns];

  /// visit(the sum, its register in its lane)
  template <class Registers, class Visit>
  void visit(Registers registers, Visit &&visit) {
    for (int number = 0; number < Plan::blocks; ++number)
      for (int lane = 0; lane < 32; ++lane)
        for (int r = 0; r < I::registers; ++r) {
          const Point place = I::accumulator(lane, r);
          visit(blocks[number][place[0]][place[1]], registers[lane][Plan::accumulator(number, r)]);
        }
  }
  void take(Sum *const *registers) {
    visit(registers, [](Sum &sum, Sum &own) {
      sum = own;
      own = sum_in_flight<Sum>();
    });
  }
  void give(Sum *const *registers) {
    visit(registers, [](Sum &sum, Sum &own) { own = sum; });
  }
  bool untouched(Sum *const *registers) {
    bool same = true;
    const Sum nothing = sum_in_flight<Sum>();
    visit(registers, [&](Sum &, Sum &own) { same &= __builtin_memcmp(&own, &nothing, sizeof(Sum)) == 0; });
    return same;
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

/// An operand in LDS, as it is when a product reads it: its first or its second.
template <class Operand, class S, int Number>
struct SlotValues {
  static inline typename S::Element elements[S::Shape::size];

  explicit SlotValues(int offset) { emulator::readSlot(elements, offset, sizeof(elements)); }
  auto operator()(int row, int k) const { return elements[S::element(Operand::point(row, k))]; }
};

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

/// One block of a wave: 16 rows of a, from row own[0] on, and as many columns as the instruction has.
template <class Plan, class A, class B>
void multiply_block(Point own, bool accumulate, const A &a, const B &b,
                    typename Plan::Sum (&sums)[16][Plan::Instruction::columns]) {
  using I = typename Plan::Instruction;
  using Sum = typename Plan::Sum;
  static Sum rows[16][Plan::depth], columns[I::columns][Plan::depth];
  for (int k = 0; k < Plan::depth; ++k) {
    for (int row = 0; row < 16; ++row)
      rows[row][k] = cast<Sum>(a(own[0] + row, k));
    for (int column = 0; column < I::columns; ++column)
      columns[column][k] = cast<Sum>(b(own[1] + column, k));
  }
  emulator::addProducts(sums[0], rows[0], columns[0], I::columns, Plan::depth, I::k, accumulate);
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
  void perform(WaveSums<Plan> &sums) const {
    const SlotValues<typename Plan::A, typename Plan::SlotA, 0> rows(a);
    const SlotValues<typename Plan::B, typename Plan::SlotB, 1> columns(b);
    for (int number = 0; number < Plan::blocks; ++number)
      multiply_block<Plan>(place(number), accumulate, rows, columns, sums.blocks[number]);
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
  void perform(WaveSums<Plan> &sums) const {
    const auto rows = [&](int row, int k) { return a[row * LA::Shape::extent(1) + k]; };
    const SlotValues<typename Plan::B, typename Plan::SlotB, 1> columns(b);
    for (int number = 0; number < Plan::blocks; ++number)
      multiply_block<Plan>(place(number), accumulate, rows, columns, sums.blocks[number]);
  }
  std::uint64_t kind() const { return 1ull << 63 | std::uint64_t(b) << 8 | std::uint64_t(accumulate); }
};

/// For a wave, by one of its lanes: the sums leave the registers, if they are not in flight already.
template <class Product>
void issue_product(void *const *out, Product product) {
  using Plan = typename Product::Plan;
  using Sum = typename Plan::Sum;
  using Sums = WaveSums<Plan>;
  Sum *registers[32];
  for (int lane = 0; lane < 32; ++lane)
    registers[lane] = static_cast<Sum *>(out[lane]);
  auto *held = static_cast<Sums *>(emulator::heldSums(registers[0]));
  if (!held) {
    held = static_cast<Sums *>(emulator::holdSums(registers[0], sizeof(Sums)));
    held->take(registers);
  } else if (!held->untouched(registers)) {
    emulator::fault("sums are written while a product of theirs is in flight");
  }
  auto reads = product.reads();
  const std::uint64_t kind = product.kind();
  emulator::issueProducts({registers[0], [product = std::move(product), held] { product.perform(*held); },
                           [held](void *const *to) {
                             Sum *registers[32];
                             for (int lane = 0; lane < 32; ++lane)
                               registers[lane] = static_cast<Sum *>(to[lane]);
                             held->give(registers);
                           },
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
      nullptr, acc, [](const void *const *, void *const *out, int, void *) { emulator::giveBack(out); }, nullptr);
}

template <class Plan>
void multiply_promoted(typename Plan::Sum (&acc)[Plan::sums], int a, int b) {
  typename Plan::Sum part[Plan::sums] = {};
  multiply_slots<Plan>(part, a, b, /*accumulate=*/false);
  await_products<0>();
  give_back(part);
  for (int i = 0; i < Plan::sums; ++i)
    acc[i] += part[i];
}

} // namespace tilec::target

#endif // TILEC_EMULATED_WGMMA_H
