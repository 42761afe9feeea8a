/*
 * The verdict of a comparison: who is faster, by how much, why, at what price.  Arithmetic over results; see
 * uringsim-compare(1) for what it rests on.
 *
 * The time an I/O takes at full throughput, 1 / IOPS, is split by what the server in front of which requests pile up
 * does meanwhile: by Little's law the stage in which most requests wait names that server.  The cause is the part of
 * this time that shrinks most from the slower run to the faster one.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "src/command/run_set.h"
#include "src/command/scenario.h"

/* What the figures depend on besides the runs. */
typedef struct {
  double kappa;                     /* of the machine: Locks.HoldPerContender */
  double paced_depth;               /* requests that may be in flight, if the workload has a pace of its own (timed replay, rate,
                                     * thinking times); 0: it has none */
} VerdictConditions;
VerdictConditions verdict_conditions (const Scenario *scenario, const Options *options);

/* What binds a run and where its time goes.  Zero everywhere if it did nothing. */
Operation verdict_operation (const RunResult *result, const VerdictConditions *conditions);

/* One for each run. (transfer full: g_free()) */
Operation *verdict_operations (const ReportRun *runs, unsigned n_runs, const VerdictConditions *conditions);

/* Compares the fastest row that was asked for with the first one (if that is the fastest: with the next fastest; if there
 * is one row only: with the added baseline).  `rows`: the index in the set of each run.  FALSE if there is nothing to
 * compare. */
gboolean verdict_find (const RunSet *set, const ReportRun *runs, const unsigned *rows, unsigned n_runs,
                       const VerdictConditions *conditions, ReportVerdict *ret_verdict);

#endif
