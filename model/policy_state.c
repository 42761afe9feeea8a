/* See policy_state.h. */
#include "model/policy_state.h"

#include "model/cpu.h"
#include "model/tctx.h"
#include "model/workqueue.h"

static double lookup_queues (const Ring *ring, PolicyVariable variable)
{
  double sum = 0;

  for (unsigned i = 0; i < ring->sim->setup->policy->n_queues; i++) {
    const IoWq *io_wq = io_uring_wq_peek (ring, i);
    const Workqueue *workqueue = ring->workqueue[i];

    if (!io_wq && !workqueue)
      continue; /* not used yet */
    if (variable == POLICY_QUEUE_PENDING)
      sum += io_wq ? io_wq_pending (io_wq) : workqueue_pending (workqueue);
    else if (variable == POLICY_QUEUE_RUNNING)
      sum += io_wq ? io_wq_running (io_wq) : workqueue_running (workqueue);
    else
      sum += io_wq ? io_wq_idle (io_wq) : workqueue_idle (workqueue);
  }
  return sum;
}

static double lookup_pages (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  PageCache *pages = &request->inode->pages;
  PageCount count;
  double resident = 0, dirty = 0;

  if (variable == POLICY_CACHE_DIRTY) {
    for (unsigned i = 0; i < sim->inodes->len; i++) {
      const Inode *inode = g_ptr_array_index (sim->inodes, i);

      resident += (double) inode->pages.resident;
      dirty += (double) inode->pages.dirty;
    }
    return resident > 0 ? dirty / resident : 0;
  }
  count = page_cache_count (pages, request->io.offset, request->io.length);
  return variable == POLICY_PAGE_RESIDENT ? count.missing == 0 : count.clean == 0;
}

static double lookup_request (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  const FileSystem *fs = sim->setup->file_system;

  switch (variable) {
  case POLICY_READ:
    return request->io.op == IO_READ;
  case POLICY_WRITE:
    return request->io.op == IO_WRITE;
  case POLICY_SYNC:
    return request->io.op >= IO_SYNC;
  case POLICY_BUFFERED:
    return !request->direct;
  case POLICY_DIRECT:
    return request->direct;
  case POLICY_REGULAR:
    return fs->regular;
  case POLICY_FORCE_ASYNC:
    return request->force_async;
  case POLICY_SIZE:
    return (double) request->io.length;
  case POLICY_APPEND:
    return request->io.offset + request->io.length > request->inode->size;
  case POLICY_NOWAIT:
    return kernel_range_has (fs->nowait, sim->kernel);
  case POLICY_WASYNC:
    return kernel_range_has (fs->buffer_wasync, sim->kernel);
  case POLICY_RASYNC:
    return kernel_range_has (fs->buffer_rasync, sim->kernel);
  case POLICY_DIO_PARALLEL:
    return kernel_range_has (fs->dio_parallel_write, sim->kernel);
  case POLICY_INODE_LOCKED:
    return rwsem_is_locked (&request->inode->rwsem);
  case POLICY_INODE_WAITERS:
    return rwsem_contenders (&request->inode->rwsem);
  default:
    return lookup_pages (sim, request, variable);
  }
}

double policy_state_lookup (PolicyVariable variable, void *data)
{
  const PolicyState *context = data;
  const Ring *ring = context->ring;
  const Simulation *sim = ring->sim;

  switch (variable) {
  case POLICY_SQ_THREAD:
    return ring->sq_thread != NULL;
  case POLICY_CPU_IDLE:
    return sim->n_idle;
  case POLICY_RING_IN_FLIGHT:
    return ring->in_flight;
  case POLICY_BATCH_REMAINING:
    return context->remaining;
  case POLICY_SQ_ENTRIES:
    return ring->sq_entries;
  case POLICY_CPUS:
    return sim->n_cpus;
  case POLICY_KERNEL:
    return sim->kernel;
  case POLICY_QUEUE_PENDING:
  case POLICY_QUEUE_RUNNING:
  case POLICY_WORKERS_IDLE:
    return lookup_queues (ring, variable);
  default:
    return lookup_request (sim, context->request, variable);
  }
}
