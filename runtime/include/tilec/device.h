//===- device.h - everything generated text calls -------------------------------------------------------*- C++ -*-===//
// The umbrella of the device headers; generated text includes it after <hip/hip_runtime.h>. Host code includes host.h.
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef TILEC_DEVICE_H
#define TILEC_DEVICE_H

// A loop over what a layout has none of is no mistake of who includes this.
#if defined(__NVCC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress loop_not_reachable
#endif

#include "tilec/abi.h"
#include "tilec/cast.h"
#include "tilec/deferred.h"
#include "tilec/dot.h"
#include "tilec/gather.h"
#include "tilec/launch.h"
#include "tilec/launch_kernel.h"
#include "tilec/layout.h"
#include "tilec/math.h"
#include "tilec/memory.h"
#include "tilec/mma.h"
#include "tilec/order.h"
#include "tilec/places.h"
#include "tilec/post.h"
#include "tilec/rearrange.h"
#include "tilec/reduce.h"
#include "tilec/relay.h"
#include "tilec/roles.h"
#include "tilec/scan.h"
#include "tilec/shared.h"
#include "tilec/signal.h"
#include "tilec/store_parts.h"
#include "tilec/stream.h"
#include "tilec/tally.h"
#include "tilec/tile.h"
#include "tilec/trace.h"
#include "tilec/view.h"
#include "tilec/wgmma.h"

#if defined(__NVCC__)
#pragma nv_diagnostic pop
#endif

#endif // TILEC_DEVICE_H
