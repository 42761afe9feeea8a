/* Policy files of found settings; see search_file.h. */
#include "src/command/search_file.h"
#include "src/command/command.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include <string.h>

static const char suffix[] = ".policy";

gboolean search_file_may_write (const Policy *policy, const char *path, GError **error)
{
  g_autofree char *quoted = escape_text_short (path, -1, 200);

  if (!g_str_has_suffix (path, suffix)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--write: found \"%s\", expected a name that ends in %s",
                 quoted, suffix);
    return FALSE;
  }
  if (output_same_file (path, policy->path)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--write: found \"%s\", expected another file than the policy with the knobs", quoted);
    return FALSE;
  }
  return TRUE;
}

/* The line with its knobs replaced.  Knobs are sorted by place: *next is the first that was not written yet. */
static void add_line (const Policy *policy, const char *const *texts, const char *line, unsigned number, unsigned *next,
                      GString *out)
{
  const gsize length = strlen (line);
  gsize written = 0;

  for (; *next < policy->n_knobs && policy->knobs[*next].line == number; (*next)++) {
    const PolicyKnob *knob = &policy->knobs[*next];
    const gsize start = CLAMP (knob->column - 1, written, length);
    g_string_append_len (out, line + written, (gssize) (start - written));
    g_string_append (out, texts[*next]);
    written = MIN (start + knob->range.length, length);
  }
  g_string_append (out, line + written);
}

gboolean search_file_write (const Policy *policy, const char *const *texts, const char *comment, const char *path,
                            GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *quoted = escape_text_short (path, -1, 200);
  unsigned next = 0;

  if (!g_file_get_contents (policy->path, &text, NULL, &cause)) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "--write %s: %s", quoted, cause->message);
    return FALSE;
  }

  g_string_append_printf (out, "# %s\n", comment);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (unsigned i = 0; lines[i]; i++) {
    g_string_append (out, i ? "\n" : "");
    add_line (policy, texts, lines[i], i + 1, &next, out);
  }
  const int failure = output_stream_write (path, out->str, out->len);
  if (failure) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "--write %s: %s", quoted, g_strerror (failure));
  }
  return !failure;
}
