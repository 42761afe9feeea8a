/*
 * The calibration jobs run by fio; see measure.h.
 *
 * Drift of a machine hits all jobs alike, since they are run in turn; noise only ever slows a run, so that the 80th
 * percentile stands for the machine and the spread from the median to the maximum for what is not known.
 */
#include "src/command/measure.h"
#include "model/data_path.h"
#include "src/command/interrupt.h"
#include "src/input/fio_result.h"
#include "src/output/escape.h"
#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DEFAULT_REPS = 5 };
static const char data_file[] = "uringsim-calibrate.data"; /* as the job files name it */

typedef struct {
  char *path, *name;
  GKeyFile *keys;
  GArray *rates; /* of double, I/Os per second */
} Job;

static void job_free (gpointer data)
{
  Job *job = data;

  g_free (job->path);
  g_free (job->name);
  g_clear_pointer (&job->keys, g_key_file_unref);
  g_array_unref (job->rates);
  g_free (job);
}

/* ---- the job files ---- */

/* A job file of ours is also a key file with one group; comments begin with '#'. */
static Job *job_open (const char *file, GError **error)
{
  Job *job = g_new0 (Job, 1);
  g_auto (GStrv) groups = NULL;

  job->rates = g_array_new (FALSE, FALSE, sizeof (double));
  job->keys = g_key_file_new ();
  job->path = data_path_find ("calibration", file, ".fio", error);
  if (!job->path || !g_key_file_load_from_file (job->keys, job->path, G_KEY_FILE_NONE, error)) {
    job_free (job);
    return NULL;
  }
  groups = g_key_file_get_groups (job->keys, NULL);
  if (g_strv_length (groups) != 1) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_INPUT, "%s: expected one job", job->path);
    job_free (job);
    return NULL;
  }
  job->name = g_strdup (groups[0]);
  return job;
}

/* (transfer full) (element-type Job) */
static GPtrArray *open_jobs (GError **error)
{
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (job_free);
  g_auto (GStrv) files = data_path_list ("calibration", ".fio");

  for (char **file = files; file && *file; file++) {
    Job *job = job_open (*file, error);
    if (!job) {
      return NULL;
    }
    g_ptr_array_add (jobs, job);
  }
  if (!jobs->len) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_INPUT,
                 "no jobs found: the data directory has no calibration/*.fio");
    return NULL;
  }
  return g_steal_pointer (&jobs);
}

/* ---- one run of fio ---- */

/* Rate of all jobs together from fio's JSON; negative with error set. */
static double rate_of (const char *name, const char *json, gsize length, GError **error)
{
  ByteSource *source = byte_source_new_from_memory (name, json, length, error);
  g_autoptr (GPtrArray) results = source ? fio_results_read (source, error) : NULL;
  double rate = 0;

  byte_source_unref (source);
  if (!results) {
    return -1;
  }
  for (unsigned i = 0; i < results->len; i++) {
    const Measurement *result = results->pdata[i];
    for (unsigned d = 0; d < MEASURED_DIRECTIONS; d++) {
      rate += result->op[d].iops;
    }
  }
  if (rate <= 0) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_INPUT, "%s: fio did no I/O", name);
    return -1;
  }
  return rate;
}

static gboolean fio_failed (const Job *job, const char *messages, GError **error)
{
  g_autofree char *shown = escape_text_short (messages, -1, 200);

  g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_INPUT, "%s: fio failed: %s", job->name, shown);
  return FALSE;
}

/* FALSE with error set, or without if interrupted. */
static gboolean run_job (const char *fio, const char *directory, const Job *job, double *ret_rate, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GBytes) output = NULL, messages = NULL;

  g_subprocess_launcher_setenv (launcher, "URINGSIM_DIR", directory, TRUE);
  g_autoptr (GSubprocess) process =
      g_subprocess_launcher_spawn (launcher, error, fio, "--output-format=json", job->path, NULL);
  if (!process || !g_subprocess_communicate (process, NULL, NULL, &output, &messages, error)) {
    return FALSE;
  }
  if (*interrupt_flag ()) {
    return FALSE;
  }
  if (!g_subprocess_get_successful (process)) {
    g_autofree char *text = g_strndup (g_bytes_get_data (messages, NULL), g_bytes_get_size (messages));
    return fio_failed (job, g_strchomp (text), error);
  }
  *ret_rate = rate_of (job->name, g_bytes_get_data (output, NULL), g_bytes_get_size (output), error);
  return *ret_rate > 0;
}

/* ---- records ---- */

static const char *file_system_name (const char *directory)
{
  static const struct {
    unsigned long magic;
    const char *name;
  } known[] = {
    { 0xef53, "ext4" }, { 0x58465342, "xfs" }, { 0x01021994, "tmpfs" }, { 0x9123683e, "btrfs" }, { 0xf2f52010, "f2fs" }
  };
  struct statfs status;

  if (statfs (directory, &status) == 0) {
    for (unsigned i = 0; i < G_N_ELEMENTS (known); i++) {
      if ((unsigned long) status.f_type == known[i].magic) {
        return known[i].name;
      }
    }
  }
  return NULL;
}

static int compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double percentile (const GArray *sorted, double share)
{
  const unsigned index = (unsigned) ceil (share * sorted->len);

  return g_array_index (sorted, double, index ? index - 1 : 0);
}

static char *job_value (const Job *job, const char *key, const char *otherwise)
{
  char *value = g_key_file_get_value (job->keys, job->name, key, NULL);

  return value ? value : g_strdup (otherwise);
}

static void append_record (const Job *job, const char *fs, GString *out)
{
  g_autofree char *rw = job_value (job, "rw", "read"), *bs = job_value (job, "bs", "4k");
  g_autofree char *qd = job_value (job, "iodepth", "1"), *nj = job_value (job, "numjobs", "1");
  g_autofree char *engine = job_value (job, "ioengine", "psync"), *sqpoll = job_value (job, "sqthread_poll", "0");
  g_autofree char *direct = job_value (job, "direct", "0"), *async = job_value (job, "force_async", "0");
  g_autofree char *quoted = g_strescape (fs, NULL);

  g_array_sort (job->rates, compare_doubles);
  g_string_append_printf (
      out,
      "{\"batch\": 1, \"job\": {\"tool\": \"fio\", \"fs\": \"%s\", \"rw\": \"%s\", \"bs\": \"%s\", \"qd\": %s, "
      "\"nj\": %s, \"files\": 1, \"direct\": %s, \"eng\": \"%s\", \"sqpoll\": %s, \"force_async\": %s, "
      "\"extra\": \"\"}, "
      "\"reps\": %u, \"iops\": {\"p50\": %.0f, \"p80\": %.0f, \"max\": %.0f, \"min\": %.0f}}\n",
      quoted, rw, bs, qd, nj, direct, engine, sqpoll, async, job->rates->len, percentile (job->rates, 0.5),
      percentile (job->rates, 0.8), percentile (job->rates, 1), percentile (job->rates, 0));
}

/* ---- the whole ---- */

static void show_progress (const Options *options, const Job *job, unsigned round, unsigned rounds)
{
  if (!options->quiet && isatty (STDERR_FILENO)) {
    fprintf (stderr, "\r\033[Kround %u of %u: %s ", round, rounds, job->name);
    fflush (stderr);
  }
}

/* Round 0 lays out the file and fills the caches; it does not count. */
static gboolean run_rounds (const char *fio, const Options *options, const GPtrArray *jobs, GError **error)
{
  const unsigned reps = options->reps ? options->reps : DEFAULT_REPS;

  for (unsigned round = 0; round <= reps; round++) {
    for (unsigned i = 0; i < jobs->len; i++) {
      Job *job = jobs->pdata[i];
      double rate = 0;
      show_progress (options, job, round, reps);
      if (!run_job (fio, options->measure, job, &rate, error)) {
        return FALSE;
      }
      if (round) {
        g_array_append_val (job->rates, rate);
      }
    }
  }
  return TRUE;
}

static CommandExit measure_on (const char *fio, const char *fs, const Options *options, GError **error)
{
  g_autoptr (GPtrArray) jobs = open_jobs (error);
  g_autofree char *path = g_build_filename (options->measure, data_file, NULL);
  g_autoptr (GString) out = g_string_new (NULL);

  if (!jobs) {
    return EXIT_DATA;
  }
  if (g_file_test (path, G_FILE_TEST_EXISTS)) {
    g_autofree char *shown = escape_text_short (path, -1, 200);
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--measure: %s exists; expected a directory without it, since it is written and removed", shown);
    return EXIT_USAGE;
  }
  const gboolean whole = run_rounds (fio, options, jobs, error);
  if (!options->quiet && isatty (STDERR_FILENO)) {
    fputs ("\r\033[K", stderr);
  }
  g_unlink (path);
  if (!whole) {
    return *interrupt_flag () ? EXIT_INTERRUPTED : EXIT_DATA;
  }
  for (unsigned i = 0; i < jobs->len; i++) {
    append_record (jobs->pdata[i], fs, out);
  }
  return command_output (options, out->str, error) ? EXIT_DONE : EXIT_IO;
}

CommandExit measure (const Options *options, GError **error)
{
  g_autofree char *fio = g_find_program_in_path ("fio");
  g_autofree char *shown = escape_text_short (options->measure, -1, 200);
  const char *fs = options->fs ? options->fs : file_system_name (options->measure);

  if (options->arguments->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "--measure: found %u results, expected none",
                 options->arguments->len);
    return EXIT_USAGE;
  }
  if (!g_file_test (options->measure, G_FILE_TEST_IS_DIR) || g_access (options->measure, W_OK | X_OK)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--measure: found \"%s\", expected a directory to write to",
                 shown);
    return EXIT_USAGE;
  }
  if (!fs) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--measure: %s is on a file system that is not known here; --fs NAME says which to take it for",
                 shown);
    return EXIT_USAGE;
  }
  if (!fio) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE,
                 "--measure: fio is not installed (looked for in PATH); it runs the jobs");
    return EXIT_IO;
  }
  interrupt_install ();
  return measure_on (fio, fs, options, error);
}
