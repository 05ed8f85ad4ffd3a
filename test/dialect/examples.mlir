// Every example parses, verifies, and prints as something that parses to the same.
// RUN: tilec-opt --verify-roundtrip %examples/00_copy/copy.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/01_put_get/put_get.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/02_signal/signal.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/03_matmul/matmul.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/04_all_gather_matmul/all_gather_matmul.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/05_matmul_all_scatter/matmul_all_scatter.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/06_matmul_reduce_scatter/matmul_reduce_scatter.mlir -o /dev/null
// RUN: tilec-opt --verify-roundtrip %examples/07_matmul_all_reduce/matmul_all_reduce.mlir -o /dev/null
