/*
 * The application: one stream of requests, issued and reaped as fio's engines do.
 * Stands for fio's do_io(), td_io_queue(), td_io_commit(), wait_for_completions(),
 * engines/io_uring.c, engines/libaio.c, engines/posixaio.c and engines/sync.c (psync), 3.33 to 3.42.
 */
#ifndef APPLICATION_H
#define APPLICATION_H

#include "model/fio_random.h"
#include "model/ring.h"

typedef struct AsyncEngine AsyncEngine;
typedef struct PosixAio PosixAio;

/* Bytes of a file that have been written since its last sync; end 0: none. */
typedef struct { uint64_t first, end; } WrittenRange;

struct Application {
  Simulation *sim;
  const WorkloadJob *job;
  ApplicationEngine engine;
  const AsyncEngine *async;             /* NULL: synchronous */
  unsigned number;                      /* index in Simulation.applications */
  unsigned iodepth;                     /* slots; fio's io_uring engine has a power of two of them */
  unsigned iodepth_low;                 /* with all of them in flight it reaps until so few are */
  gboolean sqpoll;
  Task *task;
  Ring *ring;                           /* io_uring only */
  IoSource *source; unsigned pass;
  Request *slots; Request **free; unsigned n_free;
  unsigned queued;                      /* prepared, not yet committed */
  unsigned batched;                     /* queued since the last full iodepth_batch, committed or not (io_u_queued) */
  UrTime *stamps;                       /* fio 3.34, 3.35 with sqthread_poll: issue time of each slot; else NULL */
  gboolean submit_and_wait;             /* io_uring: as a liburing program, see RingOptions */
  UrTime stranded;                      /* io_uring: since then it waits for completions that were dropped */
  Request *queued_first, *queued_last;  /* in order, through work_next (libaio; SQPOLL: a chain) */
  GQueue finished;                      /* libaio, posixaio: done, not yet reaped (of Request, by link) */
  PosixAio *posixaio;                   /* posixaio: its helper threads; NULL with other engines */
  unsigned aio_wanted;                  /* libaio: sleeps in io_getevents() until this many are finished; 0: does not */
  UrTime started, ended;
  Io pending; gboolean has_pending, exhausted;
  unsigned sqe_flags;                   /* of each of its requests: SQE_FIXED_FILE, SQE_FIXED_BUFFER */
  unsigned chain_left;                  /* members still to come of the chain that is being prepared */
  WrittenRange *ranges;                 /* by file, of a job with sync_file_range (else NULL) */
  unsigned n_silent;                    /* in flight, and to have no CQE unless they fail */
  uint64_t n_prepared;
  /* application_pace.c */
  uint64_t blocks_issued, blocks_done;  /* reads, writes and trims */
  uint64_t thought_blocks; UrTime thought_at;   /* at the last thinking time */
  gboolean completed_sync; Io last_sync;        /* its last completion was a sync; the last one that was issued */
  uint64_t *file_position;              /* engine sync: of each file, UINT64_MAX: none yet; else NULL */
  gboolean last_was_sync, wrote;        /* its last request; any of them */
  gboolean paced;                       /* it has a rate; by direction: */
  uint64_t rate_bps[3], rate_bytes[3], rate_last[3]; UrTime rate_due[3]; FioRandom poisson[3];
  /* Timed replay: lateness in all, of the last request, and when that was due. */
  UrTime late_total, late, last_due; uint64_t n_timed;
  UrTime moment; unsigned at_moment;    /* time of the last request, and how many fell on it */
};

Application *application_new (Simulation *sim, const WorkloadJob *job);
void         application_free (Application *application);
/* Starts it at the current time. */
void         application_start (Application *application);

/* For the engines: the next request, prepared in a free slot; NULL when there is none (left). */
Request     *application_prepare (Application *application);
/* A completed request is accounted for and its slot is free again. */
void         application_reaped (Application *application, Request *request);
/* A request whose completion never comes: it leaves the books. */
void           application_lost (Application *application, Request *request);
/* For application_pace.c: hands over what is queued and waits until nothing is in flight; lets time pass until `when`
 * or the end of the job. */
void           application_quiesce (Application *application);
void           application_sleep_until (Application *application, UrTime when);
void           application_spin_until (Application *application, UrTime when);
static inline unsigned application_in_flight (const Application *a) { return a->iodepth - a->n_free; }

/* When its ramp_time is over: what completes before counts in no rate and no latency. */
UrTime       application_measured_from (const Application *application);

/* application_pace.c: once, when the job has started; for a source that was opened; after a request was handed to its
 * engine; then again, to think if it is time. */
void application_pace_start (Application *application);
void application_pace_source (Application *application);
void application_issued (Application *application, IoOp op, uint64_t length);
void application_think (Application *application, IoOp op);

/* Whether issue times go wrong as in fio 3.34 and 3.35 with sqthread_poll (application_uring.c). */
gboolean application_stamps_at_head (const Application *application);

/* application_uring.c: what the engine does with a prepared request; hands over what is queued; reaps
 * at least min (waiting until `deadline` at most) and at most max.  submit_and_reap hands over and waits in one
 * call. */
void application_uring_queue (Application *application, Request *request);
void application_uring_commit (Application *application);
void application_uring_reap (Application *application, unsigned min, unsigned max, UrTime deadline);
void application_uring_submit_and_reap (Application *application, unsigned min, unsigned max, UrTime deadline);
void application_uring_setup (Application *application);
/* What the job asks io_uring_setup() for, on this kernel with this depth. */
RingSetup application_ring_setup (const SimulationSetup *setup, const WorkloadJob *job, unsigned kernel, unsigned iodepth);
/* --sqpoll, --no-sqpoll, else what is known of its ring, else what the policy says of rings, else what the job says. */
gboolean application_wants_sqpoll (const SimulationSetup *setup, const WorkloadJob *job);
/* application_libaio.c */
void application_libaio_queue (Application *application, Request *request);
void application_libaio_commit (Application *application);
void application_libaio_reap (Application *application, unsigned min, unsigned max, UrTime deadline);
/* application_posixaio.c */
PosixAio *application_posixaio_new (Application *application);
void application_posixaio_free (PosixAio *aio);           /* accepts NULL */
void application_posixaio_queue (Application *application, Request *request);
void application_posixaio_commit (Application *application);
void application_posixaio_reap (Application *application, unsigned min, unsigned max, UrTime deadline);

#endif
