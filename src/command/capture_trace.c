/* See capture_trace.h. */
#include "src/command/capture_trace.h"
#include "src/input/input_error.h"

/* As many repetitions are looked for. */
enum { REPETITIONS_MAX = 100, RINGS_KEPT = 4096 };

gboolean capture_trace_is_repetition (const char *name)
{
  const char *dot = g_strrstr (name, ".r");

  return dot && dot != name && g_ascii_isdigit (dot[2]) && dot[2 + strspn (dot + 2, "0123456789")] == '\0';
}

uint64_t capture_trace_count (const Observation *observation, CaptureCount count)
{
  const ObservedCounts *counts = observation_counts (observation);

  switch (count) {
  case CAPTURE_SUBMITTED:
    return counts->submitted;
  case CAPTURE_PUNTED:
    return counts->punted;
  case CAPTURE_HASHED:
    return counts->hashed;
  case CAPTURE_WORKERS:
    return counts->workers;
  default:
    g_assert_not_reached ();
  }
}

double capture_trace_switches (const Observation *observation)
{
  const ObservedCounts *counts = observation_counts (observation);

  return (double) counts->switches / (double) MAX (counts->submitted, 1);
}

static TaskRole role_in_trace (unsigned task, gconstpointer data) { return tracepoint_reader_role (data, task); }

static void keep_ring (GArray *rings, const Tracepoint *event)
{
  const CaptureRing ring = { event->sq_entries, event->cq_entries, event->flags };

  if (ring.sq_entries && rings->len < RINGS_KEPT) {
    g_array_append_val (rings, ring);
  }
}

/* One trace; `ret_info` and `rings` are nullable. */
static Observation *observe (const char *path, const ObservedStream *streams, unsigned n_streams,
                             TracepointInfo *ret_info, GArray *rings, GError **error)
{
  ByteSource *source = byte_source_open (path, error);
  g_autoptr (TracepointReader) reader = source ? tracepoint_reader_new (source, error) : NULL;
  g_autoptr (Observation) observation = observation_new (streams, n_streams);
  Tracepoint event;
  int got = -1;

  while (reader && (got = tracepoint_reader_next (reader, &event, error)) > 0) {
    if (event.kind == TRACEPOINT_CREATE && rings) {
      keep_ring (rings, &event);
    }
    observation_add (observation, &event);
  }
  if (got == 0) {
    const TracepointInfo *info = tracepoint_reader_info (reader);
    observation_end (observation, role_in_trace, reader);
    if (ret_info) {
      *ret_info = *info;
    }
    if (observation_counts (observation)->submitted == 0) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                   "%s: no submission among %" G_GUINT64_FORMAT " events; expected io_uring_submit_req or "
                   "io_uring_submit_sqe",
                   byte_source_name (source), info->lines);
      got = -1;
    }
  }
  byte_source_unref (source);
  return got == 0 ? g_steal_pointer (&observation) : NULL;
}

/* `sum`: of the switches so far, for their mean. */
static void add_repetition (CaptureTrace *trace, const Observation *observation, double *sum)
{
  const double switches = capture_trace_switches (observation);
  const gboolean first = trace->n == 0;

  for (unsigned i = 0; i < CAPTURE_COUNT_KINDS; i++) {
    const uint64_t count = capture_trace_count (observation, (CaptureCount) i);
    trace->low[i] = first ? count : MIN (trace->low[i], count);
    trace->high[i] = first ? count : MAX (trace->high[i], count);
  }
  trace->switches_low = first ? switches : MIN (trace->switches_low, switches);
  trace->switches_high = first ? switches : MAX (trace->switches_high, switches);
  *sum += switches;
  trace->n++;
  trace->switches = *sum / trace->n;
}

CaptureTrace *capture_trace_open (const char *directory, const char *name, const ObservedStream *streams,
                                  unsigned n_streams, GError **error)
{
  g_autoptr (CaptureTrace) trace = g_new0 (CaptureTrace, 1);
  double sum = 0;

  trace->all = g_ptr_array_new_with_free_func ((GDestroyNotify) observation_free);
  trace->rings = g_array_new (FALSE, FALSE, sizeof (CaptureRing));
  for (unsigned i = 1; i <= REPETITIONS_MAX; i++) {
    g_autofree char *file = i == 1 ? g_strconcat (name, CAPTURE_TRACE_SUFFIX, NULL)
                                   : g_strdup_printf ("%s.r%u" CAPTURE_TRACE_SUFFIX, name, i);
    g_autofree char *path = g_build_filename (directory, file, NULL);
    if (i > 1 && !g_file_test (path, G_FILE_TEST_EXISTS)) {
      break;
    }
    Observation *observation =
        observe (path, streams, n_streams, i == 1 ? &trace->info : NULL, i == 1 ? trace->rings : NULL, error);
    if (!observation) {
      return NULL;
    }
    add_repetition (trace, observation, &sum);
    g_ptr_array_add (trace->all, observation);
    trace->first = trace->all->pdata[0];
  }
  return g_steal_pointer (&trace);
}

void capture_trace_free (CaptureTrace *trace)
{
  if (!trace) {
    return;
  }
  g_ptr_array_unref (trace->all);
  g_array_unref (trace->rings);
  g_free (trace);
}
