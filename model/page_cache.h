/*
 * The page cache of one file: which 4 KiB pages are resident, which of those are dirty or under writeback, and which
 * have blocks on the device that were written.  A few bits a page, in chunks that exist only where a page was ever
 * touched; a file that starts resident (or dirty) as a whole costs nothing until pages change.
 *
 * Stands for address_space (i_pages with its dirty and writeback tags), mm/filemap.c, and what the file system's
 * extents say; 5.1 to 6.18.
 *
 * Over all files pages count in PageTotals: NR_FILE_DIRTY, NR_WRITEBACK, and what of memory is used.  Pages that are
 * there at the start count as soon as one of their chunk is touched: a trace of a few requests all over a large device
 * does not fill the memory.  Eviction (mm/vmscan.c) goes by chunk, in the order in which they came, and passes over
 * those that were used since it last looked (second chance); dirty pages and pages under writeback stay.
 */
#ifndef PAGE_CACHE_H
#define PAGE_CACHE_H

#include "model/workload.h"

#define PAGE_SIZE_BYTES 4096u

/* Of all files of a machine, pages. */
typedef struct PageTotals {
  uint64_t resident, dirty, writeback;
  struct Chunk *first, *last; unsigned chunks;    /* chunks with resident pages: evicted from the front */
} PageTotals;

typedef struct PageCache {
  PageTotals *totals;                   /* (nullable: it counts nowhere) set by who owns both, before its first use */
  gboolean base_resident, base_dirty, base_written;   /* of pages below base_pages in chunks that do not exist */
  uint64_t base_pages;
  GHashTable *chunks;                   /* chunk number -> Chunk */
  GArray *dirty_chunks;                 /* of uint64_t: numbers of chunks that may have dirty pages, unsorted */
  GArray *sweep; unsigned swept;        /* the same, sorted, and how far page_cache_write_some() is in it */
  uint64_t resident, dirty, writeback;  /* pages */
  uint64_t allocated;                   /* pages written out so far that had no data on the device before */
  uint64_t dirty_touched;               /* of the dirty ones, those that count in `totals` */
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
/* The same for RWF_DONTCACHE: pages that were not there are PG_dropbehind. */
PageCount page_cache_dirty_behind (PageCache *cache, uint64_t offset, uint64_t length);
/* After a read from the device: resident; what was dirty stays so. */
void      page_cache_fill (PageCache *cache, uint64_t offset, uint64_t length);
/* invalidate_inode_pages2_range(): no longer resident, changes are lost. */
void      page_cache_drop (PageCache *cache, uint64_t offset, uint64_t length);
/* Past the page cache: the blocks hold data. */
void      page_cache_set_written (PageCache *cache, uint64_t offset, uint64_t length);
/* Start of writeback: the dirty pages of the range (length UINT64_MAX: of the whole file) are clean and written from
 * now on.  Returns them as runs in ascending order. (transfer full) (element-type PageRun) */
GArray   *page_cache_write_out (PageCache *cache, uint64_t offset, uint64_t length);
/* The same without pages that are under writeback. */
GArray   *page_cache_write_idle (PageCache *cache, uint64_t offset, uint64_t length);
/* The same for at most `pages` pages that were touched and are not under writeback: ascending, going on where the last
 * call ended and from the start after the last.  Appends to runs (element-type PageRun); returns how many pages. */
uint64_t  page_cache_write_some (PageCache *cache, uint64_t pages, GArray *runs);
/* Between these two a page is under writeback.  Ending it drops the pages that were marked for that; returns how
 * many. */
void      page_cache_start_writeback (PageCache *cache, PageRun run);
unsigned  page_cache_end_writeback (PageCache *cache, PageRun run);
/* Whether a page of the range is under writeback. */
gboolean  page_cache_is_writeback (PageCache *cache, uint64_t offset, uint64_t length);
/* Whether a page of the range (as above) has become dirty again while it is under writeback. */
gboolean  page_cache_is_redirtied (PageCache *cache, uint64_t offset, uint64_t length);
/* PG_dropbehind: the pages leave the cache when their writeback ends; writing to them without it undoes that. */
void      page_cache_drop_behind (PageCache *cache, uint64_t offset, uint64_t length);
/* filemap_end_dropbehind(): those of the range leave now that are neither dirty nor under writeback; returns how
 * many. */
unsigned  page_cache_end_drop_behind (PageCache *cache, uint64_t offset, uint64_t length);

/* Drops about so many clean pages; returns how many. */
uint64_t  page_cache_evict (PageTotals *totals, uint64_t pages);

#endif
