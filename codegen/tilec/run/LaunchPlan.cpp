// Choosing extents.
#include "codegen/tilec/run/LaunchPlan.h"
#include "dialect/Conditions.h"
#include "dialect/UnknownName.h"
#include "tilec/host.h"

#include "mlir/IR/Location.h"

#include <map>
#include <nlohmann/json.hpp>
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
static FailureOr<SmallVector<std::optional<int64_t>>> parseGiven(ProgramOp program, ArrayRef<Binding> given) {
  SmallVector<std::optional<int64_t>> fixed(program.getNumExtents());
  for (const auto &[name, number] : given) {
    auto extents = program.getExtents();
    auto it = llvm::find_if(extents, [&name = name](BlockArgument extent) { return argumentName(extent) == name; });
    if (it == extents.end())
      return unknownExtent(program, name);
    if (number < 0)
      return program.emitError() << "extent '" << name << "' is " << number << ", expected 0 or more";
    std::optional<int64_t> &slot = fixed[it->getArgNumber()];
    if (slot)
      return program.emitError() << "extent '" << name << "' is given twice";
    slot = number;
  }
  return fixed;
}

/// Halves the greatest of the extents that nobody gave until a launch takes seconds; whether any was.
static bool scaleDown(std::vector<int64_t> &defaults, ArrayRef<std::optional<int64_t>> fixed,
                      function_ref<bool(ArrayRef<int64_t>)> tooLong) {
  // Still more than a tile of the least size, and a multiple of none.
  constexpr int64_t least = 17;
  for (bool scaled = false;; scaled = true) {
    std::vector<int64_t> launch = defaults;
    int64_t *greatest = nullptr;
    for (auto [value, given, chosen] : llvm::zip(launch, fixed, defaults)) {
      value = given.value_or(chosen);
      if (!given && chosen > least && (!greatest || chosen > *greatest))
        greatest = &chosen;
    }
    if (!greatest || !tooLong(launch))
      return scaled;
    *greatest = std::max(least, *greatest / 2);
  }
}

/// Makes values that nobody gave ones that are accepted: within the limits, or those of the first launch that takes no
/// longer than seconds.
static void keepTo(const AcceptedExtents &accepted, ArrayRef<std::optional<int64_t>> fixed,
                   function_ref<bool(ArrayRef<int64_t>)> tooLong, std::vector<int64_t> &defaults) {
  for (const std::vector<std::optional<int64_t>> &sample : accepted.only) {
    std::vector<int64_t> launch;
    bool agrees = true;
    for (auto [value, given, chosen] : llvm::zip(sample, fixed, defaults)) {
      launch.push_back(given.value_or(value.value_or(chosen)));
      agrees &= !value || !given || *value == *given;
    }
    if (agrees && !tooLong(launch)) {
      defaults = launch;
      return;
    }
  }
  for (auto [value, limit] : llvm::zip(defaults, accepted.limits))
    value = std::min(value, limit.value_or(value));
}

/// What the program's conditions made of extents that were drawn.
static void noteReplaced(ProgramOp program, size_t launch, ArrayRef<int64_t> drawn, ArrayRef<int64_t> taken,
                         std::vector<std::string> &words) {
  for (auto [extent, before, after] : llvm::zip(program.getExtents(), drawn, taken))
    if (before != after) {
      const std::string name = argumentName(extent);
      words.push_back(name + "=" + std::to_string(before) + " by " + name + "=" + std::to_string(after) +
                      " in launch " + std::to_string(launch));
    }
}

namespace {
/// What becomes of extents that were drawn.
struct Settled {
  std::vector<int64_t> extents;
  bool replaces = false, refused = false, isVerified = false;
};
} // namespace

FailureOr<LaunchPlan> tilec::planLaunches(ProgramOp program, int64_t world, ArrayRef<Binding> given,
                                          ArrayRef<int64_t> choices, unsigned launches, uint64_t seed,
                                          function_ref<bool(ArrayRef<int64_t>)> refused,
                                          function_ref<bool(ArrayRef<int64_t>)> tooLong,
                                          const AcceptedExtents &accepted) {
  FailureOr<SmallVector<std::optional<int64_t>>> fixed = parseGiven(program, given);
  if (failed(fixed))
    return failure();
  for (int64_t choice : choices)
    if (choice < 0)
      return program.emitError() << "extent drawn from " << choice << ", expected 0 or more";
  std::vector<int64_t> defaults;
  for (BlockArgument extent : program.getExtents())
    defaults.push_back(defaultExtent(argumentName(extent), extent.getArgNumber()));
  keepTo(accepted, *fixed, tooLong, defaults);
  LaunchPlan plan;
  if (choices.empty() && accepted.only.empty())
    plan.scaled = scaleDown(defaults, *fixed, tooLong);
  std::mt19937_64 random(seed);
  plan.extents.resize(std::max(1u, launches));
  auto draw = [&] {
    std::vector<int64_t> launch;
    for (BlockArgument extent : program.getExtents()) {
      unsigned i = extent.getArgNumber();
      if ((*fixed)[i])
        launch.push_back(*(*fixed)[i]);
      else if (!choices.empty())
        launch.push_back(choices[random() % choices.size()]);
      else
        launch.push_back(defaults[i]);
    }
    return launch;
  };
  auto settle = [&](const std::vector<int64_t> &drawn) {
    Settled settled{drawn};
    makeLaunchable(program, world, settled.extents, [&](unsigned extent) { return (*fixed)[extent].has_value(); });
    settled.replaces = !choices.empty() && !satisfies(program, world, drawn);
    settled.refused = refused(settled.extents) || settled.replaces;
    return settled;
  };
  // A million launches draw from few sizes, and settling one reads the manifest.
  std::map<std::vector<int64_t>, Settled> known;
  for (auto [number, launch] : llvm::enumerate(plan.extents)) {
    std::vector<int64_t> drawn;
    Settled *settled = nullptr;
    for (int again = 0; !settled || (settled->refused && again <= 100); ++again) {
      auto [it, isNew] = known.try_emplace(drawn = draw());
      settled = &it->second;
      if (isNew)
        *settled = settle(drawn);
    }
    const bool isNamed = !choices.empty() || llvm::any_of(*fixed, [](auto &extent) { return extent.has_value(); });
    if (!isNamed && !satisfies(program, world, settled->extents))
      return emitNotFound(program, world, settled->extents);
    if (!settled->isVerified && failed(verifyLaunchable(program, world, settled->extents)))
      return failure();
    settled->isVerified = true;
    launch = settled->extents;
    if (settled->replaces)
      noteReplaced(program, number, drawn, launch, plan.replaced);
  }
  return plan;
}

static std::vector<std::optional<int64_t>> numbersOf(const nlohmann::json &list) {
  std::vector<std::optional<int64_t>> numbers;
  for (const auto &number : list)
    numbers.push_back(number.is_number_integer() ? std::optional(number.get<int64_t>()) : std::nullopt);
  return numbers;
}

AcceptedExtents tilec::acceptedBy(StringRef manifest) {
  auto parsed = nlohmann::json::parse(manifest.begin(), manifest.end(), nullptr, /*allow_exceptions=*/false);
  AcceptedExtents accepted;
  if (!parsed.is_object() || !parsed.contains("verified") || !parsed["verified"].is_object())
    return accepted;
  const auto &verified = parsed["verified"];
  if (verified.contains("limits"))
    accepted.limits = numbersOf(verified["limits"]);
  auto isResident = [](const nlohmann::json &kernel) {
    return kernel.is_object() && kernel.contains("progress") && kernel["progress"].is_object() &&
           kernel["progress"].value("class", nlohmann::json()) == "resident";
  };
  bool isBound = parsed.contains("kernels") && llvm::any_of(parsed["kernels"], isResident);
  if (isBound && verified.contains("extents"))
    for (const auto &sample : verified["extents"])
      accepted.only.push_back(numbersOf(sample));
  return accepted;
}

bool tilec::refusesZeros(StringRef manifest, ArrayRef<int64_t> extents) {
  return tilec_extents_nonzero(manifest.str().c_str(), extents.data(), static_cast<int>(extents.size())) != TILEC_OK;
}
