// Results that the next task stores: the ops of both dialects.
// Belongs here: their generated declarations, which few files need. Does not: who defers
// (passes/schedule/DeferredStore).
#pragma once

#include "dialect/Hip.h"

#define GET_OP_CLASSES
#include "dialect/TileDeferredOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/HipDeferredOps.h.inc"
