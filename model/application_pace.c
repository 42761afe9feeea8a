/*
 * When the application issues: rates and thinking times.  Stands for fio's rate_ddir() (io_u.c), usec_for_io() and
 * handle_thinktime() (backend.c), 3.33 to 3.42.
 *
 * A rate is a time before which the next request of a direction is not made: the bytes issued so far over the
 * rate (linear), or the sum of exponential gaps (poisson).  Who is ahead of it waits until nothing is in flight and
 * sleeps; who is behind catches up without a pause.  A job that reads and writes goes on with the other direction if
 * that one is behind.
 */
#include "model/application.h"

#include "src/engine/portable_math.h"

enum { DIRECTIONS = 3 }; /* IO_READ, IO_WRITE, IO_TRIM */

static gboolean has_rate (const WorkloadJob *job)
{
  for (unsigned i = 0; i < DIRECTIONS; i++)
    if (job->rate[i] || job->rate_iops[i])
      return TRUE;
  return FALSE;
}

/* No chain is torn apart for a pause. */
static void quiesce (Application *application)
{
  if (application->job->sqe.link < 2)
    application_quiesce (application);
}

/* rate_ddir(): the direction of the next request, once it may be made. */
static IoOp pace (gpointer data, IoOp op, gboolean mixed)
{
  Application *application = data;
  const UrTime *due = application->rate_due;
  UrTime now = task_now (application->task) - application->started;
  IoOp other = op == IO_READ ? IO_WRITE : IO_READ;

  if (due[op] <= now)
    return op;
  if (mixed && due[other] <= now)
    return other;
  if (mixed && due[other] < due[op])
    op = other;
  quiesce (application);
  application_sleep_until (application, application->started + due[op]);
  return op;
}

void application_pace_start (Application *application)
{
  const WorkloadJob *job = application->job;
  Simulation *sim = application->sim;
  FioSeeds seeds;

  application->thought_at = application->started;
  if (!has_rate (job) || sim->setup->replay == REPLAY_FAST)
    return;
  workload_job_seeds (sim->setup->workload, job, sim->setup->seed, &seeds);
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    application->rate_bps[i] = job->rate[i] ? job->rate[i] : job->rate_iops[i] * job->pattern.bs[i];
    fio_random_init (&application->poisson[i], seeds.poisson[i]);
  }
  application->paced = TRUE;
}

void application_pace_source (Application *application)
{
  if (application->paced) {
    application->source->pace = pace;
    application->source->pace_data = application;
  }
}

/* usec_for_io(): fio counts whole microseconds. */
static UrTime next_due (Application *application, IoOp op)
{
  const WorkloadJob *job = application->job;
  uint64_t bps = application->rate_bps[op], iops = bps / job->pattern.bs[op];

  if (job->rate_poisson && iops) {
    double u = (1.0 + fio_random_u32 (&application->poisson[op])) * 0x1.0p-32;

    application->rate_last[op] += (uint64_t) ((double) (1000000 / iops) * -ur_log (u));
    return application->rate_last[op] * UR_US;
  }
  if (!job->rate[op] && job->pattern.split[op] && iops) {
    application->rate_last[op] += 1000000 / iops;
    return application->rate_last[op] * UR_US;
  }
  if (!bps)
    return 0;
  return (UrTime) MIN ((unsigned __int128) application->rate_bytes[op] * 1000000 / bps, UR_TIME_NEVER / UR_US / 2) *
         UR_US;
}

void application_issued (Application *application, IoOp op, uint64_t length)
{
  if (op > IO_TRIM)
    return;
  application->blocks_issued++;
  if (application->paced) {
    application->rate_bytes[op] += length;
    application->rate_due[op] = next_due (application, op);
  }
}

/* Whether it is time to think; fio takes the number of blocks before it waits for what is in flight. */
static gboolean should_think (Application *application, uint64_t blocks)
{
  const WorkloadJob *job = application->job;

  if (job->thinktime_iotime) {
    if (task_now (application->task) - application->thought_at >= job->thinktime_iotime)
      return TRUE;
    if (!job->thinktime_blocks)
      return FALSE;
  }
  return blocks >= application->thought_blocks + MAX (job->thinktime_blocks, 1);
}

void application_think (Application *application, IoOp op)
{
  const WorkloadJob *job = application->job;
  uint64_t blocks = job->thinktime_issue ? application->blocks_issued : application->blocks_done;
  UrTime from, spin = MIN (job->thinktime_spin, job->thinktime), total;

  if (!job->thinktime || op > IO_TRIM || application->sim->setup->replay == REPLAY_FAST ||
      !should_think (application, blocks))
    return;
  application_quiesce (application);
  from = task_now (application->task);
  if (spin)
    application_spin_until (application, from + spin);
  application_sleep_until (application, from + job->thinktime);
  total = task_now (application->task) - from;
  if (application->paced && job->rate_ignore_thinktime && application->rate_bps[op]) {
    uint64_t bs = job->pattern.bs[op], bps = application->rate_bps[op];
    uint64_t missed = (uint64_t) ((unsigned __int128) bps * total / UR_S);
    UrTime each = (UrTime) ((unsigned __int128) bs * UR_S / bps);

    application->rate_bytes[op] += missed - MIN (missed, each <= total ? bs : 0);
    application->rate_last[op] += total / UR_US;
  }
  application->thought_blocks = blocks;
  application->thought_at = task_now (application->task);
}
