// The exit dialect: generated declarations of its ops and types, and the interface of ops that are printed from a
// template.
#pragma once

#include "dialect/Tile.h"

#include "dialect/HipDialect.h.inc"
#include "dialect/HipInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/HipTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/HipOps.h.inc"
