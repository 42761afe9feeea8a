/* See page_cache.h. */
#include "model/page_cache.h"

#include <string.h>

/* Small, so that requests strewn over a huge file cost little memory each. */
#define CHUNK_PAGES 64u
typedef struct {
  uint64_t number, resident, dirty, large, touched;
} Chunk;

void page_cache_init (PageCache *cache, uint64_t size, CacheState state)
{
  memset (cache, 0, sizeof *cache);
  cache->base_pages = size / PAGE_SIZE_BYTES + (size % PAGE_SIZE_BYTES != 0);
  cache->base_resident = state != CACHE_COLD;
  cache->base_dirty = state == CACHE_DIRTY;
  cache->resident = cache->base_resident ? cache->base_pages : 0;
  cache->dirty = cache->base_dirty ? cache->base_pages : 0;
  cache->chunks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  cache->last_number = UINT64_MAX;
}

void page_cache_clear (PageCache *cache) { g_clear_pointer (&cache->chunks, g_hash_table_unref); }

static uint64_t first_bits (uint64_t n) { return n < 64 ? ((uint64_t) 1 << n) - 1 : UINT64_MAX; }

static Chunk *page_cache_chunk (PageCache *cache, uint64_t number)
{
  Chunk *chunk;

  if (number == cache->last_number)
    return cache->last_chunk;
  chunk = g_hash_table_lookup (cache->chunks, &number);
  if (!chunk) {
    uint64_t start = number * CHUNK_PAGES;
    uint64_t based = cache->base_pages > start ? MIN (cache->base_pages - start, CHUNK_PAGES) : 0;

    chunk = g_new (Chunk, 1);
    chunk->number = number;
    chunk->resident = chunk->large = cache->base_resident ? first_bits (based) : 0;
    chunk->touched = 0;
    chunk->dirty = cache->base_dirty ? first_bits (based) : 0;
    g_hash_table_insert (cache->chunks, &chunk->number, chunk);
  }
  cache->last_number = number;
  cache->last_chunk = chunk;
  return chunk;
}

typedef enum { WALK_LOOK, WALK_TOUCH, WALK_DIRTY } Walk;

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
    count.clean += !(chunk->dirty & bit);
    count.large += (chunk->resident & chunk->large & bit) != 0;
    count.untouched += (chunk->resident & ~chunk->touched & bit) != 0;
    if (walk != WALK_LOOK)
      chunk->touched |= bit;
    if (walk == WALK_DIRTY) {
      if (!(chunk->resident & bit))
        chunk->large &= ~bit;
      cache->resident += !(chunk->resident & bit);
      cache->dirty += !(chunk->dirty & bit);
      chunk->resident |= bit;
      chunk->dirty |= bit;
    }
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

uint64_t page_cache_clean (PageCache *cache)
{
  GHashTableIter iter;
  gpointer chunk;
  uint64_t was = cache->dirty;

  cache->base_dirty = FALSE; /* from here on chunks that do not exist are clean */
  g_hash_table_iter_init (&iter, cache->chunks);
  while (g_hash_table_iter_next (&iter, NULL, &chunk))
    ((Chunk *) chunk)->dirty = 0;
  cache->dirty = 0;
  return was;
}
