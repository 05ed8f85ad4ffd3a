// The note of `verify` is an attribute with a syntax of its own: all parts, and as few as there may be.
// RUN: tilec-opt %s | tilec-opt | FileCheck %s

// CHECK: tile.program @all{{.*}}verified = #tile.verified<launches = 4, samples = {{\[\[}}200, 40], [1, 1{{\]\]}}, skipped = {{\[\[}}9, 9{{\]\]}}, any = [1], limits = [200, -1], drawn = [0], draws_data, bounds_sampled = 2, written_once = 3, nonzero = {{\[\[}}0], [0, 1{{\]\]}}, works_without_tasks, least = affine_map<()[s0, s1, s2] -> (s1 - s2 * 7)>, greatest = affine_map<()[s0, s1, s2] -> (s1 * s2, s1 * 7)>>
tile.program @all<%M, %N>(%n: i32) world 1 attributes {verified = #tile.verified<launches = 4, samples = [[200, 40], [1, 1]], written_once = 3, skipped = [[9, 9]], any = [1],
    limits = [200, -1], draws_data, drawn = [0], bounds_sampled = 2, works_without_tasks, nonzero = [[0], [0, 1]],
    greatest = affine_map<()[s0, s1, s2] -> (s1 * s2, s1 * 7)>, least = affine_map<()[s0, s1, s2] -> (s1 - s2 * 7)>>} {
}

// CHECK: tile.program @few{{.*}}verified = #tile.verified<launches = 1, samples = []>
tile.program @few() world 1 attributes {verified = #tile.verified<launches = 1, samples = []>} {
}

// CHECK: tile.program @none{{.*}}verified = #tile.verified<launches = 2, samples = {{\[\[\]\]}}>
tile.program @none() world 1 attributes {verified = #tile.verified<launches = 2, samples = [[]]>} {
}
