/* An inode: its lock, its size, its page cache, its time stamp. */
#ifndef INODE_H
#define INODE_H

#include "model/page_cache.h"
#include "model/rwsem.h"

struct Inode {
  Simulation *sim;
  uint32_t number;                      /* index of the file in the workload */
  uint64_t size;                        /* i_size */
  Rwsem rwsem;                          /* i_rwsem; XFS: IOLOCK */
  PageCache pages;
  gboolean unwritten;                   /* WorkloadFile.unwritten: nothing need be read from a device */
  uint64_t next_page;                   /* after the last page read or written: what follows is prefetched */
  unsigned bucket;                      /* hash_ptr (inode) of io-wq: one of 64, uniform */
  uint64_t mtime_tick;                  /* tick of the last time stamp update + 1; 0: never in this run */
};

Inode *inode_new (Simulation *sim, uint32_t number, uint64_t size, CacheState state);
void   inode_free (Inode *inode);
/* The kernel's coarse clock has moved since mtime was last written: file_update_time() has work to do. */
gboolean inode_needs_time_update (const Inode *inode);

#endif
