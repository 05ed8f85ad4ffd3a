// c = a * b^T of i8 operands.
tile.program @i8<%M, %N, %K>(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>)
    extents [%a: %M, %K] [%b: %N, %K] [%c: %M, %N] {
  tile.matmul %a, transpose %b into %c : memref<?x?xi8>, memref<?x?xi8>, memref<?x?xi32>
}
