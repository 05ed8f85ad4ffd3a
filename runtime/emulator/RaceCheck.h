// Happens-before over emulated lanes, streams and the host. Which edges there are and what a race is; docs/emulator.md
// states the rules. Who calls: the hooks of tilec/emulated.h, Workgroup at barriers, Machine at kernel boundaries.
#ifndef TILEC_EMULATOR_RACECHECK_H
#define TILEC_EMULATOR_RACECHECK_H

#include "Clock.h"
#include "Shadow.h"
#include "tilec/emulated.h"
#include <functional>
#include <set>
#include <string>
#include <tuple>

namespace tilec::emulator {

struct Grid;
struct Lane;
struct Workgroup;

/// What an atomic load found at a word.
struct Collected {
  const void *word;
  PublishedPointer what;
};

/// What the stores to a word left there, the last of them at the end.
struct Word {
  struct Value {
    std::uint32_t value;
    PublishedPointer what; ///< null: nothing was released
  };
  static constexpr std::size_t most = 16;
  std::vector<Value> values;

  void store(std::uint32_t value, PublishedPointer what) {
    // Who waits for a number that is counted anew is not satisfied by what was counted before.
    if (!values.empty() && std::int32_t(value - values.back().value) < 0)
      values.clear();
    if (values.size() == most)
      values.erase(values.begin());
    values.push_back({value, std::move(what)});
  }
};

/// What the check knows of one lane.
struct LaneClock {
  std::uint32_t undrained = 0;      ///< tick of its first access to global memory since it drained; 0: none
  PublishedPointer fence;           ///< by its last release; its atomic stores leave it at their words
  std::vector<Collected> collected; ///< by its atomic loads since its last acquire
};

/// What the check knows of one wave, a component of every clock. `passed` <= `drained` <= `seen`: what it may release
/// at system scope, at agent scope, and what happened before its next access.
struct WaveClock {
  int component = 0;
  std::uint32_t start = 0; ///< ticks before belong to earlier workgroups of the same component
  Clock seen, drained, passed;
  bool passedBegin = false; ///< `passed` has what happened before the kernel
  LaneClock lanes[64];
};

/// What the check knows of one resident workgroup.
struct GroupClock {
  int slot = 0;
  bool learned = false;                ///< some wave acquired since the last barrier
  Clock begin;                         ///< what happened before the kernel, released at its device's scope
  std::shared_ptr<const Clock> passed; ///< the same at system scope, for the words that it posts
  std::vector<WaveClock> waves;
  ShadowRange lds;
  size_t ldsBytes = 0;
};

class RaceCheck {
public:
  static RaceCheck &get() { return *one; }
  /// Forgets accesses and races; memory stays watched.
  void reset();

  void watch(const void *memory, size_t bytes) { shadow.add(memory, bytes); }
  void forget(const void *memory);

  /// Whether accesses of a lane that begin there are checked.
  bool watches(const Lane &lane, const void *memory);
  /// An access by the running lane, or by the host when `lane` is null. Returns at once when memory is not watched.
  void access(Lane *lane, const void *memory, size_t bytes, std::uint8_t kind, const void *place);
  /// An atomic access of the running lane takes, or leaves, what was released. `value` is the word's after a store.
  void atomic(Lane &lane, const void *word, bool loads, bool stores, std::uint64_t value);
  /// The running lane waited for a word to reach `wanted`, in wrap-safe order. However far the word has come since:
  /// only the first store that satisfied the wait orders.
  void satisfied(Lane &lane, const void *word, std::uint32_t wanted);
  /// The running lane posts a word, or has taken one. Who takes it knows what was done, and released at system scope,
  /// before the kernel of who posted it.
  void posted(Lane &lane, const void *word);
  void taken(Lane &lane, const void *word);
  /// The same for a store that is performed later: what it leaves is decided now.
  PublishedPointer fenceOf(Lane &lane) const;
  void leaveAt(const void *word, std::uint64_t value, PublishedPointer what) {
    published[word].store(std::uint32_t(value), std::move(what));
  }

  void drain(Lane &lane);
  void release(Lane &lane, bool system);
  void acquire(Lane &lane, bool system);
  void releaseToChiplet(Lane &lane);
  void acquireOfChiplet(Lane &lane);
  /// What the running lane leaves where lanes of its workgroup wait for it, and what one of these takes from there.
  Handover handOver(Lane &lane);
  void takeOver(Lane &lane, const Handover &what);
  /// The waves of a set met.
  void barrier(Workgroup &group, std::uint64_t waves);
  void startGroup(Workgroup &group, const StreamClock &begin);
  void finishGroup(Workgroup &group, StreamClock &end);

  /// What the host knows when it puts work into a stream, and that it learns what is done there.
  Clock hostSends();
  void hostLearns(const StreamClock &clock) { host.join(clock.done); }
  /// Between these two the host's accesses are those of an action of a stream, which knows `clock`. `asKernel`: it ends
  /// as a kernel does.
  void beginAction(StreamClock &clock, int device, bool engine);
  void endAction(bool asKernel);
  StreamClock *actionClock() { return action; }
  /// The copy engine has raised a word, behind all that its stream knows.
  void raisedByEngine(const void *word, std::uint32_t value, int device);
  /// It has waited for all that counted in a word.
  void takenByEngine(const void *word, int device);

  /// After a failure waits fall through, and what is then unordered is no news.
  bool muted = false;
  /// Races also go to standard error: nobody may ask for them, as the environment said to look.
  bool aloud = false;
  std::function<std::string(const void *)> nameMemory, namePlace;
  std::function<std::string(const void *)> excuse; ///< of a read of what nobody wrote
  std::vector<std::string> races;                  ///< in words, one per pair of places and kinds
  std::vector<std::string> excused;                ///< reads, in words, one per place
  /// In words the last write to a byte of watched memory; empty when none is known.
  std::string lastWriter(const void *memory);

private:
  /// Who a component stands for from a tick on.
  struct Tenant {
    std::uint32_t since;
    std::string name;
  };
  struct Component {
    std::uint32_t tick = 1;
    int device = -1; ///< the host has none
    std::vector<Tenant> tenants;
  };
  struct Slot {
    int device = 0;
    bool taken = false;
    std::vector<int> components; ///< one per wave
  };
  /// Never destroyed: device memory of static objects may outlive it otherwise.
  static RaceCheck *const one;
  RaceCheck() { newComponent("the application", -1); }
  int newComponent(std::string tenant, int device);
  std::uint32_t &tickOf(const WaveClock &wave) { return components[wave.component].tick; }
  int takeSlot(int device, size_t waves);
  void meet(GroupClock &group, std::uint64_t waves, Clock WaveClock::*clock);
  void report(const Access &first, const Access &second, const Workgroup *ldsOf, std::uintptr_t address, int bytes);
  void tell(std::string text);
  std::string inWords(const Access &access) const;

  Shadow shadow;
  std::vector<Component> components;
  std::vector<Slot> slots;
  std::unordered_map<const void *, Word> published;
  std::unordered_map<const void *, std::shared_ptr<const Clock>> begun; ///< by posted word
  std::set<std::tuple<const void *, const void *, int, int, std::string>> reported;
  Clock host;
  static constexpr int hostComponent = 0;
  StreamClock *action = nullptr; ///< of the stream whose action runs
  int actionComponent = 0;
  std::unordered_map<int, int> actionComponents[2]; ///< by device: of the application, of the copy engine
};

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_RACECHECK_H
