/* See page_cache.h. */
#include "model/page_cache.h"

#include <string.h>

/* Small, so that requests strewn over a huge file cost little memory each. */
#define CHUNK_PAGES 64u
typedef struct {
  uint64_t number, resident, dirty, large, touched, written;
  gboolean listed; /* in dirty_chunks */
} Chunk;

void page_cache_init (PageCache *cache, uint64_t size, CacheState state, gboolean written)
{
  memset (cache, 0, sizeof *cache);
  cache->base_pages = size / PAGE_SIZE_BYTES + (size % PAGE_SIZE_BYTES != 0);
  cache->base_resident = state != CACHE_COLD;
  cache->base_dirty = state == CACHE_DIRTY;
  cache->base_written = written;
  cache->resident = cache->base_resident ? cache->base_pages : 0;
  cache->dirty = cache->base_dirty ? cache->base_pages : 0;
  cache->chunks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  cache->dirty_chunks = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  cache->last_number = UINT64_MAX;
}

void page_cache_clear (PageCache *cache)
{
  g_clear_pointer (&cache->chunks, g_hash_table_unref);
  g_clear_pointer (&cache->dirty_chunks, g_array_unref);
}

static uint64_t first_bits (uint64_t n) { return n < 64 ? ((uint64_t) 1 << n) - 1 : UINT64_MAX; }

static void page_cache_list (PageCache *cache, Chunk *chunk)
{
  if (!chunk->listed)
    g_array_append_val (cache->dirty_chunks, chunk->number);
  chunk->listed = TRUE;
}

static Chunk *page_cache_chunk (PageCache *cache, uint64_t number)
{
  Chunk *chunk;

  if (number == cache->last_number)
    return cache->last_chunk;
  chunk = g_hash_table_lookup (cache->chunks, &number);
  if (!chunk) {
    uint64_t start = number * CHUNK_PAGES;
    uint64_t based = cache->base_pages > start ? MIN (cache->base_pages - start, CHUNK_PAGES) : 0;

    chunk = g_new0 (Chunk, 1);
    chunk->number = number;
    chunk->resident = chunk->large = cache->base_resident ? first_bits (based) : 0;
    chunk->touched = 0;
    chunk->dirty = cache->base_dirty ? first_bits (based) : 0;
    chunk->written = cache->base_written ? first_bits (based) : 0;
    if (chunk->dirty)
      page_cache_list (cache, chunk);
    g_hash_table_insert (cache->chunks, &chunk->number, chunk);
  }
  cache->last_number = number;
  cache->last_chunk = chunk;
  return chunk;
}

typedef enum { WALK_LOOK, WALK_TOUCH, WALK_DIRTY, WALK_FILL, WALK_DROP, WALK_WRITTEN } Walk;

static void page_cache_mark (PageCache *cache, Chunk *chunk, uint64_t bit, Walk walk)
{
  switch (walk) {
  case WALK_LOOK:
    return;
  case WALK_TOUCH:
    chunk->touched |= bit;
    return;
  case WALK_DIRTY:
    chunk->touched |= bit;
    cache->dirty += !(chunk->dirty & bit);
    chunk->dirty |= bit;
    page_cache_list (cache, chunk);
    /* fall through */
  case WALK_FILL:
    if (!(chunk->resident & bit))
      chunk->large &= ~bit;
    cache->resident += !(chunk->resident & bit);
    chunk->resident |= bit;
    return;
  case WALK_DROP:
    cache->resident -= (chunk->resident & bit) != 0;
    cache->dirty -= (chunk->dirty & bit) != 0;
    chunk->resident &= ~bit;
    chunk->dirty &= ~bit;
    chunk->touched &= ~bit;
    return;
  case WALK_WRITTEN:
    chunk->written |= bit;
  }
}

static PageCount page_cache_walk (PageCache *cache, uint64_t offset, uint64_t length, Walk walk)
{
  PageCount count = { 0 };
  uint64_t first = offset / PAGE_SIZE_BYTES, last;

  if (length == 0)
    return count;
  last = (offset + (length - 1)) / PAGE_SIZE_BYTES;
  for (uint64_t page = first; page <= last; page++) {
    Chunk *chunk = page_cache_chunk (cache, page / CHUNK_PAGES);
    uint64_t bit = (uint64_t) 1 << (page % CHUNK_PAGES);

    count.pages++;
    count.missing += !(chunk->resident & bit);
    count.unread += !(chunk->resident & bit) && (chunk->written & bit);
    count.clean += !(chunk->dirty & bit);
    count.large += (chunk->resident & chunk->large & bit) != 0;
    count.untouched += (chunk->resident & ~chunk->touched & bit) != 0;
    count.written += (chunk->written & bit) != 0;
    page_cache_mark (cache, chunk, bit, walk);
  }
  return count;
}

PageCount page_cache_count (PageCache *cache, uint64_t offset, uint64_t length)
{
  return page_cache_walk (cache, offset, length, WALK_LOOK);
}

PageCount page_cache_touch (PageCache *cache, uint64_t offset, uint64_t length)
{
  return page_cache_walk (cache, offset, length, WALK_TOUCH);
}

PageCount page_cache_dirty (PageCache *cache, uint64_t offset, uint64_t length)
{
  return page_cache_walk (cache, offset, length, WALK_DIRTY);
}

void page_cache_fill (PageCache *cache, uint64_t offset, uint64_t length)
{
  page_cache_walk (cache, offset, length, WALK_FILL);
}

void page_cache_drop (PageCache *cache, uint64_t offset, uint64_t length)
{
  page_cache_walk (cache, offset, length, WALK_DROP);
}

void page_cache_set_written (PageCache *cache, uint64_t offset, uint64_t length)
{
  page_cache_walk (cache, offset, length, WALK_WRITTEN);
}

/* ---- writeback ---- */

static void runs_add (GArray *runs, uint64_t first, uint64_t pages)
{
  PageRun *last = runs->len ? &g_array_index (runs, PageRun, runs->len - 1) : NULL;
  PageRun run = { first, pages };

  if (last && last->first + last->pages == first)
    last->pages += pages;
  else
    g_array_append_val (runs, run);
}

/* The dirty pages of `mask` in one chunk. */
static void chunk_write_out (PageCache *cache, Chunk *chunk, uint64_t mask, GArray *runs)
{
  uint64_t dirty = chunk->dirty & mask;

  for (unsigned i = 0; i < CHUNK_PAGES && dirty >> i; i++)
    if (dirty >> i & 1) {
      runs_add (runs, chunk->number * CHUNK_PAGES + i, 1);
      cache->dirty--;
    }
  chunk->written |= dirty;
  chunk->dirty &= ~mask;
}

/* What has been dirty since the start of the run: once. */
static void base_write_out (PageCache *cache, GArray *runs)
{
  for (uint64_t start = 0; start < cache->base_pages; start += CHUNK_PAGES) {
    uint64_t number = start / CHUNK_PAGES, pages = MIN (cache->base_pages - start, CHUNK_PAGES);
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);

    if (chunk) {
      chunk_write_out (cache, chunk, UINT64_MAX, runs);
    } else {
      runs_add (runs, start, pages);
      cache->dirty -= pages;
    }
  }
  cache->base_dirty = FALSE; /* from here on chunks that do not exist are clean */
  cache->base_written = TRUE;
}

static int compare_numbers (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return (x > y) - (x < y);
}

GArray *page_cache_write_out (PageCache *cache, uint64_t offset, uint64_t length)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (PageRun));

  if (length != UINT64_MAX) {
    uint64_t page = offset / PAGE_SIZE_BYTES, end = page;

    if (length)
      end = (offset + (length - 1)) / PAGE_SIZE_BYTES + 1;
    for (; page < end; page++)
      chunk_write_out (cache, page_cache_chunk (cache, page / CHUNK_PAGES), (uint64_t) 1 << (page % CHUNK_PAGES), runs);
    return runs;
  }
  if (cache->base_dirty)
    base_write_out (cache, runs);
  g_array_sort (cache->dirty_chunks, compare_numbers);
  for (unsigned i = 0; i < cache->dirty_chunks->len; i++) {
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &g_array_index (cache->dirty_chunks, uint64_t, i));

    chunk_write_out (cache, chunk, UINT64_MAX, runs);
    chunk->listed = FALSE;
  }
  g_array_set_size (cache->dirty_chunks, 0);
  return runs;
}
