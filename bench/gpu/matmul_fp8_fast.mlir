// c = a * b^T of eight-bit floats, c in bf16: all sums may keep fewer bits than f32. That is what cuBLASLt computes with fast accumulation.
tile.program @matmul_fp8_fast<%M, %N, %K>(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c accumulate fast : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>, memref<?x?xbf16>
}
