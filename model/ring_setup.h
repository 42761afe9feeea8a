/*
 * io_uring_setup(2): which arguments a kernel accepts and what sizes a ring gets.  Stands for io_uring_setup(),
 * io_uring_sanitise_params(), io_uring_fill_params(), io_uring_create() and io_sq_offload_create() of
 * io_uring/io_uring.c and sqpoll.c, fs/io_uring.c before 6.0; 5.1 to 6.18.
 *
 * Sizes: SQ entries are rounded up to a power of two, at most 32768 (4096 before 5.4); the CQ has twice that, or with
 * CQSIZE the number given, rounded up, not below the SQ's and at most 65536.  Too much is EINVAL, with CLAMP it is cut.
 * A flag the kernel does not know is EINVAL.
 */
#ifndef RING_SETUP_H
#define RING_SETUP_H

#include "model/workload.h"

/* The arguments of io_uring_setup(). */
typedef struct {
  unsigned entries, cq_entries;         /* cq_entries counts only with CQSIZE; 0: as entries */
  RingFlags flags;
  int sq_cpu; UrTime sq_idle;           /* sq_thread_cpu (-1: any), sq_thread_idle (0: one second) */
  struct Ring *attach;                  /* ATTACH_WQ: the ring (wq_fd) to share with; NULL: none */
} RingSetup;

typedef struct { unsigned sq_entries, cq_entries; } RingSizes;

typedef enum { RING_SETUP_ERROR_EINVAL } RingSetupError;     /* the errno the kernel answers with */
#define RING_SETUP_ERROR (ring_setup_error_quark ())
GQuark   ring_setup_error_quark (void);

/* What `kernel` (KERNEL (a, b)) answers: the sizes, or FALSE with error set, its message naming the errno and why. */
gboolean ring_setup_check (const RingSetup *setup, unsigned kernel, RingSizes *ret_sizes, GError **error);

/* Sets the flag of this name: the kernel's in lower case with dashes ("defer-taskrun").  FALSE: there is none. */
gboolean ring_flags_set (RingFlags *flags, const char *name);
/* Sets those whose bits of IORING_SETUP_* (include/uapi/linux/io_uring.h) are set; returns the bits the model does not
 * know. */
unsigned ring_flags_set_bits (RingFlags *flags, unsigned bits);
/* All names, NULL at the end. */
const char *const *ring_flag_names (void);
/* The names of those that are set, separated by commas; "default" if there are none. (transfer full) */
char    *ring_flags_text (const RingFlags *flags);

#endif
