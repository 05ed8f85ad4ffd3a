// Messages between processes of one machine, with file descriptors beside them. Who speaks to whom is Link's.
#ifndef TILEC_HOST_SOCKETS_H
#define TILEC_HOST_SOCKETS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tilec::host {

/// A file descriptor that is closed with the object.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) noexcept : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor();
  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }

private:
  int number = -1;
};

using Clock = std::chrono::steady_clock;

enum class MessageKind : std::uint32_t {
  Hello,   ///< rank -> 0: `rank` joins; the text is what all must agree on
  Welcome, ///< 0 -> all: every rank is there
  Refuse,  ///< 0 -> all: the text says why there will be no world
  Part,    ///< rank -> 0: its part of an exchange
  All,     ///< 0 -> all: the part of `rank`
  Launch,  ///< rank -> 0: `number` is the hash of a launch, the text names it
  Failed,  ///< 0 -> all: the text says what ended the world's work, `number` is a FailureReason
  Leave,   ///< rank -> 0: needs the others no more; 0 -> all: nobody does
};

/// One message is one datagram of a SOCK_SEQPACKET socket: it comes whole or not at all.
struct Message {
  MessageKind kind = MessageKind::Hello;
  int rank = 0;
  std::uint64_t number = 0;
  std::string text; ///< at most `mostText` bytes
  Descriptor descriptor;

  static constexpr size_t mostText = 4096;
};

/// A socket that listens at `address`: an abstract name, or a path when it begins with '/' (a file left by a dead
/// process is replaced). Throws Error.
Descriptor listenAt(const std::string &address);
/// Connects to it; empty while nobody listens. Throws Error.
std::optional<Descriptor> connectTo(const std::string &address);
/// The next connection of a process of this user; empty when none came before `until`.
std::optional<Descriptor> acceptFrom(const Descriptor &listener, Clock::time_point until);
/// The process at the other end.
int processAt(const Descriptor &socket);

/// False when the other end is gone. `descriptor` (-1: none) goes with the message and stays the caller's.
bool send(const Descriptor &socket, const Message &message, int descriptor = -1);
/// The next message; empty when the other end is gone or sent something else. Waits at most until `until`.
std::optional<Message> receive(const Descriptor &socket, Clock::time_point until);

} // namespace tilec::host

#endif // TILEC_HOST_SOCKETS_H
