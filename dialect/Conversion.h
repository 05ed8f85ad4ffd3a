// Which ops turn elements of one type into another, for messages: nothing converts implicitly.
#pragma once

#include "mlir/IR/Types.h"

#include <string>

namespace tilec::tile {

/// `'arith.extf' to f32, then 'arith.truncf' to bf16`: what makes elements `to` of elements `from`. Both are integers
/// or floats.
std::string howToConvert(mlir::Type from, mlir::Type to);

} // namespace tilec::tile
