/*
 * Graphs of what the program knows, as DOT text for Graphviz.  They say everything in shapes, line styles and words, nothing
 * in colours.
 */
#ifndef DRAW_H
#define DRAW_H

#include "model/policy.h"
#include "model/result.h"

/* The rules in force in the order in which they are tried: condition, attempt, what follows it, and the queues with
 * their limits; each with the place it comes from. (transfer full) */
char *draw_policy (const Policy *policy);

/* What became of the requests of a run: every state by outcome class, and the steps between them.  `name`: of the graph. (transfer
 * full) */
char *draw_flow (const char *name, const RunResult *result);

#endif
