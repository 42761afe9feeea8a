/* Measured results as simulations; see record_scenario.h. */
#include "src/command/record_scenario.h"
#include "src/command/scenario.h"
#include "src/input/measurement_workload.h"

/* One look at the clock before a request and one after it: 23 to 27 ns each on the machine of the records. */
enum { WQ_CLOCK_NS = 25 };

struct RecordBench {
  const GPtrArray *records; /* of Measurement */
  RecordConditions conditions;
  Policy *policy;
  Device *device;
  GPtrArray *file_systems; /* of FileSystem */
  GPtrArray *workloads;    /* of Workload, by index */
  unsigned *file_system;   /* by index, into file_systems */
};

void record_conditions_init (RecordConditions *conditions)
{
  *conditions = (RecordConditions){
    .policy = OPTIONS_DEFAULT_POLICY,
    .device = OPTIONS_CAPTURE_DEVICE,
    .cache = CACHE_DIRTY,
    .limit_ios = RECORD_DEFAULT_IOS,
  };
}

/* Index of the file system, loaded if it is new; -1 with error set. */
static int find_file_system (RecordBench *bench, const char *name, GError **error)
{
  for (unsigned i = 0; i < bench->file_systems->len; i++) {
    if (g_str_equal (((const FileSystem *) bench->file_systems->pdata[i])->name, name)) {
      return (int) i;
    }
  }
  FileSystem *loaded = file_system_load (name, error);
  if (!loaded) {
    return -1;
  }
  g_ptr_array_add (bench->file_systems, loaded);
  return (int) bench->file_systems->len - 1;
}

/* Leaves the jobs of one group, which then is the first. */
static void keep_group (Workload *workload, unsigned group)
{
  for (unsigned i = workload->jobs->len; i > 0; i--) {
    WorkloadJob *job = workload->jobs->pdata[i - 1];
    if (job->group == group) {
      job->group = 0;
    } else {
      g_ptr_array_remove_index (workload->jobs, i - 1);
    }
  }
}

/* The jobs of a file that ran in the index-th group of the result; it has as many. */
static Workload *open_job_file (const RecordBench *bench, unsigned index, GError **error)
{
  const char *paths[] = { bench->conditions.job, NULL };
  InputOptions input;
  unsigned groups = 0;

  input_options_init (&input);
  input.cpus = bench->conditions.cpus;
  input.cache = bench->conditions.cache;
  Workload *workload = input_open (paths, &input, error);
  for (unsigned i = 0; workload && i < workload->jobs->len; i++) {
    groups = MAX (groups, ((const WorkloadJob *) workload->jobs->pdata[i])->group + 1);
  }
  if (workload && groups != bench->records->len) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: %u groups of jobs, the result has %u; expected as many",
                 workload->source_name, groups, bench->records->len);
    g_clear_pointer (&workload, workload_free);
  }
  if (workload) {
    keep_group (workload, index);
  }
  return workload;
}

static gboolean add_record (RecordBench *bench, unsigned index, GError **error)
{
  const Measurement *record = bench->records->pdata[index];
  const RecordConditions *conditions = &bench->conditions;
  const char *name = conditions->fs ? conditions->fs : record->fs ? record->fs : OPTIONS_DEFAULT_FS;
  const int file_system = find_file_system (bench, name, error);

  if (file_system < 0) {
    g_prefix_error (error, "%s:%u: ", record->file, record->line);
    return FALSE;
  }
  Workload *workload = conditions->job ? open_job_file (bench, index, error)
                                       : measurement_workload (record, conditions->cache, conditions->cpus, error);
  if (!workload) {
    return FALSE;
  }
  g_ptr_array_add (bench->workloads, workload);
  bench->file_system[index] = (unsigned) file_system;
  return TRUE;
}

RecordBench *record_bench_new (const GPtrArray *records, const RecordConditions *conditions, GError **error)
{
  g_autoptr (RecordBench) bench = g_new0 (RecordBench, 1);

  bench->records = records;
  bench->conditions = *conditions;
  bench->file_systems = g_ptr_array_new_with_free_func ((GDestroyNotify) file_system_free);
  bench->workloads = g_ptr_array_new_with_free_func ((GDestroyNotify) workload_free);
  bench->file_system = g_new0 (unsigned, records->len);
  bench->policy = policy_load (conditions->policy, error);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  const GPtrArray *set = conditions->set ? conditions->set : none;
  bench->device = bench->policy ? scenario_load_device (conditions->device, set, error) : NULL;
  for (unsigned i = 0; bench->device && i < records->len; i++) {
    if (!add_record (bench, i, error)) {
      return NULL;
    }
  }
  return bench->device ? g_steal_pointer (&bench) : NULL;
}

void record_bench_free (RecordBench *bench)
{
  if (bench) {
    g_clear_pointer (&bench->policy, policy_free);
    g_clear_pointer (&bench->device, device_free);
    g_ptr_array_unref (bench->file_systems);
    g_ptr_array_unref (bench->workloads);
    g_free (bench->file_system);
    g_free (bench);
  }
}

const Workload *record_bench_workload (const RecordBench *bench, unsigned index)
{
  return bench->workloads->pdata[index];
}

const Policy *record_bench_policy (const RecordBench *bench) { return bench->policy; }

void record_machine_init (RecordMachine *ret_machine, const Machine *machine)
{
  ret_machine->fio = ret_machine->wq = *machine;
  ret_machine->wq.cost[COST_APP_PREPARE].ns = WQ_CLOCK_NS;
  ret_machine->wq.cost[COST_APP_REAP].ns = WQ_CLOCK_NS;
}

gboolean record_bench_check_machine (const RecordBench *bench, const Machine *machine, GError **error)
{
  for (unsigned i = 0; i < bench->file_systems->len; i++) {
    const FileSystem *fs = bench->file_systems->pdata[i];
    if (!machine_file_system (machine, fs->cost_name ? fs->cost_name : fs->name)) {
      g_set_error (error, MACHINE_ERROR, 0, "machine %s has no costs for file system %s", machine->name, fs->name);
      return FALSE;
    }
  }
  return TRUE;
}

SimulationSetup record_bench_setup (const RecordBench *bench, unsigned index, const RecordMachine *machine)
{
  const Measurement *record = bench->records->pdata[index];

  return (SimulationSetup){
    .workload = bench->workloads->pdata[index],
    .policy = bench->policy,
    .machine = record->tool == MEASURED_WQ ? &machine->wq : &machine->fio,
    .file_system = bench->file_systems->pdata[bench->file_system[index]],
    .device = bench->device,
    .kernel = bench->conditions.kernel,
    .engine = -1,
    .cpus = bench->conditions.cpus,
    .sqpoll = -1,
    .cache = -1,
    .replay = REPLAY_CLOSED,
    .limit_ios = bench->conditions.limit_ios,
    .new_process = record->tool == MEASURED_WQ,
  };
}

gboolean record_bench_simulate (const RecordBench *bench, unsigned index, const RecordMachine *machine, uint64_t seed,
                                unsigned reps, double *ret_iops, GError **error)
{
  SimulationSetup setup = record_bench_setup (bench, index, machine);
  double sum = 0;

  for (unsigned rep = 0; rep < reps; rep++) {
    setup.seed = seed + rep;
    RunResult *result = simulation_run (&setup, error);
    if (!result) {
      return FALSE;
    }
    sum += result->iops;
    run_result_free (result);
  }
  *ret_iops = sum / reps;
  return TRUE;
}
