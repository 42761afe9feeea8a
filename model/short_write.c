/* See short_write.h. */
#include "model/short_write.h"

#include "model/page_io.h"

static uint64_t page_start (uint64_t offset) { return offset / PAGE_SIZE_BYTES * PAGE_SIZE_BYTES; }

static gboolean blocks (Inode *inode, uint64_t page, gboolean in_part)
{
  if (in_part && page < inode->size && page_cache_count (&inode->pages, page, 1).unread)
    return TRUE;
  return page_io_reading (inode, page, 1) != NULL;
}

uint64_t short_write_blocks_at (Inode *inode, uint64_t offset, uint64_t length)
{
  uint64_t end = offset + length, first = page_start (offset), last = page_start (end);

  if (!inode->reads->len) { /* only the ends can be in the way */
    if (offset != first && blocks (inode, first, TRUE))
      return offset;
    return end != last && blocks (inode, last, TRUE) ? MAX (last, offset) : end;
  }
  for (uint64_t page = first; page < end; page += PAGE_SIZE_BYTES)
    if (blocks (inode, page, page < offset || page + PAGE_SIZE_BYTES > end))
      return MAX (page, offset);
  return end;
}

/* 2: the block of the page holds data; 1: it is allocated; 0: there is none. */
static unsigned block_state (Inode *inode, uint64_t page)
{
  if (page_cache_count (&inode->pages, page, 1).written)
    return 2;
  return page / PAGE_SIZE_BYTES < inode->pages.base_pages;
}

gboolean short_write_by_rounds (const Simulation *sim) { return sim->setup->file_system->chunk_pages != 0; }

uint64_t short_write_mapping (Inode *inode, uint64_t offset, uint64_t at)
{
  const Simulation *sim = inode->sim;
  const FileSystem *fs = sim->setup->file_system;
  uint64_t page = page_start (at), first = page_start (offset), pages = fs->chunk_pages;

  if (kernel_range_has (fs->chunk_folios, sim->kernel))
    pages = 1;
  if (pages)
    return MAX (first + (page - first) / (pages * PAGE_SIZE_BYTES) * (pages * PAGE_SIZE_BYTES), offset);
  while (page > first && block_state (inode, page - PAGE_SIZE_BYTES) == block_state (inode, page))
    page -= PAGE_SIZE_BYTES;
  return MAX (page, offset);
}
