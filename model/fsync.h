/*
 * Making data durable: fsync(), fdatasync(), writes with O_SYNC or O_DSYNC, sync_file_range().
 *
 * Stands for vfs_fsync_range() with file_write_and_wait_range(), generic_write_sync(), sync_file_range() of fs/sync.c,
 * and IOMAP_DIO_NEED_SYNC with s_dio_done_wq of fs/iomap/direct-io.c (5.1 to 6.18):
 *   - the dirty pages of the range are written out and waited for, then the inode's metadata are committed and the
 *     device's cache is flushed (journal.h), with no inode lock, asleep in between;
 *   - a write with O_SYNC (RWF_SYNC) or O_DSYNC (RWF_DSYNC) does that for its range after it has given its lock back,
 *     whether it was tried with NOWAIT or not: a file system that takes NOWAIT writes makes the submitter wait;
 *   - RWF_DONTCACHE starts writing the range instead and waits for nothing;
 *   - a direct write does it under its lock if it is waited for, else a kworker does it after the interrupt
 *     (dio_workqueue.h).  O_DSYNC needs none of this where only blocks with data were overwritten and the device takes
 *     FUA: the write is one;
 *   - sync_file_range() writes and waits, and neither commits nor flushes.
 */
#ifndef FSYNC_H
#define FSYNC_H

#include "model/request.h"

/* vfs_fsync_range(): length UINT64_MAX: the whole file. */
void vfs_fsync_range (Task *task, Inode *inode, uint64_t offset, uint64_t length, gboolean datasync);
/* ksys_sync_file_range() with flags of SyncRangeFlags; length 0: to the end of the file. */
void sync_file_range (Task *task, Inode *inode, uint64_t offset, uint64_t length, unsigned flags);
/* generic_write_sync(): what is to be done after a write has written these bytes. */
void generic_write_sync (Task *task, const Request *request, uint64_t offset, uint64_t length);

#endif
