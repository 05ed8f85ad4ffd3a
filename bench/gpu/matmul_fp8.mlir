// c = a * b^T of eight-bit floats, c in bf16: sums of 128 products may keep fewer bits than f32, which adds them up. That is what cuBLASLt
// computes without fast accumulation.
tile.program @matmul_fp8<%M, %N, %K>(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %c: memref<?x?xbf16>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xf8E4M3FN>, memref<?x?xf8E4M3FN>, memref<?x?xbf16>
}
