/* Key files with line numbers: the scanner and the chain of bases.  The getters are in key_file_values.c. */
#include "model/key_file_private.h"

#include "model/data_path.h"
#include "model/suggest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void key_free (gpointer data)
{
  KeyFileKey *key = data;

  g_free (key->name);
  g_free (key->value);
  g_free (key);
}

static void group_free (gpointer data)
{
  KeyFileGroup *group = data;

  g_free (group->name);
  g_ptr_array_unref (group->keys);
  g_free (group);
}

static KeyFileGroup *find_group (const KeyFile *file, const char *name)
{
  for (unsigned i = 0; i < file->groups->len; i++) {
    KeyFileGroup *group = file->groups->pdata[i];

    if (strcmp (group->name, name) == 0) {
      return group;
    }
  }
  return NULL;
}

static KeyFileKey *find_in_group (const KeyFileGroup *group, const char *name)
{
  for (unsigned i = 0; i < group->keys->len; i++) {
    KeyFileKey *key = group->keys->pdata[i];

    if (strcmp (key->name, name) == 0) {
      return key;
    }
  }
  return NULL;
}

KeyFileKey *key_file_find_key (const KeyFile *file, const char *group_name, const char *key_name)
{
  KeyFileGroup *group = find_group (file, group_name);

  return group ? find_in_group (group, key_name) : NULL;
}

char *key_file_quote (const char *text)
{
  g_autofree char *cut = g_strndup (text, 60);
  g_autofree char *escaped = g_strescape (cut, NULL);

  return g_strdup_printf ("\"%s%s\"", escaped, strlen (text) > 60 ? "..." : "");
}

gboolean key_file_name_valid (const char *text)
{
  size_t n = strlen (text);

  if (n < 1 || n > 63 || text[0] == '.' || text[0] == '-') {
    return FALSE;
  }
  for (size_t i = 0; i < n; i++) {
    if (!g_ascii_isalnum (text[i]) && !strchr ("._-", text[i])) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean line_error (GError **error, const KeyFile *file, unsigned line, const char *what, const char *excerpt)
{
  g_autofree char *quoted = excerpt ? key_file_quote (excerpt) : NULL;

  g_set_error (error, file->domain, KEY_FILE_SYNTAX, "%s:%u: %s%s%s", file->display, line, what, excerpt ? ": " : "",
               excerpt ? quoted : "");
  return FALSE;
}

/* Cuts a comment: '#' at the start of the value or after a blank. */
static void cut_comment (char *value)
{
  for (char *p = value; *p; p++) {
    if (*p == '#' && (p == value || g_ascii_isspace (p[-1]))) {
      *p = '\0';
      return;
    }
  }
}

static gboolean scan_group (KeyFile *file, char *line, unsigned number, GError **error)
{
  KeyFileGroup *group;
  size_t n;

  cut_comment (line);
  g_strchomp (line);
  n = strlen (line);
  if (line[n - 1] != ']' || n < 3 || strcspn (line + 1, "[]") != n - 2) {
    return line_error (error, file, number, "expected a group, [Name]", line);
  }
  line[n - 1] = '\0';
  group = find_group (file, line + 1);
  if (group) {
    g_autofree char *quoted = key_file_quote (line + 1);

    g_set_error (error, file->domain, KEY_FILE_SYNTAX, "%s:%u: group %s was given in line %u already", file->display,
                 number, quoted, group->line);
    return FALSE;
  }
  if (file->groups->len == KEY_FILE_ENTRIES_MAX) {
    return line_error (error, file, number, "too many groups", NULL);
  }
  group = g_new0 (KeyFileGroup, 1);
  group->name = g_strdup (line + 1);
  group->line = number;
  group->keys = g_ptr_array_new_with_free_func (key_free);
  g_ptr_array_add (file->groups, group);
  return TRUE;
}

/* `indent`: blanks that were cut off in front. */
static gboolean scan_key (KeyFile *file, char *line, unsigned indent, unsigned number, GError **error)
{
  KeyFileGroup *group = file->groups->len ? file->groups->pdata[file->groups->len - 1] : NULL;
  char *equals = strchr (line, '=');
  KeyFileKey *key;
  unsigned column;

  if (!group) {
    return line_error (error, file, number, "expected a group, [Name], before anything else", line);
  }
  if (!equals || equals == line) {
    return line_error (error, file, number, "expected Key=value, [Group] or # comment", line);
  }
  column = indent + (unsigned) (equals + 1 - line) + (unsigned) strspn (equals + 1, " \t") + 1;
  *equals = '\0';
  g_strchomp (line);
  cut_comment (equals + 1);
  g_strstrip (equals + 1);
  if (!*line || strpbrk (line, "[]# \t")) {
    return line_error (error, file, number, "a key is one word", line);
  }
  key = find_in_group (group, line);
  if (key) {
    g_autofree char *quoted = key_file_quote (line);

    g_set_error (error, file->domain, KEY_FILE_SYNTAX, "%s:%u: key %s of [%s] was given in line %u already",
                 file->display, number, quoted, group->name, key->line);
    return FALSE;
  }
  if (group->keys->len == KEY_FILE_ENTRIES_MAX) {
    return line_error (error, file, number, "too many keys in one group", NULL);
  }
  key = g_new0 (KeyFileKey, 1);
  key->name = g_strdup (line);
  key->value = g_strdup (equals + 1);
  key->line = number;
  key->column = column;
  g_ptr_array_add (group->keys, key);
  return TRUE;
}

static gboolean control_character (const char *line)
{
  for (const char *p = line; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (c != '\t' && g_unichar_iscntrl (c)) {
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean scan (KeyFile *file, char *text, GError **error)
{
  unsigned number = 0;

  for (char *line = text, *next; line; line = next) {
    char *end = strchr (line, '\n');
    unsigned indent = (unsigned) strspn (line, " \t");

    number++;
    next = end ? end + 1 : NULL;
    if (end) {
      *end = '\0';
    }
    if (end && end > line && end[-1] == '\r') {
      end[-1] = '\0';
    }
    if (control_character (line)) {
      return line_error (error, file, number, "control character", line);
    }
    line = g_strstrip (line);
    if (!*line || *line == '#') {
      continue;
    }
    if (!(*line == '[' ? scan_group (file, line, number, error) : scan_key (file, line, indent, number, error))) {
      return FALSE;
    }
  }
  return TRUE;
}

/* What was scanned goes through GKeyFile in a normal form, so that its rules on names and escapes hold. */
static gboolean fill_g_key_file (KeyFile *file, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) inner = NULL;

  for (unsigned i = 0; i < file->groups->len; i++) {
    const KeyFileGroup *group = file->groups->pdata[i];

    g_string_append_printf (text, "[%s]\n", group->name);
    for (unsigned k = 0; k < group->keys->len; k++) {
      const KeyFileKey *key = group->keys->pdata[k];

      g_string_append_printf (text, "%s=%s\n", key->name, key->value);
    }
  }
  if (!text->len) {
    g_set_error (error, file->domain, KEY_FILE_SYNTAX, "%s:1: empty file, expected groups and keys", file->display);
    return FALSE;
  }
  if (!g_key_file_load_from_data (file->key_file, text->str, text->len, G_KEY_FILE_NONE, &inner)) {
    g_set_error (error, file->domain, KEY_FILE_SYNTAX, "%s: %s", file->display, inner->message);
    return FALSE;
  }
  return TRUE;
}

KeyFile *key_file_parse (const char *text, gsize length, const char *display, GQuark domain, GError **error)
{
  KeyFile *file = g_new0 (KeyFile, 1);
  const char *bad;

  file->display = g_strdup (display);
  file->path = g_strdup (display);
  file->domain = domain;
  file->groups = g_ptr_array_new_with_free_func (group_free);
  file->key_file = g_key_file_new ();
  if (length > KEY_FILE_SIZE_MAX) {
    g_set_error (error, domain, KEY_FILE_SYNTAX, "%s: larger than 1 MiB", display);
  } else if (!g_utf8_validate (text, (gssize) length, &bad)) {
    unsigned line = 1;

    for (const char *p = text; p < bad; p++) {
      line += *p == '\n';
    }
    line_error (error, file, line, "not UTF-8 text", NULL);
  } else {
    g_autofree char *copy = g_strndup (text, length);

    if (scan (file, copy, error) && fill_g_key_file (file, error)) {
      return file;
    }
  }
  key_file_free (file);
  return NULL;
}

static gboolean read_error (GError **error, GQuark domain, const char *display, const char *what)
{
  g_autofree char *quoted = key_file_quote (display);

  g_set_error (error, domain, KEY_FILE_NOT_FOUND, "%s: %s", quoted, what);
  return FALSE;
}

static gboolean read_file (const char *path, const char *display, GQuark domain, GByteArray *bytes, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  ssize_t n;

  if (fd < 0) {
    return read_error (error, domain, display, g_strerror (errno));
  }
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode)) {
    close (fd);
    return read_error (error, domain, display, "not a regular file");
  }
  do {
    guint8 chunk[16384];

    n = read (fd, chunk, sizeof chunk);
    if (n > 0) {
      g_byte_array_append (bytes, chunk, (guint) n);
    }
  } while (n > 0 && bytes->len <= KEY_FILE_SIZE_MAX);
  close (fd);
  if (n < 0) {
    return read_error (error, domain, display, "cannot be read");
  }
  return TRUE;
}

KeyFile *key_file_load (const char *path, const char *display, GQuark domain, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *shown = control_character (display) ? key_file_quote (display) : g_strdup (display);
  KeyFile *file;

  if (!read_file (path, display, domain, bytes, error)) {
    return NULL;
  }
  file = key_file_parse ((const char *) bytes->data, bytes->len, shown, domain, error);
  if (file) {
    g_free (file->path);
    file->path = g_strdup (path);
  }
  return file;
}

void key_file_free (KeyFile *file)
{
  if (!file) {
    return;
  }
  g_free (file->path);
  g_free (file->display);
  g_ptr_array_unref (file->groups);
  g_key_file_free (file->key_file);
  g_free (file);
}

static void free_element (gpointer data) { key_file_free (data); }

static gboolean is_path (const char *name, const char *suffix)
{
  return strchr (name, '/') != NULL || g_str_has_suffix (name, suffix);
}

/* Opens NAME as told by Base= in `from` (nullable). */
static KeyFile *load_named (const char *kind, const char *name, const char *suffix, const KeyFile *from, GQuark domain,
                            GError **error)
{
  g_autofree char *path = NULL, *display = NULL;

  if (is_path (name, suffix)) {
    while (from && g_str_has_prefix (name, "./")) {
      name += 2;
    }
    if (from && !g_path_is_absolute (name)) {
      g_autofree char *directory = g_path_get_dirname (from->path), *shown = g_path_get_dirname (from->display);

      path = g_build_filename (directory, name, NULL);
      display = strcmp (shown, ".") == 0 ? g_strdup (name) : g_build_filename (shown, name, NULL);
    } else {
      path = g_strdup (name);
      display = g_strdup (name);
    }
  } else {
    g_autoptr (GError) inner = NULL;

    path = data_path_find (kind, name, suffix, &inner);
    if (!path) {
      g_set_error_literal (error, domain, KEY_FILE_NOT_FOUND, inner->message);
      return NULL;
    }
    display = g_strdup_printf ("%s/%s%s", kind, name, suffix);
  }
  return key_file_load (path, display, domain, error);
}

KeyFile *key_file_load_named (const char *kind, const char *name_or_path, const char *suffix, GQuark domain,
                              GError **error)
{
  return load_named (kind, name_or_path, suffix, NULL, domain, error);
}

/* TRUE if `file` is in the chain already; or the chain is at its longest: an error either way. */
static gboolean chain_broken (const GPtrArray *chain, const KeyFile *file, const KeyFile *from, const char *head_group,
                              GError **error)
{
  g_autofree char *path = g_canonicalize_filename (file->path, NULL);
  g_autoptr (GString) names = g_string_new (NULL);
  gboolean loop = FALSE;

  for (unsigned i = 0; i < chain->len; i++) {
    const KeyFile *other = chain->pdata[i];
    g_autofree char *other_path = g_canonicalize_filename (other->path, NULL);

    loop = loop || strcmp (path, other_path) == 0;
    g_string_append_printf (names, "%s -> ", other->display);
  }
  g_string_append (names, file->display);
  if (loop) {
    key_file_set_error (error, from, head_group, "Base", KEY_FILE_VALUE, "Base= runs in a circle: %s", names->str);
  } else if (chain->len >= KEY_FILE_BASES_MAX) {
    key_file_set_error (error, from, head_group, "Base", KEY_FILE_VALUE, "more than %d files in a chain of Base=: %s",
                        KEY_FILE_BASES_MAX, names->str);
  } else {
    return FALSE;
  }
  return TRUE;
}

GPtrArray *key_file_load_chain (const char *kind, const char *name_or_path, const char *suffix, const char *head_group,
                                GQuark domain, GError **error)
{
  g_autoptr (GPtrArray) chain = g_ptr_array_new_with_free_func (free_element);
  g_autofree char *name = g_strdup (name_or_path);
  const KeyFile *from = NULL;

  for (;;) {
    g_autoptr (GError) inner = NULL;
    KeyFile *file = load_named (kind, name, suffix, from, domain, &inner);

    if (!file) {
      if (from && inner->code == KEY_FILE_NOT_FOUND) {
        key_file_set_error (error, from, head_group, "Base", KEY_FILE_NOT_FOUND, "Base=%s", inner->message);
      } else {
        g_propagate_error (error, g_steal_pointer (&inner));
      }
      return NULL;
    }
    if (from && chain_broken (chain, file, from, head_group, error)) {
      key_file_free (file);
      return NULL;
    }
    g_ptr_array_add (chain, file);
    if (!key_file_has (file, head_group, "Base")) {
      return g_steal_pointer (&chain);
    }
    g_clear_pointer (&name, g_free);
    if (!key_file_get_line (file, head_group, "Base", &name, error)) {
      return NULL;
    }
    from = file;
  }
}

const char *key_file_path (const KeyFile *file) { return file->path; }

const char *key_file_display (const KeyFile *file) { return file->display; }

unsigned key_file_n_groups (const KeyFile *file) { return file->groups->len; }

const char *key_file_group (const KeyFile *file, unsigned index)
{
  g_return_val_if_fail (index < file->groups->len, NULL);
  return ((const KeyFileGroup *) file->groups->pdata[index])->name;
}

gboolean key_file_has (const KeyFile *file, const char *group, const char *key)
{
  return key ? key_file_find_key (file, group, key) != NULL : find_group (file, group) != NULL;
}

unsigned key_file_n_keys (const KeyFile *file, const char *group_name)
{
  const KeyFileGroup *group = find_group (file, group_name);

  return group ? group->keys->len : 0;
}

const char *key_file_key (const KeyFile *file, const char *group_name, unsigned index)
{
  const KeyFileGroup *group = find_group (file, group_name);

  g_return_val_if_fail (group && index < group->keys->len, NULL);
  return ((const KeyFileKey *) group->keys->pdata[index])->name;
}

unsigned key_file_line (const KeyFile *file, const char *group_name, const char *key_name)
{
  const KeyFileGroup *group = find_group (file, group_name);
  const KeyFileKey *key = group && key_name ? find_in_group (group, key_name) : NULL;

  if (key_name) {
    return key ? key->line : 0;
  }
  return group ? group->line : 0;
}

char *key_file_origin (const KeyFile *file, const char *group, const char *key)
{
  return g_strdup_printf ("%s:%u", file->display, key_file_line (file, group, key));
}

G_GNUC_PRINTF (7, 0)
static void set_error (GError **error, const KeyFile *file, const char *group, const char *key, unsigned column,
                       KeyFileErrorCode code, const char *format, va_list args)
{
  g_autofree char *message = g_strdup_vprintf (format, args);
  unsigned line = 0;

  if (group && key) {
    line = key_file_line (file, group, key);
  }
  if (group && !line) {
    line = key_file_line (file, group, NULL);
  }
  if (line && !g_str_has_prefix (file->display, "--")) {
    g_autofree char *place = column ? g_strdup_printf ("%u:%u", line, column) : g_strdup_printf ("%u", line);

    g_set_error (error, file->domain, code, "%s:%s: %s", file->display, place, message);
  } else {
    g_set_error (error, file->domain, code, "%s: %s", file->display, message);
  }
}

void key_file_set_error (GError **error, const KeyFile *file, const char *group, const char *key, KeyFileErrorCode code,
                         const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_error (error, file, group, key, 0, code, format, args);
  va_end (args);
}

unsigned key_file_column (const KeyFile *file, const char *group, const char *key)
{
  const KeyFileKey *found = key_file_find_key (file, group, key);

  return found ? found->column : 0;
}

void key_file_set_error_at (GError **error, const KeyFile *file, const char *group, const char *key, unsigned column,
                            KeyFileErrorCode code, const char *format, ...)
{
  const KeyFileKey *found = key_file_find_key (file, group, key);
  va_list args;

  va_start (args, format);
  set_error (error, file, group, key, found ? found->column + column - 1 : 0, code, format, args);
  va_end (args);
}

gboolean key_file_check_keys (const KeyFile *file, const char *group, const char *const *known, GError **error)
{
  for (unsigned i = 0; i < key_file_n_keys (file, group); i++) {
    const char *key = key_file_key (file, group, i);

    if (!g_strv_contains (known, key)) {
      g_autofree char *phrase = suggest_phrase (key, known), *quoted = key_file_quote (key);
      g_autofree char *all = g_strjoinv (", ", (char **) known);

      key_file_set_error (error, file, group, key, KEY_FILE_UNKNOWN_KEY, "unknown key %s in [%s]%s%s", quoted, group,
                          *phrase ? phrase : "; expected one of ", *phrase ? "" : all);
      return FALSE;
    }
  }
  return TRUE;
}

void key_file_unknown_group (const KeyFile *file, const char *group, const char *const *known, GError **error)
{
  g_autofree char *phrase = suggest_phrase (group, known), *quoted = key_file_quote (group);
  g_autofree char *all = g_strjoinv ("], [", (char **) known);

  if (*phrase) {
    key_file_set_error (error, file, group, NULL, KEY_FILE_UNKNOWN_KEY, "unknown group %s%s", quoted, phrase);
  } else {
    key_file_set_error (error, file, group, NULL, KEY_FILE_UNKNOWN_KEY, "unknown group %s; expected [%s]", quoted, all);
  }
}
