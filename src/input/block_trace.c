/*
 * Block traces as workloads.  See block_trace.h.
 */
#include "src/input/block_trace.h"
#include "src/input/block_latency.h"
#include "src/input/input_error.h"
#include <string.h>

typedef struct {
  ByteSource **source;
  unsigned n;
  gboolean text, lenient;
  BlockArrival arrival;
  uint64_t first; /* time of the first event that counts */
} BlockTrace;

/* What a first pass counts that later ones do not need. */
typedef struct {
  Trace *trace;
  BlockLatency latency;
  uint64_t records, notifications, completions, errors, zero_bytes, flushes, fua, last;
  gboolean has_first;
} Survey;

/* ---- one pass: events by time, then requests ---- */

typedef struct {
  IoSource base;
  const Trace *trace;
  const BlockTrace *block;
  Survey *survey;       /* (nullable): a later pass */
  BlockReader **reader; /* those at their end are NULL */
  BlockEvent *head;     /* the next event of each */
  uint64_t clock;       /* arrivals do not go back */
  gboolean has_data;    /* `data` follows the flush handed out last */
  Io data;
  uint32_t last_major, last_minor, last_file;
} Pass;

/* Takes the next event of reader i into head[i]. */
static gboolean advance (Pass *pass, unsigned i, GError **error)
{
  const int more = pass->reader[i]->next (pass->reader[i], &pass->head[i], error);
  if (more <= 0) {
    pass->reader[i]->free (pass->reader[i]);
    pass->reader[i] = NULL;
  }
  return more >= 0;
}

/* The earliest event; of equals that of the first file. */
static int next_event (Pass *pass, BlockEvent *ret_event, GError **error)
{
  unsigned earliest = pass->block->n;
  for (unsigned i = 0; i < pass->block->n; i++) {
    if (pass->reader[i] && (earliest == pass->block->n || pass->head[i].time < pass->head[earliest].time)) {
      earliest = i;
    }
  }
  if (earliest == pass->block->n) {
    return 0;
  }
  *ret_event = pass->head[earliest];
  return advance (pass, earliest, error) ? 1 : -1;
}

static gboolean find_device (Pass *pass, const BlockEvent *event, uint32_t *ret_file, GError **error)
{
  if (pass->last_file != IOLOG_NAME_NONE && pass->last_major == event->major && pass->last_minor == event->minor) {
    *ret_file = pass->last_file;
    return TRUE;
  }
  char name[32];
  const unsigned length = (unsigned) g_snprintf (name, sizeof name, "%u,%u", event->major, event->minor);
  uint32_t file = iolog_names_find (&pass->trace->files, name, length);
  if (file == IOLOG_NAME_NONE && (!pass->survey || pass->trace->files.n >= BLOCK_TRACE_DEVICES_LIMIT)) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 pass->survey ? "%s: more than %u devices" : "%s: the trace changed while it was in use",
                 pass->trace->name, BLOCK_TRACE_DEVICES_LIMIT);
    return FALSE;
  }
  if (file == IOLOG_NAME_NONE) {
    file = iolog_names_add (&pass->survey->trace->files, name, length);
  }
  pass->last_major = event->major;
  pass->last_minor = event->minor;
  *ret_file = pass->last_file = file;
  return TRUE;
}

static void survey_event (Survey *survey, const BlockEvent *event)
{
  survey->records++;
  survey->notifications += event->action == BLOCK_NOTIFY;
  if (event->action == BLOCK_COMPLETE) {
    survey->completions++;
    survey->errors += event->error != 0;
  }
  block_latency_add (&survey->latency, event);
}

/* The clock of an event that counts. */
static void survey_time (Survey *survey, BlockTrace *block, const BlockEvent *event)
{
  TraceInfo *info = &survey->trace->info;
  if (!survey->has_first) {
    block->first = info->first_ns = event->time;
    info->span_ns = 0;
  } else {
    info->back_steps += event->time < survey->last;
    const uint64_t last = MAX (info->first_ns + info->span_ns, event->time);
    info->first_ns = MIN (info->first_ns, event->time);
    info->span_ns = last - info->first_ns;
  }
  survey->has_first = TRUE;
  survey->last = event->time;
  survey->flushes += event->flush;
  survey->fua += event->fua;
  survey->zero_bytes += event->bytes == 0 && !event->flush;
}

/* The requests of an event that counts: one into *io, its data after a flush into pass->data.  FALSE: none. */
static gboolean take_requests (Pass *pass, const BlockEvent *event, uint32_t file, Io *io)
{
  const uint64_t since = event->time > pass->block->first ? event->time - pass->block->first : 0;
  pass->clock = MAX (pass->clock, since);
  const Io data = { .arrival = pass->clock,
                    .file = file,
                    .op = event->discard ? IO_TRIM
                          : event->write ? IO_WRITE
                                         : IO_READ,
                    .offset = event->offset,
                    .length = event->bytes };
  if (event->flush && !event->discard) {
    *io = (Io){ .arrival = pass->clock, .file = file, .op = IO_SYNC };
    pass->has_data = event->bytes > 0;
    pass->data = data;
    return TRUE;
  }
  *io = data;
  return event->bytes > 0;
}

static int pass_next (IoSource *base, Io *ret_io, GError **error)
{
  Pass *pass = (Pass *) base;
  const BlockAction wanted = pass->block->arrival == BLOCK_EVENT_ISSUE ? BLOCK_ISSUE : BLOCK_QUEUE;
  BlockEvent event;
  uint32_t file;
  int more;
  if (pass->has_data) {
    pass->has_data = FALSE;
    *ret_io = pass->data;
    return 1;
  }
  while ((more = next_event (pass, &event, error)) > 0) {
    if (pass->survey) {
      survey_event (pass->survey, &event);
    }
    if (event.action != wanted) {
      continue;
    }
    if (pass->survey) {
      survey_time (pass->survey, (BlockTrace *) pass->block, &event);
    }
    if (!find_device (pass, &event, &file, error)) {
      return -1;
    }
    if (pass->survey && event.discard && !pass->survey->trace->trims_at) {
      pass->survey->trace->trims_at =
          g_strdup_printf ("%s:%s%" G_GUINT64_FORMAT, pass->trace->name, pass->block->text ? "" : "+", event.place);
    }
    if (take_requests (pass, &event, file, ret_io)) {
      return 1;
    }
  }
  return more;
}

static void pass_free (IoSource *base)
{
  Pass *pass = (Pass *) base;
  for (unsigned i = 0; i < pass->block->n; i++) {
    if (pass->reader[i]) {
      pass->reader[i]->free (pass->reader[i]);
    }
  }
  g_free (pass->reader);
  g_free (pass->head);
  g_free (pass);
}

static IoSource *pass_new (const Trace *trace, Survey *survey, GError **error)
{
  const BlockTrace *block = trace->data;
  TraceInfo *info = survey ? &survey->trace->info : NULL;
  Pass *pass = g_new0 (Pass, 1);
  pass->base = (IoSource){ .next = pass_next, .free = pass_free };
  pass->trace = trace;
  pass->block = block;
  pass->survey = survey;
  pass->reader = g_new0 (BlockReader *, block->n);
  pass->head = g_new0 (BlockEvent, block->n);
  pass->last_file = IOLOG_NAME_NONE;
  for (unsigned i = 0; i < block->n; i++) {
    pass->reader[i] = block->text ? blkparse_reader_new (block->source[i], block->lenient, info, error)
                                  : blktrace_reader_new (block->source[i], block->lenient, info, error);
    if (!pass->reader[i] || !advance (pass, i, error)) {
      pass_free (&pass->base);
      return NULL;
    }
  }
  return &pass->base;
}

static IoSource *pass_open (const Trace *trace, GError **error) { return pass_new (trace, NULL, error); }

/* ---- the first pass ---- */

static void add_latency (GArray *facts, const UrHistogram *histogram, const char *n, const char *mean, const char *min,
                         const char *max)
{
  if (histogram->n) {
    trace_add_number (facts, n, histogram->n);
    trace_add_number (facts, mean, (uint64_t) ur_histogram_mean (histogram));
    trace_add_number (facts, min, histogram->min);
    trace_add_number (facts, max, histogram->max);
  }
}

static void add_facts (Trace *trace, const Survey *survey, const BlockTrace *block)
{
  TraceInfo *info = &trace->info;
  GArray *facts = info->facts;
  trace_add_number (facts, block->text ? "lines" : "records", survey->records);
  trace_add_number (facts, "notifications", survey->notifications);
  trace_add_number (facts, "completions", survey->completions);
  trace_add_number (facts, "errors", survey->errors);
  trace_add_number (facts, "zero_length", survey->zero_bytes);
  trace_add_number (facts, "flushes", survey->flushes);
  trace_add_number (facts, "fua", survey->fua);
  if (survey->latency.total.n) {
    trace_add_number (facts, "max_in_flight", survey->latency.max_open);
  }
  add_latency (facts, &survey->latency.total, "latencies", "latency_mean_ns", "latency_min_ns", "latency_max_ns");
  add_latency (facts, &survey->latency.service, "services", "service_mean_ns", "service_min_ns", "service_max_ns");
  trace_add_text (info->interpretation, "arrival", block->arrival == BLOCK_EVENT_ISSUE ? "D (issue)" : "Q (queue)");
  if (block->n > 1) {
    trace_add_number (info->interpretation, "merged_files", block->n);
  }
  if (survey->zero_bytes) {
    trace_warn (info, "%" G_GUINT64_FORMAT " requests of zero bytes are left out", survey->zero_bytes);
  }
  if (survey->fua) {
    trace_warn (info, "%" G_GUINT64_FORMAT " writes with FUA are replayed without it", survey->fua);
  }
  if (info->back_steps) {
    trace_warn (info,
                "time goes backwards %" G_GUINT64_FORMAT " times; a request arrives no earlier than the one before",
                info->back_steps);
  }
  if (survey->latency.lost) {
    trace_warn (info, "more than %u requests in flight; the latencies of %" G_GUINT64_FORMAT " are not known",
                BLOCK_TRACE_OPEN_LIMIT, survey->latency.lost);
  }
}

static gboolean first_pass (Trace *trace, BlockTrace *block, GError **error)
{
  Survey survey = { .trace = trace };
  Io io;
  int more = -1;
  block_latency_init (&survey.latency);
  IoSource *pass = pass_new (trace, &survey, error);
  while (pass && (more = pass->next (pass, &io, error)) > 0) {
    trace_count (trace, &io);
  }
  io_source_free (pass);
  if (more == 0 && trace->ios == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no request in %" G_GUINT64_FORMAT " %s; expected %s events",
                 trace->name, survey.records, block->text ? "lines" : "records",
                 block->arrival == BLOCK_EVENT_ISSUE ? "D" : "Q");
    more = -1;
  }
  if (more == 0) {
    trace->info.files = trace->files.n;
    trace->info.has_times = TRUE;
    trace->info.segments = 1;
    add_facts (trace, &survey, block);
  }
  block_latency_clear (&survey.latency);
  return more == 0;
}

static void block_trace_free (gpointer data)
{
  BlockTrace *block = data;
  for (unsigned i = 0; i < block->n; i++) {
    byte_source_unref (block->source[i]);
  }
  g_free (block->source);
  g_free (block);
}

Trace *block_trace_open (ByteSource *const *sources, unsigned n, gboolean text, gboolean lenient, BlockArrival arrival,
                         GError **error)
{
  g_autoptr (Trace) trace = trace_new (byte_source_name (sources[0]), text ? "blkparse" : "blktrace");
  BlockTrace *block = g_new0 (BlockTrace, 1);
  trace->data = block;
  trace->free_data = block_trace_free;
  trace->open = pass_open;
  trace->direct = TRUE;
  trace->unsaid = g_strdup ("a block trace does not say what is above the device: its requests are replayed as direct "
                            "I/O on a file for each device");
  if (n > BLOCK_TRACE_SOURCES_LIMIT) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE, "%s: %u files in one set; expected at most %u", trace->name, n,
                 BLOCK_TRACE_SOURCES_LIMIT);
    return NULL;
  }
  block->source = g_new0 (ByteSource *, n);
  block->n = n;
  block->text = text;
  block->lenient = lenient;
  block->arrival = arrival;
  for (unsigned i = 0; i < n; i++) {
    block->source[i] = byte_source_ref (sources[i]);
  }
  return first_pass (trace, block, error) ? g_steal_pointer (&trace) : NULL;
}
