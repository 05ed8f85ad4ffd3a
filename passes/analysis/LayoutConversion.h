// Layouts as attributes of tile types and as linear maps: the two forms of one thing.
// Belongs here: conversion between the forms. Does not: which layout a tile gets (LayoutSolver).
#pragma once

#include "dialect/Tile.h"
#include "passes/machine/LinearLayout.h"

namespace tilec {

/// The attribute of a tile layout (inputs register, lane, wave).
tile::LayoutAttr layoutAttr(mlir::MLIRContext *context, const LinearLayout &layout);

/// The layout of a tile type; nothing when it has no `#tile.layout`, or one whose bases do not fit its shape.
std::optional<LinearLayout> layoutOf(mlir::Type type);

/// Registers of 32 bits that a lane holds of a tile with a layout; none of anything else.
int64_t registersHeld(mlir::Type type);

/// Whether each element of a tile has one thread that holds it. Of threads that hold the same one, all load it and one
/// stores it.
bool hasOneThreadEach(mlir::Type type);

/// The type with this layout as encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// Elements of one access to memory, at most 16 bytes: the first register bases step through the last dimension, and no
/// other basis falls inside a vector. For a type with a layout.
int64_t vectorOf(mlir::RankedTensorType tile);

/// Bytes of one element in a register or in LDS: a power of two, 1 for i1.
int64_t bytesOf(mlir::Type element);

} // namespace tilec
