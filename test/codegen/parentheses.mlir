// RUN: tilec %s --world 1 --emit=hip > %t.hip && FileCheck %s --input-file=%t.hip
// RUN: %clang -std=c++20 -x c++ -DTILEC_EMULATED -Wparentheses -Werror -fsyntax-only -I%source/runtime/emulator/include -I%source/runtime/include %t.hip
// RUN: tilec run %s

// A condition of two comparisons, and operators of bits in each other: clang asks for parentheses where it fears that the order of
// operators is not known, and the reader is glad of them.
// CHECK: {{.*}} | ({{.*}} == {{.*}})) ^ {{.*}}) ?
// CHECK: ({{[^()]*}} < {{[^()]*}}) & ({{[^()]*}} > {{[^()]*}})) ?
tile.program @parentheses<%M>(%a: memref<?xi32>, %b: memref<?xi32>) extents [%a: %M] [%b: %M] {
  tile.forall (%m) over %b tiles [64] : memref<?xi32> {
    %x = tile.load %a[%m] tile [64] : memref<?xi32> -> tensor<64xi32>
    %i = tile.iota dim 0 tile [64] : tensor<64xi32>
    %five = tile.splat 5 [64] : tensor<64xi32>
    %less = arith.cmpi slt, %i, %x : tensor<64xi32>
    %few = arith.cmpi sle, %i, %five : tensor<64xi32>
    %much = arith.cmpi sgt, %x, %five : tensor<64xi32>
    %below = arith.cmpi slt, %x, %i : tensor<64xi32>
    %within = arith.andi %below, %much : tensor<64xi1>
    %first = arith.select %within, %five, %i : tensor<64xi1>, tensor<64xi32>
    %both = arith.andi %less, %few : tensor<64xi1>
    %neither = arith.cmpi eq, %both, %few : tensor<64xi1>
    %either = arith.ori %both, %neither : tensor<64xi1>
    %odd = arith.xori %either, %less : tensor<64xi1>
    %chosen = arith.select %both, %x, %i : tensor<64xi1>, tensor<64xi32>
    %other = arith.select %odd, %chosen, %five : tensor<64xi1>, tensor<64xi32>
    %sum = arith.addi %other, %first : tensor<64xi32>
    %shifted = arith.shrsi %sum, %five : tensor<64xi32>
    %masked = arith.andi %shifted, %x : tensor<64xi32>
    %joined = arith.ori %masked, %i : tensor<64xi32>
    %mixed = arith.xori %joined, %sum : tensor<64xi32>
    tile.store %mixed, %b[%m] : tensor<64xi32>, memref<?xi32>
  }
}
