// Bounds of the kernel form beyond which nothing runs, so that whoever enumerates need not ask.
#pragma once

#include "tilec/constants.h"

#include <cstdint>

namespace tilec::tile {

/// Launches that a lag reaches back and that copies of a scratch buffer serve. `verify` runs that many and two more.
constexpr uint64_t kMostLaunches = 64;
/// Workgroups of a role of its own; several times what the largest device holds at once.
constexpr uint64_t kMostWorkgroups = 65536;
/// Of a workgroup, on every target.
constexpr int64_t kMostThreads = most_threads;
/// Of 64 lanes each, as many as these threads make.
constexpr uint64_t kMostWaves = kMostThreads / 64;
/// Accesses to memory that a wave counts, so that it can wait for all but the last of them: six bits of gfx9's vmcnt,
/// and no other target counts fewer.
constexpr uint64_t kMostInFlight = 64;
/// Dimensions of a tile.
constexpr int64_t kMostTileRank = 4;
/// Elements along one side of a tile: a coordinate has 16 bits in the text.
constexpr int64_t kMostTileSide = 65536;
/// Elements of a tile, which lives in the registers of one workgroup.
constexpr int64_t kMostTileElements = 1 << 20;
/// Bytes that a lane moves with one access.
constexpr int64_t kAccessBytes = 16;
/// Of an argument: the text has it as an int.
constexpr int64_t kLargestExtent = INT32_MAX;
/// Rows of a window of tiles and tasks of a chunk: the text multiplies them with numbers of tiles and chiplets, as
/// ints.
constexpr uint64_t kMostWindow = 1024;
/// Of a device, several times what the largest has.
constexpr uint64_t kMostChiplets = 1024;

} // namespace tilec::tile
