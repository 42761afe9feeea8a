/*
 * Everything a simulation needs, loaded as the options say: machine and device with their --set, file system, policies,
 * workload.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include "model/simulation.h"
#include "src/command/options.h"
#include "src/output/report.h"

typedef struct {
  Machine    *machine;
  FileSystem *file_system;
  Device     *device;
  GPtrArray  *policies;            /* of Policy */
  Workload   *workload;
  ReplayMode  replay;
} Scenario;

/* `replay`: what to do without --replay; -1: timed if the trace has times.  The errors are those of the readers.
 * (transfer full) */
Scenario *scenario_open (const Options *options, int replay, GError **error);
void      scenario_free (Scenario *scenario);       /* accepts NULL */

/* One run of it; `engine` is an ApplicationEngine or -1.  Borrows from scenario and options. */
SimulationSetup scenario_setup (const Scenario *scenario, const Options *options, const Policy *policy, int engine);

/* A machine, a device, with those changes of --set that are meant for it. (transfer full) */
Machine *scenario_load_machine (const char *name, const GPtrArray *set, GError **error);
Device  *scenario_load_device (const char *name, const GPtrArray *set, GError **error);

/* What a reader of the report must know about how the workload was taken, what the runs say themselves, and what the
 * model leaves out. (transfer full) (element-type utf8) */
GPtrArray *scenario_notes (const Scenario *scenario, const Options *options, const ReportRun *runs, unsigned n_runs);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Scenario, scenario_free)

#endif
