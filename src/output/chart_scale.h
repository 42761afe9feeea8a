/*
 * The axis of a chart: which values it shows, where they lie, and where it is labelled.
 */
#ifndef CHART_SCALE_H
#define CHART_SCALE_H

#include <glib.h>

typedef enum {
  SCALE_LINEAR,         /* from 0 if nothing is below */
  SCALE_LOG,            /* bounds and labels at 1, 2, 5 times a power of 10 */
  SCALE_LOG2,           /* powers of 2 */
  SCALE_TAIL,           /* shares 0..1, as many px from 90 to 99 % as from 99 to 99.9 % */
} ScaleKind;

typedef enum { UNIT_PLAIN, UNIT_NS, UNIT_RATE, UNIT_SHARE, UNIT_BYTES } ChartUnit;

typedef struct {
  double position;      /* 0..1 */
  char  *label;
} ScaleTick;

typedef struct {
  ScaleKind kind;
  double low, high;     /* bounds, of the data or a little outside */
  const char *unit;     /* what the labels of ticks leave out: "us", "k"; "": nothing */
  GArray *ticks;        /* of ScaleTick */
} ChartScale;

/* A scale for values from low to high (SCALE_LOG, SCALE_LOG2: above 0), with about `wanted` labels.  The labels of a linear scale
 * have one unit, named in `unit`; those of a logarithmic one each their own. */
void   chart_scale_init (ChartScale *scale, ScaleKind kind, ChartUnit unit, double low, double high, unsigned wanted);
void   chart_scale_clear (ChartScale *scale);
/* Where a value lies: 0..1, also for those outside. */
double chart_scale_position (const ChartScale *scale, double value);

#endif
