/*
 * What happened in a run, for other tools: the kernel's own trace text (ftrace, as trace_pipe prints it), or JSON in the Trace
 * Event Format that Perfetto and chrome://tracing read.
 *
 * Events are kept until the run is over, since tasks may be ahead of one another, then sorted and written.  Those outside of
 * the window are dropped, and what would not fit `limit` bytes: the log then says from when on it is cut.
 */
#ifndef EVENT_LOG_H
#define EVENT_LOG_H

#include "model/life.h"
#include "model/trace_event.h"

typedef enum { EVENT_LOG_FTRACE, EVENT_LOG_CHROME } EventLogFormat;
#define EVENT_LOG_WORDS "ftrace|chrome"
/* Kept at most; 80 bytes each. */
#define EVENT_LOG_EVENTS_MAX 2000000u

typedef struct {
  EventLogFormat format;
  UrTime   from, until;             /* of what is written; until 0: to the end */
  uint64_t limit;                   /* bytes of the file */
} EventLogOptions;

typedef struct EventLog EventLog;

/* The workload is borrowed. (transfer full); NULL with a G_FILE_ERROR */
EventLog *event_log_new (const char *path, const EventLogOptions *options, const Workload *workload, GError **error);
/* A TraceFn and a LifeFn; `log` is the EventLog. */
void      event_log_add (const TraceEvent *event, void *log);
void      event_log_add_life (const RequestLife *life, void *log);
/* Writes it and gives it its name.  ret_cut: when it was cut, 0 if it was not. FALSE with error set. */
gboolean  event_log_finish (EventLog *log, const RunResult *result, UrTime *ret_cut, GError **error);
void      event_log_free (EventLog *log);       /* accepts NULL */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (EventLog, event_log_free)

#endif
