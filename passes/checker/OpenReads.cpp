// Boxes that lie side by side become one.
#include "passes/checker/OpenReads.h"

using namespace tilec::checker;

void OpenReads::close() {
  for (uint32_t site : openSites)
    trace.accesses[open[site].access].box = trace.boxes.intern(open[site].box);
  openSites.clear();
  stored.clear();
}

std::optional<uint32_t> OpenReads::accessOf(uint32_t thread, uint32_t site) const {
  uint32_t access = open[site].access;
  bool isOpen = access != ~0u && access >= trace.threads[thread].firstAccess;
  return isOpen ? std::optional(access) : std::nullopt;
}

uint32_t OpenReads::record(uint32_t thread, const Access &made, llvm::ArrayRef<int64_t> box) {
  OpenRead &read = open[made.site];
  std::optional<uint32_t> known = accessOf(thread, made.site);
  if (known && joins(read, made, box))
    return *known;
  if (known)
    trace.accesses[*known].box = trace.boxes.intern(read.box);
  else
    openSites.push_back(made.site);
  read.access = trace.accesses.size();
  read.box.assign(box.begin(), box.end());
  trace.accesses.push_back(made);
  return read.access;
}

/// Reads of one task that name the same waits and lie between the same signals are as one, tokens included. Not after a
/// store of the task to the buffer, whose order with each read counts.
bool OpenReads::joins(OpenRead &read, const Access &made, llvm::ArrayRef<int64_t> box) {
  const Access &other = trace.accesses[read.access];
  if (stored.contains(box[0]) || other.tokens != made.tokens || other.position != made.position ||
      other.owner != made.owner)
    return false;
  size_t next = 0; // the dimension in which the two lie side by side
  for (size_t at = 1; at < box.size(); at += 3) {
    if (read.box[at] == box[at] && read.box[at + 1] == box[at + 1] && read.box[at + 2] == box[at + 2])
      continue;
    if (next || read.box[at + 2] != 1 || box[at + 2] != 1 || read.box[at] + read.box[at + 1] != box[at])
      return false;
    next = at;
  }
  if (next)
    read.box[next + 1] += box[next + 1];
  return true;
}
