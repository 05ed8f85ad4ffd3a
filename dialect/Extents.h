// Expressions over extents: parsing, printing and checking of `[W * %M, 8192]`, and of tile shapes `[@BM, 64]`.
// What lives here is syntax shared by ops; evaluation belongs to passes/analysis.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace tilec::tile {

/// An expression list is an AffineMap without dimensions. Symbol 0 is the world size W, the next `operands` symbols are
/// the SSA operands, the rest the parameters (symbol names in `params`).
mlir::ParseResult parseExtents(mlir::OpAsmParser &parser,
                               llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
                               mlir::AffineMapAttr &sizes, mlir::ArrayAttr &params);
void printExtents(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ValueRange operands,
                  mlir::AffineMapAttr sizes, mlir::ArrayAttr params);

/// Prints the expressions of a list without brackets.
void printExtentExprs(mlir::OpAsmPrinter &printer, mlir::ValueRange operands, mlir::AffineMap sizes,
                      mlir::ArrayAttr params);

/// Prints one list, brackets included.
void printExtentList(mlir::OpAsmPrinter &printer, mlir::ValueRange operands, mlir::AffineMap sizes,
                     mlir::ArrayAttr params);

/// Parses the expressions of a list without its brackets, up to and excluding the closing one.
mlir::ParseResult parseExtentExprs(mlir::OpAsmParser &parser,
                                   llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
                                   mlir::AffineMapAttr &sizes, mlir::ArrayAttr &params);

/// Parses one expression, with the symbols of a list of one.
mlir::ParseResult parseExtentExpr(mlir::OpAsmParser &parser,
                                  llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands,
                                  mlir::AffineMapAttr &size, mlir::ArrayAttr &params);

/// `[@BM, 64]`: integers and symbol references.
mlir::ParseResult parseTileShape(mlir::OpAsmParser &parser, mlir::ArrayAttr &shape);
void printTileShape(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr shape);
mlir::ParseResult parseOptionalTileShape(mlir::OpAsmParser &parser, mlir::ArrayAttr &shape);
void printOptionalTileShape(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr shape);

/// `<@BM, 64>`, or nothing for none.
mlir::ParseResult parseCallSizes(mlir::OpAsmParser &parser, mlir::ArrayAttr &sizes);
void printCallSizes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr sizes);

/// `[%m, %k]` (tile coordinates) or ` at (%row, %col)` (element offsets).
mlir::ParseResult parseCoordinates(mlir::OpAsmParser &parser,
                                   llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices,
                                   mlir::UnitAttr &at);
void printCoordinates(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange indices, mlir::UnitAttr at);

/// The same with `each` before the one index that is a tile: `[each %ids, %n]`.
mlir::ParseResult parseEachCoordinates(mlir::OpAsmParser &parser,
                                       llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &indices,
                                       mlir::IntegerAttr &each, mlir::UnitAttr &at);
void printEachCoordinates(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange indices,
                          mlir::IntegerAttr each, mlir::UnitAttr at);

/// The type of that tile; the others are `index`.
mlir::ParseResult parseEachTypes(mlir::OpAsmParser &parser,
                                 llvm::ArrayRef<mlir::OpAsmParser::UnresolvedOperand> indices, mlir::IntegerAttr each,
                                 llvm::SmallVectorImpl<mlir::Type> &types);
void printEachTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::OperandRange indices,
                    mlir::IntegerAttr each, mlir::TypeRange types);

/// Checks that a symbol may be a name in the generated text.
mlir::LogicalResult verifyIdentifier(mlir::Operation *op, llvm::StringRef name);

/// Checks that `params` name parameters of the enclosing program and that `sizes` has the symbols it needs.
mlir::LogicalResult verifyExtents(mlir::Operation *op, unsigned numOperands, mlir::AffineMap sizes,
                                  mlir::ArrayAttr params);

/// Checks that a name is that of a parameter of the enclosing program, or of a size of the enclosing fragment.
mlir::LogicalResult verifyParam(mlir::Operation *op, mlir::Attribute reference);

/// True for what a tile holds: f64, f32, f16, bf16, fp8 (e4m3, e5m2 and their fnuz forms), i8, i32, and i1 of
/// comparisons.
bool isTileElement(mlir::Type type);

/// Checks the static sizes of a tile value: at most 4 dimensions, powers of two or multiples of 8, at most 65536
/// elements along one and 1048576 in all (device code packs a point of a tile into four 16-bit coordinates).
mlir::LogicalResult verifyTileSizes(mlir::Operation *op, mlir::ShapedType type);

/// Checks a constant rank (may be null) against the world of the program, where it is known.
mlir::LogicalResult verifyRank(mlir::Operation *op, mlir::Value rank);

/// Checks a tile shape: powers of two, multiples of 8 or parameters of the program, agreeing with the static part of
/// `type`.
mlir::LogicalResult verifyTileShape(mlir::Operation *op, mlir::ArrayAttr shape, mlir::ShapedType type);

} // namespace tilec::tile
