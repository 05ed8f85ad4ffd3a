// Whether this machine has what ranks on its devices need, tried out: processes that reach each other's memory.
#ifndef TILEC_RUNNER_DOCTOR_H
#define TILEC_RUNNER_DOCTOR_H

#include "runner/Ranks.h"

namespace tilec::runner {

/// As one rank of a world, which the environment says: every rank writes into the memory of every other.
Report examineRank();
/// Starts a rank for every device and prints what each found; whether all is well.
bool examineMachine();

} // namespace tilec::runner

#endif // TILEC_RUNNER_DOCTOR_H
