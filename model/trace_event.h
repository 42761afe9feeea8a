/*
 * Events of a run, named after the io_uring and sched tracepoints of the kernel: what `validate` compares with a
 * real trace.  Given to SimulationSetup.trace as they happen: in order of time for each task, but a task may be ahead
 * of another by what it has charged (task.h), so who wants one order over all tasks sorts by time, stably.
 * Stands for include/trace/events/io_uring.h and sched.h (5.1 to 6.18).
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include "model/request_opcode.h"
#include "model/workload.h"

/* X(enumerator, tracepoint) */
#define TRACE_EVENTS(X) \
  X (TRACE_SUBMIT_REQ,       "io_uring_submit_req") \
  X (TRACE_QUEUE_ASYNC_WORK, "io_uring_queue_async_work") \
  X (TRACE_SHORT_WRITE,      "io_uring_short_write") \
  X (TRACE_COMPLETE,         "io_uring_complete") \
  X (TRACE_CQRING_WAIT,      "io_uring_cqring_wait") \
  X (TRACE_LOCAL_WORK_RUN,   "io_uring_local_work_run") \
  X (TRACE_TASK_WORK_RUN,    "io_uring_task_work_run") \
  X (TRACE_SCHED_SWITCH,     "sched_switch") \
  X (TRACE_SCHED_WAKEUP,     "sched_wakeup") \
  X (TRACE_CPU_IDLE,         "cpu_idle")                 /* of no task: nobody runs there from now on */

#define TRACE_EVENT_ENUM(id, name) id,
typedef enum { TRACE_EVENTS (TRACE_EVENT_ENUM) TRACE_EVENT_KINDS } TraceEventKind;

typedef struct {
  TraceEventKind kind;
  UrTime   time;
  unsigned task;            /* in whose context it happens (switch: who gets the CPU; wakeup: who is woken) */
  unsigned cpu;             /* where; of a wakeup: where it will run */
  const char *task_name;    /* of `task`; NULL for TRACE_CPU_IDLE */
  gboolean worker;          /* that task is a worker */
  gboolean submitter;       /* that task submits: the application, or the sq_thread */
  unsigned application;     /* the stream the request belongs to; 0 for sched events */
  uint64_t request;         /* number of the request in its stream, from 0, in the order of preparation */
  RequestOpcode opcode;     /* of a request event */
  IoOp     op;              /* of REQUEST_IO */
  gboolean hashed;          /* TRACE_QUEUE_ASYNC_WORK */
  unsigned ring;            /* its number in the run, of a request event or of one of a ring */
  gboolean force_async, by_sq_thread;       /* of a request event */
  int64_t  result;          /* TRACE_COMPLETE: bytes, or -errno */
  uint64_t offset, length, got;             /* TRACE_SHORT_WRITE: where the file position is then, bytes */
  unsigned count;           /* TRACE_LOCAL_WORK_RUN, TRACE_TASK_WORK_RUN: items; TRACE_CQRING_WAIT: wanted */
} TraceEvent;

typedef void (*TraceFn) (const TraceEvent *event, void *data);
const char *trace_event_name (TraceEventKind kind);

#endif
