// RUN: tilec run %s --world 1

// Names that headers define as macros, or that C++ knows as words: the text did not compile.
tile.program @names<%M_PI>(%NULL: memref<?x64xf32>, %wchar_t: memref<?x64xf32>) extents [%NULL: %M_PI, 64] [%wchar_t: %M_PI, 64] {
  tile.forall (%INFINITY, %INT_MAX) over %wchar_t tiles [32, 32] : memref<?x64xf32> {
    %co_await = tile.load %NULL[%INFINITY, %INT_MAX] tile [32, 32] : memref<?x64xf32> -> tensor<32x32xf32>
    %errno = arith.addf %co_await, %co_await : tensor<32x32xf32>
    tile.store %errno, %wchar_t[%INFINITY, %INT_MAX] : tensor<32x32xf32>, memref<?x64xf32>
  }
}
