/*
 * Kernel trace text as a Trace: facts about its io_uring requests.  It says neither offset nor length, so there is no
 * stream of them.  See trace.h and tracepoint.h.
 */
#include "src/engine/histogram.h"
#include "src/input/input_error.h"
#include "src/input/trace.h"
#include "src/input/tracepoint.h"

typedef struct {
  uint64_t ring_and_request[2]; /* the key */
  UrTime submitted;
  gboolean punted;
} Open;

typedef struct {
  GHashTable *open; /* of requests in flight; the reader bounds their number */
  uint64_t rings, submitted, completed, hashed, unhashed, max_open, first, last, back_steps;
  gboolean has_first;
  UrHistogram latency, punted;
} Survey;

static guint hash (gconstpointer data)
{
  const Open *open = data;
  return (guint) ((open->ring_and_request[1] * 31 + open->ring_and_request[0]) *
                      G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >>
                  32);
}

static gboolean equal (gconstpointer a, gconstpointer b)
{
  const Open *one = a, *two = b;
  return one->ring_and_request[0] == two->ring_and_request[0] && one->ring_and_request[1] == two->ring_and_request[1];
}

static void complete (Survey *survey, const Open *key, UrTime time)
{
  Open *open = g_hash_table_lookup (survey->open, key);
  if (!open) {
    return; /* a further CQE of a request that is done */
  }
  survey->completed++;
  const uint64_t latency = time > open->submitted ? time - open->submitted : 0;
  ur_histogram_record (&survey->latency, latency);
  if (open->punted) {
    ur_histogram_record (&survey->punted, latency);
  }
  g_hash_table_remove (survey->open, key);
}

static void add_event (Survey *survey, const Tracepoint *event)
{
  const Open key = { .ring_and_request = { event->ring, event->request }, .submitted = event->time };
  survey->back_steps += survey->has_first && event->time < survey->last;
  survey->first = survey->has_first ? MIN (survey->first, event->time) : event->time;
  survey->last = MAX (survey->last, event->time);
  survey->has_first = TRUE;
  switch (event->kind) {
  case TRACEPOINT_CREATE:
    survey->rings++;
    break;
  case TRACEPOINT_SUBMIT: {
    Open *open = g_memdup2 (&key, sizeof key);
    survey->submitted++;
    g_hash_table_replace (survey->open, open, open);
    survey->max_open = MAX (survey->max_open, g_hash_table_size (survey->open));
    break;
  }
  case TRACEPOINT_QUEUE_ASYNC_WORK: {
    Open *open = g_hash_table_lookup (survey->open, &key);
    survey->hashed += event->hashed;
    survey->unhashed += !event->hashed;
    if (open) {
      open->punted = TRUE;
    }
    break;
  }
  case TRACEPOINT_COMPLETE:
    complete (survey, &key, event->time);
    break;
  default:
    break;
  }
}

static void add_latency (GArray *facts, const UrHistogram *histogram, const char *mean, const char *min,
                         const char *max)
{
  if (histogram->n) {
    trace_add_number (facts, mean, (uint64_t) ur_histogram_mean (histogram));
    trace_add_number (facts, min, histogram->min);
    trace_add_number (facts, max, histogram->max);
  }
}

static void add_facts (Trace *trace, const Survey *survey, const TracepointInfo *events)
{
  TraceInfo *info = &trace->info;
  GArray *facts = info->facts;
  info->first_ns = survey->first;
  info->span_ns = survey->last - survey->first;
  info->back_steps = survey->back_steps;
  info->segments = 1;
  info->has_times = TRUE;
  trace_add_number (facts, "lines", events->lines);
  trace_add_number (facts, "rings", survey->rings);
  trace_add_number (facts, "requests", survey->submitted);
  trace_add_number (facts, "completions", survey->completed);
  trace_add_number (facts, "punted_hashed", survey->hashed);
  trace_add_number (facts, "punted_unhashed", survey->unhashed);
  trace_add_number (facts, "max_in_flight", survey->max_open);
  add_latency (facts, &survey->latency, "latency_mean_ns", "latency_min_ns", "latency_max_ns");
  add_latency (facts, &survey->punted, "punted_mean_ns", "punted_min_ns", "punted_max_ns");
  trace_add_number (facts, "lost", events->lost);
  trace_add_number (facts, "unknown", events->unknown);
  trace_add_number (facts, "strays", events->strays);
  if (events->lost) {
    trace_warn (info, "%" G_GUINT64_FORMAT " events were lost when the trace was taken", events->lost);
  }
  if (events->unknown) {
    trace_warn (info, "%" G_GUINT64_FORMAT " events of other names were skipped", events->unknown);
  }
  if (events->strays) {
    trace_warn (info, "%" G_GUINT64_FORMAT " events of requests that were submitted before the trace began",
                events->strays);
  }
}

Trace *trace_new_from_tracepoints (ByteSource *source, GError **error)
{
  g_autoptr (TracepointReader) reader = tracepoint_reader_new (source, error);
  g_autoptr (Trace) trace = trace_new (byte_source_name (source), "tracepoints");
  Survey survey = { .open = g_hash_table_new_full (hash, equal, g_free, NULL) };
  Tracepoint event;
  int more = -1;
  ur_histogram_init (&survey.latency);
  ur_histogram_init (&survey.punted);
  while (reader && (more = tracepoint_reader_next (reader, &event, error)) > 0) {
    add_event (&survey, &event);
  }
  g_hash_table_unref (survey.open);
  if (more < 0) {
    return NULL;
  }
  add_facts (trace, &survey, tracepoint_reader_info (reader));
  trace->refusal = g_strdup ("kernel trace text says no offsets and lengths and cannot be replayed; uringsim validate "
                             "compares it with its job");
  return g_steal_pointer (&trace);
}
