// Ranks that are processes: they meet at a socket, exchange what they need, and notice when one ends. A star: rank 0
// receives from all and sends to all. What is exchanged is World's and Program's.
#ifndef TILEC_HOST_LINK_H
#define TILEC_HOST_LINK_H

#include "host/Sockets.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace tilec::host {

/// Calls named collective return when every rank has made the same call, and throw Error(TILEC_PEER_LOST) when a rank
/// ends or the deadline passes before.
class Link {
public:
  struct Place {
    std::string job; ///< the same on all ranks and on no other world's; the path of a socket when it begins with '/'
    int rank = 0, size = 1;
    std::chrono::nanoseconds deadline{};
  };

  /// Collective. `settings` must be the same text on all ranks.
  Link(Place place, const std::string &settings);
  /// Collective, as far as the others are still there.
  ~Link();
  Link(const Link &) = delete;

  /// Collective. Everybody's parts, by rank; `descriptor` (-1: none) goes with this rank's. A part is at most
  /// Message::mostText bytes.
  std::vector<Message> exchange(const std::string &part, int descriptor = -1);
  /// Collective. Throws Error(`result`) that names two ranks and their words unless `words` are the same on all.
  void agree(const std::string &words, int result);
  /// Says that this rank enqueues launch `what` with this hash. Waits for nobody: when two ranks' hashes of the same
  /// launch differ, the work of the world fails on every rank.
  void launching(const std::string &what, std::uint64_t hash);

  /// What ended the world's work; empty when nothing did.
  std::string failure() const;
  /// `reason` is a FailureReason. Called at once if the work has failed already, and on another thread.
  void onFailure(std::function<void(unsigned reason)> call);
  /// Forgets a failure that was no rank's end.
  void clearFailure();

private:
  using Lock = std::unique_lock<std::mutex>;
  void gather(const std::string &settings, Clock::time_point until);
  void greet(Descriptor socket, const std::string &settings);
  void connect(const std::string &settings, Clock::time_point until);
  [[noreturn]] void refuse(const std::string &why);
  Message next(Lock &lock, int from);
  void listen();
  void take(int from, Message message);
  void takeLaunch(const Message &message);
  void ended(int from);
  void fail(Lock &lock, unsigned reason, const std::string &words, bool final);
  void failLeft(Lock &lock, int gone, int waiting);
  void broadcast(const Message &message);

  const Place place;
  const std::string address;
  std::vector<Descriptor> sockets; ///< of rank 0 one per rank, its own unused; of the others the one to rank 0
  std::vector<int> processes;      ///< at their other ends
  std::vector<char> left;          ///< needs nothing more
  Descriptor wake;                 ///< ends the listener
  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::deque<Message>> inbox;
  struct Noted {
    int rank;
    std::uint64_t hash;
    int count;
  };
  std::map<std::string, Noted> launches; ///< of rank 0: those that not every rank has enqueued yet
  std::string words;                     ///< of the failure
  unsigned reason = 0;
  bool final = false; ///< a rank has ended
  std::function<void(unsigned)> call;
  std::thread listener;
};

} // namespace tilec::host

#endif // TILEC_HOST_LINK_H
