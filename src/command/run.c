/* uringsim run: one workload under one policy. */
#include "src/command/command.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include "src/output/decision_log.h"
#include "src/output/io_log.h"
#include "src/output/output_stream.h"

/* The log of a run that is over; nothing to do without one. */
static gboolean finish_log (DecisionLog *log, const RunSet *set, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (log && !decision_log_finish (log, run_set_interrupted (set), &cause)) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    return FALSE;
  }
  return TRUE;
}

static DecisionLog *open_log (const Options *options, const Scenario *scenario, SimulationSetup *setup, GError **error)
{
  g_autoptr (GError) cause = NULL;
  DecisionLog *log = decision_log_new (options->decisions, setup->policy, scenario->workload, &cause);

  if (!log) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    return NULL;
  }
  setup->decision = decision_log_add;
  setup->decision_data = log;
  return log;
}

/* FALSE: *ret_exit says how to leave. */
static gboolean open_io_log (const Options *options, const Scenario *scenario, unsigned reps, SimulationSetup *setup,
                             IoLog **ret_log, CommandExit *ret_exit, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const unsigned streams = scenario->workload->jobs->len;

  *ret_exit = EXIT_USAGE;
  if (reps > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--log: logs one run, found --reps %u", reps);
    return FALSE;
  }
  if (streams > IO_LOG_STREAMS_MAX) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--log: logs up to %u streams, found %u",
                 IO_LOG_STREAMS_MAX, streams);
    return FALSE;
  }
  if (!(*ret_log = io_log_new (options->log, streams, &cause))) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    *ret_exit = EXIT_IO;
    return FALSE;
  }
  setup->life = io_log_add;
  setup->life_data = *ret_log;
  return TRUE;
}

static gboolean finish_io_log (IoLog *log, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (log && !io_log_finish (log, &cause)) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    return FALSE;
  }
  return TRUE;
}

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
  SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], engine);
  const unsigned reps = options->reps ? options->reps : 1;
  g_autoptr (RunSet) set = run_set_new ();
  g_autoptr (DecisionLog) log = NULL;

  if (options->decisions && reps > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--decisions: logs one run, found --reps %u", reps);
    return EXIT_USAGE;
  }
  if (output_same_file (options->decisions, options->output)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--decisions: found the file of -o, expected another");
    return EXIT_USAGE;
  }
  if (options->decisions && engine >= 0 && engine != APPLICATION_IO_URING) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--decisions: only io_uring has a policy, found --engine %s",
                 application_engine_name ((ApplicationEngine) engine));
    return EXIT_USAGE;
  }
  if (options->decisions && !(log = open_log (options, scenario, &setup, error))) {
    return EXIT_IO;
  }
  g_autoptr (IoLog) io_log = NULL;
  CommandExit exit;

  if (options->log && !open_io_log (options, scenario, reps, &setup, &io_log, &exit, error)) {
    return exit;
  }
  run_set_add (set, &setup);
  if (!run_set_run (set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  if (!finish_log (log, set, error) || !finish_io_log (io_log, error)) {
    return EXIT_IO;
  }
  if (!run_set_result (set, 0)) {
    return EXIT_INTERRUPTED;
  }
  const ReportRun run = run_set_report (set, 0);
  return command_report (options, "run", scenario, set, reps, &run, 1, NULL, error);
}
