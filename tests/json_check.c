/*
 * Checks JSON on standard input, for the command tests.
 *
 *   json-check [CHECK...]
 *
 * CHECK is a JSONPath ($.runs[*].ios) that must match something, PATH=VALUE (every match is VALUE, written as in JSON,
 * strings without quotes), PATH#N (exactly N matches), or PATH:a,b,c (the object has these members first, in this
 * order). Exit status 0 if the input is one JSON document and every check holds, 1 otherwise.
 */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all (FILE *stream, gsize *ret_length)
{
  GString *text = g_string_new (NULL);
  char buffer[65536];
  size_t n;

  while ((n = fread (buffer, 1, sizeof buffer, stream)) > 0) {
    g_string_append_len (text, buffer, n);
  }
  *ret_length = text->len;
  return g_string_free (text, FALSE);
}

static char *node_text (JsonNode *node)
{
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING) {
    return g_strdup (json_node_get_string (node));
  }
  return json_to_string (node, FALSE);
}

static gboolean members_start_with (JsonNode *node, const char *names)
{
  g_auto (GStrv) expected = g_strsplit (names, ",", -1);

  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    return FALSE;
  }
  g_autoptr (GList) members = json_object_get_members (json_node_get_object (node));
  const GList *item = members;
  for (char **name = expected; *name; name++, item = item->next) {
    if (!item || strcmp (item->data, *name)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean holds (JsonNode *root, const char *check)
{
  const gsize length = strcspn (check, "=#:");
  const char kind = check[length];
  const char *value = kind ? check + length + 1 : NULL;
  g_autofree char *path = g_strndup (check, length);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) found = json_path_query (path, root, &error);

  if (!found) {
    fprintf (stderr, "json-check: %s: %s\n", path, error->message);
    return FALSE;
  }
  JsonArray *matches = json_node_get_array (found);
  const unsigned n = json_array_get_length (matches);
  gboolean ok = kind == '#' ? n == (unsigned) atoi (value) : n > 0;
  for (unsigned i = 0; i < n && ok && (kind == '=' || kind == ':'); i++) {
    JsonNode *node = json_array_get_element (matches, i);
    g_autofree char *text = node_text (node);
    ok = kind == '=' ? !strcmp (text, value) : members_start_with (node, value);
    if (!ok) {
      fprintf (stderr, "json-check: %s: match %u is %.200s\n", check, i, text);
    }
  }
  if (!ok) {
    fprintf (stderr, "json-check: does not hold: %s (%u matches)\n", check, n);
  }
  return ok;
}

int main (int argc, char **argv)
{
  gsize length;
  g_autofree char *text = read_all (stdin, &length);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  int failed = 0;

  if (strlen (text) != length || !g_utf8_validate (text, length, NULL)) {
    fprintf (stderr, "json-check: not UTF-8 text\n");
    return 1;
  }
  if (!json_parser_load_from_data (parser, text, length, &error) || !json_parser_get_root (parser)) {
    fprintf (stderr, "json-check: %s\n", error ? error->message : "empty");
    return 1;
  }
  for (int i = 1; i < argc; i++) {
    failed += !holds (json_parser_get_root (parser), argv[i]);
  }
  return failed ? 1 : 0;
}
