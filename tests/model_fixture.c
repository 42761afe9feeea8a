/* See model_fixture.h. */
#include "tests/fixture_private.h"

#include "model/collect.h"

#include <string.h>

/* ---- the machine ---- */

static gpointer loaded (gpointer object, GError **error)
{
  if (!object)
    g_error ("fixture: %s", (*error)->message);
  return object;
}

static void machine_make_free (Machine *machine)
{
  for (unsigned i = 0; i < COSTS; i++)
    machine->cost[i].ns = 0;
  for (unsigned i = 0; i < machine->file_systems->len; i++) {
    MachineFileSystem *fs = g_ptr_array_index (machine->file_systems, i);

    for (unsigned k = 0; k < FS_COSTS; k++)
      fs->cost[k].ns = 0;
  }
  machine->kappa = 0;
}

/* Everything at once and in no time. */
static void device_make_free (Device *device)
{
  static const char *const values[] = {
    "Device.Poll=no",      "Device.Synchronous=yes", "Read.Time=0",
    "Read.TailPercent=0",  "Read.Bandwidth=0",       "Write.Time=0",
    "Write.TailPercent=0", "Write.Bandwidth=0",      "Flush.Time=0",
    "Cache.Size=0",        "Cache.Volatile=yes",     "Read.Spread=0",
    "Write.Spread=0",      "Flush.Spread=0",         "Device.MaxTransfer=1MiB",
    "Read.Burst=0",        "Write.Burst=0",          "Cache.DrainRequest=0",
  };
  GError *error = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (values); i++)
    if (!device_set (device, values[i], &error))
      g_error ("fixture: %s", error->message);
}

Fixture *fixture_new (const char *policy, const char *file_system, FixtureCosts costs)
{
  Fixture *fixture = g_new0 (Fixture, 1);
  GError *error = NULL;

  fixture->machine = loaded (machine_load ("x86-server", &error), &error);
  fixture->policy = loaded (policy_load (policy, &error), &error);
  fixture->file_system = loaded (file_system_load (file_system, &error), &error);
  fixture->device = loaded (device_load ("nvme", &error), &error);
  fixture->workload = workload_new ();
  for (unsigned i = 0; i < FIXTURE_FILES; i++) {
    g_autofree char *name = g_strdup_printf ("file%u", i);

    workload_add_file (fixture->workload, name, FIXTURE_FILE_SIZE);
  }
  fixture_set (fixture, "noise=0");
  if (costs == COSTS_FREE)
    machine_make_free (fixture->machine);
  if (costs == COSTS_FREE)
    device_make_free (fixture->device);
  fixture->setup = (SimulationSetup){
    .workload = fixture->workload,
    .policy = fixture->policy,
    .machine = fixture->machine,
    .file_system = fixture->file_system,
    .device = fixture->device,
    .engine = -1,
    .sqpoll = -1,
    .cache = -1,
    .seed = 1,
  };
  fixture->log = g_string_new (NULL);
  fixture->actors = g_ptr_array_new_with_free_func (actor_free);
  fixture->requests = g_ptr_array_new_with_free_func (g_free);
  return fixture;
}

void fixture_set (Fixture *fixture, const char *assignments)
{
  g_auto (GStrv) each = g_strsplit (assignments, ", ", -1);
  GError *error = NULL;

  for (char **one = each; *one; one++) {
    if (g_str_has_prefix (*one, "kernel=")) {
      unsigned major = (unsigned) g_ascii_strtoull (*one + strlen ("kernel="), NULL, 10);

      fixture->setup.kernel = KERNEL (major, (unsigned) g_ascii_strtoull (strchr (*one, '.') + 1, NULL, 10));
    } else if (device_has_group (*one)) {
      if (!device_set (fixture->device, *one, &error))
        g_error ("fixture: %s", error->message);
    } else if (!machine_set (fixture->machine, *one, &error)) {
      g_error ("fixture: %s", error->message);
    }
  }
}

void fixture_build (Fixture *fixture)
{
  GError *error = NULL;

  fixture->sim = loaded (sim_new (&fixture->setup, &error), &error);
  for (unsigned i = 0; i < FIXTURE_MUTEXES; i++)
    mutex_init (&fixture->mutex[i], "mutex");
}

void fixture_free (Fixture *fixture)
{
  if (fixture->sim)
    sim_free (fixture->sim);
  g_ptr_array_unref (fixture->actors);
  g_ptr_array_unref (fixture->requests);
  g_string_free (fixture->log, TRUE);
  workload_free (fixture->workload);
  file_system_free (fixture->file_system);
  device_free (fixture->device);
  policy_free (fixture->policy);
  machine_free (fixture->machine);
  g_free (fixture);
}

Inode *fixture_inode (Fixture *fixture, unsigned file) { return g_ptr_array_index (fixture->sim->inodes, file); }

/* ---- runs ---- */

/* Idle workers may look up for ever: the run is over when what the test set off is over. */
void fixture_done_one (Fixture *fixture)
{
  if (--fixture->busy == 0)
    ur_engine_stop (fixture->sim->engine);
}

#define FOR_EVER (1000 * UR_S)

void fixture_run (Fixture *fixture, const char *row)
{
  Simulation *sim = fixture->sim;

  ur_engine_run (sim->engine, FOR_EVER);
  sim->finished = sim_now (sim);
  for (unsigned i = 0; i < fixture->actors->len; i++) {
    const Task *task = ((Actor *) g_ptr_array_index (fixture->actors, i))->task;

    ROW_CHECK (task->state == TASK_DEAD, "%s: %s has not ended (%s)", row, task->name, fixture->log->str);
  }
  cpus_settle (sim);
  sim_check (sim);
  ROW_CHECK (sim->error == NULL, "%s: %s", row, row_error (sim->error));
}

typedef struct {
  Fixture *fixture;
  FixtureProbe fn;
  gpointer data;
} Probe;

static void probe_now (UrEngine *engine, void *data)
{
  Probe *probe = data;

  (void) engine;
  probe->fn (probe->fixture, probe->data);
  fixture_done_one (probe->fixture);
  g_free (probe);
}

void fixture_at (Fixture *fixture, UrTime when, FixtureProbe fn, gpointer data)
{
  Probe *probe = g_new (Probe, 1);

  *probe = (Probe){ fixture, fn, data };
  fixture->busy++;
  ur_engine_at_priority (fixture->sim->engine, when, UR_PRIORITY_LAST, probe_now, probe);
}

static UrTime request_time (const Fixture *fixture, unsigned i, size_t offset)
{
  const Request *request = g_ptr_array_index (fixture->requests, i);

  return G_STRUCT_MEMBER (UrTime, &request->time, offset);
}

char *fixture_order (const Fixture *fixture, size_t time_offset)
{
  GString *order = g_string_new (NULL);
  unsigned n = fixture->requests->len;
  g_autofree gboolean *used = g_new0 (gboolean, n + 1);

  for (;;) {
    unsigned next = n;

    for (unsigned i = 0; i < n; i++) {
      UrTime time = request_time (fixture, i, time_offset);

      if (!used[i] && time && (next == n || time < request_time (fixture, next, time_offset)))
        next = i;
    }
    if (next == n)
      return g_string_free (order, FALSE);
    used[next] = TRUE;
    g_string_append_c (order, fixture_request_name (fixture, g_ptr_array_index (fixture->requests, next)));
  }
}

unsigned fixture_parallel (const Fixture *fixture, int file)
{
  unsigned most = 0;

  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *at = g_ptr_array_index (fixture->requests, i);
    unsigned n = 0;

    if (!at->time.started || (file >= 0 && at->io.file != (unsigned) file))
      continue;
    for (unsigned k = 0; k < fixture->requests->len; k++) {
      const Request *other = g_ptr_array_index (fixture->requests, k);

      n += other->time.started && (file < 0 || other->io.file == (unsigned) file) &&
           other->time.started <= at->time.started && other->time.done > at->time.started;
    }
    most = MAX (most, n);
  }
  return most;
}

/* ---- tables ---- */

void fixture_append_us (GString *text, UrTime ns)
{
  g_string_append_printf (text, "%" G_GUINT64_FORMAT, ns / 1000);
  if (ns % 1000) {
    g_string_append_printf (text, ".%03u", (unsigned) (ns % 1000));
    while (text->str[text->len - 1] == '0')
      g_string_truncate (text, text->len - 1);
  }
}

const char *fixture_generation (unsigned kernel)
{
  return kernel < KERNEL (5, 4)    ? "linux-5.3"
         : kernel < KERNEL (5, 5)  ? "linux-5.4"
         : kernel < KERNEL (6, 3)  ? "linux-6.1"
         : kernel < KERNEL (6, 18) ? "linux-6.3"
                                   : "linux-6.18";
}

char *fixture_outcomes (const Fixture *fixture)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < fixture->requests->len; i++)
    g_string_append_c (text, "iHUaF"[((Request *) g_ptr_array_index (fixture->requests, i))->outcome]);
  return g_string_free (text, FALSE);
}

void fixture_check_log (const Fixture *fixture, const char *row, const char *log)
{
  ROW_CHECK (strcmp (fixture->log->str, log) == 0, "%s: %s; expected %s", row, fixture->log->str, log);
}

void fixture_check_rows (const ScriptRow *rows, unsigned n, const char *policy, const char *set)
{
  for (unsigned i = 0; i < n; i++) {
    const ScriptRow *row = &rows[i];
    Fixture *fixture = fixture_new (policy, "ext4", COSTS_FREE);

    fixture_set (fixture, set);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    fixture_free (fixture);
  }
}

CU_pSuite fixture_suite (const char *name)
{
  CU_pSuite suite = CU_add_suite (name, NULL, NULL);

  if (!suite)
    g_error ("suite %s: %s", name, CU_get_error_msg ());
  return suite;
}

void fixture_test (CU_pSuite suite, const char *name, CU_TestFunc test)
{
  if (!CU_add_test (suite, name, test))
    g_error ("test %s: %s", name, CU_get_error_msg ());
}

WorkloadJob *fixture_add_job (Fixture *fixture, ApplicationEngine engine, unsigned iodepth, uint64_t ios)
{
  WorkloadJob *job = workload_add_job (fixture->workload);
  uint32_t file = 0;

  job->name = g_strdup_printf ("job%u", fixture->workload->jobs->len - 1);
  job->engine = engine;
  job->iodepth = job->iodepth_low = iodepth;
  g_array_append_val (job->files, file);
  job->pattern.order = PATTERN_RANDOM;
  job->pattern.has_read = FALSE;
  job->pattern.has_write = TRUE;
  job->pattern.size = FIXTURE_FILE_SIZE;
  job->pattern.number_ios = ios;
  return job;
}

RunResult *fixture_run_whole (Fixture *fixture, const char *row)
{
  g_autoptr (GError) error = NULL;
  RunResult *result = simulation_run (&fixture->setup, &error);

  ROW_CHECK (result, "%s: %s", row, row_error (error));
  return result;
}
