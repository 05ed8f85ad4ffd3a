// Choosing extents.
#include "codegen/tilec/LaunchPlan.h"
#include "dialect/Strides.h"

#include "mlir/IR/Location.h"

#include <random>

using namespace mlir;
using namespace tilec;
using namespace tilec::tile;

std::string tilec::argumentName(BlockArgument argument) {
  if (auto name = argument.getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "#" + std::to_string(argument.getArgNumber());
}

std::vector<int64_t> LaunchPlan::greatest() const {
  std::vector<int64_t> most = extents.front();
  for (const std::vector<int64_t> &launch : extents)
    for (size_t i = 0; i < most.size(); ++i)
      most[i] = std::max(most[i], launch[i]);
  return most;
}

/// A small size that no tile divides and that spans several tiles of the usual sizes.
static int64_t defaultExtent(StringRef name, unsigned position) {
  static constexpr int64_t others[] = {104, 40, 24, 56, 88};
  if (name == "M")
    return 200;
  if (name == "N")
    return 136;
  if (name == "K")
    return 72;
  return others[position % std::size(others)];
}

/// The extents that the command line gives.
static FailureOr<SmallVector<std::optional<int64_t>>> parseGiven(ProgramOp program, ArrayRef<std::string> given) {
  SmallVector<std::optional<int64_t>> fixed(program.getNumExtents());
  for (StringRef text : given) {
    auto [name, value] = text.split('=');
    int64_t number;
    if (name.empty() || value.getAsInteger(10, number))
      return program.emitError() << "extent '" << text << "', expected NAME=VALUE with an integer value";
    auto extents = program.getExtents();
    auto it = llvm::find_if(extents, [name = name](BlockArgument extent) { return argumentName(extent) == name; });
    if (it == extents.end())
      return program.emitError() << "unknown extent '" << name << "'";
    if (number < 0)
      return program.emitError() << "extent '" << name << "' is " << number << ", expected 0 or more";
    std::optional<int64_t> &slot = fixed[it->getArgNumber()];
    if (slot)
      return program.emitError() << "extent '" << name << "' is given twice";
    slot = number;
  }
  return fixed;
}

FailureOr<LaunchPlan> tilec::planLaunches(ProgramOp program, int64_t world, ArrayRef<std::string> given,
                                          ArrayRef<int64_t> choices, unsigned launches, uint64_t seed) {
  FailureOr<SmallVector<std::optional<int64_t>>> fixed = parseGiven(program, given);
  if (failed(fixed))
    return failure();
  for (int64_t choice : choices)
    if (choice < 0)
      return program.emitError() << "extent drawn from " << choice << ", expected 0 or more";
  std::mt19937_64 random(seed);
  LaunchPlan plan;
  plan.extents.resize(std::max(1u, launches));
  for (std::vector<int64_t> &launch : plan.extents) {
    for (BlockArgument extent : program.getExtents()) {
      unsigned i = extent.getArgNumber();
      if ((*fixed)[i])
        launch.push_back(*(*fixed)[i]);
      else if (!choices.empty())
        launch.push_back(choices[random() % choices.size()]);
      else
        launch.push_back(defaultExtent(argumentName(extent), i));
    }
    separateElements(program, world, launch, [&](unsigned extent) { return (*fixed)[extent].has_value(); });
    if (failed(verifyApart(program, world, launch)))
      return failure();
  }
  return plan;
}
