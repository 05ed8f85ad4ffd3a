//===- target.h - the one place where a target is selected ----------------------------------------------*- C++ -*-===//
// Chooses the family of target constructs (tilec/amd, tilec/nvidia, tilec/emulated) that the other device headers are
// written on. Every family defines the same names in tilec::target; nothing else asks which target it is.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_TARGET_H
#define TILEC_TARGET_H

#include "tilec/abi.h"
#include "tilec/types.h"

namespace tilec {

/// Who has to see what a fence or an atomic publishes: the workgroups of one GPU, or every GPU and the host.
enum Scope : int { agent = 1, system = 2 };

/// Which threads signal or wait together: all of a workgroup, or each wave for itself.
enum Participants : int { workgroup = 0, wave = 1 };
/// So many waves of a workgroup, its first: those of one role.
template <int Waves>
inline constexpr Participants first_waves = Participants(-Waves);

} // namespace tilec

#if defined(TILEC_EMULATED)
#include "tilec/emulated/access.h"
#include "tilec/emulated/lanes.h"
#include "tilec/emulated/machine.h"
#include "tilec/emulated/math.h"
#elif defined(__CUDACC__)
#include "tilec/nvidia/access.h"
#include "tilec/nvidia/lanes.h"
#include "tilec/nvidia/machine.h"
#include "tilec/nvidia/math.h"
#else
#include "tilec/amd/access.h"
#include "tilec/amd/lanes.h"
#include "tilec/amd/machine.h"
#include "tilec/amd/math.h"
#endif

#endif // TILEC_TARGET_H
