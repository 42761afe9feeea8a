/* Escaping for terminals; see escape.h. */
#include "src/output/escape.h"
#include <string.h>

/* Characters that print nothing themselves but change how others are shown. */
static gboolean is_direction_mark (gunichar c)
{
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xfeff;
}

static void append_escaped (GString *out, gunichar c)
{
  if (c == '\n') {
    g_string_append (out, "\\n");
  } else if (c == '\t') {
    g_string_append (out, "\\t");
  } else if (c == '\r') {
    g_string_append (out, "\\r");
  } else if (c < 0x100) {
    g_string_append_printf (out, "\\x%02x", (unsigned) c);
  } else {
    g_string_append_printf (out, "\\u{%04x}", (unsigned) c);
  }
}

char *escape_text (const char *bytes, gssize len)
{
  const char *p = bytes ? bytes : "";
  const char *end = p + (bytes && len >= 0 ? (size_t) len : strlen (p));
  GString *out = g_string_sized_new (end - p + 1);

  while (p < end) {
    const gunichar c = g_utf8_get_char_validated (p, end - p);
    if (*p == '\0' || c == (gunichar) -1 || c == (gunichar) -2) {
      append_escaped (out, (unsigned char) *p);
      p++;
      continue;
    }
    if (c == '\\') {
      g_string_append (out, "\\\\");
    } else if (!g_unichar_isprint (c) || is_direction_mark (c)) {
      append_escaped (out, c);
    } else {
      g_string_append_unichar (out, c);
    }
    p = g_utf8_next_char (p);
  }
  return g_string_free (out, FALSE);
}

char *escape_text_short (const char *bytes, gssize len, unsigned columns)
{
  g_autofree char *whole = escape_text (bytes, len);
  const glong length = g_utf8_strlen (whole, -1);

  if (length <= (glong) columns || columns < 8) {
    return g_steal_pointer (&whole);
  }
  const glong head = (columns - 3) / 2;
  const glong tail = columns - 3 - head;
  g_autofree char *first = g_utf8_substring (whole, 0, head);
  return g_strconcat (first, "...", g_utf8_offset_to_pointer (whole, length - tail), NULL);
}

char *escape_xml (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text ? text : "", -1);
  GString *out = g_string_sized_new (strlen (valid) + 1);

  for (const char *p = valid; *p; p = g_utf8_next_char (p)) {
    const gunichar c = g_utf8_get_char (p);
    if (c == '&') {
      g_string_append (out, "&amp;");
    } else if (c == '<') {
      g_string_append (out, "&lt;");
    } else if (c == '>') {
      g_string_append (out, "&gt;");
    } else if (c == '"') {
      g_string_append (out, "&quot;");
    } else if (c == '\'') {
      g_string_append (out, "&#39;");
    } else if ((c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe) {
      g_string_append_c (out, '?');
    } else {
      g_string_append_unichar (out, c);
    }
  }
  return g_string_free (out, FALSE);
}
