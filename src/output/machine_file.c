/* Machine files; see machine_file.h. */
#include "src/output/machine_file.h"
#include <string.h>

/* A value on one line: backslashes doubled, leading blanks and line ends as escapes, "#" kept from starting a comment.
 */
static void append_value (GString *out, const char *key, const char *value)
{
  g_string_append_printf (out, "%s=", key);
  for (const char *c = value; *c; c++) {
    if (*c == '\\') {
      g_string_append (out, "\\\\");
    } else if (*c == ' ' && c == value) {
      g_string_append (out, "\\s");
    } else if ((unsigned char) *c < 0x20 || *c == 0x7f) {
      g_string_append_c (out, ' ');
    } else if (*c != '#' || c == value || c[-1] != ' ') {
      g_string_append_c (out, *c);
    }
  }
  g_string_append_c (out, '\n');
}

static void append_comment (GString *out, const char *text)
{
  g_string_append (out, "#");
  g_string_append (out, *text ? " " : "");
  for (const char *c = text; *c; c++) {
    g_string_append_c (out, (unsigned char) *c < 0x20 || *c == 0x7f ? ' ' : *c);
  }
  g_string_append_c (out, '\n');
}

static gsize group_length (const char *key) { return (gsize) (strrchr (key, '.') - key); }

static gboolean same_group (const char *a, const char *b)
{
  return group_length (a) == group_length (b) && !strncmp (a, b, group_length (a));
}

/* Is it the first value of its group? */
static gboolean opens_group (const MachineFile *file, unsigned index)
{
  for (unsigned i = 0; i < index; i++) {
    if (same_group (file->values[i].key, file->values[index].key)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void append_group (const MachineFile *file, unsigned first, GString *out)
{
  const char *key = file->values[first].key;

  g_string_append_printf (out, "\n[%.*s]\n", (int) group_length (key), key);
  for (unsigned i = first; i < file->n_values; i++) {
    const MachineFileValue *value = &file->values[i];
    if (same_group (value->key, key)) {
      const char *name = strrchr (value->key, '.') + 1;
      g_autofree char *source = g_strconcat (name, ".source", NULL);
      append_value (out, name, value->value);
      append_value (out, source, value->source);
    }
  }
}

char *machine_file_text (const MachineFile *file)
{
  GString *out = g_string_new (NULL);

  for (unsigned i = 0; i < file->comments->len; i++) {
    append_comment (out, file->comments->pdata[i]);
  }
  g_string_append (out, "[Machine]\n");
  append_value (out, "Name", file->name);
  append_value (out, "Base", file->base);
  append_value (out, "Title", file->title);
  append_value (out, "Evidence", file->evidence);
  for (unsigned i = 0; i < file->n_values; i++) {
    if (opens_group (file, i)) {
      append_group (file, i, out);
    }
  }
  return g_string_free (out, FALSE);
}
