/*
 * Errors of the readers.  See input_error.h.
 */
#include "src/input/input_error.h"
#include <string.h>

G_DEFINE_QUARK (input - error - quark, input_error)

int input_error_exit_code (const GError *error)
{
  if (g_error_matches (error, INPUT_ERROR, INPUT_ERROR_USAGE)) {
    return 2;
  }
  return g_error_matches (error, INPUT_ERROR, INPUT_ERROR_IO) ? 4 : 3;
}

char *input_quote (const char *bytes, gsize len, gsize max)
{
  GString *text = g_string_new (NULL);
  const gsize shown = MIN (len, max);
  for (gsize i = 0; i < shown; i++) {
    const unsigned char c = (unsigned char) bytes[i];
    if (c == '\t') {
      g_string_append (text, "\\t");
    } else if (c == '"' || c == '\\') {
      g_string_append_printf (text, "\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      g_string_append_printf (text, "\\x%02x", c);
    } else {
      g_string_append_c (text, (char) c);
    }
  }
  if (shown < len) {
    g_string_append (text, "...");
  }
  return g_string_free (text, FALSE);
}

/* Levenshtein's distance, with two rows. */
static gsize edit_distance (const char *a, const char *b)
{
  const gsize n = strlen (a), m = strlen (b);
  g_autofree gsize *row = g_new (gsize, m + 1);
  for (gsize j = 0; j <= m; j++) {
    row[j] = j;
  }
  for (gsize i = 1; i <= n; i++) {
    gsize diagonal = row[0];
    row[0] = i;
    for (gsize j = 1; j <= m; j++) {
      const gsize replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = MIN (replace, MIN (row[j], row[j - 1]) + 1);
    }
  }
  return row[m];
}

const char *input_nearest (const char *word, const char *const *words)
{
  const gsize length = strlen (word);
  const char *nearest = NULL;
  gsize best = 1 + length / 4;
  if (length > 64) {
    return NULL;
  }
  for (; *words; words++) {
    const gsize distance = edit_distance (word, *words);
    if (distance < best || (distance == best && !nearest)) {
      best = distance;
      nearest = *words;
    }
  }
  return nearest;
}
