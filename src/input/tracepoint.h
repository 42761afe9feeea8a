/*
 * Kernel trace text: io_uring and sched events as ftrace, trace-cmd and perf script print them, plain or gzip.
 *
 *   COMM-PID [CPU] FLAGS SECONDS: EVENT: PAYLOAD               ftrace; trace-cmd may leave out FLAGS
 *   COMM PID [CPU] SECONDS: SYSTEM:EVENT: PAYLOAD              perf script
 *
 * Names and fields of 5.1 to 6.18 (io_uring_submit_sqe or io_uring_submit_req, with or without the request's address).
 * A request is known by its ring and address (user_data where no address is printed) from its submission until it
 * completes: addresses and user_data are used again.  Events of other names are counted and skipped, lost ones
 * counted.  A line that is none of this is INPUT_ERROR_DATA with FILE:LINE.
 *
 * Streaming: memory grows with tasks, rings and requests in flight (each limited), not with the length of the text.
 */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include "src/engine/engine.h"
#include "src/input/byte_stream.h"

/* X(enumerator, name in the trace) */
#define TRACEPOINTS(X) \
  X (TRACEPOINT_CREATE,           "io_uring_create") \
  X (TRACEPOINT_SUBMIT,           "io_uring_submit_req") \
  X (TRACEPOINT_SUBMIT_SQE,       "io_uring_submit_sqe")       /* never handed out: comes as TRACEPOINT_SUBMIT */ \
  X (TRACEPOINT_QUEUE_ASYNC_WORK, "io_uring_queue_async_work") \
  X (TRACEPOINT_POLL_ARM,         "io_uring_poll_arm") \
  X (TRACEPOINT_TASK_ADD,         "io_uring_task_add") \
  X (TRACEPOINT_COMPLETE,         "io_uring_complete") \
  X (TRACEPOINT_CQRING_WAIT,      "io_uring_cqring_wait") \
  X (TRACEPOINT_LOCAL_WORK_RUN,   "io_uring_local_work_run") \
  X (TRACEPOINT_SCHED_SWITCH,     "sched_switch") \
  X (TRACEPOINT_SCHED_WAKEUP,     "sched_wakeup")

#define TRACEPOINT_ENUM(id, name) id,
typedef enum { TRACEPOINTS (TRACEPOINT_ENUM) TRACEPOINT_KINDS } TracepointKind;

/* What a task is to io_uring, as far as the trace has told until now. */
typedef enum { TASK_ROLE_OTHER, TASK_ROLE_APPLICATION, TASK_ROLE_SQ_THREAD, TASK_ROLE_WORKER } TaskRole;

#define TRACEPOINT_NO_REQUEST UINT64_MAX     /* a CQE without one, or a request submitted before the trace began */

typedef struct {
  TracepointKind kind;
  UrTime   time;
  uint64_t line;
  unsigned task;          /* from 0, in order of appearance: in whose context it happens */
  unsigned other;         /* switch: the task that gets the CPU; wakeup: the one that is woken; else `task` */
  unsigned ring;          /* from 0, in order of appearance; 0 for sched events */
  uint64_t request;       /* from 0 in each ring, in order of submission; TRACEPOINT_NO_REQUEST if there is none */
  gboolean hashed;        /* TRACEPOINT_QUEUE_ASYNC_WORK */
  unsigned count;         /* items run, completions waited for */
  /* TRACEPOINT_CREATE of kernels that print them all (5.4 to 6.18 do), else 0: sizes, bits of IORING_SETUP_*. */
  unsigned sq_entries, cq_entries, flags;
} Tracepoint;

typedef struct {
  uint64_t lines, events; /* lines with an event; those that were handed out */
  uint64_t unknown;       /* events of other names, skipped */
  uint64_t lost;          /* as the trace says; a report without a number counts 1 */
  uint64_t strays;        /* events of requests whose submission is not in the trace */
  uint64_t unfinished;    /* requests whose address or user_data was submitted again before they completed */
} TracepointInfo;

#define TRACEPOINT_TASKS_MAX  65536u
#define TRACEPOINT_RINGS_MAX  4096u
#define TRACEPOINT_FLIGHT_MAX (1u << 20)       /* requests in flight, all rings together */

typedef struct TracepointReader TracepointReader;

/* The source is referenced. (transfer full); NULL with error set. */
TracepointReader *tracepoint_reader_new (ByteSource *source, GError **error);
void              tracepoint_reader_free (TracepointReader *reader);       /* accepts NULL */
/* 1: *ret_event filled; 0: end; -1: error set. */
int               tracepoint_reader_next (TracepointReader *reader, Tracepoint *ret_event, GError **error);
/* Up to the line read last. */
const TracepointInfo *tracepoint_reader_info (const TracepointReader *reader);
unsigned          tracepoint_reader_tasks (const TracepointReader *reader);
TaskRole          tracepoint_reader_role (const TracepointReader *reader, unsigned task);

const char *tracepoint_name (TracepointKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TracepointReader, tracepoint_reader_free)

#endif
