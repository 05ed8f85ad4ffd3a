//===- RelayTest.cpp - rows that the copy engine moves from memory to memory --------------------------------------===//
#include "WarpMachine.h"

using namespace tilec;
using namespace tilec::test;

namespace {

constexpr Landing everyLanding[] = {Landing::Earliest, Landing::Latest, Landing::Seeded};
constexpr int slots = 4, slot_bytes = 16384, first_slot = 1024, lds = first_slot + slots * slot_bytes;

/// Of two matrices in memory of the device: no other is watched for races.
struct Pair {
  int rows, columns, pitch;
  bf16 *from = nullptr, *into = nullptr;

  Pair(int rows, int columns, int pitch) : rows(rows), columns(columns), pitch(pitch) {
    for (bf16 **matrix : {&from, &into})
      EXPECT_EQ(hipMalloc(reinterpret_cast<void **>(matrix), size() * sizeof(bf16)), hipSuccess);
    for (size_t i = 0; i < size(); ++i) {
      from[i] = cast<bf16>(float(i % 241));
      into[i] = cast<bf16>(-1.0f);
    }
  }
  ~Pair() {
    (void)hipFree(from);
    (void)hipFree(into);
  }
  size_t size() const { return size_t(rows) * pitch; }
  View<const bf16, 2> source() const { return view<const bf16>(from, {rows, columns}, {pitch, 1}); }
  View<bf16, 2> target() const { return view(into, {rows, columns}, {pitch, 1}); }
};

/// What the emulator has against the boxes of one wave, moved in turn; "wrong" where some element is not as it should.
std::string verdictOf(const Pair &pair, const std::vector<Coordinates<2>> &starts, Coordinates<2> box,
                      bool orCopy = false) {
  const std::string report = reportOf(
      4,
      [&] {
        auto words = full<slots>(64);
        if (target::wave() != 1)
          return;
        for (const Coordinates<2> &start : starts)
          if (orCopy)
            relay_or_copy<slot_bytes>(words, first_slot, pair.source(), start, box, pair.target());
          else
            relay<slot_bytes>(words, first_slot, pair.source(), start, box, pair.target());
      },
      lds);
  if (!report.empty())
    return report;
  for (int i = 0; i < pair.rows; ++i)
    for (int j = 0; j < pair.pitch; ++j) {
      bool moved = false;
      for (const Coordinates<2> &start : starts)
        moved |= i >= start[0] && i < start[0] + box[0] && j >= start[1] && j < start[1] + box[1] && j < pair.columns;
      const size_t at = size_t(i) * pair.pitch + j;
      if (cast<float>(pair.into[at]) != (moved ? cast<float>(pair.from[at]) : -1.0f))
        return "wrong at " + std::to_string(i) + ", " + std::to_string(j);
    }
  return "";
}

} // namespace

TEST(Relay, MovesTheBoxAndNothingElse) {
  for (Landing landing : everyLanding)
    for (auto [rows, columns, pitch] : {std::tuple(64, 128, 128), {70, 200, 208}, {5, 24, 40}, {3, 20000, 20008}}) {
      machine(landing, landing == Landing::Seeded ? rows : 0, /*race=*/true);
      const Pair pair(rows, columns, pitch);
      EXPECT_EQ(verdictOf(pair, {{0, 0}, {64, 0}}, {64, columns}), "") << rows << " x " << columns;
      const Pair part(rows, columns, pitch);
      EXPECT_EQ(verdictOf(part, {{1, 8}}, {2, 8}), "") << rows << " x " << columns;
    }
}

TEST(Relay, EachPieceGoesToEveryView) {
  for (Landing landing : everyLanding) {
    machine(landing, landing == Landing::Seeded ? 5 : 0, /*race=*/true);
    const Pair first(70, 200, 208), second(70, 200, 208), third(70, 200, 208);
    EXPECT_EQ(reportOf(
                  4,
                  [&] {
                    auto words = full<slots>(64);
                    if (target::wave() == 1)
                      relay<slot_bytes>(words, first_slot, first.source(), {1, 8}, {40, 128}, first.target(),
                                        second.target(), third.target());
                  },
                  lds),
              "");
    for (const Pair *pair : {&first, &second, &third})
      for (int i = 0; i < pair->rows; ++i)
        for (int j = 0; j < pair->pitch; ++j) {
          const bool moved = i >= 1 && i < 41 && j >= 8 && j < 136;
          const size_t at = size_t(i) * pair->pitch + j;
          ASSERT_EQ(cast<float>(pair->into[at]), moved ? cast<float>(first.from[at]) : -1.0f) << i << ", " << j;
        }
  }
}

TEST(Relay, LanesCopyWhatTheEngineCannot) {
  for (auto [rows, columns, pitch] : {std::tuple(70, 200, 208), {70, 201, 201}, {3, 61, 63}, {5, 7, 7}}) {
    machine(Landing::Latest, /*seed=*/0, /*race=*/true);
    const Pair pair(rows, columns, pitch);
    EXPECT_EQ(verdictOf(pair, {{0, 0}, {64, 0}}, {64, 256}, /*orCopy=*/true), "") << rows << " x " << columns;
    const Pair part(rows, columns, pitch);
    EXPECT_EQ(verdictOf(part, {{1, 8}, {0, 64}}, {2, 8}, /*orCopy=*/true), "") << rows << " x " << columns;
  }
}

TEST(Relay, ABoxOutsideOfTheViewIsNone) {
  machine(Landing::Latest);
  const Pair pair(8, 64, 64);
  EXPECT_EQ(verdictOf(pair, {{8, 0}, {0, 64}, {16, 128}}, {64, 128}), "");
}

TEST(Relay, KnowsWhatItCannotMove) {
  machine(Landing::Latest);
  EXPECT_EQ(reportOf(1,
                     [] {
                       bf16 *const at = nullptr;
                       const auto plain = view(at, {8, 64}, {64, 1}), uneven = view(at, {8, 60}, {64, 1});
                       EXPECT_TRUE(moves_in_bulk(plain, plain));
                       EXPECT_FALSE(moves_in_bulk(plain, view(at, {8, 56}, {64, 1})));
                       EXPECT_FALSE(moves_in_bulk(plain, view(at, {7, 64}, {64, 1})));
                       EXPECT_FALSE(moves_in_bulk(plain, view(at, {8, 64}, {68, 1})));
                       EXPECT_FALSE(moves_in_bulk(plain, view(at, {8, 64}, {64, 2})));
                       EXPECT_FALSE(moves_in_bulk(plain, view(at + 4, {8, 64}, {64, 1})));
                       EXPECT_FALSE(moves_in_bulk(uneven, uneven));
                     }),
            "");
}

// Bytes of a row were counted in 32 bits: nothing of such a row was moved.
TEST(Relay, ARowOfMoreThan2GiBIsMovedToItsEnd) {
  const long long row_bytes = (5ll << 30) + 48;
  long long moved = 0;
  int pieces = 0;
  for (detail::RelayedPieces<slot_bytes> piece(2, row_bytes); !piece.over(); piece.next(), ++pieces) {
    ASSERT_EQ(piece.row * row_bytes + piece.byte, moved);
    moved += piece.bytes() * piece.count();
  }
  EXPECT_EQ(moved, 2 * row_bytes);
  EXPECT_EQ(pieces, 2 * int(row_bytes / slot_bytes + 1));
}

// One workgroup moves and tells; another waits, and copies what was moved to its LDS.
namespace {

enum class LeftOut { Nothing, Signal, Wait, Fence };
using Tile64 = Shared<bf16, Shape<64, 64>, Swizzle<8, 1, 8>>;

template <LeftOut What>
std::string reportWithout(Landing landing) {
  OneRank rank;
  const Context context = rank.context();
  machine(landing, /*seed=*/1, /*race=*/true);
  const Pair pair(64, 64, 64);
  const long long extents[] = {64, 64}, strides[] = {64, 1};
  const TensorMap map = tensor_map<Tile64>(pair.into, extents, strides);
  EXPECT_EQ(0, emulator::launch(
                   [&] {
                     const Launch launch = enter(context);
                     const auto grid = Signals<1>{context, 0, {1}};
                     auto relayed = full<slots>(64);
                     auto words = full<1>(128);
                     const Ring<Tile64, 1, 1024> ring;
                     by_producer<0>(launch.worker == 0, [&] {
                       relay<slot_bytes>(relayed, first_slot, pair.source(), {0, 0}, {64, 64}, pair.target());
                       if (What != LeftOut::Signal)
                         signal<agent, wave>(launch, grid, {0}, 0);
                     });
                     by_producer<1>(launch.worker == 1, [&] {
                       if (What != LeftOut::Wait)
                         wait<agent, wave>(launch, grid, {0}, {1});
                       if (What != LeftOut::Fence)
                         fence_async_global();
                       fill_by_wave<0>(words, copying(ring.slot<0>(), map, {0, 0}));
                       await_full<0>(words);
                     });
                   },
                   {2, 1, 1}, {64, 1, 1}, lds, nullptr));
  (void)hipDeviceSynchronize();
  return takeReport();
}

} // namespace

TEST(Relay, WhoWaitsSeesWhatWasMoved) {
  for (Landing landing : everyLanding)
    EXPECT_EQ(reportWithout<LeftOut::Nothing>(landing), "");
}

TEST(Relay, NobodyIsTold) {
  EXPECT_NE(reportWithout<LeftOut::Signal>(Landing::Latest).find("deadlock"), std::string::npos);
}

TEST(Relay, WhoDoesNotWaitRaces) { EXPECT_NE(reportWithout<LeftOut::Wait>(Landing::Latest), ""); }

TEST(Relay, WhoDoesNotFenceIsReported) {
  EXPECT_NE(reportWithout<LeftOut::Fence>(Landing::Latest).find("fence_async_global"), std::string::npos);
}
