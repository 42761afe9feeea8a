/* Machines: the tables of costs, loading with Base=, and the final check that nothing is missing. */
#include "model/machine.h"

#include "model/key_file.h"
#include "model/suggest.h"

#include <stddef.h>
#include <string.h>

G_DEFINE_QUARK (machine - error - quark, machine_error)

#define COST_GROUP(id, group, key, text) group,
#define COST_KEY(id, group, key, text) key,
#define COST_TEXT(id, group, key, text) text,
static const char *const cost_groups[] = { MACHINE_COSTS (COST_GROUP) };
static const char *const cost_keys[] = { MACHINE_COSTS (COST_KEY) };
static const char *const cost_texts[] = { MACHINE_COSTS (COST_TEXT) };
#define FS_COST_KEY(id, key, text) key,
#define FS_COST_TEXT(id, key, text) text,
static const char *const fs_cost_keys[] = { FILE_SYSTEM_COSTS (FS_COST_KEY) NULL };
static const char *const fs_cost_texts[] = { FILE_SYSTEM_COSTS (FS_COST_TEXT) };

const char *machine_cost_group (CostKey key)
{
  g_return_val_if_fail (key < COSTS, NULL);
  return cost_groups[key];
}

const char *machine_cost_key (CostKey key)
{
  g_return_val_if_fail (key < COSTS, NULL);
  return cost_keys[key];
}

const char *machine_cost_text (CostKey key)
{
  g_return_val_if_fail (key < COSTS, NULL);
  return cost_texts[key];
}

const char *machine_file_system_cost_key (FileSystemCostKey key)
{
  g_return_val_if_fail (key < FS_COSTS, NULL);
  return fs_cost_keys[key];
}

const char *machine_file_system_cost_text (FileSystemCostKey key)
{
  g_return_val_if_fail (key < FS_COSTS, NULL);
  return fs_cost_texts[key];
}

/* ---- the keys that are not costs ---- */

#define COST_NS_MAX UR_S
#define FS_PREFIX "FileSystem "

typedef enum { SCALAR_UNSIGNED, SCALAR_NS, SCALAR_BYTES, SCALAR_NUMBER, SCALAR_CHOICE } ScalarKind;
typedef struct {
  const char *group, *key;
  ScalarKind kind;
  double min, max;
  const char *const *choices;
  size_t offset;
} Scalar;

static const char *const placements[] = { "spread", "pack", NULL };
static const char *const preemptions[] = { "voluntary", "full", NULL };
G_STATIC_ASSERT (sizeof (Placement) == sizeof (unsigned) && sizeof (Preemption) == sizeof (unsigned));

static const Scalar scalars[] = {
  { "CPU", "Count", SCALAR_UNSIGNED, 1, 1024, NULL, offsetof (Machine, cpus) },
  { "CPU", "Nodes", SCALAR_UNSIGNED, 1, 64, NULL, offsetof (Machine, nodes) },
  { "CPU", "Slowdown", SCALAR_NUMBER, 0.01, 1000, NULL, offsetof (Machine, slowdown) },
  { "CPU", "CacheSize", SCALAR_BYTES, 0, 1e15, NULL, offsetof (Machine, cache_size) },
  { "CPU", "Noise", SCALAR_NUMBER, 0, 2, NULL, offsetof (Machine, noise) },
  { "Scheduler", "Placement", SCALAR_CHOICE, 0, 0, placements, offsetof (Machine, placement) },
  { "Scheduler", "PackRoom", SCALAR_NUMBER, 0, 100, NULL, offsetof (Machine, pack_room) },
  { "Scheduler", "Preemption", SCALAR_CHOICE, 0, 0, preemptions, offsetof (Machine, preemption) },
  { "Scheduler", "Tick", SCALAR_NS, 1e5, 1e9, NULL, offsetof (Machine, tick) },
  { "Scheduler", "Slice", SCALAR_NS, 1e4, 1e9, NULL, offsetof (Machine, slice) },
  { "Scheduler", "IdleDeepAfter", SCALAR_NS, 0, 1e10, NULL, offsetof (Machine, idle_deep_after) },
  { "Scheduler", "IpiLatency", SCALAR_NS, 0, 1e9, NULL, offsetof (Machine, ipi_latency) },
  { "Scheduler", "IdleEntry", SCALAR_NS, 0, 1e9, NULL, offsetof (Machine, idle_entry) },
  { "Memory", "Size", SCALAR_BYTES, 1 << 20, 1e15, NULL, offsetof (Machine, memory_size) },
  { "Memory", "Used", SCALAR_BYTES, 0, 1e15, NULL, offsetof (Machine, memory_used) },
  { "Memory", "DirtyBackgroundRatio", SCALAR_UNSIGNED, 0, 100, NULL, offsetof (Machine, dirty_background_ratio) },
  { "Memory", "DirtyRatio", SCALAR_UNSIGNED, 1, 100, NULL, offsetof (Machine, dirty_ratio) },
  { "Memory", "DirtyExpire", SCALAR_NS, 0, 1e13, NULL, offsetof (Machine, dirty_expire) },
  { "Memory", "DirtyWriteback", SCALAR_NS, 0, 1e13, NULL, offsetof (Machine, dirty_writeback) },
  { "Locks", "HoldElsewhere", SCALAR_NUMBER, 0, 10, NULL, offsetof (Machine, hold_elsewhere) },
  { "Locks", "HoldPerContender", SCALAR_NUMBER, 0, 10, NULL, offsetof (Machine, kappa) },
};

static void value_free (gpointer data)
{
  MachineValue *value = data;

  g_free (value->source);
  g_free (value->origin);
  g_free (value);
}

static void value_set (MachineValue *value, UrTime ns, const char *source, const char *origin)
{
  value->ns = ns;
  g_free (value->source);
  value->source = g_strdup (source);
  g_free (value->origin);
  value->origin = g_strdup (origin);
}

static void scalar_set_source (Machine *machine, const Scalar *scalar, UrTime ns, const char *source,
                               const char *origin)
{
  MachineValue *value = g_new0 (MachineValue, 1);

  value_set (value, ns, source, origin);
  g_hash_table_replace (machine->scalar_source, g_strdup_printf ("%s.%s", scalar->group, scalar->key), value);
}

static MachineFileSystem *find_file_system (const Machine *machine, const char *name)
{
  for (unsigned i = 0; i < machine->file_systems->len; i++) {
    MachineFileSystem *fs = machine->file_systems->pdata[i];

    if (strcmp (fs->name, name) == 0) {
      return fs;
    }
  }
  return NULL;
}

const MachineFileSystem *machine_file_system (const Machine *machine, const char *name)
{
  return find_file_system (machine, name);
}

static void file_system_costs_free (gpointer data)
{
  MachineFileSystem *fs = data;

  for (unsigned i = 0; i < FS_COSTS; i++) {
    g_free (fs->cost[i].source);
    g_free (fs->cost[i].origin);
  }
  g_free (fs->name);
  g_free (fs);
}

/* ---- one file ---- */

/* The group's keys, each also with ".source"; "Machine" has none. (transfer full) */
static GPtrArray *known_keys (const char *group)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);

  if (strcmp (group, "Machine") == 0) {
    static const char *const head[] = { "Name", "Title", "Base", "Evidence" };

    for (unsigned i = 0; i < G_N_ELEMENTS (head); i++) {
      g_ptr_array_add (keys, g_strdup (head[i]));
    }
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (scalars); i++) {
    if (strcmp (scalars[i].group, group) == 0) {
      g_ptr_array_add (keys, g_strdup (scalars[i].key));
    }
  }
  for (unsigned i = 0; i < COSTS; i++) {
    if (strcmp (cost_groups[i], group) == 0) {
      g_ptr_array_add (keys, g_strdup (cost_keys[i]));
    }
  }
  if (g_str_has_prefix (group, FS_PREFIX)) {
    for (unsigned i = 0; i < FS_COSTS; i++) {
      g_ptr_array_add (keys, g_strdup (fs_cost_keys[i]));
    }
  }
  if (strcmp (group, "Machine") != 0) {
    for (unsigned i = 0, n = keys->len; i < n; i++) {
      g_ptr_array_add (keys, g_strconcat (keys->pdata[i], ".source", NULL));
    }
  }
  g_ptr_array_add (keys, NULL);
  return keys;
}

static gboolean check_groups (const KeyFile *file, GError **error)
{
  static const char *const known_groups[] = { "Machine", "CPU",         "Scheduler", "Locks",           "Ring", "Block",
                                              "Worker",  "Application", "Memory",    "FileSystem NAME", NULL };

  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    gboolean fs = g_str_has_prefix (group, FS_PREFIX) && key_file_name_valid (group + strlen (FS_PREFIX));
    g_autoptr (GPtrArray) keys = NULL;

    if (!fs && (!g_strv_contains (known_groups, group) || strchr (group, ' '))) {
      key_file_unknown_group (file, group, known_groups, error);
      return FALSE;
    }
    keys = known_keys (group);
    if (!key_file_check_keys (file, group, (const char *const *) keys->pdata, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* A source without its key in the same file would speak about a value of the base. */
static gboolean stray_source (const KeyFile *file, const char *group, const char *key, GError **error)
{
  g_autofree char *name = g_strconcat (key, ".source", NULL);

  if (!key_file_has (file, group, name)) {
    return FALSE;
  }
  key_file_set_error (error, file, group, name, KEY_FILE_VALUE, "%s= without %s= in this file", name, key);
  return TRUE;
}

static gboolean read_cost (const KeyFile *file, const char *group, const char *key, MachineValue *value, GError **error)
{
  g_autofree char *source = NULL, *origin = NULL;
  uint64_t ns;

  if (!key_file_has (file, group, key)) {
    return !stray_source (file, group, key, error);
  }
  if (!key_file_get_integer (file, group, key, 0, COST_NS_MAX, &ns, error) ||
      !key_file_get_evidence (file, group, key, &source, error)) {
    return FALSE;
  }
  origin = key_file_origin (file, group, key);
  value_set (value, ns, source, origin);
  return TRUE;
}

/* Stores the value of `scalar`; ret_ns is what scalar_source shows. */
static gboolean store_scalar (Machine *machine, const Scalar *scalar, const KeyFile *file, uint64_t *ret_ns,
                              GError **error)
{
  void *field = (char *) machine + scalar->offset;
  uint64_t value;
  unsigned index;

  switch (scalar->kind) {
  case SCALAR_UNSIGNED:
  case SCALAR_NS:
    if (!key_file_get_integer (file, scalar->group, scalar->key, (uint64_t) scalar->min, (uint64_t) scalar->max, &value,
                               error)) {
      return FALSE;
    }
    if (scalar->kind == SCALAR_UNSIGNED) {
      *(unsigned *) field = (unsigned) value;
    } else {
      *(UrTime *) field = value;
    }
    *ret_ns = value;
    return TRUE;
  case SCALAR_BYTES:
    if (!key_file_get_bytes (file, scalar->group, scalar->key, (uint64_t) scalar->min, (uint64_t) scalar->max, &value,
                             error)) {
      return FALSE;
    }
    *(uint64_t *) field = *ret_ns = value;
    return TRUE;
  case SCALAR_NUMBER:
    *ret_ns = 0;
    return key_file_get_number (file, scalar->group, scalar->key, scalar->min, scalar->max, field, error);
  case SCALAR_CHOICE:
    if (!key_file_get_choice (file, scalar->group, scalar->key, scalar->choices, &index, error)) {
      return FALSE;
    }
    *(unsigned *) field = index;
    *ret_ns = index;
    return TRUE;
  }
  g_return_val_if_reached (FALSE);
}

static gboolean read_scalar (Machine *machine, const Scalar *scalar, const KeyFile *file, GError **error)
{
  g_autofree char *source = NULL, *origin = NULL;
  uint64_t ns;

  if (!key_file_has (file, scalar->group, scalar->key)) {
    return !stray_source (file, scalar->group, scalar->key, error);
  }
  if (!store_scalar (machine, scalar, file, &ns, error) ||
      !key_file_get_evidence (file, scalar->group, scalar->key, &source, error)) {
    return FALSE;
  }
  origin = key_file_origin (file, scalar->group, scalar->key);
  scalar_set_source (machine, scalar, ns, source, origin);
  return TRUE;
}

static gboolean read_file_system (Machine *machine, const KeyFile *file, const char *group, GError **error)
{
  const char *name = group + strlen (FS_PREFIX);
  MachineFileSystem *fs = find_file_system (machine, name);

  if (!fs) {
    fs = g_new0 (MachineFileSystem, 1);
    fs->name = g_strdup (name);
    g_ptr_array_add (machine->file_systems, fs);
  }
  for (unsigned i = 0; i < FS_COSTS; i++) {
    if (!read_cost (file, group, fs_cost_keys[i], &fs->cost[i], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Lays one file over what its bases left. */
static gboolean read_file (Machine *machine, const KeyFile *file, GError **error)
{
  if (!check_groups (file, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (scalars); i++) {
    if (!read_scalar (machine, &scalars[i], file, error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < COSTS; i++) {
    if (!read_cost (file, cost_groups[i], cost_keys[i], &machine->cost[i], error)) {
      return FALSE;
    }
  }
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);

    if (g_str_has_prefix (group, FS_PREFIX) && !read_file_system (machine, file, group, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- the whole ---- */

static gboolean missing (const KeyFile *file, const char *group, const char *key, GError **error)
{
  key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE,
                      "missing key: neither this machine nor its bases give %s= in [%s]", key, group);
  return FALSE;
}

/* Every cost was given by somebody. */
static gboolean check_complete (const Machine *machine, const KeyFile *file, GError **error)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (scalars); i++) {
    g_autofree char *name = g_strdup_printf ("%s.%s", scalars[i].group, scalars[i].key);

    if (!g_hash_table_contains (machine->scalar_source, name)) {
      return missing (file, scalars[i].group, scalars[i].key, error);
    }
  }
  for (unsigned i = 0; i < COSTS; i++) {
    if (!machine->cost[i].source) {
      return missing (file, cost_groups[i], cost_keys[i], error);
    }
  }
  for (unsigned n = 0; n < machine->file_systems->len; n++) {
    const MachineFileSystem *fs = machine->file_systems->pdata[n];
    g_autofree char *group = g_strconcat (FS_PREFIX, fs->name, NULL);

    for (unsigned i = 0; i < FS_COSTS; i++) {
      if (!fs->cost[i].source) {
        return missing (file, group, fs_cost_keys[i], error);
      }
    }
  }
  if (!machine->file_systems->len) {
    key_file_set_error (error, file, NULL, NULL, KEY_FILE_VALUE,
                        "no [FileSystem NAME] group in this machine or its bases");
    return FALSE;
  }
  return TRUE;
}

static Machine *machine_new (void)
{
  Machine *machine = g_new0 (Machine, 1);

  machine->file_systems = g_ptr_array_new_with_free_func (file_system_costs_free);
  machine->scalar_source = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, value_free);
  return machine;
}

/* After every change of the noise: runs share the table. */
static void update_shape (Machine *machine)
{
  ur_shape_free (machine->shape);
  machine->shape = machine->noise > 0 ? ur_shape_new_gamma (machine->noise) : NULL;
}

Machine *machine_load (const char *name_or_path, GError **error)
{
  g_autoptr (GPtrArray) chain =
      key_file_load_chain ("machines", name_or_path, ".machine", "Machine", MACHINE_ERROR, error);
  const KeyFile *own = chain ? chain->pdata[0] : NULL;
  Machine *machine;
  gboolean ok = TRUE;

  if (!chain) {
    return NULL;
  }
  machine = machine_new ();
  machine->path = g_strdup (key_file_path (own));
  machine->display = g_strdup (key_file_display (own));
  machine->base_path = chain->len > 1 ? g_strdup (key_file_path (chain->pdata[1])) : NULL;
  for (unsigned i = chain->len; ok && i > 0; i--) {
    ok = read_file (machine, chain->pdata[i - 1], error);
  }
  ok = ok && key_file_get_name (own, "Machine", "Name", &machine->name, error) &&
       key_file_get_line (own, "Machine", "Title", &machine->title, error) &&
       key_file_get_line (own, "Machine", "Evidence", &machine->evidence, error) &&
       check_complete (machine, own, error);
  if (ok) {
    update_shape (machine);
    return machine;
  }
  machine_free (machine);
  return NULL;
}

void machine_free (Machine *machine)
{
  if (!machine) {
    return;
  }
  for (unsigned i = 0; i < COSTS; i++) {
    g_free (machine->cost[i].source);
    g_free (machine->cost[i].origin);
  }
  ur_shape_free (machine->shape);
  g_ptr_array_unref (machine->file_systems);
  g_hash_table_unref (machine->scalar_source);
  g_free (machine->name);
  g_free (machine->title);
  g_free (machine->path);
  g_free (machine->display);
  g_free (machine->base_path);
  g_free (machine->evidence);
  g_free (machine);
}

/* ---- --set ---- */

static GPtrArray *settable_names (const Machine *machine)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (names, g_strdup ("noise"));
  for (unsigned i = 0; i < G_N_ELEMENTS (scalars); i++) {
    g_ptr_array_add (names, g_strdup_printf ("%s.%s", scalars[i].group, scalars[i].key));
  }
  for (unsigned i = 0; i < COSTS; i++) {
    g_ptr_array_add (names, g_strdup_printf ("%s.%s", cost_groups[i], cost_keys[i]));
  }
  for (unsigned n = 0; n < machine->file_systems->len; n++) {
    for (unsigned i = 0; i < FS_COSTS; i++) {
      g_ptr_array_add (names, g_strdup_printf (FS_PREFIX "%s.%s",
                                               ((MachineFileSystem *) machine->file_systems->pdata[n])->name,
                                               fs_cost_keys[i]));
    }
  }
  g_ptr_array_add (names, NULL);
  return names;
}

/* The cost that "Group.Key" names, NULL if none. */
static MachineValue *find_cost (Machine *machine, const char *group, const char *key)
{
  for (unsigned i = 0; i < COSTS; i++) {
    if (strcmp (group, cost_groups[i]) == 0 && strcmp (key, cost_keys[i]) == 0) {
      return &machine->cost[i];
    }
  }
  if (g_str_has_prefix (group, FS_PREFIX)) {
    MachineFileSystem *fs = find_file_system (machine, group + strlen (FS_PREFIX));

    for (unsigned i = 0; fs && i < FS_COSTS; i++) {
      if (strcmp (key, fs_cost_keys[i]) == 0) {
        return &fs->cost[i];
      }
    }
  }
  return NULL;
}

/* The assignment as a small file, so that values are read one way only. */
static gboolean set_key (Machine *machine, const char *group, const char *key, const char *value, GError **error)
{
  g_autofree char *text = g_strdup_printf ("[%s]\n%s=%s\n", group, key, value);
  g_autofree char *display = g_strdup_printf ("--set %s.%s", group, key);
  KeyFile *file = key_file_parse (text, strlen (text), display, MACHINE_ERROR, error);
  MachineValue *cost = find_cost (machine, group, key);
  gboolean ok = FALSE;
  uint64_t ns;

  if (!file) {
    return FALSE;
  }
  if (cost && key_file_get_integer (file, group, key, 0, COST_NS_MAX, &ns, error)) {
    value_set (cost, ns, "assumed: --set", "--set");
    ok = TRUE;
  }
  for (unsigned i = 0; !cost && i < G_N_ELEMENTS (scalars); i++) {
    if (strcmp (group, scalars[i].group) == 0 && strcmp (key, scalars[i].key) == 0) {
      ok = store_scalar (machine, &scalars[i], file, &ns, error);
      if (ok) {
        scalar_set_source (machine, &scalars[i], ns, "assumed: --set", "--set");
        update_shape (machine);
      }
    }
  }
  key_file_free (file);
  return ok;
}

gboolean machine_set (Machine *machine, const char *assignment, GError **error)
{
  const char *equals = strchr (assignment, '=');
  g_autofree char *name = equals ? g_strndup (assignment, (gsize) (equals - assignment)) : NULL;
  g_autofree char *quoted = key_file_quote (assignment), *phrase = NULL, *group = NULL;
  g_autoptr (GPtrArray) names = NULL;
  const char *dot;

  if (!equals || strpbrk (assignment, "\r\n")) {
    g_set_error (error, MACHINE_ERROR, KEY_FILE_SYNTAX, "--set %s: expected Group.Key=VALUE, such as CPU.Count=4",
                 quoted);
    return FALSE;
  }
  if (strcmp (name, "noise") == 0) {
    return set_key (machine, "CPU", "Noise", equals + 1, error);
  }
  names = settable_names (machine);
  if (!g_strv_contains ((const char *const *) names->pdata, name)) {
    phrase = suggest_phrase (name, (const char *const *) names->pdata);
    g_set_error (error, MACHINE_ERROR, KEY_FILE_UNKNOWN_KEY, "--set %s: machine %s has no such key%s", quoted,
                 machine->name, *phrase ? phrase : "; expected Group.Key=VALUE, such as Scheduler.Switch=1200");
    return FALSE;
  }
  dot = strrchr (name, '.');
  group = g_strndup (name, (gsize) (dot - name));
  return set_key (machine, group, dot + 1, equals + 1, error);
}

/* ---- values by name ---- */

gboolean machine_get_number (const Machine *machine, const char *name, double *ret_value, gboolean *ret_whole,
                             GError **error)
{
  g_autoptr (GPtrArray) names = settable_names (machine);
  g_autofree char *quoted = key_file_quote (name), *group = NULL;
  const char *dot = strrchr (name, '.');

  if (!dot || !g_strv_contains ((const char *const *) names->pdata, name)) {
    g_autofree char *phrase = suggest_phrase (name, (const char *const *) names->pdata);
    g_set_error (error, MACHINE_ERROR, KEY_FILE_UNKNOWN_KEY, "%s: machine %s has no such key%s", quoted, machine->name,
                 *phrase ? phrase : "; expected Group.Key, such as Scheduler.Switch");
    return FALSE;
  }
  group = g_strndup (name, (gsize) (dot - name));
  const MachineValue *cost = find_cost ((Machine *) machine, group, dot + 1);
  if (cost && strcmp (dot + 1, fs_cost_keys[FS_COUNT_SLEEP_EVERY]) != 0) {
    *ret_value = (double) cost->ns;
    *ret_whole = TRUE;
    return TRUE;
  }
  for (unsigned i = 0; !cost && i < G_N_ELEMENTS (scalars); i++) {
    const void *field = (const char *) machine + scalars[i].offset;
    if (strcmp (group, scalars[i].group) != 0 || strcmp (dot + 1, scalars[i].key) != 0) {
      continue;
    }
    if (scalars[i].kind == SCALAR_NS || scalars[i].kind == SCALAR_NUMBER) {
      *ret_whole = scalars[i].kind == SCALAR_NS;
      *ret_value = *ret_whole ? (double) *(const UrTime *) field : *(const double *) field;
      return TRUE;
    }
  }
  g_set_error (error, MACHINE_ERROR, KEY_FILE_VALUE,
               "%s: expected a cost, a time or a factor, not a count, a size or a choice", quoted);
  return FALSE;
}
