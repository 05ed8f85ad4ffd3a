// Stacks and switches between them.
#include "passes/interpreter/Fiber.h"

#include <sys/mman.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tilec::interpreter;

/// As much as a thread of the system has; only what is touched takes memory. The lowest page is no memory at all.
static constexpr size_t stackBytes = size_t(8) << 20, guardBytes = 4096;

static thread_local Fiber *current = nullptr;

Fiber *Fiber::running() { return current; }

std::unique_ptr<Fiber> Fiber::create(std::function<void()> body) {
  void *stack =
      mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED)
    return nullptr;
  std::unique_ptr<Fiber> fiber(new Fiber());
  fiber->stack = stack;
  fiber->body = std::move(body);
  if (mprotect(stack, guardBytes, PROT_NONE) != 0 || getcontext(&fiber->own) != 0)
    return nullptr;
  fiber->own.uc_stack.ss_sp = stack;
  fiber->own.uc_stack.ss_size = stackBytes;
  fiber->own.uc_link = nullptr;
  makecontext(&fiber->own, &Fiber::enter, 0);
  return fiber;
}

Fiber::~Fiber() { munmap(stack, stackBytes); }

void Fiber::enter() {
  Fiber *self = current;
#if __has_feature(address_sanitizer)
  __sanitizer_finish_switch_fiber(nullptr, &self->callerStack, &self->callerBytes);
#endif
  self->body();
  self->done = true;
  self->leave();
}

void Fiber::resume() {
  current = this;
#if __has_feature(address_sanitizer)
  void *kept = nullptr;
  __sanitizer_start_switch_fiber(&kept, stack, stackBytes);
#endif
  swapcontext(&caller, &own);
#if __has_feature(address_sanitizer)
  __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
#endif
  current = nullptr;
}

void Fiber::leave() {
#if __has_feature(address_sanitizer)
  void *kept = nullptr;
  __sanitizer_start_switch_fiber(done ? nullptr : &kept, callerStack, callerBytes);
#endif
  swapcontext(&own, &caller);
#if __has_feature(address_sanitizer)
  __sanitizer_finish_switch_fiber(kept, &callerStack, &callerBytes);
#endif
}

void Fiber::stop() { current->leave(); }
