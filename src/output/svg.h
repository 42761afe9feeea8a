/*
 * Pictures in SVG: shapes with attributes, text escaped.
 *
 * Lengths are in px with one decimal.  `attributes` is written by the program and printed as it is ("stroke=\"#000\"");
 * NULL: none.  No scripts, styles, links or ids, so that several pictures fit in one page.
 */
#ifndef SVG_H
#define SVG_H

#include <glib.h>

typedef struct Svg Svg;
typedef enum { SVG_START, SVG_MIDDLE, SVG_END } SvgAnchor;

/* An empty picture; `title` is for those who cannot see it. (transfer full) */
Svg  *svg_new (double width, double height, const char *title);
void  svg_free (Svg *svg);              /* accepts NULL */
/* Up to svg_end() everything has these attributes. */
void  svg_begin (Svg *svg, const char *attributes);
void  svg_end (Svg *svg);
void  svg_line (Svg *svg, double x1, double y1, double x2, double y2, const char *attributes);
void  svg_rect (Svg *svg, double x, double y, double width, double height, const char *attributes);
void  svg_circle (Svg *svg, double x, double y, double radius, const char *attributes);
/* `text` at (x, y) of its base line. */
void  svg_text (Svg *svg, double x, double y, SvgAnchor anchor, const char *text, const char *attributes);
/* The same turned to be read from below. */
void  svg_text_upwards (Svg *svg, double x, double y, const char *text, const char *attributes);
/* A path in SVG's words: svg_path_to() appends them to `path` with numbers as this file prints them. */
void  svg_path_to (GString *path, char command, double x, double y);
void  svg_path (Svg *svg, const char *path, const char *attributes);
/* The whole picture. (transfer full) */
char *svg_document (const Svg *svg);

/* About how wide text of that size is in px: never much less than it is. */
double svg_text_width (const char *text, double size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Svg, svg_free)

#endif
