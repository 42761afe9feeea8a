/* Values of key files: strict parsers and the getters that name file and line when one fails. */
#include "model/key_file_private.h"

#include "model/kernel_version.h"
#include "model/suggest.h"

#include <math.h>
#include <string.h>

/* The digits at the start of `text`; the rest is returned in ret_end. */
static gboolean leading_digits (const char *text, uint64_t *ret_value, const char **ret_end)
{
  uint64_t value = 0;
  const char *p = text;

  if (!g_ascii_isdigit (*p)) {
    return FALSE;
  }
  for (; g_ascii_isdigit (*p); p++) {
    unsigned digit = (unsigned) (*p - '0');

    if (value > (UINT64_MAX - digit) / 10) {
      return FALSE;
    }
    value = value * 10 + digit;
  }
  *ret_value = value;
  *ret_end = p;
  return TRUE;
}

gboolean key_file_parse_integer (const char *text, uint64_t *ret_value)
{
  const char *end;
  uint64_t value;

  if (!leading_digits (text, &value, &end) || *end) {
    return FALSE;
  }
  *ret_value = value;
  return TRUE;
}

gboolean key_file_parse_bytes (const char *text, uint64_t *ret_value)
{
  static const struct {
    const char *unit;
    unsigned shift;
  } units[] = {
    { "", 0 }, { "B", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 }, { "TiB", 40 },
  };
  const char *end;
  uint64_t value;

  if (!leading_digits (text, &value, &end)) {
    return FALSE;
  }
  while (*end == ' ') {
    end++;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (units); i++) {
    if (strcmp (end, units[i].unit) == 0 && value <= UINT64_MAX >> units[i].shift) {
      *ret_value = value << units[i].shift;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean key_file_parse_number (const char *text, double *ret_value)
{
  char *end;
  double value;

  if (!g_ascii_isdigit (text[0]) || strspn (text, "0123456789.eE+-") != strlen (text) || strlen (text) > 40) {
    return FALSE;
  }
  value = g_ascii_strtod (text, &end);
  if (*end || !isfinite (value)) {
    return FALSE;
  }
  *ret_value = value;
  return TRUE;
}

gboolean key_file_parse_kernel (const char *text, unsigned *ret_kernel)
{
  uint64_t major, minor;
  const char *end;

  if (!leading_digits (text, &major, &end) || *end != '.' || !key_file_parse_integer (end + 1, &minor)) {
    return FALSE;
  }
  if (major < 1 || major > 99 || minor > 999) {
    return FALSE;
  }
  *ret_kernel = KERNEL ((unsigned) major, (unsigned) minor);
  return TRUE;
}

static const KeyFileKey *need (const KeyFile *file, const char *group, const char *key, GError **error)
{
  const KeyFileKey *found = key_file_find_key (file, group, key);

  if (!found) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_VALUE, "[%s] lacks %s=", group, key);
  } else if (!*found->value) {
    key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s= is empty", key);
  }
  return found && *found->value ? found : NULL;
}

static gboolean expected (GError **error, const KeyFile *file, const char *group, const KeyFileKey *key,
                          const char *what)
{
  g_autofree char *quoted = key_file_quote (key->value);

  key_file_set_error (error, file, group, key->name, KEY_FILE_VALUE, "%s=%s: expected %s", key->name, quoted, what);
  return FALSE;
}

gboolean key_file_get_raw (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);

  if (found) {
    *ret_value = g_strdup (found->value);
  }
  return found != NULL;
}

static gboolean get_string (const KeyFile *file, const char *group, const char *key, gboolean newlines,
                            char **ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  g_autofree char *value = NULL, *raw = NULL;
  g_autoptr (GError) inner = NULL;

  if (!found) {
    return FALSE;
  }
  raw = g_key_file_get_value (file->key_file, group, key, NULL);
  for (const char *p = raw; p && (p = strchr (p, '\\')); p += 2) {
    if (!p[1] || !strchr ("sntr\\", p[1])) {
      return expected (error, file, group, found, "text with no escapes but \\s \\n \\t \\r \\\\");
    }
  }
  value = g_key_file_get_string (file->key_file, group, key, &inner);
  if (inner || !value) { /* a bad escape gives both */
    return expected (error, file, group, found, "text with no escapes but \\s \\n \\t \\r \\\\");
  }
  for (const char *p = value; *p; p = g_utf8_next_char (p)) {
    if (g_unichar_iscntrl (g_utf8_get_char (p)) && !(newlines && *p == '\n')) {
      return expected (error, file, group, found, newlines ? "text without control characters" : "one line of text");
    }
  }
  *ret_value = g_steal_pointer (&value);
  return TRUE;
}

gboolean key_file_get_line (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error)
{
  return get_string (file, group, key, FALSE, ret_value, error);
}

gboolean key_file_get_text (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error)
{
  return get_string (file, group, key, TRUE, ret_value, error);
}

gboolean key_file_get_name (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);

  if (!found) {
    return FALSE;
  }
  if (!key_file_name_valid (found->value)) {
    return expected (error, file, group, found, "a name of 1 to 63 letters, digits, '.', '_' and '-'");
  }
  *ret_value = g_strdup (found->value);
  return TRUE;
}

/* Range check of integers; `unit` is a word for the message. */
static gboolean in_range (const KeyFile *file, const char *group, const KeyFileKey *key, gboolean parsed,
                          uint64_t value, uint64_t min, uint64_t max, const char *unit, GError **error)
{
  g_autofree char *what = NULL;

  if (parsed && value >= min && value <= max) {
    return TRUE;
  }
  what = g_strdup_printf ("%s from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, unit, min, max);
  return expected (error, file, group, key, what);
}

gboolean key_file_get_integer (const KeyFile *file, const char *group, const char *key, uint64_t min, uint64_t max,
                               uint64_t *ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  uint64_t value = 0;
  gboolean parsed;

  if (!found) {
    return FALSE;
  }
  parsed = key_file_parse_integer (found->value, &value);
  if (!in_range (file, group, found, parsed, value, min, max, "an integer", error)) {
    return FALSE;
  }
  *ret_value = value;
  return TRUE;
}

gboolean key_file_get_bytes (const KeyFile *file, const char *group, const char *key, uint64_t min, uint64_t max,
                             uint64_t *ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  uint64_t value = 0;
  gboolean parsed;

  if (!found) {
    return FALSE;
  }
  parsed = key_file_parse_bytes (found->value, &value);
  if (!in_range (file, group, found, parsed, value, min, max, "bytes (B, KiB, MiB, GiB, TiB)", error)) {
    return FALSE;
  }
  *ret_value = value;
  return TRUE;
}

gboolean key_file_get_number (const KeyFile *file, const char *group, const char *key, double min, double max,
                              double *ret_value, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  double value;

  if (!found) {
    return FALSE;
  }
  if (!key_file_parse_number (found->value, &value) || value < min || value > max) {
    char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *what = g_strdup_printf ("a number from %s to %s", g_ascii_formatd (low, sizeof low, "%.12g", min),
                                             g_ascii_formatd (high, sizeof high, "%.12g", max));

    return expected (error, file, group, found, what);
  }
  *ret_value = value;
  return TRUE;
}

gboolean key_file_get_boolean (const KeyFile *file, const char *group, const char *key, gboolean *ret_value,
                               GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  gboolean yes, no;

  if (!found) {
    return FALSE;
  }
  yes = strcmp (found->value, "yes") == 0 || strcmp (found->value, "true") == 0;
  no = strcmp (found->value, "no") == 0 || strcmp (found->value, "false") == 0;
  if (!yes && !no) {
    return expected (error, file, group, found, "yes or no");
  }
  *ret_value = yes;
  return TRUE;
}

gboolean key_file_get_choice (const KeyFile *file, const char *group, const char *key, const char *const *names,
                              unsigned *ret_index, GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);
  g_autofree char *all = NULL, *phrase = NULL, *what = NULL;

  if (!found) {
    return FALSE;
  }
  for (unsigned i = 0; names[i]; i++) {
    if (strcmp (found->value, names[i]) == 0) {
      *ret_index = i;
      return TRUE;
    }
  }
  all = g_strjoinv (", ", (char **) names);
  phrase = suggest_phrase (found->value, names);
  what = g_strdup_printf ("one of %s%s", all, phrase);
  return expected (error, file, group, found, what);
}

gboolean key_file_get_kernel (const KeyFile *file, const char *group, const char *key, unsigned *ret_kernel,
                              GError **error)
{
  const KeyFileKey *found = need (file, group, key, error);

  if (!found) {
    return FALSE;
  }
  if (!key_file_parse_kernel (found->value, ret_kernel)) {
    return expected (error, file, group, found, "a kernel version, MAJOR.MINOR");
  }
  return TRUE;
}

gboolean key_file_get_evidence (const KeyFile *file, const char *group, const char *key, char **ret_source,
                                GError **error)
{
  static const char *const kinds[] = { "measured: ", "published: ", "assumed: ", "fitted: " };
  g_autofree char *name = g_strconcat (key, ".source", NULL), *source = NULL, *quoted = NULL;

  if (!key_file_has (file, group, name)) {
    key_file_set_error (error, file, group, key, KEY_FILE_VALUE, "%s= in [%s] lacks %s=", key, group, name);
    return FALSE;
  }
  if (!key_file_get_line (file, group, name, &source, error)) {
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++) {
    if (g_str_has_prefix (source, kinds[i]) && source[strlen (kinds[i])]) {
      *ret_source = g_steal_pointer (&source);
      return TRUE;
    }
  }
  quoted = key_file_quote (source);
  key_file_set_error (error, file, group, name, KEY_FILE_VALUE,
                      "%s=%s: expected \"measured: ...\", \"published: ...\", \"assumed: ...\" or \"fitted: ...\"",
                      name, quoted);
  return FALSE;
}
