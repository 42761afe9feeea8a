/*
 * How far simulated rates are from measured ones: ratios to psync, errors, and which of two jobs is the faster.
 *
 * The machine of a measurement is not known well enough for absolute rates, so ratios are compared: to the reference
 * (fio, psync, randwrite 4k, one job, one file) of the same batch and file system.  Of several references the first
 * counts.  All of this is arithmetic on figures; nothing is simulated here.
 */
#ifndef RECORD_SCORE_H
#define RECORD_SCORE_H

#include "src/input/measurement.h"

/* p80 this much above p50: the machine was disturbed, or has two ways. */
#define RECORD_NOISY 1.1
/* Two rates of one file system differ if they are further apart than this. */
#define RECORD_PAIR 1.2
/* The best run this many times p80: the job is taken to have two modes. */
#define RECORD_BIMODAL 3.0

/* What a record says, and what the simulation says. */
typedef struct {
  const Measurement *record;
  gboolean simulated_known;         /* FALSE: not simulated; it takes part in nothing */
  double   simulated_iops;
} RecordPoint;

typedef struct {
  unsigned index;                   /* of the point */
  unsigned reference;               /* index of the reference's point */
  double   measured, simulated;     /* ratios */
  double   error;                   /* max (s/m, m/s) - 1; infinite if the simulation did nothing */
  gboolean noisy;
  /* A worker at depth 1 either shares a CPU with its submitter or does not: the usual run (p80) and the best run are
   * then two modes, and `measured` is the one that the simulation is nearer to. */
  gboolean bimodal;
  double   mode[2], mode_error[2];  /* p80's and the best run's */
} RecordScore;

typedef struct {
  unsigned n;
  double   median_error, p90_error; /* of n errors; p90: the smallest that 9 of 10 do not pass */
} RecordErrors;

typedef struct {
  GArray  *scores;                  /* of RecordScore, in the order of the points, references left out */
  RecordErrors all, steady;         /* steady: without noisy ones */
  unsigned references, unreferenced;    /* rows that are denominators; records of a batch without one, not scored */
  unsigned pairs, pairs_right;      /* same batch and file system, rates apart; the simulation has the same one first */
} RecordScores;

/* max (s/m, m/s) - 1 for positive m; infinite for s = 0. */
double       record_error (double measured, double simulated);
/* Median and 90th percentile; sorts `error`. */
RecordErrors record_errors (double *error, unsigned n);

RecordScores *record_scores_new (const RecordPoint *points, unsigned n);       /* (transfer full) */
void          record_scores_free (RecordScores *scores);        /* accepts NULL */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RecordScores, record_scores_free)

#endif
