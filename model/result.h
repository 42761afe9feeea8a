/*
 * What one run leaves behind: plain numbers, no pointers into the simulation.
 * src/output prints it; nothing is computed there.  Times in ns, shares as fractions.
 */
#ifndef RESULT_H
#define RESULT_H

#include "model/workload.h"
#include "src/engine/histogram.h"

typedef enum {
  OUTCOME_INLINE, OUTCOME_PUNTED_HASHED, OUTCOME_PUNTED_UNHASHED, OUTCOME_ASYNC, OUTCOME_FAILED, OUTCOMES
} Outcome;
const char *outcome_name (Outcome outcome);      /* the JSON keys */

typedef struct {
  uint64_t ios, bytes;
  UrHistogram slat, clat, lat;
} ResultOp;

/* Mean time of a request's stations, ns, over all requests of the run (0 where one was not passed), so
 * that the means add up to the mean time from prepared to reaped. */
typedef enum {
  PHASE_SUBMIT,       /* prepared -> attempt starts (waiting for its turn in the batch, sq_thread pick-up) */
  PHASE_ATTEMPT,      /* the attempt in the submitter, up to its verdict */
  PHASE_PUNT,         /* handing over: queueing and waking */
  PHASE_QUEUE,        /* queued -> a worker starts it, less what of it is a wake-up */
  PHASE_WAKEUP,       /* of queueing and reaping: from waking the worker, or the application, until it runs */
  PHASE_LOCK,         /* waiting for the inode lock */
  PHASE_SERVICE,      /* the file system's work: lock held plus what lies around it */
  PHASE_COMPLETE,     /* done -> CQE posted */
  PHASE_REAP,         /* CQE posted -> seen by the application, less what of it is a wake-up */
  PHASES
} Phase;
const char *phase_name (Phase phase);

/* Kinds of tasks, in the order of TaskClass; RESULT_NOBODY: none of them. */
typedef enum { RESULT_APPLICATION, RESULT_SQ_THREAD, RESULT_WORKER, RESULT_FLUSHER, RESULT_NOBODY, RESULT_TASKS } ResultTask;
const char *result_task_name (ResultTask task);

/* Waits of one kind of task for a lock that another kind held when the wait began. */
typedef struct { uint64_t n, wait_ns; } ResultLockPair;

/* The run at a moment, with --interval: from its start, but for levels, which are those of the moment. */
typedef struct {
  UrTime   time;
  uint64_t ios, bytes;              /* completed */
  uint64_t lat_sum;                 /* ns, of these */
  unsigned in_flight, workers_alive, workers_running, queued;   /* levels; queued: work that no worker has begun */
  unsigned lock_spinning, lock_queued;          /* levels: waiting for inode locks */
  uint64_t dirty, writeback;                    /* levels: pages */
  UrTime   busy[RESULT_NOBODY], irq;            /* CPU time by kind of task, over all CPUs */
} ResultSample;

typedef struct {
  char     name[32];                /* "inode:0" */
  uint64_t acquired, contended;     /* contended: not taken by the fast path */
  uint64_t wait_total, wait_max;    /* lock wanted -> got */
  uint64_t spin_ns, slowpath_ns, hold_ns;
  uint64_t sleeps, handoffs, steals;    /* waiters that slept; hand-offs set; taken past the first in the queue */
  double   mean_spinning, mean_queued;  /* time averages over the run */
  double   cpu_share_spinning, cpu_share_contention;
  ResultLockPair pair[RESULT_TASKS][RESULT_NOBODY];     /* [holder][waiter] */
} ResultLock;

/* Requests that the block device served, after merging; time averages of channels and of requests without one. */
typedef struct {
  char     name[64];
  gboolean used;
  uint64_t reads, writes, flushes, merged, tag_waits;
  double   busy_channels, queued;
  unsigned channels;                /* it has */
} ResultDevice;

/* Dirty pages: said if somebody paused, the flusher wrote, or pages were evicted.  Pages, ns. */
typedef struct {
  gboolean used;
  uint64_t dirty, writeback, max_dirty;   /* at the end; the most that balancing has seen of both */
  uint64_t limit, background_limit;       /* thresh, bg_thresh */
  uint64_t pauses, flushed, evicted;      /* pauses of balance_dirty_pages(); written by the flusher; dropped */
  uint64_t dropped;                       /* by RWF_DONTCACHE */
  UrTime   throttled, longest_pause;      /* all pauses together, and the longest */
} ResultCache;

/* What was made durable: said if something was.  syncs: by fsync, fdatasync and synced writes; of these asked for a
 * commit, joined another's, or found nothing to commit. */
typedef struct {
  gboolean used;
  uint64_t syncs, asked, joined, clean, commits;
  uint64_t flushes, flushes_shared;       /* of the device: sent; those that another's served */
} ResultJournal;

/* A phase of the run (timeline.h): from `from` to `to`, ns since its start.  ios: completed in it.  dirty_pages: dirty or
 * under writeback, mean over the phase and at its end; written_pages: whose writeback ended; throttled: share of the
 * phase in which at least one writer was paused. */
typedef struct {
  const char *name;                 /* "fill", "drain", "throttle", "steady": static */
  UrTime   from, to;
  uint64_t ios, written_pages, dirty_pages_end;
  double   iops, bw_bytes, dirty_pages, throttled;
} ResultPeriod;

typedef struct {
  char     policy[64], engine[16], machine[64], fs[32];
  unsigned kernel;                  /* KERNEL (a, b) */
  uint64_t seed;
  unsigned cpus;
  uint64_t ios, bytes;              /* reads + writes + trims, completed */
  double   iops, bw_bytes;
  UrTime   sim_ns, measured_ns;     /* the second less ramp_time: what rates are taken over */
  ResultOp all, op[IO_OPS];
  uint64_t outcome[OUTCOMES];
  int      first_error;             /* errno of the first request that failed; 0: none did */
  gboolean all_failed;              /* nothing that was asked for was done */
  uint64_t syncs;
  struct { double mean; uint64_t n; } phase[PHASES];     /* n: requests that passed the station */
  double   phase_total;             /* their sum: mean time from prepared to reaped */
  /* The same by outcome: mean over the requests of that outcome.  p99: ns, if SimulationSetup.stage_percentiles; 0: not known */
  struct { double mean, p99; uint64_t n; } stage[OUTCOMES][PHASES];
  double   stage_total[OUTCOMES];
  UrHistogram lock_wait, lock_hold; /* of inode locks: waits; holds at whose end somebody waited */
  struct { unsigned created, max_alive; double mean_running, mean_spinning, mean_sleeping_on_lock, mean_idle; } workers;
  uint64_t context_switches, wakeups, ipis, futile_wakeups;
  uint64_t cq_overflows, short_writes;
  unsigned n_locks; ResultLock *lock;         /* (transfer full), most contended first */
  struct { double busy, idle, spin, app, sq_thread, workers, flusher, irq; } cpu;
  ResultDevice device;
  ResultCache cache;
  ResultJournal journal;
  GArray  *samples;                 /* of ResultSample (transfer full); empty without SimulationSetup.interval */
  GArray  *periods;                 /* of ResultPeriod, in order (transfer full); empty if nobody was throttled */
  uint64_t events;
  double   wall_s;                  /* for --timing only */
  gboolean interrupted;             /* stopped early: what is there is right but partial */
  GPtrArray *notes;                 /* of char * */
} RunResult;

void run_result_free (RunResult *result);    /* accepts NULL */

#endif
