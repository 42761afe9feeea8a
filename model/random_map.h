/*
 * Which blocks of a file a pass has already visited: fio's random map.  Stands for lib/axmap.c: axmap_set(),
 * axmap_next_free(), axmap_isset(); fio 3.35 to 3.42.
 *
 * A pyramid of bitmaps: a bit of one level says that a word of the level below is
 * full, so that a free block is found in a few steps even when nearly all are taken.
 * Memory: 1.016 bits per block.  The choice of the next free block is fio's own,
 * so that a job visits its blocks in the same order.
 */
#ifndef RANDOM_MAP_H
#define RANDOM_MAP_H

#include <glib.h>
#include <stdint.h>

typedef struct RandomMap RandomMap;
#define RANDOM_MAP_NONE UINT64_MAX

RandomMap *random_map_new (uint64_t blocks);           /* blocks >= 1, all free. (transfer full) */
void       random_map_free (RandomMap *map);           /* accepts NULL */
void       random_map_reset (RandomMap *map);          /* all free */
gboolean   random_map_is_free (const RandomMap *map, uint64_t block);      /* FALSE beyond the end */
/* The free block for a draw that hit the taken `block`: the next one, from the end on the first of all; RANDOM_MAP_NONE
 * if there is none. */
uint64_t   random_map_next_free (RandomMap *map, uint64_t block);
/* Takes up to `n` blocks from `block` on, up to the first one that is taken or does not exist; returns how many. */
uint64_t   random_map_take (RandomMap *map, uint64_t block, uint64_t n);

#endif
