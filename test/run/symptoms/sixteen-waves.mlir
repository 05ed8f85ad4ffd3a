// A workgroup of 16 waves of 64 lanes had a text that did not compile: bits of 1024 threads were shifted by 32.
// RUN: tilec run %s --world 1 --schedule=waves=16 --extent M=70,N=40,K=24
// RUN: tilec run %s --world 1 --schedule=waves=16 --target gfx950 --extent M=300,N=270,K=40

tile.program @product<%M, %N, %K>(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
}
