// Values of extents, parameters and tile shapes.
#include "passes/interpreter/Interpreter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

static std::optional<int64_t> fold(AffineExprKind kind, int64_t lhs, int64_t rhs) {
  int64_t result;
  switch (kind) {
  case AffineExprKind::Add:
    return __builtin_add_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
  case AffineExprKind::Mul:
    return __builtin_mul_overflow(lhs, rhs, &result) ? std::nullopt : std::optional(result);
  default:
    break;
  }
  if (rhs <= 0)
    return std::nullopt;
  int64_t quotient = lhs / rhs, rest = lhs % rhs;
  if (kind == AffineExprKind::FloorDiv)
    return quotient - (rest < 0);
  if (kind == AffineExprKind::CeilDiv)
    return quotient + (rest > 0);
  return rest < 0 ? rest + rhs : rest;
}

FailureOr<int64_t> Interpreter::evaluate(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols,
                                         Operation *op) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<int64_t> lhs = evaluate(binary.getLHS(), dims, symbols, op),
                     rhs = evaluate(binary.getRHS(), dims, symbols, op);
  if (failed(lhs) || failed(rhs))
    return failure();
  std::optional<int64_t> result = fold(binary.getKind(), *lhs, *rhs);
  if (!result)
    return op->emitOpError() << "has an extent without a value: an operation on " << *lhs << " and " << *rhs;
  return *result;
}

FailureOr<int64_t> Interpreter::parameter(Attribute reference, Operation *op) {
  auto it = parameters.find(cast<FlatSymbolRefAttr>(reference).getAttr());
  if (it == parameters.end())
    return op->emitOpError() << "unknown parameter " << reference;
  return it->second;
}

FailureOr<Shape> Interpreter::evaluateList(AffineMap map, ValueRange operands, ArrayAttr params, Frame &frame,
                                           Operation *op) {
  SmallVector<int64_t> symbols{world};
  for (mlir::Value operand : operands) {
    FailureOr<int64_t> value = index(operand, frame, op);
    if (failed(value))
      return failure();
    symbols.push_back(*value);
  }
  for (Attribute param : params) {
    FailureOr<int64_t> value = parameter(param, op);
    if (failed(value))
      return failure();
    symbols.push_back(*value);
  }
  Shape result;
  for (AffineExpr expr : map.getResults()) {
    FailureOr<int64_t> value = evaluate(expr, {}, symbols, op);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

FailureOr<Shape> Interpreter::tileShape(ArrayAttr shape, Operation *op) {
  Shape result;
  for (Attribute size : shape) {
    if (auto integer = dyn_cast<IntegerAttr>(size)) {
      result.push_back(integer.getInt());
      continue;
    }
    FailureOr<int64_t> value = parameter(size, op);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}
