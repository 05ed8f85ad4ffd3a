// Types to C++ spellings. No names, no expressions.
#pragma once

#include "dialect/Hip.h"

#include <string>

namespace tilec {

/// As manifests call the type of an element: `bf16`, `i32`, `fp8_e4m3`.
std::string dtypeOf(mlir::Type element);

/// Element types, scalars, pointers and the library's plain types. Tiles and LDS types are spelled by their aliases,
/// which the printer knows. Empty when HIP text has no such type.
std::string spellType(mlir::Type type);

/// `tilec::Layout<tilec::Shape<64, 64>, tilec::Registers<...>, tilec::Lanes<...>, tilec::Waves<...>>`.
std::string spellLayout(mlir::RankedTensorType tile);
/// `tilec::Shared<tilec::bf16, tilec::Shape<64, 64>, tilec::Swizzle<8, 2, 4>>`.
std::string spellShared(hip::SharedType type);

} // namespace tilec
