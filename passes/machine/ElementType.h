// The element types of tiles by the names MLIR prints, for analyses and target files that hold no MLIR types.
// Belongs here: sizes. Does not: conversion rules.
#ifndef TILEC_PASSES_MACHINE_ELEMENTTYPE_H
#define TILEC_PASSES_MACHINE_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilec {

/// Bytes of an element type by its MLIR name (`bf16`, `f8E4M3FNUZ`, ...); 0 for a name that is no tile element type.
inline unsigned elementBytes(llvm::StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Cases({"f64", "i64"}, 8)
      .Cases({"f32", "i32"}, 4)
      .Cases({"f16", "bf16", "i16"}, 2)
      .Cases({"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "i8"}, 1)
      .Default(0);
}

} // namespace tilec

#endif // TILEC_PASSES_MACHINE_ELEMENTTYPE_H
