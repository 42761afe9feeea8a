/*
 * The page cache of one file: which 4 KiB pages are resident, and which of those are dirty.
 * A few bits a page, in chunks that exist only where a page was ever touched; a file that
 * starts resident (or dirty) as a whole costs nothing until pages change.
 * Stands for address_space (i_pages with its dirty tags), mm/filemap.c.
 */
#ifndef PAGE_CACHE_H
#define PAGE_CACHE_H

#include "model/workload.h"

#define PAGE_SIZE_BYTES 4096u

typedef struct {
  gboolean base_resident, base_dirty;   /* state of pages below base_pages in chunks that do not exist */
  uint64_t base_pages;
  GHashTable *chunks;                   /* chunk number -> Chunk */
  uint64_t resident, dirty;             /* pages */
  gpointer last_chunk; uint64_t last_number;
} PageCache;

/* missing: not resident; clean: resident or not, but not dirty.  Of the resident: large: in a large folio, as pages are
 * that were there at the start (pages added later come one by one); untouched: not accessed in this run yet. */
typedef struct { unsigned pages, missing, clean, large, untouched; } PageCount;

/* `size` bytes exist when the run starts, in state `state`. */
void      page_cache_init (PageCache *cache, uint64_t size, CacheState state);
void      page_cache_clear (PageCache *cache);
PageCount page_cache_count (PageCache *cache, uint64_t offset, uint64_t length);
/* The same, and the pages are touched. */
PageCount page_cache_touch (PageCache *cache, uint64_t offset, uint64_t length);
/* After a write: the pages are resident and dirty.  Returns what they were before. */
PageCount page_cache_dirty (PageCache *cache, uint64_t offset, uint64_t length);
/* After an fsync: every dirty page is clean.  Returns how many were dirty. */
uint64_t  page_cache_clean (PageCache *cache);

#endif
