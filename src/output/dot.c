/* See dot.h. */
#include "src/output/dot.h"
#include <string.h>

struct Dot {
  GString *out;
  char *name;
  unsigned depth; /* of frames and ranks */
};

/* In quotes a backslash begins an escape of labels, and an ampersand a character reference. */
static void append_quoted (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text ? text : "", -1);

  g_string_append_c (out, '"');
  for (const char *p = valid; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (c == '\n') {
      g_string_append (out, "\\n");
    } else if (c == '"' || c == '\\') {
      g_string_append_printf (out, "\\%c", (char) c);
    } else if (c == '&') {
      g_string_append (out, "&amp;");
    } else if (g_unichar_isprint (c)) {
      g_string_append_unichar (out, c);
    } else {
      g_string_append_c (out, '?');
    }
  }
  g_string_append_c (out, '"');
}

static void indent (Dot *dot)
{
  for (unsigned i = 0; i <= dot->depth; i++) {
    g_string_append (dot->out, "  ");
  }
}

static void append_attribute (Dot *dot, const char *key, const char *value)
{
  g_string_append_printf (dot->out, "%s=", key);
  append_quoted (dot->out, value);
}

Dot *dot_new (const char *name, const char *title, const char *attributes)
{
  Dot *dot = g_new0 (Dot, 1);

  dot->out = g_string_new ("digraph ");
  dot->name = g_strdup (name);
  append_quoted (dot->out, name);
  g_string_append (dot->out, " {\n  graph [");
  append_attribute (dot, "label", title);
  g_string_append (dot->out, ", labelloc=t, ");
  append_attribute (dot, "id", name);
  g_string_append_printf (dot->out, ", fontname=\"Helvetica\", fontsize=14%s%s];\n", attributes ? ", " : "",
                          attributes ? attributes : "");
  g_string_append (dot->out, "  node [fontname=\"Helvetica\", fontsize=11];\n"
                             "  edge [fontname=\"Helvetica\", fontsize=10];\n");
  return dot;
}

void dot_free (Dot *dot)
{
  if (dot) {
    g_string_free (dot->out, TRUE);
    g_free (dot->name);
    g_free (dot);
  }
}

/* " [label=..., id=..., attributes];" */
static void end_statement (Dot *dot, const char *label, const char *id, const char *attributes)
{
  g_string_append (dot->out, " [");
  if (label) {
    append_attribute (dot, "label", label);
    g_string_append (dot->out, ", ");
  }
  append_attribute (dot, "id", id);
  g_string_append_printf (dot->out, "%s%s];\n", attributes ? ", " : "", attributes ? attributes : "");
}

void dot_node (Dot *dot, const char *id, const char *label, const char *attributes)
{
  g_autofree char *whole = g_strdup_printf ("%s-%s", dot->name, id);

  indent (dot);
  append_quoted (dot->out, id);
  end_statement (dot, label, whole, attributes);
}

void dot_edge (Dot *dot, const char *from, const char *to, const char *label, const char *attributes)
{
  g_autofree char *whole = g_strdup_printf ("%s-%s-%s", dot->name, from, to);

  indent (dot);
  append_quoted (dot->out, from);
  g_string_append (dot->out, " -> ");
  append_quoted (dot->out, to);
  end_statement (dot, label, whole, attributes);
}

void dot_begin_frame (Dot *dot, const char *id, const char *label, const char *attributes)
{
  g_autofree char *name = g_strconcat ("cluster_", id, NULL), *whole = g_strdup_printf ("%s-%s", dot->name, id);

  indent (dot);
  g_string_append (dot->out, "subgraph ");
  append_quoted (dot->out, name);
  g_string_append (dot->out, " {\n");
  dot->depth++;
  indent (dot);
  g_string_append (dot->out, "graph");
  end_statement (dot, label, whole, attributes);
}

void dot_begin_rank (Dot *dot)
{
  indent (dot);
  g_string_append (dot->out, "{ rank=same;\n");
  dot->depth++;
}

void dot_end (Dot *dot)
{
  g_return_if_fail (dot->depth > 0);
  dot->depth--;
  indent (dot);
  g_string_append (dot->out, "}\n");
}

char *dot_text (const Dot *dot)
{
  g_return_val_if_fail (dot->depth == 0, NULL);
  return g_strconcat (dot->out->str, "}\n", NULL);
}

char *dot_wrap (const char *text, unsigned columns)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  GString *out = g_string_new (NULL);
  glong column = 0;

  for (char **word = words; *word; word++) {
    const glong length = g_utf8_strlen (*word, -1);
    if (word != words) {
      const gboolean fits = column + 1 + length <= (glong) columns;
      g_string_append_c (out, fits ? ' ' : '\n');
      column = fits ? column + 1 : 0;
    }
    g_string_append (out, *word);
    column += length;
  }
  return g_string_free (out, FALSE);
}
