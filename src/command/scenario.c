/* Loading what a simulation needs; see scenario.h. */
#include "src/command/scenario.h"
#include "src/output/escape.h"
#include "src/output/format.h"

Machine *scenario_load_machine (const char *name, const GPtrArray *set, GError **error)
{
  Machine *machine = machine_load (name, error);

  for (unsigned i = 0; machine && i < set->len; i++) {
    if (!device_has_group (set->pdata[i]) && !machine_set (machine, set->pdata[i], error)) {
      g_clear_pointer (&machine, machine_free);
    }
  }
  return machine;
}

Device *scenario_load_device (const char *name, const GPtrArray *set, GError **error)
{
  Device *device = device_load (name, error);

  for (unsigned i = 0; device && i < set->len; i++) {
    if (device_has_group (set->pdata[i]) && !device_set (device, set->pdata[i], error)) {
      g_clear_pointer (&device, device_free);
    }
  }
  return device;
}

static gboolean load_policies (Scenario *scenario, const Options *options, GError **error)
{
  for (unsigned i = 0; i < options->policies->len; i++) {
    Policy *policy = policy_load (options->policies->pdata[i], error);
    if (!policy) {
      return FALSE;
    }
    g_ptr_array_add (scenario->policies, policy);
  }
  return TRUE;
}

static gboolean load_workload (Scenario *scenario, const Options *options, int replay, GError **error)
{
  InputOptions input = options->input;
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  if (!options->arguments->len) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                 "no input given, expected fio job files or iologs, or \"-\" for standard input");
    return FALSE;
  }
  for (unsigned i = 0; i < options->arguments->len; i++) {
    const char *path = options->arguments->pdata[i];
    if (g_str_has_suffix (path, ".policy")) {
      g_autofree char *shown = escape_text_short (path, -1, 200);
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS,
                   "%s: found a policy, expected a workload; a policy is given by --policy", shown);
      return FALSE;
    }
    g_ptr_array_add (paths, (char *) path);
  }
  g_ptr_array_add (paths, NULL);
  input.engine = options->engines->len == 1 ? (int) g_array_index (options->engines, ApplicationEngine, 0) : -1;
  input.iodepth = options->iodepth;
  input.cache = options->cache;
  input.replay = options->replay;
  input.cpus = options->cpus ? options->cpus : scenario->machine->cpus;
  input.memory = scenario->machine->memory_size;
  scenario->workload = input_open ((const char *const *) paths->pdata, &input, error);
  if (!scenario->workload) {
    return FALSE;
  }
  ring_choice_apply (&options->ring, scenario->workload);
  if (options->replay == REPLAY_TIMED && !scenario->workload->has_times) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                 "--replay timed: the input has no arrival times, expected an iolog "
                 "version 3 or \"wait\" lines; use --replay closed");
    return FALSE;
  }
  scenario->replay = options->replay >= 0            ? (ReplayMode) options->replay
                     : replay >= 0                   ? (ReplayMode) replay
                     : scenario->workload->has_times ? REPLAY_TIMED
                                                     : scenario->workload->replay;
  return TRUE;
}

Scenario *scenario_open (const Options *options, int replay, GError **error)
{
  g_autoptr (Scenario) scenario = g_new0 (Scenario, 1);

  scenario->policies = g_ptr_array_new_with_free_func ((GDestroyNotify) policy_free);
  scenario->machine = scenario_load_machine (options->machine, options->set, error);
  scenario->device = scenario->machine ? scenario_load_device (options->device, options->set, error) : NULL;
  if (!scenario->device) {
    return NULL;
  }
  scenario->file_system = file_system_load (options->fs, error);
  if (!scenario->file_system || !load_policies (scenario, options, error) ||
      !load_workload (scenario, options, replay, error)) {
    return NULL;
  }
  return g_steal_pointer (&scenario);
}

void scenario_free (Scenario *scenario)
{
  if (!scenario) {
    return;
  }
  workload_free (scenario->workload);
  g_ptr_array_unref (scenario->policies);
  g_clear_pointer (&scenario->file_system, file_system_free);
  g_clear_pointer (&scenario->machine, machine_free);
  g_clear_pointer (&scenario->device, device_free);
  g_free (scenario);
}

SimulationSetup scenario_setup (const Scenario *scenario, const Options *options, const Policy *policy, int engine)
{
  return (SimulationSetup){
    .workload = scenario->workload,
    .policy = policy,
    .machine = scenario->machine,
    .file_system = scenario->file_system,
    .device = scenario->device,
    .kernel = options->kernel,
    .fio_version = options->fio_version,
    .engine = engine,
    .cpus = options->cpus,
    .iodepth = options->iodepth,
    .sqpoll = options->sqpoll,
    .cache = options->cache,
    .replay = scenario->replay,
    .seed = options->seed,
    .limit_ios = options->limit_ios,
    .limit_time = options->simulate_time,
  };
}
