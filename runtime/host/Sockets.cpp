// Unix sockets.
#include "host/Sockets.h"
#include "host/Status.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace tilec::host;

namespace {

struct Header {
  std::uint32_t magic, kind;
  std::int32_t rank;
  std::uint32_t bytes;
  std::uint64_t number;
};
constexpr std::uint32_t magic = 0x74696c63;

[[noreturn]] void fail(const std::string &what) { throw Error(TILEC_PEER_LOST, what + ": " + std::strerror(errno)); }

struct Address {
  explicit Address(const std::string &name) {
    // An abstract name begins with a null byte and is no file.
    const bool path = name.starts_with("/");
    const std::string text = path ? name : std::string(1, '\0') + name;
    require(text.size() < sizeof(where.sun_path), TILEC_INVALID_ARGUMENT,
            "the job's name '" + name + "' is too long for a socket");
    where.sun_family = AF_UNIX;
    std::memcpy(where.sun_path, text.data(), text.size());
    bytes = socklen_t(offsetof(sockaddr_un, sun_path) + text.size() + (path ? 1 : 0));
  }
  const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&where); }
  sockaddr_un where = {};
  socklen_t bytes = 0;
};

Descriptor newSocket() {
  Descriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!made)
    fail("making a socket");
  return made;
}

/// Whether something can be read before `until`.
bool wait(int descriptor, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd one{descriptor, POLLIN, 0};
    const int ready = poll(&one, 1, int(std::clamp<long long>(left + 1, 0, 1 << 30)));
    if (ready > 0)
      return true;
    if (ready == 0 || errno != EINTR)
      return false;
  }
}

ucred credentials(const Descriptor &socket) {
  ucred result{};
  socklen_t bytes = sizeof(result);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &result, &bytes))
    fail("asking who is at a socket");
  return result;
}

/// A message's head, body and control data, for sendmsg and recvmsg.
struct Parcel {
  Header header = {};
  char text[Message::mostText];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec parts[2] = {{&header, sizeof(header)}, {text, 0}};
  msghdr head = {};
  Parcel() {
    head.msg_iov = parts;
    head.msg_iovlen = 2;
  }
};

} // namespace

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

Descriptor tilec::host::listenAt(const std::string &address) {
  const Address at(address);
  Descriptor listener = newSocket();
  int failed = bind(listener.get(), at.get(), at.bytes);
  if (failed && errno == EADDRINUSE && address.starts_with("/") && !connectTo(address)) {
    unlink(address.c_str());
    failed = bind(listener.get(), at.get(), at.bytes);
  }
  if (failed || listen(listener.get(), SOMAXCONN))
    fail("listening at '" + address + "'");
  return listener;
}

std::optional<Descriptor> tilec::host::connectTo(const std::string &address) {
  const Address at(address);
  Descriptor socket = newSocket();
  if (connect(socket.get(), at.get(), at.bytes) == 0)
    return socket;
  if (errno != ECONNREFUSED && errno != ENOENT && errno != EAGAIN && errno != EINTR)
    fail("connecting to '" + address + "'");
  return std::nullopt;
}

std::optional<Descriptor> tilec::host::acceptFrom(const Descriptor &listener, Clock::time_point until) {
  while (wait(listener.get(), until)) {
    Descriptor socket(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    // An abstract name has no owner: a stranger is let go.
    if (socket && credentials(socket).uid == getuid())
      return socket;
  }
  return std::nullopt;
}

int tilec::host::processAt(const Descriptor &socket) { return credentials(socket).pid; }

bool tilec::host::send(const Descriptor &socket, const Message &message, int descriptor) {
  require(message.text.size() <= Message::mostText, TILEC_INVALID_ARGUMENT, "a message between ranks is too long");
  Parcel parcel;
  parcel.header = {magic, std::uint32_t(message.kind), message.rank, std::uint32_t(message.text.size()),
                   message.number};
  std::memcpy(parcel.text, message.text.data(), message.text.size());
  parcel.parts[1].iov_len = message.text.size();
  if (descriptor >= 0) {
    parcel.head.msg_control = parcel.control;
    parcel.head.msg_controllen = sizeof(parcel.control);
    cmsghdr *first = CMSG_FIRSTHDR(&parcel.head);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(first), &descriptor, sizeof(int));
  }
  for (;;) {
    if (sendmsg(socket.get(), &parcel.head, MSG_NOSIGNAL) >= 0)
      return true;
    if (errno != EINTR)
      return false;
  }
}

std::optional<Message> tilec::host::receive(const Descriptor &socket, Clock::time_point until) {
  if (!wait(socket.get(), until))
    return std::nullopt;
  Parcel parcel;
  parcel.parts[1].iov_len = sizeof(parcel.text);
  parcel.head.msg_control = parcel.control;
  parcel.head.msg_controllen = sizeof(parcel.control);
  ssize_t got;
  do
    got = recvmsg(socket.get(), &parcel.head, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  Message message;
  for (cmsghdr *each = got < 0 ? nullptr : CMSG_FIRSTHDR(&parcel.head); each; each = CMSG_NXTHDR(&parcel.head, each))
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_RIGHTS) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each), sizeof(int));
      message.descriptor = Descriptor(descriptor);
    }
  const Header &header = parcel.header;
  if (got < ssize_t(sizeof(Header)) || header.magic != magic || size_t(got) != sizeof(Header) + header.bytes)
    return std::nullopt;
  message.kind = MessageKind(header.kind);
  message.rank = header.rank;
  message.number = header.number;
  message.text.assign(parcel.text, header.bytes);
  return message;
}
