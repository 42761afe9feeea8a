/* See event_log.h. */
#include "src/output/event_log_private.h"

#include "src/output/escape.h"
#include "src/output/output_stream.h"

#include <errno.h>
#include <string.h>

struct EventLog {
  char *path;
  OutputStream output;
  EventLogOptions options;
  const Workload *workload;
  GArray *events, *lives;
  GPtrArray *names; /* by task; NULL: not seen */
  UrTime dropped;   /* when there was no room for an event; 0: there always was */
};

static void set_error (GError **error, const EventLog *log, int number)
{
  g_autofree char *shown = escape_text_short (log->path, -1, 200);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "--events %s: %s", shown, g_strerror (number));
}

EventLog *event_log_new (const char *path, const EventLogOptions *options, const Workload *workload, GError **error)
{
  g_autoptr (EventLog) log = g_new0 (EventLog, 1);
  int failure;

  log->path = g_strdup (path);
  log->options = *options;
  log->workload = workload;
  log->events = g_array_new (FALSE, FALSE, sizeof (TraceEvent));
  log->lives = g_array_new (FALSE, FALSE, sizeof (LoggedLife));
  log->names = g_ptr_array_new_with_free_func (g_free);
  failure = output_stream_open (&log->output, path);
  if (failure) {
    set_error (error, log, failure);
    return NULL;
  }
  return g_steal_pointer (&log);
}

void event_log_free (EventLog *log)
{
  if (log) {
    output_stream_clear (&log->output);
    g_array_unref (log->events);
    g_array_unref (log->lives);
    g_ptr_array_unref (log->names);
    g_free (log->path);
    g_free (log);
  }
}

static void name_task (EventLog *log, unsigned task, const char *name)
{
  if (task >= log->names->len) {
    g_ptr_array_set_size (log->names, (gint) task + 1);
  }
  if (!log->names->pdata[task] && name) {
    log->names->pdata[task] = escape_text_short (name, -1, 31);
  }
}

static gboolean is_wanted (EventLog *log, UrTime from, UrTime until)
{
  if ((log->options.until && from >= log->options.until) || until < log->options.from) {
    return FALSE;
  }
  if (log->events->len + log->lives->len < EVENT_LOG_EVENTS_MAX) {
    return TRUE;
  }
  log->dropped = log->dropped ? MIN (log->dropped, from) : from;
  return FALSE;
}

void event_log_add (const TraceEvent *event, void *data)
{
  EventLog *log = data;

  if (event->kind != TRACE_CPU_IDLE) {
    name_task (log, event->task, event->task_name);
  }
  if (is_wanted (log, event->time, event->time)) {
    TraceEvent copy = *event;

    copy.task_name = NULL;
    g_array_append_val (log->events, copy);
  }
}

void event_log_add_life (const RequestLife *life, void *data)
{
  EventLog *log = data;
  const LoggedLife copy = { .stream = life->stream,
                            .file = life->io.file,
                            .executor = life->executor,
                            .number = life->number,
                            .op = life->io.op,
                            .outcome = life->outcome,
                            .lock_holder = life->lock_holder,
                            .time = life->time };

  if (log->options.format == EVENT_LOG_CHROME && is_wanted (log, life->time.prepared, life->time.reaped)) {
    g_array_append_val (log->lives, copy);
  }
}

static int by_time (gconstpointer a, gconstpointer b)
{
  const UrTime l = ((const TraceEvent *) a)->time, r = ((const TraceEvent *) b)->time;

  return (l > r) - (l < r);
}

static int by_begin (gconstpointer a, gconstpointer b)
{
  const LoggedLife *left = a, *right = b;
  const UrTime l = left->time.prepared, r = right->time.prepared;

  return l != r                          ? (l > r) - (l < r)
         : left->stream != right->stream ? (left->stream > right->stream) - (left->stream < right->stream)
                                         : (left->number > right->number) - (left->number < right->number);
}

gboolean event_log_finish (EventLog *log, const RunResult *result, UrTime *ret_cut, GError **error)
{
  GString *out = g_string_new (NULL);
  EventLogData data = { .workload = log->workload,
                        .events = log->events,
                        .lives = log->lives,
                        .task_names = (char *const *) log->names->pdata,
                        .n_tasks = log->names->len,
                        .cpus = result->cpus,
                        .kernel = result->kernel,
                        .from = log->options.from,
                        .until = log->options.until ? log->options.until : UR_TIME_NEVER,
                        .end = result->sim_ns,
                        .limit = log->options.limit };
  int failure = 0;

  g_array_sort (log->events, by_time); /* GLib's sort is stable */
  g_array_sort (log->lives, by_begin);
  *ret_cut = log->options.format == EVENT_LOG_FTRACE ? event_log_ftrace (&data, out) : event_log_chrome (&data, out);
  if (log->dropped) {
    *ret_cut = *ret_cut ? MIN (*ret_cut, log->dropped) : log->dropped;
  }
  if (fwrite (out->str, 1, out->len, log->output.stream) != out->len) {
    failure = errno ? errno : EIO;
  }
  failure = output_stream_finish (&log->output, failure);
  if (failure) {
    set_error (error, log, failure);
  }
  g_string_free (out, TRUE);
  return failure == 0;
}
