/*
 * fio's logs of histograms (write_hist_log): "TIME, DIRECTION, BS, COUNT, COUNT, ...", a count for each bin of
 * completion latencies since the row of that direction before.  See fio_plain_result.h.
 *
 * A line has up to 1859 columns and is longer than what byte_stream_next_line() hands out: numbers are read one by one.
 */
#include "src/input/fio_plain_result.h"
#include "src/input/input_error.h"
#include <string.h>

#define OLD_BINS (19u * 64)
enum { HEAD = 3, COARSENESS_MAX = 6, BLOCK = 1 << 16 };

typedef struct {
  const char *file;
  ByteStream *stream;
  char block[BLOCK];
  gssize at, end;
  gboolean failed; /* reading failed: the error is set */
  uint64_t line;
} Source;

/* -1: no more. */
static int next_byte (Source *source, GError **error)
{
  if (source->at == source->end && !source->failed) {
    source->at = 0;
    source->end = byte_stream_read (source->stream, source->block, BLOCK, error);
    source->failed = source->end < 0;
  }
  return source->at < source->end ? (unsigned char) source->block[source->at++] : -1;
}

static gboolean fail (const Source *source, GError **error, const char *what)
{
  if (!source->failed) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", source->file, source->line,
                 what);
  }
  return FALSE;
}

/* A row: its numbers. FALSE with error set; *ret_n 0 at the end. */
static gboolean read_row (Source *source, uint64_t *value, unsigned max, unsigned *ret_n, GError **error)
{
  unsigned n = 0;
  gboolean digits = FALSE, closed = FALSE; /* closed: a blank stands behind them */
  uint64_t number = 0;
  source->line++;
  for (;;) {
    const int c = next_byte (source, error);
    if (c >= '0' && c <= '9' && !closed) {
      if (__builtin_mul_overflow (number, 10u, &number) ||
          __builtin_add_overflow (number, (uint64_t) (c - '0'), &number)) {
        return fail (source, error, "a number that passes 2^64-1");
      }
      digits = TRUE;
    } else if (c == ',' || c == '\n' || c < 0) {
      if (!digits && (c == ',' || n > 0)) {
        return fail (source, error, "found no number between two commas; expected TIME, DIRECTION, BS, COUNT, ...");
      }
      if (digits && n == max) {
        return fail (source, error, "more than 1859 columns");
      }
      if (digits) {
        value[n++] = number;
      }
      digits = closed = FALSE;
      number = 0;
      if (c < 0 || (c == '\n' && n > 0)) {
        *ret_n = n;
        return !source->failed;
      }
      source->line += c == '\n';
    } else if (c == ' ' || c == '\t' || c == '\r') {
      closed = digits;
    } else {
      return fail (source, error,
                   "found something else than numbers and commas; expected TIME, DIRECTION, BS, COUNT, ...");
    }
  }
}

/* How the counts of a row are to be read: bins by column as a power of two, ns by unit.  FALSE: there are no such rows.
 */
static gboolean understand (unsigned counts, unsigned *ret_coarseness, uint64_t *ret_unit)
{
  for (unsigned coarseness = 0; coarseness <= COARSENESS_MAX; coarseness++) {
    if (counts == (unsigned) UR_HISTOGRAM_BINS >> coarseness || counts == OLD_BINS >> coarseness) {
      *ret_coarseness = coarseness;
      *ret_unit = counts == (unsigned) UR_HISTOGRAM_BINS >> coarseness ? 1 : 1000;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean add_row (const Source *source, const uint64_t *value, unsigned n, Measurement *group, GError **error)
{
  unsigned coarseness;
  uint64_t unit;
  if (n <= HEAD || !understand (n - HEAD, &coarseness, &unit)) {
    g_autofree char *text =
        g_strdup_printf ("%u columns; expected 3 and 1856 counts, or 1216 before fio 3.0, or these halved "
                         "(log_hist_coarseness)",
                         n);
    return fail (source, error, text);
  }
  if (value[1] >= MEASURED_DIRECTIONS) {
    return fail (source, error, "the second column is no direction; expected 0 (read), 1 (write) or 2 (trim)");
  }
  MeasuredOp *op = &group->op[value[1]];
  if (!op->clat.bins) {
    op->clat.bins = g_new (UrHistogram, 1);
    ur_histogram_init (op->clat.bins);
  }
  for (unsigned i = HEAD; i < n; i++) {
    if (value[i]) {
      const unsigned bin = ((i - HEAD) << coarseness) + ((1u << coarseness) >> 1);
      const uint64_t ns = ur_histogram_bin_middle (bin) * unit, count = MIN (value[i], (uint64_t) 1e15);
      op->clat.bins->bin[ur_histogram_bin_of (ns)] += count;
      op->clat.bins->n += count;
      op->clat.mean += (double) count * (double) ns; /* a sum until the end */
      op->clat.min = op->ios ? MIN (op->clat.min, ns) : ns;
      op->clat.max = MAX (op->clat.max, ns);
      op->ios += count;
    }
  }
  return TRUE;
}

static void finish (Measurement *group, uint64_t last_ms)
{
  for (unsigned i = 0; i < MEASURED_DIRECTIONS; i++) {
    MeasuredOp *op = &group->op[i];
    if (op->ios) {
      op->clat.n = op->ios;
      op->clat.mean /= (double) op->ios;
      op->iops = last_ms ? (double) op->ios * 1000 / (double) last_ms : 0;
    } else {
      measured_latency_clear (&op->clat);
    }
  }
}

GPtrArray *fio_hist_log_read (ByteSource *source, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  if (!stream) {
    return NULL;
  }
  g_autofree Source *from = g_new0 (Source, 1);
  from->file = byte_source_name (source);
  from->stream = stream;
  g_autofree uint64_t *value = g_new (uint64_t, HEAD + UR_HISTOGRAM_BINS);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  Measurement *group = measurement_new (from->file, 1);
  unsigned n = 1, columns = 0;
  uint64_t last = 0;
  gboolean ok = TRUE;
  group->has_ops = TRUE;
  group->tool = MEASURED_FIO;
  group->name = g_path_get_basename (from->file);
  g_ptr_array_add (groups, group);
  while (ok && n) {
    ok = read_row (from, value, HEAD + UR_HISTOGRAM_BINS, &n, error);
    if (ok && n && columns && n != columns) {
      ok = fail (from, error, "another number of columns than the rows before");
    }
    if (ok && n) {
      columns = n;
      last = MAX (last, value[0]);
      ok = add_row (from, value, n, group, error);
    }
  }
  byte_stream_free (stream);
  finish (group, last);
  if (ok && columns == 0) {
    ok = fail (from, error, "no row; expected TIME, DIRECTION, BS, COUNT, ...");
  }
  return ok ? g_steal_pointer (&groups) : NULL;
}

gboolean fio_hist_log_is_start (const char *text, gsize length)
{
  unsigned commas = 0;
  gsize i = 0;
  for (; i < length && (g_ascii_isdigit (text[i]) || strchr (", ", text[i])); i++) {
    commas += text[i] == ',';
  }
  return commas > 9 && (i == length || text[i] == '\n' || text[i] == '\r');
}
