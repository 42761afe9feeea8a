/*
 * The text that fio prints of its results, from version 3.0 on.  See fio_plain_result.h.
 *
 *   NAME: (groupid=0, jobs=1): err= 0: pid=123: ...
 *     read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(40.0KiB/1msec)
 *       clat (usec): min=2, max=1420, avg=25.49, stdev=123.76
 *       clat percentiles (usec):
 *        |  1.00th=[    5],  5.00th=[    7], ...
 *     issued rwts: total=132,124,0,10 short=0,0,0,0 dropped=0,0,0,0
 */
#include "src/input/fio_plain_result.h"
#include "src/input/input_error.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PERCENTILES_MAX = 64 };

/* One job, or group of jobs, on its way into the Measurement of its group. */
typedef struct {
  gboolean open;
  unsigned id, line;
  char *name;
  MeasuredOp op[MEASURED_DIRECTIONS];
  double runtime_ms[MEASURED_DIRECTIONS];
  gboolean seen[MEASURED_DIRECTIONS];
} Entry;

typedef struct {
  const char *file;
  unsigned line;
  char *version; /* (nullable) "fio-3.33" */
  GPtrArray *groups;
  GArray *ids; /* of unsigned, of them */
  Entry entry;
  int direction;          /* -1: none */
  MeasuredLatency *curve; /* whose percentiles follow (nullable) */
  double unit;            /* ns, of them */
} Reader;

static gboolean G_GNUC_PRINTF (3, 4) fail (const Reader *reader, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%u: %s", reader->file, reader->line, text);
  return FALSE;
}

static gboolean expected (const Reader *reader, const char *text, const char *what, GError **error)
{
  g_autofree char *quoted = input_quote (text, strlen (text), 60);
  return fail (reader, error, "found \"%s\"; expected %s", quoted, what);
}

/* ---- numbers ---- */

/* "12.5k": a number and perhaps a letter for a power of 1000; *ret_end behind it. */
static gboolean parse_scaled (const char *text, double *ret_value, const char **ret_end)
{
  static const char letters[] = "kMGTP";
  char *end;
  *ret_value = g_ascii_isdigit (*text) ? g_ascii_strtod (text, &end) : -1;
  if (*ret_value < 0 || !isfinite (*ret_value)) {
    return FALSE;
  }
  const char *letter = *end ? strchr (letters, *end) : NULL;
  if (letter && end[1] != 'B' && end[1] != 'i') {
    *ret_value *= pow (1000, (double) (letter - letters + 1));
    end++;
  }
  *ret_end = end;
  return *ret_value < 1e18;
}

/* "39.1MiB/s" or "41.0MB/s" in bytes. */
static gboolean parse_rate (const char *text, double *ret_value)
{
  static const char letters[] = "kKMGTP";
  static const int powers[] = { 1, 1, 2, 3, 4, 5 };
  const char *end;
  if (!parse_scaled (text, ret_value, &end)) {
    return FALSE;
  }
  const char *letter = *end ? strchr (letters, *end) : NULL;
  if (letter) {
    *ret_value *= pow (end[1] == 'i' ? 1024 : 1000, powers[letter - letters]);
    end += end[1] == 'i' ? 2 : 1;
  }
  return g_str_has_prefix (end, "B/s");
}

/* The number behind `key` in the line. */
static gboolean find_number (const char *text, const char *key, double *ret_value)
{
  const char *found = strstr (text, key), *end;
  return found && parse_scaled (found + strlen (key) + strspn (found + strlen (key), " "), ret_value, &end);
}

/* ns in the unit between brackets: "clat (usec): ..."; 0 if there is none. */
static double unit_of (const char *text)
{
  static const struct {
    const char *name;
    double ns;
  } units[] = { { "(nsec)", 1 }, { "(usec)", 1e3 }, { "(msec)", 1e6 }, { "(sec)", 1e9 } };
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (strstr (text, units[i].name)) {
      return units[i].ns;
    }
  }
  return 0;
}

static uint64_t to_ns (double value) { return (uint64_t) MIN (value, 1e18); }

/* ---- entries ---- */

static Measurement *group_of (Reader *reader, const Entry *entry)
{
  for (unsigned i = 0; i < reader->ids->len; i++) {
    if (g_array_index (reader->ids, unsigned, i) == entry->id) {
      Measurement *group = reader->groups->pdata[i];
      if (!strstr (group->name, entry->name) && strlen (group->name) < 256) {
        g_autofree char *before = group->name;
        group->name = g_strconcat (before, ", ", entry->name, NULL);
      }
      return group;
    }
  }
  Measurement *group = measurement_new (reader->file, entry->line);
  group->has_ops = TRUE;
  group->tool = MEASURED_FIO;
  group->name = g_strdup (entry->name);
  group->version = g_strdup (reader->version);
  g_ptr_array_add (reader->groups, group);
  g_array_append_val (reader->ids, entry->id);
  return group;
}

/* Figures are printed with four digits; I/Os by time are what fio computed them from. */
static double exact_iops (const MeasuredOp *op, double runtime_ms)
{
  const double exact = runtime_ms > 0 ? (double) op->ios * 1000 / runtime_ms : op->iops;
  return fabs (exact - op->iops) <= 1 + 0.01 * op->iops ? exact : op->iops;
}

static void take_latency (MeasuredLatency *into, MeasuredLatency *from, uint64_t ios)
{
  from->n = from->mean > 0 ? ios : 0;
  measured_latency_add (into, from);
}

static void clear_entry (Entry *entry)
{
  for (unsigned i = 0; i < MEASURED_DIRECTIONS; i++) {
    measured_latency_clear (&entry->op[i].slat);
    measured_latency_clear (&entry->op[i].clat);
    measured_latency_clear (&entry->op[i].lat);
  }
  g_free (entry->name);
  *entry = (Entry){ 0 };
}

static void end_entry (Reader *reader)
{
  Entry *entry = &reader->entry;
  Measurement *group = entry->open ? group_of (reader, entry) : NULL;
  for (unsigned i = 0; group && i < MEASURED_DIRECTIONS; i++) {
    MeasuredOp *from = &entry->op[i], *into = &group->op[i];
    if (entry->seen[i] && from->ios) {
      into->ios += from->ios;
      into->iops += exact_iops (from, entry->runtime_ms[i]);
      into->bw_bytes += from->bw_bytes;
      take_latency (&into->slat, &from->slat, from->ios);
      take_latency (&into->clat, &from->clat, from->ios);
      take_latency (&into->lat, &from->lat, from->ios);
    }
  }
  clear_entry (entry);
  reader->direction = -1;
  reader->curve = NULL;
}

/* "NAME: (groupid=0, jobs=1): err= 0: ..." */
static gboolean start_entry (Reader *reader, const char *text, GError **error)
{
  static const char mark[] = ": (groupid=";
  const char *found = g_strrstr (text, mark);
  unsigned jobs = 0;
  int failed = 0;
  end_entry (reader);
  Entry *entry = &reader->entry;
  if (!found || sscanf (found + strlen (mark), "%6u, jobs=%6u): err=%9d", &entry->id, &jobs, &failed) != 3) {
    return expected (reader, text, "NAME: (groupid=N, jobs=N): err= N", error);
  }
  entry->open = TRUE;
  entry->line = reader->line;
  entry->name = found > text ? input_quote (text, (gsize) (found - text), 255) : g_strdup ("job");
  if (failed) {
    return fail (reader, error, "job \"%s\" ended with error %d; expected a job that ran to its end", entry->name,
                 failed);
  }
  if (reader->groups->len >= FIO_PLAIN_GROUPS_LIMIT) {
    return fail (reader, error, "more than %u groups of jobs", FIO_PLAIN_GROUPS_LIMIT);
  }
  return TRUE;
}

/* ---- lines of an entry ---- */

/* "read: IOPS=3473, BW=13.6MiB/s (14.2MB/s)(528KiB/38msec)" */
static gboolean take_direction (Reader *reader, int direction, const char *text, GError **error)
{
  Entry *entry = &reader->entry;
  MeasuredOp *op = &entry->op[direction];
  const char *bw = strstr (text, "BW="), *slash = strrchr (text, '/'), *end;
  double runtime;
  if (!find_number (text, "IOPS=", &op->iops) || op->iops > MEASUREMENT_RATE_LIMIT || !bw ||
      !parse_rate (bw + 3, &op->bw_bytes)) {
    return expected (reader, text, "IOPS=N, BW=NMiB/s (NMB/s)(NKiB/Nmsec)", error);
  }
  if (slash && parse_scaled (slash + 1, &runtime, &end) && g_str_has_prefix (end, "msec)")) {
    entry->runtime_ms[direction] = runtime;
  }
  entry->seen[direction] = TRUE;
  reader->direction = direction;
  return TRUE;
}

/* slat, clat or lat of a line "clat (usec): ..." or "clat percentiles (usec):"; NULL if it is of none. */
static MeasuredLatency *latency_of (Reader *reader, const char *text)
{
  if (reader->direction < 0) {
    return NULL;
  }
  MeasuredOp *op = &reader->entry.op[reader->direction];
  return g_str_has_prefix (text, "slat ")   ? &op->slat
         : g_str_has_prefix (text, "clat ") ? &op->clat
         : g_str_has_prefix (text, "lat ")  ? &op->lat
                                            : NULL;
}

static gboolean take_moments (Reader *reader, MeasuredLatency *latency, const char *text, GError **error)
{
  const double unit = unit_of (text);
  double min, max, mean, stddev;
  if (unit == 0 || !find_number (text, "min=", &min) || !find_number (text, "max=", &max) ||
      !find_number (text, "avg=", &mean)) {
    return expected (reader, text, "min=N, max=N, avg=N, stdev=N", error);
  }
  latency->min = to_ns (min * unit);
  latency->max = to_ns (max * unit);
  latency->mean = mean * unit;
  latency->stddev = find_number (text, "stdev=", &stddev) ? stddev * unit : 0;
  return TRUE;
}

/* "|  1.00th=[    5],  5.00th=[    7]," */
static gboolean take_percentiles (Reader *reader, const char *text, GError **error)
{
  GArray *curve = reader->curve->percentile;
  for (const char *p = text + 1; (p = strpbrk (p, "0123456789")); p = strchr (p, ']')) {
    char *end;
    MeasuredPercentile row = { .percent = g_ascii_strtod (p, &end) };
    double value;
    const char *stop;
    if (!g_str_has_prefix (end, "th=[") || !parse_scaled (end + 4 + strspn (end + 4, " "), &value, &stop) ||
        *stop != ']' || row.percent > 100) {
      return expected (reader, text, "percentiles such as 99.00th=[  12]", error);
    }
    row.ns = to_ns (value * reader->unit);
    const MeasuredPercentile *last = curve->len ? &g_array_index (curve, MeasuredPercentile, curve->len - 1) : NULL;
    if (curve->len >= PERCENTILES_MAX || (last && (last->percent >= row.percent || last->ns > row.ns))) {
      return expected (reader, text, "percentiles that ascend, at most 64", error);
    }
    g_array_append_val (curve, row);
    p = stop;
  }
  return TRUE;
}

static gboolean take_issued (Reader *reader, const char *text, GError **error)
{
  const char *total = strstr (text, "total=");
  uint64_t ios[MEASURED_DIRECTIONS];
  if (!total || sscanf (total, "total=%19" G_GUINT64_FORMAT ",%19" G_GUINT64_FORMAT ",%19" G_GUINT64_FORMAT, &ios[0],
                        &ios[1], &ios[2]) != 3) {
    return expected (reader, text, "issued rwts: total=N,N,N,N", error);
  }
  for (unsigned i = 0; i < MEASURED_DIRECTIONS; i++) {
    reader->entry.op[i].ios = MIN (ios[i], (uint64_t) 1e15);
  }
  return TRUE;
}

static gboolean take_line (Reader *reader, const char *text, GError **error)
{
  static const char *const marks[] = { "read: IOPS=", "write: IOPS=", "trim: IOPS=" };
  if (*text == '|') {
    return reader->curve ? take_percentiles (reader, text, error) : TRUE;
  }
  reader->curve = NULL;
  for (unsigned i = 0; i < G_N_ELEMENTS (marks); i++) {
    if (g_str_has_prefix (text, marks[i])) {
      return take_direction (reader, (int) i, text, error);
    }
  }
  MeasuredLatency *latency = latency_of (reader, text);
  if (latency && strstr (text, "min=")) {
    return take_moments (reader, latency, text, error);
  }
  if (latency && strstr (text, " percentiles (")) {
    reader->unit = unit_of (text);
    reader->curve = latency;
    if (!latency->percentile) {
      latency->percentile = g_array_new (FALSE, FALSE, sizeof (MeasuredPercentile));
    }
    return TRUE;
  }
  if (g_str_has_prefix (text, "issued rwt")) {
    return take_issued (reader, text, error);
  }
  if (g_str_has_prefix (text, "fsync/") || g_str_has_prefix (text, "mixed: IOPS=")) {
    reader->direction = -1;
  }
  if ((g_str_has_prefix (text, "read ") || g_str_has_prefix (text, "write")) && strstr (text, "iops=") &&
      strstr (text, "io=")) {
    return fail (reader, error, "text of a fio before 3.0; expected 3.0 or later");
  }
  return TRUE;
}

static gboolean read_line (Reader *reader, const ByteLine *line, GError **error)
{
  g_autofree char *text = g_strndup (line->text, line->length);
  reader->line = (unsigned) line->number;
  if (g_str_has_prefix (text, "fio-") && !reader->version) {
    reader->version = input_quote (text, strlen (text), 60);
  }
  if (strstr (text, ": (groupid=") && strstr (text, ", jobs=")) {
    return start_entry (reader, text, error);
  }
  if (!reader->entry.open) {
    return TRUE;
  }
  if (g_str_has_prefix (text, "Run status group")) {
    end_entry (reader);
    return TRUE;
  }
  return take_line (reader, g_strstrip (text), error);
}

GPtrArray *fio_text_read (ByteSource *source, GError **error)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (unsigned));
  Reader reader = { .file = byte_source_name (source), .groups = groups, .ids = ids, .direction = -1 };
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  int more = -1;
  while (stream && (more = byte_stream_next_line (stream, &line, error)) > 0) {
    if (!read_line (&reader, &line, error)) {
      more = -1;
      break;
    }
  }
  byte_stream_free (stream);
  end_entry (&reader);
  g_free (reader.version);
  if (more == 0 && groups->len == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: no result in the text; expected \"NAME: (groupid=N, jobs=N)\"", reader.file);
    more = -1;
  }
  for (unsigned i = 0; i < groups->len; i++) {
    measurement_doubt_clat (groups->pdata[i]);
  }
  return more == 0 ? g_steal_pointer (&groups) : NULL;
}
