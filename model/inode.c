/* See inode.h. */
#include "model/inode.h"

#define IO_WQ_BUCKETS 64

Inode *inode_new (Simulation *sim, uint32_t number, uint64_t size, CacheState state)
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
  page_cache_init (&inode->pages, size, state);
  return inode;
}

void inode_free (Inode *inode)
{
  page_cache_clear (&inode->pages);
  g_free (inode);
}

gboolean inode_needs_time_update (const Inode *inode)
{
  return inode->mtime_tick != sim_now (inode->sim) / inode->sim->setup->machine->tick + 1;
}
