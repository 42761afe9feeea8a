/*
 * The life of a request, as the application knows it when it has the result: every station with its time stamp, why an
 * attempt was refused, who did the work, who was in the way.  Stands for what the tracepoints of io_uring, sched and lock
 * show of one request, put together (5.1 to 6.18).
 *
 * Its stages are the phases of the report (result.h); those of one request add up to reaped - prepared, to the nanosecond.
 */
#ifndef LIFE_H
#define LIFE_H

#include "model/request_opcode.h"
#include "model/result.h"

/* When each thing happened, ns; 0: it did not. */
typedef struct {
  UrTime prepared;        /* the application starts to fill it in */
  UrTime issued;          /* fio's issue time: the submit call returned, or the tail was published to the sq_thread */
  UrTime submitted;       /* io_uring: taken from the submission queue */
  UrTime attempt;         /* issue in the submitter starts */
  UrTime verdict;         /* done, or EAGAIN */
  UrTime queued;          /* on a queue's list */
  UrTime started;         /* taken by a worker */
  UrTime lock_wanted, lock_got;   /* the inode lock of the attempt that did the work */
  UrTime done;            /* the operation is finished */
  UrTime posted;          /* its CQE is visible */
  UrTime reaped;          /* the application has it */
  /* ns of queued -> started and of posted -> reaped in which who was to act was being woken */
  UrTime queue_wakeup, reap_wakeup;
} RequestTimes;

/* X(enumerator, word, why a request was not done in the submitter) */
#define AGAIN_REASONS(X) \
  X (AGAIN_NONE,     "none",          "it was done there") \
  X (AGAIN_NO_TRY,   "not-tried",     "the policy does not try it there") \
  X (AGAIN_DEFERRED, "deferred",      "who starts a request that had to wait for others does not try it") \
  X (AGAIN_NOWAIT,   "no-nowait",     "file system or file type cannot do it without waiting") \
  X (AGAIN_LOCK,     "lock",          "somebody had the inode lock") \
  X (AGAIN_PAGE,     "page",          "a page was not in the cache, or had to be read before it could be changed") \
  X (AGAIN_TIME,     "time-stamp",    "the time stamp had to be written, or the file to be extended beyond a hole") \
  X (AGAIN_SHORT,    "short",         "it stopped in the middle; the rest was left for who may wait") \
  X (AGAIN_DIRTY,    "dirty",         "dirty pages, or an allocation, stood in the way of direct I/O") \
  X (AGAIN_DEVICE,   "device",        "the device had no room for a request that must not wait")
#define AGAIN_ENUM(id, word, text) id,
typedef enum { AGAIN_REASONS (AGAIN_ENUM) AGAIN_REASON_COUNT } AgainReason;
const char *again_reason_word (AgainReason reason);
const char *again_reason_text (AgainReason reason);

/* What is told of one request; valid during the call. */
typedef struct {
  unsigned stream; uint64_t number;     /* number: in the order of preparation, from 0 in its stream */
  Io       io; gboolean direct;
  RequestOpcode opcode;
  gboolean malformed;                   /* its preparation failed */
  Outcome  outcome;
  int64_t  result;                      /* bytes, or -errno */
  ApplicationEngine engine;
  gboolean synchronous;                 /* a system call did it: lat is counted from `issued` */
  gboolean hashed; unsigned bucket, queue;      /* if it was queued */
  gboolean chained;                     /* a worker went on with it after the member of its chain before it */
  gboolean by_sq_thread;                /* submitted by one */
  gboolean blocking;                    /* its attempt in the submitter might wait (Attempt=blocking) */
  AgainReason again;
  unsigned executor; const char *executor_name; ResultTask executor_kind;       /* task that did the work */
  ResultTask lock_holder;               /* who had the inode lock when it was wanted; RESULT_NOBODY: it was free */
  RequestTimes time;
  UrTime   measured_from;               /* its job's start and ramp_time; reaped before it: not in the result */
  UrTime   stage[PHASES];               /* add up to time.reaped - time.prepared */
} RequestLife;

typedef void (*LifeFn) (const RequestLife *life, void *data);

/* Splits the time of one request; FALSE if a station ends before it begins. */
gboolean life_stages (const RequestTimes *time, UrTime ret_stage[PHASES]);

#endif
