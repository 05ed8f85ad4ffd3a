// What a copy engine does beside kernels. Reads as its device sees memory and writes memory itself, piece by piece;
// late, where the emulator is adversarial. That its work is in the order of its stream is Machine's.
#include "Machine.h"
#include "RaceCheck.h"
#include "hip/hip_runtime.h"

#include <cstring>

using namespace tilec::emulator;

namespace {

/// A copy lands in pieces of so many bytes, each at a time of its own.
constexpr size_t pieceBytes = 256;
/// An adversarial engine does nothing in so many of its turns for one in which it does.
constexpr std::uint64_t idleTurns = 3;

ihipStream_t &streamOf(void *stream) { return *static_cast<hipStream_t>(stream); }

bool isLate() { return adversarial && Machine::random.below(idleTurns + 1) != 0; }

/// As the device sees it: what its kernels have released to it may not have reached memory.
void move(Device &device, void *into, const void *from, size_t bytes) {
  host_access(from, bytes, /*write=*/false);
  host_access(into, bytes, /*write=*/true);
  std::vector<unsigned char> piece(bytes);
  if (weak)
    View(&device.view).read(piece.data(), from, bytes);
  else
    std::memcpy(piece.data(), from, bytes);
  if (weak)
    device.view.bypass(into, bytes);
  std::memcpy(into, piece.data(), bytes);
}

struct Box {
  char *into;
  const char *from;
  size_t intoPitch, fromPitch, bytes, rows;
};

} // namespace

int tilec::emulator::copy_by_engine(void *into, size_t into_pitch, const void *from, size_t from_pitch, size_t bytes,
                                    size_t rows, void *stream) {
  ihipStream_t &queue = streamOf(stream);
  const Box box = {static_cast<char *>(into), static_cast<const char *>(from), into_pitch, from_pitch, bytes, rows};
  Device &device = Machine::get().device(queue.device);
  // Each launch of a graph has a copy of this, which begins at the first piece.
  auto step = [box, &device, row = size_t(0), at = size_t(0)]() mutable {
    if (isLate())
      return false;
    const size_t piece = std::min(pieceBytes, box.bytes - at);
    move(device, box.into + row * box.intoPitch + at, box.from + row * box.fromPitch + at, piece);
    at += piece;
    if (at == box.bytes) {
      at = 0;
      ++row;
    }
    return row == box.rows;
  };
  Machine::get().enqueue(queue, {nullptr, step, Entry::Engine});
  return hipSuccess;
}

int tilec::emulator::signal_by_engine(void *word, const void *from, void *stream) {
  ihipStream_t &queue = streamOf(stream);
  Device &device = Machine::get().device(queue.device);
  auto step = [word, from, &device, number = queue.device] {
    if (isLate())
      return false;
    // A kernel that may still run has written it at system scope, ahead of a release: neither is that store on its way
    // any more, nor does the device's copy of the word matter.
    Machine::get().performStores(from, nullptr);
    if (weak)
      device.view.bypass(from, sizeof(std::uint32_t));
    const std::uint32_t value = __atomic_load_n(static_cast<const std::uint32_t *>(from), __ATOMIC_RELAXED);
    Machine::get().performStores(word, nullptr);
    if (weak)
      device.view.bypass(word, sizeof(value));
    __atomic_store_n(static_cast<std::uint32_t *>(word), value, __ATOMIC_RELEASE);
    if (racing)
      RaceCheck::get().raisedByEngine(word, value, number);
    return true;
  };
  Machine::get().enqueue(queue, {nullptr, step, Entry::Engine});
  return hipSuccess;
}

int tilec::emulator::take_by_engine(void *word, unsigned count, void *stream) {
  ihipStream_t &queue = streamOf(stream);
  Device &device = Machine::get().device(queue.device);
  auto *const counted = static_cast<std::uint32_t *>(word);
  auto reached = [counted, count] { return __atomic_load_n(counted, __ATOMIC_ACQUIRE) >= count; };
  auto clear = [word, counted, &device, number = queue.device] {
    if (isLate())
      return false;
    if (weak)
      device.view.bypass(word, sizeof(*counted));
    __atomic_store_n(counted, 0u, __ATOMIC_RELEASE);
    if (racing)
      RaceCheck::get().takenByEngine(word, number);
    return true;
  };
  // Who waits for tasks does not go on by itself; who clears does.
  Machine::get().enqueue(queue, {nullptr, reached, Entry::Take});
  Machine::get().enqueue(queue, {nullptr, clear, Entry::Engine});
  return hipSuccess;
}

int tilec::emulator::await_by_stream(const void *word, unsigned count, void *stream) {
  const auto *const counted = static_cast<const std::uint32_t *>(word);
  auto reached = [counted, count] { return __atomic_load_n(counted, __ATOMIC_ACQUIRE) >= count; };
  // The stream of a launch may be the default one.
  Machine &machine = Machine::get();
  ihipStream_t &queue = stream ? streamOf(stream) : *machine.device(machine.currentDevice).streams.front();
  machine.enqueue(queue, {nullptr, reached, Entry::Gate});
  return hipSuccess;
}
