/*
 * How busy a task or a CPU was lately: per-entity load tracking, the running part.
 *
 * A share of one CPU that halves every 32 ms: 1 for who has always run, 0 for who never has.  A CPU's figure is that
 * of the tasks that ran there and have not gone elsewhere; a task takes its own along when it moves.  Stands for
 * util_avg of kernel/sched/pelt.c, attach_entity_load_avg(), detach_entity_load_avg() and post_init_entity_util_avg()
 * of kernel/sched/fair.c.  Left out: periods of 1024 us (here time is continuous), the clock that stops in interrupts.
 */
#ifndef PELT_H
#define PELT_H

#include "src/engine/engine.h"
#include <glib.h>

#define PELT_HALF_LIFE (32 * UR_MS)

typedef struct {
  double util;          /* at `at`; of a CPU it may exceed 1 when tasks join it */
  UrTime at;
} Pelt;

/* Lets the time up to `now` (not before `at`) pass, all of it running or none. */
void   pelt_update (Pelt *pelt, UrTime now, gboolean running);
/* The share at `now`, if nothing has run since. */
double pelt_util (const Pelt *pelt, UrTime now);
/* `ns` of the time that passed as idle was run time after all. */
void   pelt_credit (Pelt *pelt, UrTime ns);
/* A task leaves one CPU for another: both CPUs' figures are up to date. */
void   pelt_move (const Pelt *task, Pelt *from, Pelt *to, UrTime now);
/* A new task starts on a CPU: it is taken to need half of what is left there. */
void   pelt_fork (Pelt *task, Pelt *cpu, UrTime now);

#endif
