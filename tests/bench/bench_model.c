/*
 * How fast the simulator is: simulated I/Os and events per second of four scenes, each in a process
 * of its own so that its peak memory can be read.  Usage: bench_model [IOS] (default 1,000,000; 10,000,000 for the
 * memory goal).
 */
#include "model/simulation.h"
#include "tests/bench/bench.h"
#include "tests/bench/random_writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  const char *name, *policy, *machine;
  ApplicationEngine engine;
  unsigned iodepth;
  gboolean sqpoll;
} Scene;

static const Scene scenes[] = {
  { "psync", "linux-6.3", "x86-server", APPLICATION_PSYNC, 1, FALSE },
  { "io_uring inline, sq_thread, depth 8", "inline-buffered-write", "x86-server", APPLICATION_IO_URING, 8, TRUE },
  { "io_uring inline, depth 32", "inline-buffered-write", "x86-server", APPLICATION_IO_URING, 32, FALSE },
  { "io_uring punted, hashed, depth 32", "linux-6.3", "x86-server", APPLICATION_IO_URING, 32, FALSE },
  { "linux-5.3, 31 workers on one inode", "linux-5.3", "axboe-2019", APPLICATION_IO_URING, 32, FALSE },
};

static int run_scene (const Scene *scene, uint64_t ios)
{
  g_autoptr (GError) error = NULL;
  Policy *policy = policy_load (scene->policy, &error);
  Machine *machine = policy ? machine_load (scene->machine, &error) : NULL;
  FileSystem *file_system = machine ? file_system_load ("ext4", &error) : NULL;
  Device *device = file_system ? device_load ("nvme", &error) : NULL;
  Workload *workload = random_writes (scene->engine, scene->iodepth, scene->sqpoll, ios);
  SimulationSetup setup = {
    .workload = workload,
    .policy = policy,
    .machine = machine,
    .file_system = file_system,
    .device = device,
    .engine = -1,
    .sqpoll = -1,
    .cache = -1,
    .replay = REPLAY_CLOSED,
    .seed = 1,
  };
  double start = bench_now_ns (), seconds;
  RunResult *result = device ? simulation_run (&setup, &error) : NULL;
  struct rusage usage;

  seconds = (bench_now_ns () - start) / 1e9;
  if (!result) {
    fprintf (stderr, "bench_model: %s: %s\n", scene->name, error->message);
    return 1;
  }
  getrusage (RUSAGE_SELF, &usage);
  printf ("%-38s %6.2f M ios/s  %6.1f M events/s  %5.1f events/io  %6.1f MiB peak  (simulated %.0f IOPS)\n",
          scene->name, (double) result->ios / seconds / 1e6, (double) result->events / seconds / 1e6,
          (double) result->events / (double) result->ios, (double) usage.ru_maxrss / 1024, result->iops);
  run_result_free (result);
  workload_free (workload);
  file_system_free (file_system);
  device_free (device);
  machine_free (machine);
  policy_free (policy);
  return 0;
}

int main (int argc, char **argv)
{
  uint64_t ios = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;
  int failed = 0;

  if (ios == 0) {
    fprintf (stderr, "usage: bench_model [IOS]\n");
    return 2;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (scenes); i++) {
    int status = 1;
    pid_t child;

    fflush (stdout);
    child = fork ();
    if (child == 0)
      exit (run_scene (&scenes[i], ios));
    if (child < 0 || waitpid (child, &status, 0) < 0)
      status = 1;
    failed |= status != 0;
  }
  return failed;
}
