/* See inode.h. */
#include "model/inode.h"

#include "model/journal.h"
#include "model/page_io.h"
#include "model/queue_owner.h"
#include "model/writeback.h"

#define IO_WQ_BUCKETS 64

/* Buffers of 1 MiB are still in the first cache (48 KiB) when they are walked a second time, those of 2 MiB are not:
 * 0.30, 0.51, 0.88, 1.57, 2.6 and 6.6 us a write for 64 KiB to 2 MiB (Linux 6.18, ext4, 64 MiB resident). */
#define FOLIO_CACHED ((uint64_t) 1 << 20)
#define FOLIO_CACHED_SHARE 0.38
#define FOLIO_SMALL_SHARE 0.02

static double folio_walk_share (uint64_t bytes)
{
  double of_cached = (double) bytes / (double) FOLIO_CACHED;
  double beyond = ((double) bytes - (double) FOLIO_CACHED) / (double) (WORKLOAD_FOLIO_READAHEAD - FOLIO_CACHED);

  if (bytes <= FOLIO_CACHED)
    return FOLIO_SMALL_SHARE + (FOLIO_CACHED_SHARE - FOLIO_SMALL_SHARE) * of_cached;
  return FOLIO_CACHED_SHARE + (1 - FOLIO_CACHED_SHARE) * beyond;
}

void inode_set_folio (Inode *inode, uint64_t bytes)
{
  inode->folio_share = folio_walk_share (bytes ? bytes : WORKLOAD_FOLIO_READAHEAD);
}

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
