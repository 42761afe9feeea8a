/*
 * Between page cache and block device: reading pages in, with readahead, and writing dirty pages out.
 *
 * Stands for mm/readahead.c and the folio wait of mm/filemap.c (folio_wait_bit(), folio_put_wait_locked(),
 * io_async_buf_func() of io_uring/rw.c), do_writepages(), filemap_fdatawait_range() and
 * filemap_fdatawrite_range_kick() (5.1 to 6.18).
 *   - A read that goes on where the last one ended, or starts at 0, is sequential: 128 KiB are read at once, and the
 *     next 128 KiB as soon as the reader is past the first request of a window.  Any other reads only what was asked
 *     for (POSIX_FADV_RANDOM, as fio gives it).
 *   - Pages that were allocated but never written hold zeros and are not read.
 *   - Writing out is in ascending order, adjacent pages in one bio, all in one plug.
 *   - RWF_DONTCACHE: pages that are read in for it are dropped after the copy, pages that it wrote when their writeback
 *     ends (folio_end_dropbehind()).
 * Left out: single pages becoming readable before the rest of their bio.
 */
#ifndef PAGE_IO_H
#define PAGE_IO_H

#include "model/request.h"

/* Adjacent pages on their way in. */
typedef struct {
  Bio bio;
  Inode *inode;
  uint64_t first, pages;
  gboolean drop_behind;                 /* readahead_control.dropbehind */
  GPtrArray *waiters;                   /* tasks that sleep for it (NULL: none) */
  GPtrArray *requests;                  /* of Request: IOCB_WAITQ (NULL: none) */
} PageRead;

/* What one call writes out. */
typedef struct {
  Inode *inode;
  uint64_t number;
  uint64_t first, end;                  /* pages between which all of it lies */
  unsigned left;                        /* bios */
  Bio bios[];
} Writeback;

void      page_read_free (gpointer read);           /* accepts NULL */
/* Starts reading whatever of the range is neither in the cache nor on its way, and what readahead adds.  Returns the
 * first read that the range has to wait for; NULL if it need not wait. (transfer none) */
PageRead *page_io_read (Task *task, Inode *inode, uint64_t offset, uint64_t length, gboolean drop_behind);
/* A read on its way that covers a page of the range: its folios are locked. (nullable) */
PageRead *page_io_reading (Inode *inode, uint64_t offset, uint64_t length);
/* Sleeps until it has ended. */
void      page_io_wait (Task *task, PageRead *read);
/* At its end the request's task_work is queued instead. */
void      page_io_callback (PageRead *read, Request *request);
/* Whether a sequential reader has got so far that the next window is due. */
gboolean  page_io_readahead_due (const Inode *inode, uint64_t offset, uint64_t length);
/* A read call has used these bytes: what is sequential next. */
void      page_io_used (Inode *inode, uint64_t offset, uint64_t length);

/* Starts writing out the dirty pages of the range (length UINT64_MAX: all).  Waits for those that are under writeback
 * and dirty again. */
void      page_io_write_out (Task *task, Inode *inode, uint64_t offset, uint64_t length);
/* The flusher's way: at most so many pages, and waits for none.  Returns how many. */
uint64_t  page_io_write_some (Task *task, Inode *inode, uint64_t pages);
/* WB_SYNC_NONE: the same, but pages under writeback are passed over, and nobody waits. */
void      page_io_kick (Task *task, Inode *inode, uint64_t offset, uint64_t length);
/* Sleeps until all writeback in the range that is under way now has ended (length UINT64_MAX: of the inode). */
void      page_io_wait_writeback (Task *task, Inode *inode, uint64_t offset, uint64_t length);

#endif
