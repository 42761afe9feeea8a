/*
 * The decision log: for each request that a policy decided about, which rule fired, what it saw, and what became of the
 * attempt.  Stands for nothing in the kernel but what io_queue_sqe() and io_queue_iowq() do with a request.
 *
 * A decision is made by policy_state_decide() and told when the attempt's verdict is known, before anybody else can
 * touch the request.  What was seen are the values of the variables that the rules asked for, in the order of
 * PolicyVariable; then those of the averages.
 */
#ifndef DECISION_H
#define DECISION_H

#include "model/policy.h"
#include "model/result.h"

#define DECISION_VALUES (POLICY_VARIABLE_COUNT + POLICY_AVERAGES_MAX)
G_STATIC_ASSERT ((int) DECISION_VALUES <= 64);

typedef struct {
  UrTime   time;
  unsigned stream; uint64_t number;     /* of the request: as in a trace */
  Io       io; gboolean direct, forced; /* forced: by SimulationSetup.other */
  const PolicyRule *rule;
  Outcome  outcome;                     /* as known then: a punted one may still fail */
  guint64  asked;                       /* bit per value that was looked at */
  double   value[DECISION_VALUES];
} Decision;

typedef void (*DecisionFn) (const Decision *decision, void *data);

/* The other choice for one request: this rule instead of the policy's. */
typedef struct { unsigned stream; uint64_t number; const PolicyRule *rule; } DecisionOther;

#endif
