/* See fsync.h. */
#include "model/fsync.h"

#include "model/journal.h"
#include "model/page_io.h"

void vfs_fsync_range (Task *task, Inode *inode, uint64_t offset, uint64_t length, gboolean datasync)
{
  task_run (task, sim_fs_cost (task->sim, FS_COST_FSYNC));
  task_sync (task);
  if (task->sim->setup->file_system->in_memory) /* noop_fsync() */
    return;
  page_io_write_out (task, inode, offset, length);
  page_io_wait_writeback (task, inode, offset, length);
  journal_sync (task, inode, datasync);
}

void sync_file_range (Task *task, Inode *inode, uint64_t offset, uint64_t length, unsigned flags)
{
  length = length ? length : UINT64_MAX;
  task_sync (task);
  if (task->sim->setup->file_system->in_memory)
    return;
  if (flags & SYNC_RANGE_WAIT_BEFORE)
    page_io_wait_writeback (task, inode, offset, length);
  if ((flags & SYNC_RANGE_ALL) == SYNC_RANGE_ALL) /* SYNC_FILE_RANGE_WRITE_AND_WAIT: WB_SYNC_ALL */
    page_io_write_out (task, inode, offset, length);
  else if (flags & SYNC_RANGE_WRITE)
    page_io_kick (task, inode, offset, length);
  if (flags & SYNC_RANGE_WAIT_AFTER)
    page_io_wait_writeback (task, inode, offset, length);
}

void generic_write_sync (Task *task, const Request *request, uint64_t offset, uint64_t length)
{
  if (G_UNLIKELY (request->sync != SYNC_NONE))
    vfs_fsync_range (task, request->inode, offset, length, request->sync == SYNC_DATA);
  else if (G_UNLIKELY (request->dontcache))
    page_io_kick (task, request->inode, offset, length);
}
