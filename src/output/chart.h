/*
 * Charts: lines over two axes.  Numbers come in ready; here they only find their place.
 *
 * Readable without colours: lines differ in dashes and markers as well.
 * The legend has a place of its own below.  All text may come from outside: it is escaped and cut.
 */
#ifndef CHART_H
#define CHART_H

#include "src/output/chart_scale.h"

typedef struct {
  double x, y;
  double half_width;            /* of y's confidence interval; <= 0: not shown */
} ChartPoint;

typedef struct {
  const char *name;
  gboolean steps;               /* a value holds until the next point; else points are joined by lines */
  unsigned n; const ChartPoint *points;         /* x does not decrease */
} ChartSeries;

typedef struct {
  const char *label;            /* "latency"; the unit is added */
  ChartUnit unit;
  ScaleKind kind;
} ChartAxis;

typedef struct {
  const char *title, *subtitle; /* subtitle: (nullable) */
  ChartAxis x, y;
  unsigned n_series; const ChartSeries *series;
} Chart;

/* As SVG, CHART_WIDTH px wide. (transfer full) */
char *chart_svg (const Chart *chart);
#define CHART_WIDTH 760

#endif
