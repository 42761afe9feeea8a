/* See chart.h. */
#include "src/output/chart.h"
#include "src/output/escape.h"
#include "src/output/svg.h"
#include <math.h>

enum {
  LEFT = 76,
  RIGHT = 24,
  TITLE_SIZE = 15,
  TEXT_SIZE = 12,
  PLOT_HEIGHT = 340,
  LINE = 18,         /* of text */
  SAMPLE = 44,       /* of a line in the legend */
  NAME_COLUMNS = 60, /* of a series in the legend */
  TITLE_COLUMNS = 84,
  MARKERS = 7, /* along a line */
  MARKER = 4,  /* half its size */
  MARKER_SHAPES = 5,
};

#define INK "class=\"ink\" fill=\"#000\""
#define RULE "class=\"rule\" stroke=\"#000\""
#define GRID "class=\"grid\" stroke=\"#ccc\" stroke-width=\"0.6\""
#define PAPER "class=\"paper\" fill=\"#fff\""

/* How lines differ: by colours that differ in lightness, too, dashes and markers. */
static const struct {
  const char *colour, *dashes;
} styles[] = {
  { "#0060a0", "" },    { "#c04000", "7 3" },  { "#007050", "2 3" },         { "#8a3080", "10 3 2 3" },
  { "#806000", "1 4" }, { "#303030", "14 4" }, { "#0090b0", "6 2 1 2 1 2" }, { "#b02060", "4 4" },
};

typedef struct {
  const Chart *chart;
  Svg *svg;
  ChartScale x, y;
  double top, width, height; /* of the plot; its left is LEFT */
} Plot;

static double px_x (const Plot *plot, double value)
{
  return LEFT + plot->width * chart_scale_position (&plot->x, value);
}

static double px_y (const Plot *plot, double value)
{
  return plot->top + plot->height * (1 - chart_scale_position (&plot->y, value));
}

/* ---- axes ---- */

static void init_scales (Plot *plot)
{
  double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL };

  for (unsigned i = 0; i < plot->chart->n_series; i++) {
    const ChartSeries *series = &plot->chart->series[i];
    for (unsigned k = 0; k < series->n; k++) {
      const ChartPoint *point = &series->points[k];
      const double half = fmax (point->half_width, 0);
      low[0] = fmin (low[0], point->x);
      high[0] = fmax (high[0], point->x);
      low[1] = fmin (low[1], point->y - half);
      high[1] = fmax (high[1], point->y + half);
    }
  }
  for (unsigned i = 0; i < 2; i++) {
    if (low[i] > high[i]) { /* nothing to show */
      low[i] = 1;
      high[i] = 10;
    }
  }
  chart_scale_init (&plot->x, plot->chart->x.kind, plot->chart->x.unit, low[0], high[0], 8);
  chart_scale_init (&plot->y, plot->chart->y.kind, plot->chart->y.unit, low[1], high[1], 6);
}

/* "latency (us)" (transfer full) */
static char *axis_label (const ChartAxis *axis, const ChartScale *scale)
{
  return *scale->unit ? g_strdup_printf ("%s (%s)", axis->label, scale->unit) : g_strdup (axis->label);
}

static void draw_axes (Plot *plot)
{
  Svg *svg = plot->svg;
  const double bottom = plot->top + plot->height, right = LEFT + plot->width;
  g_autofree char *x_label = axis_label (&plot->chart->x, &plot->x), *y_label = axis_label (&plot->chart->y, &plot->y);

  for (unsigned i = 0; i < plot->x.ticks->len; i++) {
    const ScaleTick *tick = &g_array_index (plot->x.ticks, ScaleTick, i);
    const double x = LEFT + plot->width * tick->position;
    svg_line (svg, x, plot->top, x, bottom, GRID);
    svg_line (svg, x, bottom, x, bottom + 4, RULE);
    svg_text (svg, x, bottom + LINE, SVG_MIDDLE, tick->label, INK);
  }
  for (unsigned i = 0; i < plot->y.ticks->len; i++) {
    const ScaleTick *tick = &g_array_index (plot->y.ticks, ScaleTick, i);
    const double y = bottom - plot->height * tick->position;
    svg_line (svg, LEFT, y, right, y, GRID);
    svg_line (svg, LEFT - 4, y, LEFT, y, RULE);
    svg_text (svg, LEFT - 7, y + 4, SVG_END, tick->label, INK);
  }
  svg_line (svg, LEFT, bottom, right, bottom, RULE);
  svg_line (svg, LEFT, plot->top, LEFT, bottom, RULE);
  svg_text (svg, LEFT + plot->width / 2, bottom + 2 * LINE + 2, SVG_MIDDLE, x_label, INK);
  svg_text_upwards (svg, 16, plot->top + plot->height / 2, y_label, INK);
}

/* ---- lines ---- */

/* One of MARKER_SHAPES, filled or not. */
static void draw_marker (Svg *svg, unsigned number, double x, double y)
{
  g_autoptr (GString) path = g_string_new (NULL);
  const char *colour = styles[number % G_N_ELEMENTS (styles)].colour;
  const gboolean filled = number / MARKER_SHAPES % 2 == 0;
  g_autofree char *attributes = g_strdup_printf ("class=\"s%u%s\" stroke=\"%s\" fill=\"%s\" stroke-width=\"1.5\"",
                                                 number % (unsigned) G_N_ELEMENTS (styles), filled ? " full" : "",
                                                 colour, filled ? colour : "none");
  const double r = MARKER;

  switch (number % MARKER_SHAPES) {
  case 0:
    svg_circle (svg, x, y, r, attributes);
    return;
  case 1:
    svg_rect (svg, x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1, attributes);
    return;
  case 2:
    svg_path_to (path, 'M', x, y - r - 0.5);
    svg_path_to (path, 'L', x + r + 0.5, y + r);
    svg_path_to (path, 'L', x - r - 0.5, y + r);
    break;
  case 3:
    svg_path_to (path, 'M', x, y - r - 1);
    svg_path_to (path, 'L', x + r + 1, y);
    svg_path_to (path, 'L', x, y + r + 1);
    svg_path_to (path, 'L', x - r - 1, y);
    break;
  default:
    svg_path_to (path, 'M', x - r, y - r);
    svg_path_to (path, 'L', x + r, y - r);
    svg_path_to (path, 'L', x, y + r + 0.5);
    break;
  }
  g_string_append_c (path, 'Z');
  svg_path (svg, path->str, attributes);
}

static void draw_line (Svg *svg, unsigned number, const char *path)
{
  const unsigned style = number % G_N_ELEMENTS (styles);
  g_autofree char *attributes = g_strdup_printf (
      "class=\"s%u\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s%s%s", style, styles[style].colour,
      *styles[style].dashes ? " stroke-dasharray=\"" : "", styles[style].dashes, *styles[style].dashes ? "\"" : "");
  svg_path (svg, path, attributes);
}

/* Vertical bars of confidence. */
static void draw_intervals (const Plot *plot, unsigned number, const ChartSeries *series)
{
  const unsigned style = number % G_N_ELEMENTS (styles);
  g_autofree char *attributes = g_strdup_printf ("class=\"s%u\" stroke=\"%s\"", style, styles[style].colour);

  for (unsigned k = 0; k < series->n; k++) {
    const ChartPoint *point = &series->points[k];
    if (point->half_width > 0) {
      const double x = px_x (plot, point->x), low = px_y (plot, point->y - point->half_width);
      const double high = px_y (plot, point->y + point->half_width);
      svg_line (plot->svg, x, low, x, high, attributes);
      svg_line (plot->svg, x - 3, low, x + 3, low, attributes);
      svg_line (plot->svg, x - 3, high, x + 3, high, attributes);
    }
  }
}

/* How long the drawn line is, px. */
static double length_of (const Plot *plot, const ChartSeries *series)
{
  double length = 0;

  for (unsigned i = 1; i < series->n; i++) {
    length += fabs (px_x (plot, series->points[i].x) - px_x (plot, series->points[i - 1].x)) +
              fabs (px_y (plot, series->points[i].y) - px_y (plot, series->points[i - 1].y));
  }
  return length;
}

/* At even distances along the line, at other ones on each; on a line of few points at each point. */
static void draw_markers (const Plot *plot, unsigned number, const ChartSeries *series)
{
  const double gap = length_of (plot, series) / MARKERS;
  double next = gap * (number + 0.5) / plot->chart->n_series, length = 0;
  double last_x = px_x (plot, series->points[0].x), last_y = px_y (plot, series->points[0].y);

  for (unsigned k = 0; k < series->n; k++) {
    const double x = px_x (plot, series->points[k].x), y = px_y (plot, series->points[k].y);
    length += fabs (x - last_x) + fabs (y - last_y);
    last_x = x;
    last_y = y;
    if (series->n > 3 * MARKERS) {
      if (length < next) {
        continue;
      }
      while (next <= length && gap > 0) {
        next += gap;
      }
    }
    draw_marker (plot->svg, number, x, y);
  }
}

/* Whether the next point is less than a third of a px away in both directions. */
static gboolean same_place (double x, double y, double last_x, double last_y)
{
  return fabs (x - last_x) < 0.3 && fabs (y - last_y) < 0.3;
}

static void draw_series (const Plot *plot, unsigned number)
{
  const ChartSeries *series = &plot->chart->series[number];
  g_autoptr (GString) path = g_string_new (NULL);
  double last_x = 0, last_y = 0;

  for (unsigned k = 0; k < series->n; k++) {
    const double x = px_x (plot, series->points[k].x), y = px_y (plot, series->points[k].y);
    if (k == 0) {
      svg_path_to (path, 'M', x, y);
    } else if (k + 1 < series->n && same_place (x, y, last_x, last_y)) {
      continue;
    } else {
      if (series->steps) {
        svg_path_to (path, 'L', x, last_y);
      }
      svg_path_to (path, 'L', x, y);
    }
    last_x = x;
    last_y = y;
  }
  if (series->n) {
    draw_line (plot->svg, number, path->str);
    draw_intervals (plot, number, series);
    draw_markers (plot, number, series);
  }
}

/* ---- legend ---- */

/* Rows of entries below the plot; only measured if `svg` is NULL.  Returns their number. */
static unsigned legend (const Chart *chart, Svg *svg, double top)
{
  double x = LEFT;
  unsigned rows = chart->n_series ? 1 : 0;

  for (unsigned i = 0; i < chart->n_series; i++) {
    g_autofree char *name = escape_text_short (chart->series[i].name, -1, NAME_COLUMNS);
    const double width = SAMPLE + 8 + svg_text_width (name, TEXT_SIZE) + 18;
    if (x > LEFT && x + width > CHART_WIDTH - RIGHT) {
      rows++;
      x = LEFT;
    }
    if (svg) {
      const double y = top + (rows - 1) * LINE;
      g_autoptr (GString) path = g_string_new (NULL);
      svg_path_to (path, 'M', x, y - 4);
      svg_path_to (path, 'L', x + SAMPLE, y - 4);
      draw_line (svg, i, path->str);
      draw_marker (svg, i, x + SAMPLE / 2., y - 4);
      svg_text (svg, x + SAMPLE + 8, y, SVG_START, name, INK);
    }
    x += width;
  }
  return rows;
}

char *chart_svg (const Chart *chart)
{
  g_autofree char *title = escape_text_short (chart->title, -1, TITLE_COLUMNS);
  g_autofree char *subtitle = chart->subtitle ? escape_text_short (chart->subtitle, -1, TITLE_COLUMNS + 20) : NULL;
  const unsigned rows = legend (chart, NULL, 0);
  Plot plot = {
    .chart = chart, .top = 2 * LINE + (subtitle ? LINE : 0), .width = CHART_WIDTH - LEFT - RIGHT, .height = PLOT_HEIGHT
  };
  const double below = plot.top + PLOT_HEIGHT + 3 * LINE + 8, height = below + rows * LINE;
  g_autoptr (Svg) svg = svg_new (CHART_WIDTH, height, title);

  plot.svg = svg;
  init_scales (&plot);
  svg_rect (svg, 0, 0, CHART_WIDTH, height, PAPER);
  svg_text (svg, CHART_WIDTH / 2., LINE + 2, SVG_MIDDLE, title, INK " font-size=\"15\" font-weight=\"bold\"");
  svg_begin (svg, "font-size=\"12\"");
  if (subtitle) {
    svg_text (svg, CHART_WIDTH / 2., 2 * LINE + 2, SVG_MIDDLE, subtitle, INK);
  }
  draw_axes (&plot);
  for (unsigned i = 0; i < chart->n_series; i++) {
    draw_series (&plot, i);
  }
  legend (chart, svg, below);
  svg_end (svg);
  chart_scale_clear (&plot.x);
  chart_scale_clear (&plot.y);
  return svg_document (svg);
}
