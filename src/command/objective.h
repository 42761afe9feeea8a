/*
 * What a search is after: "p99 < 1ms, max iops".  One goal, max or min of a figure, and any number of limits that it
 * has to keep; figures are means over the seeds.
 */
#ifndef OBJECTIVE_H
#define OBJECTIVE_H

#include "model/metric.h"
#include <glib.h>

enum { OBJECTIVE_LIMITS_MAX = 8 };

typedef struct {
  Metric   metric;
  gboolean at_least;              /* > or >=, else < or <= */
  gboolean strict;                /* < or > */
  double   limit;                 /* > 0, in the unit of the metric */
} ObjectiveLimit;

typedef struct {
  char    *text;                  /* as given, blanks made single */
  gboolean maximise;
  Metric   goal;
  unsigned n_limits;
  ObjectiveLimit limits[OBJECTIVE_LIMITS_MAX];
} Objective;

/* OPTIONS_ERROR_VALUE if it is none. (transfer full) */
Objective *objective_parse (const char *text, GError **error);
void       objective_free (Objective *objective);          /* accepts NULL */

/* Whether these figures keep all limits. */
gboolean   objective_holds (const Objective *objective, const double metric[METRICS_N]);
/* The smaller the better, always finite: any setting that keeps the limits is better than any that does not, and of
 * those that do not the one that is off by the least factor is. */
double     objective_score (const Objective *objective, const double metric[METRICS_N]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Objective, objective_free)

#endif
