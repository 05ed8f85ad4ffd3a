// Declarations and registration of the passes. Nothing else.
#pragma once

#include "dialect/Binding.h"
#include "dialect/Hip.h"
#include "dialect/Tile.h"
#include "mlir/Pass/Pass.h"

namespace tilec {

#define GEN_PASS_DECL
#include "passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/Passes.h.inc"

} // namespace tilec
