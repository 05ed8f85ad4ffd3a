// Numbers that the library, the host and the compiler must agree on. Nothing else, so that each of them can include it.
#ifndef TILEC_CONSTANTS_H
#define TILEC_CONSTANTS_H

namespace tilec {

/// Ticket queues of one program: every group of workgroups of a kernel draws its tasks from its own queue.
inline constexpr int queue_count = 8;

/// Bytes between two signal words: no two words share a cache line, whoever writes them.
inline constexpr int signal_stride = 128;

/// Bytes at the start of dynamic LDS that the library keeps for itself (values broadcast to a workgroup, what polling
/// needs of the context). Every kernel that calls enter, next, last or wait places its own LDS behind them.
inline constexpr int reserved_lds = 64;

/// Bytes of the word of LDS that says that a slot is full, or empty: an mbarrier.
inline constexpr int slot_word_bytes = 8;

} // namespace tilec

#endif // TILEC_CONSTANTS_H
