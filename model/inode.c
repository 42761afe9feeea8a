/* See inode.h. */
#include "model/inode.h"

#include "model/journal.h"
#include "model/page_io.h"
#include "model/queue_owner.h"
#include "model/writeback.h"

#define IO_WQ_BUCKETS 64

Inode *inode_new (Simulation *sim, uint32_t number, uint64_t size, CacheState state, gboolean written,
                  uint64_t device_start)
{
  Inode *inode = g_new0 (Inode, 1);
  UrRandom random;
  char name[32];

  inode->sim = sim;
  inode->number = number;
  inode->size = size;
  ur_random_init_indexed (&random, sim->setup->seed, "inode-bucket", number);
  inode->bucket = (unsigned) ur_random_below (&random, IO_WQ_BUCKETS);
  g_snprintf (name, sizeof name, "inode:%u", number);
  rwsem_init (&inode->rwsem, name);
  g_snprintf (name, sizeof name, "extents:%u", number);
  rwsem_init (&inode->extents, name);
  page_cache_init (&inode->pages, size, state, written);
  if (!sim->setup->file_system->in_memory) {
    inode->pages.totals = &sim->wb->pages;
    if (state == CACHE_DIRTY && size)
      writeback_inode_is_dirty (sim->wb, inode);
  }
  inode->device_start = device_start;
  inode->reads = g_ptr_array_new_with_free_func (page_read_free);
  inode->writeback = g_ptr_array_new_with_free_func (g_free);
  inode->writeback_waiters = g_ptr_array_new ();
  inode->direct_waiters = g_ptr_array_new ();
  return inode;
}

void inode_free (Inode *inode)
{
  queue_set_free (inode->queues);
  g_free (inode->memory);
  page_cache_clear (&inode->pages);
  g_ptr_array_unref (inode->reads);
  g_ptr_array_unref (inode->writeback);
  g_ptr_array_unref (inode->writeback_waiters);
  g_ptr_array_unref (inode->direct_waiters);
  g_free (inode);
}

gboolean inode_needs_time_update (const Inode *inode)
{
  return inode->mtime_tick != sim_now (inode->sim) / inode->sim->setup->machine->tick + 1;
}

void inode_time_updated (Inode *inode)
{
  inode->mtime_tick = sim_now (inode->sim) / inode->sim->setup->machine->tick + 1;
  journal_change (inode, FALSE);
}

void inode_grow (Inode *inode, uint64_t size)
{
  if (size <= inode->size)
    return;
  inode->size = size;
  journal_change (inode, TRUE);
}

void inode_dio_wait (Task *task, Inode *inode)
{
  task_sync (task);
  while (inode->direct) {
    task_prepare_to_sleep (task);
    g_ptr_array_add (inode->direct_waiters, task);
    task->waits_for = "direct requests of the inode";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
    g_ptr_array_remove (inode->direct_waiters, task);
  }
}

void inode_dio_end (Inode *inode, Task *task, Cpu *cpu)
{
  if (--inode->direct)
    return;
  for (unsigned i = 0; i < inode->direct_waiters->len; i++)
    block_wake (task, cpu, g_ptr_array_index (inode->direct_waiters, i));
}
