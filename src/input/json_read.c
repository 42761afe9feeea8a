/* JSON from outside.  See json_read.h. */
#include "src/input/json_read.h"
#include "src/input/input_error.h"
#include <math.h>
#include <string.h>

gboolean json_fail (JsonPlace place, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", place.file, place.line, text);
  return FALSE;
}

/* The parser recurses: nesting is counted before it sees the text.  It also takes comments and single quotes, which
 * would hide brackets from the count, and which no JSON has outside of strings. */
static gboolean check_depth (const char *text, gsize length, JsonPlace place, GError **error)
{
  unsigned depth = 0;
  gboolean quoted = FALSE;

  for (gsize i = 0; i < length; i++) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
      continue;
    }
    if (c == '/' || c == '#' || c == '\'') {
      return json_fail (place, error, "not JSON: found \"%c\" outside of a string", c);
    }
    quoted = c == '"';
    depth += c == '{' || c == '[';
    depth -= depth && (c == '}' || c == ']');
    if (depth > JSON_READ_DEPTH_LIMIT) {
      return json_fail (place, error, "JSON nested more than %u deep", JSON_READ_DEPTH_LIMIT);
    }
  }
  return TRUE;
}

JsonNode *json_read_object (const char *text, gsize length, JsonPlace place, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) cause = NULL;

  if (!check_depth (text, length, place, error)) {
    return NULL;
  }
  if (memchr (text, '\0', length) || !g_utf8_validate (text, (gssize) length, NULL)) {
    json_fail (place, error, "bytes that are no UTF-8 text; expected a JSON object");
    return NULL;
  }
  if (!json_parser_load_from_data (parser, text, (gssize) length, &cause)) {
    g_autofree char *said = input_quote (cause->message, strlen (cause->message), 120);
    json_fail (place, error, "not JSON: %s", said);
    return NULL;
  }
  JsonNode *root = json_parser_get_root (parser);
  if (!root || !JSON_NODE_HOLDS_OBJECT (root)) {
    json_fail (place, error, "a JSON value that is no object; expected {...}");
    return NULL;
  }
  return json_node_copy (root);
}

/* ---- members ---- */

/* NULL: missing, null. */
static JsonNode *member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node && !JSON_NODE_HOLDS_NULL (node) ? node : NULL;
}

static gboolean refuse (JsonNode *node, const char *name, JsonPlace place, GError **error, const char *expected)
{
  if (!node) {
    return json_fail (place, error, "no \"%s\"; expected %s", name, expected);
  }
  g_autofree char *text = json_to_string (node, FALSE);
  g_autofree char *quoted = input_quote (text, strlen (text), 40);
  return json_fail (place, error, "\"%s\": found %s; expected %s", name, quoted, expected);
}

static gboolean holds_number (JsonNode *node)
{
  const GType type = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_NONE;

  return type == G_TYPE_INT64 || type == G_TYPE_DOUBLE;
}

gboolean json_read_number (JsonObject *object, const char *name, double low, double high, JsonPlace place, double *ret,
                           GError **error)
{
  JsonNode *node = member (object, name);
  const double value = holds_number (node) ? json_node_get_double (node) : (double) NAN;

  if (!(value >= low && value <= high)) {
    char bounds[2][G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd (bounds[0], sizeof bounds[0], "%g", low);
    g_ascii_formatd (bounds[1], sizeof bounds[1], "%g", high);
    g_autofree char *expected = g_strdup_printf ("a number from %s to %s", bounds[0], bounds[1]);
    return refuse (node, name, place, error, expected);
  }
  *ret = value;
  return TRUE;
}

gboolean json_read_optional (JsonObject *object, const char *name, double low, double high, JsonPlace place,
                             double *ret, GError **error)
{
  return !member (object, name) || json_read_number (object, name, low, high, place, ret, error);
}

gboolean json_read_unsigned (JsonObject *object, const char *name, gboolean optional, unsigned low, unsigned high,
                             JsonPlace place, unsigned *ret, GError **error)
{
  JsonNode *node = member (object, name);

  if (!node && optional) {
    return TRUE;
  }
  const double value = holds_number (node) ? json_node_get_double (node) : -1;
  if (!(value >= low && value <= high) || value != floor (value)) {
    g_autofree char *expected = g_strdup_printf ("a whole number from %u to %u", low, high);
    return refuse (node, name, place, error, expected);
  }
  *ret = (unsigned) value;
  return TRUE;
}

static gboolean is_printable (const char *text)
{
  for (; *text; text++) {
    if (!g_ascii_isprint (*text)) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean json_read_text (JsonObject *object, const char *name, gboolean optional, unsigned max, JsonPlace place,
                         char **ret, GError **error)
{
  JsonNode *node = member (object, name);

  if (!node && optional) {
    *ret = g_strdup ("");
    return TRUE;
  }
  const char *text = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  if (!text || strlen (text) > max || !is_printable (text) || (!*text && !optional)) {
    g_autofree char *expected = g_strdup_printf ("a text of %u to %u printable characters", !optional, max);
    return refuse (node, name, place, error, expected);
  }
  *ret = g_strdup (text);
  return TRUE;
}

JsonObject *json_read_member (JsonObject *object, const char *name, JsonPlace place, GError **error)
{
  JsonNode *node = member (object, name);

  if (!node || !JSON_NODE_HOLDS_OBJECT (node)) {
    refuse (node, name, place, error, "an object {...}");
    return NULL;
  }
  return json_node_get_object (node);
}
