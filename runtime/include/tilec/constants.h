// Numbers that the library, the host and the compiler must agree on. Nothing else, so that each of them can include it.
#ifndef TILEC_CONSTANTS_H
#define TILEC_CONSTANTS_H

namespace tilec {

/// Ticket queues of one program: every group of workgroups of a kernel draws its tasks from its own queue.
inline constexpr int queue_count = 8;

/// Ranks of a world (no machine has more GPUs that address each other's memory), and threads of a workgroup, at most.
inline constexpr int most_ranks = 1024, most_threads = 1024;

/// Bytes between two signal words: no two words share a cache line, whoever writes them.
inline constexpr int signal_stride = 128;

/// Chiplets of a GPU, by whose numbers tasks count, at most; and the words of a grid that does (tilec/tally.h): one and
/// two for each chiplet, of the launches with even and with odd numbers.
inline constexpr int most_chiplets = 16, tally_set_words = 1 + 2 * most_chiplets, tally_words = 2 * tally_set_words;

/// Bytes at the start of dynamic LDS through which `enter`, `next` and `last` tell all threads of a workgroup what one
/// of them has read. What lay there is lost, and behind the call threads meet before they store there. Else these bytes
/// are the kernel's.
inline constexpr int broadcast_lds = 16;

/// Bytes of the word of LDS that says that a slot is full, or empty: an mbarrier.
inline constexpr int slot_word_bytes = 8;

/// Bytes behind `broadcast_lds` of the words by which a producer tells of the tickets that it draws.
inline constexpr int ticket_words_lds = 2 * slot_word_bytes;

/// Bytes behind those of the words by which consumers hand on what a wave of the producer tells others.
inline constexpr int telling_words_lds = 2 * slot_word_bytes;

} // namespace tilec

#endif // TILEC_CONSTANTS_H
