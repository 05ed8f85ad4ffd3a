// Spelling of granularities.
#include "passes/analysis/Granularity.h"
#include "dialect/Suggestion.h"

using namespace mlir;
using namespace tilec;

FailureOr<Granularity> Granularity::parse(Location loc, StringRef spelling) {
  if (spelling.empty() || spelling == "task")
    return Granularity();
  if (spelling == "shard")
    return Granularity{Kind::Shard, 1};
  if (spelling == "tile")
    return Granularity{Kind::Group, 1};
  Granularity granularity{Kind::Group, 0};
  StringRef count = spelling;
  if (count.consume_front("group-") && !count.getAsInteger(10, granularity.tiles) && granularity.tiles > 0)
    return granularity;
  return emitError(loc) << "unknown granularity '" << spelling
                        << "', expected tile, group-<n> with n from 1, shard or task"
                        << didYouMean(spelling, {"tile", "group-4", "shard", "task"});
}

std::string Granularity::spell() const {
  if (kind == Kind::Group)
    return tiles == 1 ? "tile" : "group-" + std::to_string(tiles);
  return kind == Kind::Shard ? "shard" : "task";
}
