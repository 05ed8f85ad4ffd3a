//===- wgmma.h - NVIDIA: asynchronous matrix products of a warpgroup -------------------------------------*- C++
//-*-===//
// The instructions of sm_90a by width and type, and the descriptors of their operands in LDS.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_NVIDIA_WGMMA_H
#define TILEC_NVIDIA_WGMMA_H

#include "tilec/nvidia/stream.h"
#include "tilec/wgmma.h"

namespace tilec::target {

/// The number of this thread's warpgroup, in a register of the warp.
TILEC_DEVICE int warpgroup() { return __shfl_sync(0xffffffffu, int(threadIdx.x) / 128, 0); }

/// d += a * b by one instruction.
template <class I>
struct Product {
  static_assert(sizeof(I) == 0, "this GPU has no such asynchronous product");
};

// Operand lists of 4, 8 ... 128 sums: their places in the text, and the registers.
#define TILEC_PLACES_4 "%0, %1, %2, %3"
#define TILEC_PLACES_8 TILEC_PLACES_4 ", %4, %5, %6, %7"
#define TILEC_PLACES_12 TILEC_PLACES_8 ", %8, %9, %10, %11"
#define TILEC_PLACES_16 TILEC_PLACES_12 ", %12, %13, %14, %15"
#define TILEC_PLACES_20 TILEC_PLACES_16 ", %16, %17, %18, %19"
#define TILEC_PLACES_24 TILEC_PLACES_20 ", %20, %21, %22, %23"
#define TILEC_PLACES_28 TILEC_PLACES_24 ", %24, %25, %26, %27"
#define TILEC_PLACES_32 TILEC_PLACES_28 ", %28, %29, %30, %31"
#define TILEC_PLACES_36 TILEC_PLACES_32 ", %32, %33, %34, %35"
#define TILEC_PLACES_40 TILEC_PLACES_36 ", %36, %37, %38, %39"
#define TILEC_PLACES_44 TILEC_PLACES_40 ", %40, %41, %42, %43"
#define TILEC_PLACES_48 TILEC_PLACES_44 ", %44, %45, %46, %47"
#define TILEC_PLACES_52 TILEC_PLACES_48 ", %48, %49, %50, %51"
#define TILEC_PLACES_56 TILEC_PLACES_52 ", %52, %53, %54, %55"
#define TILEC_PLACES_60 TILEC_PLACES_56 ", %56, %57, %58, %59"
#define TILEC_PLACES_64 TILEC_PLACES_60 ", %60, %61, %62, %63"
#define TILEC_PLACES_68 TILEC_PLACES_64 ", %64, %65, %66, %67"
#define TILEC_PLACES_72 TILEC_PLACES_68 ", %68, %69, %70, %71"
#define TILEC_PLACES_76 TILEC_PLACES_72 ", %72, %73, %74, %75"
#define TILEC_PLACES_80 TILEC_PLACES_76 ", %76, %77, %78, %79"
#define TILEC_PLACES_84 TILEC_PLACES_80 ", %80, %81, %82, %83"
#define TILEC_PLACES_88 TILEC_PLACES_84 ", %84, %85, %86, %87"
#define TILEC_PLACES_92 TILEC_PLACES_88 ", %88, %89, %90, %91"
#define TILEC_PLACES_96 TILEC_PLACES_92 ", %92, %93, %94, %95"
#define TILEC_PLACES_100 TILEC_PLACES_96 ", %96, %97, %98, %99"
#define TILEC_PLACES_104 TILEC_PLACES_100 ", %100, %101, %102, %103"
#define TILEC_PLACES_108 TILEC_PLACES_104 ", %104, %105, %106, %107"
#define TILEC_PLACES_112 TILEC_PLACES_108 ", %108, %109, %110, %111"
#define TILEC_PLACES_116 TILEC_PLACES_112 ", %112, %113, %114, %115"
#define TILEC_PLACES_120 TILEC_PLACES_116 ", %116, %117, %118, %119"
#define TILEC_PLACES_124 TILEC_PLACES_120 ", %120, %121, %122, %123"
#define TILEC_PLACES_128 TILEC_PLACES_124 ", %124, %125, %126, %127"

#define TILEC_SUMS(letter, i) "+" letter(d[i]), "+" letter(d[i + 1]), "+" letter(d[i + 2]), "+" letter(d[i + 3])
#define TILEC_SUMS_4(letter) TILEC_SUMS(letter, 0)
#define TILEC_SUMS_8(letter) TILEC_SUMS_4(letter), TILEC_SUMS(letter, 4)
#define TILEC_SUMS_12(letter) TILEC_SUMS_8(letter), TILEC_SUMS(letter, 8)
#define TILEC_SUMS_16(letter) TILEC_SUMS_12(letter), TILEC_SUMS(letter, 12)
#define TILEC_SUMS_20(letter) TILEC_SUMS_16(letter), TILEC_SUMS(letter, 16)
#define TILEC_SUMS_24(letter) TILEC_SUMS_20(letter), TILEC_SUMS(letter, 20)
#define TILEC_SUMS_28(letter) TILEC_SUMS_24(letter), TILEC_SUMS(letter, 24)
#define TILEC_SUMS_32(letter) TILEC_SUMS_28(letter), TILEC_SUMS(letter, 28)
#define TILEC_SUMS_36(letter) TILEC_SUMS_32(letter), TILEC_SUMS(letter, 32)
#define TILEC_SUMS_40(letter) TILEC_SUMS_36(letter), TILEC_SUMS(letter, 36)
#define TILEC_SUMS_44(letter) TILEC_SUMS_40(letter), TILEC_SUMS(letter, 40)
#define TILEC_SUMS_48(letter) TILEC_SUMS_44(letter), TILEC_SUMS(letter, 44)
#define TILEC_SUMS_52(letter) TILEC_SUMS_48(letter), TILEC_SUMS(letter, 48)
#define TILEC_SUMS_56(letter) TILEC_SUMS_52(letter), TILEC_SUMS(letter, 52)
#define TILEC_SUMS_60(letter) TILEC_SUMS_56(letter), TILEC_SUMS(letter, 56)
#define TILEC_SUMS_64(letter) TILEC_SUMS_60(letter), TILEC_SUMS(letter, 60)
#define TILEC_SUMS_68(letter) TILEC_SUMS_64(letter), TILEC_SUMS(letter, 64)
#define TILEC_SUMS_72(letter) TILEC_SUMS_68(letter), TILEC_SUMS(letter, 68)
#define TILEC_SUMS_76(letter) TILEC_SUMS_72(letter), TILEC_SUMS(letter, 72)
#define TILEC_SUMS_80(letter) TILEC_SUMS_76(letter), TILEC_SUMS(letter, 76)
#define TILEC_SUMS_84(letter) TILEC_SUMS_80(letter), TILEC_SUMS(letter, 80)
#define TILEC_SUMS_88(letter) TILEC_SUMS_84(letter), TILEC_SUMS(letter, 84)
#define TILEC_SUMS_92(letter) TILEC_SUMS_88(letter), TILEC_SUMS(letter, 88)
#define TILEC_SUMS_96(letter) TILEC_SUMS_92(letter), TILEC_SUMS(letter, 92)
#define TILEC_SUMS_100(letter) TILEC_SUMS_96(letter), TILEC_SUMS(letter, 96)
#define TILEC_SUMS_104(letter) TILEC_SUMS_100(letter), TILEC_SUMS(letter, 100)
#define TILEC_SUMS_108(letter) TILEC_SUMS_104(letter), TILEC_SUMS(letter, 104)
#define TILEC_SUMS_112(letter) TILEC_SUMS_108(letter), TILEC_SUMS(letter, 108)
#define TILEC_SUMS_116(letter) TILEC_SUMS_112(letter), TILEC_SUMS(letter, 112)
#define TILEC_SUMS_120(letter) TILEC_SUMS_116(letter), TILEC_SUMS(letter, 116)
#define TILEC_SUMS_124(letter) TILEC_SUMS_120(letter), TILEC_SUMS(letter, 120)
#define TILEC_SUMS_128(letter) TILEC_SUMS_124(letter), TILEC_SUMS(letter, 124)

// `i0` to `i6`: numbers of the operands behind the sums. `scales`: what the instruction takes behind the predicate that
// says whether the sums count; `across`: whether it also takes which operands lie across k.
#define TILEC_ACROSS_2_yes(i, j) ", %" #i ", %" #j
#define TILEC_ACROSS_1_yes(i) ", %" #i
#define TILEC_ACROSS_2_no(i, j) ""
#define TILEC_ACROSS_1_no(i) ""
#define TILEC_PRODUCT(n, depth, type, name, letter, count, i0, i1, i2, i3, i4, i5, i6, scales, across)                 \
  template <>                                                                                                          \
  struct Product<Wgmma<n, depth, type>> {                                                                              \
    using Sum = Wgmma<n, depth, type>::Sum;                                                                            \
    template <bool AcrossA, bool AcrossB>                                                                              \
    static TILEC_DEVICE void of_slots(Sum (&d)[count], unsigned long long a, unsigned long long b, int accumulate) {   \
      asm volatile("{.reg .pred p; setp.ne.b32 p, %" #i2 ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k" #depth        \
                   "." name " {" TILEC_PLACES_##count "}, %" #i0 ", %" #i1                                             \
                                                      ", p" scales TILEC_ACROSS_2_##across(i3, i4) ";}"                \
                   : TILEC_SUMS_##count(letter)                                                                        \
                   : "l"(a), "l"(b), "r"(accumulate), "n"(int(AcrossA)), "n"(int(AcrossB)));                           \
    }                                                                                                                  \
    template <bool AcrossB>                                                                                            \
    static TILEC_DEVICE void of_registers(Sum (&d)[count], const unsigned (&a)[4], unsigned long long b,               \
                                          int accumulate) {                                                            \
      asm volatile("{.reg .pred p; setp.ne.b32 p, %" #i5 ", 0; wgmma.mma_async.sync.aligned.m64n" #n "k" #depth        \
                   "." name " {" TILEC_PLACES_##count "}, {%" #i0 ", %" #i1 ", %" #i2 ", %" #i3 "}, %" #i4             \
                                                      ", p" scales TILEC_ACROSS_1_##across(i6) ";}"                    \
                   : TILEC_SUMS_##count(letter)                                                                        \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "n"(int(AcrossB)));          \
    }                                                                                                                  \
  };
// Widths that all types have, and those that integers have not.
#define TILEC_PRODUCTS(depth, type, name, letter, scales, across)                                                      \
  TILEC_PRODUCT(8, depth, type, name, letter, 4, 4, 5, 6, 7, 8, 9, 10, scales, across)                                 \
  TILEC_PRODUCT(16, depth, type, name, letter, 8, 8, 9, 10, 11, 12, 13, 14, scales, across)                            \
  TILEC_PRODUCT(24, depth, type, name, letter, 12, 12, 13, 14, 15, 16, 17, 18, scales, across)                         \
  TILEC_PRODUCT(32, depth, type, name, letter, 16, 16, 17, 18, 19, 20, 21, 22, scales, across)                         \
  TILEC_PRODUCT(48, depth, type, name, letter, 24, 24, 25, 26, 27, 28, 29, 30, scales, across)                         \
  TILEC_PRODUCT(64, depth, type, name, letter, 32, 32, 33, 34, 35, 36, 37, 38, scales, across)                         \
  TILEC_PRODUCT(80, depth, type, name, letter, 40, 40, 41, 42, 43, 44, 45, 46, scales, across)                         \
  TILEC_PRODUCT(96, depth, type, name, letter, 48, 48, 49, 50, 51, 52, 53, 54, scales, across)                         \
  TILEC_PRODUCT(112, depth, type, name, letter, 56, 56, 57, 58, 59, 60, 61, 62, scales, across)                        \
  TILEC_PRODUCT(128, depth, type, name, letter, 64, 64, 65, 66, 67, 68, 69, 70, scales, across)                        \
  TILEC_PRODUCT(144, depth, type, name, letter, 72, 72, 73, 74, 75, 76, 77, 78, scales, across)                        \
  TILEC_PRODUCT(160, depth, type, name, letter, 80, 80, 81, 82, 83, 84, 85, 86, scales, across)                        \
  TILEC_PRODUCT(176, depth, type, name, letter, 88, 88, 89, 90, 91, 92, 93, 94, scales, across)                        \
  TILEC_PRODUCT(192, depth, type, name, letter, 96, 96, 97, 98, 99, 100, 101, 102, scales, across)                     \
  TILEC_PRODUCT(208, depth, type, name, letter, 104, 104, 105, 106, 107, 108, 109, 110, scales, across)                \
  TILEC_PRODUCT(224, depth, type, name, letter, 112, 112, 113, 114, 115, 116, 117, 118, scales, across)                \
  TILEC_PRODUCT(240, depth, type, name, letter, 120, 120, 121, 122, 123, 124, 125, 126, scales, across)                \
  TILEC_PRODUCT(256, depth, type, name, letter, 128, 128, 129, 130, 131, 132, 133, 134, scales, across)
#define TILEC_FLOAT_PRODUCTS(depth, type, name, letter, scales, across)                                                \
  TILEC_PRODUCT(40, depth, type, name, letter, 20, 20, 21, 22, 23, 24, 25, 26, scales, across)                         \
  TILEC_PRODUCT(56, depth, type, name, letter, 28, 28, 29, 30, 31, 32, 33, 34, scales, across)                         \
  TILEC_PRODUCT(72, depth, type, name, letter, 36, 36, 37, 38, 39, 40, 41, 42, scales, across)                         \
  TILEC_PRODUCT(88, depth, type, name, letter, 44, 44, 45, 46, 47, 48, 49, 50, scales, across)                         \
  TILEC_PRODUCT(104, depth, type, name, letter, 52, 52, 53, 54, 55, 56, 57, 58, scales, across)                        \
  TILEC_PRODUCT(120, depth, type, name, letter, 60, 60, 61, 62, 63, 64, 65, 66, scales, across)                        \
  TILEC_PRODUCT(136, depth, type, name, letter, 68, 68, 69, 70, 71, 72, 73, 74, scales, across)                        \
  TILEC_PRODUCT(152, depth, type, name, letter, 76, 76, 77, 78, 79, 80, 81, 82, scales, across)                        \
  TILEC_PRODUCT(168, depth, type, name, letter, 84, 84, 85, 86, 87, 88, 89, 90, scales, across)                        \
  TILEC_PRODUCT(184, depth, type, name, letter, 92, 92, 93, 94, 95, 96, 97, 98, scales, across)                        \
  TILEC_PRODUCT(200, depth, type, name, letter, 100, 100, 101, 102, 103, 104, 105, 106, scales, across)                \
  TILEC_PRODUCT(216, depth, type, name, letter, 108, 108, 109, 110, 111, 112, 113, 114, scales, across)                \
  TILEC_PRODUCT(232, depth, type, name, letter, 116, 116, 117, 118, 119, 120, 121, 122, scales, across)                \
  TILEC_PRODUCT(248, depth, type, name, letter, 124, 124, 125, 126, 127, 128, 129, 130, scales, across)
TILEC_PRODUCTS(16, bf16, "f32.bf16.bf16", "f", ", 1, 1", yes)
TILEC_PRODUCTS(16, f16, "f32.f16.f16", "f", ", 1, 1", yes)
TILEC_PRODUCTS(32, fp8_e4m3, "f32.e4m3.e4m3", "f", ", 1, 1", no)
TILEC_PRODUCTS(32, fp8_e5m2, "f32.e5m2.e5m2", "f", ", 1, 1", no)
TILEC_PRODUCTS(32, signed char, "s32.s8.s8", "r", "", no)
TILEC_FLOAT_PRODUCTS(16, bf16, "f32.bf16.bf16", "f", ", 1, 1", yes)
TILEC_FLOAT_PRODUCTS(16, f16, "f32.f16.f16", "f", ", 1, 1", yes)
TILEC_FLOAT_PRODUCTS(32, fp8_e4m3, "f32.e4m3.e4m3", "f", ", 1, 1", no)
TILEC_FLOAT_PRODUCTS(32, fp8_e5m2, "f32.e5m2.e5m2", "f", ", 1, 1", no)
#undef TILEC_FLOAT_PRODUCTS
#undef TILEC_PRODUCTS
#undef TILEC_PRODUCT

/// The descriptor of an operand, but for what an instruction takes of it: where it lies, and how from there on.
template <class Operand, class LC, int Dim>
TILEC_DEVICE unsigned long long describe_slot(int offset) {
  constexpr unsigned long long mode = Operand::swizzle == 128 ? 1 : Operand::swizzle == 64 ? 2 : 3;
  constexpr unsigned long long kind = mode << 62 | static_cast<unsigned long long>(Operand::stride / 16) << 32 |
                                      static_cast<unsigned long long>(Operand::leading / 16) << 16;
  // In units of 16 bytes, of which LDS has few enough that no sum carries into what else a descriptor says.
  const int group = tilec::detail::apply<typename Operand::template Warpgroups<LC, Dim>>(warpgroup());
  return kind + (lds_address(offset) >> 4) + unsigned(group);
}

/// One group: run(d, step, block) for each instruction, with its sums in d.
template <class Plan, class Run>
TILEC_DEVICE void issue_products(typename Plan::Sum (&acc)[Plan::sums], Run &&run) {
  using I = typename Plan::Instruction;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  tilec::detail::repeat<Plan::steps>([&](auto step) TILEC_LAMBDA {
    tilec::detail::repeat<Plan::blocks>([&](auto block) TILEC_LAMBDA {
      typename Plan::Sum d[I::registers];
      tilec::detail::repeat<I::registers>([&](auto r) TILEC_LAMBDA {
        constexpr int own = Plan::accumulator(decltype(block)::value, decltype(r)::value);
        d[decltype(r)::value] = acc[own];
      });
      run(d, step, block);
      tilec::detail::repeat<I::registers>([&](auto r) TILEC_LAMBDA {
        constexpr int own = Plan::accumulator(decltype(block)::value, decltype(r)::value);
        acc[own] = d[decltype(r)::value];
      });
    });
  });
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// acc += a * b for LDS tiles at two offsets.
template <class Plan>
TILEC_DEVICE void multiply_slots(typename Plan::Sum (&acc)[Plan::sums], int a, int b, bool accumulate) {
  using A = typename Plan::A;
  using B = typename Plan::B;
  const auto a_slot = describe_slot<A, typename Plan::Layout, 0>(a);
  const auto b_slot = describe_slot<B, typename Plan::Layout, 1>(b);
  issue_products<Plan>(acc, [&](auto &d, auto step, auto block) TILEC_LAMBDA {
    constexpr int k = decltype(step)::value * Plan::Instruction::k, number = decltype(block)::value;
    constexpr int a_byte = A::byte_of(Plan::first(number, 0), k), b_byte = B::byte_of(Plan::first(number, 1), k);
    Product<typename Plan::Instruction>::template of_slots<A::across, B::across>(
        d, a_slot + a_byte / 16, b_slot + b_byte / 16, accumulate || k != 0);
  });
}

/// The same with a in registers.
template <class Plan, class T, int Count>
TILEC_DEVICE void multiply_registers(typename Plan::Sum (&acc)[Plan::sums], const T (&a)[Count], int b,
                                     bool accumulate) {
  using I = typename Plan::Instruction;
  using B = typename Plan::B;
  const auto b_slot = describe_slot<B, typename Plan::Layout, 1>(b);
  // All words before the first product: ptxas has the warpgroup meet again for each that is made behind it (C7519).
  unsigned words[Plan::blocks][Plan::steps][4];
  tilec::detail::repeat<Plan::blocks>([&](auto block) TILEC_LAMBDA {
    tilec::detail::repeat<Plan::steps>([&](auto step) TILEC_LAMBDA {
      constexpr int number = decltype(block)::value, depth = decltype(step)::value;
      T elements[I::elements_a];
      tilec::detail::repeat<I::elements_a>([&](auto e) TILEC_LAMBDA {
        constexpr int own = Plan::operand(number, depth, decltype(e)::value);
        elements[decltype(e)::value] = a[own];
      });
      static_assert(sizeof(words[number][depth]) == sizeof(elements));
      __builtin_memcpy(words[number][depth], elements, sizeof(elements));
#pragma unroll
      for (int word = 0; word < 4; ++word)
        asm volatile("" : "+r"(words[number][depth][word]));
    });
  });
  issue_products<Plan>(acc, [&](auto &d, auto step, auto block) TILEC_LAMBDA {
    constexpr int number = decltype(block)::value, depth = decltype(step)::value, k = depth * I::k;
    constexpr int b_byte = B::byte_of(Plan::first(number, 1), k);
    Product<I>::template of_registers<B::across>(d, words[number][depth], b_slot + b_byte / 16, accumulate || k != 0);
  });
}

template <int Left>
TILEC_DEVICE void await_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
/// The end of a basic block: where ptxas finds sums read in the block that waits for them, it makes all products of the
/// kernel wait for each other (C7514). No grid has 0 workgroups, but ptxas does not know.
TILEC_DEVICE void part_from_wait() {
  if (gridDim.x == 0)
    asm volatile("trap;");
}
/// Keeps what reads the sums behind the wait.
template <int Count>
TILEC_DEVICE void give_back(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+f"(sums[i])::"memory");
}
template <int Count>
TILEC_DEVICE void give_back(int (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+r"(sums[i])::"memory");
}

/// acc += a * b, complete when it returns. For the columns of one instruction after the other: while a warpgroup adds,
/// the matrix units work for the next one.
template <class Plan>
TILEC_DEVICE void multiply_promoted(typename Plan::Sum (&acc)[Plan::sums], int a, int b) {
  using I = typename Plan::Instruction;
  using A = typename Plan::A;
  using B = typename Plan::B;
  const auto a_slot = describe_slot<A, typename Plan::Layout, 0>(a);
  const auto b_slot = describe_slot<B, typename Plan::Layout, 1>(b);
  tilec::detail::repeat<Plan::blocks>([&](auto block) TILEC_LAMBDA {
    constexpr int number = decltype(block)::value;
    typename Plan::Sum part[I::registers];
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    tilec::detail::repeat<Plan::steps>([&](auto step) TILEC_LAMBDA {
      constexpr int k = decltype(step)::value * I::k;
      constexpr int a_byte = A::byte_of(Plan::first(number, 0), k), b_byte = B::byte_of(Plan::first(number, 1), k);
      Product<I>::template of_slots<A::across, B::across>(part, a_slot + a_byte / 16, b_slot + b_byte / 16, k != 0);
    });
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    await_products<0>();
    part_from_wait();
    give_back(part);
    tilec::detail::repeat<I::registers>([&](auto r) TILEC_LAMBDA {
      constexpr int own = Plan::accumulator(number, decltype(r)::value);
      acc[own] += part[decltype(r)::value];
    });
    // Before the next product begins, as far as ptxas sees: else it moves additions there, and serialises both (C7514).
    part_from_wait();
    give_back(acc);
  });
}

} // namespace tilec::target

#endif // TILEC_NVIDIA_WGMMA_H
