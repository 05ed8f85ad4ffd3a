// Vector clocks of the race check. What one wave knows of the others, and what a release leaves at a word. The rules
// that move them are RaceCheck's.
#ifndef TILEC_EMULATOR_CLOCK_H
#define TILEC_EMULATOR_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilec::emulator {

/// How far one wave is known: every lane's accesses up to tick `all`, and lane `lane`'s up to `laneTick`.
struct Known {
  std::uint32_t all = 0, laneTick = 0;
  int lane = -1;

  bool covers(int ofLane, std::uint32_t tick) const { return tick <= all || (ofLane == lane && tick <= laneTick); }
  void join(const Known &other) {
    all = std::max(all, other.all);
    if (other.laneTick > laneTick) {
      laneTick = other.laneTick;
      lane = other.lane;
    }
  }
};

/// What is known of every wave that ever ran; of those behind the end, nothing.
class Clock {
public:
  Known get(std::size_t component) const { return component < known.size() ? known[component] : Known(); }
  Known &of(std::size_t component) {
    if (component >= known.size())
      known.resize(component + 1);
    return known[component];
  }
  void join(const Clock &other) {
    if (other.known.size() > known.size())
      known.resize(other.known.size());
    for (std::size_t i = 0; i < other.known.size(); ++i)
      known[i].join(other.known[i]);
  }

private:
  std::vector<Known> known;
};

/// What a lane knows and has done, for lanes of its workgroup that wait for it: as `WaveClock` has it.
struct Handover {
  Clock seen, drained, passed;
  void join(const Handover &other) {
    seen.join(other.seen);
    drained.join(other.drained);
    passed.join(other.passed);
  }
};

/// What is done in a stream, and what of it was released at system scope: a kernel's end releases to its device alone.
struct StreamClock {
  Clock done, passed;
  void join(const StreamClock &other) {
    done.join(other.done);
    passed.join(other.passed);
  }
  /// By the host, which has waited for it.
  void join(const Clock &known) {
    done.join(known);
    passed.join(known);
  }
};

/// What an atomic store behind a release leaves at its word. Who acquires on the same device learns `near`, of which
/// `passed` has been released at system scope; on another device, at system scope, `far`: what the lane's last release
/// at system scope released. Who acquires on the chiplet that a release went as far as, if it went no further, learns
/// `local`, too.
struct Published {
  int device = 0;
  Clock near, passed, far;
  int chiplet = -1;
  Clock local;
};
using PublishedPointer = std::shared_ptr<const Published>;

} // namespace tilec::emulator

#endif // TILEC_EMULATOR_CLOCK_H
