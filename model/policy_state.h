/*
 * What the conditions of a policy's rules see at the moment of the decision: the request, its file, the
 * ring, the queues, the machine (model/policy.h names the variables).
 */
#ifndef POLICY_STATE_H
#define POLICY_STATE_H

#include "model/ring.h"
#include "model/uringsim-policy.h"

typedef struct {
  Ring *ring;
  const Request *request;
  unsigned remaining;                   /* sqes of the batch that follow */
} PolicyState;

/* What is given to the open() of a plug-in. */
extern const uringsim_host policy_plugin_host;

/* Notes what is true of all requests of the simulation. */
void policy_state_init (Simulation *sim);

/* A PolicyLookup; `state` is a PolicyState. */
double policy_state_lookup (PolicyVariable variable, void *state);
/* Takes a sample for each average of the policy, then finds the rule; of a logged run the decision is kept in the ring
 * until policy_state_told(). */
const PolicyRule *policy_state_decide (PolicyState *state);
/* What became of the request in its attempt is known: request->outcome is set. */
void policy_state_tell (Ring *ring, const Request *request);
static inline void policy_state_told (Ring *ring, const Request *request)
{
  if (G_UNLIKELY (ring->decided == request))
    policy_state_tell (ring, request);
}

#endif
