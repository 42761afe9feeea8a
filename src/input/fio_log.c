/*
 * fio's per-I/O logs as traces.  See fio_log.h.
 */
#include "src/input/fio_log.h"
#include "src/input/fio_log_row.h"
#include "src/input/input_error.h"
#include <string.h>

#define COUNT G_GUINT64_FORMAT

typedef enum { VALUE_LATENCY, VALUE_BANDWIDTH, VALUE_IOPS } ValueKind;

static const struct {
  const char *word, *name; /* in the file's name; for reports */
  ValueKind kind;
} kinds[] = {
  { "_clat.", "completion latency", VALUE_LATENCY },
  { "_slat.", "submission latency", VALUE_LATENCY },
  { "_lat.", "latency", VALUE_LATENCY },
  { "_bw.", "bandwidth", VALUE_BANDWIDTH },
  { "_iops.", "IOPS", VALUE_IOPS },
};

typedef struct {
  ByteSource *source;
  gboolean lenient;
  unsigned form;
  gboolean sized; /* there are sizes: it is no averaged log */
  ValueKind kind;
} FioLog;

/* What the counting pass adds up. */
typedef struct {
  TraceInfo *info;
  uint64_t rows, min, max, sum;
  uint64_t last, largest, late, repeats;
  GHashTable *seen; /* of requests; NULL once there are too many */
} Survey;

/* ---- one pass: rows, then requests by arrival ---- */

typedef struct {
  uint64_t sequence;
  Io io;
} Waiting;

typedef struct {
  IoSource base;
  const FioLog *log;
  Survey *survey; /* (nullable): a later pass */
  ByteStream *stream;
  TraceReading reading;
  Waiting *heap; /* earliest arrival first, of equals the earlier line */
  unsigned n;
  uint64_t sequence, clock;
  gboolean ended;
} Pass;

static gboolean before (const Waiting *a, const Waiting *b)
{
  return a->io.arrival != b->io.arrival ? a->io.arrival < b->io.arrival : a->sequence < b->sequence;
}

static void push (Pass *pass, const Waiting *waiting)
{
  unsigned i = pass->n++;
  for (; i && before (waiting, &pass->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    pass->heap[i] = pass->heap[(i - 1) / 2];
  }
  pass->heap[i] = *waiting;
}

static Waiting pop (Pass *pass)
{
  const Waiting top = pass->heap[0], last = pass->heap[--pass->n];
  unsigned i = 0;
  for (;;) {
    unsigned child = 2 * i + 1;
    if (child + 1 < pass->n && before (&pass->heap[child + 1], &pass->heap[child])) {
      child++;
    }
    if (child >= pass->n || !before (&pass->heap[child], &last)) {
      break;
    }
    pass->heap[i] = pass->heap[child];
    i = child;
  }
  pass->heap[i] = last;
  return top;
}

/* ns that the request took, as far as the row says. */
static uint64_t latency_of (const FioLog *log, const FioLogRow *row)
{
  switch (log->kind) {
  case VALUE_LATENCY:
    return row->value;
  case VALUE_BANDWIDTH: /* bytes * 1000000 / ns */
    return row->value ? (uint64_t) ((unsigned __int128) row->bs * 1000000 / row->value) : 0;
  default:
    return 0;
  }
}

static uint64_t arrival_of (const FioLog *log, const FioLogRow *row)
{
  if (row->issue) {
    return row->issue;
  }
  const uint64_t done = row->time * 1000000 + 500000, latency = latency_of (log, row);
  return done > latency ? done - latency : 0;
}

static void count_repeat (Survey *survey, const FioLogRow *row)
{
  if (!survey->seen || row->bs == 0) {
    return;
  }
  char *key = g_strdup_printf ("%u %" COUNT " %" COUNT, row->direction, row->offset, row->bs);
  if (!g_hash_table_add (survey->seen, key)) {
    survey->repeats++;
  }
  if (g_hash_table_size (survey->seen) > FIO_LOG_REPEATS) {
    g_clear_pointer (&survey->seen, g_hash_table_unref);
  }
}

static void survey_row (Survey *survey, const FioLogRow *row)
{
  TraceInfo *info = survey->info;
  const uint64_t stamp = row->time * 1000000;
  survey->min = survey->rows ? MIN (survey->min, row->value) : row->value;
  survey->max = MAX (survey->max, row->value);
  if (__builtin_add_overflow (survey->sum, row->value, &survey->sum)) {
    survey->sum = UINT64_MAX;
  }
  info->first_ns = survey->rows ? MIN (info->first_ns, stamp) : stamp;
  survey->largest = MAX (survey->largest, stamp);
  info->back_steps += survey->rows && stamp < survey->last;
  info->span_ns = survey->largest - info->first_ns;
  survey->last = stamp;
  survey->rows++;
  count_repeat (survey, row);
}

/* NULL, or what was expected of a line. (static) */
static const char *check_row (const FioLogRow *row)
{
  if (row->time > G_MAXINT64 / 1000000 - 1 || row->issue > G_MAXINT64) {
    return "times below 2^63 ns";
  }
  if (row->offset > G_MAXINT64 || row->bs > G_MAXINT64 - row->offset) {
    return "offset plus size below 2^63";
  }
  return NULL;
}

static gboolean is_blank (const ByteLine *line)
{
  for (unsigned i = 0; i < line->length; i++) {
    if (line->text[i] != ' ' && line->text[i] != '\t') {
      return FALSE;
    }
  }
  return TRUE;
}

static int defect (const TraceReading *reading, const ByteLine *line, const char *expected, GError **error)
{
  g_autofree char *place = g_strdup_printf ("%" COUNT, line->number);
  g_autofree char *found = input_quote (line->text, line->length, 60);
  return trace_defect (reading, place, g_strdup_printf ("found \"%s\"; expected %s", found, expected), error);
}

/* The next row: 1, 0 at the end, -1 with error set. */
static int next_row (Pass *pass, FioLogRow *row, GError **error)
{
  ByteLine line;
  FioLogColumns columns;
  int more;
  while ((more = byte_stream_next_line (pass->stream, &line, error)) > 0) {
    if (is_blank (&line)) {
      continue;
    }
    const char *expected = line.too_long ? "a line of at most 4095 bytes" : NULL;
    expected = expected ? expected : fio_log_parse (line.text, line.length, &columns);
    if (!expected && !(fio_log_forms (&columns) >> pass->log->form & 1)) {
      expected = "the columns of the other lines, and 0, 1 or 2 as direction";
    }
    if (!expected) {
      fio_log_row (&columns, pass->log->form, row);
      expected = check_row (row);
    }
    if (!expected) {
      if (!line.has_newline && pass->reading.info) {
        trace_warn (pass->reading.info, "the last line has no newline: it may be cut, and its last number with it");
      }
      return 1;
    }
    if (defect (&pass->reading, &line, expected, error) < 0) {
      return -1;
    }
  }
  return more;
}

static int pass_next (IoSource *base, Io *ret_io, GError **error)
{
  static const IoOp ops[] = { IO_READ, IO_WRITE, IO_TRIM };
  Pass *pass = (Pass *) base;
  FioLogRow row;
  while (!pass->ended && pass->n < FIO_LOG_WINDOW) {
    const int more = next_row (pass, &row, error);
    if (more < 0) {
      return -1;
    }
    if (more == 0) {
      pass->ended = TRUE;
      break;
    }
    if (pass->survey) {
      survey_row (pass->survey, &row);
    }
    const Waiting waiting = { .sequence = pass->sequence++,
                              .io = { .arrival = arrival_of (pass->log, &row),
                                      .op = ops[row.direction],
                                      .offset = row.offset,
                                      .length = row.bs } };
    push (pass, &waiting);
  }
  if (pass->n == 0) {
    return 0;
  }
  *ret_io = pop (pass).io;
  if (pass->survey && ret_io->arrival < pass->clock) {
    pass->survey->late++;
  }
  pass->clock = ret_io->arrival = MAX (pass->clock, ret_io->arrival);
  return 1;
}

static void pass_free (IoSource *base)
{
  Pass *pass = (Pass *) base;
  byte_stream_free (pass->stream);
  g_free (pass->heap);
  g_free (pass);
}

static IoSource *pass_new (const FioLog *log, Survey *survey, GError **error)
{
  ByteStream *stream = byte_stream_new (log->source, error);
  if (!stream) {
    return NULL;
  }
  Pass *pass = g_new0 (Pass, 1);
  pass->base = (IoSource){ .next = pass_next, .free = pass_free };
  pass->log = log;
  pass->survey = survey;
  pass->stream = stream;
  pass->reading = (TraceReading){ .name = byte_source_name (log->source),
                                  .lenient = log->lenient,
                                  .info = survey ? survey->info : NULL };
  pass->heap = g_new (Waiting, FIO_LOG_WINDOW);
  return &pass->base;
}

static IoSource *pass_open (const Trace *trace, GError **error) { return pass_new (trace->data, NULL, error); }

/* ---- which columns there are ---- */

/* Those forms that every line fits; a line that none of them fits is the counting pass's to report.  *ret_sized: is
 * there a line with a size?  FALSE with error set. */
static gboolean find_forms (ByteSource *source, unsigned *mask, gboolean *ret_sized, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  FioLogColumns columns;
  int more = -1;
  *ret_sized = FALSE;
  while (stream && (more = byte_stream_next_line (stream, &line, error)) > 0) {
    if (line.too_long || is_blank (&line) || fio_log_parse (line.text, line.length, &columns)) {
      continue;
    }
    const unsigned fitting = *mask & fio_log_forms (&columns);
    if (fitting) {
      *mask = fitting;
      *ret_sized |= columns.value[3] > 0;
    }
  }
  byte_stream_free (stream);
  return more == 0;
}

/* The form of the log.  FALSE with error set. */
static gboolean find_form (FioLog *log, unsigned columns, GError **error)
{
  unsigned mask = columns ? 1u << (columns - 1) : (1u << FIO_LOG_FORMS) - 1;
  gboolean sized;
  if (!find_forms (log->source, &mask, &sized, error)) {
    return FALSE;
  }
  log->form = (unsigned) __builtin_ctz (mask);
  log->sized = sized && !fio_log_form_has_max (log->form);
  if (mask & (mask - 1) && sized) {
    GString *words = g_string_new (NULL);
    for (unsigned i = 0; i < FIO_LOG_FORMS; i++) {
      if (mask >> i & 1) {
        g_string_append_printf (words, "%s%s", words->len ? " or " : "", fio_log_form_name (i));
      }
    }
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE,
                 "%s: the columns behind the size may be %s; expected --log-columns with one of them",
                 byte_source_name (log->source), words->str);
    g_string_free (words, TRUE);
    return FALSE;
  }
  return TRUE;
}

/* ---- the first passes ---- */

/* Sets the kind of the log by its name; returns the length of what is before it. */
static gsize kind_of_name (FioLog *log, const char *name, const char **ret_kind)
{
  *ret_kind = "latency (the name does not say)";
  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++) {
    const char *found = g_strrstr (name, kinds[i].word);
    if (found && !strchr (found, '/')) {
      log->kind = kinds[i].kind;
      *ret_kind = kinds[i].name;
      return (gsize) (found - name);
    }
  }
  return strlen (name);
}

static void add_facts (Trace *trace, const FioLog *log, const Survey *survey, const char *kind)
{
  TraceInfo *info = &trace->info;
  GArray *facts = info->facts;
  const gboolean latency = log->kind == VALUE_LATENCY;
  trace_add_number (facts, "rows", survey->rows);
  trace_add_number (facts, latency ? "value_min_ns" : "value_min", survey->min);
  trace_add_number (facts, latency ? "value_max_ns" : "value_max", survey->max);
  trace_add_number (facts, latency ? "value_sum_ns" : "value_sum", survey->sum);
  if (survey->seen) {
    trace_add_number (facts, "repeats", survey->repeats);
  }
  trace_add_text (info->interpretation, "values", kind);
  trace_add_text (info->interpretation, "columns", fio_log_form_name (log->form));
  trace_add_text (info->interpretation, "arrival",
                  !log->sized                          ? "none: averages"
                  : fio_log_form_has_issue (log->form) ? "issue time"
                  : log->kind == VALUE_IOPS            ? "time of completion, to 1 ms"
                                                       : "time of completion, to 1 ms, minus latency");
  if (info->back_steps) {
    trace_warn (info, "time goes backwards %" COUNT " times: several jobs in one log?", info->back_steps);
  }
  if (survey->late) {
    trace_warn (info, "%" COUNT " requests took longer than %u others; they arrive too late", survey->late,
                FIO_LOG_WINDOW);
  }
}

static void say_whether_replayed (Trace *trace, const FioLog *log)
{
  if (!log->sized) {
    trace->refusal = g_strdup ("lines without sizes: an averaged log (log_avg_msec) holds no requests; expected a log "
                               "of each I/O");
    trace->open = NULL;
  } else if (!fio_log_form_has_offset (log->form)) {
    trace->refusal = g_strdup ("a log without offsets cannot be replayed; expected one that was written with "
                               "log_offset=1");
  }
  trace->unsaid = g_strdup ("a fio log does not say engine, flags, cache or files: all requests are on one file, as "
                            "large as the highest end, buffered, and there are no syncs");
}

static gboolean count_all (Trace *trace, const FioLog *log, const char *kind, GError **error)
{
  Survey survey = { .info = &trace->info, .seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  Io io;
  int more = -1;
  IoSource *pass = pass_new (log, &survey, error);
  while (pass && (more = pass->next (pass, &io, error)) > 0) {
    if (log->sized) {
      trace_count (trace, &io);
    }
  }
  io_source_free (pass);
  if (more == 0 && survey.rows == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: no line of a log of fio; expected time, value, direction, bs", trace->name);
    more = -1;
  }
  if (more == 0) {
    trace->info.files = 1;
    trace->info.segments = 1;
    trace->info.has_times = TRUE;
    add_facts (trace, log, &survey, kind);
    say_whether_replayed (trace, log);
  }
  g_clear_pointer (&survey.seen, g_hash_table_unref);
  return more == 0;
}

static void fio_log_free (gpointer data)
{
  byte_source_unref (((FioLog *) data)->source);
  g_free (data);
}

Trace *fio_log_open (ByteSource *source, gboolean lenient, unsigned columns, GError **error)
{
  const char *name = byte_source_name (source), *kind;
  g_autoptr (Trace) trace = trace_new (name, "fio-log");
  FioLog *log = g_new0 (FioLog, 1);
  log->source = byte_source_ref (source);
  log->lenient = lenient;
  trace->data = log;
  trace->free_data = fio_log_free;
  trace->open = pass_open;
  const gsize prefix = kind_of_name (log, name, &kind);
  iolog_names_add (&trace->files, name, (unsigned) CLAMP (prefix, 1, IOLOG_NAME_LIMIT));
  return find_form (log, columns, error) && count_all (trace, log, kind, error) ? g_steal_pointer (&trace) : NULL;
}
