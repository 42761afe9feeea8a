/* See sample.h. */
#include "model/sample.h"

#include "model/cpu.h"
#include "model/inode.h"
#include "model/queue_owner.h"
#include "model/tctx.h"
#include "model/workqueue.h"
#include "model/writeback.h"

void sample_init (Simulation *sim)
{
  sim->samples = g_array_new (FALSE, FALSE, sizeof (ResultSample));
  sim->sample_step = sim->setup->interval;
  sim->next_sample = sim->setup->interval ? sim->setup->interval : UR_TIME_NEVER;
}

static unsigned set_pending (const QueueSet *set)
{
  unsigned n = 0;

  for (unsigned i = 0; set && i < set->n; i++)
    n += (set->io_wq[i] ? io_wq_pending (set->io_wq[i]) : 0) +
         (set->workqueue[i] ? workqueue_pending (set->workqueue[i]) : 0);
  return n;
}

static unsigned pending (const Simulation *sim)
{
  unsigned n = set_pending (sim->queues), queues = sim->setup->policy->n_queues;

  for (unsigned i = 0; i < sim->tasks->len; i++) {
    const Task *task = g_ptr_array_index (sim->tasks, i);

    for (unsigned k = 0; task->tctx && k < task->tctx->n_io_wq; k++)
      n += task->tctx->io_wq[k] ? io_wq_pending (task->tctx->io_wq[k]) : 0;
  }
  for (unsigned i = 0; i < sim->rings->len; i++) {
    const Ring *ring = g_ptr_array_index (sim->rings, i);

    for (unsigned k = 0; k < queues; k++)
      n += (ring->io_wq[k] ? io_wq_pending (ring->io_wq[k]) : 0) +
           (ring->workqueue[k] ? workqueue_pending (ring->workqueue[k]) : 0);
  }
  return n;
}

static void add_inodes (const Simulation *sim, ResultSample *sample)
{
  for (unsigned i = 0; i < sim->inodes->len; i++) {
    const Inode *inode = g_ptr_array_index (sim->inodes, i);

    sample->lock_spinning += inode->rwsem.osq.n;
    sample->lock_queued += inode->rwsem.n_waiters;
    sample->queued += set_pending (inode->queues);
  }
}

static ResultSample sample_now (const Simulation *sim)
{
  const SimulationCounters *count = &sim->count;
  ResultSample sample = { .time = sim_now (sim),
                          .in_flight = (unsigned) count->in_flight.level,
                          .workers_alive = count->workers_alive,
                          .workers_running = (unsigned) count->workers_running.level,
                          .queued = pending (sim),
                          .dirty = sim->wb->pages.dirty,
                          .writeback = sim->wb->pages.writeback };

  for (unsigned i = 0; i < IO_OPS; i++) {
    const ResultOp *op = &sim->op[i];

    sample.ios += i < IO_SYNC ? op->ios : 0;
    sample.bytes += op->bytes;
    sample.lat_sum += i < IO_SYNC ? op->lat.sum : 0;
  }
  for (unsigned i = 0; i < sim->n_cpus; i++) {
    for (unsigned class = 0; class < TASK_CLASSES; class ++)
      sample.busy[class] += sim->cpus[i].busy[class];
    sample.irq += sim->cpus[i].irq;
  }
  add_inodes (sim, &sample);
  return sample;
}

/* Every second one goes, the last one stays. */
static void thin_out (GArray *samples)
{
  unsigned n = 0;

  for (unsigned i = 1; i < samples->len; i += 2)
    g_array_index (samples, ResultSample, n++) = g_array_index (samples, ResultSample, i);
  g_array_set_size (samples, n);
}

void sample_take (Simulation *sim)
{
  ResultSample sample;

  if (sim->next_sample == UR_TIME_NEVER)
    return;
  sample = sample_now (sim);
  g_array_append_val (sim->samples, sample);
  if (sim->samples->len == SAMPLES_MAX) {
    thin_out (sim->samples);
    sim->sample_step *= 2;
  }
  sim->next_sample = (sample.time / sim->sample_step + 1) * sim->sample_step;
}
