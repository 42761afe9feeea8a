/* Measured results as values.  See measurement.h. */
#include "src/input/measurement.h"
#include <math.h>
#include <string.h>

const char *measured_direction_name (MeasuredDirection direction)
{
  static const char *const names[] = { "read", "write", "trim" };
  return names[direction];
}

Measurement *measurement_new (const char *file, unsigned line)
{
  Measurement *measurement = g_new0 (Measurement, 1);

  measurement->file = g_strdup (file);
  measurement->line = line;
  measurement->sections = g_ptr_array_new_with_free_func ((GDestroyNotify) measured_section_free);
  measurement->warnings = g_ptr_array_new_with_free_func (g_free);
  measurement->spin_share = measurement->busy_share = -1;
  return measurement;
}

/* ---- latencies ---- */

void measured_latency_clear (MeasuredLatency *latency)
{
  g_clear_pointer (&latency->percentile, g_array_unref);
  g_free (latency->bins);
  *latency = (MeasuredLatency){ 0 };
}

/* Mean, deviation and extremes of two sets together; n of both are positive. */
static void merge_moments (MeasuredLatency *into, const MeasuredLatency *from)
{
  const double a = (double) into->n, b = (double) from->n, apart = from->mean - into->mean;
  const double squares = into->stddev * into->stddev * MAX (a - 1, 0) + from->stddev * from->stddev * MAX (b - 1, 0) +
                         apart * apart * a * b / (a + b);

  into->mean += apart * b / (a + b);
  into->stddev = a + b > 1 ? sqrt (squares / (a + b - 1)) : 0;
  into->min = MIN (into->min, from->min);
  into->max = MAX (into->max, from->max);
  into->n += from->n;
}

/* Percentiles of several jobs cannot be put together, bins can. */
static void merge_curves (MeasuredLatency *into, MeasuredLatency *from)
{
  g_clear_pointer (&into->percentile, g_array_unref);
  if (into->bins && from->bins) {
    for (unsigned i = 0; i < UR_HISTOGRAM_BINS; i++) {
      into->bins->bin[i] += from->bins->bin[i];
    }
    into->bins->n += from->bins->n;
  } else {
    g_clear_pointer (&into->bins, g_free);
  }
}

void measured_latency_add (MeasuredLatency *into, MeasuredLatency *from)
{
  if (!into->n) {
    measured_latency_clear (into);
    *into = *from;
    *from = (MeasuredLatency){ 0 };
    return;
  }
  if (from->n) {
    merge_moments (into, from);
    merge_curves (into, from);
  }
  measured_latency_clear (from);
}

void measurement_doubt_clat (Measurement *measurement)
{
  for (unsigned i = 0; i < MEASURED_DIRECTIONS; i++) {
    const MeasuredOp *op = &measurement->op[i];
    measurement->clat_garbage |=
        op->ios && op->clat.n && op->lat.n &&
        (op->clat.mean > op->lat.mean * 1.0001 || (op->slat.n == 0 && op->clat.min > op->lat.max));
  }
}

/* ---- results ---- */

static void clear_op (MeasuredOp *op)
{
  measured_latency_clear (&op->slat);
  measured_latency_clear (&op->clat);
  measured_latency_clear (&op->lat);
}

void measurement_free (Measurement *measurement)
{
  if (!measurement) {
    return;
  }
  for (unsigned i = 0; i < MEASURED_DIRECTIONS; i++) {
    clear_op (&measurement->op[i]);
  }
  clear_op (&measurement->mixed);
  clear_op (&measurement->sync);
  g_ptr_array_unref (measurement->warnings);
  g_ptr_array_unref (measurement->sections);
  measured_job_free (measurement->job);
  g_free (measurement->file);
  g_free (measurement->fs);
  g_free (measurement->name);
  g_free (measurement->version);
  g_free (measurement);
}

void measured_job_free (MeasuredJob *job)
{
  if (job) {
    g_free (job->fs);
    g_free (job->rw);
    g_free (job->bs);
    g_free (job->engine);
    g_free (job->extra);
    g_free (job);
  }
}

static void clear_option (gpointer data)
{
  MeasuredOption *option = data;

  g_free (option->name);
  g_free (option->value);
}

MeasuredSection *measured_section_new (const char *name)
{
  MeasuredSection *section = g_new0 (MeasuredSection, 1);

  section->name = g_strdup (name);
  section->options = g_array_new (FALSE, FALSE, sizeof (MeasuredOption));
  g_array_set_clear_func (section->options, clear_option);
  return section;
}

void measured_section_free (MeasuredSection *section)
{
  g_array_unref (section->options);
  g_free (section->name);
  g_free (section);
}

void measured_section_add (MeasuredSection *section, const char *name, const char *value)
{
  const MeasuredOption option = { g_strdup (name), g_strdup (value) };

  g_array_append_val (section->options, option);
}

/* ---- jobs of records ---- */

char *measured_job_text (const MeasuredJob *job)
{
  GString *text = g_string_new (job->tool == MEASURED_WQ ? "wq" : job->engine);

  g_string_append_printf (text, " %s %s qd%u", job->rw, job->bs, job->qd);
  if (job->nj > 1) {
    g_string_append_printf (text, " %u jobs", job->nj);
  }
  if (job->files > 1) {
    g_string_append_printf (text, " %u files", job->files);
  }
  g_string_append (text, job->direct ? " direct" : "");
  g_string_append (text, job->sqpoll ? " sqpoll" : "");
  g_string_append (text, job->force_async ? " async" : "");
  if (job->workers) {
    g_string_append_printf (text, " %u worker%s", job->workers, job->workers == 1 ? "" : "s");
  }
  if (*job->extra) {
    g_string_append_printf (text, " %s", job->extra);
  }
  return g_string_free (text, FALSE);
}

gboolean measured_job_is_reference (const MeasuredJob *job)
{
  return job->tool == MEASURED_FIO && !strcmp (job->engine, "psync") && !strcmp (job->rw, "randwrite") &&
         !strcmp (job->bs, "4k") && job->nj == 1 && job->files == 1 && !job->direct && !*job->extra;
}

static void add_number (MeasuredSection *section, const char *name, uint64_t value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  measured_section_add (section, name, text);
}

/* The files of all jobs: "0:1:2". */
static void add_files (MeasuredSection *section, unsigned files)
{
  GString *names = g_string_new ("0");

  for (unsigned i = 1; i < files; i++) {
    g_string_append_printf (names, ":%u", i);
  }
  measured_section_add (section, "filename", names->str);
  g_string_free (names, TRUE);
  add_number (section, "size", (uint64_t) files * (64 << 20));
}

/* Further options: words "NAME" or "NAME=VALUE", dashes before them allowed as on fio's command line. */
static void add_extra (MeasuredSection *section, const char *extra)
{
  g_auto (GStrv) words = g_strsplit_set (extra, " \t", -1);

  for (char **word = words; *word; word++) {
    char *name = g_str_has_prefix (*word, "--") ? *word + 2 : *word;
    char *equals = strchr (name, '=');
    if (*name) {
      if (equals) {
        *equals = '\0';
      }
      measured_section_add (section, name, equals ? equals + 1 : NULL);
    }
  }
}

/* Both tools ran for 0.4 s on files that had been laid out and were in the cache. */
static MeasuredSection *section_of (const MeasuredJob *job)
{
  MeasuredSection *section = measured_section_new ("job");

  measured_section_add (section, "ioengine", job->engine);
  measured_section_add (section, "rw", job->rw);
  measured_section_add (section, "bs", job->bs);
  add_number (section, "iodepth", job->qd);
  add_number (section, "numjobs", job->nj);
  add_files (section, job->files);
  measured_section_add (section, "invalidate", "0");
  measured_section_add (section, "time_based", NULL);
  measured_section_add (section, "runtime", "400ms");
  if (job->direct) {
    measured_section_add (section, "direct", "1");
  }
  if (job->sqpoll) {
    measured_section_add (section, "sqthread_poll", "1");
  }
  if (job->force_async) {
    measured_section_add (section, "force_async", "1");
  }
  if (job->tool == MEASURED_WQ) {
    measured_section_add (section, "norandommap", NULL);
    measured_section_add (section, "file_service_type", "random");
  }
  add_extra (section, job->extra);
  return section;
}

void measurement_take_job (Measurement *measurement, MeasuredJob *job)
{
  measurement->job = job;
  measurement->tool = job->tool;
  measurement->workers = job->workers;
  measurement->fs = g_strdup (job->fs);
  measurement->name = measured_job_text (job);
  g_ptr_array_add (measurement->sections, section_of (job));
}
