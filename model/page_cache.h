/*
 * The page cache of one file: which 4 KiB pages are resident, which of those are dirty, and which have blocks on the
 * device that were written.  A few bits a page, in chunks that exist only where a page was ever touched; a file that
 * starts resident (or dirty) as a whole costs nothing until pages change.
 * Stands for address_space (i_pages with its dirty tags), mm/filemap.c, and what the file system's extents say.
 */
#ifndef PAGE_CACHE_H
#define PAGE_CACHE_H

#include "model/workload.h"

#define PAGE_SIZE_BYTES 4096u

typedef struct {
  gboolean base_resident, base_dirty, base_written;   /* of pages below base_pages in chunks that do not exist */
  uint64_t base_pages;
  GHashTable *chunks;                   /* chunk number -> Chunk */
  GArray *dirty_chunks;                 /* of uint64_t: numbers of chunks that may have dirty pages, unsorted */
  uint64_t resident, dirty;             /* pages */
  gpointer last_chunk; uint64_t last_number;
} PageCache;

/* missing: not resident; clean: resident or not, but not dirty; unread: missing, and its blocks hold data; written: its
 * blocks hold data.  Of the resident: large: in a large folio, as pages are that were there at the start (pages added
 * later come one by one); untouched: not accessed in this run yet. */
typedef struct { unsigned pages, missing, clean, large, untouched, unread, written; } PageCount;
/* Adjacent pages. */
typedef struct { uint64_t first, pages; } PageRun;

/* `size` bytes exist when the run starts, in state `state`; `written`: they have been written to the device. */
void      page_cache_init (PageCache *cache, uint64_t size, CacheState state, gboolean written);
void      page_cache_clear (PageCache *cache);
PageCount page_cache_count (PageCache *cache, uint64_t offset, uint64_t length);
/* The same, and the pages are touched. */
PageCount page_cache_touch (PageCache *cache, uint64_t offset, uint64_t length);
/* After a write: the pages are resident and dirty.  Returns what they were before. */
PageCount page_cache_dirty (PageCache *cache, uint64_t offset, uint64_t length);
/* After a read from the device: resident; what was dirty stays so. */
void      page_cache_fill (PageCache *cache, uint64_t offset, uint64_t length);
/* invalidate_inode_pages2_range(): no longer resident, changes are lost. */
void      page_cache_drop (PageCache *cache, uint64_t offset, uint64_t length);
/* Past the page cache: the blocks hold data. */
void      page_cache_set_written (PageCache *cache, uint64_t offset, uint64_t length);
/* Start of writeback: the dirty pages of the range (length UINT64_MAX: of the whole file) are clean and written from now
 * on.  Returns them as runs in ascending order. (transfer full) (element-type PageRun) */
GArray   *page_cache_write_out (PageCache *cache, uint64_t offset, uint64_t length);

#endif
