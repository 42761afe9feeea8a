/* Rows of experiments: how each is run, and what was published of it.  [Experiment] says what rows do not. */
#include "model/experiment_private.h"

#include "model/simulation.h"

#include <math.h>
#include <string.h>

#define IOS_MAX G_GUINT64_CONSTANT (1000000000)
#define IODEPTH_MAX 32768u
#define CPUS_MAX 1024u
#define RUNTIME_MAX (1000 * UR_S)

static const char *const caches[] = { "clean", "dirty", "cold", NULL };
G_STATIC_ASSERT (CACHE_CLEAN == 0 && CACHE_DIRTY == 1 && CACHE_COLD == 2);

void experiment_row_init (ExperimentRow *row)
{
  *row = (ExperimentRow){ .engine = -1, .sqpoll = -1, .cache = -1, .left_out_error = NAN, .set = g_new0 (char *, 1) };
  for (unsigned i = 0; i < METRICS_N; i++) {
    row->published[i] = EXPERIMENT_UNSET;
  }
}

void experiment_row_clear (ExperimentRow *row)
{
  g_free (row->name);
  g_free (row->note);
  g_free (row->policy);
  g_free (row->fs);
  g_free (row->workload_path);
  g_free (row->device);
  g_free (row->ring);
  g_free (row->sqe);
  g_free (row->lock);
  g_strfreev (row->set);
}

gboolean experiment_check_row_keys (const KeyFile *file, const char *group, GError **error)
{
  static const char *const own[] = { EXPERIMENT_RUN_KEYS, "Lock", "LeftOutError", "Note" };
  const char *keys[G_N_ELEMENTS (own) + METRICS_N + 1];

  memcpy (keys, own, sizeof own);
  memcpy (keys + G_N_ELEMENTS (own), metric_keys (), (METRICS_N + 1) * sizeof *keys);
  return key_file_check_keys (file, group, keys, error);
}

gboolean experiment_read_number (const KeyFile *file, const char *group, const char *key, double min, double max,
                                 double *field, GError **error)
{
  return !key_file_has (file, group, key) || key_file_get_number (file, group, key, min, max, field, error);
}

static gboolean read_integer (const KeyFile *file, const char *group, const char *key, uint64_t max, uint64_t *field,
                              GError **error)
{
  return !key_file_has (file, group, key) || key_file_get_integer (file, group, key, 1, max, field, error);
}

static gboolean read_unsigned (const KeyFile *file, const char *group, const char *key, uint64_t max, unsigned *field,
                               GError **error)
{
  uint64_t number = *field;

  if (!read_integer (file, group, key, max, &number, error)) {
    return FALSE;
  }
  *field = (unsigned) number;
  return TRUE;
}

/* Text on one line, over what is in *field. */
static gboolean read_text (const KeyFile *file, const char *group, const char *key, char **field, GError **error)
{
  char *text;

  if (!key_file_has (file, group, key)) {
    return TRUE;
  }
  if (!key_file_get_line (file, group, key, &text, error)) {
    return FALSE;
  }
  g_free (*field);
  *field = text;
  return TRUE;
}

static gboolean read_engine (const KeyFile *file, const char *group, int *ret_engine, GError **error)
{
  g_autofree char *text = NULL, *quoted = NULL;
  ApplicationEngine engine;

  if (!key_file_has (file, group, "Engine")) {
    return TRUE;
  }
  if (!key_file_get_raw (file, group, "Engine", &text, error)) {
    return FALSE;
  }
  if (application_engine_parse (text, &engine)) {
    *ret_engine = (int) engine;
    return TRUE;
  }
  quoted = key_file_quote (text);
  key_file_set_error (error, file, group, "Engine", KEY_FILE_VALUE,
                      "Engine=%s: expected io_uring, libaio, psync or posixaio", quoted);
  return FALSE;
}

static gboolean read_workload (ExperimentRow *row, const KeyFile *file, const char *group, const char *path,
                               GError **error)
{
  g_autofree char *name = NULL, *directory = g_path_get_dirname (path), *quoted = NULL;

  if (!key_file_has (file, group, "Workload")) {
    return TRUE;
  }
  if (!key_file_get_line (file, group, "Workload", &name, error)) {
    return FALSE;
  }
  g_free (row->workload_path);
  row->workload_path = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (directory, name, NULL);
  if (g_file_test (row->workload_path, G_FILE_TEST_IS_REGULAR)) {
    return TRUE;
  }
  quoted = key_file_quote (name);
  key_file_set_error (error, file, group, "Workload", KEY_FILE_VALUE, "Workload=%s: no such file beside the experiment",
                      quoted);
  return FALSE;
}

/* A whole number with ns, us, ms or s. */
static gboolean read_runtime (const KeyFile *file, const char *group, UrTime *ret_time, GError **error)
{
  static const struct {
    const char *unit;
    UrTime ns;
  } units[] = { { "ns", 1 }, { "us", UR_US }, { "ms", UR_MS }, { "s", UR_S } };
  g_autofree char *text = NULL, *quoted = NULL;

  if (!key_file_has (file, group, "Runtime")) {
    return TRUE;
  }
  if (!key_file_get_raw (file, group, "Runtime", &text, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    g_autofree char *digits = g_strndup (text, strspn (text, "0123456789"));
    uint64_t number;

    if (strcmp (text + strlen (digits), units[i].unit) == 0 && key_file_parse_integer (digits, &number) && number > 0 &&
        number <= RUNTIME_MAX / units[i].ns) {
      *ret_time = number * units[i].ns;
      return TRUE;
    }
  }
  quoted = key_file_quote (text);
  key_file_set_error (error, file, group, "Runtime", KEY_FILE_VALUE,
                      "Runtime=%s: expected a time with ns, us, ms or s, at most 1000s", quoted);
  return FALSE;
}

char **experiment_read_list (const KeyFile *file, const char *group, const char *key, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = NULL;

  if (key_file_has (file, group, key) && !key_file_get_raw (file, group, key, &text, error)) {
    return NULL;
  }
  parts = g_strsplit (text ? text : "", ";", -1);
  for (char **part = parts; *part; part++) {
    g_strstrip (*part);
    if (!**part && !part[1]) {
      break; /* a ';' at the end */
    }
    if (!**part || g_ptr_array_find_with_equal_func (names, *part, g_str_equal, NULL)) {
      key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s= has an empty or repeated entry", key);
      return NULL;
    }
    g_ptr_array_add (names, g_strdup (*part));
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/* The row's own after those that are there, so that they win. */
static gboolean read_set (ExperimentRow *row, const KeyFile *file, const char *group, GError **error)
{
  g_auto (GStrv) own = experiment_read_list (file, group, "Set", error);
  GPtrArray *all;

  if (!own) {
    return FALSE;
  }
  for (char **assignment = own; *assignment; assignment++) {
    if (!strchr (*assignment, '=')) {
      key_file_set_error (error, file, group, "Set", KEY_FILE_VALUE, "Set=: expected KEY=VALUE;..., as --set takes it");
      return FALSE;
    }
  }
  all = g_ptr_array_new ();
  for (char **assignment = row->set; *assignment; assignment++) {
    g_ptr_array_add (all, *assignment);
  }
  for (char **assignment = own; *assignment; assignment++) {
    g_ptr_array_add (all, g_strdup (*assignment));
  }
  g_ptr_array_add (all, NULL);
  g_free (row->set);
  row->set = (char **) g_ptr_array_free (all, FALSE);
  return TRUE;
}

static gboolean read_fio_version (const KeyFile *file, const char *group, unsigned *ret_version, GError **error)
{
  unsigned version;

  if (!key_file_has (file, group, "FioVersion")) {
    return TRUE;
  }
  if (!key_file_get_kernel (file, group, "FioVersion", &version, error)) {
    return FALSE;
  }
  if (version < FIO_OLDEST || version > FIO_NEWEST) {
    key_file_set_error (error, file, group, "FioVersion", KEY_FILE_VALUE, "FioVersion=%u.%u: expected %u.%u to %u.%u",
                        KERNEL_MAJOR (version), KERNEL_MINOR (version), KERNEL_MAJOR (FIO_OLDEST),
                        KERNEL_MINOR (FIO_OLDEST), KERNEL_MAJOR (FIO_NEWEST), KERNEL_MINOR (FIO_NEWEST));
    return FALSE;
  }
  *ret_version = version;
  return TRUE;
}

gboolean experiment_read_run (ExperimentRow *row, const KeyFile *file, const char *group, const char *path,
                              GError **error)
{
  unsigned index;

  if (!read_text (file, group, "Policy", &row->policy, error) || !read_text (file, group, "Fs", &row->fs, error) ||
      !read_text (file, group, "Device", &row->device, error) || !read_text (file, group, "Ring", &row->ring, error) ||
      !read_text (file, group, "Sqe", &row->sqe, error) || !read_workload (row, file, group, path, error) ||
      !read_engine (file, group, &row->engine, error) || !read_set (row, file, group, error) ||
      !read_unsigned (file, group, "Cpus", CPUS_MAX, &row->cpus, error) ||
      !read_unsigned (file, group, "Iodepth", IODEPTH_MAX, &row->iodepth, error) ||
      !read_integer (file, group, "Ios", IOS_MAX, &row->ios, error) ||
      !read_runtime (file, group, &row->runtime, error)) {
    return FALSE;
  }
  if (key_file_has (file, group, "Kernel") && !key_file_get_kernel (file, group, "Kernel", &row->kernel, error)) {
    return FALSE;
  }
  if (!read_fio_version (file, group, &row->fio_version, error)) {
    return FALSE;
  }
  if (key_file_has (file, group, "Sqpoll") && !key_file_get_boolean (file, group, "Sqpoll", &row->sqpoll, error)) {
    return FALSE;
  }
  if (key_file_has (file, group, "Cache")) {
    if (!key_file_get_choice (file, group, "Cache", caches, &index, error)) {
      return FALSE;
    }
    row->cache = (int) index;
  }
  return TRUE;
}

/* ---- a row ---- */

static void copy_run (ExperimentRow *row, const ExperimentRow *base)
{
  experiment_row_init (row);
  g_strfreev (row->set);
  row->policy = g_strdup (base->policy);
  row->fs = g_strdup (base->fs);
  row->workload_path = g_strdup (base->workload_path);
  row->device = g_strdup (base->device);
  row->ring = g_strdup (base->ring);
  row->sqe = g_strdup (base->sqe);
  row->set = g_strdupv (base->set);
  row->kernel = base->kernel;
  row->engine = base->engine;
  row->sqpoll = base->sqpoll;
  row->cache = base->cache;
  row->iodepth = base->iodepth;
  row->cpus = base->cpus;
  row->ios = base->ios;
  row->runtime = base->runtime;
  row->fio_version = base->fio_version;
}

static gboolean read_published (ExperimentRow *row, const KeyFile *file, const char *group, GError **error)
{
  for (unsigned i = 0; i < METRICS_N; i++) {
    const char *key = metric_key ((Metric) i);
    const double max = metric_unit ((Metric) i) == METRIC_SHARE ? 1 : 1e15;
    uint64_t bytes;

    if (metric_unit ((Metric) i) != METRIC_BYTES_RATE) {
      if (!experiment_read_number (file, group, key, 0, max, &row->published[i], error)) {
        return FALSE;
      }
    } else if (key_file_has (file, group, key)) {
      if (!key_file_get_bytes (file, group, key, 0, G_MAXINT64, &bytes, error)) {
        return FALSE;
      }
      row->published[i] = (double) bytes;
    }
  }
  return TRUE;
}

/* An error has a sign, which numbers of other keys never have; -1 is as far as it goes. */
static gboolean read_error (const KeyFile *file, const char *group, double *field, GError **error)
{
  g_autofree char *text = NULL, *quoted = NULL;
  double number;

  if (!key_file_has (file, group, "LeftOutError")) {
    return TRUE;
  }
  if (!key_file_get_raw (file, group, "LeftOutError", &text, error)) {
    return FALSE;
  }
  if (key_file_parse_number (text + (*text == '-'), &number) && number <= (*text == '-' ? 1 : 1e6)) {
    *field = *text == '-' ? -number : number;
    return TRUE;
  }
  quoted = key_file_quote (text);
  key_file_set_error (error, file, group, "LeftOutError", KEY_FILE_VALUE,
                      "LeftOutError=%s: expected a number from -1, such as -0.12", quoted);
  return FALSE;
}

static gboolean check_complete (const ExperimentRow *row, const KeyFile *file, const char *group, GError **error)
{
  const struct {
    const char *key, *value;
  } required[] = { { "Policy", row->policy }, { "Fs", row->fs }, { "Workload", row->workload_path } };

  for (unsigned i = 0; i < G_N_ELEMENTS (required); i++) {
    if (!required[i].value) {
      key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE,
                          "[%s] lacks %s=, and [" EXPERIMENT_HEAD "] has none", group, required[i].key);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean experiment_read_row (ExperimentRow *row, const ExperimentRow *base, const KeyFile *file, const char *group,
                              const char *path, GError **error)
{
  copy_run (row, base);
  row->name = g_strdup (group + strlen (EXPERIMENT_ROW_PREFIX));
  return experiment_read_run (row, file, group, path, error) && check_complete (row, file, group, error) &&
         read_published (row, file, group, error) && read_text (file, group, "Lock", &row->lock, error) &&
         read_text (file, group, "Note", &row->note, error) && read_error (file, group, &row->left_out_error, error);
}
