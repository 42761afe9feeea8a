/* See page_cache.h. */
#include "model/page_cache.h"

#include <string.h>

/* Small, so that requests strewn over a huge file cost little memory each. */
#define CHUNK_PAGES 64u
/* Of one page_cache_evict(): the rest is for the next. */
#define EVICT_SCAN 4096u

typedef struct Chunk {
  uint64_t number, resident, dirty, large, touched, written, writeback, dropbehind;
  PageCache *cache;
  struct Chunk *next, *previous;
  unsigned listed : 1;     /* in dirty_chunks or sweep */
  unsigned lru : 1;        /* in the list of PageTotals */
  unsigned referenced : 1; /* used since eviction looked at it */
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
  cache->sweep = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  cache->last_number = UINT64_MAX;
}

void page_cache_clear (PageCache *cache)
{
  g_clear_pointer (&cache->chunks, g_hash_table_unref);
  g_clear_pointer (&cache->dirty_chunks, g_array_unref);
  g_clear_pointer (&cache->sweep, g_array_unref);
}

static uint64_t first_bits (uint64_t n) { return n < 64 ? ((uint64_t) 1 << n) - 1 : UINT64_MAX; }

static unsigned count_bits (uint64_t bits) { return (unsigned) __builtin_popcountll (bits); }

/* ---- chunks with resident pages, those that came first at the front ---- */

static void lru_add (PageTotals *totals, Chunk *chunk)
{
  chunk->next = NULL;
  chunk->previous = totals->last;
  if (totals->last)
    totals->last->next = chunk;
  else
    totals->first = chunk;
  totals->last = chunk;
  totals->chunks++;
  chunk->lru = TRUE;
}

static void lru_remove (PageTotals *totals, Chunk *chunk)
{
  if (chunk->previous)
    chunk->previous->next = chunk->next;
  else
    totals->first = chunk->next;
  if (chunk->next)
    chunk->next->previous = chunk->previous;
  else
    totals->last = chunk->previous;
  totals->chunks--;
  chunk->lru = FALSE;
}

/* ---- chunks of a file ---- */

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
    chunk->cache = cache;
    if (chunk->dirty)
      page_cache_list (cache, chunk);
    cache->dirty_touched += count_bits (chunk->dirty);
    if (cache->totals && chunk->resident) {
      cache->totals->resident += count_bits (chunk->resident);
      cache->totals->dirty += count_bits (chunk->dirty);
      lru_add (cache->totals, chunk);
    }
    g_hash_table_insert (cache->chunks, &chunk->number, chunk);
  }
  cache->last_number = number;
  cache->last_chunk = chunk;
  return chunk;
}

typedef enum {
  WALK_LOOK,
  WALK_TOUCH,
  WALK_DIRTY,
  WALK_DIRTY_BEHIND,
  WALK_FILL,
  WALK_DROP,
  WALK_DROP_BEHIND,
  WALK_WRITTEN
} Walk;

static void page_cache_mark (PageCache *cache, Chunk *chunk, uint64_t bit, Walk walk)
{
  switch (walk) {
  case WALK_LOOK:
    return;
  case WALK_TOUCH:
    chunk->touched |= bit;
    chunk->referenced = TRUE;
    return;
  case WALK_DIRTY:
  case WALK_DIRTY_BEHIND:
    chunk->touched |= bit;
    if (walk == WALK_DIRTY)
      chunk->dropbehind &= ~bit;
    else if (!(chunk->resident & bit))
      chunk->dropbehind |= bit;
    cache->dirty += !(chunk->dirty & bit);
    chunk->dirty |= bit;
    page_cache_list (cache, chunk);
    /* fall through */
  case WALK_FILL:
    if (!(chunk->resident & bit))
      chunk->large &= ~bit;
    cache->resident += !(chunk->resident & bit);
    chunk->resident |= bit;
    chunk->referenced = TRUE;
    if (cache->totals && !chunk->lru)
      lru_add (cache->totals, chunk);
    return;
  case WALK_DROP:
    cache->resident -= (chunk->resident & bit) != 0;
    cache->dirty -= (chunk->dirty & bit) != 0;
    chunk->resident &= ~bit;
    chunk->dirty &= ~bit;
    chunk->touched &= ~bit;
    return;
  case WALK_DROP_BEHIND:
    chunk->dropbehind |= bit;
    return;
  case WALK_WRITTEN:
    chunk->written |= bit;
  }
}

static PageCount page_cache_walk (PageCache *cache, uint64_t offset, uint64_t length, Walk walk)
{
  PageCount count = { 0 };
  uint64_t first = offset / PAGE_SIZE_BYTES, last, resident, dirty;

  if (length == 0)
    return count;
  resident = cache->resident; /* making a chunk does not change these */
  dirty = cache->dirty;
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
  cache->dirty_touched += cache->dirty - dirty;
  if (cache->totals) {
    cache->totals->resident += cache->resident - resident;
    cache->totals->dirty += cache->dirty - dirty;
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

PageCount page_cache_dirty_behind (PageCache *cache, uint64_t offset, uint64_t length)
{
  return page_cache_walk (cache, offset, length, WALK_DIRTY_BEHIND);
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

/* Takes the dirty pages of `mask` in one chunk. */
static unsigned chunk_write_out (Chunk *chunk, uint64_t mask, GArray *runs)
{
  PageCache *cache = chunk->cache;
  uint64_t dirty = chunk->dirty & mask;
  unsigned n = count_bits (dirty);

  for (uint64_t left = dirty; left; left &= left - 1)
    runs_add (runs, chunk->number * CHUNK_PAGES + (unsigned) __builtin_ctzll (left), 1);
  cache->dirty -= n;
  cache->dirty_touched -= n;
  if (cache->totals)
    cache->totals->dirty -= n;
  cache->allocated += count_bits (dirty & ~chunk->written);
  chunk->written |= dirty;
  chunk->dirty &= ~dirty;
  return n;
}

/* What has been dirty since the start of the run: once. */
static void base_write_out (PageCache *cache, GArray *runs)
{
  for (uint64_t start = 0; start < cache->base_pages; start += CHUNK_PAGES) {
    uint64_t number = start / CHUNK_PAGES, pages = MIN (cache->base_pages - start, CHUNK_PAGES);
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);

    if (chunk) {
      chunk_write_out (chunk, UINT64_MAX, runs);
    } else {
      runs_add (runs, start, pages);
      cache->dirty -= pages;
      cache->allocated += cache->base_written ? 0 : pages;
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

/* The pages of [first, end) that lie in the chunk of this number. */
static uint64_t range_mask (uint64_t number, uint64_t first, uint64_t end)
{
  uint64_t start = number * CHUNK_PAGES;
  uint64_t from = MAX (first, start) - start, to = MIN (end, start + CHUNK_PAGES) - start;

  return first_bits (to) & ~first_bits (from);
}

static uint64_t end_of (uint64_t offset, uint64_t length)
{
  return length ? (offset + (length - 1)) / PAGE_SIZE_BYTES + 1 : offset / PAGE_SIZE_BYTES;
}

static uint64_t idle_pages (const Chunk *chunk, gboolean idle) { return idle ? ~chunk->writeback : UINT64_MAX; }

static GArray *write_out (PageCache *cache, uint64_t offset, uint64_t length, gboolean idle)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (PageRun));
  unsigned left = 0;

  if (length != UINT64_MAX) {
    uint64_t first = offset / PAGE_SIZE_BYTES, end = end_of (offset, length);

    for (uint64_t number = first / CHUNK_PAGES; number * CHUNK_PAGES < end; number++) {
      Chunk *chunk = page_cache_chunk (cache, number);

      chunk_write_out (chunk, range_mask (number, first, end) & idle_pages (chunk, idle), runs);
    }
    return runs;
  }
  if (cache->base_dirty)
    base_write_out (cache, runs);
  g_array_append_vals (cache->dirty_chunks, &g_array_index (cache->sweep, uint64_t, cache->swept),
                       cache->sweep->len - cache->swept);
  g_array_set_size (cache->sweep, 0);
  cache->swept = 0;
  g_array_sort (cache->dirty_chunks, compare_numbers);
  for (unsigned i = 0; i < cache->dirty_chunks->len; i++) {
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &g_array_index (cache->dirty_chunks, uint64_t, i));

    chunk_write_out (chunk, idle_pages (chunk, idle), runs);
    chunk->listed = chunk->dirty != 0;
    if (chunk->listed)
      g_array_index (cache->dirty_chunks, uint64_t, left++) = chunk->number;
  }
  g_array_set_size (cache->dirty_chunks, left);
  return runs;
}

GArray *page_cache_write_out (PageCache *cache, uint64_t offset, uint64_t length)
{
  return write_out (cache, offset, length, FALSE);
}

GArray *page_cache_write_idle (PageCache *cache, uint64_t offset, uint64_t length)
{
  return write_out (cache, offset, length, TRUE);
}

/* What has become dirty since the last sweep is the next one. */
static void next_sweep (PageCache *cache)
{
  GArray *empty = cache->sweep;

  g_array_sort (cache->dirty_chunks, compare_numbers);
  cache->sweep = cache->dirty_chunks;
  cache->swept = 0;
  cache->dirty_chunks = empty;
  g_array_set_size (empty, 0);
}

uint64_t page_cache_write_some (PageCache *cache, uint64_t pages, GArray *runs)
{
  unsigned look = cache->sweep->len - cache->swept + cache->dirty_chunks->len; /* at each once at most */
  uint64_t n = 0;

  for (; look && n < pages; look--) {
    uint64_t mask, most = pages - n;
    Chunk *chunk;

    if (cache->swept == cache->sweep->len)
      next_sweep (cache);
    chunk = g_hash_table_lookup (cache->chunks, &g_array_index (cache->sweep, uint64_t, cache->swept));
    mask = chunk->dirty & ~chunk->writeback;
    while (count_bits (mask) > most) /* the first ones */
      mask &= ~((uint64_t) 1 << (63 - __builtin_clzll (mask)));
    n += chunk_write_out (chunk, mask, runs);
    if ((chunk->dirty & ~chunk->writeback) != 0)
      break; /* it is still the next one */
    cache->swept++;
    chunk->listed = FALSE;
    if (chunk->dirty)
      page_cache_list (cache, chunk);
  }
  return n;
}

void page_cache_start_writeback (PageCache *cache, PageRun run)
{
  uint64_t end = run.first + run.pages;

  for (uint64_t number = run.first / CHUNK_PAGES; number * CHUNK_PAGES < end; number++) {
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);
    uint64_t mask = chunk ? range_mask (number, run.first, end) & ~chunk->writeback : 0;

    if (!chunk)
      continue; /* never touched: nobody can tell */
    cache->writeback += count_bits (mask);
    if (cache->totals)
      cache->totals->writeback += count_bits (mask);
    chunk->writeback |= mask;
  }
}

/* The resident pages of `mask` leave the cache. */
static unsigned chunk_drop (Chunk *chunk, uint64_t mask)
{
  PageCache *cache = chunk->cache;
  unsigned n;

  mask &= chunk->resident;
  n = count_bits (mask);
  chunk->resident &= ~mask;
  chunk->touched &= ~mask;
  chunk->dropbehind &= ~mask;
  cache->resident -= n;
  if (cache->totals)
    cache->totals->resident -= n;
  return n;
}

unsigned page_cache_end_writeback (PageCache *cache, PageRun run)
{
  uint64_t end = run.first + run.pages;
  unsigned dropped = 0;

  for (uint64_t number = run.first / CHUNK_PAGES; number * CHUNK_PAGES < end; number++) {
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);
    uint64_t mask = chunk ? range_mask (number, run.first, end) & chunk->writeback : 0;

    if (!mask)
      continue;
    cache->writeback -= count_bits (mask);
    if (cache->totals)
      cache->totals->writeback -= count_bits (mask);
    chunk->writeback &= ~mask;
    if (G_UNLIKELY (chunk->dropbehind & mask))
      dropped += chunk_drop (chunk, chunk->dropbehind & mask & ~chunk->dirty);
  }
  return dropped;
}

gboolean page_cache_is_writeback (PageCache *cache, uint64_t offset, uint64_t length)
{
  uint64_t first = offset / PAGE_SIZE_BYTES, end = end_of (offset, length);

  for (uint64_t number = first / CHUNK_PAGES; cache->writeback && number * CHUNK_PAGES < end; number++) {
    const Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);

    if (chunk && (chunk->writeback & range_mask (number, first, end)))
      return TRUE;
  }
  return FALSE;
}

gboolean page_cache_is_redirtied (PageCache *cache, uint64_t offset, uint64_t length)
{
  uint64_t first = offset / PAGE_SIZE_BYTES, end = end_of (offset, length);

  if (!cache->writeback || !cache->dirty)
    return FALSE;
  if (length != UINT64_MAX) {
    for (uint64_t number = first / CHUNK_PAGES; number * CHUNK_PAGES < end; number++) {
      const Chunk *chunk = page_cache_chunk (cache, number);

      if (chunk->dirty & chunk->writeback & range_mask (number, first, end))
        return TRUE;
    }
    return FALSE;
  }
  for (unsigned i = 0; i < cache->dirty_chunks->len + cache->sweep->len - cache->swept; i++) {
    const uint64_t *number = i < cache->dirty_chunks->len
                                 ? &g_array_index (cache->dirty_chunks, uint64_t, i)
                                 : &g_array_index (cache->sweep, uint64_t, cache->swept + i - cache->dirty_chunks->len);
    const Chunk *chunk = g_hash_table_lookup (cache->chunks, number);

    if (chunk->dirty & chunk->writeback)
      return TRUE;
  }
  return FALSE;
}

void page_cache_drop_behind (PageCache *cache, uint64_t offset, uint64_t length)
{
  page_cache_walk (cache, offset, length, WALK_DROP_BEHIND);
}

unsigned page_cache_end_drop_behind (PageCache *cache, uint64_t offset, uint64_t length)
{
  uint64_t first = offset / PAGE_SIZE_BYTES, end = end_of (offset, length);
  unsigned dropped = 0;

  for (uint64_t number = first / CHUNK_PAGES; number * CHUNK_PAGES < end; number++) {
    Chunk *chunk = g_hash_table_lookup (cache->chunks, &number);

    if (chunk)
      dropped +=
          chunk_drop (chunk, chunk->dropbehind & range_mask (number, first, end) & ~(chunk->dirty | chunk->writeback));
  }
  return dropped;
}

/* ---- eviction ---- */

/* A chunk that says nothing that a new one would not say goes. */
static void chunk_forget (Chunk *chunk)
{
  PageCache *cache = chunk->cache;
  uint64_t start = chunk->number * CHUNK_PAGES;
  uint64_t based = cache->base_pages > start ? MIN (cache->base_pages - start, CHUNK_PAGES) : 0;

  if (chunk->listed || chunk->dirty || chunk->writeback || (based && cache->base_resident) ||
      chunk->written != (cache->base_written ? first_bits (based) : 0))
    return;
  if (cache->last_chunk == chunk)
    cache->last_number = UINT64_MAX;
  g_hash_table_remove (cache->chunks, &chunk->number);
}

uint64_t page_cache_evict (PageTotals *totals, uint64_t pages)
{
  uint64_t n = 0;

  for (unsigned scanned = 0; totals->first && n < pages && scanned < EVICT_SCAN; scanned++) {
    Chunk *chunk = totals->first;

    lru_remove (totals, chunk);
    if (!chunk->referenced)
      n += chunk_drop (chunk, ~(chunk->dirty | chunk->writeback));
    chunk->referenced = FALSE;
    if (chunk->resident)
      lru_add (totals, chunk);
    else
      chunk_forget (chunk);
  }
  return n;
}
