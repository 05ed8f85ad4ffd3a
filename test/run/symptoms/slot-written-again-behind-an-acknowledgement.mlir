// The oracle ran a role rank after rank, so that rank 0 wrote a slot of rank 1 again before rank 1 had read it: a right
// program was wrong.
// RUN: tilec run %s --extents-from 17,40 --launches 3

tile.program @p<%M>(%a: memref<?x64xf32>, %b: memref<?x64xf32>) world 5 extents [%a: %M, 64] [%b: %M, 64] {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rank = tile.rank
  %world = tile.world_size
  %knext = arith.constant 1 : index
  %snext = arith.addi %rank, %knext : index
  %next = arith.remui %snext, %world : index
  %kprev = arith.constant 4 : index
  %sprev = arith.addi %rank, %kprev : index
  %prev = arith.remui %sprev, %world : index
  %slot = tile.alloc [1, %M, 64] {copies = 2} : memref<1x?x64xf32, #tile.symmetric>
  %got = tile.signals [5, %M ceildiv 16] : !tile.signals<2>
  %fin = tile.signals [1] : !tile.signals<1>
  %ack = tile.signals [5, %M ceildiv 16] : !tile.signals<2>
  tile.kernel @k {
    tile.role @s0 {
      %fr = tile.wait system %fin[%zero] lag 2 : !tile.signals<1>
      %cs = arith.constant 0 : index
      %cp = arith.constant 0 : index
      %co = arith.constant 0 : index
      %ss = arith.constant 0 : index
      %sp = arith.constant 0 : index
      tile.forall (%i) in [%M ceildiv 16] {
        %x = tile.load %a[%i, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %st = tile.store %x, %slot[%ss, %i, %zero] to %next after %fr : tensor<16x64xf32>, memref<1x?x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %got[%cs, %i] to %next publishes %st : !tile.signals<2>
      }
    }
    tile.role @s1 {
      %fr = tile.wait system %fin[%zero] lag 2 : !tile.signals<1>
      %cs = arith.constant 1 : index
      %cp = arith.constant 0 : index
      %co = arith.constant 0 : index
      %ss = arith.constant 0 : index
      %sp = arith.constant 0 : index
      tile.forall (%i) in [%M ceildiv 16] {
        %x = tile.load %a[%i, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %w = tile.wait system %got[%cp, %i] : !tile.signals<2>
        %y = tile.load %slot[%sp, %i, %zero] tile [16, 64] after %w : memref<1x?x64xf32, #tile.symmetric> -> tensor<16x64xf32>
        %z = arith.addf %x, %y : tensor<16x64xf32>
        tile.signal system %ack[%cp, %i] to %prev : !tile.signals<2>
        %f = tile.wait system %ack[%co, %i] : !tile.signals<2>
        %st = tile.store %z, %slot[%ss, %i, %zero] to %next after %fr, %f : tensor<16x64xf32>, memref<1x?x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %got[%cs, %i] to %next publishes %st : !tile.signals<2>
      }
    }
    tile.role @s2 {
      %fr = tile.wait system %fin[%zero] lag 2 : !tile.signals<1>
      %cs = arith.constant 2 : index
      %cp = arith.constant 1 : index
      %co = arith.constant 1 : index
      %ss = arith.constant 0 : index
      %sp = arith.constant 0 : index
      tile.forall (%i) in [%M ceildiv 16] {
        %x = tile.load %a[%i, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %w = tile.wait system %got[%cp, %i] : !tile.signals<2>
        %y = tile.load %slot[%sp, %i, %zero] tile [16, 64] after %w : memref<1x?x64xf32, #tile.symmetric> -> tensor<16x64xf32>
        %z = arith.addf %x, %y : tensor<16x64xf32>
        tile.signal system %ack[%cp, %i] to %prev : !tile.signals<2>
        %f = tile.wait system %ack[%co, %i] : !tile.signals<2>
        %st = tile.store %z, %slot[%ss, %i, %zero] to %next after %fr, %f : tensor<16x64xf32>, memref<1x?x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %got[%cs, %i] to %next publishes %st : !tile.signals<2>
      }
    }
    tile.role @s3 {
      %fr = tile.wait system %fin[%zero] lag 2 : !tile.signals<1>
      %cs = arith.constant 3 : index
      %cp = arith.constant 2 : index
      %co = arith.constant 2 : index
      %ss = arith.constant 0 : index
      %sp = arith.constant 0 : index
      tile.forall (%i) in [%M ceildiv 16] {
        %x = tile.load %a[%i, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %w = tile.wait system %got[%cp, %i] : !tile.signals<2>
        %y = tile.load %slot[%sp, %i, %zero] tile [16, 64] after %w : memref<1x?x64xf32, #tile.symmetric> -> tensor<16x64xf32>
        %z = arith.addf %x, %y : tensor<16x64xf32>
        tile.signal system %ack[%cp, %i] to %prev : !tile.signals<2>
        %f = tile.wait system %ack[%co, %i] : !tile.signals<2>
        %st = tile.store %z, %slot[%ss, %i, %zero] to %next after %fr, %f : tensor<16x64xf32>, memref<1x?x64xf32, #tile.symmetric> -> !tile.token
        tile.signal system %got[%cs, %i] to %next publishes %st : !tile.signals<2>
      }
    }
    tile.role @s4 {
      %cs = arith.constant 4 : index
      %cp = arith.constant 3 : index
      %co = arith.constant 3 : index
      %ss = arith.constant 0 : index
      %sp = arith.constant 0 : index
      tile.forall (%i) in [%M ceildiv 16] {
        %x = tile.load %a[%i, %zero] tile [16, 64] : memref<?x64xf32> -> tensor<16x64xf32>
        %w = tile.wait system %got[%cp, %i] : !tile.signals<2>
        %y = tile.load %slot[%sp, %i, %zero] tile [16, 64] after %w : memref<1x?x64xf32, #tile.symmetric> -> tensor<16x64xf32>
        %z = arith.addf %x, %y : tensor<16x64xf32>
        tile.signal system %ack[%cp, %i] to %prev : !tile.signals<2>
        tile.store %z, %b[%i, %zero] : tensor<16x64xf32>, memref<?x64xf32>
      }
    }
    tile.role @leave last {
      tile.signal system %fin[%zero] to %prev : !tile.signals<1>
    }
  }
}
