/*
 * Regret: what the decisions of each rule lost against the other choice.
 *
 * A sampled decision is taken the other way in a second run that is otherwise the same; what the whole run then takes
 * less is what the decision cost.  One flip also shuffles the luck of all that follows, so single differences are
 * noisy, and the mean over many of one rule, with its confidence interval, is what counts.
 */
#ifndef REGRET_H
#define REGRET_H

#include "model/policy.h"
#include "model/result.h"
#include "src/output/report.h"

typedef struct {
  const PolicyRule *rule;
  gboolean inline_done;             /* what the rule did: done in the submitter, and the other choice is a queue; else it
                                     * was queued or failed, and the other choice is to do it there, blocking */
  uint64_t decisions;               /* of this kind in the run */
  ReportEstimate time_ns;           /* lost per decision: run time of the policy less that of the other choice */
  ReportEstimate latency_ns;        /* likewise the sum of all latencies */
} RegretRow;

typedef struct {
  const Policy *policy;
  const char *engine;
  uint64_t ios;                     /* of the run that was looked at */
  uint64_t one_way;                 /* decisions for which there is no other choice: no queue, or asynchronous */
  GArray *rows;                     /* of RegretRow, worst first */
} RegretPolicy;

typedef struct {
  uint64_t seed;
  unsigned samples;                 /* at most, of each policy */
  unsigned horizon;                 /* I/Os that a run goes on after the decision */
  unsigned n; const RegretPolicy *policies;
  gboolean interrupted;
} Regret;

char *text_regret (const Regret *regret);       /* (transfer full) */
char *json_regret (const Regret *regret);       /* (transfer full) */
/* "bad", "good" or "-": the interval lies above 0, below it, or holds it. */
const char *regret_verdict (const RegretRow *row);

#endif
