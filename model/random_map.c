/*
 * fio's random map.  See random_map.h.
 */
#include "model/random_map.h"
#include <string.h>

enum { WORD_SHIFT = 6, WORD_BITS = 64, MAX_LEVELS = 11 };

struct RandomMap {
  uint64_t blocks;
  uint64_t first_free; /* the lowest free block if known, else RANDOM_MAP_NONE */
  unsigned levels;
  uint64_t words[MAX_LEVELS];
  uint64_t *level[MAX_LEVELS]; /* level[0]: one bit per block */
};

RandomMap *random_map_new (uint64_t blocks)
{
  g_assert (blocks >= 1);
  RandomMap *map = g_new0 (RandomMap, 1);
  map->blocks = blocks;
  uint64_t bits = blocks;
  do {
    const uint64_t words = (bits + WORD_BITS - 1) >> WORD_SHIFT;
    map->words[map->levels] = words;
    map->level[map->levels++] = g_new0 (uint64_t, words);
    bits = words;
  } while (bits > 1);
  return map;
}

void random_map_free (RandomMap *map)
{
  if (map) {
    for (unsigned i = 0; i < map->levels; i++) {
      g_free (map->level[i]);
    }
    g_free (map);
  }
}

void random_map_reset (RandomMap *map)
{
  for (unsigned i = 0; i < map->levels; i++) {
    memset (map->level[i], 0, map->words[i] * sizeof (uint64_t));
  }
  map->first_free = 0;
}

gboolean random_map_is_free (const RandomMap *map, uint64_t block)
{
  return block < map->blocks && !(map->level[0][block >> WORD_SHIFT] >> (block & (WORD_BITS - 1)) & 1);
}

/* The lowest free block at or above `block`: up the pyramid until something is free behind, then down again. */
static uint64_t free_from (const RandomMap *map, uint64_t block)
{
  uint64_t at = block;
  for (unsigned level = 0; level < map->levels; level++) {
    const uint64_t index = at >> WORD_SHIFT;
    if (index >= map->words[level]) {
      return RANDOM_MAP_NONE;
    }
    const uint64_t free = ~map->level[level][index] & UINT64_MAX << (at & (WORD_BITS - 1));
    if (free) {
      at = index << WORD_SHIFT | (unsigned) __builtin_ctzll (free);
      while (level-- > 0) {
        if (at >= map->words[level]) {
          return RANDOM_MAP_NONE;
        }
        at = at << WORD_SHIFT | (unsigned) __builtin_ctzll (~map->level[level][at]);
      }
      return at < map->blocks ? at : RANDOM_MAP_NONE;
    }
    at = index + 1;
  }
  return RANDOM_MAP_NONE;
}

static uint64_t first_free (RandomMap *map)
{
  if (map->first_free == RANDOM_MAP_NONE) {
    map->first_free = free_from (map, 0);
  }
  return map->first_free;
}

uint64_t random_map_next_free (RandomMap *map, uint64_t block)
{
  if (map->first_free != RANDOM_MAP_NONE && block < map->first_free) {
    return map->first_free;
  }
  const uint64_t found = free_from (map, block + 1);
  return found != RANDOM_MAP_NONE ? found : first_free (map);
}

/* Word `index` of the lowest level has become full. */
static void mark_full (RandomMap *map, uint64_t index)
{
  for (unsigned i = 1; i < map->levels && map->level[i - 1][index] == UINT64_MAX; i++) {
    map->level[i][index >> WORD_SHIFT] |= G_GUINT64_CONSTANT (1) << (index & (WORD_BITS - 1));
    index >>= WORD_SHIFT;
  }
}

uint64_t random_map_take (RandomMap *map, uint64_t block, uint64_t n)
{
  if (n == 1 && block < map->blocks) {
    uint64_t *word = &map->level[0][block >> WORD_SHIFT];
    const uint64_t bit = G_GUINT64_CONSTANT (1) << (block & (WORD_BITS - 1));
    const uint64_t taken = (*word & bit) == 0;
    *word |= bit;
    if (map->first_free == block) {
      map->first_free = RANDOM_MAP_NONE;
    }
    if (*word == UINT64_MAX) {
      mark_full (map, block >> WORD_SHIFT);
    }
    return taken;
  }
  if (block >= map->blocks) {
    return 0;
  }
  n = MIN (n, map->blocks - block);
  if (map->first_free >= block && map->first_free - block < n) {
    map->first_free = RANDOM_MAP_NONE;
  }
  uint64_t taken = 0;
  while (taken < n) {
    const uint64_t at = block + taken;
    const unsigned bit = at & (WORD_BITS - 1);
    const uint64_t want = MIN (n - taken, (uint64_t) (WORD_BITS - bit));
    const uint64_t mask = (want == WORD_BITS ? UINT64_MAX : (G_GUINT64_CONSTANT (1) << want) - 1) << bit;
    const uint64_t index = at >> WORD_SHIFT;
    uint64_t fresh = mask;
    const uint64_t overlap = mask & map->level[0][index];
    if (overlap) {
      fresh &= (overlap & -overlap) - 1; /* what lies below the first taken block */
    }
    map->level[0][index] |= fresh;
    mark_full (map, index);
    taken += (unsigned) __builtin_popcountll (fresh);
    if (overlap) {
      break;
    }
  }
  return taken;
}
