/*
 * The event queue: growth, cancel and renumbering.  The hot half is inline in the header.
 */
#include "src/engine/event_queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 8u
#define FIRST_READY 64u

/* Computes every inner node from the leaves. */
static void play_all (UrEventQueue *queue)
{
  UrEventEntry *tree = queue->tree;

  for (uint32_t node = queue->n_slots - 1; node >= 1; node--) {
    const UrEventEntry *left = &tree[2 * node], *right = left + 1;
    tree[node] = ur_event_rank (right->time, right->key) < ur_event_rank (left->time, left->key) ? *right : *left;
  }
}

static void add_slots (UrEventQueue *queue, uint32_t n_slots)
{
  /* Siblings share a cache line. */
  UrEventEntry *tree = g_aligned_alloc (2 * (size_t) n_slots, sizeof *tree, 64);
  uint32_t old = queue->n_slots;

  memset (tree, 0xff, 2 * (size_t) n_slots * sizeof *tree);
  if (old > 0)
    memcpy (tree + n_slots, queue->tree + old, old * sizeof *tree);
  g_aligned_free (queue->tree);
  queue->tree = tree;
  queue->slot = g_renew (UrEventSlot, queue->slot, n_slots);
  queue->n_slots = n_slots;
  for (uint32_t i = n_slots; i-- > old;) {
    queue->slot[i] = (UrEventSlot){ .handle = (UrEventHandle) 1 << UR_SLOT_BITS | i };
    if (i != UR_SLOT_NONE)
      ur_event_queue_free_slot (queue, i);
  }
  play_all (queue);
}

void ur_event_queue_init (UrEventQueue *queue)
{
  memset (queue, 0, sizeof *queue);
  queue->hole = UR_SLOT_NONE;
  queue->free_slot = UR_SLOT_NONE;
  add_slots (queue, FIRST_SLOTS);
  queue->ready = g_new (UrEventEntry, FIRST_READY);
  queue->ready_mask = FIRST_READY - 1;
}

void ur_event_queue_clear (UrEventQueue *queue)
{
  g_aligned_free (queue->tree);
  g_free (queue->slot);
  g_free (queue->ready);
}

void ur_event_queue_grow_slots (UrEventQueue *queue)
{
  if (queue->n_slots > UR_SLOT_NONE)
    g_error ("more than %u events pending at once", UR_SLOT_NONE);
  add_slots (queue, queue->n_slots * 2);
}

static gboolean is_tombstone (UrEventEntry entry) { return ((uint32_t) entry.key & UR_SLOT_NONE) == UR_SLOT_NONE; }

/* Makes room in the ready ring: drops tombstones, and doubles it if it is still more than half full. */
void ur_event_queue_grow_ready (UrEventQueue *queue)
{
  uint32_t size = queue->ready_mask + 1, live = size - queue->ready_dead;
  uint32_t new_size = live > size / 2 ? size * 2 : size;
  UrEventEntry *ready = g_new (UrEventEntry, new_size);
  uint32_t n = 0;

  for (uint32_t i = queue->ready_head; i != queue->ready_tail; i++) {
    UrEventEntry entry = queue->ready[i & queue->ready_mask];
    if (is_tombstone (entry))
      continue;
    queue->slot[(uint32_t) entry.key & UR_SLOT_NONE].ready_at = n;
    ready[n++] = entry;
  }
  g_free (queue->ready);
  queue->ready = ready;
  queue->ready_mask = new_size - 1;
  queue->ready_head = 0;
  queue->ready_tail = n;
  queue->ready_dead = 0;
}

static int compare_entries (const void *a, const void *b)
{
  const UrEventEntry *left = *(UrEventEntry *const *) a, *right = *(UrEventEntry *const *) b;
  UrUint128 x = ur_event_rank (left->time, left->key), y = ur_event_rank (right->time, right->key);

  return (x > y) - (x < y);
}

void ur_event_queue_renumber (UrEventQueue *queue)
{
  const uint64_t mask = (((uint64_t) 1 << UR_SEQUENCE_BITS) - 1) << UR_SLOT_BITS;
  UrEventEntry **all = g_new (UrEventEntry *, queue->n_pending + queue->ready_dead + 1);
  size_t n = 0;

  ur_event_queue_close_hole (queue);
  for (uint32_t i = queue->n_slots; i < 2 * queue->n_slots; i++)
    if (queue->tree[i].time != UR_TIME_NEVER)
      all[n++] = &queue->tree[i];
  for (uint32_t i = queue->ready_head; i != queue->ready_tail; i++)
    all[n++] = &queue->ready[i & queue->ready_mask];
  qsort (all, n, sizeof *all, compare_entries);
  for (size_t i = 0; i < n; i++)
    all[i]->key = (all[i]->key & ~mask) | (uint64_t) i << UR_SLOT_BITS;
  queue->sequence = n;
  g_free (all);
  play_all (queue);
}

/* The siblings of the path from the hole to the root cover all other leaves. */
UrTime ur_event_queue_next_past_hole (const UrEventQueue *queue)
{
  UrTime next = UR_TIME_NEVER;

  for (uint32_t node = queue->n_slots + queue->hole; node > 1; node >>= 1) {
    UrTime other = queue->tree[node ^ 1].time;
    next = other < next ? other : next;
  }
  return next;
}

static void bury (UrEventQueue *queue, uint32_t ready_at)
{
  queue->ready[ready_at].key |= UR_SLOT_NONE;
  queue->ready_dead++;
  while (queue->ready_head != queue->ready_tail &&
         is_tombstone (queue->ready[(queue->ready_tail - 1) & queue->ready_mask])) {
    queue->ready_tail--;
    queue->ready_dead--;
  }
  ur_event_queue_trim_head (queue);
}

gboolean ur_event_queue_cancel (UrEventQueue *queue, UrEventHandle handle)
{
  uint32_t slot = (uint32_t) handle & UR_SLOT_NONE;

  if (handle == 0 || slot >= queue->n_slots || queue->slot[slot].handle != handle)
    return FALSE;
  ur_event_queue_retire (queue, slot);
  ur_event_queue_free_slot (queue, slot);
  if (queue->slot[slot].ready_at != UR_NOT_READY)
    bury (queue, queue->slot[slot].ready_at);
  else
    ur_event_queue_replay (queue, slot, UR_TIME_NEVER, UINT64_MAX);
  return TRUE;
}
