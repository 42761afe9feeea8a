/*
 * What a file system does with a request: buffered reads and writes on the page cache, fsync; direct requests go on to
 * direct_io.h.  Stands for generic_file_write_iter() and ext4_buffered_write_iter(),
 * xfs_file_buffered_write() with iomap_file_buffered_write(), shmem's write_iter, filemap_read(), vfs_fsync(), and for
 * what io_uring's io_read(), io_write() and io_file_supports_nowait() refuse before; 5.1 to 6.18.
 * Which steps are taken comes from the .fs file, what they cost from the machine.
 *
 * A read of pages that are not resident waits for the device (page_io.h): asleep, or with IOCB_WAITQ by a callback; a
 * write of part of such a page reads it first, with the inode lock held.  Where pages must be stable (StablePages= of the
 * .fs file, StableWrites= of the device) a write of pages under writeback waits for that, with the lock held, NOWAIT or
 * not (FGP_STABLE).  What makes data durable is in fsync.h.
 * RWF_DONTCACHE: the pages that a write adds leave when their writeback ends, which it starts itself; those that a read
 * brings in leave after the copy.  What was in the cache before stays.
 * Above the freerun limit a write goes page by page and may pause with the inode lock held: after each page
 * (BalanceAtEnd=, generic_perform_write()) or before it (iomap), where NOWAIT gets EAGAIN instead (writeback.h);
 * whoever takes over begins with the first page of the mapping again (short_write.h).
 */
#ifndef FILE_IO_H
#define FILE_IO_H

#include "model/request.h"

typedef enum {
  FILE_IO_DONE,           /* request->result is set */
  FILE_IO_AGAIN_EARLY,    /* EAGAIN before any file system code ran */
  FILE_IO_AGAIN,          /* EAGAIN from the file system: lock, time stamp, page */
  FILE_IO_QUEUED,         /* EIOCBQUEUED: ki_complete, or task_work after a page was read, is called later */
} FileIoResult;

/* Executes the request in `task`.  `nowait`: IOCB_NOWAIT, every condition that would block gives EAGAIN. */
FileIoResult file_io (Task *task, Request *request, gboolean nowait);
/* IOCB_WAITQ: a read that blocks for locks, but whose task_work is queued when the page it needs has been read. */
FileIoResult file_io_waitq (Task *task, Request *request);
/* Blocking, but only if the inode lock is free right now. */
FileIoResult file_io_trylock (Task *task, Request *request);

/* io_fixup_rw_res(): with what a request ends that would have to wait and must not. */
static inline int64_t io_fixup_rw_res (const Request *request, int error)
{
  return request->bytes_done ? (int64_t) request->bytes_done : -error;
}

/* kiocb_set_rw_flags(): EOPNOTSUPP for RWF_NOWAIT or RWF_DONTCACHE where the file cannot do it, else 0. */
int      file_rw_flags_error (const Simulation *sim, const Request *request);
/* Whether the device lets io_uring try a request to its file without waiting (bdev_nowait()); DEVICE_NOWAIT. */
gboolean file_device_has_nowait (const Simulation *sim, gboolean direct);

/* The inode lock for a request, with its times; `try`: FALSE if it is taken.  LOCK_NONE does nothing. */
gboolean inode_lock (Task *task, Request *request, LockMode mode, gboolean try);
void     inode_unlock (Task *task, Inode *inode, LockMode mode);

#endif
