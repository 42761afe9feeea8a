/*
 * Statistics of runs: samples (mean, deviation, confidence interval by Student's t)
 * and time-weighted levels (queue length, busy servers).
 */
#ifndef UR_TALLY_H
#define UR_TALLY_H

#include "src/engine/engine.h"

typedef struct { uint64_t n; double mean, m2, min, max; } UrTally;
void   ur_tally_init (UrTally *tally);
void   ur_tally_add (UrTally *tally, double value);
double ur_tally_stddev (const UrTally *tally);                        /* sample deviation */
/* Half width of the two-sided confidence interval of the mean, e.g. level 0.95; 0 if n < 2. */
double ur_tally_half_width (const UrTally *tally, double level);
/* Two-sided quantile of Student's t: P(|T| <= t) = level, df >= 1. */
double ur_student_t (double level, uint64_t df);

typedef struct { UrTime since, start; double level, area, max; } UrLevel;
void   ur_level_init (UrLevel *level, UrTime now, double value);
/* `now` is not before the last call, and within 292 years of it. */
static inline void ur_level_set (UrLevel *level, UrTime now, double value)
{
  level->area += level->level * (double) (int64_t) (now - level->since);
  level->since = now;
  level->level = value;
  level->max = MAX (level->max, value);
}
double ur_level_mean (const UrLevel *level, UrTime now);              /* time average from start to now */

#endif
