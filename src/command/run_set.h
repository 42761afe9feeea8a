/*
 * A set of simulations: rows (what differs) times seeds (luck), spread over threads.
 *
 * Results depend on rows and seeds only, never on the number of threads or on which run ends first.  Of each row the
 * result with the first seed is kept whole; of the others only a sample of a few figures.
 */
#ifndef RUN_SET_H
#define RUN_SET_H

#include "model/simulation.h"
#include "src/output/report.h"

typedef struct RunSet RunSet;

/* (transfer full) */
RunSet *run_set_new (void);
void    run_set_free (RunSet *set);            /* accepts NULL; results go with it */
/* Adds a row and returns its index.  What `setup` points to is borrowed until the set is freed; its seed, interrupt and
 * progress fields are overwritten. */
unsigned run_set_add (RunSet *set, const SimulationSetup *setup);
/* The locks of METRIC_CPU_SHARE_CONTENTION of a row, see metric_of(); borrowed until the set is freed. */
void     run_set_watch_lock (RunSet *set, unsigned row, const char *lock);

/* Runs every row with the seeds seed .. seed + reps - 1.  `progress`: a line on stderr while it lasts, if that is a
 * terminal.  FALSE with the error of the first run (in row and seed order) that failed.  If interrupted (SIGINT,
 * SIGTERM), rows whose first run did not start have no result. */
gboolean run_set_run (RunSet *set, uint64_t seed, unsigned reps, unsigned threads, gboolean progress, GError **error);

unsigned   run_set_rows (const RunSet *set);
/* (nullable) (transfer none) */
RunResult *run_set_result (const RunSet *set, unsigned row);
gboolean   run_set_interrupted (const RunSet *set);
/* The result and the metrics of a row; the ratio is left empty. */
ReportRun  run_set_report (const RunSet *set, unsigned row);
/* Ratio of the rows' IOPS, paired by seed: mean and 95 % half width over the seeds. */
ReportEstimate run_set_ratio (const RunSet *set, unsigned numerator, unsigned denominator);
/* A sum over rows of one metric. */
typedef struct { const unsigned *rows; unsigned n; Metric metric; } RunSetSum;
/* One sum by another, or `above` alone if `below` has no rows, over the seeds as above. */
ReportEstimate run_set_quotient (const RunSet *set, RunSetSum above, RunSetSum below);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RunSet, run_set_free)

#endif
