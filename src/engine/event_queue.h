/*
 * The event queue of the engine (internal: include engine.h instead).
 *
 * Every pending event has a slot (handler, data, handle).  Events are in one of
 * two sorted sources:
 *   tree   a winner tree over the slots: the leaf of a slot holds its entry, an
 *          inner node the smaller of its two children, node 1 the first event of
 *          all.  A change of one leaf replays the path to the root.  The path is
 *          known before any comparison, so its loads overlap, nothing branches on
 *          the data and the number of steps is fixed: that is why it is faster
 *          here than a heap (doc/engine.md has the numbers).
 *   ready  a ring of events at the current time whose keys already come in order.
 * An entry is (time, key); the key is priority, sequence and slot from high to
 * low bits, so one 128-bit comparison decides time, then priority, then sequence.
 *
 * Taking the first event leaves its leaf as it was (the "hole") until the next
 * insertion takes that leaf over or something needs the tree exact.
 *
 * Cancel empties the leaf at once: no dead entry stays in the tree.  In the ready
 * ring a cancelled entry becomes a tombstone, dropped when it reaches an end of
 * the ring or when the ring would have to grow.
 *
 * Costs: insert, take and cancel are log2 (slots) steps; nothing is allocated
 * while the number of pending events stays below its earlier maximum.
 */
#ifndef UR_EVENT_QUEUE_H
#define UR_EVENT_QUEUE_H

#include "src/engine/engine.h"

#ifndef __SIZEOF_INT128__
#error "a 64-bit target with __int128 is needed"
#endif
__extension__ typedef unsigned __int128 UrUint128;

#define UR_SLOT_BITS     24
#define UR_SLOT_NONE     ((uint32_t) ((1u << UR_SLOT_BITS) - 1))     /* also the largest number of pending events */
#define UR_SEQUENCE_BITS 32
#define UR_NOT_READY     UINT32_MAX

typedef struct { UrTime time; uint64_t key; } UrEventEntry;
G_STATIC_ASSERT (sizeof (UrEventEntry) == 16);

typedef struct {
  UrEventFn fn;
  void *data;
  UrEventHandle handle;                 /* generation << UR_SLOT_BITS | slot; a new generation when the event leaves */
  uint32_t ready_at;                    /* index in the ready ring, or UR_NOT_READY */
  uint32_t next_free;
} UrEventSlot;
G_STATIC_ASSERT (sizeof (UrEventSlot) <= 32);

typedef struct {
  UrEventEntry *tree;                   /* 2 * n_slots: [1] root, [n_slots + slot] leaves; empty ones are all ones */
  UrEventSlot *slot;
  uint32_t n_slots;                     /* a power of two */
  uint32_t n_pending;
  uint32_t hole;                        /* slot of an event taken whose leaf is still in the tree, or UR_SLOT_NONE */
  uint32_t free_slot;                   /* head of the list of free slots, UR_SLOT_NONE at its end */
  uint64_t sequence;
  UrEventEntry *ready;
  uint32_t ready_head, ready_tail, ready_mask, ready_dead;   /* free-running indices; head and tail - 1 are live */
} UrEventQueue;

void ur_event_queue_init (UrEventQueue *queue);
void ur_event_queue_clear (UrEventQueue *queue);
gboolean ur_event_queue_cancel (UrEventQueue *queue, UrEventHandle handle);
/* Time of the first event in the tree while a hole is open. */
UrTime ur_event_queue_next_past_hole (const UrEventQueue *queue);
/* Rare: more slots, more room in the ready ring, and new sequence numbers (the smallest that keep the order). */
void ur_event_queue_grow_slots (UrEventQueue *queue);
void ur_event_queue_grow_ready (UrEventQueue *queue);
void ur_event_queue_renumber (UrEventQueue *queue);

/* Stops the compiler from packing the two into a vector register, which costs more than it saves. */
#define UR_KEEP_IN_REGISTERS(a, b) __asm__ ("" : "+r" (a), "+r" (b))

static inline UrUint128 ur_event_rank (UrTime time, uint64_t key)
{
  return (UrUint128) time << 64 | key;
}

/* Sets the leaf of `slot` and every winner above it. */
static inline void ur_event_queue_replay (UrEventQueue *queue, uint32_t slot, UrTime time, uint64_t key)
{
  UrEventEntry *const tree = queue->tree;
  uint32_t node = queue->n_slots + slot;

  tree[node].time = time;
  tree[node].key = key;
  do {
    const UrEventEntry *other = &tree[node ^ 1];
    UrTime other_time = other->time;
    uint64_t other_key = other->key;
    /* All ones if the other wins; masks, since a compiler may turn ?: into a branch. */
    uint64_t lost = -(uint64_t) (ur_event_rank (other_time, other_key) < ur_event_rank (time, key));
    time ^= (time ^ other_time) & lost;
    key ^= (key ^ other_key) & lost;
    UR_KEEP_IN_REGISTERS (time, key);
    node >>= 1;
    tree[node].time = time;
    tree[node].key = key;
  } while (node > 1);
}

static inline gboolean ur_event_queue_ready_is_empty (const UrEventQueue *queue)
{
  return queue->ready_head == queue->ready_tail;
}

/* Time of the first event in the tree, UR_TIME_NEVER if there is none. */
static inline UrTime ur_event_queue_tree_next (const UrEventQueue *queue)
{
  if (queue->hole != UR_SLOT_NONE)
    return ur_event_queue_next_past_hole (queue);
  return queue->tree[1].time;
}

static inline void ur_event_queue_free_slot (UrEventQueue *queue, uint32_t slot)
{
  queue->slot[slot].next_free = queue->free_slot;
  queue->free_slot = slot;
}

static inline uint32_t ur_event_queue_use_slot (UrEventQueue *queue)
{
  if (G_UNLIKELY (queue->free_slot == UR_SLOT_NONE))
    ur_event_queue_grow_slots (queue);
  uint32_t slot = queue->free_slot;
  queue->free_slot = queue->slot[slot].next_free;
  return slot;
}

/* Empties the leaf of the event taken, if no insertion has taken it over. */
static inline void ur_event_queue_close_hole (UrEventQueue *queue)
{
  uint32_t slot = queue->hole;

  if (slot == UR_SLOT_NONE)
    return;
  queue->hole = UR_SLOT_NONE;
  ur_event_queue_free_slot (queue, slot);
  ur_event_queue_replay (queue, slot, UR_TIME_NEVER, UINT64_MAX);
}

static inline UrEventHandle ur_event_queue_insert (UrEventQueue *queue, UrTime now, UrTime when, unsigned priority,
                                                   UrEventFn fn, void *data)
{
  if (G_UNLIKELY (queue->sequence >> UR_SEQUENCE_BITS))
    ur_event_queue_renumber (queue);
  uint64_t key = (uint64_t) priority << (UR_SLOT_BITS + UR_SEQUENCE_BITS) | queue->sequence++ << UR_SLOT_BITS;
  uint32_t slot, ready_at = UR_NOT_READY;

  if (when == now && (ur_event_queue_ready_is_empty (queue) ||
                      queue->ready[(queue->ready_tail - 1) & queue->ready_mask].key < key)) {
    slot = ur_event_queue_use_slot (queue);
    if (G_UNLIKELY (queue->ready_tail - queue->ready_head > queue->ready_mask))
      ur_event_queue_grow_ready (queue);
    ready_at = queue->ready_tail++ & queue->ready_mask;
    queue->ready[ready_at] = (UrEventEntry) { when, key | slot };
  } else {
    slot = queue->hole;
    queue->hole = UR_SLOT_NONE;
    if (slot == UR_SLOT_NONE)
      slot = ur_event_queue_use_slot (queue);
    ur_event_queue_replay (queue, slot, when, key | slot);
  }
  UrEventSlot *event = &queue->slot[slot];
  event->fn = fn;
  event->data = data;
  event->ready_at = ready_at;
  queue->n_pending++;
  return event->handle;
}

/* The event of `slot` is no longer pending: its handle is stale from now on. */
static inline void ur_event_queue_retire (UrEventQueue *queue, uint32_t slot)
{
  queue->slot[slot].handle += (UrEventHandle) 1 << UR_SLOT_BITS;
  queue->n_pending--;
}

/* Drops tombstones at the head of the ready ring. */
static inline void ur_event_queue_trim_head (UrEventQueue *queue)
{
  while (queue->ready_dead > 0 && queue->ready_head != queue->ready_tail &&
         ((uint32_t) queue->ready[queue->ready_head & queue->ready_mask].key & UR_SLOT_NONE) == UR_SLOT_NONE) {
    queue->ready_head++;
    queue->ready_dead--;
  }
}

/* Takes the first event if it is not later than `until`: its time, handler and data, and it leaves
 * the queue.  FALSE if there is none; *ret_time is then the time of the first event or UR_TIME_NEVER. */
static inline gboolean ur_event_queue_take (UrEventQueue *queue, UrTime until, UrTime *ret_time,
                                            UrEventFn *ret_fn, void **ret_data)
{
  ur_event_queue_close_hole (queue);
  UrEventEntry entry = queue->tree[1];
  gboolean ready = FALSE;

  if (!ur_event_queue_ready_is_empty (queue)) {
    UrEventEntry head = queue->ready[queue->ready_head & queue->ready_mask];
    ready = ur_event_rank (head.time, head.key) < ur_event_rank (entry.time, entry.key);
    if (ready)
      entry = head;
  }
  *ret_time = entry.time;
  if (entry.time > until || entry.time == UR_TIME_NEVER)
    return FALSE;
  uint32_t slot = (uint32_t) entry.key & UR_SLOT_NONE;
  *ret_fn = queue->slot[slot].fn;
  *ret_data = queue->slot[slot].data;
  ur_event_queue_retire (queue, slot);
  if (ready) {
    ur_event_queue_free_slot (queue, slot);
    queue->ready_head++;
    ur_event_queue_trim_head (queue);
  } else {
    queue->hole = slot;
  }
  return TRUE;
}

#endif
