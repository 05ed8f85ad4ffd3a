// RUN: tilec run %s --no-verify --launches 1

// Division that rounds down and up has a divisor of either sign.
tile.program @divided(%c: memref<4x448xi32>) world 1 extents [%c: 4, 448] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  tile.forall (%m) in [7] {
    %dividend = arith.subi %m, %three : index
    %divisor = arith.subi %m, %four : index
    %fixed = arith.constant -2 : index
    %isZero = arith.cmpi eq, %divisor, %zero : index
    %by = arith.select %isZero, %fixed, %divisor : index
    %0 = arith.floordivsi %dividend, %by : index
    %1 = arith.ceildivsi %dividend, %by : index
    %2 = arith.floordivsi %dividend, %fixed : index
    %3 = arith.ceildivsi %dividend, %fixed : index
    %4 = arith.index_cast %0 : index to i32
    %5 = arith.index_cast %1 : index to i32
    %6 = arith.index_cast %2 : index to i32
    %7 = arith.index_cast %3 : index to i32
    %t0 = tile.splat %4 [64] : tensor<64xi32>
    %t1 = tile.splat %5 [64] : tensor<64xi32>
    %t2 = tile.splat %6 [64] : tensor<64xi32>
    %t3 = tile.splat %7 [64] : tensor<64xi32>
    tile.store %t0, %c[%zero, %m] : tensor<64xi32>, memref<4x448xi32>
    tile.store %t1, %c[%one, %m] : tensor<64xi32>, memref<4x448xi32>
    tile.store %t2, %c[%two, %m] : tensor<64xi32>, memref<4x448xi32>
    tile.store %t3, %c[%three, %m] : tensor<64xi32>, memref<4x448xi32>
  }
}
