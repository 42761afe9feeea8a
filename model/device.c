/* .device files: see device.h for their keys and uringsim-device(5) for their form. */
#include "model/device.h"

#include "model/key_file.h"
#include "model/suggest.h"

#include <string.h>

G_DEFINE_QUARK (device - error - quark, device_error)

typedef struct {
  const char *group, *key;
  DeviceUnit unit;
  double least, most;
  const char *text;
} DeviceRow;

#define DEVICE_ROW(id, group, key, unit, least, most, text) { group, key, unit, least, most, text },
static const DeviceRow rows[] = { DEVICE_VALUES (DEVICE_ROW) };
static const char *const group_names[] = { "Device", "Read", "Write", "Flush", "Seek", "Cache", NULL };
static const char *const head_keys[] = { "Name", "Title", "Evidence" };

const char *device_key_group (DeviceKey key) { return rows[key].group; }
const char *device_key_name (DeviceKey key) { return rows[key].key; }
const char *device_key_text (DeviceKey key) { return rows[key].text; }
DeviceUnit device_key_unit (DeviceKey key) { return rows[key].unit; }

static gboolean get_value (const KeyFile *file, const DeviceRow *row, double *ret_number, GError **error)
{
  gboolean yes;
  uint64_t integer;

  switch (row->unit) {
  case DEVICE_NUMBER:
    return key_file_get_number (file, row->group, row->key, row->least, row->most, ret_number, error);
  case DEVICE_YESNO:
    if (!key_file_get_boolean (file, row->group, row->key, &yes, error)) {
      return FALSE;
    }
    *ret_number = yes;
    return TRUE;
  case DEVICE_BYTES:
    if (!key_file_get_bytes (file, row->group, row->key, (uint64_t) row->least, (uint64_t) row->most, &integer,
                             error)) {
      return FALSE;
    }
    *ret_number = (double) integer;
    return TRUE;
  case DEVICE_NS:
  case DEVICE_COUNT:
    if (!key_file_get_integer (file, row->group, row->key, (uint64_t) row->least, (uint64_t) row->most, &integer,
                               error)) {
      return FALSE;
    }
    *ret_number = (double) integer;
    return TRUE;
  }
  g_return_val_if_reached (FALSE);
}

static gboolean check_groups (const KeyFile *file, GError **error)
{
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (g_free);

    if (!g_strv_contains (group_names, group)) {
      key_file_unknown_group (file, group, group_names, error);
      return FALSE;
    }
    for (unsigned k = 0; strcmp (group, "Device") == 0 && k < G_N_ELEMENTS (head_keys); k++) {
      g_ptr_array_add (keys, g_strdup (head_keys[k]));
    }
    for (unsigned k = 0; k < DEVICE_VALUES_N; k++) {
      if (strcmp (rows[k].group, group) == 0) {
        g_ptr_array_add (keys, g_strdup (rows[k].key));
        g_ptr_array_add (keys, g_strconcat (rows[k].key, ".source", NULL));
      }
    }
    g_ptr_array_add (keys, NULL);
    if (!key_file_check_keys (file, group, (const char *const *) keys->pdata, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Values that contradict each other. */
static gboolean check_values (const Device *device, const KeyFile *file, GError **error)
{
  if (device_number (device, DEVICE_SEEK_FULL) < device_number (device, DEVICE_SEEK_TRACK)) {
    key_file_set_error (error, file, "Seek", "Full", KEY_FILE_VALUE, "Full=%.0f: expected at least Track=%.0f",
                        device_number (device, DEVICE_SEEK_FULL), device_number (device, DEVICE_SEEK_TRACK));
    return FALSE;
  }
  if (device_number (device, DEVICE_SYNCHRONOUS) != 0 && device_number (device, DEVICE_POLL) != 0) {
    key_file_set_error (error, file, "Device", "Poll", KEY_FILE_VALUE,
                        "Poll=yes with Synchronous=yes: expected no, there is no queue to poll");
    return FALSE;
  }
  return TRUE;
}

static void value_set (DeviceValue *value, double number, char *source, char *origin)
{
  g_free (value->source);
  g_free (value->origin);
  *value = (DeviceValue){ number, source, origin };
}

static gboolean fill (Device *device, const KeyFile *file, GError **error)
{
  if (!check_groups (file, error) || !key_file_get_name (file, "Device", "Name", &device->name, error) ||
      !key_file_get_line (file, "Device", "Title", &device->title, error) ||
      !key_file_get_line (file, "Device", "Evidence", &device->evidence, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < DEVICE_VALUES_N; i++) {
    double number;
    char *source;

    if (!get_value (file, &rows[i], &number, error) ||
        !key_file_get_evidence (file, rows[i].group, rows[i].key, &source, error)) {
      return FALSE;
    }
    value_set (&device->value[i], number, source, key_file_origin (file, rows[i].group, rows[i].key));
  }
  return check_values (device, file, error);
}

Device *device_load (const char *name_or_path, GError **error)
{
  KeyFile *file = key_file_load_named ("devices", name_or_path, ".device", DEVICE_ERROR, error);
  Device *device;

  if (!file) {
    return NULL;
  }
  device = g_new0 (Device, 1);
  device->path = g_strdup (key_file_path (file));
  device->display = g_strdup (key_file_display (file));
  if (!fill (device, file, error)) {
    g_clear_pointer (&device, device_free);
  }
  key_file_free (file);
  return device;
}

void device_free (Device *device)
{
  if (!device) {
    return;
  }
  for (unsigned i = 0; i < DEVICE_VALUES_N; i++) {
    g_free (device->value[i].source);
    g_free (device->value[i].origin);
  }
  g_free (device->name);
  g_free (device->title);
  g_free (device->evidence);
  g_free (device->path);
  g_free (device->display);
  g_free (device);
}

/* ---- --set ---- */

gboolean device_has_group (const char *assignment)
{
  const char *dot = strchr (assignment, '.');
  g_autofree char *group = dot ? g_strndup (assignment, (gsize) (dot - assignment)) : NULL;

  return group && g_strv_contains (group_names, group);
}

/* (transfer full) */
static GPtrArray *settable_names (void)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (unsigned i = 0; i < DEVICE_VALUES_N; i++) {
    g_ptr_array_add (names, g_strdup_printf ("%s.%s", rows[i].group, rows[i].key));
  }
  g_ptr_array_add (names, NULL);
  return names;
}

gboolean device_set (Device *device, const char *assignment, GError **error)
{
  const char *equals = strchr (assignment, '=');
  g_autofree char *name = equals ? g_strndup (assignment, (gsize) (equals - assignment)) : NULL;
  g_autofree char *quoted = key_file_quote (assignment), *text = NULL, *display = NULL;
  g_autoptr (GPtrArray) names = settable_names ();
  KeyFile *file;
  double number, before;
  unsigned index;
  gboolean ok;

  if (!equals || strpbrk (assignment, "\r\n")) {
    g_set_error (error, DEVICE_ERROR, KEY_FILE_SYNTAX, "--set %s: expected Group.Key=VALUE, such as Read.Time=90000",
                 quoted);
    return FALSE;
  }
  for (index = 0; index < DEVICE_VALUES_N && strcmp (names->pdata[index], name) != 0; index++)
    ;
  if (index == DEVICE_VALUES_N) {
    g_autofree char *phrase = suggest_phrase (name, (const char *const *) names->pdata);

    g_set_error (error, DEVICE_ERROR, KEY_FILE_UNKNOWN_KEY, "--set %s: device %s has no such key%s", quoted,
                 device->name, *phrase ? phrase : "; expected Group.Key=VALUE, such as Read.Time=90000");
    return FALSE;
  }
  text = g_strdup_printf ("[%s]\n%s=%s\n", rows[index].group, rows[index].key, equals + 1);
  display = g_strdup_printf ("--set %s", name);
  file = key_file_parse (text, strlen (text), display, DEVICE_ERROR, error);
  if (!file) {
    return FALSE;
  }
  ok = get_value (file, &rows[index], &number, error);
  if (ok) {
    before = device->value[index].number;
    device->value[index].number = number;
    ok = check_values (device, file, error);
    if (ok) {
      value_set (&device->value[index], number, g_strdup ("assumed: --set"), g_strdup ("--set"));
    } else {
      device->value[index].number = before;
    }
  }
  key_file_free (file);
  return ok;
}
