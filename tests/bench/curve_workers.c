/*
 * Throughput against the worker limit of the 5.1-5.3 workqueue, for several CPU counts: the table of
 * doc/worker-limit.md.  Workload and machine of the shipped experiment axboe-2019, at the given depth.
 * Usage: curve_workers [DEPTH [IOS]] (default 128, 50,000 a run; 8 seeds, mean and 95 % confidence interval).
 */
#include "model/simulation.h"
#include "src/engine/tally.h"
#include "tests/bench/random_writes.h"

#include <glib/gstdio.h>
#include <stdio.h>

#define SEEDS 8

static const unsigned limits[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 48, 64 };
static const unsigned cpu_counts[] = { 4, 8, 16, 56 };

static Policy *limited_policy (unsigned limit, GError **error)
{
  g_autofree char *name = NULL, *text = NULL;
  Policy *policy = NULL;
  int fd = g_file_open_tmp ("curve-XXXXXX.policy", &name, error);

  if (fd < 0)
    return NULL;
  g_close (fd, NULL);
  text = g_strdup_printf ("[Policy]\nName=limit-%u\nTitle=linux-5.3 with %u workers\nBase=linux-5.3\n"
                          "[Queue default]\nKind=workqueue\nMaxWorkers=%u\nHash=none\n",
                          limit, limit, limit);
  if (g_file_set_contents (name, text, -1, error))
    policy = policy_load (name, error);
  g_unlink (name);
  return policy;
}

/* One cell: "IOPS ± half width (contention share)". */
static gboolean print_cell (SimulationSetup setup, GError **error)
{
  UrTally iops, share;

  ur_tally_init (&iops);
  ur_tally_init (&share);
  for (setup.seed = 1; setup.seed <= SEEDS; setup.seed++) {
    RunResult *result = simulation_run (&setup, error);

    if (!result)
      return FALSE;
    ur_tally_add (&iops, result->iops);
    ur_tally_add (&share, result->lock[0].cpu_share_contention);
    run_result_free (result);
  }
  printf (" %.0f K ± %.1f (%.2f) |", iops.mean / 1000, ur_tally_half_width (&iops, 0.95) / 1000, share.mean);
  return TRUE;
}

int main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  unsigned depth = argc > 1 ? (unsigned) g_ascii_strtoull (argv[1], NULL, 10) : 128;
  uint64_t ios = argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) : 50000;
  Workload *workload = random_writes (APPLICATION_IO_URING, MAX (depth, 1), FALSE, MAX (ios, 1));
  Machine *machine = machine_load ("axboe-2019", &error);
  FileSystem *file_system = machine ? file_system_load ("ext4", &error) : NULL;
  Device *device = file_system ? device_load ("nvme", &error) : NULL;
  gboolean ok = device != NULL;

  printf ("| limit |");
  for (unsigned c = 0; c < G_N_ELEMENTS (cpu_counts); c++)
    printf (" %u CPUs |", cpu_counts[c]);
  printf ("\n|---|---|---|---|---|\n");
  for (unsigned i = 0; ok && i < G_N_ELEMENTS (limits); i++) {
    Policy *policy = limited_policy (limits[i], &error);

    ok = policy != NULL;
    printf ("| %u |", limits[i]);
    for (unsigned c = 0; ok && c < G_N_ELEMENTS (cpu_counts); c++) {
      SimulationSetup setup = {
        .workload = workload,
        .policy = policy,
        .machine = machine,
        .file_system = file_system,
        .device = device,
        .engine = -1,
        .cpus = cpu_counts[c],
        .sqpoll = -1,
        .cache = -1,
        .replay = REPLAY_CLOSED,
      };

      ok = print_cell (setup, &error);
      fflush (stdout);
    }
    printf ("\n");
    policy_free (policy);
  }
  if (!ok)
    fprintf (stderr, "curve_workers: %s\n", error->message);
  workload_free (workload);
  file_system_free (file_system);
  device_free (device);
  machine_free (machine);
  return !ok;
}
