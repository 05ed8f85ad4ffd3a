// Pooled stacks of fibers. Memory of fibers only. Guard pages would cost a mapping each and the kernel allows 65530: a
// canary takes their place.
#ifndef TILEC_EMULATOR_STACKS_H
#define TILEC_EMULATOR_STACKS_H

#include <cstddef>
#include <vector>

namespace tilec::emulator {

class Stacks {
public:
  static constexpr size_t bytes = 64 * 1024;

  /// The top of a free stack (stacks grow down), 64-byte aligned; null when memory is out.
  char *take();
  void give(char *top) { free.push_back(top); }
  /// False when something ran over the lower end of the stack.
  static bool intact(const char *top);
  /// Writes the canary again, so that one overflow is reported once.
  static void mend(char *top);

private:
  std::vector<char *> free;
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_STACKS_H
