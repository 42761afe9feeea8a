/*
 * Trace text as the kernel's trace_pipe prints it, with stamps in nanoseconds (trace_clock mono, nano): io_uring_* and
 * sched_* events with the fields of the kernel's version, so that scripts for the real thing read it.  Addresses are
 * made up, but different for different rings and requests.
 */
#include "model/kernel_version.h"
#include "src/output/event_log_private.h"

typedef struct {
  const EventLogData *data;
  GString *out;
  unsigned *running; /* by CPU: task + 1; 0: idle */
} Ftrace;

static uint64_t ring_address (const TraceEvent *event)
{
  return UINT64_C (0xa0000000) + event->ring * UINT64_C (0x1000);
}

static uint64_t request_address (const TraceEvent *event)
{
  return UINT64_C (0xc000000000) + ((uint64_t) event->application << 32) + event->request * 0x100;
}

static uint64_t user_data (const TraceEvent *event) { return ((uint64_t) event->application << 32) + event->request; }

static const char *opcode_name (const TraceEvent *event)
{
  switch (event->opcode) {
  case REQUEST_IO:
    return event->op == IO_READ              ? "READ"
           : event->op == IO_WRITE           ? "WRITE"
           : event->op == IO_SYNC_FILE_RANGE ? "SYNC_FILE_RANGE"
                                             : "FSYNC";
  case REQUEST_NOP:
    return "NOP";
  default:
    return "TIMEOUT";
  }
}

static const char *task_name (const EventLogData *data, unsigned task)
{
  return task < data->n_tasks && data->task_names[task] ? data->task_names[task] : "task";
}

/* "COMM-PID [CPU] FLAGS SECONDS: EVENT: " */
static void put_head (Ftrace *f, unsigned cpu, unsigned task_plus_1, UrTime time, const char *event)
{
  GString *out = f->out;

  if (task_plus_1) {
    g_string_append_printf (out, "%16s-%-7u", task_name (f->data, task_plus_1 - 1), task_plus_1 - 1 + EVENT_LOG_PID);
  } else {
    g_string_append_printf (out, "%16s-%-7u", "<idle>", 0);
  }
  g_string_append_printf (out, " [%03u] ..... %5" G_GUINT64_FORMAT ".%09" G_GUINT64_FORMAT ": %s: ", cpu, time / UR_S,
                          time % UR_S, event);
}

static void put_switch (Ftrace *f, const TraceEvent *event, unsigned next)
{
  unsigned *running = &f->running[event->cpu];
  const gboolean from_idle = !*running, to_idle = !next;

  put_head (f, event->cpu, *running, event->time, "sched_switch");
  if (from_idle) {
    g_string_append_printf (f->out, "prev_comm=swapper/%u prev_pid=0 prev_prio=120 prev_state=R", event->cpu);
  } else {
    g_string_append_printf (f->out, "prev_comm=%s prev_pid=%u prev_prio=120 prev_state=%c",
                            task_name (f->data, *running - 1), *running - 1 + EVENT_LOG_PID, to_idle ? 'S' : 'R');
  }
  if (to_idle) {
    g_string_append_printf (f->out, " ==> next_comm=swapper/%u next_pid=0 next_prio=120\n", event->cpu);
  } else {
    g_string_append_printf (f->out, " ==> next_comm=%s next_pid=%u next_prio=120\n", task_name (f->data, next - 1),
                            next - 1 + EVENT_LOG_PID);
  }
  *running = next;
}

static void put_request (Ftrace *f, const TraceEvent *event)
{
  const uint64_t ring = ring_address (event), req = request_address (event), user = user_data (event);
  const gboolean old = f->data->kernel < KERNEL (5, 19);
  const unsigned flags = event->force_async ? 0x10 : 0;
  GString *out = f->out;

  switch (event->kind) {
  case TRACE_SUBMIT_REQ:
    put_head (f, event->cpu, event->task + 1, event->time, old ? "io_uring_submit_sqe" : "io_uring_submit_req");
    g_string_append_printf (out,
                            "ring %016" G_GINT64_MODIFIER "x, req %016" G_GINT64_MODIFIER
                            "x, user_data 0x%" G_GINT64_MODIFIER "x, opcode %s, flags 0x%x, %ssq_thread %d\n",
                            ring, req, user, opcode_name (event), flags, old ? "non block 1, " : "",
                            event->by_sq_thread);
    return;
  case TRACE_QUEUE_ASYNC_WORK:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_queue_async_work");
    g_string_append_printf (
        out,
        "ring %016" G_GINT64_MODIFIER "x, request %016" G_GINT64_MODIFIER "x, user_data 0x%" G_GINT64_MODIFIER
        "x, opcode %s, flags 0x%x, %s queue, work %016" G_GINT64_MODIFIER "x\n",
        ring, req, user, opcode_name (event), flags, event->hashed ? "hashed" : "normal", req + 0xd0);
    return;
  case TRACE_SHORT_WRITE:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_short_write");
    g_string_append_printf (out,
                            "ring %016" G_GINT64_MODIFIER "x, fpos %" G_GUINT64_FORMAT ", wanted %" G_GUINT64_FORMAT
                            ", got %" G_GUINT64_FORMAT "\n",
                            ring, event->offset, event->length, event->got);
    return;
  default:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_complete");
    g_string_append_printf (out,
                            "ring %016" G_GINT64_MODIFIER "x, req %016" G_GINT64_MODIFIER
                            "x, user_data 0x%" G_GINT64_MODIFIER "x, result %" G_GINT64_FORMAT
                            ", cflags 0x0 extra1 0 extra2 0\n",
                            ring, req, user, event->result);
  }
}

static void put_event (Ftrace *f, const TraceEvent *event)
{
  GString *out = f->out;

  switch (event->kind) {
  case TRACE_SCHED_SWITCH:
    put_switch (f, event, event->task + 1);
    return;
  case TRACE_CPU_IDLE:
    put_switch (f, event, 0);
    return;
  case TRACE_SCHED_WAKEUP:
    put_head (f, event->cpu, f->running[event->cpu], event->time, "sched_wakeup");
    g_string_append_printf (out, "comm=%s pid=%u prio=120 target_cpu=%03u\n", task_name (f->data, event->task),
                            event->task + EVENT_LOG_PID, event->cpu);
    return;
  case TRACE_CQRING_WAIT:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_cqring_wait");
    g_string_append_printf (out, "ring %016" G_GINT64_MODIFIER "x, min_events %u\n", ring_address (event),
                            event->count);
    return;
  case TRACE_LOCAL_WORK_RUN:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_local_work_run");
    g_string_append_printf (out, "ring %016" G_GINT64_MODIFIER "x, count %u, loops 1\n", ring_address (event),
                            event->count);
    return;
  case TRACE_TASK_WORK_RUN:
    put_head (f, event->cpu, event->task + 1, event->time, "io_uring_task_work_run");
    g_string_append_printf (out, "tctx %016x, count %u\n", event->task + EVENT_LOG_PID, event->count);
    return;
  default:
    put_request (f, event);
  }
}

UrTime event_log_ftrace (const EventLogData *data, GString *out)
{
  Ftrace f = { .data = data, .out = out, .running = g_new0 (unsigned, data->cpus) };
  UrTime cut = 0;

  g_string_append (out, "# tracer: nop\n#\n#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
                        "# simulated: times in ns since the start of the run\n");
  for (unsigned i = 0; i < data->events->len && !cut; i++) {
    const TraceEvent *event = &g_array_index (data->events, TraceEvent, i);
    const gsize before = out->len;

    put_event (&f, event);
    if (event->time < data->from) { /* it only tells who runs where */
      g_string_truncate (out, before);
    } else if (out->len > data->limit) {
      g_string_truncate (out, before);
      cut = MAX (event->time, 1);
    }
  }
  g_free (f.running);
  return cut;
}
