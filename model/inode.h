/*
 * An inode: its lock, its size, its page cache, its time stamp, and what is under way between it and the device.
 * Stands for struct inode, file_update_time() with inode_needs_update_time(), i_size_write(), inode_dio_begin(),
 * inode_dio_end(), inode_dio_wait() of fs/inode.c and include/linux/fs.h; 5.1 to 6.18.
 */
#ifndef INODE_H
#define INODE_H

#include "model/page_cache.h"
#include "model/rwsem.h"

/* Averages that a policy keeps (policy_state.c), by number; at: when the last sample was taken + 1, 0: never. */
typedef struct { double value[POLICY_AVERAGES_MAX]; UrTime at[POLICY_AVERAGES_MAX]; } PolicyMemory;

struct Inode {
  Simulation *sim;
  uint32_t number;                      /* index of the file in the workload */
  uint64_t size;                        /* i_size */
  Rwsem rwsem;                          /* i_rwsem; XFS: IOLOCK */
  Rwsem extents;                        /* i_data_sem of ext4, ILOCK of XFS: taken to change extents without data */
  PageCache pages;
  double   folio_share;                 /* of the largest folio's walks: what those cost that its first pages lie in */
  uint64_t next_page;                   /* after the last page read or written: what follows is prefetched */
  uint64_t device_start;                /* where its first block lies: files are contiguous */
  GPtrArray *reads;                     /* of PageRead (page_io.h): pages being read from the device */
  uint64_t writeback_next;              /* number of the next piece of writeback */
  GPtrArray *writeback;                 /* of Writeback (page_io.h): under way */
  GPtrArray *writeback_waiters;         /* of WritebackWaiter (page_io.c) */
  UrTime dirtied_when; gboolean wb_visited;   /* writeback.h: on wb_list since then; the flusher is at it */
  GQueue *wb_list; GList wb_link;       /* list of dirty inodes that it is on (nullable) */
  uint64_t readahead_next, readahead_mark, readahead_end;   /* pages, see page_io.c */
  unsigned direct;                      /* i_dio_count: direct requests under way */
  GPtrArray *direct_waiters;            /* of Task: inode_dio_wait() */
  uint64_t sync_tid, datasync_tid;      /* i_sync_tid, i_datasync_tid: transaction of its last change (journal.h);
                                         * 0: none */
  unsigned bucket;                      /* hash_ptr (inode) of io-wq: one of 64, uniform */
  unsigned writers;                     /* streams of the workload that write to it */
  uint8_t  last_outcome;                /* PolicyLastOutcome of the last request that was tried or queued */
  PolicyMemory *memory;                 /* (nullable) */
  struct QueueSet *queues;              /* of Per=inode (queue_owner.h); NULL: none is used */
  uint64_t mtime_tick;                  /* tick of the last time stamp update + 1; 0: never in this run */
};

/* `device_start` as above; `written`: the file's blocks hold data, else they are allocated and unwritten. */
Inode *inode_new (Simulation *sim, uint32_t number, uint64_t size, CacheState state, gboolean written,
                  uint64_t device_start);
void   inode_free (Inode *inode);
/* The pages that are there lie in folios of so many bytes, up to WORKLOAD_FOLIO_READAHEAD; 0: of that. */
void   inode_set_folio (Inode *inode, uint64_t bytes);
/* The kernel's coarse clock has moved since mtime was last written: file_update_time() has work to do. */
gboolean inode_needs_time_update (const Inode *inode);
/* mtime has been written: metadata to commit. */
void   inode_time_updated (Inode *inode);
/* i_size is at least this from now on. */
void   inode_grow (Inode *inode, uint64_t size);
/* inode_dio_wait(): sleeps until no direct request is under way. */
void   inode_dio_wait (Task *task, Inode *inode);
/* inode_dio_end(): one has ended, by `task` or an interrupt on `cpu`. */
void   inode_dio_end (Inode *inode, Task *task, Cpu *cpu);

#endif
