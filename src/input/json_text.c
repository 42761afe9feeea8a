/* JSON within other text.  See json_text.h. */
#include "src/input/json_text.h"
#include "src/input/input_error.h"
#include <string.h>

static GString *read_all (ByteSource *source, gsize limit, GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  GString *all = g_string_new (NULL);
  char buffer[16384];
  gssize n = -1;

  while (stream && (n = byte_stream_read (stream, buffer, sizeof buffer, error)) > 0) {
    if (all->len + (gsize) n > limit) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: more than %" G_GSIZE_FORMAT " bytes",
                   byte_source_name (source), limit);
      n = -1;
      break;
    }
    g_string_append_len (all, buffer, n);
  }
  byte_stream_free (stream);
  if (n < 0) {
    g_string_free (all, TRUE);
    return NULL;
  }
  return all;
}

/* Where the object that begins at `start` ends, behind its last brace; NULL: nowhere. */
static const char *object_end (const char *start, const char *end)
{
  unsigned depth = 0;
  gboolean quoted = FALSE;

  for (const char *p = start; p < end; p++) {
    if (quoted) {
      if (*p == '\\') {
        p++;
      } else {
        quoted = *p != '"';
      }
      continue;
    }
    quoted = *p == '"';
    depth += *p == '{';
    if (*p == '}' && --depth == 0) {
      return p + 1;
    }
  }
  return NULL;
}

/* A '{' that stands alone on its line, or begins the file. */
static const char *next_object (const char *p, const char *end, const char *begin)
{
  for (; p < end && (p = memchr (p, '{', (gsize) (end - p))); p++) {
    const gboolean line_start = p == begin || p[-1] == '\n';
    const gboolean line_end = p + 1 == end || p[1] == '\n' || p[1] == '\r';
    if (line_start && (line_end || p == begin)) {
      return p;
    }
  }
  return NULL;
}

/* Length of nan or inf, with its sign, at p; 0: something else stands there. */
static gsize not_finite (const char *p, const char *end)
{
  static const char *const words[] = { "-nan", "nan", "-inf", "inf" };

  for (unsigned i = 0; i < G_N_ELEMENTS (words); i++) {
    const gsize length = strlen (words[i]);
    if ((gsize) (end - p) >= length && !memcmp (p, words[i], length)) {
      return length;
    }
  }
  return 0;
}

static GString *clean_copy (const char *start, const char *end)
{
  GString *copy = g_string_sized_new ((gsize) (end - start));
  gboolean quoted = FALSE;

  for (const char *p = start; p < end; p++) {
    const gsize length = quoted ? 0 : not_finite (p, end);
    if (length) {
      g_string_append (copy, "null");
      p += length - 1;
      continue;
    }
    g_string_append_c (copy, *p);
    if (quoted && *p == '\\' && p + 1 < end) {
      g_string_append_c (copy, *++p);
    } else if (*p == '"') {
      quoted = !quoted;
    }
  }
  return copy;
}

static uint64_t count_lines (const char *start, const char *end)
{
  uint64_t lines = 0;

  for (const char *p = start; p < end && (p = memchr (p, '\n', (gsize) (end - p))); p++) {
    lines++;
  }
  return lines;
}

enum { REMARKS_MAX = 20 };

/* The lines of a stretch between objects. */
static void add_remarks (GPtrArray *remarks, const char *start, const char *end)
{
  while (start < end && remarks->len < REMARKS_MAX) {
    const char *newline = memchr (start, '\n', (gsize) (end - start)), *stop = newline ? newline : end;
    g_autofree char *line = g_strstrip (g_strndup (start, (gsize) (stop - start)));
    if (*line) {
      g_ptr_array_add (remarks, g_steal_pointer (&line));
    }
    start = stop + 1;
  }
}

JsonText *json_text_read (ByteSource *source, gsize limit, GError **error)
{
  GString *all = read_all (source, limit, error);
  JsonText *found = NULL;
  const char *last = NULL, *last_end = NULL, *p;
  unsigned objects = 0;

  if (!all) {
    return NULL;
  }
  g_autoptr (GPtrArray) remarks = g_ptr_array_new_with_free_func (g_free);
  const char *begin = all->str, *end = all->str + all->len;
  for (p = next_object (begin, end, begin); p; p = next_object (last_end, end, begin)) {
    add_remarks (remarks, last_end ? last_end : begin, p);
    last = p;
    last_end = object_end (p, end);
    objects++;
    if (!last_end) {
      break;
    }
  }
  const uint64_t line = last ? 1 + count_lines (begin, last) : 1;
  if (!last || !last_end) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", byte_source_name (source), line,
                 last ? "a JSON object that does not end: the file is cut off"
                      : "no JSON object; expected a line \"{\"");
  } else {
    add_remarks (remarks, last_end, end);
    found = g_new0 (JsonText, 1);
    *found = (JsonText){ clean_copy (last, last_end), line, objects, g_steal_pointer (&remarks) };
  }
  g_string_free (all, TRUE);
  return found;
}

void json_text_free (JsonText *text)
{
  if (text) {
    g_string_free (text->text, TRUE);
    g_ptr_array_unref (text->remarks);
    g_free (text);
  }
}

uint64_t json_text_line_of (const JsonText *text, const char *word, unsigned n)
{
  const char *start = text->text->str, *end = start + text->text->len, *p = start;

  for (unsigned i = 0; (p = memmem (p, (gsize) (end - p), word, strlen (word))); i++, p += strlen (word)) {
    if (i == n) {
      return text->line + count_lines (start, p);
    }
  }
  return text->line;
}
