/*
 * Terse results of fio: fields with ';' between, of a layout for each version.  See fio_plain_result.h.
 *
 *   VERSION; [fio-VERSION;] NAME; GROUP; ERROR; a block for each of READ, WRITE [, TRIM]; CPU; depths; latencies; disks
 *
 * A block: KiB, KiB/s, IOPS, ms; slat and clat as min, max, mean, deviation in us; 20 percentiles "50.000000%=12"; lat;
 * five (version 5: twelve) figures of bandwidth and IOPS over time.
 */
#include "src/input/fio_plain_result.h"
#include "src/input/input_error.h"
#include <math.h>
#include <string.h>

enum { FIELDS_MAX = 2048, PERCENTILES = 20, AT_SLAT = 4, AT_CLAT = 8, AT_PERCENTILES = 12, AT_LAT = 32 };

/* Fields of the versions 2 to 5. */
typedef struct {
  unsigned head;   /* before the name */
  unsigned block;  /* of one direction */
  unsigned blocks; /* directions */
  unsigned all;    /* without disks and description */
} Layout;

static const Layout layouts[] = {
  [2] = { 1, 41, 3, 161 },
  [3] = { 2, 41, 2, 121 },
  [4] = { 2, 41, 3, 162 },
  [5] = { 2, 47, 3, 180 },
};

typedef struct {
  const char *file;
  unsigned line;
  char **field;
  unsigned n;
  const Layout *layout;
  unsigned name_fields; /* a name with ';' in it is several */
} Line;

static gboolean G_GNUC_PRINTF (3, 4) fail (const Line *line, GError **error, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%u: %s", line->file, line->line, text);
  return FALSE;
}

static const char *percent_mark (const char *field)
{
  const char *mark = strstr (field, "%=");
  return g_ascii_isdigit (*field) ? mark : NULL;
}

/* A number of 0 or more, all of the field. */
static gboolean parse (const char *field, double *ret_value)
{
  char *end;
  *ret_value = g_ascii_strtod (field, &end);
  return end != field && (!*end || !strcmp (end, "%")) && isfinite (*ret_value) && *ret_value >= 0 && *ret_value < 1e18;
}

/* First field of the block of a direction. */
static unsigned block_at (const Line *line, unsigned direction)
{
  return line->layout->head + line->name_fields + 2 + direction * line->layout->block;
}

/* Whether all percentiles are where they should be if the name is so many fields. */
static gboolean fits (Line *line, unsigned name_fields)
{
  line->name_fields = name_fields;
  for (unsigned direction = 0; direction < line->layout->blocks; direction++) {
    for (unsigned i = 0; i < PERCENTILES; i++) {
      if (!percent_mark (line->field[block_at (line, direction) + AT_PERCENTILES + i])) {
        return FALSE;
      }
    }
  }
  return TRUE;
}

static gboolean understand (Line *line)
{
  const char *version = line->field[0];
  line->n = g_strv_length (line->field);
  if (version[0] < '2' || version[0] > '5' || version[1]) {
    return FALSE;
  }
  line->layout = &layouts[version[0] - '0'];
  for (unsigned extra = 0; line->n >= line->layout->all + extra; extra++) {
    if (fits (line, 1 + extra)) {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean fio_terse_is_line (const char *text, gsize length)
{
  if (length < 240 || text[0] < '2' || text[0] > '5' || text[1] != ';') {
    return FALSE;
  }
  g_autofree char *copy = g_strndup (text, length);
  Line line = { .field = g_strsplit (copy, ";", FIELDS_MAX) };
  const gboolean is_line = understand (&line);
  g_strfreev (line.field);
  return is_line;
}

/* ---- figures ---- */

/* From `at` on; us in the line. */
static gboolean read_latency (const Line *line, unsigned at, uint64_t ios, MeasuredLatency *ret, GError **error)
{
  double value[4];
  for (unsigned i = 0; i < 4; i++) {
    if (!parse (line->field[at + i], &value[i])) {
      g_autofree char *quoted = input_quote (line->field[at + i], strlen (line->field[at + i]), 40);
      return fail (line, error, "field %u is \"%s\"; expected microseconds", at + i + 1, quoted);
    }
  }
  *ret = (MeasuredLatency){ .n = value[2] > 0 ? ios : 0,
                            .min = (uint64_t) (MIN (value[0], 1e15) * 1000),
                            .max = (uint64_t) (MIN (value[1], 1e15) * 1000),
                            .mean = value[2] * 1000,
                            .stddev = value[3] * 1000 };
  return TRUE;
}

static gboolean read_percentiles (const Line *line, unsigned at, MeasuredLatency *clat, GError **error)
{
  clat->percentile = g_array_new (FALSE, FALSE, sizeof (MeasuredPercentile));
  for (unsigned i = 0; i < PERCENTILES; i++) {
    const char *field = line->field[at + i], *mark = percent_mark (field);
    g_autofree char *percent = g_strndup (field, (gsize) (mark - field));
    MeasuredPercentile row;
    double us;
    if (!parse (percent, &row.percent) || row.percent > 100 || !parse (mark + 2, &us) || us > 1e15) {
      g_autofree char *quoted = input_quote (field, strlen (field), 40);
      return fail (line, error, "field %u is \"%s\"; expected PERCENT%%=MICROSECONDS", at + i + 1, quoted);
    }
    row.ns = (uint64_t) (us * 1000);
    const guint n = clat->percentile->len;
    if (row.percent == 0) { /* one that is not used */
      continue;
    }
    if (n && g_array_index (clat->percentile, MeasuredPercentile, n - 1).percent >= row.percent) {
      return fail (line, error, "field %u: percentile %s does not ascend", at + i + 1, percent);
    }
    if (n && g_array_index (clat->percentile, MeasuredPercentile, n - 1).ns > row.ns) {
      return fail (line, error, "field %u: a smaller latency at a higher percentage", at + i + 1);
    }
    g_array_append_val (clat->percentile, row);
  }
  return TRUE;
}

/* Microseconds without fractions are no percentiles of less. */
static void drop_zero_percentiles (MeasuredLatency *clat)
{
  while (clat->percentile->len && g_array_index (clat->percentile, MeasuredPercentile, 0).ns == 0) {
    g_array_remove_index (clat->percentile, 0);
  }
}

static gboolean add_block (const Line *line, unsigned direction, MeasuredOp *op, GError **error)
{
  const unsigned at = block_at (line, direction);
  MeasuredLatency slat = { 0 }, clat = { 0 }, lat = { 0 };
  double value[4];
  for (unsigned i = 0; i < 4; i++) {
    if (!parse (line->field[at + i], &value[i])) {
      g_autofree char *quoted = input_quote (line->field[at + i], strlen (line->field[at + i]), 40);
      return fail (line, error, "field %u is \"%s\"; expected a number", at + i + 1, quoted);
    }
  }
  if (value[2] > MEASUREMENT_RATE_LIMIT) {
    return fail (line, error, "field %u: more than 10^12 I/Os per second", at + 3);
  }
  const uint64_t ios = (uint64_t) MIN (value[2] * value[3] / 1000 + 0.5, 1e15);
  if (ios == 0) {
    return TRUE;
  }
  const gboolean ok =
      read_latency (line, at + AT_SLAT, ios, &slat, error) && read_latency (line, at + AT_CLAT, ios, &clat, error) &&
      read_percentiles (line, at + AT_PERCENTILES, &clat, error) && read_latency (line, at + AT_LAT, ios, &lat, error);
  if (ok) {
    op->ios += ios;
    op->iops += value[2];
    op->bw_bytes += value[1] * 1024;
    drop_zero_percentiles (&clat);
    measured_latency_add (&op->slat, &slat);
    measured_latency_add (&op->clat, &clat);
    measured_latency_add (&op->lat, &lat);
  }
  measured_latency_clear (&slat);
  measured_latency_clear (&clat);
  measured_latency_clear (&lat);
  return ok;
}

/* ---- lines ---- */

static Measurement *group_of (const Line *line, GPtrArray *groups, GArray *ids, unsigned id, const char *name)
{
  for (unsigned i = 0; i < ids->len; i++) {
    if (g_array_index (ids, unsigned, i) == id) {
      Measurement *group = groups->pdata[i];
      if (!strstr (group->name, name) && strlen (group->name) < 256) {
        g_autofree char *before = group->name;
        group->name = g_strconcat (before, ", ", name, NULL);
      }
      return group;
    }
  }
  Measurement *group = measurement_new (line->file, line->line);
  group->has_ops = TRUE;
  group->tool = MEASURED_FIO;
  group->name = g_strdup (name);
  group->version = line->layout->head > 1 ? input_quote (line->field[1], strlen (line->field[1]), 60) : NULL;
  g_ptr_array_add (groups, group);
  g_array_append_val (ids, id);
  return group;
}

static gboolean take_line (const Line *line, GPtrArray *groups, GArray *ids, GError **error)
{
  const unsigned at = line->layout->head, behind = at + line->name_fields;
  g_autofree char *joined = NULL, *name = NULL;
  double id, failed;
  char *cut = line->field[behind];
  line->field[behind] = NULL;
  joined = g_strjoinv (";", line->field + at);
  line->field[behind] = cut;
  name = input_quote (*joined ? joined : "job", *joined ? strlen (joined) : 3, 255);
  if (!parse (line->field[behind], &id) || id > 1e6 || !parse (line->field[behind + 1], &failed)) {
    return fail (line, error, "job \"%s\": expected numbers of group and error behind the name", name);
  }
  if (failed != 0) {
    return fail (line, error, "job \"%s\" ended with error %.0f; expected a job that ran to its end", name, failed);
  }
  Measurement *group = group_of (line, groups, ids, (unsigned) id, name);
  if (groups->len > FIO_PLAIN_GROUPS_LIMIT) {
    return fail (line, error, "more than %u groups of jobs", FIO_PLAIN_GROUPS_LIMIT);
  }
  for (unsigned direction = 0; direction < line->layout->blocks; direction++) {
    if (!add_block (line, direction, &group->op[direction], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

GPtrArray *fio_terse_read (ByteSource *source, GError **error)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (unsigned));
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine text;
  int more = -1;
  while (stream && (more = byte_stream_next_line (stream, &text, error)) > 0) {
    g_autofree char *copy = g_strndup (text.text, text.length);
    g_auto (GStrv) field = g_strsplit (copy, ";", FIELDS_MAX);
    Line line = { .file = byte_source_name (source), .line = (unsigned) text.number, .field = field };
    if (!text.too_long && *field && understand (&line) && !take_line (&line, groups, ids, error)) {
      more = -1;
      break;
    }
  }
  byte_stream_free (stream);
  if (more == 0 && groups->len == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no terse line of fio; expected one of version 2, 3, 4 or 5",
                 byte_source_name (source));
    more = -1;
  }
  for (unsigned i = 0; i < groups->len; i++) {
    measurement_doubt_clat (groups->pdata[i]);
  }
  return more == 0 ? g_steal_pointer (&groups) : NULL;
}
