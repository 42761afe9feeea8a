/* The end of a run: its checks and its result.  Stands for nothing in a kernel. */
#ifndef COLLECT_H
#define COLLECT_H

#include "model/sim.h"

void       result_op_init (ResultOp *op);
/* The books must balance: sets sim->error (SIMULATION_ERROR_CHECK) if they do not.
 * Submitted = sum of outcomes, every CQE reaped, no lock held, Little's law, CPU time adds up. */
void       sim_check (Simulation *sim);
/* (transfer full) */
RunResult *sim_collect (Simulation *sim, gboolean interrupted);

#endif
