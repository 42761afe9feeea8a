/* Of event_log.h: what the two formats share. */
#ifndef EVENT_LOG_PRIVATE_H
#define EVENT_LOG_PRIVATE_H

#include "src/output/event_log.h"

/* What chrome shows of a request; a RequestLife without what it does not. */
typedef struct {
  unsigned stream, file, executor;
  uint64_t number;
  IoOp     op;
  Outcome  outcome;
  ResultTask lock_holder;
  RequestTimes time;
} LoggedLife;

typedef struct {
  const Workload *workload;
  const GArray *events;             /* of TraceEvent, by time */
  const GArray *lives;              /* of LoggedLife, by time */
  char *const *task_names;          /* by task, fit for text; n_tasks */
  unsigned n_tasks, cpus, kernel;
  UrTime   from, until, end;        /* until: of what is written; end: of the run */
  uint64_t limit;
} EventLogData;

/* They append to `out` and stop before it holds more than `limit` bytes; the time of the first event that was left out, 0:
 * none. */
UrTime event_log_ftrace (const EventLogData *data, GString *out);
UrTime event_log_chrome (const EventLogData *data, GString *out);

/* PIDs as shown: a task's number plus this; 0 is the idle task. */
#define EVENT_LOG_PID 1000u

#endif
