/*
 * Dirty pages of all files on their way to the block device: counting, limits, throttling of who makes them, the
 * flusher, and eviction when the memory is full.
 *
 * Stands for mm/page-writeback.c (balance_dirty_pages_ratelimited_flags(), balance_dirty_pages(), wb_position_ratio(),
 * wb_update_dirty_ratelimit()) and fs/fs-writeback.c (bdi_writeback, one per device: wb_workfn(), wb_writeback(),
 * queue_io(), writeback_sb_inodes()), of mm/vmscan.c what drops clean pages (5.1 to 6.18):
 *   - dirtyable memory is Memory.Size less Memory.Used; bg_thresh and thresh are DirtyBackgroundRatio and DirtyRatio of
 *     it; below their mean, freerun, nobody waits: a task counts the pages it made dirty, nothing else;
 *   - above, a task that has made nr_dirtied_pause pages dirty sleeps for as long as task_ratelimit = dirty_ratelimit *
 *     pos_ratio gives for them, at most 200 ms, in jiffies, and holds whatever lock it holds; BDP_ASYNC (6.0) gets
 *     EAGAIN;
 *   - pos_ratio is the cubic about (freerun + limit) / 2 and the device's line; dirty_ratelimit goes, every 200 ms,
 *     towards the measured write bandwidth divided among the dirtiers;
 *   - the flusher is one kworker: over bg_thresh until below, and for inodes dirtied DirtyExpire ago, looked for every
 *     DirtyWriteback; per visit half a second's bandwidth in multiples of 4 MiB, ascending, from where it last ended;
 *   - pages beyond Memory.Size less Used are evicted, by whoever adds some.
 * Left out: control groups, real-time tasks, the share of one device among several, the error that dirtying tasks leave
 * behind at exit, kswapd as a task of its own, inodes written for their time stamps.
 */
#ifndef WRITEBACK_H
#define WRITEBACK_H

#include "model/inode.h"
#include "model/cpu.h"

/* Rates are pages a second. */
struct BdiWriteback {
  Simulation *sim;
  PageTotals pages;
  uint64_t memory, bg_thresh, thresh, freerun;      /* pages */
  double write_bandwidth, avg_write_bandwidth, dirty_ratelimit;
  double balanced_ratelimit;            /* what it goes to */
  uint64_t dirtied, written;            /* pages, ever */
  uint64_t dirtied_stamp, written_stamp; UrTime bw_time_stamp;
  unsigned *cpu_dirtied, ratelimit_pages;     /* bdp_ratelimits: pages made dirty on each CPU since the last look */
  GQueue b_dirty, b_io, b_more_io;      /* of Inode, by wb_link: by time of dirtying; being written; to go on with */
  Task *flusher; gboolean flusher_waits;      /* for some writeback to end */
  gboolean background, kupdate;         /* it has been asked for */
  UrTime armed; UrEventHandle timer;    /* DirtyWriteback: counted from here */
  /* Counted for the report. */
  uint64_t pauses, evicted, flushed, dropped;   /* dropped: by RWF_DONTCACHE */
  UrTime throttled, longest_pause;
  unsigned n_paused; UrTime paused_since, paused;       /* tasks that pause now, since the first; ns in which some did */
  uint64_t max_dirty;                   /* pages dirty or under writeback, as far as balancing has seen */
};

BdiWriteback *bdi_writeback_new (Simulation *sim);
void          bdi_writeback_free (BdiWriteback *wb);      /* accepts NULL */

/* pos_ratio at so many pages dirty or under writeback: the cubic of pos_ratio_polynom() times the device's line. */
double        wb_position_ratio (const BdiWriteback *wb, double dirty);
/* The task has made `pages` pages dirty that were clean. */
void     writeback_account_dirtied (Task *task, Inode *inode, unsigned pages);
/* An inode that is dirty from the start on. */
void     writeback_inode_is_dirty (BdiWriteback *wb, Inode *inode);
/* Whether `pages` more would still be below the freerun limit: nobody is going to wait. */
static inline gboolean writeback_is_freerun (const BdiWriteback *wb, uint64_t pages)
{
  return wb->pages.dirty + wb->pages.writeback + pages <= wb->freerun;
}
/* The rest of the next function. */
gboolean balance_dirty_pages (Task *task, gboolean nowait);
/* balance_dirty_pages_ratelimited_flags(): may sleep.  FALSE: it would have to, and `nowait`. */
static inline gboolean balance_dirty_pages_ratelimited (Task *task, BdiWriteback *wb, gboolean nowait)
{
  if (G_LIKELY (task->nr_dirtied < task->nr_dirtied_pause && wb->cpu_dirtied[task->cpu->id] < wb->ratelimit_pages &&
                wb->pages.dirty + wb->pages.writeback <= wb->thresh))
    return TRUE;
  return balance_dirty_pages (task, nowait);
}
/* ns so far in which at least one task paused. */
static inline UrTime writeback_paused (const BdiWriteback *wb)
{
  return wb->paused + (wb->n_paused ? sim_now (wb->sim) - wb->paused_since : 0);
}
/* Drops pages if there are more than memory has room for. */
void     writeback_reclaim (Task *task, BdiWriteback *wb);
/* Writeback of so many pages has ended: by `task`, or an interrupt on `cpu`. */
void     writeback_account_written (BdiWriteback *wb, uint64_t pages, Task *task, Cpu *cpu);
/* Nothing but a later look of the flusher is to come. */
gboolean writeback_is_all_that_comes (const BdiWriteback *wb);

#endif
