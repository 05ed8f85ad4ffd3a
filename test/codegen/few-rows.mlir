// A product of few rows on sm_90a: the four waves of one instruction, and a hint for the operand that each task reads for itself.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=16,N=8192,K=7168 --until=schedule | FileCheck %s --check-prefix=PASS
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=16,N=8192,K=7168 --emit=hip | FileCheck %s --check-prefix=TEXT
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=64,N=8192,K=7168 --emit=hip | FileCheck %s --check-prefix=TEXT
// PASS: producer = #tile.producer<waves = 4, registers = 0, consumers = 0>
// PASS-SAME: waves = 4
// PASS: tile.copy_async %b[%n, %k] read_once -> %{{.*}}[%slot] full %full
// PASS-NEXT: tile.copy_async %a[%m, %k] -> %{{.*}}[%slot] full %full
// TEXT: tilec::by_role<4>(
// TEXT-DAG: tilec::copying(b_ring.slot<slot>(), b_feed, k * 128, tilec::read_once)
// TEXT-DAG: tilec::copying(a_ring.slot<slot>(), a_feed, k * 128)
// TEXT: tilec::multiply_async<tilec::Wgmma64x{{16|64}}x16<tilec::bf16>, tilec::transposed_b>(

// Not where the other dimension has more tiles, nor where the launch says how many it has.
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent M=1024,N=8192,K=7168 --emit=hip | FileCheck %s --check-prefix=SHARED
// RUN: tilec %source/bench/gpu/matmul.mlir --world 1 --target sm_90a --extent N=8192,K=7168 --emit=hip | FileCheck %s --check-prefix=SHARED
// SHARED: tilec::fill{{(_alone)?}}<slot>(
// SHARED-NOT: read_once

// Nor where somebody else reads the buffer: the other operand, or another product.
// RUN: split-file %s %t
// RUN: tilec %t/both.mlir --target sm_90a --emit=hip | FileCheck %s --check-prefix=SHARED
// RUN: tilec %t/later.mlir --target sm_90a --emit=hip | FileCheck %s --check-prefix=SHARED

// One task reads each operand alone.
// RUN: tilec %t/one.mlir --target sm_90a --emit=hip | FileCheck %s --check-prefix=BOTH
// BOTH-COUNT-2: tilec::read_once)

//--- both.mlir
tile.program @both(%a: memref<64x1024xbf16>, %c: memref<64x64xbf16>) world 1 {
  tile.matmul %a, transpose %a into %c tiles [64, 64, 64] : memref<64x1024xbf16>, memref<64x1024xbf16>, memref<64x64xbf16>
}
//--- later.mlir
tile.program @later(%a: memref<64x1024xbf16>, %b: memref<512x1024xbf16>, %c: memref<64x512xbf16>, %d: memref<512x512xbf16>) world 1 {
  tile.matmul %a, transpose %b into %c tiles [64, 64, 64] : memref<64x1024xbf16>, memref<512x1024xbf16>, memref<64x512xbf16>
  tile.matmul %b, transpose %b into %d tiles [64, 64, 64] : memref<512x1024xbf16>, memref<512x1024xbf16>, memref<512x512xbf16>
}
//--- one.mlir
tile.program @one(%a: memref<64x1024xbf16>, %b: memref<64x1024xbf16>, %c: memref<64x64xbf16>) world 1 {
  tile.matmul %a, transpose %b into %c tiles [64, 64, 64] : memref<64x1024xbf16>, memref<64x1024xbf16>, memref<64x64xbf16>
}
