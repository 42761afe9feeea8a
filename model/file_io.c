/* See file_io.h. */
#include "model/file_io.h"

#include "model/direct_io.h"
#include "model/fsync.h"
#include "model/page_io.h"
#include "model/short_write.h"
#include "model/writeback.h"

#include <errno.h>

typedef enum {
  HOW_BLOCKING, /* waits for locks and pages */
  HOW_NOWAIT,   /* IOCB_NOWAIT: waits for nothing */
  HOW_TRYLOCK,  /* waits for pages, not for the inode lock */
  HOW_WAITQ,    /* IOCB_WAITQ: waits for locks; for pages by a callback */
} How;

gboolean inode_lock (Task *task, Request *request, LockMode mode, gboolean try)
{
  Rwsem *sem = &request->inode->rwsem;
  gboolean got = TRUE;

  request->time.lock_wanted = task_now (task);
  request->lock_holder = lock_holder_kind (sem->owner ? sem->owner : sem->readers ? sem->last_reader : NULL);
  if (mode == LOCK_EXCLUSIVE && try)
    got = rwsem_down_write_trylock (task, sem);
  else if (mode == LOCK_EXCLUSIVE)
    rwsem_down_write (task, sem);
  else if (mode == LOCK_SHARED && try)
    got = rwsem_down_read_trylock (task, sem);
  else if (mode == LOCK_SHARED)
    rwsem_down_read (task, sem);
  request->time.lock_got = task_now (task);
  return got;
}

void inode_unlock (Task *task, Inode *inode, LockMode mode)
{
  if (mode == LOCK_EXCLUSIVE)
    rwsem_up_write (task, &inode->rwsem);
  else if (mode == LOCK_SHARED)
    rwsem_up_read (task, &inode->rwsem);
}

static void outside_model (Task *task, const Request *request, const char *what)
{
  const WorkloadFile *file = g_ptr_array_index (task->sim->setup->workload->files, request->io.file);
  g_autofree char *name = g_strescape (file->name, NULL);

  sim_fail (task->sim,
            g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "%s at offset %" G_GUINT64_FORMAT " of \"%s\": %s",
                         io_op_name (request->io.op), request->io.offset, name, what));
}

/* The lock of a buffered read or write, on kernels where there is one. */
static LockMode buffered_lock (const Simulation *sim, LockMode mode)
{
  return kernel_range_has (sim->setup->file_system->locks_taken, sim->kernel) ? mode : LOCK_NONE;
}

/* A page that is not in the cache and has data on the device. */
static gboolean must_read (Inode *inode, uint64_t page_start)
{
  return page_start < inode->size && page_cache_count (&inode->pages, page_start, 1).unread;
}

/* folio_wait_stable(): pages under writeback that must not change are waited for, NOWAIT or not. */
static void write_wait_stable (Task *task, Inode *inode, uint64_t offset, uint64_t length)
{
  const Simulation *sim = task->sim;

  if (!sim->setup->file_system->stable_pages && !block_has_stable_writes (sim->device))
    return;
  while (page_cache_is_writeback (&inode->pages, offset, length))
    page_io_wait_writeback (task, inode, offset, length);
}

/* Before a write that may wait: its first and last page must be read if they are written in part and lie inside the
 * file, and no page of it may be on its way in. */
static void write_prepare_pages (Task *task, Inode *inode, uint64_t offset, uint64_t length, gboolean dontcache)
{
  uint64_t end = offset + length;
  uint64_t first = offset / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES, last = end / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES;
  PageRead *read;

  for (;;) {
    if (offset != first && must_read (inode, first))
      read = page_io_read (task, inode, first, 1, dontcache);
    else if (end != last && must_read (inode, last))
      read = page_io_read (task, inode, last, 1, dontcache);
    else if (!(read = page_io_reading (inode, offset, length)))
      return;
    if (read)
      page_io_wait (task, read);
  }
}

/* Now and then a blocking write waits with the lock held, e.g. for a journal handle (ext4_journal_start()), for the
 * mapping lock (i_data_sem), for a page the flusher has locked.  What it waits for is not modelled, that it
 * sleeps is: a sleeping owner ends all spinning on its lock. */
static void write_may_sleep (Task *task)
{
  Simulation *sim = task->sim;
  UrTime every = sim->fs_costs->cost[FS_COUNT_SLEEP_EVERY].ns;

  if (every == 0 || ur_random_below (&sim->fs_cost[FS_COUNT_SLEEP_EVERY].stream, every) != 0)
    return;
  task_sync (task);
  task_prepare_to_sleep (task);
  task->waits_for = "the file system, inside a write";
  task_schedule (task, sim_now (sim) + sim_fs_cost (sim, FS_COST_SLEEP));
  task->waits_for = NULL;
}

/* Pages of the request in large folios, each of which is looked up once. */
static unsigned large_pages (const Simulation *sim, const PageCount *count)
{
  return kernel_range_has (sim->setup->file_system->large_folios, sim->kernel) ? count->large : 0;
}

/* How many look-ups miss in the CPUs' caches: a page that this run has not touched yet always, any other with the share
 * of the file that does not fit, unless the pages follow on the last: those are prefetched. */
static double cold_pages (const Task *task, const Inode *inode, uint64_t offset, const PageCount *count)
{
  const Machine *machine = task->sim->setup->machine;
  uint64_t first = offset / PAGE_SIZE_BYTES, size = inode->pages.resident * PAGE_SIZE_BYTES;
  gboolean follows = first == inode->next_page || first + 1 == inode->next_page;
  double beyond = size > machine->cache_size ? 1 - (double) machine->cache_size / (double) size : 0;
  unsigned resident = count->pages - count->missing, large = large_pages (task->sim, count);

  if (follows || resident == 0)
    return 0;
  return (count->untouched + beyond * (resident - count->untouched)) * (resident - large + (large > 0)) / resident;
}

/* What follows on these pages is prefetched. */
static void inode_accessed (Inode *inode, uint64_t offset, const PageCount *count)
{
  inode->next_page = offset / PAGE_SIZE_BYTES + count->pages;
}

static UrTime cold_cost (const Task *task, const Inode *inode, uint64_t offset, const PageCount *count,
                         FileSystemCostKey key)
{
  double cold = task->sim->fs_costs->cost[key].ns ? cold_pages (task, inode, offset, count) : 0;

  return cold > 0 ? (UrTime) (cold * (double) sim_fs_cost (task->sim, key)) : 0;
}

static void hold_for (Task *task, Inode *inode, UrTime ns)
{
  if (buffered_lock (task->sim, task->sim->setup->file_system->write_lock) != LOCK_NONE)
    rwsem_run (task, &inode->rwsem, ns);
  else
    task_run (task, ns);
}

/* Copying the part of a page that lies in the range: the first, the last, or one in between. */
static UrTime copy_cost (Simulation *sim, uint64_t offset, uint64_t length, unsigned page)
{
  uint64_t first = offset / PAGE_SIZE_BYTES + page;
  uint64_t from = MAX (offset, first * PAGE_SIZE_BYTES), end = MIN (offset + length, (first + 1) * PAGE_SIZE_BYTES);

  return sim_fs_cost (sim, FS_COST_COPY_PAGE) * (end - from) / PAGE_SIZE_BYTES;
}

/* The walks over all buffers of a large folio, before and after the copying. */
static UrTime folio_walk_cost (Simulation *sim, const Inode *inode, uint64_t length)
{
  double further = length > PAGE_SIZE_BYTES ? (double) (length - PAGE_SIZE_BYTES) / PAGE_SIZE_BYTES : 0;
  double ns = (double) sim_fs_cost (sim, FS_COST_LARGE_FOLIO);

  if (further > 0)
    ns += further * (double) sim_fs_cost (sim, FS_COST_FOLIO_PAGE);
  return (UrTime) (inode->folio_share * ns);
}

/* Looking up, copying and making dirty: how long it takes. */
static UrTime write_pages (Task *task, const Request *request, uint64_t offset, uint64_t length)
{
  Simulation *sim = task->sim;
  Inode *inode = request->inode;
  PageCount count = request->dontcache ? page_cache_dirty_behind (&inode->pages, offset, length)
                                       : page_cache_dirty (&inode->pages, offset, length);
  UrTime ns = 0;

  for (unsigned i = 0; i < count.pages; i++)
    ns += sim_fs_cost (sim, FS_COST_WRITE_PAGE) + copy_cost (sim, offset, length, i);
  ns += cold_cost (task, inode, offset, &count, FS_COST_COLD_PAGE);
  inode_accessed (inode, offset, &count);
  if (large_pages (sim, &count))
    ns += folio_walk_cost (sim, inode, length);
  for (unsigned i = 0; i < count.clean; i++)
    ns += sim_fs_cost (sim, FS_COST_DIRTY_FIRST);
  for (unsigned i = 0; i < count.missing; i++)
    ns += sim_fs_cost (sim, FS_COST_PAGE_ADD);
  inode_grow (inode, offset + length);
  if (inode->pages.totals) {
    writeback_account_dirtied (task, inode, count.clean);
    writeback_reclaim (task, sim->wb);
  }
  return ns;
}

/* Where somebody may have to pause, page by page.  Returns where it came to: short of `end` if `nowait`, and it would
 * have to. */
static uint64_t write_balanced (Task *task, const Request *request, uint64_t offset, uint64_t end, UrTime ns,
                                gboolean nowait)
{
  Simulation *sim = task->sim;
  Inode *inode = request->inode;
  gboolean at_end = sim->setup->file_system->balance_at_end, rounds = nowait && short_write_by_rounds (sim);
  uint64_t at = offset;

  for (uint64_t n; at < end; at += n) {
    n = MIN (PAGE_SIZE_BYTES - at % PAGE_SIZE_BYTES, end - at);
    if (!at_end && (!rounds || short_write_mapping (inode, offset, at) == at) &&
        !balance_dirty_pages_ratelimited (task, sim->wb, nowait))
      break;
    hold_for (task, inode, ns + write_pages (task, request, at, n));
    ns = 0;
    if (at_end)
      balance_dirty_pages_ratelimited (task, sim->wb, FALSE);
  }
  return at;
}

/* Work done with the lock held, up to `end`: checks, time stamp, pages, size.  Returns as above. */
static uint64_t write_locked (Task *task, const Request *request, uint64_t offset, uint64_t end, gboolean nowait)
{
  Simulation *sim = task->sim;
  Inode *inode = request->inode;
  UrTime ns = sim_fs_cost (sim, FS_COST_WRITE_LOCKED);

  if (inode_needs_time_update (inode)) {
    ns += sim_fs_cost (sim, FS_COST_TIME_STAMP);
    inode_time_updated (inode);
  }
  if (!inode->pages.totals) {
    hold_for (task, inode, ns + write_pages (task, request, offset, end - offset));
  } else if (G_LIKELY (writeback_is_freerun (sim->wb, (end - offset) / PAGE_SIZE_BYTES + 2))) {
    hold_for (task, inode, ns + write_pages (task, request, offset, end - offset));
    balance_dirty_pages_ratelimited (task, sim->wb, FALSE);
  } else {
    end = write_balanced (task, request, offset, end, ns, nowait);
  }
  if (!nowait)
    write_may_sleep (task);
  return end;
}

/* A NOWAIT write has to stop at `at`: what lies in mappings before stays done. */
static void write_is_short (Task *task, Request *request, uint64_t offset, uint64_t at)
{
  uint64_t kept = short_write_mapping (request->inode, offset, at) - offset;

  if (!kept)
    return;
  request->bytes_done += kept;
  task->sim->count.short_writes++;
  if (request->ring)
    sim_trace (task, TRACE_SHORT_WRITE, request, 0);
}

static FileIoResult file_write (Task *task, Request *request, How how)
{
  const FileSystem *fs = task->sim->setup->file_system;
  Inode *inode = request->inode;
  LockMode mode = buffered_lock (task->sim, fs->write_lock);
  gboolean nowait = how == HOW_NOWAIT;
  uint64_t offset = request->io.offset + request->bytes_done, end = request->io.offset + request->io.length;
  uint64_t stop = end, at;

  task_run (task, sim_fs_cost (task->sim, FS_COST_WRITE_BEFORE));
  if (mode == LOCK_SHARED && fs->regular && request->io.offset + request->io.length > inode->size)
    mode = LOCK_EXCLUSIVE; /* i_size will change */
  if (!inode_lock (task, request, mode, nowait || how == HOW_TRYLOCK)) {
    request->again = AGAIN_LOCK;
    task_cost (task, COST_ATTEMPT_LOCKED);
    return FILE_IO_AGAIN;
  }
  if (!nowait)
    write_prepare_pages (task, inode, offset, end - offset, request->dontcache);
  else if ((fs->timestamp_blocks && inode_needs_time_update (inode)) || offset > inode->size)
    stop = offset;
  else
    stop = short_write_blocks_at (inode, offset, end - offset);
  if (stop != end && short_write_by_rounds (task->sim))
    stop = short_write_mapping (inode, offset, stop);
  if (stop == offset && end != offset) {
    request->again = fs->timestamp_blocks && inode_needs_time_update (inode) ? AGAIN_TIME
                     : offset > inode->size                                  ? AGAIN_TIME
                                                                             : AGAIN_PAGE;
    inode_unlock (task, inode, mode);
    task_cost (task, COST_ATTEMPT_LOCKED);
    return FILE_IO_AGAIN;
  }
  if (fs->direct.buffered_waits && inode->direct)
    inode_dio_wait (task, inode);
  if (inode->pages.writeback)
    write_wait_stable (task, inode, offset, stop - offset);
  at = write_locked (task, request, offset, stop, nowait);
  if (G_UNLIKELY (at != end))
    write_is_short (task, request, offset, at);
  inode_unlock (task, inode, mode);
  if (at != end) {
    request->again = AGAIN_SHORT;
    if (request->io.offset + request->bytes_done > offset)
      generic_write_sync (task, request, offset, request->io.offset + request->bytes_done - offset);
    task_cost (task, COST_ATTEMPT_LOCKED);
    return FILE_IO_AGAIN;
  }
  task_run (task, sim_fs_cost (task->sim, FS_COST_WRITE_AFTER));
  generic_write_sync (task, request, offset, end - offset);
  request->result = (int64_t) request->io.length;
  return FILE_IO_DONE;
}

/* The pages of a read are in the cache, or need no device: FILE_IO_DONE. */
static FileIoResult read_pages (Task *task, Request *request, uint64_t length, How how, PageCount *ret_count)
{
  Inode *inode = request->inode;
  uint64_t offset = request->io.offset;
  PageRead *read;

  if (page_io_readahead_due (inode, offset, length))
    page_io_read (task, inode, offset, length, request->dontcache);
  while ((*ret_count = page_cache_touch (&inode->pages, offset, length)).unread) {
    if (how == HOW_NOWAIT) {
      request->again = AGAIN_PAGE;
      return FILE_IO_AGAIN;
    }
    read = page_io_read (task, inode, offset, length, request->dontcache);
    if (read && how == HOW_WAITQ) {
      page_io_callback (read, request);
      return FILE_IO_QUEUED;
    }
    if (read)
      page_io_wait (task, read);
  }
  writeback_reclaim (task, task->sim->wb);
  return FILE_IO_DONE;
}

/* filemap_end_dropbehind_read() */
static void read_drop_behind (Task *task, Inode *inode, uint64_t offset, uint64_t length)
{
  unsigned pages;

  task_sync (task);
  pages = length ? page_cache_end_drop_behind (&inode->pages, offset, length) : 0;
  task->sim->wb->dropped += pages;
  task_run (task, (UrTime) (pages * (double) sim_cost (task->sim, COST_EVICT_PAGE)));
}

static FileIoResult file_read (Task *task, Request *request, How how)
{
  Simulation *sim = task->sim;
  LockMode mode = buffered_lock (sim, sim->setup->file_system->read_lock);
  Inode *inode = request->inode;
  uint64_t end = MIN (request->io.offset + request->io.length, inode->size);
  uint64_t length = request->io.offset < end ? end - request->io.offset : 0;
  PageCount count;
  FileIoResult result;

  task_run (task, sim_fs_cost (sim, FS_COST_READ_BEFORE));
  /* blkdev_read_iter() takes its lock blocking whatever the flags */
  if (!inode_lock (task, request, mode,
                   (how == HOW_NOWAIT && sim->setup->file_system->regular) || how == HOW_TRYLOCK)) {
    request->again = AGAIN_LOCK;
    task_cost (task, COST_ATTEMPT_LOCKED);
    return FILE_IO_AGAIN;
  }
  result = read_pages (task, request, length, how, &count);
  if (result != FILE_IO_DONE) {
    inode_unlock (task, inode, mode);
    return result;
  }
  for (unsigned i = 0; i < count.pages; i++)
    task_run (task, sim_fs_cost (sim, FS_COST_READ_PAGE) + copy_cost (sim, request->io.offset, length, i));
  task_run (task, cold_cost (task, inode, request->io.offset, &count, FS_COST_COLD_READ));
  inode_accessed (inode, request->io.offset, &count);
  page_io_used (inode, request->io.offset, length);
  if (request->dontcache)
    read_drop_behind (task, inode, request->io.offset, length);
  inode_unlock (task, inode, mode);
  request->result = (int64_t) length;
  return FILE_IO_DONE;
}

/* bdev_nowait(): asked of block devices, up to 6.4 of what lies below a regular file too (io_bdev_nowait()); later the
 * file system answers for itself, and the device refuses the bio. */
gboolean file_device_has_nowait (const Simulation *sim, gboolean direct)
{
  const FileSystem *fs = sim->setup->file_system;

  if (fs->in_memory || device_number (sim->setup->device, DEVICE_NOWAIT) != 0)
    return TRUE;
  return fs->regular && sim->kernel >= KERNEL (6, 5) && !direct;
}

/* io_uring's own tests before the file system is called: kiocb_done is out of reach for NOWAIT if the
 * file type cannot do it on this kernel (io_write(), io_read(), io_file_supports_nowait()). */
static gboolean nowait_refused (const Simulation *sim, const Request *request)
{
  const FileSystem *fs = sim->setup->file_system;
  gboolean capable = (sim->kernel < KERNEL (6, 5) || kernel_range_has (fs->nowait, sim->kernel)) &&
                     file_device_has_nowait (sim, request->direct);

  switch (request->io.op) {
  case IO_WRITE:
    if (request->direct)
      return !capable;
    if (!fs->regular)
      return TRUE; /* the block device's write_iter answers EOPNOTSUPP, seen as EAGAIN */
    return !kernel_range_has (fs->buffer_wasync, sim->kernel) || !capable;
  case IO_READ:
    return !capable;
  default:
    return TRUE; /* fsync and its kin always need a context that may block */
  }
}

/* RWF_DONTCACHE came with 6.14, and with file systems that have it later. */
int file_rw_flags_error (const Simulation *sim, const Request *request)
{
  const FileSystem *fs = sim->setup->file_system;

  return (request->nowait && !kernel_range_has (fs->nowait, sim->kernel)) ||
                 (request->dontcache && !kernel_range_has (fs->dont_cache, sim->kernel))
             ? EOPNOTSUPP
             : 0;
}

static FileIoResult file_io_how (Task *task, Request *request, How how)
{
  request->executor = task;
  if (how == HOW_NOWAIT && nowait_refused (task->sim, request)) {
    request->again = AGAIN_NOWAIT;
    task_cost (task, COST_ATTEMPT_REFUSED);
    return FILE_IO_AGAIN_EARLY;
  }
  if (request->direct && (request->io.op == IO_WRITE || request->io.op == IO_READ) &&
      !task->sim->setup->file_system->in_memory)
    return direct_io (task, request, how == HOW_NOWAIT ? DIRECT_NOWAIT : how == HOW_TRYLOCK ? DIRECT_TRYLOCK : 0);
  switch (request->io.op) {
  case IO_WRITE:
    return file_write (task, request, how);
  case IO_READ:
    return file_read (task, request, how);
  case IO_SYNC:
  case IO_DATASYNC:
    vfs_fsync_range (task, request->inode, 0, UINT64_MAX, request->io.op == IO_DATASYNC);
    request->result = 0;
    return FILE_IO_DONE;
  case IO_SYNC_FILE_RANGE:
    sync_file_range (task, request->inode, request->io.offset, request->io.length, request->sync_range);
    request->result = 0;
    return FILE_IO_DONE;
  default:
    outside_model (task, request, "discards are not modelled in this version");
    request->result = -EOPNOTSUPP;
    return FILE_IO_DONE;
  }
}

FileIoResult file_io (Task *task, Request *request, gboolean nowait)
{
  return file_io_how (task, request, nowait ? HOW_NOWAIT : HOW_BLOCKING);
}

FileIoResult file_io_trylock (Task *task, Request *request) { return file_io_how (task, request, HOW_TRYLOCK); }
FileIoResult file_io_waitq (Task *task, Request *request) { return file_io_how (task, request, HOW_WAITQ); }
