/*
 * The Trace Event Format (JSON object with "traceEvents"; ts and dur in us): a track for each CPU (who runs there), for
 * each task (where it runs), for each inode lock (who waits for it), and for each stream's requests with their stages;
 * queue lengths as a counter; arrows from the hand-over of a request to the worker that takes it.
 */
#include "src/output/event_log_private.h"

#include <json-glib/json-glib.h>

/* Processes that group the tracks. */
enum { CPUS = 1, TASKS, LOCKS, REQUESTS, QUEUES };

typedef struct {
  const EventLogData *data;
  GString *out;
  gboolean first, full;
  UrTime cut;
} Chrome;

static void put_us (GString *out, const char *name, UrTime ns)
{
  g_string_append_printf (out, ",\"%s\":%" G_GUINT64_FORMAT ".%03u", name, ns / 1000, (unsigned) (ns % 1000));
}

/* {"ph":"X","pid":1,"tid":0,"name":"..."; the caller goes on and calls event_end(). */
static gsize event_begin (Chrome *c, char phase, unsigned pid, unsigned tid, const char *name)
{
  JsonNode *node = json_node_init_string (json_node_alloc (), name);
  g_autofree char *text = json_to_string (node, FALSE);
  const gsize before = c->out->len;

  json_node_unref (node);
  g_string_append_printf (c->out, "%s\n{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":%s", c->first ? "" : ",", phase,
                          pid, tid, text);
  c->first = FALSE;
  return before;
}

/* Takes the event back if the file would become too long; 64 bytes are left for its end. */
static void event_end (Chrome *c, gsize before, UrTime time)
{
  g_string_append_c (c->out, '}');
  if (c->out->len + 64 > c->data->limit) {
    g_string_truncate (c->out, before);
    c->full = TRUE;
    c->cut = c->cut ? MIN (c->cut, MAX (time, 1)) : MAX (time, 1);
  }
}

static void put_name (Chrome *c, const char *what, unsigned pid, unsigned tid, const char *name)
{
  JsonNode *node = json_node_init_string (json_node_alloc (), name);
  g_autofree char *text = json_to_string (node, FALSE);
  const gsize before = event_begin (c, 'M', pid, tid, what);

  json_node_unref (node);
  g_string_append_printf (c->out, ",\"args\":{\"name\":%s}", text);
  event_end (c, before, 0);
}

static void put_slice (Chrome *c, unsigned pid, unsigned tid, const char *name, UrTime from, UrTime until)
{
  from = MAX (from, c->data->from);
  until = MIN (until, MIN (c->data->until, c->data->end));
  if (from < until && !c->full) {
    const gsize before = event_begin (c, 'X', pid, tid, name);

    put_us (c->out, "ts", from);
    put_us (c->out, "dur", until - from);
    event_end (c, before, from);
  }
}

static const char *task_name (const EventLogData *data, unsigned task)
{
  return task < data->n_tasks && data->task_names[task] ? data->task_names[task] : "task";
}

static void name_tracks (Chrome *c)
{
  static const char *const groups[] = { [CPUS] = "CPUs",
                                        [TASKS] = "tasks",
                                        [LOCKS] = "waits for inode locks",
                                        [REQUESTS] = "requests",
                                        [QUEUES] = "queued work" };

  for (unsigned pid = CPUS; pid <= QUEUES; pid++) {
    put_name (c, "process_name", pid, 0, groups[pid]);
  }
  for (unsigned cpu = 0; cpu < c->data->cpus; cpu++) {
    g_autofree char *name = g_strdup_printf ("CPU %u", cpu);

    put_name (c, "thread_name", CPUS, cpu, name);
  }
  for (unsigned task = 0; task < c->data->n_tasks; task++) {
    g_autofree char *name = g_strdup_printf ("%s-%u", task_name (c->data, task), task + EVENT_LOG_PID);

    put_name (c, "thread_name", TASKS, task, name);
  }
}

/* Who runs on each CPU, from one switch to the next. */
static void put_cpus (Chrome *c)
{
  const EventLogData *data = c->data;
  g_autofree unsigned *running = g_new0 (unsigned, data->cpus);
  g_autofree UrTime *since = g_new0 (UrTime, data->cpus);

  for (unsigned i = 0; i <= data->events->len; i++) {
    const TraceEvent *event = i < data->events->len ? &g_array_index (data->events, TraceEvent, i) : NULL;

    if (event && event->kind != TRACE_SCHED_SWITCH && event->kind != TRACE_CPU_IDLE) {
      continue;
    }
    for (unsigned cpu = event ? event->cpu : 0; cpu < (event ? event->cpu + 1 : data->cpus); cpu++) {
      const UrTime now = event ? event->time : data->end;

      if (running[cpu]) {
        g_autofree char *where = g_strdup_printf ("CPU %u", cpu);

        put_slice (c, CPUS, cpu, task_name (data, running[cpu] - 1), since[cpu], now);
        put_slice (c, TASKS, running[cpu] - 1, where, since[cpu], now);
      }
      running[cpu] = event && event->kind == TRACE_SCHED_SWITCH ? event->task + 1 : 0;
      since[cpu] = now;
    }
  }
}

static void put_async (Chrome *c, char phase, const LoggedLife *life, const char *name, UrTime time)
{
  if (!c->full && time >= c->data->from && time < c->data->until) {
    const gsize before = event_begin (c, phase, REQUESTS, life->stream, name);

    g_string_append_printf (c->out, ",\"cat\":\"request\",\"id\":\"%u.%" G_GUINT64_FORMAT "\"", life->stream,
                            life->number);
    put_us (c->out, "ts", time);
    event_end (c, before, time);
  }
}

static void put_span (Chrome *c, const LoggedLife *life, const char *name, UrTime from, UrTime until)
{
  /* both or none, so that what begins also ends */
  if (from < until && from >= c->data->from && until < c->data->until && c->out->len + 1024 < c->data->limit) {
    put_async (c, 'b', life, name, from);
    put_async (c, 'e', life, name, until);
  }
}

static void put_arrow (Chrome *c, const LoggedLife *life)
{
  const struct {
    char phase;
    unsigned task;
    UrTime time;
  } ends[] = { { 's', life->stream, life->time.queued }, { 'f', life->executor, life->time.started } };

  if (!life->time.queued || !life->time.started || life->time.queued < c->data->from ||
      life->time.started >= c->data->until || c->out->len + 1024 >= c->data->limit) {
    return;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (ends); i++) {
    const gsize before = event_begin (c, ends[i].phase, TASKS, ends[i].task, "punt");

    g_string_append_printf (c->out, ",\"cat\":\"punt\",\"id\":\"%u.%" G_GUINT64_FORMAT "\"%s", life->stream,
                            life->number, i ? ",\"bp\":\"e\"" : "");
    put_us (c->out, "ts", ends[i].time);
    event_end (c, before, ends[i].time);
  }
}

static void put_lives (Chrome *c)
{
  const EventLogData *data = c->data;

  for (unsigned i = 0; i < data->lives->len && !c->full; i++) {
    const LoggedLife *life = &g_array_index (data->lives, LoggedLife, i);
    const RequestTimes *t = &life->time;
    const UrTime start = t->started ? t->started : t->attempt;
    g_autofree char *name = g_strdup_printf ("%s %" G_GUINT64_FORMAT " %s", io_op_name (life->op), life->number,
                                             outcome_name (life->outcome));

    put_span (c, life, name, t->prepared, t->reaped);
    put_span (c, life, "submit", t->prepared, t->attempt);
    if (t->queued) {
      put_span (c, life, "attempt", t->attempt, t->verdict);
      put_span (c, life, "punt", t->verdict, t->queued);
      put_span (c, life, "queue", t->queued, t->started);
    }
    put_span (c, life, "lock", t->lock_wanted, t->lock_got);
    put_span (c, life, "service", MAX (start, t->lock_got), t->done);
    put_span (c, life, "complete", t->done, t->posted);
    put_span (c, life, "reap", t->posted, t->reaped);
    put_arrow (c, life);
    if (t->lock_got > t->lock_wanted && life->lock_holder != RESULT_NOBODY) {
      g_autofree char *who =
          g_strdup_printf ("%s waits for %s", task_name (data, life->executor), result_task_name (life->lock_holder));

      put_slice (c, LOCKS, life->file * 64 + life->executor % 64, who, t->lock_wanted, t->lock_got);
    }
  }
}

static int compare_times (gconstpointer a, gconstpointer b)
{
  const gint64 l = *(const gint64 *) a, r = *(const gint64 *) b, x = ABS (l), y = ABS (r);

  return x != y ? (x > y) - (x < y) : (l < r) - (l > r);
}

/* Work that is queued and not begun. */
static void put_queue (Chrome *c)
{
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (gint64)); /* a time; negative: one less */
  int64_t level = 0;

  for (unsigned i = 0; i < c->data->lives->len; i++) {
    const RequestTimes *t = &g_array_index (c->data->lives, LoggedLife, i).time;
    const gint64 queued = (gint64) t->queued, started = -(gint64) t->started;

    if (t->queued && t->started) {
      g_array_append_val (changes, queued);
      g_array_append_val (changes, started);
    }
  }
  g_array_sort (changes, compare_times);
  for (unsigned i = 0; i < changes->len && !c->full; i++) {
    const gint64 change = g_array_index (changes, gint64, i);
    const UrTime time = (UrTime) ABS (change);

    level += change > 0 ? 1 : -1;
    if (time >= c->data->from && time < c->data->until) {
      const gsize before = event_begin (c, 'C', QUEUES, 0, "queued");

      put_us (c->out, "ts", time);
      g_string_append_printf (c->out, ",\"args\":{\"requests\":%" G_GINT64_FORMAT "}", MAX (level, 0));
      event_end (c, before, time);
    }
  }
}

UrTime event_log_chrome (const EventLogData *data, GString *out)
{
  Chrome c = { .data = data, .out = out, .first = TRUE };

  g_string_append (out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  name_tracks (&c);
  put_cpus (&c);
  put_lives (&c);
  put_queue (&c);
  g_string_append (out, "\n]}\n");
  return c.cut;
}
