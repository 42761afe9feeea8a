/* Loading experiments; see experiment_case.h. */
#include "src/command/experiment_case.h"

/* Ring= and Sqe= as --ring and --sqe. */
static gboolean apply_ring (const ExperimentRow *row, Workload *workload, GError **error)
{
  RingChoice choice;
  g_autofree char *word = NULL, *expected = NULL;

  if (!row->ring && !row->sqe) {
    return TRUE;
  }
  ring_choice_init (&choice);
  if ((row->ring && !ring_options_parse (&choice, row->ring, &word, &expected)) ||
      (row->sqe && !sqe_options_parse (&choice, row->sqe, &word, &expected))) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "Ring= or Sqe=: \"%s\": expected %s", word, expected);
    return FALSE;
  }
  ring_choice_apply (&choice, workload);
  return TRUE;
}

/* The row's Set=, then --set. (element-type utf8), borrowed strings. (transfer full) */
static GPtrArray *assignments (const ExperimentRow *row, const Options *options)
{
  GPtrArray *set = g_ptr_array_new ();

  for (char **assignment = row->set; *assignment; assignment++) {
    g_ptr_array_add (set, *assignment);
  }
  for (unsigned i = 0; i < options->set->len; i++) {
    g_ptr_array_add (set, options->set->pdata[i]);
  }
  return set;
}

static Workload *open_workload (const ExperimentRow *row, const Machine *machine, const Options *options,
                                GError **error)
{
  const char *paths[] = { row->workload_path, NULL };
  InputOptions input = options->input;
  Workload *workload;

  input.cpus = row->cpus ? row->cpus : machine->cpus;
  input.memory = machine->memory_size;
  input.iodepth = row->iodepth;
  input.cache = row->cache;
  input.engine = row->engine;
  workload = input_open (paths, &input, error);
  if (workload && !apply_ring (row, workload, error)) {
    g_clear_pointer (&workload, workload_free);
  }
  return workload;
}

static Scenario *open_scenario (const char *machine, const ExperimentRow *row, const Options *options, GError **error)
{
  g_autoptr (Scenario) scenario = g_new0 (Scenario, 1);
  g_autoptr (GPtrArray) set = assignments (row, options);
  Policy *policy;

  scenario->policies = g_ptr_array_new_with_free_func ((GDestroyNotify) policy_free);
  scenario->replay = REPLAY_CLOSED;
  scenario->machine = scenario_load_machine (machine, set, error);
  scenario->device =
      scenario->machine ? scenario_load_device (row->device ? row->device : OPTIONS_DEFAULT_DEVICE, set, error) : NULL;
  if (!scenario->device) {
    return NULL;
  }
  scenario->file_system = file_system_load (row->fs, error);
  policy = scenario->file_system ? policy_load (row->policy, error) : NULL;
  if (!policy) {
    return NULL;
  }
  g_ptr_array_add (scenario->policies, policy);
  scenario->workload = open_workload (row, scenario->machine, options, error);
  return scenario->workload ? g_steal_pointer (&scenario) : NULL;
}

ExperimentCase *experiment_case_open (const char *name, const Options *options, GError **error)
{
  g_autoptr (ExperimentCase) item = g_new0 (ExperimentCase, 1);

  item->experiment = experiment_load (name, error);
  if (!item->experiment) {
    return NULL;
  }
  item->scenarios = g_new0 (Scenario *, item->experiment->n_rows);
  for (unsigned i = 0; i < item->experiment->n_rows; i++) {
    const ExperimentRow *row = &item->experiment->rows[i];

    item->scenarios[i] = open_scenario (item->experiment->machine, row, options, error);
    if (!item->scenarios[i]) {
      g_prefix_error (error, "%s: row %s: ", item->experiment->path, row->name);
      return NULL;
    }
  }
  return g_steal_pointer (&item);
}

void experiment_case_free (ExperimentCase *item)
{
  if (!item) {
    return;
  }
  for (unsigned i = 0; item->scenarios && i < item->experiment->n_rows; i++) {
    scenario_free (item->scenarios[i]);
  }
  g_free (item->scenarios);
  experiment_free (item->experiment);
  g_free (item);
}

SimulationSetup experiment_case_setup (const ExperimentCase *item, unsigned row, const Options *options,
                                       const Machine *machine)
{
  const ExperimentRow *from = &item->experiment->rows[row];
  const Scenario *scenario = item->scenarios[row];
  SimulationSetup setup = scenario_setup (scenario, options, scenario->policies->pdata[0], from->engine);

  setup.machine = machine ? machine : setup.machine;
  setup.kernel = from->kernel;
  setup.cpus = from->cpus;
  setup.sqpoll = from->sqpoll;
  setup.cache = from->cache;
  setup.iodepth = from->iodepth;
  setup.limit_ios = from->ios;
  setup.limit_time = from->runtime;
  setup.fio_version = from->fio_version;
  return setup;
}
