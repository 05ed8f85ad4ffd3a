// Conversions of element types.
#include "dialect/Conversion.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

static std::string step(llvm::StringRef op, Type to) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << op << "' to " << to;
  return text;
}

std::string tilec::tile::howToConvert(Type from, Type to) {
  unsigned width = from.getIntOrFloatBitWidth(), target = to.getIntOrFloatBitWidth();
  bool floats = isa<FloatType>(from), toFloats = isa<FloatType>(to);
  if (floats != toFloats)
    return step(floats ? "arith.fptosi" : "arith.sitofp", to);
  if (width < target)
    return step(floats ? "arith.extf" : "arith.extsi", to);
  if (width > target)
    return step(floats ? "arith.truncf" : "arith.trunci", to);
  // Two formats of one width have the next wider one in common.
  Type wider = width == 8 ? Type(Float16Type::get(from.getContext())) : Type(Float32Type::get(from.getContext()));
  return step("arith.extf", wider) + ", then " + step("arith.truncf", to);
}
