// Expressions of the text: precedence, literals, templates of library calls. No statements, and nothing is decided
// here.
#pragma once

#include "dialect/Hip.h"

#include <string>

namespace tilec {

/// How tightly an operator of C++ binds; a larger number binds tighter.
enum class Binding {
  Lowest,
  Ternary,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equal,
  Compare,
  Shift,
  Add,
  Multiply,
  Unary,
  Call
};

/// Aliases of layouts and LDS types, as `prepare` declared them.
struct TypeAliases {
  explicit TypeAliases(tile::ProgramOp program);
  llvm::StringRef layout(mlir::RankedTensorType tile) const;
  llvm::StringRef shared(hip::SharedType type) const;

private:
  llvm::DenseMap<mlir::Type, llvm::StringRef> aliases;
};

class HipExpressions {
public:
  explicit HipExpressions(const TypeAliases &aliases) : aliases(aliases) {}

  /// The value where it is used: a variable's name, or its expression, in parentheses when it binds less tightly than
  /// `outer`.
  std::string print(mlir::Value value, Binding outer = Binding::Lowest);
  /// The expression an operation computes.
  std::string printOp(mlir::Operation *op, Binding outer = Binding::Lowest);
  /// The same where a variable of the value's type takes it, which converts it.
  std::string printAssigned(mlir::Operation *op);
  std::string printAssigned(mlir::Value value);
  /// False after an operation that has no spelling; the diagnostic has been emitted.
  bool succeeded() const { return !failed; }

private:
  std::string printArgument(mlir::BlockArgument argument);
  std::string printConstant(mlir::arith::ConstantOp op);
  std::string printArith(mlir::Operation *op, Binding outer);
  /// Computed as unsigned numbers, which wrap; the text has an unsigned type.
  std::string printWrapping(mlir::Operation *op, Binding outer);
  std::string printUnsigned(mlir::Operation *op, Binding outer);
  std::string printDivision(mlir::Operation *op, Binding outer);
  std::string asUnsigned(mlir::Value value);
  std::string exact(mlir::Value value);
  std::string printFloatCompare(mlir::arith::CmpFOp op, Binding outer);
  std::string printCast(mlir::Operation *op, Binding outer);
  std::string printCompare(mlir::Operation *op, Binding outer);
  std::string printCall(mlir::Operation *op);
  std::string printText(hip::TextOpInterface op);
  std::string printTemplate(hip::TextOpInterface op, llvm::StringRef rest);
  std::string printPlaceholder(hip::TextOpInterface op, llvm::StringRef &rest);
  std::string printAttribute(mlir::Attribute attribute);
  std::string binary(mlir::Operation *op, llvm::StringRef symbol, Binding binding, Binding outer);
  std::string join(mlir::ValueRange values);

  const TypeAliases &aliases;
  bool failed = false;
};

/// `  // file:line`, the end of a line of the text; empty where the place is not known.
std::string locationOf(mlir::Location loc);

} // namespace tilec
