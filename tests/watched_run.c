/* See watched_run.h. */
#include "tests/watched_run.h"

#include "model/collect.h"
#include "model/cpu.h"

/* How far the clock moves between two looks at the machine. */
#define STEP UR_MS

gboolean words_run_open (WordsRun *run, const char *const *words, GError **error)
{
  int n = (int) g_strv_length ((char **) words);

  *run = (WordsRun){ .options = options_parse (USER_RUN, n, (char **) words, error) };
  if (run->options)
    run->scenario = scenario_open (run->options, -1, error);
  if (run->scenario)
    run->setup = scenario_setup (
        run->scenario, run->options, run->scenario->policies->pdata[0],
        run->options->engines->len ? (int) g_array_index (run->options->engines, ApplicationEngine, 0) : -1);
  return run->scenario != NULL;
}

gboolean words_run_open_random (WordsRun *words, const RandomRun *run, const char *directory, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);

  *words = (WordsRun){ .options = NULL };
  if (!random_run_write (run, directory, error))
    return FALSE;
  for (unsigned i = 0; i < run->words->len; i++)
    g_ptr_array_add (list, g_strdup (run->words->pdata[i]));
  for (unsigned i = 0; i < run->inputs->len; i++)
    g_ptr_array_add (list, g_build_filename (directory, ((const RandomInput *) run->inputs->pdata[i])->name, NULL));
  g_ptr_array_add (list, NULL);
  return words_run_open (words, (const char *const *) list->pdata, error);
}

void words_run_clear (WordsRun *run)
{
  scenario_free (run->scenario);
  options_free (run->options);
}

void witness_init (Witness *witness) { *witness = (Witness){ .seen = g_array_new (FALSE, FALSE, sizeof (Seen)) }; }

void witness_clear (Witness *witness) { g_array_unref (witness->seen); }

static void witness_hear (const TraceEvent *event, void *data)
{
  Witness *witness = data;
  const Application *application;

  witness->count[event->kind]++;
  if (event->kind != TRACE_COMPLETE)
    return;
  application = g_ptr_array_index (witness->sim->applications, event->application);
  for (unsigned i = 0; i < application->iodepth; i++) {
    const Request *request = &application->slots[i];

    if (request->number == event->request && request->time.prepared) {
      Seen seen = { event->application, request->io.file, request->bucket,  request->number,
                    request->io.op,     request->hashed,  request->outcome, request->time };

      g_array_append_val (witness->seen, seen);
    }
  }
}

static gboolean all_idle (const Simulation *sim)
{
  for (unsigned i = 0; i < sim->n_cpus; i++)
    if (sim->cpus[i].current)
      return FALSE;
  return TRUE;
}

/* Starts the first stonewall group that there is. */
static void start_first_group (Simulation *sim)
{
  unsigned first = G_MAXUINT;

  for (unsigned i = 0; i < sim->applications->len; i++)
    first = MIN (first, ((const Application *) g_ptr_array_index (sim->applications, i))->job->group);
  for (unsigned i = 0; i < sim->applications->len; i++) {
    Application *application = g_ptr_array_index (sim->applications, i);

    if (application->job->group == first)
      application_start (application);
  }
  sim->group = first + 1;
}

RunResult *run_watched (const SimulationSetup *plain, Witness *witness, GError **error)
{
  SimulationSetup setup = *plain;
  RunResult *result = NULL;
  Simulation *sim;

  setup.trace = witness_hear;
  setup.trace_data = witness;
  sim = witness->sim = sim_new (&setup, error);
  if (!sim)
    return NULL;
  start_first_group (sim);
  while (!sim->error && !sim->ended) {
    UrTime now = sim_now (sim), next = ur_engine_next (sim->engine);

    if (sim->count.in_flight.level > 0 && all_idle (sim) && next > now && next - now > witness->quiet) {
      witness->quiet = next - now;
      witness->quiet_at = now;
    }
    if (next == UR_TIME_NEVER || next > 100 * UR_S) {
      sim_fail (sim, g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_DEADLOCK,
                                  "nothing goes on from %" G_GUINT64_FORMAT " ns", now));
      break;
    }
    ur_engine_run (sim->engine, MAX (next, now + STEP));
  }
  if (!sim->error) {
    cpus_settle (sim);
    sim_check (sim);
  }
  if (sim->error)
    g_propagate_error (error, g_steal_pointer (&sim->error));
  else
    result = sim_collect (sim, FALSE);
  sim_free (sim);
  return result;
}
