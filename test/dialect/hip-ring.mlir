// RUN: tilec-opt %s --allow-unregistered-dialect | tilec-opt --allow-unregistered-dialect | FileCheck %s

// Rings of LDS in the exit dialect, and the activities that work on them.
#rows = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], waves = []>
#sums = #tile.layout<registers = [[0, 1], [0, 2]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], waves = []>
#ab = #tile.layout<registers = [[0, 1], [0, 2], [0, 4]], lanes = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], waves = []>
%v, %n, %zero, %sums = "any.values"() : () -> (!hip.view<bf16, 2>, index, index, tensor<16x16xf32, #sums>)
// CHECK: hip.regular %{{.*}}, %{{.*}}, %{{.*}} {rows = 16 : i64, vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> i1
%regular = hip.regular %v, %n, %zero {rows = 16 : i64, vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> i1
// CHECK: %[[FEED:.*]] = hip.feed %{{.*}}, %{{.*}}, %{{.*}} {vector = 8 : i64} :
%feed = hip.feed %v, %n, %zero {vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #rows>>
// CHECK: %[[RING:.*]] = hip.ring {{.*}}offset = 128 : i64, slots = 2 : i64} : () -> !hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>
%ring = hip.ring {offset = 128 : i64, slots = 2 : i64} : () -> !hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>
// CHECK: %[[TO:.*]] = hip.addresses %[[RING]] :
%to = hip.addresses %ring : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>
// CHECK: %[[TURNED:.*]] = hip.ring {{.*}} -> !hip.ring<<bf16, [32, 16], <8, 1, 2, 8>>, 2>
%turned_ring = hip.ring {offset = 4096 : i64, slots = 2 : i64} : () -> !hip.ring<<bf16, [32, 16], <8, 1, 2, 8>>, 2>
// CHECK: hip.addresses %[[TURNED]] {transposed} :
%across = hip.addresses %turned_ring {transposed} : (!hip.ring<<bf16, [32, 16], <8, 1, 2, 8>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [32, 16], <8, 1, 2, 8>>, 2>>
%from = hip.addresses %ring : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>) -> !hip.addresses<tensor<16x32xbf16, #ab>, <<bf16, [16, 32], <8, 2, 4>>, 2>>
// CHECK: %[[TILE:.*]] = hip.hold -> <tensor<16x32xbf16, #{{.*}}>, 1>
%tile = hip.hold -> <tensor<16x32xbf16, #rows>, 1>
// CHECK: %[[PAIR:.*]] = hip.hold -> <tensor<16x32xbf16, #{{.*}}>, 2>
%pair = hip.hold -> <tensor<16x32xbf16, #ab>, 2>
// CHECK: %[[ACC:.*]] = hip.hold %{{.*}} : tensor<16x16xf32, #{{.*}}> -> <tensor<16x16xf32, #{{.*}}>, 1>
%acc = hip.hold %sums : tensor<16x16xf32, #sums> -> <tensor<16x16xf32, #sums>, 1>
// CHECK: hip.steps %{{.*}} slots 2 {
hip.steps %n slots 2 {
// CHECK-NEXT: ^bb0(%[[SLOT:.*]]: index, %{{.*}}: index):
^bb0(%slot: index, %step: index):
  // CHECK: %[[FULL:.*]] = hip.slot %[[RING]], %[[SLOT]] :
  %full = hip.slot %ring, %slot : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>, index) -> !hip.slot<<bf16, [16, 32], <8, 2, 4>>>
  // CHECK: %[[PART:.*]] = hip.held_at %[[PAIR]], %[[SLOT]] :
  %part = hip.held_at %pair, %slot : (!hip.held<tensor<16x32xbf16, #ab>, 2>, index) -> !hip.held<tensor<16x32xbf16, #ab>, 1>
  // CHECK: hip.fetching %[[TILE]], %[[FEED]], %{{.*}} :
  %fetch = hip.fetching %tile, %feed, %zero : (!hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xbf16, #rows>>, index) -> !hip.activity
  // CHECK: hip.depositing %[[FULL]], %[[TO]], %[[TILE]] :
  %deposit = hip.depositing %full, %to, %tile : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.held<tensor<16x32xbf16, #rows>, 1>) -> !hip.activity
  // CHECK: hip.refilling %[[FULL]], %[[TO]], %[[TILE]], %[[FEED]], %{{.*}} :
  %refill = hip.refilling %full, %to, %tile, %feed, %zero : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.addresses<tensor<16x32xbf16, #rows>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.held<tensor<16x32xbf16, #rows>, 1>, !hip.feed<tensor<16x32xbf16, #rows>>, index) -> !hip.activity
  // CHECK: hip.reading %[[PART]], %{{.*}}, %[[FULL]] :
  %read = hip.reading %part, %from, %full : (!hip.held<tensor<16x32xbf16, #ab>, 1>, !hip.addresses<tensor<16x32xbf16, #ab>, <<bf16, [16, 32], <8, 2, 4>>, 2>>, !hip.slot<<bf16, [16, 32], <8, 2, 4>>>) -> !hip.activity
  // CHECK: hip.in_order %{{.*}}, %{{.*}}, %{{.*}} :
  hip.in_order %fetch, %deposit, %read : (!hip.activity, !hip.activity, !hip.activity) -> ()
  // CHECK: hip.multiplying %[[ACC]], %[[PART]], %[[PART]] {instruction = "Mfma16x16x16", transposed} :
  %product = hip.multiplying %acc, %part, %part {instruction = "Mfma16x16x16", transposed} : (!hip.held<tensor<16x16xf32, #sums>, 1>, !hip.held<tensor<16x32xbf16, #ab>, 1>, !hip.held<tensor<16x32xbf16, #ab>, 1>) -> !hip.activity
  // CHECK: hip.in_turn
  %both = hip.in_turn %product, %product : (!hip.activity, !hip.activity) -> !hip.activity
  // CHECK: hip.places
  hip.places %both, %refill : (!hip.activity, !hip.activity) -> ()
}
// CHECK: hip.put %[[ACC]], %{{.*}} : 
hip.put %acc, %sums : (!hip.held<tensor<16x16xf32, #sums>, 1>, tensor<16x16xf32, #sums>) -> ()
// CHECK: hip.take %[[ACC]] :
%result = hip.take %acc : (!hip.held<tensor<16x16xf32, #sums>, 1>) -> tensor<16x16xf32, #sums>
// Rows of a tile that are columns of the view.
#columns = #tile.layout<registers = [[1, 0], [2, 0], [4, 0]], lanes = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], waves = []>
// CHECK: hip.regular %{{.*}} {across, rows = 32 : i64, vector = 8 : i64} :
%turned = hip.regular %v, %zero, %n {across, rows = 32 : i64, vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> i1
// CHECK: hip.feed %{{.*}} {across, vector = 8 : i64} :
%down = hip.feed %v, %zero, %n {across, vector = 8 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.feed<tensor<16x32xbf16, #columns>>
// Copies past the registers.
// CHECK: %[[DIRECT:.*]] = hip.direct_feed %{{.*}}, %{{.*}}, %{{.*}} {wave_bits = 0 : i64} :
%direct = hip.direct_feed %v, %n, %zero {wave_bits = 0 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [16, 32], <8, 2, 4>>>
%slot = hip.slot %ring, %zero : (!hip.ring<<bf16, [16, 32], <8, 2, 4>>, 2>, index) -> !hip.slot<<bf16, [16, 32], <8, 2, 4>>>
// CHECK: hip.copying %{{.*}}, %[[DIRECT]], %{{.*}} :
%copy = hip.copying %slot, %direct, %zero : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [16, 32], <8, 2, 4>>>, index) -> !hip.activity
hip.in_order %copy : (!hip.activity) -> ()
// Half of the waves make one copy, half another.
// CHECK: hip.direct_feed %{{.*}}, %{{.*}}, %{{.*}} {halved, wave_bits = 1 : i64} :
%mine = hip.direct_feed %v, %n, %zero {halved, wave_bits = 1 : i64} : (!hip.view<bf16, 2>, index, index) -> !hip.direct_feed<<bf16, [16, 32], <8, 2, 4>>>
%early = hip.copying %slot, %mine, %zero : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [16, 32], <8, 2, 4>>>, index) -> !hip.activity
%late = hip.copying %slot, %mine, %n : (!hip.slot<<bf16, [16, 32], <8, 2, 4>>>, !hip.direct_feed<<bf16, [16, 32], <8, 2, 4>>>, index) -> !hip.activity
// CHECK: hip.by_halves %{{.*}}, %{{.*}} :
%halves = hip.by_halves %early, %late : (!hip.activity, !hip.activity) -> !hip.activity
hip.in_order %halves : (!hip.activity) -> ()
// CHECK: hip.await_copies {{.*}}left = 3 : i64
hip.await_copies {left = 3 : i64} : () -> ()
// CHECK-NEXT: hip.meet
hip.meet : () -> ()
