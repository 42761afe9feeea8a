/*
 * validate.ini.  See validate_ini.h.
 */
#include "src/input/validate_ini.h"
#include "model/key_file.h"
#include "model/kernel_version.h"
#include <string.h>

G_DEFINE_QUARK (uringsim - validate - ini - error - quark, validate_ini_error)

enum { CPUS_MAX = 1024, NODES_MAX = 64, COUNT_MAX = 1000000000 };

struct ValidateIni {
  KeyFile *file;
  CaptureConditions defaults;
  GHashTable *conditions; /* by capture name */
};

static const char default_group[] = "default";

#define CAPTURE_COUNT_NAME(id, name) name,
static const char *const count_names[] = { CAPTURE_COUNTS (CAPTURE_COUNT_NAME) };

const char *capture_count_name (CaptureCount count) { return count_names[count]; }

static void clear_conditions (CaptureConditions *conditions)
{
  g_free (conditions->policy);
  g_free (conditions->machine);
  g_free (conditions->fs);
  g_free (conditions->policy_origin);
  g_free (conditions->machine_origin);
  g_free (conditions->fs_origin);
}

static void conditions_free (gpointer data)
{
  clear_conditions (data);
  g_free (data);
}

/* "12" or "3..6". */
static gboolean get_range (const KeyFile *file, const char *group, const char *key, CaptureRange *range, GError **error)
{
  g_autofree char *text = NULL;
  if (!key_file_has (file, group, key)) {
    return TRUE;
  }
  if (!key_file_get_line (file, group, key, &text, error)) {
    return FALSE;
  }
  const char *dots = strstr (text, "..");
  g_autofree char *low = dots ? g_strndup (text, (gsize) (dots - text)) : g_strdup (text);
  CaptureRange found = { .given = TRUE, .is_range = dots != NULL };
  if (!key_file_parse_integer (low, &found.low) || !key_file_parse_integer (dots ? dots + 2 : low, &found.high) ||
      found.low > found.high || found.high > COUNT_MAX) {
    g_autofree char *quoted = key_file_quote (text);
    key_file_set_error (error, file, group, key, KEY_FILE_VALUE,
                        "%s: found %s, expected a number up to %d, or MIN..MAX", key, quoted, COUNT_MAX);
    return FALSE;
  }
  *range = found;
  return TRUE;
}

static gboolean get_string (const KeyFile *file, const char *group, const char *key, char **place, char **origin,
                            GError **error)
{
  char *value = NULL;
  if (!key_file_has (file, group, key)) {
    return TRUE;
  }
  if (!key_file_get_line (file, group, key, &value, error)) {
    return FALSE;
  }
  g_free (*place);
  *place = value;
  if (origin) {
    g_free (*origin);
    *origin = key_file_origin (file, group, key);
  }
  return TRUE;
}

static gboolean get_unsigned (const KeyFile *file, const char *group, const char *key, unsigned max, unsigned *place,
                              GError **error)
{
  uint64_t value;
  if (!key_file_has (file, group, key)) {
    return TRUE;
  }
  if (!key_file_get_integer (file, group, key, 1, max, &value, error)) {
    return FALSE;
  }
  *place = (unsigned) value;
  return TRUE;
}

static gboolean get_kernel (const KeyFile *file, const char *group, unsigned *place, GError **error)
{
  unsigned kernel;
  if (!key_file_has (file, group, "kernel")) {
    return TRUE;
  }
  if (!key_file_get_kernel (file, group, "kernel", &kernel, error)) {
    return FALSE;
  }
  if (kernel < KERNEL (5u, 1u)) {
    key_file_set_error (error, file, group, "kernel", KEY_FILE_VALUE,
                        "kernel: found %u.%u, expected 5.1 or later, the first with io_uring", KERNEL_MAJOR (kernel),
                        KERNEL_MINOR (kernel));
    return FALSE;
  }
  *place = kernel;
  return TRUE;
}

/* switches=asked or shown */
static gboolean get_switches (const KeyFile *file, const char *group, gboolean *shown, GError **error)
{
  g_autofree char *text = NULL;
  if (!get_string (file, group, "switches", &text, NULL, error)) {
    return FALSE;
  }
  if (text && strcmp (text, "asked") && strcmp (text, "shown")) {
    g_autofree char *quoted = key_file_quote (text);
    key_file_set_error (error, file, group, "switches", KEY_FILE_VALUE, "switches: found %s, expected asked or shown",
                        quoted);
    return FALSE;
  }
  *shown = text ? !strcmp (text, "shown") : *shown;
  return TRUE;
}

/* Over what is in `conditions` already. */
static gboolean read_group (const KeyFile *file, const char *group, CaptureConditions *conditions, GError **error)
{
  static const char *const keys[] = { "policy",    "kernel", "machine", "cpus",    "nodes",    "fs",
                                      "submitted", "punted", "hashed",  "workers", "switches", NULL };
  if (!key_file_check_keys (file, group, keys, error) ||
      !get_string (file, group, "policy", &conditions->policy, &conditions->policy_origin, error) ||
      !get_string (file, group, "machine", &conditions->machine, &conditions->machine_origin, error) ||
      !get_string (file, group, "fs", &conditions->fs, &conditions->fs_origin, error) ||
      !get_switches (file, group, &conditions->switches_shown, error) ||
      !get_kernel (file, group, &conditions->kernel, error) ||
      !get_unsigned (file, group, "cpus", CPUS_MAX, &conditions->cpus, error) ||
      !get_unsigned (file, group, "nodes", NODES_MAX, &conditions->nodes, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < CAPTURE_COUNT_KINDS; i++) {
    if (!get_range (file, group, count_names[i], &conditions->count[i], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* [default] as the conditions of this capture, the file system after its name. */
static CaptureConditions *conditions_new (const ValidateIni *ini, const char *name)
{
  CaptureConditions *conditions = g_memdup2 (&ini->defaults, sizeof ini->defaults);
  conditions->policy = g_strdup (ini->defaults.policy);
  conditions->machine = g_strdup (ini->defaults.machine);
  conditions->policy_origin = g_strdup (ini->defaults.policy_origin);
  conditions->machine_origin = g_strdup (ini->defaults.machine_origin);
  conditions->fs_origin = g_strdup (ini->defaults.fs_origin);
  conditions->fs = ini->defaults.fs ? g_strdup (ini->defaults.fs) : g_strndup (name, strcspn (name, "-"));
  return conditions;
}

static ValidateIni *read_all (KeyFile *file, GError **error)
{
  if (!file) {
    return NULL;
  }
  g_autoptr (ValidateIni) ini = g_new0 (ValidateIni, 1);
  ini->file = file;
  ini->conditions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, conditions_free);
  if (key_file_has (file, default_group, NULL) && !read_group (file, default_group, &ini->defaults, error)) {
    return NULL;
  }
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    if (!strcmp (group, default_group)) {
      continue;
    }
    CaptureConditions *conditions = conditions_new (ini, group);
    g_hash_table_insert (ini->conditions, g_strdup (group), conditions);
    if (!read_group (file, group, conditions, error)) {
      return NULL;
    }
  }
  return g_steal_pointer (&ini);
}

ValidateIni *validate_ini_load (const char *path, GError **error)
{
  return read_all (key_file_load (path, path, VALIDATE_INI_ERROR, error), error);
}

ValidateIni *validate_ini_parse (const char *text, gsize length, const char *display, GError **error)
{
  return read_all (key_file_parse (text, length, display, VALIDATE_INI_ERROR, error), error);
}

void validate_ini_free (ValidateIni *ini)
{
  if (!ini) {
    return;
  }
  key_file_free (ini->file);
  clear_conditions (&ini->defaults);
  g_clear_pointer (&ini->conditions, g_hash_table_unref);
  g_free (ini);
}

const CaptureConditions *validate_ini_conditions (ValidateIni *ini, const char *name)
{
  CaptureConditions *conditions = g_hash_table_lookup (ini->conditions, name);
  if (!conditions) {
    conditions = conditions_new (ini, name);
    g_hash_table_insert (ini->conditions, g_strdup (name), conditions);
  }
  return conditions;
}

GPtrArray *validate_ini_names (const ValidateIni *ini)
{
  GPtrArray *names = g_ptr_array_new ();
  for (unsigned i = 0; i < key_file_n_groups (ini->file); i++) {
    const char *group = key_file_group (ini->file, i);
    if (strcmp (group, default_group)) {
      g_ptr_array_add (names, (gpointer) group);
    }
  }
  return names;
}

char *validate_ini_origin (const ValidateIni *ini, const char *name)
{
  return key_file_has (ini->file, name, NULL) ? key_file_origin (ini->file, name, NULL) : NULL;
}
