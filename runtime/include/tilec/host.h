/* The C API of the runtime: worlds, the symmetric heap, programs and their launches. No exception leaves a call; every
 * failing call leaves words for `tilec_last_error`. What kernels call is in device.h; starting processes is `tilec
 * launch`'s. */
#ifndef TILEC_HOST_H
#define TILEC_HOST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
namespace tilec {
struct LaunchArguments;
}
typedef tilec::LaunchArguments tilec_launch_arguments;
extern "C" {
#else
typedef struct tilec_launch_arguments tilec_launch_arguments;
#endif

typedef enum tilec_result {
  TILEC_OK = 0,
  TILEC_INVALID_ARGUMENT = 1, /* a count, a pointer or a value that the call does not accept */
  TILEC_OUT_OF_MEMORY = 2,    /* of the heap, the signal mapping, the device or the host */
  TILEC_NOT_FOUND = 3,        /* a file or a symbol */
  TILEC_BAD_MANIFEST = 4,     /* the manifest breaks its schema, or does not fit this world or device */
  TILEC_BAD_EXTENTS = 5,      /* extents negative, above the maximum (at load 2^31-1), such that an expression fails or
                               * a condition of the program is broken, or strides with which elements of an argument
                               * share memory */
  TILEC_OVERLAP = 6,          /* two distinct arguments, or two mappings, share bytes */
  TILEC_NOT_SYMMETRIC = 7,    /* a symmetric argument or workspace outside the heap */
  TILEC_NOT_RESIDENT = 8,     /* the program needs more resident workgroups than there can be */
  TILEC_LAUNCH_FAILED = 9,    /* a launch failed; see tilec_status */
  TILEC_REFUSED = 10,         /* a launch unlike its peers', after a failure without a reset, after a rank's end */
  TILEC_DEVICE_ERROR = 11,    /* the device's runtime returned an error */
  TILEC_PEER_LOST = 12,       /* a rank of another process ended, or did not come in time */
  TILEC_NOT_PROVEN = 13       /* what the program needs of these extents is not proven */
} tilec_result;

/* Words for the last failing call on this thread; never null, valid until the next failing call on it. */
const char *tilec_last_error(void);
const char *tilec_result_name(tilec_result result);

typedef struct tilec_world tilec_world;     /* one rank of a group of ranks */
typedef struct tilec_program tilec_program; /* one program loaded into one rank's world */

typedef enum tilec_device { TILEC_DEVICE_EMULATED = 0, TILEC_DEVICE_HIP = 1 } tilec_device;
/* What this runtime was built for. */
tilec_device tilec_runtime_device(void);

typedef struct tilec_world_options {
  int rank;                       /* in [0, size) */
  int size;                       /* 1 to 1024 */
  size_t heap_bytes;              /* of each rank's data mapping; rounded up to 256 */
  size_t signal_bytes;            /* of each rank's signal mapping; rounded up to 256 */
  tilec_device device;            /* must be what the runtime was built for */
  int device_index;               /* -1: the rank; where ranks are processes, its number on this machine, or 0 where
                                   * only one device is visible */
  const char *job;                /* ranks of this process that name one job form a world; null: "" */
  unsigned long long deadline_ns; /* of a wait in a kernel; 0: 60 s. Emulated ranks of one process need none:
                                   * there a deadlock is found exactly, and slowness is no failure */
  unsigned long long join_deadline_ns; /* of tilec_world_join and of calls that are collective then; 0: 60 s */
} tilec_world_options;

/* Makes this process's share of a world: one rank on one device, memory mapped once, signals zero. All ranks of a job
 * that is created so live in this process; launches are refused until all of them exist. Ranks in several processes
 * come with tilec_world_join or tilec_world_adopt. */
tilec_result tilec_world_create(const tilec_world_options *options, tilec_world **world);

/* The same where every rank is a process of its own on this machine. With size 0, rank, size and job come from what
 * `tilec launch` (TILEC_RANK, TILEC_WORLD, TILEC_JOB), torchrun (RANK, WORLD_SIZE, LOCAL_RANK,
 * MASTER_PORT), Open MPI, MPICH or Slurm sets; a job that is given goes before theirs. The ranks meet at a Unix socket:
 * an abstract one named after user and job, or a path when the job begins with '/'. In such a world tilec_heap_alloc,
 * tilec_program_load, tilec_program_link, tilec_world_reset and tilec_world_destroy are collective as well: they return
 * when all ranks have called them, and fail with TILEC_PEER_LOST when a rank ends or the deadline passes. A rank that
 * ends without tilec_world_destroy, or that launches a program with other extents than its peers, fails the launches of
 * all ranks (reasons "abort" and "mismatch"). */
tilec_result tilec_world_join(const tilec_world_options *options, tilec_world **world);

/* What tilec_world_join reads with size 0: this process's rank and the number of ranks. -1 and 0 where no launcher has
 * set a rank; for those who are a world of one then. */
tilec_result tilec_world_environment(int *rank, int *size);

/* All ranks of an emulated world in this process; rank r on emulated device r. `worlds` has `size` entries. */
tilec_result tilec_emulated_worlds(int size, size_t heap_bytes, size_t signal_bytes, tilec_world **worlds);

/* A rank over memory that the application made symmetric. `bases[r]` and `signal_bases[r]` are rank r's mappings as
 * this process addresses them, 256-byte aligned and apart; the signal mapping is zero and, on a device, uncached. The
 * current device is the world's. The memory stays the application's; what tilec_heap_alloc hands out lies in it. */
tilec_result tilec_world_adopt(int rank, int size, void *const *bases, size_t bytes, void *const *signal_bases,
                               size_t signal_bytes, tilec_world **world);

/* Also destroys the programs loaded into it. Null is allowed. The other ranks of its job in this process load and
 * launch nothing any more (TILEC_REFUSED); ranks created later with the same job form a new world. */
void tilec_world_destroy(tilec_world *world);
int tilec_world_rank(const tilec_world *world); /* -1 for null */
int tilec_world_size(const tilec_world *world); /* 0 for null */
/* The device that the world is on; -1 for null. The calls here find it by themselves; what the application enqueues
 * takes the current device, which only the application sets. */
int tilec_world_device(const tilec_world *world);

/* Collective: after a failure every rank calls it, with no launch under way. Signals, epochs and the failure record go
 * back to their start; the heap keeps its contents. The world takes launches again when all ranks of this process have
 * called it; ranks of adopted memory in other processes are for the application to join before the next launch. */
tilec_result tilec_world_reset(tilec_world *world);

/* Symmetric: the same sequence of calls gives the same offsets on every rank. 256-byte aligned. In the emulator new
 * memory is all ones, NaN in every float type. Null may be freed. */
tilec_result tilec_heap_alloc(tilec_world *world, size_t bytes, void **pointer);
tilec_result tilec_heap_free(tilec_world *world, void *pointer);
/* Rank `to`'s copy of `pointer`, as this process addresses it. */
tilec_result tilec_heap_remote(tilec_world *world, const void *pointer, int to, void **remote);

/* Enqueues the kernels of a program; generated text defines one, `<program>_launch`. */
typedef int (*tilec_launch_function)(const tilec_launch_arguments *arguments);

/* Loads a program into a world; every rank loads the same programs in the same order. The manifest is a file; the code
 * is a shared object, or null when the text is linked into the running program (with its symbols exported). Signals are
 * laid out for `max_extents`, at most 2^31-1 each, which no launch may exceed. */
tilec_result tilec_program_load(tilec_world *world, const char *manifest_path, const char *code_path,
                                const int64_t *max_extents, int max_extent_count, tilec_program **program);
/* The same from the manifest's text and the launch function itself. */
tilec_result tilec_program_link(tilec_world *world, const char *manifest_json, tilec_launch_function launch,
                                const int64_t *max_extents, int max_extent_count, tilec_program **program);
/* Its signal words stay taken, so that the order of loads alone decides where later programs lie. Null is allowed. */
void tilec_program_destroy(tilec_program *program);
const char *tilec_program_name(const tilec_program *program); /* "" for null */

/* Bytes of scratch for these extents. Programs that do not run at the same time may share one workspace. */
tilec_result tilec_workspace_bytes(const tilec_program *program, const int64_t *extents, int extent_count,
                                   size_t *bytes);

/* Zeroes the persistent scratch in a workspace for the greatest extents, as the first launch finds it; `workspace` is
 * then that of every launch, and no other program's. Every rank calls it before any launches the program, and again
 * after tilec_world_reset: launches are refused with TILEC_REFUSED otherwise. A program without persistent scratch
 * needs none. Collective in a world that was joined. */
tilec_result tilec_workspace_clear(tilec_program *program, void *workspace);

/* Writes what lies `offset` bytes into a workspace as a launch with these extents uses it, such as "full, copy 1,
 * element 17", ended by a zero and cut at `capacity` bytes. TILEC_INVALID_ARGUMENT when no buffer lies there. */
tilec_result tilec_workspace_name(const tilec_program *program, const int64_t *extents, int extent_count, size_t offset,
                                  char *text, size_t capacity);

/* The byte of a workspace where the scratch buffer `name` of the manifest begins, in the copy that the launch with this
 * epoch uses: the elements of that launch lie there row by row. For those who look into a workspace between launches,
 * when `tilec_program_epoch` is the epoch of the last one. TILEC_INVALID_ARGUMENT when no buffer has the name. */
tilec_result tilec_workspace_offset(const tilec_program *program, const int64_t *extents, int extent_count,
                                    const char *name, unsigned epoch, size_t *offset);

/* Enqueues one instance on `stream` (a hipStream_t; null: the default stream of the world's device). Allocates nothing
 * on the device and synchronises nothing. `arguments` has one pointer for each argument of the manifest: to memory of
 * the device, or for a number (an argument without dimensions) to its value on the host, which is read before the call
 * returns; a launch that is captured keeps it. Checks counts, extents, alignment to elements, overlap and symmetry.
 * `workspace` must be in the heap when a scratch buffer is symmetric, and may be null when none is needed. `workgroups`
 * is per kernel; 0: as many as are resident and have tasks; 65536 at most. TILEC_NOT_PROVEN when a kernel is of
 * progress class `resident` or `all` and the extents are none that the manifest lists as verified: how many workgroups
 * must be resident is known for those alone; or when an extent is beyond the greatest that the manifest has as verified
 * (its `limits`, as of programs whose waits and signals were written by hand). Others take all extents; of a kernel
 * whose class is not proven every workgroup must be resident. Where the manifest says that an extent must not be 0, a
 * launch with 0 does nothing if there is no task, and is refused with TILEC_BAD_EXTENTS if there is. So are extents for
 * which a dimension or a number of tasks leaves 32 bits on the way, and those that need more scratch or signals than
 * the greatest.
 *
 * Every rank makes the same launches: the n-th of a program has the same manifest, extents, maxima and places of
 * symmetric buffers on all of them (one that is captured counts once, when it is). Among ranks of this process the
 * first that differs is refused with TILEC_REFUSED and fails the launches of all ranks (reason "mismatch"); ranks of
 * other processes are told by tilec_synchronize. Ranks of adopted memory are not compared. */
tilec_result tilec_launch(tilec_program *program, void *stream, void *const *arguments, int argument_count,
                          const int64_t *extents, int extent_count, void *workspace, int workgroups);

/* TILEC_BAD_EXTENTS where tilec_launch would refuse these extents because of zeros: for those who choose extents,
 * before there is a world. */
tilec_result tilec_extents_nonzero(const char *manifest_json, const int64_t *extents, int extent_count);

/* Waits until the stream is empty (null: the default stream of the world's device). TILEC_LAUNCH_FAILED when a launch
 * of this rank failed. */
tilec_result tilec_synchronize(tilec_world *world, void *stream);

/* What a failed launch left. */
typedef struct tilec_failure {
  int failed;          /* 0: nothing failed, and the rest is zero */
  const char *reason;  /* "deadline", "deadlock", "mismatch", "abort", "fault" */
  const char *program; /* name */
  const char *signal;  /* name of the signal grid */
  int dimensions;      /* of the grid; `index` has the first 8 */
  int index[8];        /* of the signal in it; unused ones are 0 */
  int rank;            /* who waited */
  unsigned epoch, wanted, seen;
  const char *words; /* what tilec_synchronize says of it; for "mismatch" both ranks and what they gave */
} tilec_failure;
/* Synchronises nothing: says what is known now. The pointers are valid until the next call for this world. */
tilec_result tilec_status(tilec_world *world, tilec_failure *failure);

/* From now on launches of a program that was compiled with --trace record the tasks, waits and signals of this rank:
 * the last `records` of each part of each workgroup, 64 bytes each, in device memory. What was recorded before is
 * dropped. Launches that were captured before record nothing. */
tilec_result tilec_trace_start(tilec_program *program, int records);
/* Writes what was recorded as JSON, for `tilec trace`, which takes the files of all ranks. Waits for the device. */
tilec_result tilec_trace_save(tilec_program *program, const char *path);

/* Launches of the program that were completed on this rank; for tests and diagnosis. Reads device memory. */
tilec_result tilec_program_epoch(tilec_program *program, unsigned *epoch);

#ifdef __cplusplus
}
#endif

#endif /* TILEC_HOST_H */
