/*
 * The limit on what may be fitted to an experiment: a machine differs from its base in the keys of Fitted= only, at
 * most rows - 1 of them (rows that have a published figure) and never more than 3.  What Set= and Cpus= change counts
 * too, unless it is named in Stated=.
 */
#include "model/experiment.h"

#include "model/key_file.h"

#include <string.h>

#define FITTED_MAX 3u
#define COUNT_KEY "CPU.Count"

typedef struct {
  const Experiment *experiment;
  const Machine *machine;
  GPtrArray *changed; /* of char *: "Group.Key" of every value that is the machine's own or set for all rows */
  GError **error;
} FittedCheck;

/* ---- what the machine's own file changes ---- */

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

/* ---- what Set= and Cpus= change ---- */

char *experiment_set_key (const char *assignment)
{
  return g_strstrip (g_strndup (assignment, strcspn (assignment, "=")));
}

/* What a row sets a key to; NULL: it does not. (transfer full) */
static char *row_value (const ExperimentRow *row, const char *key)
{
  char *value = row->cpus && strcmp (key, COUNT_KEY) == 0 ? g_strdup_printf ("%u", row->cpus) : NULL;

  for (char **assignment = row->set; *assignment; assignment++) {
    g_autofree char *name = experiment_set_key (*assignment);

    if (strcmp (name, key) == 0) {
      g_free (value);
      value = g_strdup (strchr (*assignment, '=') + 1);
    }
  }
  return value;
}

static gboolean same_in_all_rows (const Experiment *e, const char *key)
{
  g_autofree char *first = row_value (&e->rows[0], key);

  for (unsigned i = 1; i < e->n_rows; i++) {
    g_autofree char *value = row_value (&e->rows[i], key);

    if (g_strcmp0 (first, value) != 0) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean check_set_key (FittedCheck *check, const char *key)
{
  const Experiment *e = check->experiment;

  if (g_strv_contains ((const char *const *) e->stated, key)) {
    return TRUE;
  }
  if (!g_strv_contains ((const char *const *) e->fitted, key)) {
    g_set_error (check->error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                 "%s: Set= or Cpus= changes %s, which neither Fitted= nor Stated= names", e->path, key);
    return FALSE;
  }
  if (!same_in_all_rows (e, key)) {
    g_set_error (check->error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                 "%s: %s is fitted and differs from row to row, which is more than one key", e->path, key);
    return FALSE;
  }
  g_ptr_array_add (check->changed, g_strdup (key));
  return TRUE;
}

static gboolean collect_set (FittedCheck *check)
{
  const Experiment *e = check->experiment;

  for (unsigned i = 0; i < e->n_rows; i++) {
    if (e->rows[i].cpus && !check_set_key (check, COUNT_KEY)) {
      return FALSE;
    }
    for (char **assignment = e->rows[i].set; *assignment; assignment++) {
      g_autofree char *key = experiment_set_key (*assignment);

      if (!check_set_key (check, key)) {
        return FALSE;
      }
    }
  }
  return TRUE;
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
    if (strcmp (*name, "Fs") != 0 && strcmp (*name, "Device") != 0 &&
        !g_ptr_array_find_with_equal_func (check->changed, *name, g_str_equal, NULL)) {
      g_autofree char *quoted = key_file_quote (*name);

      g_set_error (check->error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                   "%s: Fitted= names %s, which machine %s does not change", e->path, quoted, check->machine->name);
      return FALSE;
    }
  }
  return TRUE;
}

/* Rows with a published figure: the others cannot be fitted to. */
static unsigned count_published (const Experiment *e)
{
  unsigned n = 0;

  for (unsigned i = 0; i < e->n_rows; i++) {
    gboolean any = FALSE;

    for (unsigned k = 0; k < METRICS_N; k++) {
      any = any || e->rows[i].published[k] >= 0;
    }
    n += any;
  }
  return n;
}

gboolean experiment_check_fitted (const Experiment *experiment, const Machine *machine, const Machine *base,
                                  GError **error)
{
  g_autoptr (GPtrArray) changed = g_ptr_array_new_with_free_func (g_free);
  FittedCheck check = { experiment, machine, changed, error };
  unsigned n = g_strv_length (experiment->fitted), rows = count_published (experiment);
  unsigned most = MIN (rows ? rows - 1 : 0, FITTED_MAX);

  if (n > most) {
    g_set_error (error, EXPERIMENT_ERROR, KEY_FILE_VALUE,
                 "%s: Fitted= names %u keys; an experiment of %u published rows may fit %u (rows - 1, at most %u)",
                 experiment->path, n, rows, most, FITTED_MAX);
    return FALSE;
  }
  collect_changes (&check, base);
  return collect_set (&check) && check_listed (&check);
}

/* ---- values, to compare experiments ---- */

static gboolean file_system_value (const Machine *machine, const char *group, const char *key, double *ret_value)
{
  const MachineFileSystem *fs =
      g_str_has_prefix (group, "FileSystem ") ? machine_file_system (machine, group + strlen ("FileSystem ")) : NULL;

  for (unsigned i = 0; fs && i < FS_COSTS; i++) {
    if (strcmp (machine_file_system_cost_key ((FileSystemCostKey) i), key) == 0) {
      *ret_value = (double) fs->cost[i].ns;
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean scalar_value (const Machine *machine, const char *name, double *ret_value)
{
  const MachineValue *value = g_hash_table_lookup (machine->scalar_source, name);
  const struct {
    const char *name;
    double value;
  } fractions[] = { { "CPU.Slowdown", machine->slowdown },
                    { "CPU.Noise", machine->noise },
                    { "Locks.HoldPerContender", machine->kappa } };

  if (!value) {
    return FALSE;
  }
  *ret_value = (double) value->ns;
  for (unsigned i = 0; i < G_N_ELEMENTS (fractions); i++) {
    if (strcmp (name, fractions[i].name) == 0) {
      *ret_value = fractions[i].value;
    }
  }
  return TRUE;
}

static gboolean device_key_value (const Device *device, const char *group, const char *key, double *ret_value)
{
  for (unsigned i = 0; device && i < DEVICE_VALUES_N; i++) {
    if (strcmp (device_key_group ((DeviceKey) i), group) == 0 && strcmp (device_key_name ((DeviceKey) i), key) == 0) {
      *ret_value = device_number (device, (DeviceKey) i);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean experiment_key_value (const char *name, const Machine *machine, const Device *device, double *ret_value)
{
  const char *dot = strrchr (name, '.');
  g_autofree char *group = dot ? g_strndup (name, (gsize) (dot - name)) : NULL;

  if (!dot) {
    return FALSE;
  }
  if (scalar_value (machine, name, ret_value) || file_system_value (machine, group, dot + 1, ret_value) ||
      device_key_value (device, group, dot + 1, ret_value)) {
    return TRUE;
  }
  for (unsigned i = 0; i < COSTS; i++) {
    if (strcmp (machine_cost_group ((CostKey) i), group) == 0 &&
        strcmp (machine_cost_key ((CostKey) i), dot + 1) == 0) {
      *ret_value = (double) machine->cost[i].ns;
      return TRUE;
    }
  }
  return FALSE;
}
