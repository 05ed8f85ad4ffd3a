// How ranks of several processes meet and part.
#include "host/Link.h"
#include "host/Status.h"
#include "tilec/abi.h"
#include <algorithm>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

using namespace tilec;
using namespace tilec::host;
using namespace std::chrono_literals;

namespace {

std::string named(int rank, int process) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(process) + ")";
}

std::string addressOf(const std::string &job) {
  return job.starts_with("/") ? job : "tilec-" + std::to_string(getuid()) + "-" + job;
}

Message message(MessageKind kind, int rank, std::string text, std::uint64_t number = 0) {
  Message result;
  result.kind = kind;
  result.rank = rank;
  result.number = number;
  result.text = std::move(text);
  return result;
}

/// A file that disappears with the object; abstract names do so by themselves.
struct SocketFile {
  const std::string &address;
  ~SocketFile() {
    if (address.starts_with("/"))
      unlink(address.c_str());
  }
};

} // namespace

Link::Link(Place given, const std::string &settings)
    : place(std::move(given)), address(addressOf(place.job)), sockets(place.size), processes(place.size),
      left(place.size), wake(eventfd(0, EFD_CLOEXEC)), inbox(place.size) {
  const auto until = Clock::now() + place.deadline;
  if (place.rank == 0)
    gather(settings, until);
  else
    connect(settings, until);
  listener = std::thread([this] { listen(); });
}

/// Rank 0: waits for the others.
void Link::gather(const std::string &settings, Clock::time_point until) {
  const Descriptor door = listenAt(address);
  const SocketFile file{address};
  for (int missing = place.size - 1; missing > 0;) {
    std::optional<Descriptor> socket = acceptFrom(door, until);
    if (!socket) {
      std::string absent;
      for (int rank = 1; rank < place.size; ++rank)
        if (!sockets[rank])
          absent += (absent.empty() ? "" : ", ") + std::to_string(rank);
      refuse((missing == 1 ? "rank " : "ranks ") + absent + " of job '" + place.job + "' did not come within " +
             std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(place.deadline).count()) + " ms");
    }
    const auto before = std::count_if(sockets.begin(), sockets.end(), [](const auto &one) { return bool(one); });
    greet(std::move(*socket), settings);
    missing -= int(std::count_if(sockets.begin(), sockets.end(), [](const auto &one) { return bool(one); }) - before);
  }
  broadcast(message(MessageKind::Welcome, 0, ""));
}

/// Rank 0: takes a newcomer in, or throws when it cannot belong to this world.
void Link::greet(Descriptor socket, const std::string &settings) {
  const std::optional<Message> hello = receive(socket, Clock::now() + 2s);
  if (!hello || hello->kind != MessageKind::Hello)
    return; // nobody of ours
  const int rank = hello->rank;
  if (rank < 1 || rank >= place.size || sockets[rank] || hello->text != settings) {
    const std::string whose = named(rank, processAt(socket));
    const std::string why = hello->text != settings
                                ? whose + " has " + hello->text + ", rank 0 has " + settings
                                : whose + " came to job '" + place.job + "', where that rank is taken";
    (void)send(socket, message(MessageKind::Refuse, 0, why));
    refuse(why);
  }
  processes[rank] = processAt(socket);
  sockets[rank] = std::move(socket);
}

void Link::refuse(const std::string &why) {
  broadcast(message(MessageKind::Refuse, 0, why));
  throw Error(TILEC_PEER_LOST, why);
}

/// The others: find rank 0 and are taken in.
void Link::connect(const std::string &settings, Clock::time_point until) {
  const std::string late =
      " of job '" + place.job + "' within " +
      std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(place.deadline).count()) + " ms";
  for (;;) {
    std::optional<Descriptor> socket = connectTo(address);
    if (socket && send(*socket, message(MessageKind::Hello, place.rank, settings))) {
      sockets[0] = std::move(*socket);
      break;
    }
    require(Clock::now() < until, TILEC_PEER_LOST, "there was no rank 0" + late);
    std::this_thread::sleep_for(5ms);
  }
  processes[0] = processAt(sockets[0]);
  // Rank 0 waits as long for the others; give its words time to come.
  const std::optional<Message> answer = receive(sockets[0], until + 2s);
  require(answer.has_value(), TILEC_PEER_LOST, "rank 0 did not gather the ranks" + late);
  require(answer->kind == MessageKind::Welcome, TILEC_PEER_LOST, answer->text);
}

Link::~Link() {
  // Memory and signals of this rank must stay until no rank needs them.
  {
    Lock lock(mutex);
    left[place.rank] = true;
    if (place.rank)
      (void)send(sockets[0], message(MessageKind::Leave, place.rank, ""));
    for (int rank = 1; place.rank == 0 && rank < place.size; ++rank)
      if (!inbox[rank].empty())
        failLeft(lock, 0, rank);
    const auto over = [&] { return final || std::all_of(left.begin(), left.end(), [](char one) { return one; }); };
    // The others know that all left when rank 0 says so.
    for (size_t rank = 1; place.rank && rank < left.size(); ++rank)
      left[rank] = true;
    (void)arrived.wait_for(lock, place.deadline, over);
    if (place.rank == 0)
      broadcast(message(MessageKind::Leave, 0, ""));
  }
  (void)eventfd_write(wake.get(), 1);
  listener.join();
}

void Link::broadcast(const Message &text) {
  for (int rank = 1; place.rank == 0 && rank < place.size; ++rank)
    if (sockets[rank])
      (void)send(sockets[rank], text);
}

/// The next part from a rank. Throws when the work has failed for good or the deadline passes.
Message Link::next(Lock &lock, int from) {
  // What a rank sent before it left comes before that it left.
  const bool there =
      arrived.wait_for(lock, place.deadline, [&] { return final || left[from] || !inbox[from].empty(); });
  // What every rank has contributed to is complete, whoever ended since.
  require(!final || !inbox[from].empty(), TILEC_PEER_LOST, words);
  if (there && inbox[from].empty()) {
    failLeft(lock, from, place.rank);
    throw Error(TILEC_PEER_LOST, words);
  }
  if (!there) {
    fail(lock, failure_abort,
         named(from, processes[from]) + " did not make the collective call that rank " + std::to_string(place.rank) +
             " waits in",
         /*forGood=*/true);
    throw Error(TILEC_PEER_LOST, words);
  }
  Message result = std::move(inbox[from].front());
  inbox[from].pop_front();
  return result;
}

std::vector<Message> Link::exchange(const std::string &part, int descriptor) {
  Lock lock(mutex);
  std::vector<Message> all;
  if (place.rank) {
    (void)send(sockets[0], message(MessageKind::Part, place.rank, part), descriptor);
    for (int rank = 0; rank < place.size; ++rank)
      all.push_back(next(lock, 0));
    return all;
  }
  all.push_back(message(MessageKind::All, 0, part));
  if (descriptor >= 0)
    all.back().descriptor = Descriptor(dup(descriptor));
  for (int rank = 1; rank < place.size; ++rank)
    all.push_back(next(lock, rank));
  for (Message &one : all) {
    one.kind = MessageKind::All;
    for (int rank = 1; rank < place.size; ++rank)
      (void)send(sockets[rank], one, one.descriptor.get());
  }
  return all;
}

void Link::agree(const std::string &mine, int result) {
  const std::vector<Message> all = exchange(mine);
  for (const Message &one : all)
    require(one.text == all[0].text, tilec_result(result),
            "rank " + std::to_string(one.rank) + ": " + one.text + "; rank 0: " + all[0].text);
}

void Link::launching(const std::string &what, std::uint64_t hash) {
  Message said = message(MessageKind::Launch, place.rank, what, hash);
  if (!place.rank)
    return takeLaunch(said);
  Lock lock(mutex);
  (void)send(sockets[0], said);
}

/// Rank 0: compares a launch with the same launch of the rank that came to it first.
void Link::takeLaunch(const Message &said) {
  Lock lock(mutex);
  auto [it, first] = launches.try_emplace(said.text, Noted{said.rank, said.number, 0});
  const Noted known = it->second;
  if (++it->second.count == place.size)
    launches.erase(it);
  if (known.hash != said.number)
    fail(lock, failure_mismatch,
         "ranks " + std::to_string(known.rank) + " and " + std::to_string(said.rank) +
             " gave different extents or symmetric buffers to " + said.text,
         /*forGood=*/false);
}

std::string Link::failure() const {
  Lock lock(mutex);
  return words;
}

void Link::onFailure(std::function<void(unsigned)> given) {
  Lock lock(mutex);
  call = std::move(given);
  if (reason)
    call(reason);
}

void Link::clearFailure() {
  Lock lock(mutex);
  if (final)
    return;
  words.clear();
  reason = 0;
  launches.clear();
}

void Link::fail(Lock &, unsigned why, const std::string &text, bool forGood) {
  if (!final) {
    words = text;
    reason = why;
    final = forGood;
    broadcast(message(MessageKind::Failed, forGood, text, why));
    if (call)
      call(why);
  }
  arrived.notify_all();
}

/// A rank that destroyed its world makes no collective call any more.
void Link::failLeft(Lock &lock, int gone, int waiting) {
  fail(lock, failure_abort,
       named(gone, gone == place.rank ? getpid() : processes[gone]) + " has left the world, and rank " +
           std::to_string(waiting) + " waits in a collective call",
       /*forGood=*/true);
}

/// The listener's loop: everything that comes while the world lives.
void Link::listen() {
  for (;;) {
    std::vector<pollfd> ready{{wake.get(), POLLIN, 0}};
    std::vector<int> from{-1};
    for (int rank = 0; rank < place.size; ++rank)
      if (sockets[rank]) {
        ready.push_back({sockets[rank].get(), POLLIN, 0});
        from.push_back(rank);
      }
    if (poll(ready.data(), ready.size(), -1) < 0)
      continue;
    if (ready[0].revents)
      return;
    for (size_t i = 1; i < ready.size(); ++i)
      if (ready[i].revents) {
        std::optional<Message> got = receive(sockets[from[i]], Clock::now());
        if (got)
          take(from[i], std::move(*got));
        else
          ended(from[i]);
      }
  }
}

void Link::take(int from, Message got) {
  if (got.kind == MessageKind::Launch && place.rank == 0)
    return takeLaunch(got);
  Lock lock(mutex);
  if (got.kind == MessageKind::Leave)
    left[from] = true;
  else if (got.kind == MessageKind::Failed)
    fail(lock, unsigned(got.number), got.text, got.rank != 0);
  else if (place.rank == 0 && left[0] && got.kind == MessageKind::Part)
    failLeft(lock, 0, from);
  else
    inbox[from].push_back(std::move(got));
  arrived.notify_all();
}

/// The other end is closed.
void Link::ended(int from) {
  Lock lock(mutex);
  sockets[from] = Descriptor();
  if (!left[from])
    fail(lock, failure_abort, named(from, processes[from]) + " ended while the others need it", /*forGood=*/true);
  arrived.notify_all();
}
