/* uringsim run: one workload under one policy. */
#include "src/command/command.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include "src/output/decision_log.h"
#include "src/output/event_log.h"
#include "src/output/format.h"
#include "src/output/io_log.h"
#include "src/output/output_stream.h"

#include <string.h>

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

/* Who wants to hear of requests; either may be NULL. */
typedef struct {
  EventLog *events;
  IoLog *io_log;
} Listeners;

static void tell (const RequestLife *life, void *data)
{
  const Listeners *listeners = data;

  if (listeners->events) {
    event_log_add_life (life, listeners->events);
  }
  if (listeners->io_log) {
    io_log_add (life, listeners->io_log);
  }
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

/* --events: told of all that happens. */
static EventLog *open_events (const Options *options, const Scenario *scenario, SimulationSetup *setup, GError **error)
{
  g_autoptr (GError) cause = NULL;
  const EventLogOptions how = {
    .format = options->events_as >= 0                       ? (EventLogFormat) options->events_as
              : g_str_has_suffix (options->events, ".json") ? EVENT_LOG_CHROME
                                                            : EVENT_LOG_FTRACE,
    .from = options->events_from,
    .until = options->events_until,
    .limit = (uint64_t) options->events_limit << 20,
  };
  EventLog *log = event_log_new (options->events, &how, scenario->workload, &cause);

  if (!log) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    return NULL;
  }
  setup->trace = event_log_add;
  setup->trace_data = log;
  return log;
}

static gboolean finish_events (EventLog *log, const RunSet *set, GError **error)
{
  g_autoptr (GError) cause = NULL;
  RunResult *result = run_set_result (set, 0);
  UrTime cut;

  if (!log || !result) {
    return TRUE;
  }
  if (!event_log_finish (log, result, &cut, &cause)) {
    g_set_error_literal (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, cause->message);
    return FALSE;
  }
  if (cut) {
    g_autofree char *when = format_time ((double) cut);

    g_ptr_array_add (result->notes,
                     g_strdup_printf ("The file of --events was cut: events from %s on are not all in it; see "
                                      "--events-limit, --events-from and --events-until",
                                      when));
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
  g_autoptr (EventLog) events = NULL;

  if (options->events && reps > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--events: of one run, found --reps %u", reps);
    return EXIT_USAGE;
  }
  if (output_same_file (options->events, options->output) || output_same_file (options->events, options->decisions)) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--events: found the file of another option, expected another");
    return EXIT_USAGE;
  }
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
  if (options->events && !(events = open_events (options, scenario, &setup, error))) {
    return EXIT_IO;
  }
  Listeners listeners = { events, io_log };

  if (events || io_log) {
    setup.life = tell;
    setup.life_data = &listeners;
  }
  run_set_add (set, &setup);
  if (!run_set_run (set, options->seed, reps, options->threads, !options->quiet, error)) {
    return EXIT_INTERNAL;
  }
  if (!finish_log (log, set, error) || !finish_io_log (io_log, error) || !finish_events (events, set, error)) {
    return EXIT_IO;
  }
  if (!run_set_result (set, 0)) {
    return EXIT_INTERRUPTED;
  }
  const ReportRun run = run_set_report (set, 0);
  return command_report (options, "run", scenario, set, reps, &run, 1, NULL, error);
}
