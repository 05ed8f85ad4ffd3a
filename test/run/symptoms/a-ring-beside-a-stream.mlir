// RUN: tilec %s --world 2 --target sm_90a --emit=hip | FileCheck %s

// A kernel of two products, one through slots that waves fill, one through slots that a copy engine fills: `check` took the sums of the
// second for those of a ring that nobody had filled ("adds the rest of a ring's sum from step 4 on, expected from step 0 on").
// CHECK: tilec::by_slot<
// CHECK: tilec::stream<
tile.program @beside<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %w: memref<?x?xbf16>, %c: memref<?x?xbf16>, %d: memref<?x?xf32>)
    extents [%a: %M, %K] [%b: %N, %K] [%w: %K, %N] [%c: %M, %N] [%d: %M, %N] {
  tile.matmul %a, transpose %b into %c tiles [64, 64, 32] : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  tile.matmul %a, %w into %d : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xf32>
}
