/*
 * uringsim explain: the life of single requests in sentences.  Runs the workload once and keeps the lives that were
 * asked for, no more.
 */
#include "src/command/command.h"
#include "src/command/interrupt.h"
#include "src/command/scenario.h"
#include "src/output/explain.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_FIRST = 3 };

/* Lives that are kept: at most `limit`, the first ones or the slowest ones. */
typedef struct {
  GArray *lives; /* of ExplainedLife */
  unsigned limit;
  gboolean slowest, punted;
  gboolean one;
  uint64_t number; /* of each stream, if `one` */
  uint64_t seen;
} Keeper;

static UrTime latency (const ExplainedLife *life) { return life->life.time.reaped - life->life.time.prepared; }

/* The place of the quickest of those that are kept: the last one among equals. */
static unsigned quickest (const GArray *lives)
{
  unsigned at = 0;

  for (unsigned i = 1; i < lives->len; i++) {
    if (latency (&g_array_index (lives, ExplainedLife, i)) <= latency (&g_array_index (lives, ExplainedLife, at))) {
      at = i;
    }
  }
  return at;
}

static void keep (const RequestLife *life, void *data)
{
  Keeper *keeper = data;
  ExplainedLife copy = { .life = *life };

  if ((keeper->punted && !life->time.queued) || (keeper->one && life->number != keeper->number)) {
    return;
  }
  keeper->seen++;
  g_strlcpy (copy.executor_name, life->executor_name ? life->executor_name : "", sizeof copy.executor_name);
  copy.life.executor_name = NULL;
  if (keeper->lives->len < keeper->limit) {
    g_array_append_val (keeper->lives, copy);
  } else if (keeper->slowest) {
    const unsigned at = quickest (keeper->lives);

    if (latency (&copy) > latency (&g_array_index (keeper->lives, ExplainedLife, at))) {
      g_array_remove_index (keeper->lives, at);
      g_array_append_val (keeper->lives, copy);
    }
  }
}

static int by_latency (gconstpointer a, gconstpointer b)
{
  const ExplainedLife *left = a, *right = b;
  const UrTime l = latency (left), r = latency (right);

  return l != r ? (l < r) - (l > r)
                : (left->life.number > right->life.number) - (left->life.number < right->life.number);
}

/* As they begin. */
static int by_time (gconstpointer a, gconstpointer b)
{
  const RequestLife *left = &((const ExplainedLife *) a)->life, *right = &((const ExplainedLife *) b)->life;

  if (left->time.prepared != right->time.prepared) {
    return left->time.prepared < right->time.prepared ? -1 : 1;
  }
  return left->stream != right->stream ? (left->stream < right->stream ? -1 : 1)
                                       : (left->number > right->number) - (left->number < right->number);
}

static gboolean open_keeper (const Options *options, Keeper *keeper, GError **error)
{
  const unsigned given = (options->request != G_MAXUINT64) + (options->first != 0) + (options->slowest != 0);

  if (given > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--request, --first and --slowest: expected one of them");
    return FALSE;
  }
  if (options->step && options->format != FORMAT_TEXT) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--step walks through text, found --format json");
    return FALSE;
  }
  keeper->one = options->request != G_MAXUINT64;
  keeper->number = options->request;
  keeper->slowest = options->slowest != 0;
  keeper->punted = options->punted;
  keeper->limit = keeper->one       ? 64
                  : keeper->slowest ? options->slowest
                  : options->first  ? options->first
                                    : DEFAULT_FIRST;
  keeper->lives = g_array_new (FALSE, FALSE, sizeof (ExplainedLife));
  return TRUE;
}

/* A line of the text at a time, as long as somebody presses return. */
static void walk (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  char answer[16];

  for (char **line = lines; *line; line++) {
    fputs (*line, stdout);
    fflush (stdout);
    if (!line[1] || !line[1][0] || line[1][0] == ' ' || strspn (line[1], "0123456789 ") == 0) {
      fputc ('\n', stdout);
      continue;
    }
    if (!fgets (answer, sizeof answer, stdin) || answer[0] == 'q') {
      return;
    }
  }
}

static CommandExit print (const Options *options, Keeper *keeper, const ExplainContext *context,
                          const RunResult *result, GError **error)
{
  const ExplainedLife *lives = (const ExplainedLife *) (gpointer) keeper->lives->data;

  g_array_sort (keeper->lives, keeper->slowest ? by_latency : by_time);
  if (options->format == FORMAT_JSON) {
    g_autofree char *json = explain_json (lives, keeper->lives->len, context);

    return command_output (options, json, error) ? EXIT_DONE : EXIT_IO;
  }
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "%s, kernel %u.%u, %s on %s, machine %s; time stamps in us since the request began\n\n",
                          result->policy, KERNEL_MAJOR (result->kernel), KERNEL_MINOR (result->kernel), result->engine,
                          result->fs, result->machine);
  for (unsigned i = 0; i < keeper->lives->len; i++) {
    g_autofree char *text = explain_text (&lives[i], context);

    g_string_append_printf (out, "%s%s", i ? "\n" : "", text);
  }
  if (!keeper->lives->len) {
    g_string_append (out, "No request is of that kind.\n");
  }
  g_autofree char *text = g_string_free (out, FALSE);

  if (options->step && isatty (STDIN_FILENO) && isatty (STDOUT_FILENO) && !options->output) {
    walk (text);
    return EXIT_DONE;
  }
  return command_output (options, text, error) ? keeper->lives->len ? EXIT_DONE : EXIT_NEGATIVE : EXIT_IO;
}

CommandExit command_explain (const Options *options, GError **error)
{
  Keeper keeper = { .lives = NULL };

  if (options->policies->len > 1 || options->engines->len > 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--%s: explain takes one, found %u",
                 options->policies->len > 1 ? "policy" : "engine",
                 options->policies->len > 1 ? options->policies->len : options->engines->len);
    return EXIT_USAGE;
  }
  g_autoptr (Scenario) scenario = scenario_open (options, REPLAY_CLOSED, error);
  if (!scenario || !open_keeper (options, &keeper, error)) {
    return EXIT_USAGE;
  }
  g_autoptr (GArray) lives = keeper.lives;
  const int engine = options->engines->len ? (int) g_array_index (options->engines, ApplicationEngine, 0) : -1;
  SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], engine);

  setup.seed = options->seed;
  setup.life = keep;
  setup.life_data = &keeper;
  setup.interrupt = interrupt_flag ();
  interrupt_install ();
  RunResult *result = simulation_run (&setup, error);
  if (!result) {
    return EXIT_INTERNAL;
  }
  const ExplainContext context = { .workload = scenario->workload,
                                   .policy = setup.policy,
                                   .fs = scenario->file_system->name,
                                   .kernel = result->kernel,
                                   .verbose = options->verbose };
  const CommandExit status = print (options, &keeper, &context, result, error);
  const gboolean interrupted = result->interrupted;

  run_result_free (result);
  return status == EXIT_DONE && interrupted ? EXIT_INTERRUPTED : status;
}
