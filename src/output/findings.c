/* Findings as text, with a caret under the spot, and as JSON. See findings.h. */
#include "src/output/findings.h"
#include "src/output/escape.h"
#include "src/output/json_write.h"
#include <string.h>

enum { TEXT_COLUMNS = 160, INDENT = 2 };

void finding_clear (gpointer data)
{
  Finding *finding = data;

  g_free (finding->file);
  g_free (finding->message);
  g_free (finding->text);
}

/* The line, and a caret under its column; what is in front may grow by escapes. */
static void print_spot (const Finding *finding, GString *out)
{
  const gsize length = strlen (finding->text);
  const gsize before = MIN (finding->column ? finding->column - 1 : strspn (finding->text, " \t"), length);
  g_autofree char *front = escape_text (finding->text, (gssize) before);
  g_autofree char *line = escape_text_short (finding->text, -1, TEXT_COLUMNS);
  const gsize column = g_utf8_strlen (front, -1) > TEXT_COLUMNS ? TEXT_COLUMNS : (gsize) g_utf8_strlen (front, -1);

  g_string_append_printf (out, "%*s%s\n%*s^\n", INDENT, "", line, INDENT + (int) column, "");
}

char *text_findings (const GArray *findings)
{
  GString *out = g_string_new (NULL);

  for (unsigned i = 0; i < findings->len; i++) {
    const Finding *finding = &g_array_index (findings, Finding, i);
    g_autofree char *file = escape_text_short (finding->file, -1, TEXT_COLUMNS);
    if (finding->ok) {
      g_string_append_printf (out, "%s: %s\n", file, finding->message);
      continue;
    }
    g_string_append_printf (out, "%s\n", finding->message);
    if (finding->text) {
      print_spot (finding, out);
    }
  }
  return g_string_free (out, FALSE);
}

static void put_number (JsonBuilder *builder, const char *name, unsigned number)
{
  if (number) {
    json_put_int (builder, name, number);
  }
}

char *json_findings (const GArray *findings)
{
  JsonBuilder *builder = json_builder_new ();

  json_open_object (builder, NULL);
  json_open_array (builder, "files");
  for (unsigned i = 0; i < findings->len; i++) {
    const Finding *finding = &g_array_index (findings, Finding, i);
    json_open_object (builder, NULL);
    json_put_string (builder, "file", finding->file);
    json_put_bool (builder, "ok", finding->ok);
    put_number (builder, "line", finding->line);
    put_number (builder, "column", finding->column);
    json_put_string (builder, "message", finding->message);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_finish (builder);
}
