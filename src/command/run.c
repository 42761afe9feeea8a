/* uringsim run: one workload under one policy. */
#include "src/command/command.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"

CommandExit command_run (const Options *options, GError **error)
{
  if (options->policies->len > 1 || options->engines->len > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s: run takes one, found %u; use compare",
                 options->policies->len > 1 ? "policy" : "engine",
                 options->policies->len > 1 ? options->policies->len : options->engines->len);
    return EXIT_USAGE;
  }
  g_autoptr (Scenario) scenario = scenario_open (options, -1, error);
  if (!scenario) {
    return EXIT_USAGE;
  }
  const int engine = options->engines->len ? (int) g_array_index (options->engines, ApplicationEngine, 0) : -1;
  const SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], engine);
  const unsigned reps = options->reps ? options->reps : 1;
  g_autoptr (RunSet) set = run_set_new ();

  run_set_add (set, &setup);
  if (!run_set_run (set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  if (!run_set_result (set, 0)) {
    return EXIT_INTERRUPTED;
  }
  const ReportRun run = run_set_report (set, 0);
  return command_report (options, "run", scenario, set, reps, &run, 1, error);
}
