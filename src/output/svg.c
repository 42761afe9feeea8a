/* See svg.h. */
#include "src/output/svg.h"
#include "src/output/escape.h"
#include <math.h>
#include <string.h>

struct Svg {
  GString *out;
  unsigned depth;
};

/* A length with at most one decimal. */
static void append_number (GString *out, double value)
{
  const long tenths = isfinite (value) ? lround (value * 10) : 0;

  g_string_append_printf (out, "%s%ld", tenths < 0 ? "-" : "", labs (tenths) / 10);
  if (tenths % 10) {
    g_string_append_printf (out, ".%ld", labs (tenths) % 10);
  }
}

static void append_attribute (GString *out, const char *name, double value)
{
  g_string_append_printf (out, " %s=\"", name);
  append_number (out, value);
  g_string_append_c (out, '"');
}

static void begin_element (Svg *svg, const char *name)
{
  for (unsigned i = 0; i <= svg->depth; i++) {
    g_string_append (svg->out, "  ");
  }
  g_string_append_printf (svg->out, "<%s", name);
}

static void end_element (Svg *svg, const char *attributes, const char *end)
{
  if (attributes) {
    g_string_append_printf (svg->out, " %s", attributes);
  }
  g_string_append (svg->out, end);
}

Svg *svg_new (double width, double height, const char *title)
{
  Svg *svg = g_new0 (Svg, 1);
  g_autofree char *escaped = escape_xml (title);

  svg->out = g_string_new ("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
  append_attribute (svg->out, "width", width);
  append_attribute (svg->out, "height", height);
  g_string_append (svg->out, " viewBox=\"0 0 ");
  append_number (svg->out, width);
  g_string_append_c (svg->out, ' ');
  append_number (svg->out, height);
  g_string_append_printf (svg->out, "\" font-family=\"Helvetica, Arial, sans-serif\">\n  <title>%s</title>\n", escaped);
  return svg;
}

void svg_free (Svg *svg)
{
  if (svg) {
    g_string_free (svg->out, TRUE);
    g_free (svg);
  }
}

void svg_begin (Svg *svg, const char *attributes)
{
  begin_element (svg, "g");
  end_element (svg, attributes, ">\n");
  svg->depth++;
}

void svg_end (Svg *svg)
{
  g_return_if_fail (svg->depth > 0);
  svg->depth--;
  begin_element (svg, "/g");
  end_element (svg, NULL, ">\n");
}

void svg_line (Svg *svg, double x1, double y1, double x2, double y2, const char *attributes)
{
  begin_element (svg, "line");
  append_attribute (svg->out, "x1", x1);
  append_attribute (svg->out, "y1", y1);
  append_attribute (svg->out, "x2", x2);
  append_attribute (svg->out, "y2", y2);
  end_element (svg, attributes, "/>\n");
}

void svg_rect (Svg *svg, double x, double y, double width, double height, const char *attributes)
{
  begin_element (svg, "rect");
  append_attribute (svg->out, "x", x);
  append_attribute (svg->out, "y", y);
  append_attribute (svg->out, "width", width);
  append_attribute (svg->out, "height", height);
  end_element (svg, attributes, "/>\n");
}

void svg_circle (Svg *svg, double x, double y, double radius, const char *attributes)
{
  begin_element (svg, "circle");
  append_attribute (svg->out, "cx", x);
  append_attribute (svg->out, "cy", y);
  append_attribute (svg->out, "r", radius);
  end_element (svg, attributes, "/>\n");
}

static void end_text (Svg *svg, const char *text, const char *attributes)
{
  g_autofree char *escaped = escape_xml (text);

  end_element (svg, attributes, ">");
  g_string_append_printf (svg->out, "%s</text>\n", escaped);
}

void svg_text (Svg *svg, double x, double y, SvgAnchor anchor, const char *text, const char *attributes)
{
  static const char *const anchors[] = { [SVG_START] = "start", [SVG_MIDDLE] = "middle", [SVG_END] = "end" };

  begin_element (svg, "text");
  append_attribute (svg->out, "x", x);
  append_attribute (svg->out, "y", y);
  g_string_append_printf (svg->out, " text-anchor=\"%s\"", anchors[anchor]);
  end_text (svg, text, attributes);
}

void svg_text_upwards (Svg *svg, double x, double y, const char *text, const char *attributes)
{
  begin_element (svg, "text");
  g_string_append (svg->out, " transform=\"translate(");
  append_number (svg->out, x);
  g_string_append_c (svg->out, ' ');
  append_number (svg->out, y);
  g_string_append (svg->out, ") rotate(-90)\" text-anchor=\"middle\"");
  end_text (svg, text, attributes);
}

void svg_path_to (GString *path, char command, double x, double y)
{
  g_string_append_c (path, command);
  append_number (path, x);
  g_string_append_c (path, ' ');
  append_number (path, y);
}

void svg_path (Svg *svg, const char *path, const char *attributes)
{
  begin_element (svg, "path");
  g_string_append_printf (svg->out, " d=\"%s\"", path);
  end_element (svg, attributes, "/>\n");
}

char *svg_document (const Svg *svg)
{
  g_return_val_if_fail (svg->depth == 0, NULL);
  return g_strconcat (svg->out->str, "</svg>\n", NULL);
}

double svg_text_width (const char *text, double size) { return 0.6 * size * (double) g_utf8_strlen (text, -1); }
