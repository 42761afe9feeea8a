/* See pelt.h.  Stands for kernel/sched/pelt.c. */
#include "model/pelt.h"

#include "src/engine/portable_math.h"

#define LN_2 0.69314718055994530942

/* What is left of a share after `ns` in which nothing ran. */
static double remaining (UrTime ns) { return ur_exp (-LN_2 * (double) ns / (double) PELT_HALF_LIFE); }

void pelt_update (Pelt *pelt, UrTime now, gboolean running)
{
  double target = running ? 1 : 0;

  if (now == pelt->at)
    return;
  pelt->util = target + (pelt->util - target) * remaining (now - pelt->at);
  pelt->at = now;
}

double pelt_util (const Pelt *pelt, UrTime now) { return pelt->util * remaining (now - pelt->at); }

void pelt_credit (Pelt *pelt, UrTime ns) { pelt->util += 1 - remaining (ns); }

void pelt_move (const Pelt *task, Pelt *from, Pelt *to, UrTime now)
{
  double util = pelt_util (task, now);

  from->util = MAX (from->util - util, 0);
  to->util += util;
}

void pelt_fork (Pelt *task, Pelt *cpu, UrTime now)
{
  task->util = MAX (1 - cpu->util, 0) / 2;
  task->at = now;
  cpu->util += task->util;
}
