// Whether a kernel of the exit dialect suits its target.
// Belongs here: what the device headers would refuse for this machine alone. Does not: what they refuse on every
// machine (the verifiers of the exit dialect).
#pragma once

#include "dialect/Hip.h"
#include "passes/machine/Target.h"

namespace tilec {

/// Reports tiles that are not dealt out to the lanes of the target's waves, products whose operands do not lie as a
/// matrix instruction of the target wants them, and a kernel that asks for more LDS or threads than there are.
mlir::LogicalResult verifyForTarget(hip::KernelOp kernel, const Target &target);

} // namespace tilec
