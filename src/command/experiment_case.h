/*
 * A shipped experiment with everything its rows need, loaded, and the setup of a run of each row.
 */
#ifndef EXPERIMENT_CASE_H
#define EXPERIMENT_CASE_H

#include "model/experiment.h"
#include "model/simulation.h"
#include "src/command/options.h"
#include "src/command/scenario.h"

typedef struct {
  Experiment *experiment;
  Scenario **scenarios;            /* one a row, each with one policy; its machine and device with Set= applied */
} ExperimentCase;

/* Loads an experiment by name or path, with --set of the options over its own Set=.  Errors name the file and row.
 * (transfer full) */
ExperimentCase *experiment_case_open (const char *name, const Options *options, GError **error);
void            experiment_case_free (ExperimentCase *item);        /* accepts NULL */
/* One run of a row; `machine`: instead of the row's own, NULL for that.  Borrows from the case and the machine. */
SimulationSetup experiment_case_setup (const ExperimentCase *item, unsigned row, const Options *options,
                                       const Machine *machine);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ExperimentCase, experiment_case_free)

#endif
