// From one fiber to another. The one place that changes stacks, and what the address sanitizer must be told about it.
// Who goes on is Workgroup's.
#ifndef TILEC_EMULATOR_SWITCH_H
#define TILEC_EMULATOR_SWITCH_H

#include "Workgroup.h"

#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace tilec::emulator {

#if __has_feature(address_sanitizer)

/// The stack of the code that runs the scheduler, learned at the first switch away from it.
inline const void *schedulerStack = nullptr;
inline size_t schedulerStackBytes = 0;

// A switch cannot itself keep locals where the sanitizer may put them.
#define TILEC_PLAIN __attribute__((no_sanitize("address")))

TILEC_PLAIN inline void *beforeSwitch(const Lane &from, const Lane &to) {
  void *kept = nullptr;
  // A lane that returned keeps nothing.
  __sanitizer_start_switch_fiber(from.returned ? nullptr : &kept, to.stack ? to.stack - Stacks::bytes : schedulerStack,
                                 to.stack ? Stacks::bytes : schedulerStackBytes);
  return kept;
}
TILEC_PLAIN inline void afterSwitch(void *kept, const Lane &left) {
  const void *bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(kept, &bottom, &bytes);
  if (!left.stack) {
    schedulerStack = bottom;
    schedulerStackBytes = bytes;
  }
}
/// Forgets the frames of a lane that was dropped where it stood.
inline void forgetFrames(const Lane &lane) { __asan_unpoison_memory_region(lane.stack - Stacks::bytes, Stacks::bytes); }

#else

#define TILEC_PLAIN
inline void *beforeSwitch(const Lane &, const Lane &) { return nullptr; }
inline void afterSwitch(void *, const Lane &) {}
inline void forgetFrames(const Lane &) {}

#endif

/// What a fiber does first, with what its first switch brought.
TILEC_PLAIN inline void arriveFirst(boost::context::detail::transfer_t left) {
  Lane &from = *static_cast<Lane *>(left.data);
  from.context = left.fctx;
  afterSwitch(nullptr, from);
}

/// Leaves `from` and goes on with `to`; returns when somebody goes on with `from`. `place` is where `to` stands, null
/// for the scheduler.
TILEC_PLAIN inline void go(Lane &from, Lane &to, Place *place) {
  here = place;
  void *kept = beforeSwitch(from, to);
  boost::context::detail::transfer_t left = boost::context::detail::jump_fcontext(to.context, &from);
  Lane &before = *static_cast<Lane *>(left.data);
  before.context = left.fctx;
  afterSwitch(kept, before);
}

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_SWITCH_H
