// The hooks of tilec/emulated.h when somebody looks at accesses: weak memory, the race check or both. What either does
// is theirs.
#include "Machine.h"
#include <cstring>

namespace tilec::emulator {

bool racing = false;
bool observed = false;

#define ANSWER(type, name, value)                                                                                      \
  [[gnu::const]] type name##Called();                                                                                  \
  type name##Called() { return value; }
TILEC_ANSWERS(ANSWER)

char *readConstant(char *const *from) { return *from; }

static inline void check(const void *memory, size_t bytes, std::uint8_t kind, const void *place) {
  if (racing)
    RaceCheck::get().access(static_cast<Lane *>(here), memory, bytes, kind, place);
}

void readObserved([[clang::noescape]] void *to, const void *from, size_t bytes) {
  countIssued();
  check(from, bytes, accessRead, __builtin_return_address(0));
  if (weak)
    View::readHere(to, from, bytes);
  else
    __builtin_memcpy(to, from, bytes);
}

void writeObserved(void *to, [[clang::noescape]] const void *from, size_t bytes) {
  countIssued();
  check(to, bytes, accessWrite, __builtin_return_address(0));
  if (weak)
    View::writeHere(to, from, bytes);
  else
    __builtin_memcpy(to, from, bytes);
}

void readLdsObserved([[clang::noescape]] void *to, const void *from, size_t bytes) {
  check(from, bytes, accessRead, __builtin_return_address(0));
  __builtin_memcpy(to, from, bytes);
}

void writeLdsObserved(void *to, [[clang::noescape]] const void *from, size_t bytes) {
  check(to, bytes, accessWrite, __builtin_return_address(0));
  if (here->watched)
    noteStore(to, bytes);
  __builtin_memcpy(to, from, bytes);
}

void drainObserved() {
  if (racing)
    RaceCheck::get().drain(self());
  if (weak)
    View::drainHere();
}

void releaseObserved(bool system) {
  ++Machine::counts.releases;
  if (racing)
    RaceCheck::get().release(self(), system);
  if (weak)
    View::releaseHere(system);
}

void acquireObserved(bool system) {
  if (racing)
    RaceCheck::get().acquire(self(), system);
  if (weak)
    View::acquireHere(system);
}

/// A machine without caches of chiplets has that of the device instead.
void releaseToChipletObserved() {
  if (Machine::get().options().chiplets < 2)
    return releaseObserved(/*system=*/false);
  if (racing)
    RaceCheck::get().releaseToChiplet(self());
  if (weak)
    View::releaseToChipletHere();
}

void acquireOfChipletObserved() {
  if (Machine::get().options().chiplets < 2)
    return acquireObserved(/*system=*/false);
  if (racing)
    RaceCheck::get().acquireOfChiplet(self());
  if (weak)
    View::acquireOfChipletHere();
}

int chiplet() { return static_cast<Lane *>(here)->home->chiplet; }

void satisfiedObserved(const void *word, unsigned wanted) { RaceCheck::get().satisfied(self(), word, wanted); }

void postedObserved(const void *word) { RaceCheck::get().posted(self(), word); }
void takenObserved(const void *word) { RaceCheck::get().taken(self(), word); }

void atScopeObserved(bool system) { self().narrow = !system; }

void storeLater(void *to, [[clang::noescape]] const void *value, size_t bytes) {
  Machine::get().storeLater(to, value, bytes);
}

const std::vector<std::string> &races() { return RaceCheck::get().races; }
const std::vector<std::string> &excused_reads() { return RaceCheck::get().excused; }
void excuse_unwritten(std::function<std::string(const void *)> excuse) { RaceCheck::get().excuse = std::move(excuse); }
std::string last_writer(const void *memory) { return RaceCheck::get().lastWriter(memory); }
void name_memory(std::function<std::string(const void *)> namer) { RaceCheck::get().nameMemory = std::move(namer); }
void name_places(std::function<std::string(const void *)> namer) { RaceCheck::get().namePlace = std::move(namer); }
void name_launches(std::string name) { Machine::get().launchName = std::move(name); }

void enqueue_action(int device, std::function<void()> action) {
  Machine &machine = Machine::get();
  auto once = [action = std::move(action)] {
    action();
    return true;
  };
  machine.enqueue(*machine.device(device).streams.front(), {nullptr, std::move(once), Entry::Kernel});
}

void host_access(const void *memory, size_t bytes, bool write) {
  if (racing)
    RaceCheck::get().access(nullptr, memory, bytes, write ? accessWrite : accessRead, nullptr);
}

void host_read(void *to, const void *from, size_t bytes) {
  host_access(from, bytes, /*write=*/false);
  host_peek(to, from, bytes);
}

void host_peek(void *to, const void *from, size_t bytes) {
  if (View *view = Machine::get().viewOfAction)
    view->read(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

void host_write(void *to, const void *from, size_t bytes) {
  host_access(to, bytes, /*write=*/true);
  if (View *view = Machine::get().viewOfAction)
    view->write(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

void host_poison(const void *memory, size_t bytes) {
  if (racing)
    RaceCheck::get().access(nullptr, memory, bytes, accessWrite | accessPoison, nullptr);
}

} // namespace tilec::emulator
