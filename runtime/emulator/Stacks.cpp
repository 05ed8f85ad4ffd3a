// Pooled stacks of fibers.
#include "Stacks.h"
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

using namespace tilec::emulator;

namespace {
// Stacks a power of two apart would put every lane's live frames into the same cache sets; 17 lines more spread them.
// They lie below each stack, where a small overflow then hurts nobody before it is seen.
constexpr size_t stride = Stacks::bytes + 17 * 64;
constexpr size_t perMapping = 64;
constexpr size_t canaryBytes = 64;
constexpr unsigned char canaryByte = 0xc5;

char *lowerEnd(const char *top) { return const_cast<char *>(top) - Stacks::bytes; }
} // namespace

char *Stacks::take() {
  if (free.empty()) {
    void *memory =
        mmap(nullptr, perMapping * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    for (size_t i = perMapping; i-- > 0;) {
      char *top = static_cast<char *>(memory) + (i + 1) * stride;
      mend(top);
      free.push_back(top);
    }
  }
  char *top = free.back();
  free.pop_back();
  return top;
}

bool Stacks::intact(const char *top) {
  uint64_t word, wanted;
  std::memset(&wanted, canaryByte, sizeof(wanted));
  for (size_t i = 0; i < canaryBytes; i += sizeof(word)) {
    std::memcpy(&word, lowerEnd(top) + i, sizeof(word));
    if (word != wanted)
      return false;
  }
  return true;
}

void Stacks::mend(char *top) { std::memset(lowerEnd(top), canaryByte, canaryBytes); }
