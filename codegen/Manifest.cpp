// The manifest and the C header of one program. Sizes are strings over extents, evaluated by the runtime.
#include "codegen/Manifest.h"
#include "codegen/HipTypes.h"
#include "dialect/Conditions.h"
#include "dialect/Identifiers.h"
#include "passes/analysis/Workspace.h"

#include "llvm/Support/xxhash.h"

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace tilec;
using Json = nlohmann::ordered_json;

static std::string nameOf(Value value, StringRef fallback) {
  auto name = dyn_cast<NameLoc>(value.getLoc());
  return name ? legalName(name.getName()) : fallback.str();
}

namespace {

/// Expressions over extents as the runtime parses them.
class ExtentText {
public:
  ExtentText(tile::ProgramOp program, StringRef prefix) {
    for (BlockArgument extent : program.getExtents())
      names.push_back(prefix.str() + nameOf(extent, "extent" + std::to_string(extent.getArgNumber())));
  }

  Json json(AffineExpr expression) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return constant.getValue();
    return print(expression, 0);
  }
  Json json(ArrayRef<AffineExpr> expressions) const {
    Json list = Json::array();
    for (AffineExpr expression : expressions)
      list.push_back(json(expression));
    return list;
  }

  /// `level`: 0 in a sum, 1 in a product on the left, 2 in a product on the right.
  std::string print(AffineExpr expression, int level) const {
    if (auto constant = dyn_cast<AffineConstantExpr>(expression))
      return constant.getValue() < 0 && level ? "(" + std::to_string(constant.getValue()) + ")"
                                              : std::to_string(constant.getValue());
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
      return names[symbol.getPosition()];
    auto binary = cast<AffineBinaryOpExpr>(expression);
    AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
    auto group = [&](const std::string &text, int own) { return own < level ? "(" + text + ")" : text; };
    switch (expression.getKind()) {
    case AffineExprKind::Add:
      if (auto number = dyn_cast<AffineConstantExpr>(rhs); number && number.getValue() < 0)
        return group(print(lhs, 0) + " - " + print(-rhs, 1), 0);
      return group(print(lhs, 0) + " + " + print(rhs, 0), 0);
    case AffineExprKind::Mul:
      return group(print(lhs, 1) + " * " + print(rhs, 2), 1);
    case AffineExprKind::FloorDiv:
      return group(print(lhs, 1) + " / " + print(rhs, 2), 1);
    case AffineExprKind::CeilDiv:
      return "ceildiv(" + print(lhs, 0) + ", " + print(rhs, 0) + ")";
    default:
      return "mod(" + print(lhs, 0) + ", " + print(rhs, 0) + ")";
    }
  }

private:
  SmallVector<std::string> names;
};

} // namespace

/// The elements of a buffer; of a number its own type.
static Type elementOf(Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  return buffer ? buffer.getElementType() : argument;
}

static bool isSymmetric(Type argument) {
  auto buffer = dyn_cast<MemRefType>(argument);
  return buffer && isa_and_nonnull<tile::SymmetricAttr>(buffer.getMemorySpace());
}

/// What stands for symbols of the header: the extents as `extent i`, and W, which is a number by now.
static SmallVector<AffineExpr> symbolsWithoutWorld(tile::ProgramOp program) {
  MLIRContext *context = program.getContext();
  SmallVector<AffineExpr> symbols{getAffineConstantExpr(program.getWorld().value_or(1), context)};
  for (unsigned i = 0; i < program.getNumExtents(); ++i)
    symbols.push_back(getAffineSymbolExpr(i, context));
  return symbols;
}

static SmallVector<tile::Condition> conditionsWithoutWorld(tile::ProgramOp program) {
  SmallVector<AffineExpr> symbols = symbolsWithoutWorld(program);
  SmallVector<tile::Condition> conditions = tile::conditionsOf(program);
  for (tile::Condition &condition : conditions) {
    condition.left = condition.left.replaceSymbols(symbols);
    condition.right = condition.right.replaceSymbols(symbols);
  }
  return conditions;
}

static Json conditionsJson(tile::ProgramOp program) {
  Json list = Json::array();
  ExtentText now(program, "");
  for (const tile::Condition &condition : conditionsWithoutWorld(program))
    list.push_back({{"left", now.json(condition.left)},
                    {"relation", condition.isEquality ? "==" : "<="},
                    {"right", now.json(condition.right)}});
  return list;
}

static Json argumentsOf(tile::ProgramOp program, ArrayAttr peers) {
  Json list = Json::array();
  ExtentText now(program, "");
  for (auto [i, buffer] : llvm::enumerate(program.getArguments())) {
    tile::PeerUse use = cast<tile::PeerUseAttr>(peers[i]).getValue();
    Json entry = {{"name", nameOf(buffer, "argument" + std::to_string(i))},
                  {"dtype", dtypeOf(elementOf(buffer.getType()))},
                  {"shape", now.json(argumentShape(program, i))}};
    if (auto strides = argumentStrides(program, i); !strides.empty())
      entry["strides"] = now.json(strides);
    entry["symmetric"] = isSymmetric(buffer.getType());
    entry["peers"] = tile::stringifyPeerUse(use).str();
    list.push_back(entry);
  }
  return list;
}

static Json scratchOf(tile::ProgramOp program, const Workspace &workspace) {
  Json list = Json::array();
  ExtentText most(program, "max_");
  for (auto [i, buffer] : llvm::enumerate(workspace.buffers)) {
    tile::AllocOp alloc = buffer.alloc;
    auto type = cast<MemRefType>(alloc.getResult().getType());
    // Copies lie at a fixed distance: where that is more than the elements take, the manifest says the distance.
    SmallVector<AffineExpr> shape(buffer.shape);
    if (buffer.padded && alloc.getCopies() > 1)
      shape = {buffer.copyBytes.floorDiv(elementBytes(type.getElementType()))};
    list.push_back({{"name", nameOf(alloc.getResult(), "scratch" + std::to_string(i))},
                    {"dtype", dtypeOf(type.getElementType())},
                    {"shape", most.json(shape)},
                    {"copies", alloc.getCopies()},
                    {"offset", most.json(buffer.offset)},
                    {"symmetric", isSymmetric(type)}});
    if (alloc.getPersistent())
      list.back()["persistent"] = true;
  }
  return list;
}

static Json signalsOf(tile::ProgramOp program, const Workspace &workspace, ArrayAttr scopes) {
  Json list = Json::array();
  ExtentText most(program, "max_");
  for (auto [i, grid] : llvm::enumerate(workspace.grids)) {
    tile::SignalsOp signals = grid.signals;
    list.push_back({{"name", nameOf(signals.getResult(), "signals" + std::to_string(i))},
                    {"shape", most.json(grid.words)},
                    {"scope", tile::stringifyScope(cast<tile::ScopeAttr>(scopes[i]).getValue()).str()},
                    {"offset", most.json(grid.offset)}});
  }
  return list;
}

static Json kernelsOf(tile::ProgramOp program) {
  Json list = Json::array();
  ExtentText now(program, "");
  for (auto kernel : program.getBody().getOps<hip::KernelOp>()) {
    Json roles = Json::array();
    kernel.walk([&](hip::RoleOp role) {
      Json entry = {{"name", role.getSymName().str()}};
      if (auto workgroups = cast<hip::GroupOp>(role->getParentOp()).getWorkgroups())
        entry["workgroups"] = *workgroups;
      if (auto tasks = role.getTasks())
        entry["tasks"] = now.json(tasks->getResult(0));
      roles.push_back(entry);
    });
    // Without the checker, or where no sample was small enough for it, nothing is known.
    std::optional<tile::Progress> proven = kernel.getProgress();
    Json progress = {{"class", proven ? tile::stringifyProgress(*proven).str() : "unproven"}};
    if (proven && kernel.getResident())
      progress["workgroups"] = *kernel.getResident();
    list.push_back({{"name", kernel.getSymName().str()},
                    {"threads", kernel.getThreads()},
                    {"lds_bytes", kernel.getSharedBytes()},
                    {"roles", roles},
                    {"progress", progress}});
    if (kernel.getBeside())
      list.back()["beside"] = kernel.getOwnWorkgroups() + 1;
  }
  return list;
}

/// What copy engines do beside kernels.
static Json enginesOf(tile::ProgramOp program) {
  Json list = Json::array();
  for (auto engine : program.getBody().getOps<hip::EngineOp>())
    list.push_back({{"name", engine.getSymName().str()}});
  return list;
}

std::string tilec::hashOfText(StringRef text) { return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true); }

/// What the checker unrolled, as [40, null]: null for an extent on which nothing depends.
static Json samplesOf(ArrayRef<DenseI64ArrayAttr> samples, ArrayRef<int64_t> any) {
  Json list = Json::array();
  for (DenseI64ArrayAttr sample : samples) {
    Json values = sample.asArrayRef().vec();
    for (int64_t position : any)
      values[position] = nullptr;
    list.push_back(values);
  }
  return list;
}

/// Expressions that `verify` noted.
static Json endsOf(tile::ProgramOp program, AffineMapAttr ends) {
  Json list = Json::array();
  ExtentText now(program, "");
  for (AffineExpr end : ends.getValue().getResults())
    list.push_back(now.json(end.replaceSymbols(symbolsWithoutWorld(program))));
  return list;
}

static Json verifiedOf(tile::ProgramOp program) {
  tile::VerifiedAttr verified = program.getVerifiedAttr();
  Json claim = {{"launches", verified.getLaunches()}, {"extents", samplesOf(verified.getSamples(), verified.getAny())}};
  // Extents that were too large to be checked.
  if (!verified.getSkipped().empty())
    claim["not_verified"] = samplesOf(verified.getSkipped(), verified.getAny());
  // The text says -1 where any value will do.
  for (int64_t limit : verified.getLimits())
    claim["limits"].push_back(limit < 0 ? Json() : Json(limit));
  for (int64_t number : verified.getDrawn())
    claim["drawn"].push_back(nameOf(program.getArguments()[number], "argument" + std::to_string(number)));
  if (verified.getDrawsData())
    claim["drawn"].push_back("data");
  if (verified.getWrittenOnce())
    claim["written_once"] = verified.getWrittenOnce();
  for (DenseI64ArrayAttr positions : verified.getNonzero()) {
    Json names = Json::array();
    for (int64_t position : positions.asArrayRef())
      names.push_back(nameOf(program.getExtents()[position], "extent" + std::to_string(position)));
    claim["nonzero"].push_back(names);
  }
  if (verified.getWorksWithoutTasks())
    claim["works_without_tasks"] = true;
  if (verified.getLeast())
    claim["least"] = endsOf(program, verified.getLeast());
  if (verified.getGreatest())
    claim["greatest"] = endsOf(program, verified.getGreatest());
  return claim;
}

/// What the runtime relies on, and so does the text.
static FailureOr<Json> factsOf(tile::ProgramOp program, StringRef target, StringRef source) {
  FailureOr<Workspace> workspace = Workspace::of(program);
  auto launchers = program.getBody().getOps<hip::LauncherOp>();
  if (failed(workspace) || launchers.empty())
    return failure();
  hip::LauncherOp launcher = *launchers.begin();
  Json extents = Json::array();
  for (BlockArgument extent : program.getExtents())
    extents.push_back(nameOf(extent, "extent" + std::to_string(extent.getArgNumber())));
  Json document = {{"tilec", 1},
                   {"program", program.getSymName().str()},
                   {"source", source.str()},
                   {"target", target.str()},
                   {"world", program.getWorld().value_or(1)},
                   {"extents", extents}};
  if (program.getConditions())
    document["conditions"] = conditionsJson(program);
  if (program.walk([](hip::TraceOp) { return WalkResult::interrupt(); }).wasInterrupted())
    document["traced"] = true;
  Json parameters = Json::object();
  // Named, because a loop over a dereferenced temporary outlives it.
  if (DictionaryAttr chosen = program.getParametersAttr())
    for (NamedAttribute parameter : chosen)
      if (auto value = dyn_cast<IntegerAttr>(parameter.getValue()))
        parameters[parameter.getName().str()] = value.getInt();
  document["parameters"] = parameters;
  document["arguments"] = argumentsOf(program, launcher.getPeers());
  document["scratch"] = scratchOf(program, *workspace);
  document["signals"] = signalsOf(program, *workspace, launcher.getScopes());
  document["kernels"] = kernelsOf(program);
  if (Json engines = enginesOf(program); !engines.empty())
    document["engines"] = engines;
  return document;
}

static std::string dumped(const Json &document) {
  // The name of a file may be no text.
  return document.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

/// A proof is none of them, as the text is the same without it, and neither is the name of a file.
static std::string hashOf(Json facts) {
  facts.erase("source");
  for (Json &kernel : facts["kernels"])
    kernel.erase("progress");
  return hashOfText(dumped(facts));
}

FailureOr<std::string> tilec::hashOfFacts(tile::ProgramOp program, StringRef target) {
  FailureOr<Json> facts = factsOf(program, target, "");
  if (failed(facts))
    return failure();
  return hashOf(std::move(*facts));
}

FailureOr<std::string> tilec::writeManifest(tile::ProgramOp program, const ManifestFacts &facts) {
  FailureOr<Json> shared = factsOf(program, facts.target, facts.sourceName);
  if (failed(shared))
    return failure();
  Json document = *shared;
  if (facts.locations)
    document["locations"] = true;
  if (program.getPattern())
    document["pattern"] = program.getPattern()->spell();
  if (program.getGranularity())
    document["granularity"] = program.getGranularity()->spell();
  if (program.getVerifiedAttr())
    document["verified"] = verifiedOf(program);
  document["hashes"] = {
      {"source", hashOfText(facts.source)}, {"text", hashOfText(facts.text)}, {"facts", hashOf(std::move(*shared))}};
  if (!facts.kernelForm.empty()) {
    document["kernel_form"] = facts.kernelForm;
    document["hashes"]["kernel_form"] = hashOfText(facts.kernelForm);
  }
  return dumped(document);
}

FailureOr<std::string> tilec::writeHeader(tile::ProgramOp program, StringRef source) {
  std::string name = program.getSymName().str();
  std::string text = "/* Generated by tilec from " + source.str() + ".\n *\n * Arguments, in this order:\n";
  ExtentText now(program, "");
  for (auto [i, buffer] : llvm::enumerate(program.getArguments())) {
    text += " *   " + nameOf(buffer, "argument" + std::to_string(i)) + ": " + dtypeOf(elementOf(buffer.getType()));
    if (!isa<MemRefType>(buffer.getType())) {
      text += ", a number, which the launch reads in host memory\n";
      continue;
    }
    text += " [";
    for (auto [d, size] : llvm::enumerate(argumentShape(program, i)))
      text += (d ? ", " : "") + now.print(size, 0);
    text += "]";
    for (auto [d, stride] : llvm::enumerate(argumentStrides(program, i)))
      text += (d ? ", " : ", strides [") + now.print(stride, 0);
    text += program.getStridesOf(i) ? "]" : "";
    text += std::string(isSymmetric(buffer.getType()) ? ", symmetric" : "") + "\n";
  }
  text += " * Extents, in this order:";
  for (BlockArgument extent : program.getExtents())
    text += " " + nameOf(extent, "extent" + std::to_string(extent.getArgNumber()));
  const char *separator = "\n * Conditions on them, which a launch must keep: ";
  for (const tile::Condition &condition : conditionsWithoutWorld(program)) {
    text += separator + now.print(condition.left, 0) + (condition.isEquality ? " == " : " <= ") +
            now.print(condition.right, 0);
    separator = ", ";
  }
  text += "\n * World: " + std::to_string(program.getWorld().value_or(1)) + " ranks */\n";
  text += "#pragma once\n\n#ifdef __cplusplus\nnamespace tilec {\nstruct LaunchArguments;\n}\nextern \"C\" int " +
          name + "_launch(const tilec::LaunchArguments *arguments);\n#else\nstruct tilec_launch_arguments;\nint " +
          name + "_launch(const struct tilec_launch_arguments *arguments);\n#endif\n";
  return text;
}
