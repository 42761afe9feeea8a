/* Experiments: published rows and ratios, and the limit on what may be fitted to them. */
#include "model/experiment.h"

#include "model/key_file.h"
#include "model/suggest.h"

#include <string.h>

G_DEFINE_QUARK (experiment - error - quark, experiment_error)

#define ROW_PREFIX "Row "
#define RATIO_PREFIX "Ratio "
#define HEAD "Experiment"
#define ROWS_MAX 64u
#define IOS_MAX G_GUINT64_CONSTANT (1000000000)
#define FITTED_MAX 3u

static const char *const head_keys[] = { "Name", "Title", "Source",  "Machine", "Fs",     "Kernel", "Workload",
                                         "Ios",  "Cache", "Iodepth", "Sqpoll",  "Fitted", "Note",   NULL };
static const char *const row_keys[] = {
  "Policy", "Engine", "Sqpoll", "Iops", "Bandwidth", "ClatMean", "CpuShareContention", "Note", NULL
};
static const char *const ratio_keys[] = { "Numerator", "Denominator", "Published", "Tolerance", NULL };
static const char *const caches[] = { "clean", "dirty", "cold", NULL };
G_STATIC_ASSERT (CACHE_CLEAN == 0 && CACHE_DIRTY == 1 && CACHE_COLD == 2);

static gboolean check_groups (const KeyFile *file, GError **error)
{
  static const char *const known[] = { HEAD, "Row NAME", "Ratio NAME", NULL };

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    const char *const *keys = NULL;

    if (strcmp (group, HEAD) == 0) {
      keys = head_keys;
    } else if (g_str_has_prefix (group, ROW_PREFIX) && key_file_name_valid (group + strlen (ROW_PREFIX))) {
      keys = row_keys;
    } else if (g_str_has_prefix (group, RATIO_PREFIX)) {
      keys = ratio_keys;
    }
    if (!keys) {
      key_file_unknown_group (file, group, known, error);
      return FALSE;
    }
    if (!key_file_check_keys (file, group, keys, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static unsigned count_groups (const KeyFile *file, const char *prefix)
{
  unsigned n = 0;

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    n += g_str_has_prefix (key_file_group (file, i), prefix);
  }
  return n;
}

/* A key that may be left out; the field keeps its value then. */
static gboolean optional_number (const KeyFile *file, const char *group, const char *key, double max, double *field,
                                 GError **error)
{
  return !key_file_has (file, group, key) || key_file_get_number (file, group, key, 0, max, field, error);
}

static gboolean optional_boolean (const KeyFile *file, const char *group, const char *key, int *field, GError **error)
{
  return !key_file_has (file, group, key) || key_file_get_boolean (file, group, key, field, error);
}

/* ---- rows and ratios ---- */

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

static gboolean read_row (ExperimentRow *row, const KeyFile *file, const char *group, GError **error)
{
  uint64_t bytes;

  *row = (ExperimentRow){ .name = g_strdup (group + strlen (ROW_PREFIX)),
                          .engine = -1,
                          .sqpoll = -1,
                          .iops = EXPERIMENT_UNSET,
                          .bw_bytes = EXPERIMENT_UNSET,
                          .clat_mean_ns = EXPERIMENT_UNSET,
                          .cpu_share_contention = EXPERIMENT_UNSET };
  if (!key_file_get_line (file, group, "Policy", &row->policy, error) ||
      !read_engine (file, group, &row->engine, error) ||
      !optional_boolean (file, group, "Sqpoll", &row->sqpoll, error) ||
      !optional_number (file, group, "Iops", 1e12, &row->iops, error) ||
      !optional_number (file, group, "ClatMean", 1e12, &row->clat_mean_ns, error) ||
      !optional_number (file, group, "CpuShareContention", 1, &row->cpu_share_contention, error)) {
    return FALSE;
  }
  if (key_file_has (file, group, "Bandwidth")) {
    if (!key_file_get_bytes (file, group, "Bandwidth", 0, G_MAXINT64, &bytes, error)) {
      return FALSE;
    }
    row->bw_bytes = (double) bytes;
  }
  return !key_file_has (file, group, "Note") || key_file_get_line (file, group, "Note", &row->note, error);
}

static gboolean find_row (const Experiment *e, const KeyFile *file, const char *group, const char *key,
                          unsigned *ret_row, GError **error)
{
  g_autofree char *name = NULL, *quoted = NULL, *phrase = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if (!key_file_get_raw (file, group, key, &name, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < e->n_rows; i++) {
    if (strcmp (e->rows[i].name, name) == 0) {
      *ret_row = i;
      return TRUE;
    }
    g_ptr_array_add (names, e->rows[i].name);
  }
  g_ptr_array_add (names, NULL);
  quoted = key_file_quote (name);
  phrase = suggest_phrase (name, (const char *const *) names->pdata);
  key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s=%s: there is no such [Row NAME]%s", key, quoted,
                      phrase);
  return FALSE;
}

static gboolean read_ratio (const Experiment *e, ExperimentRatio *ratio, const KeyFile *file, const char *group,
                            GError **error)
{
  ratio->name = g_strdup (group + strlen (RATIO_PREFIX));
  if (!find_row (e, file, group, "Numerator", &ratio->numerator, error) ||
      !find_row (e, file, group, "Denominator", &ratio->denominator, error) ||
      !key_file_get_number (file, group, "Published", 1e-6, 1e6, &ratio->published, error) ||
      !key_file_get_number (file, group, "Tolerance", 1e-6, 10, &ratio->tolerance, error)) {
    return FALSE;
  }
  if (ratio->numerator != ratio->denominator) {
    return TRUE;
  }
  key_file_set_error (error, file, group, "Denominator", KEY_FILE_VALUE, "a ratio of a row to itself");
  return FALSE;
}

static gboolean read_rows (Experiment *e, const KeyFile *file, GError **error)
{
  unsigned rows = count_groups (file, ROW_PREFIX), ratios = count_groups (file, RATIO_PREFIX);

  if (!rows || rows > ROWS_MAX || ratios > ROWS_MAX) {
    key_file_set_error (error, file, NULL, NULL, KEY_FILE_VALUE,
                        "expected 1 to %u [Row NAME] groups and at most %u ratios, found %u and %u", ROWS_MAX, ROWS_MAX,
                        rows, ratios);
    return FALSE;
  }
  e->rows = g_new0 (ExperimentRow, rows);
  e->ratios = g_new0 (ExperimentRatio, ratios);
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);

    if (g_str_has_prefix (group, ROW_PREFIX) && !read_row (&e->rows[e->n_rows++], file, group, error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);

    if (g_str_has_prefix (group, RATIO_PREFIX) && !read_ratio (e, &e->ratios[e->n_ratios++], file, group, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- the head ---- */

static gboolean read_workload (Experiment *e, const KeyFile *file, GError **error)
{
  g_autofree char *name = NULL, *directory = g_path_get_dirname (e->path), *quoted = NULL;

  if (!key_file_get_line (file, HEAD, "Workload", &name, error)) {
    return FALSE;
  }
  e->workload_path = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (directory, name, NULL);
  if (g_file_test (e->workload_path, G_FILE_TEST_IS_REGULAR)) {
    return TRUE;
  }
  quoted = key_file_quote (name);
  key_file_set_error (error, file, HEAD, "Workload", KEY_FILE_VALUE, "Workload=%s: no such file beside the experiment",
                      quoted);
  return FALSE;
}

/* Group.Key;Group.Key: split, no entry empty or twice. */
static gboolean read_fitted (Experiment *e, const KeyFile *file, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) parts = NULL;

  if (key_file_has (file, HEAD, "Fitted") && !key_file_get_raw (file, HEAD, "Fitted", &text, error)) {
    return FALSE;
  }
  parts = g_strsplit (text ? text : "", ";", -1);
  for (char **part = parts; *part; part++) {
    g_strstrip (*part);
    if (!**part && !part[1]) {
      break; /* a ';' at the end */
    }
    if (!**part || g_ptr_array_find_with_equal_func (names, *part, g_str_equal, NULL)) {
      key_file_set_error (error, file, HEAD, "Fitted", KEY_FILE_VALUE, "Fitted= has an empty or repeated entry");
      return FALSE;
    }
    g_ptr_array_add (names, g_strdup (*part));
  }
  g_ptr_array_add (names, NULL);
  e->fitted = (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
  return TRUE;
}

static gboolean read_head (Experiment *e, const KeyFile *file, GError **error)
{
  uint64_t iodepth;
  unsigned index;

  if (!key_file_get_name (file, HEAD, "Name", &e->name, error) ||
      !key_file_get_line (file, HEAD, "Title", &e->title, error) ||
      !key_file_get_line (file, HEAD, "Source", &e->source, error) ||
      !key_file_get_line (file, HEAD, "Machine", &e->machine, error) ||
      !key_file_get_line (file, HEAD, "Fs", &e->fs, error) ||
      !key_file_get_integer (file, HEAD, "Ios", 1, IOS_MAX, &e->ios, error) || !read_workload (e, file, error) ||
      !optional_boolean (file, HEAD, "Sqpoll", &e->sqpoll, error) || !read_fitted (e, file, error) ||
      (key_file_has (file, HEAD, "Note") && !key_file_get_line (file, HEAD, "Note", &e->note, error))) {
    return FALSE;
  }
  if (key_file_has (file, HEAD, "Kernel") && !key_file_get_kernel (file, HEAD, "Kernel", &e->kernel, error)) {
    return FALSE;
  }
  if (key_file_has (file, HEAD, "Cache")) {
    if (!key_file_get_choice (file, HEAD, "Cache", caches, &index, error)) {
      return FALSE;
    }
    e->cache = (int) index;
  }
  if (key_file_has (file, HEAD, "Iodepth")) {
    if (!key_file_get_integer (file, HEAD, "Iodepth", 1, 32768, &iodepth, error)) {
      return FALSE;
    }
    e->iodepth = (unsigned) iodepth;
  }
  return TRUE;
}

Experiment *experiment_load (const char *name_or_path, GError **error)
{
  KeyFile *file = key_file_load_named ("experiments", name_or_path, ".experiment", EXPERIMENT_ERROR, error);
  Experiment *e;
  gboolean ok;

  if (!file) {
    return NULL;
  }
  e = g_new0 (Experiment, 1);
  e->path = g_strdup (key_file_path (file));
  e->cache = -1;
  e->sqpoll = -1;
  ok = check_groups (file, error) && read_head (e, file, error) && read_rows (e, file, error);
  key_file_free (file);
  if (ok) {
    return e;
  }
  experiment_free (e);
  return NULL;
}

void experiment_free (Experiment *e)
{
  if (!e) {
    return;
  }
  for (unsigned i = 0; i < e->n_rows; i++) {
    g_free (e->rows[i].name);
    g_free (e->rows[i].policy);
    g_free (e->rows[i].note);
  }
  for (unsigned i = 0; i < e->n_ratios; i++) {
    g_free (e->ratios[i].name);
  }
  g_free (e->rows);
  g_free (e->ratios);
  g_strfreev (e->fitted);
  g_free (e->note);
  g_free (e->name);
  g_free (e->title);
  g_free (e->source);
  g_free (e->machine);
  g_free (e->fs);
  g_free (e->workload_path);
  g_free (e->path);
  g_free (e);
}

/* ---- Fitted= ---- */

typedef struct {
  const Experiment *experiment;
  const Machine *machine;
  GPtrArray *changed; /* of char *: "Group.Key" of every value that is the machine's own */
  GError **error;
} FittedCheck;

static gboolean own_value (const FittedCheck *check, const MachineValue *value, const MachineValue *base)
{
  size_t n = strlen (check->machine->display);

  return !base || value->ns != base->ns ||
         (strncmp (value->origin, check->machine->display, n) == 0 && value->origin[n] == ':');
}

static void note_change (FittedCheck *check, const char *group, const char *key, const MachineValue *value,
                         const MachineValue *base)
{
  if (own_value (check, value, base)) {
    g_ptr_array_add (check->changed, g_strdup_printf ("%s.%s", group, key));
  }
}

static void collect_changes (FittedCheck *check, const Machine *base)
{
  const Machine *machine = check->machine;
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (machine->scalar_source), (GCompareFunc) strcmp);

  for (GList *name = names; name; name = name->next) {
    const MachineValue *value = g_hash_table_lookup (machine->scalar_source, name->data);

    if (own_value (check, value, g_hash_table_lookup (base->scalar_source, name->data))) {
      g_ptr_array_add (check->changed, g_strdup (name->data));
    }
  }
  for (unsigned i = 0; i < COSTS; i++) {
    note_change (check, machine_cost_group ((CostKey) i), machine_cost_key ((CostKey) i), &machine->cost[i],
                 &base->cost[i]);
  }
  for (unsigned n = 0; n < machine->file_systems->len; n++) {
    const MachineFileSystem *fs = machine->file_systems->pdata[n], *base_fs = machine_file_system (base, fs->name);
    g_autofree char *group = g_strconcat ("FileSystem ", fs->name, NULL);

    for (unsigned i = 0; i < FS_COSTS; i++) {
      note_change (check, group, machine_file_system_cost_key ((FileSystemCostKey) i), &fs->cost[i],
                   base_fs ? &base_fs->cost[i] : NULL);
    }
  }
}

static gboolean check_listed (const FittedCheck *check)
{
  const Experiment *e = check->experiment;

  for (unsigned i = 0; i < check->changed->len; i++) {
    const char *name = check->changed->pdata[i];

    if (!g_strv_contains ((const char *const *) e->fitted, name)) {
      g_set_error (check->error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                   "%s: machine %s changes %s, which Fitted= does not name", e->path, check->machine->name, name);
      return FALSE;
    }
  }
  for (char **name = e->fitted; *name; name++) {
    if (strcmp (*name, "Fs") != 0 && !g_ptr_array_find_with_equal_func (check->changed, *name, g_str_equal, NULL)) {
      g_autofree char *quoted = key_file_quote (*name);

      g_set_error (check->error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                   "%s: Fitted= names %s, which machine %s does not change", e->path, quoted, check->machine->name);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean experiment_check_fitted (const Experiment *experiment, const Machine *machine, const Machine *base,
                                  GError **error)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);
  FittedCheck check = { experiment, machine, changed, error };
  unsigned n = g_strv_length (experiment->fitted), most = MIN (experiment->n_rows - 1, FITTED_MAX);

  if (n > most) {
    g_set_error (error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                 "%s: Fitted= names %u keys; an experiment of %u rows may fit %u (rows - 1, at most %u)",
                 experiment->path, n, experiment->n_rows, most, FITTED_MAX);
    return FALSE;
  }
  collect_changes (&check, base);
  return check_listed (&check);
}
