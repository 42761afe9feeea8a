/* See direct_io.h. */
#include "model/direct_io.h"

#include "model/dio_workqueue.h"
#include "model/fsync.h"
#include "model/interrupt.h"
#include "model/journal.h"
#include "model/page_io.h"

#include <errno.h>

#define SECTOR 512u

/* What a write needs beyond an overwrite. */
typedef struct {
  LockMode lock;
  gboolean waits;     /* for the device, with the lock held */
  gboolean drains;    /* first waits for all other direct requests of the inode */
  gboolean may_block; /* NOWAIT is refused */
  gboolean overwrite; /* blocks with data, inside EOF */
  gboolean converts;  /* allocated blocks without data, inside EOF: their extent is converted at the end, */
  gboolean splits;    /* and split before it is submitted */
} WriteNeeds;

static WriteNeeds needs_exclusive (gboolean waits, gboolean drains)
{
  return (WriteNeeds){ LOCK_EXCLUSIVE, waits, drains, TRUE, FALSE, FALSE, FALSE };
}

/* ext4_dio_write_checks(), xfs_file_dio_write(), btrfs_direct_write(). */
static WriteNeeds write_needs (const Simulation *sim, const Request *request)
{
  const FileSystem *fs = sim->setup->file_system;
  Inode *inode = request->inode;
  uint64_t offset = request->io.offset, end = offset + request->io.length;
  PageCount count = page_cache_count (&inode->pages, offset, request->io.length);
  gboolean overwrite = end <= inode->size && count.written == count.pages;
  gboolean aligned = offset % PAGE_SIZE_BYTES == 0 && request->io.length % PAGE_SIZE_BYTES == 0;
  gboolean allocated = overwrite || end <= inode->pages.base_pages * PAGE_SIZE_BYTES;
  WriteNeeds needs = { fs->direct.write, FALSE, FALSE, FALSE, overwrite, FALSE, FALSE };

  if (!fs->regular)
    return needs;
  if (!aligned)
    return overwrite && kernel_range_has (fs->direct.unaligned, sim->kernel) ? needs : needs_exclusive (TRUE, TRUE);
  if (offset > inode->size) /* zeroes the gap */
    return needs_exclusive (fs->direct.extend_waits, TRUE);
  if (end > inode->size) {
    needs.lock = fs->direct.extend;
    needs.waits = fs->direct.extend_waits;
    needs.may_block = needs.lock == LOCK_EXCLUSIVE;
  } else if (!overwrite && allocated && !kernel_range_has (fs->direct.unwritten, sim->kernel)) {
    needs = needs_exclusive (FALSE, FALSE); /* ext4_iomap_alloc(), EXT4_GET_BLOCKS_IO_CREATE_EXT */
    needs.converts = needs.splits = TRUE;
    return needs;
  } else if (!allocated && fs->direct.extend == LOCK_EXCLUSIVE &&
             !kernel_range_has (fs->direct.allocate, sim->kernel)) {
    return needs_exclusive (fs->direct.extend_waits, FALSE);
  }
  needs.converts = !overwrite && allocated && end <= inode->size;
  needs.may_block = needs.may_block || (!allocated && !kernel_range_has (fs->direct.allocate, sim->kernel));
  return needs;
}

/* ext4_convert_unwritten_extents(), xfs_iomap_write_unwritten(), and the split before: one at a time in a file. */
static void change_extents (Task *task, Inode *inode, FileSystemCostKey cost)
{
  if (!task->sim->fs_costs->cost[cost].ns)
    return;
  rwsem_down_write (task, &inode->extents);
  task_run (task, sim_fs_cost (task->sim, cost)); /* a transaction: no lines that those who wait pull at */
  rwsem_up_write (task, &inode->extents);
}

static gboolean is_written (Inode *inode, const Request *request)
{
  PageCount count = page_cache_count (&inode->pages, request->io.offset, request->io.length);

  return count.written == count.pages;
}

/* IOMAP_DIO_NEED_SYNC, IOMAP_DIO_WRITE_THROUGH: a write with O_DSYNC that changes no metadata can do with FUA, or with
 * nothing if there is no volatile cache; a block device always asks for FUA. */
static void prepare_sync (Request *request)
{
  Inode *inode = request->inode;
  const Simulation *sim = inode->sim;
  gboolean through = !block_has_volatile_cache (sim->device) || block_has_fua (sim->device);
  gboolean regular = sim->setup->file_system->regular;

  request->dio_sync = request->io.op == IO_WRITE && request->sync != SYNC_NONE;
  request->bio.polled = request->bio.polled && !request->dio_sync;
  if (!request->dio_sync || !through || (regular && request->sync != SYNC_DATA))
    return;
  if (regular && (request->io.offset + request->io.length > inode->size || !is_written (inode, request) ||
                  journal_is_datasync_dirty (inode) || sim->setup->file_system->journal >= JOURNAL_TREE_LOG))
    return;
  request->bio.fua = block_has_volatile_cache (sim->device);
  request->dio_sync = FALSE;
}

static void charge_complete (Simulation *sim, Task *task, Cpu *cpu)
{
  UrTime ns = sim_fs_cost (sim, FS_COST_DIRECT_DONE);

  if (task)
    task_run (task, ns);
  else
    cpu_interrupt (cpu, ns);
}

/* iomap_dio_complete(): by a task or an interrupt. */
static void direct_complete (Request *request, Task *task, Cpu *cpu)
{
  Inode *inode = request->inode;

  if (request->io.op == IO_WRITE) {
    journal_data_written (inode, !is_written (inode, request));
    page_cache_set_written (&inode->pages, request->io.offset, request->io.length);
    inode_grow (inode, request->io.offset + request->io.length);
  }
  request->result = (int64_t) request->bio.length;
  request->dio_ended = TRUE;
  inode_dio_end (inode, task, cpu);
}

/* iomap_dio_deferred_complete() */
static void direct_deferred_complete (Task *task, Request *request)
{
  if (request->dio_converts)
    change_extents (task, request->inode, FS_COST_CONVERT);
  charge_complete (task->sim, task, NULL);
  task_sync (task);
  direct_complete (request, task, NULL);
}

/* What iomap_dio_complete() does last: generic_write_sync(). */
static void direct_sync_work (Task *task, Request *request)
{
  gboolean polled = request->polled;

  generic_write_sync (task, request, request->io.offset, request->io.length);
  task_sync (task);
  request->ki_complete (request, task, NULL);
  if (polled) /* IOCB_HIPRI is cleared, but the ring looks for it */
    block_poll_kick (task->sim->device);
}

/* iomap_dio_complete_work() */
static void direct_complete_work (Task *task, Request *request)
{
  direct_deferred_complete (task, request);
  if (G_UNLIKELY (request->dio_sync))
    direct_sync_work (task, request);
  else
    request->ki_complete (request, task, NULL);
}

typedef enum { ENDS_HERE, ENDS_IN_KWORKER, ENDS_IN_CALLER } DirectEnd;

/* Where it ends: here is the interrupt, or whoever found that the device is done; elsewhere can only be a write that
 * nobody waits for. */
static DirectEnd direct_end (const Request *request)
{
  const Simulation *sim = request->inode->sim;
  const FileSystem *fs = sim->setup->file_system;

  if (request->io.op != IO_WRITE || request->bio.polled || request->dio_waiter || request->dio_submitting)
    return ENDS_HERE;
  if (request->dio_sync)
    return ENDS_IN_KWORKER;
  if (!request->dio_overwrite)
    return kernel_range_has (fs->direct.done_work, sim->kernel) ? ENDS_IN_KWORKER : ENDS_HERE;
  if (request->ring && kernel_range_has (fs->direct.overwrite_by_caller, sim->kernel)) /* IOMAP_DIO_CALLER_COMP */
    return ENDS_IN_CALLER;
  return kernel_range_has (fs->direct.overwrite_work, sim->kernel) ? ENDS_IN_KWORKER : ENDS_HERE;
}

/* iomap_dio_bio_end_io() */
static void direct_ended (Bio *bio, Task *task, Cpu *cpu)
{
  Request *request = bio->data;

  switch (direct_end (request)) {
  case ENDS_IN_KWORKER:
    dio_queue_work (request->inode->sim, task, cpu, request, direct_complete_work);
    return;
  case ENDS_IN_CALLER:
    request->dio_complete = direct_deferred_complete;
    request->ki_complete (request, task, cpu);
    return;
  case ENDS_HERE:
    break;
  }
  charge_complete (request->inode->sim, task, cpu);
  direct_complete (request, task, cpu);
  if (request->dio_waiter)
    block_wake (task, cpu, request->dio_waiter);
  else if (!request->dio_submitting)
    request->ki_complete (request, task, cpu);
}

/* Mapping and pinning; the pages of a registered buffer are pinned for good (bio_iov_iter_get_pages() of a bvec). */
static UrTime direct_cost (Simulation *sim, const Request *request)
{
  UrTime ns = sim_fs_cost (sim, FS_COST_DIRECT_LOCKED), saved;

  if (!(request->sqe_flags & SQE_FIXED_BUFFER))
    return ns;
  saved = sim_cost (sim, COST_BLOCK_PIN_SAVES);
  return ns > saved ? ns - saved : 0;
}

/* Who has waited for the write syncs it; with its lock, which btrfs gives back before. */
static void submit_sync (Task *task, Request *request, LockMode mode)
{
  gboolean first = task->sim->setup->file_system->journal == JOURNAL_TREE_LOG;

  if (first)
    inode_unlock (task, request->inode, mode);
  generic_write_sync (task, request, request->io.offset, request->io.length);
  if (!first)
    inode_unlock (task, request->inode, mode);
}

/* Submits the bio, and sleeps until it has ended if it has to be waited for.  The lock (`mode`) is held, and given up.
 * After FILE_IO_QUEUED the request may be gone. */
static FileIoResult submit (Task *task, Request *request, uint64_t length, LockMode mode, gboolean waits,
                            gboolean nowait)
{
  Simulation *sim = task->sim;
  Inode *inode = request->inode;

  waits = waits || !request->ki_complete;
  if (request->polled && !waits && !block_is_polled (sim->device) && sim->kernel >= KERNEL (6, 12)) {
    inode_unlock (task, inode, mode); /* submit_bio_noacct(): BLK_STS_NOTSUPP */
    request->result = -EOPNOTSUPP;
    return FILE_IO_DONE;
  }
  task_run (task, direct_cost (sim, request));
  request->bio = (Bio){ .op = request->io.op == IO_WRITE ? BLOCK_WRITE : BLOCK_READ,
                        .polled = request->polled && !waits,
                        .start = inode->device_start + request->io.offset,
                        .length = length,
                        .end = direct_ended,
                        .data = request };
  request->dio_submitting = TRUE;
  request->dio_ended = request->dio_sync = FALSE;
  if (G_UNLIKELY (request->sync != SYNC_NONE))
    prepare_sync (request);
  request->dio_waiter = NULL;
  if (request->io.op != IO_WRITE)
    request->dio_converts = FALSE;
  inode->direct++;
  nowait = nowait && (request->bio.polled || !sim->setup->file_system->regular);
  if (!block_submit_bio (task, sim->device, &request->bio, nowait)) {
    request->again = AGAIN_DEVICE;
    inode_dio_end (inode, task, task->cpu);
    inode_unlock (task, inode, mode);
    return FILE_IO_AGAIN;
  }
  request->dio_waiter = waits ? task : NULL;
  while (waits && !request->dio_ended) {
    task_prepare_to_sleep (task);
    task->waits_for = "a direct request";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
  request->dio_submitting = FALSE;
  if (!request->dio_ended) {
    inode_unlock (task, inode, mode);
    return FILE_IO_QUEUED;
  }
  if (request->dio_converts)
    change_extents (task, inode, FS_COST_CONVERT);
  if (G_UNLIKELY (request->dio_sync && waits)) {
    submit_sync (task, request, mode);
    return FILE_IO_DONE;
  }
  inode_unlock (task, inode, mode);
  if (G_LIKELY (!request->dio_sync)) /* before the submission was over, or waited for */
    return FILE_IO_DONE;
  dio_queue_work (sim, task, NULL, request, direct_sync_work);
  return FILE_IO_QUEUED;
}

static FileIoResult refused (Task *task, Request *request, LockMode mode)
{
  request->again = AGAIN_DIRTY;
  inode_unlock (task, request->inode, mode);
  task_cost (task, COST_ATTEMPT_LOCKED);
  return FILE_IO_AGAIN;
}

static FileIoResult direct_read (Task *task, Request *request, DirectHow how)
{
  LockMode mode = task->sim->setup->file_system->direct.read;
  Inode *inode = request->inode;
  uint64_t offset = request->io.offset, end = MIN (offset + request->io.length, inode->size);
  uint64_t length = offset < end ? end - offset : 0;
  PageCount count;

  if (!inode_lock (task, request, mode, how != DIRECT_BLOCKING)) {
    request->again = AGAIN_LOCK;
    task_cost (task, COST_ATTEMPT_LOCKED);
    return FILE_IO_AGAIN;
  }
  task_sync (task);
  count = page_cache_count (&inode->pages, offset, length);
  if (count.clean < count.pages || inode->writeback->len) { /* kiocb_write_and_wait() */
    if (how == DIRECT_NOWAIT && count.clean < count.pages)
      return refused (task, request, mode);
    if (how != DIRECT_NOWAIT) {
      page_io_write_out (task, inode, offset, length);
      page_io_wait_writeback (task, inode, offset, length);
      count = page_cache_count (&inode->pages, offset, length);
    }
  }
  if (!count.written) { /* past EOF, or zeros that are nowhere */
    inode_unlock (task, inode, mode);
    request->result = (int64_t) length;
    return FILE_IO_DONE;
  }
  return submit (task, request, length, mode, FALSE, how == DIRECT_NOWAIT);
}

static FileIoResult direct_write (Task *task, Request *request, DirectHow how)
{
  Simulation *sim = task->sim;
  const FileSystem *fs = sim->setup->file_system;
  Inode *inode = request->inode;
  gboolean nowait = how == DIRECT_NOWAIT;
  LockMode mode = write_needs (sim, request).lock;
  WriteNeeds needs;
  PageCount count;

  /* Asked again under the lock: meanwhile the file may have grown, or the blocks been written.  If less is needed then,
   * the lock stays as it was taken; if more, it is taken anew. */
  for (;;) {
    if (!inode_lock (task, request, mode, how != DIRECT_BLOCKING)) {
      request->again = AGAIN_LOCK;
      task_cost (task, COST_ATTEMPT_LOCKED);
      return FILE_IO_AGAIN;
    }
    task_sync (task);
    needs = write_needs (sim, request);
    if (G_LIKELY (needs.lock <= mode))
      break;
    inode_unlock (task, inode, mode);
    mode = needs.lock;
  }
  count = page_cache_count (&inode->pages, request->io.offset, request->io.length);
  if (nowait && (needs.may_block || (needs.drains && inode->direct) || count.missing < count.pages ||
                 (fs->timestamp_blocks && inode_needs_time_update (inode))))
    return refused (task, request, mode);
  if (inode_needs_time_update (inode)) {
    task_run (task, sim_fs_cost (sim, FS_COST_TIME_STAMP));
    inode_time_updated (inode);
  }
  if (needs.drains)
    inode_dio_wait (task, inode);
  if (count.missing < count.pages) { /* kiocb_invalidate_pages() */
    page_io_write_out (task, inode, request->io.offset, request->io.length);
    page_io_wait_writeback (task, inode, request->io.offset, request->io.length);
    page_cache_drop (&inode->pages, request->io.offset, request->io.length);
  }
  request->dio_overwrite = needs.overwrite;
  request->dio_converts = needs.converts;
  if (needs.splits)
    change_extents (task, inode, FS_COST_SPLIT);
  return submit (task, request, request->io.length, mode, needs.waits, nowait);
}

FileIoResult direct_io (Task *task, Request *request, DirectHow how)
{
  task_run (task, sim_fs_cost (task->sim, FS_COST_DIRECT_BEFORE));
  if (request->io.offset % SECTOR || request->io.length % SECTOR) { /* iomap_dio_bio_iter() */
    request->result = -EINVAL;
    return FILE_IO_DONE;
  }
  return request->io.op == IO_WRITE ? direct_write (task, request, how) : direct_read (task, request, how);
}
