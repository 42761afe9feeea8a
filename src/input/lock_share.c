/* Tables of lock shares.  See lock_share.h. */
#include "src/input/lock_share.h"
#include "src/input/fio_job.h"
#include "src/input/input_error.h"
#include <stdlib.h>
#include <string.h>

enum { PHRASE_MAX = 200, COUNT_MAX = 1024, COLUMNS = 4 };

typedef struct {
  const char *file;
  uint64_t line;
} Place;

static gboolean refuse (Place place, const char *found, gsize length, GError **error, const char *expected)
{
  g_autofree char *quoted = input_quote (found, length, 60);

  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": found \"%s\"; expected %s", place.file,
               place.line, quoted, expected);
  return FALSE;
}

/* ---- the phrase ---- */

/* A whole number from 1 on without anything behind it; 0: something else. */
static unsigned number_of (const char *text, unsigned max)
{
  char *end;
  const guint64 value = g_ascii_isdigit (*text) ? g_ascii_strtoull (text, &end, 10) : 0;

  return value && !*end && value <= max ? (unsigned) value : 0;
}

static gboolean is_size (const char *word)
{
  char *end;

  return g_ascii_isdigit (*word) && g_ascii_strtoull (word, &end, 10) && strchr ("kKmM", *end) && *end && !end[1];
}

/* "jobs" or "job". */
static gboolean counts (const char *word, const char *what)
{
  const gsize length = strlen (what);

  return !strncmp (word, what, length) && (!word[length] || !strcmp (word + length, "s"));
}

/* "2 jobs": what a number stands for is said by the word behind it. */
static gboolean set_count (MeasuredJob *job, unsigned number, const char *word)
{
  unsigned *count = counts (word, "job")      ? &job->nj
                    : counts (word, "worker") ? &job->workers
                    : counts (word, "file")   ? &job->files
                                              : NULL;
  if (count) {
    *count = number;
  }
  return count != NULL;
}

static gboolean set_word (MeasuredJob *job, const char *word)
{
  static const char *const directions[] = { "read", "write", "rw", "randread", "randwrite", "randrw", NULL };
  const unsigned depth = g_str_has_prefix (word, "qd") ? number_of (word + 2, FIO_JOB_DEPTH_LIMIT) : 0;

  if (g_strv_contains (directions, word)) {
    g_free (job->rw);
    job->rw = g_strdup (word);
  } else if (is_size (word)) {
    g_free (job->bs);
    job->bs = g_ascii_strdown (word, -1);
  } else if (depth) {
    job->qd = depth;
  } else if (!strcmp (word, "IOSQE_ASYNC")) {
    job->force_async = TRUE;
  } else if (!strcmp (word, "SQPOLL")) {
    job->sqpoll = TRUE;
  } else {
    return !strcmp (word, "hashed");
  }
  return TRUE;
}

static MeasuredJob *new_job (const char *first)
{
  MeasuredJob *job = g_new0 (MeasuredJob, 1);
  const gboolean ring = !strcmp (first, "ring");

  job->tool = ring ? MEASURED_WQ : MEASURED_FIO;
  job->engine = g_strdup (ring ? "io_uring" : first);
  job->rw = g_strdup ("randwrite");
  job->bs = g_strdup ("4k");
  job->extra = g_strdup ("");
  job->qd = job->nj = job->files = 1;
  return job;
}

static MeasuredJob *job_of (const char *phrase, Place place, GError **error)
{
  static const char expected[] =
      "an engine or \"ring\", then a direction, a size, qdN, IOSQE_ASYNC, SQPOLL, hashed, or a number of jobs, workers "
      "or files";
  g_auto (GStrv) word = g_strsplit_set (phrase, " ,", -1);
  g_autoptr (MeasuredJob) job = NULL;

  for (unsigned i = 0; word[i]; i++) {
    const unsigned number = !strcmp (word[i], "one") ? 1 : number_of (word[i], COUNT_MAX);
    if (!*word[i]) {
      continue;
    }
    if (!job) {
      job = new_job (word[i]);
    } else if (number && word[i + 1] && set_count (job, number, word[i + 1])) {
      i++;
    } else if (!set_word (job, word[i])) {
      refuse (place, word[i], strlen (word[i]), error, expected);
      return NULL;
    }
  }
  if (!job) {
    refuse (place, phrase, strlen (phrase), error, expected);
  }
  return g_steal_pointer (&job);
}

/* ---- a row ---- */

/* "24.8", or "(24.8)" if `ret_doubtful`. */
static gboolean read_percent (const char *text, Place place, double *ret_share, gboolean *ret_doubtful, GError **error)
{
  const gboolean parentheses = ret_doubtful && *text == '(' && g_str_has_suffix (text, ")");
  g_autofree char *bare = parentheses ? g_strndup (text + 1, strlen (text) - 2) : g_strdup (text);
  char *end = bare;
  const double percent = g_ascii_isdigit (*bare) ? g_ascii_strtod (bare, &end) : -1;

  if (end == bare || *end || !(percent >= 0 && percent <= 100)) {
    return refuse (place, text, strlen (text), error, "a percentage from 0 to 100");
  }
  if (ret_doubtful) {
    *ret_doubtful = parentheses;
  }
  *ret_share = percent / 100;
  return TRUE;
}

static Measurement *read_row (const char *text, Place place, GError **error)
{
  g_auto (GStrv) column = g_strsplit (text, "\t", -1);
  g_autoptr (Measurement) row = measurement_new (place.file, (unsigned) place.line);

  if (g_strv_length (column) != COLUMNS) {
    refuse (place, text, strlen (text), error,
            "four columns separated by tabs: job, file system, busy percentage, percentage of it in rwsems");
    return NULL;
  }
  const gsize length = strlen (column[0]);
  if (!length || length > PHRASE_MAX || !*column[1] || strlen (column[1]) > 64) {
    refuse (place, text, strlen (text), error, "a job of up to 200 bytes and a file system");
    return NULL;
  }
  MeasuredJob *job = job_of (column[0], place, error);
  if (!job) {
    return NULL;
  }
  job->fs = g_strdup (column[1]);
  measurement_take_job (row, job);
  g_free (row->name);
  row->name = g_strdup (column[0]);
  return read_percent (column[2], place, &row->busy_share, &row->busy_doubtful, error) &&
                 read_percent (column[3], place, &row->spin_share, NULL, error)
             ? g_steal_pointer (&row)
             : NULL;
}

static gboolean read_line (const ByteLine *line, const char *file, GPtrArray *rows, GError **error)
{
  const Place place = { file, line->number };
  g_autofree char *text = g_strndup (line->text, line->length);

  if (line->too_long || strlen (text) != line->length || !g_utf8_validate (text, -1, NULL)) {
    return refuse (place, line->text, MIN (line->length, 40), error, "a line of text");
  }
  g_strchomp (text);
  if (!*text || *text == '#') {
    return TRUE;
  }
  if (rows->len >= MEASUREMENT_RECORDS_LIMIT) {
    g_autofree char *expected = g_strdup_printf ("at most %u rows", MEASUREMENT_RECORDS_LIMIT);
    return refuse (place, text, strlen (text), error, expected);
  }
  Measurement *row = read_row (text, place, error);
  if (row) {
    g_ptr_array_add (rows, row);
  }
  return row != NULL;
}

GPtrArray *lock_shares_read (ByteSource *source, GError **error)
{
  const char *file = byte_source_name (source);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  int more = -1;

  while (stream && (more = byte_stream_next_line (stream, &line, error)) > 0) {
    if (!read_line (&line, file, rows, error)) {
      more = -1;
      break;
    }
  }
  byte_stream_free (stream);
  if (more == 0 && !rows->len) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no row in it", file);
    more = -1;
  }
  return more == 0 ? g_steal_pointer (&rows) : NULL;
}
