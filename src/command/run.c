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
  g_autoptr (GPtrArray) notes = scenario_notes (scenario, options, &run, 1);
  const Report report = {
    .command = "run",
    .seed = options->seed,
    .reps = reps,
    .workload = scenario->workload,
    .machine = scenario->machine,
    .replay = scenario->replay,
    .notes = notes,
    .timing = options->timing,
    .interrupted = run_set_interrupted (set),
    .n_runs = 1,
    .runs = &run,
  };
  g_autofree char *text = options->format == FORMAT_JSON ? json_report (&report) : text_report (&report);
  if (!command_output (options, text, error)) {
    return EXIT_IO;
  }
  return report.interrupted ? EXIT_INTERRUPTED : EXIT_DONE;
}
