/* See page_io.h. */
#include "model/page_io.h"

#include "model/interrupt.h"
#include "model/journal.h"
#include "model/task_work.h"
#include "model/writeback.h"

#define READAHEAD_PAGES 32u /* VM_READAHEAD_PAGES: 128 KiB */

static uint64_t first_page (uint64_t offset) { return offset / PAGE_SIZE_BYTES; }
/* Past the last. */
static uint64_t end_page (uint64_t offset, uint64_t length)
{
  return length ? (offset + (length - 1)) / PAGE_SIZE_BYTES + 1 : first_page (offset);
}

/* ---- reading ---- */

/* On the stack of who waits. */
typedef struct {
  Task *task;
  gboolean done;
} PageWaiter;

void page_read_free (gpointer data)
{
  PageRead *read = data;

  if (!read)
    return;
  g_clear_pointer (&read->waiters, g_ptr_array_unref);
  g_clear_pointer (&read->requests, g_ptr_array_unref);
  g_free (read);
}

static PageRead *page_reading (Inode *inode, uint64_t page)
{
  for (unsigned i = 0; i < inode->reads->len; i++) {
    PageRead *read = g_ptr_array_index (inode->reads, i);

    if (page >= read->first && page - read->first < read->pages)
      return read;
  }
  return NULL;
}

PageRead *page_io_reading (Inode *inode, uint64_t offset, uint64_t length)
{
  PageRead *read = NULL;

  if (!inode->reads->len)
    return NULL;
  for (uint64_t page = first_page (offset), end = end_page (offset, length); page < end && !read; page++)
    read = page_reading (inode, page);
  return read;
}

/* The folios are unlocked: who waits for them hears of it. */
static void page_read_ended (Bio *bio, Task *task, Cpu *cpu)
{
  PageRead *read = bio->data;
  Inode *inode = read->inode;
  guint index;

  page_cache_fill (&inode->pages, read->first * PAGE_SIZE_BYTES, read->pages * PAGE_SIZE_BYTES);
  if (read->drop_behind)
    page_cache_drop_behind (&inode->pages, read->first * PAGE_SIZE_BYTES, read->pages * PAGE_SIZE_BYTES);
  for (unsigned i = 0; read->waiters && i < read->waiters->len; i++) {
    PageWaiter *waiter = g_ptr_array_index (read->waiters, i);

    waiter->done = TRUE;
    block_wake (task, cpu, waiter->task);
  }
  for (unsigned i = 0; read->requests && i < read->requests->len; i++) {
    Request *request = g_ptr_array_index (read->requests, i);

    io_req_task_work_add (task, cpu, request->ring, request, request->task_work);
  }
  if (g_ptr_array_find (inode->reads, read, &index))
    g_ptr_array_remove_index (inode->reads, index);
}

static void page_read_start (Task *task, Inode *inode, uint64_t first, uint64_t pages, gboolean drop_behind)
{
  Simulation *sim = inode->sim;
  PageRead *read;

  for (uint64_t i = 0; i < pages; i++)
    task_run (task, sim_fs_cost (sim, FS_COST_PAGE_ADD));
  task_sync (task);
  read = g_new (PageRead, 1);
  *read = (PageRead){ .bio = { .op = BLOCK_READ,
                               .start = inode->device_start + first * PAGE_SIZE_BYTES,
                               .length = pages * PAGE_SIZE_BYTES,
                               .end = page_read_ended,
                               .data = read },
                      .inode = inode,
                      .first = first,
                      .pages = pages,
                      .drop_behind = drop_behind };
  g_ptr_array_add (inode->reads, read); /* from here on others wait for it */
  block_submit_bio (task, sim->device, &read->bio, FALSE);
}

/* Starts what of [first, end) is neither in the cache nor on its way. */
static void page_read_missing (Task *task, Inode *inode, uint64_t first, uint64_t end, gboolean drop_behind)
{
  uint64_t run = first;

  for (uint64_t page = first; page <= end; page++) {
    gboolean missing =
        page < end && page_cache_count (&inode->pages, page * PAGE_SIZE_BYTES, 1).unread && !page_reading (inode, page);

    if (missing)
      continue;
    if (page > run)
      page_read_start (task, inode, run, page - run, drop_behind);
    run = page + 1;
  }
}

PageRead *page_io_read (Task *task, Inode *inode, uint64_t offset, uint64_t length, gboolean drop_behind)
{
  uint64_t first = first_page (offset), end = end_page (offset, length), limit = end_page (0, inode->size);
  gboolean sequential = first == inode->readahead_next || first + 1 == inode->readahead_next;
  BlockPlug plug;

  block_start_plug (task, &plug);
  page_read_missing (task, inode, first, end, drop_behind);
  if (sequential && end > inode->readahead_end) { /* the first window, or the reader is ahead of it */
    inode->readahead_mark = end;
    inode->readahead_end = MIN (MAX (end, first + READAHEAD_PAGES), limit);
    page_read_missing (task, inode, end, inode->readahead_end, drop_behind);
  } else if (sequential && end > inode->readahead_mark && inode->readahead_end < limit) {
    uint64_t from = inode->readahead_end;

    inode->readahead_mark = from;
    inode->readahead_end = MIN (from + READAHEAD_PAGES, limit);
    page_read_missing (task, inode, from, inode->readahead_end, drop_behind);
  }
  block_finish_plug (task, &plug);
  return page_io_reading (inode, offset, length);
}

gboolean page_io_readahead_due (const Inode *inode, uint64_t offset, uint64_t length)
{
  uint64_t end = end_page (offset, length);

  return first_page (offset) == inode->readahead_next && end > inode->readahead_mark && end <= inode->readahead_end &&
         inode->readahead_end < end_page (0, inode->size);
}

void page_io_used (Inode *inode, uint64_t offset, uint64_t length)
{
  if (length)
    inode->readahead_next = end_page (offset, length);
}

void page_io_wait (Task *task, PageRead *read)
{
  PageWaiter waiter = { task, FALSE };

  if (!read->waiters)
    read->waiters = g_ptr_array_new ();
  g_ptr_array_add (read->waiters, &waiter);
  while (!waiter.done) {
    task_prepare_to_sleep (task);
    task->waits_for = "a page to be read";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}

void page_io_callback (PageRead *read, Request *request)
{
  if (!read->requests)
    read->requests = g_ptr_array_new ();
  g_ptr_array_add (read->requests, request);
}

/* ---- writing ---- */

/* On the stack of who waits: for writeback older than `until` in these pages. */
typedef struct {
  Task *task;
  uint64_t first, end, until;
} WritebackWaiter;

static gboolean awaits (const WritebackWaiter *waiter, const Writeback *writeback)
{
  return writeback->number < waiter->until && writeback->first < waiter->end && waiter->first < writeback->end;
}

/* PG_dropbehind: what has been written leaves the cache. */
static void writeback_dropped (Simulation *sim, unsigned pages, Task *task, Cpu *cpu)
{
  UrTime ns;

  if (G_LIKELY (!pages))
    return;
  ns = (UrTime) (pages * (double) sim_cost (sim, COST_EVICT_PAGE));
  sim->wb->dropped += pages;
  if (task)
    task_run (task, ns);
  else
    cpu_interrupt (cpu, ns);
}

static void writeback_ended (Bio *bio, Task *task, Cpu *cpu)
{
  Writeback *writeback = bio->data;
  Inode *inode = writeback->inode;
  uint64_t pages = bio->length / PAGE_SIZE_BYTES;
  PageRun run = { (bio->start - inode->device_start) / PAGE_SIZE_BYTES, pages };

  writeback_dropped (inode->sim, page_cache_end_writeback (&inode->pages, run), task, cpu);
  writeback_account_written (inode->sim->wb, pages, task, cpu);
  if (--writeback->left)
    return;
  for (unsigned i = 0; i < inode->writeback_waiters->len; i++) {
    const WritebackWaiter *waiter = g_ptr_array_index (inode->writeback_waiters, i);

    if (awaits (waiter, writeback))
      block_wake (task, cpu, waiter->task);
  }
  g_ptr_array_remove (inode->writeback, writeback);
}

/* The pages are under writeback from now on. */
static void writeback_start (Task *task, Inode *inode, const GArray *runs)
{
  unsigned n = runs->len;
  const PageRun *run = (const PageRun *) (gconstpointer) runs->data;
  Writeback *writeback;
  BlockPlug plug;

  if (!n)
    return;
  writeback = g_malloc0 (sizeof (Writeback) + n * sizeof (Bio));
  writeback->inode = inode;
  writeback->number = inode->writeback_next++;
  writeback->first = UINT64_MAX;
  writeback->left = n;
  for (unsigned i = 0; i < n; i++) { /* a sweep that starts again at the lowest pages: not in order */
    page_cache_start_writeback (&inode->pages, run[i]);
    writeback->first = MIN (writeback->first, run[i].first);
    writeback->end = MAX (writeback->end, run[i].first + run[i].pages);
  }
  g_ptr_array_add (inode->writeback, writeback);
  block_start_plug (task, &plug);
  for (unsigned i = 0; i < n; i++) {
    writeback->bios[i] = (Bio){ .op = BLOCK_WRITE,
                                .start = inode->device_start + run[i].first * PAGE_SIZE_BYTES,
                                .length = run[i].pages * PAGE_SIZE_BYTES,
                                .end = writeback_ended,
                                .data = writeback };
    block_submit_bio (task, inode->sim->device, &writeback->bios[i], FALSE);
  }
  block_finish_plug (task, &plug);
}

/* So many dirty pages have been taken since `allocated` was looked at: their blocks, and what taking them costs. */
static void writeback_taken (Task *task, Inode *inode, uint64_t pages, uint64_t allocated)
{
  if (!pages)
    return;
  journal_data_written (inode, inode->pages.allocated != allocated);
  task_run (task, (UrTime) ((double) pages * (double) sim_cost (inode->sim, COST_WRITEBACK_PAGE)));
}

uint64_t page_io_write_some (Task *task, Inode *inode, uint64_t pages)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (PageRun));
  uint64_t n, allocated;

  task_sync (task);
  allocated = inode->pages.allocated;
  n = page_cache_write_some (&inode->pages, pages, runs);
  writeback_taken (task, inode, n, allocated);
  writeback_start (task, inode, runs);
  return n;
}

void page_io_write_out (Task *task, Inode *inode, uint64_t offset, uint64_t length)
{
  g_autoptr (GArray) runs = NULL;
  uint64_t dirty, allocated;

  task_sync (task);
  for (unsigned i = 0; i < 2 && page_cache_is_redirtied (&inode->pages, offset, length); i++)
    page_io_wait_writeback (task, inode, offset, length); /* twice at most: others go on writing */
  dirty = inode->pages.dirty;
  allocated = inode->pages.allocated;
  runs = page_cache_write_out (&inode->pages, offset, length);
  writeback_taken (task, inode, dirty - inode->pages.dirty, allocated);
  writeback_start (task, inode, runs);
}

void page_io_kick (Task *task, Inode *inode, uint64_t offset, uint64_t length)
{
  g_autoptr (GArray) runs = NULL;
  uint64_t dirty, allocated;

  task_sync (task);
  dirty = inode->pages.dirty;
  allocated = inode->pages.allocated;
  runs = page_cache_write_idle (&inode->pages, offset, length);
  writeback_taken (task, inode, dirty - inode->pages.dirty, allocated);
  writeback_start (task, inode, runs);
}

static gboolean is_awaited (const WritebackWaiter *waiter, const Inode *inode)
{
  for (unsigned i = 0; i < inode->writeback->len; i++)
    if (awaits (waiter, g_ptr_array_index (inode->writeback, i)))
      return TRUE;
  return FALSE;
}

void page_io_wait_writeback (Task *task, Inode *inode, uint64_t offset, uint64_t length)
{
  WritebackWaiter waiter = { .task = task, .first = first_page (offset), .until = inode->writeback_next };

  task_sync (task);
  waiter.until = inode->writeback_next;
  waiter.end = length == UINT64_MAX ? UINT64_MAX : end_page (offset, length);
  while (is_awaited (&waiter, inode)) {
    task_prepare_to_sleep (task);
    g_ptr_array_add (inode->writeback_waiters, &waiter);
    task->waits_for = "writeback";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
    g_ptr_array_remove (inode->writeback_waiters, &waiter);
  }
}
