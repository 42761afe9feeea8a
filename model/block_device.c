/* See block_device.h. */
#include "model/block_device.h"

#include "model/interrupt.h"
#include "model/kernel_version.h"

#include <math.h>
#include <string.h>

/* A year. */
#define LONGEST_NS 3.2e16
#define PLUG_REQUESTS 32u      /* BLK_MAX_REQUEST_COUNT */
#define PLUG_REQUESTS_OLD 16u  /* before 5.16 */
#define PLUG_FLUSH_SIZE 131072 /* BLK_PLUG_FLUSH_SIZE */
#define MAX_SECTORS_OLD ((uint64_t) 1280 << 10)
#define MAX_SECTORS ((uint64_t) 4096 << 10)

struct BlockRequest {
  BlockDevice *block;
  BlockOp op;
  gboolean polled, fua;
  uint64_t start, length;
  Bio *first, *last;
  Cpu *cpu; /* that submitted it, and gets the interrupt */
  BlockRequest *next;
};

typedef struct {
  BlockRequest *first, *last;
  unsigned n;
} RequestList;

/* The write cache as a fluid: what is in it, and how long emptying it takes. */
typedef struct {
  double bytes, work;
  UrTime at;
  uint64_t end; /* of the last write */
} WriteCache;

typedef struct {
  UrTime time;
  double spread;  /* coefficient of variation; 0: constant */
  UrShape *shape; /* made when the first request is served: most runs need none */
  UrRandom stream, tail_stream;
  double tail, factor;
  double ns_per_byte; /* 0: no cap */
  double burst;       /* ns that may be ahead */
  double bucket;      /* when what was let through so far would have gone at the capped rate */
} Direction;

struct BlockDevice {
  Simulation *sim;
  const Device *device;
  gboolean synchronous, scheduler, pollable;
  unsigned channels, tags, depth;
  uint64_t max_request;
  Direction direction[BLOCK_OPS];
  UrRandom seek_stream;
  uint64_t head; /* where the last request ended */
  WriteCache cache;
  unsigned tags_used, in_hardware, channels_busy;
  RequestList scheduled, waiting; /* in the scheduler; in the hardware, without a channel */
  RequestList polled_done;
  gboolean flush_running;
  Bio *flush_first, *flush_last; /* wait for it to end */
  GPtrArray *pollers;            /* of Task: spin in block_poll_spin() */
  GQueue tag_waiters;            /* of Task */
  /* Pools: `all` owns, `free` is what of it is not in use. */
  GPtrArray *all, *free;             /* of BlockRequest */
  GPtrArray *all_parts, *free_parts; /* of Bio: pieces of bios that were split */
  BlockCounters count;
};

static void list_push (RequestList *list, BlockRequest *request)
{
  request->next = NULL;
  if (list->last)
    list->last->next = request;
  else
    list->first = request;
  list->last = request;
  list->n++;
}

static BlockRequest *list_pop (RequestList *list)
{
  BlockRequest *request = list->first;

  if (!request)
    return NULL;
  list->first = request->next;
  if (!list->first)
    list->last = NULL;
  list->n--;
  return request;
}

/* ---- set-up ---- */

static void direction_init (BlockDevice *block, BlockOp op, DeviceKey time, DeviceKey spread, const char *name)
{
  Direction *direction = &block->direction[op];

  direction->time = (UrTime) device_number (block->device, time);
  direction->spread = device_number (block->device, spread);
  ur_random_init_indexed (&direction->stream, block->sim->setup->seed, name, 0);
  ur_random_init_indexed (&direction->tail_stream, block->sim->setup->seed, name, 1);
  direction->factor = 1;
}

static void direction_init_rate (BlockDevice *block, BlockOp op, DeviceKey tail, DeviceKey factor, DeviceKey rate,
                                 DeviceKey burst)
{
  Direction *direction = &block->direction[op];
  double bytes = device_number (block->device, rate);

  direction->tail = device_number (block->device, tail) / 100;
  direction->factor = device_number (block->device, factor);
  direction->ns_per_byte = bytes > 0 ? (double) UR_S / bytes : 0;
  direction->burst = direction->ns_per_byte * device_number (block->device, burst);
}

BlockDevice *block_device_new (Simulation *sim, const Device *device)
{
  BlockDevice *block = g_new0 (BlockDevice, 1);
  unsigned requests = (unsigned) device_number (device, DEVICE_REQUESTS);
  uint64_t limit = sim->kernel < KERNEL (6, 16) ? MAX_SECTORS_OLD : MAX_SECTORS;

  block->sim = sim;
  block->device = device;
  block->synchronous = device_number (device, DEVICE_SYNCHRONOUS) != 0;
  block->scheduler = requests > 0;
  block->pollable = device_number (device, DEVICE_POLL) != 0;
  block->pollers = g_ptr_array_new ();
  block->channels = (unsigned) device_number (device, DEVICE_CHANNELS);
  block->depth = (unsigned) device_number (device, DEVICE_QUEUE_DEPTH);
  block->tags = requests ? requests : block->depth;
  block->max_request = MIN (limit, (uint64_t) device_number (device, DEVICE_MAX_TRANSFER));
  direction_init (block, BLOCK_READ, DEVICE_READ_TIME, DEVICE_READ_SPREAD, "device-read");
  direction_init (block, BLOCK_WRITE, DEVICE_WRITE_TIME, DEVICE_WRITE_SPREAD, "device-write");
  direction_init (block, BLOCK_FLUSH, DEVICE_FLUSH_TIME, DEVICE_FLUSH_SPREAD, "device-flush");
  direction_init_rate (block, BLOCK_READ, DEVICE_READ_TAIL, DEVICE_READ_FACTOR, DEVICE_READ_RATE, DEVICE_READ_BURST);
  direction_init_rate (block, BLOCK_WRITE, DEVICE_WRITE_TAIL, DEVICE_WRITE_FACTOR, DEVICE_WRITE_RATE,
                       DEVICE_WRITE_BURST);
  ur_random_init (&block->seek_stream, sim->setup->seed, "device-seek");
  g_queue_init (&block->tag_waiters);
  block->all = g_ptr_array_new_with_free_func (g_free);
  block->free = g_ptr_array_new ();
  block->all_parts = g_ptr_array_new_with_free_func (g_free);
  block->free_parts = g_ptr_array_new ();
  ur_level_init (&block->count.busy, 0, 0);
  ur_level_init (&block->count.queued, 0, 0);
  return block;
}

void block_device_free (BlockDevice *block)
{
  if (!block)
    return;
  for (unsigned op = 0; op < BLOCK_OPS; op++)
    ur_shape_free (block->direction[op].shape);
  g_queue_clear (&block->tag_waiters);
  g_ptr_array_unref (block->pollers);
  g_ptr_array_unref (block->free);
  g_ptr_array_unref (block->all);
  g_ptr_array_unref (block->free_parts);
  g_ptr_array_unref (block->all_parts);
  g_free (block);
}

const Device *block_device (const BlockDevice *block) { return block->device; }
const BlockCounters *block_counters (const BlockDevice *block) { return &block->count; }
unsigned block_in_flight (const BlockDevice *block) { return block->tags_used; }
uint64_t block_max_request (const BlockDevice *block) { return block->max_request; }

gboolean block_has_volatile_cache (const BlockDevice *block)
{
  return device_number (block->device, DEVICE_CACHE_VOLATILE) != 0;
}

gboolean block_has_stable_writes (const BlockDevice *block)
{
  return device_number (block->device, DEVICE_STABLE_WRITES) != 0;
}

gboolean block_has_fua (const BlockDevice *block) { return device_number (block->device, DEVICE_CACHE_FUA) != 0; }

/* ---- the device ---- */

static void cache_drain_until (WriteCache *cache, UrTime now)
{
  double passed = (double) (now - cache->at);

  cache->at = now;
  if (cache->work <= passed) {
    cache->work = cache->bytes = 0;
  } else {
    cache->bytes *= 1 - passed / cache->work;
    cache->work -= passed;
  }
}

/* How long the medium takes for it, ns. */
static double drain_time (const BlockDevice *block, const BlockRequest *request)
{
  double ns = (double) request->length / device_number (block->device, DEVICE_CACHE_DRAIN) * UR_S;

  return request->start != block->cache.end ? ns + device_number (block->device, DEVICE_CACHE_REQUEST) : ns;
}

/* Puts a write into the cache; returns how long it waits for room, ns. */
static double cache_write (BlockDevice *block, const BlockRequest *request)
{
  const Device *device = block->device;
  WriteCache *cache = &block->cache;
  double size = device_number (device, DEVICE_CACHE_SIZE), bytes = (double) request->length, wait = 0;

  cache_drain_until (cache, sim_now (block->sim));
  if (cache->bytes + bytes > size &&
      cache->bytes > 0) /* as fast as it empties; a write larger than it passes through */
    wait = cache->work * MIN ((cache->bytes + bytes - size) / cache->bytes, 1);
  cache->work += drain_time (block, request);
  cache->bytes += bytes;
  cache->end = request->start + request->length;
  return wait;
}

static double seek_time (BlockDevice *block, const BlockRequest *request)
{
  const Device *device = block->device;
  double track = device_number (device, DEVICE_SEEK_TRACK), full = device_number (device, DEVICE_SEEK_FULL);
  double rotation = device_number (device, DEVICE_SEEK_ROTATION);
  double distance;

  if (full + rotation <= 0 || request->start == block->head)
    return 0;
  distance = (double) (request->start > block->head ? request->start - block->head : block->head - request->start);
  distance = MIN (distance / device_number (device, DEVICE_SEEK_CAPACITY), 1);
  return track + (full - track) * sqrt (distance) + rotation * ur_random_double (&block->seek_stream);
}

/* A time of the model, unless it is beyond all reason: caps and costs come from files. */
static UrTime device_ns (BlockDevice *block, double ns)
{
  if (ns < LONGEST_NS)
    return (UrTime) (ns + 0.5);
  sim_fail (block->sim, g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                                     "device %s: a request would take %.3g years; expected more bandwidth or less time",
                                     block->device->name, ns / LONGEST_NS));
  return UR_S;
}

/* How long the request takes on its channel, from now on. */
static UrTime service_time (BlockDevice *block, const BlockRequest *request)
{
  Direction *direction = &block->direction[request->op];
  double now = (double) sim_now (block->sim);
  double ns = (double) direction->time;
  gboolean cached = request->op == BLOCK_WRITE && device_number (block->device, DEVICE_CACHE_SIZE) > 0;

  if (direction->spread > 0 && !direction->shape)
    direction->shape = ur_shape_new_gamma (direction->spread);
  if (direction->shape)
    ns *= ur_shape_draw (direction->shape, &direction->stream);
  if (direction->tail > 0 && ur_random_double (&direction->tail_stream) < direction->tail)
    ns *= direction->factor;
  if (request->op == BLOCK_FLUSH) {
    cache_drain_until (&block->cache, sim_now (block->sim));
    return device_ns (block, ns + block->cache.work);
  }
  if (cached && request->fua)
    ns += drain_time (block, request);
  else if (cached)
    ns += cache_write (block, request);
  else
    ns += seek_time (block, request);
  if (direction->ns_per_byte > 0) {
    double ready;

    direction->bucket = MAX (direction->bucket, now) + (double) request->length * direction->ns_per_byte;
    ready = direction->bucket - direction->burst;
    ns = MAX (ns, ready - now);
  }
  if (!cached)
    block->head = request->start + request->length;
  return device_ns (block, ns);
}

static void request_finished (UrEngine *engine, void *data);

static void block_levels (BlockDevice *block)
{
  UrTime now = sim_now (block->sim);

  ur_level_set (&block->count.busy, now, block->channels_busy);
  ur_level_set (&block->count.queued, now, block->waiting.n + block->scheduled.n);
}

/* Moves requests on as far as they can go. */
static void block_run (BlockDevice *block)
{
  BlockRequest *request;

  while (block->scheduled.n && block->in_hardware < block->depth) {
    list_push (&block->waiting, list_pop (&block->scheduled));
    block->in_hardware++;
  }
  while (block->channels_busy < block->channels && (request = list_pop (&block->waiting))) {
    block->channels_busy++;
    ur_engine_at (block->sim->engine, sim_now (block->sim) + service_time (block, request), request_finished, request);
  }
  block_levels (block);
}

/* An object of a pool. */
static gpointer pool_take (GPtrArray *all, GPtrArray *free, gsize size)
{
  gpointer object;

  if (free->len)
    return g_ptr_array_steal_index_fast (free, free->len - 1);
  object = g_malloc (size);
  g_ptr_array_add (all, object);
  return object;
}

void block_wake (Task *task, Cpu *cpu, Task *wakee)
{
  if (task)
    task_wake (task, wakee);
  else
    task_wake_from_interrupt (cpu, wakee);
}

static void end_bio (Bio *bio, Task *task, Cpu *cpu)
{
  if (bio->end)
    bio->end (bio, task, cpu);
}

static void insert (BlockDevice *block, BlockRequest *request);

/* flush_end_io(): those that have come meanwhile are next, all with one request.  FALSE: there are none. */
static gboolean flush_again (BlockDevice *block, BlockRequest *request)
{
  Bio *first = block->flush_first, *last = block->flush_last;

  block->flush_running = first != NULL;
  if (!first)
    return FALSE;
  block->flush_first = block->flush_last = NULL;
  request->first = first;
  request->last = last;
  insert (block, request);
  return TRUE;
}

/* blk_insert_flush(): TRUE if it has joined those that wait for the one under way. */
static gboolean flush_joins (BlockDevice *block, Bio *bio)
{
  if (!block->flush_running) {
    block->flush_running = TRUE;
    return FALSE;
  }
  if (block->flush_last) {
    block->flush_last->next = bio;
    block->count.flushes_shared++;
  } else {
    block->flush_first = bio;
  }
  block->flush_last = bio;
  return TRUE;
}

/* blk_mq_end_request(): `task` NULL in an interrupt. */
static void request_complete (BlockRequest *request, Task *task)
{
  BlockDevice *block = request->block;
  Bio *bio = request->first, *next;
  Cpu *cpu = request->cpu;
  gboolean again;
  Task *waiter;

  block->in_hardware--;
  again = request->op == BLOCK_FLUSH && flush_again (block, request); /* with its tag */
  for (; bio; bio = next) {
    next = bio->next;
    end_bio (bio, task, cpu);
  }
  if (again) {
    block_run (block);
    return;
  }
  block->tags_used--;
  waiter = g_queue_pop_head (&block->tag_waiters);
  if (waiter)
    block_wake (task, cpu, waiter);
  g_ptr_array_add (block->free, request);
  block_run (block);
}

static void request_interrupt (UrEngine *engine, void *data)
{
  (void) engine;
  request_complete (data, NULL);
}

gboolean block_is_polled (const BlockDevice *block) { return block->pollable; }

void block_poll_kick (BlockDevice *block)
{
  for (unsigned i = 0; i < block->pollers->len; i++)
    task_spin_finish (g_ptr_array_index (block->pollers, i), 0);
}

/* The device is done: the channel is free, the host hears of it. */
static void request_finished (UrEngine *engine, void *data)
{
  BlockRequest *request = data;
  BlockDevice *block = request->block;
  Simulation *sim = block->sim;

  block->channels_busy--;
  sim_progress (sim);
  if (request->polled) {
    list_push (&block->polled_done, request);
    block_poll_kick (block);
  } else {
    UrTime ns = sim_cost (sim, COST_BLOCK_INTERRUPT);

    for (const Bio *bio = request->first; bio; bio = bio->next)
      ns += sim_cost (sim, COST_BLOCK_COMPLETE);
    ur_engine_at (engine, cpu_interrupt (request->cpu, ns), request_interrupt, request);
  }
  block_run (block);
}

gboolean block_poll_spin (Task *task, BlockDevice *block)
{
  SpinEnd end;

  task_sync (task);
  if (block->polled_done.n)
    return TRUE;
  g_ptr_array_add (block->pollers, task);
  end = task_spin (task, NULL, UR_TIME_NEVER);
  g_ptr_array_remove (block->pollers, task);
  return end == SPIN_DONE;
}

unsigned block_poll (Task *task, BlockDevice *block)
{
  BlockRequest *request;
  unsigned n = 0;

  task_cost (task, COST_BLOCK_POLL);
  task_sync (task);
  while ((request = list_pop (&block->polled_done))) {
    for (const Bio *bio = request->first; bio; bio = bio->next, n++)
      task_cost (task, COST_BLOCK_COMPLETE);
    request_complete (request, task);
  }
  return n;
}

/* ---- from bios to requests ---- */

/* TRUE if the bio became part of the request. */
static gboolean merge (BlockDevice *block, BlockRequest *request, Bio *bio)
{
  if (request->op != bio->op || bio->op == BLOCK_FLUSH || request->polled || bio->polled || request->fua != bio->fua ||
      request->length + bio->length > block->max_request)
    return FALSE;
  if (request->start + request->length == bio->start) {
    request->last->next = bio;
    request->last = bio;
  } else if (bio->start + bio->length == request->start) {
    bio->next = request->first;
    request->first = bio;
    request->start = bio->start;
  } else {
    return FALSE;
  }
  request->length += bio->length;
  block->count.merged++;
  return TRUE;
}

/* blk_attempt_plug_merge(): with the last request from 5.16 on, with any before. */
static gboolean merge_plug (Task *task, BlockDevice *block, Bio *bio)
{
  BlockPlug *plug = task->plug;

  if (!plug || !plug->last)
    return FALSE;
  if (block->sim->kernel >= KERNEL (5, 16))
    return merge (block, plug->last, bio);
  for (BlockRequest *request = plug->first; request; request = request->next)
    if (merge (block, request, bio))
      return TRUE;
  return FALSE;
}

static gboolean merge_scheduler (BlockDevice *block, Bio *bio)
{
  for (BlockRequest *request = block->scheduled.first; request; request = request->next)
    if (merge (block, request, bio))
      return TRUE;
  return FALSE;
}

static void insert (BlockDevice *block, BlockRequest *request)
{
  block->count.requests[request->op]++;
  block->count.bytes[request->op] += request->length;
  if (block->scheduler) {
    list_push (&block->scheduled, request);
  } else {
    block->in_hardware++;
    list_push (&block->waiting, request);
  }
}

void block_flush_plug (Task *task, BlockDevice *block)
{
  BlockPlug *plug = task->plug;
  BlockRequest *request, *next;

  if (!plug || !plug->first)
    return;
  task_cost (task, COST_BLOCK_DISPATCH);
  task_sync (task);
  request = plug->first;
  plug->first = plug->last = NULL;
  plug->n = 0;
  for (; request; request = next) {
    next = request->next;
    insert (block, request);
  }
  block_run (block);
}

void block_start_plug (Task *task, BlockPlug *plug)
{
  *plug = (BlockPlug){ NULL, NULL, 0 };
  if (!task->plug)
    task->plug = plug;
}

void block_finish_plug (Task *task, BlockPlug *plug)
{
  if (task->plug != plug)
    return;
  block_flush_plug (task, task->sim->device);
  task->plug = NULL;
}

static void plug_add (Task *task, BlockDevice *block, BlockRequest *request)
{
  BlockPlug *plug = task->plug;
  unsigned most = block->sim->kernel < KERNEL (5, 16) ? PLUG_REQUESTS_OLD : PLUG_REQUESTS;

  if (plug->n && (plug->n >= most || plug->last->length >= PLUG_FLUSH_SIZE))
    block_flush_plug (task, block);
  request->next = NULL;
  if (plug->last)
    plug->last->next = request;
  else
    plug->first = request;
  plug->last = request;
  plug->n++;
}

/* blk_mq_get_tag(): FALSE if there is none and the caller must not wait. */
static gboolean get_tag (Task *task, BlockDevice *block, gboolean nowait)
{
  while (block->tags_used >= block->tags) {
    if (nowait)
      return FALSE;
    block->count.tag_waits++;
    task_prepare_to_sleep (task);
    g_queue_push_tail (&block->tag_waiters, task);
    task->waits_for = "a tag of the block device";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
    g_queue_remove (&block->tag_waiters, task);
  }
  block->tags_used++;
  return TRUE;
}

static BlockRequest *request_new (Task *task, BlockDevice *block, Bio *bio)
{
  BlockRequest *request = pool_take (block->all, block->free, sizeof *request);

  *request = (BlockRequest){ .block = block,
                             .op = bio->op,
                             .polled = bio->polled && block->pollable,
                             .fua = bio->fua,
                             .start = bio->start,
                             .length = bio->length,
                             .first = bio,
                             .last = bio,
                             .cpu = task->cpu };
  return request;
}

/* A bio that fits into one request. */
static gboolean submit_one (Task *task, BlockDevice *block, Bio *bio, gboolean nowait)
{
  BlockRequest *request;

  bio->next = NULL;
  task_cost (task, COST_BLOCK_SUBMIT);
  task_sync (task);
  if (bio->op == BLOCK_FLUSH && flush_joins (block, bio))
    return TRUE;
  if (merge_plug (task, block, bio) || merge_scheduler (block, bio))
    return TRUE;
  if (!get_tag (task, block, nowait))
    return FALSE;
  request = request_new (task, block, bio);
  if (task->plug && bio->op != BLOCK_FLUSH) {
    plug_add (task, block, request);
    return TRUE;
  }
  task_cost (task, COST_BLOCK_DISPATCH);
  task_sync (task);
  insert (block, request);
  block_run (block);
  return TRUE;
}

static void part_ended (Bio *part, Task *task, Cpu *cpu)
{
  Bio *whole = part->data;

  g_ptr_array_add (whole->block->free_parts, part);
  if (--whole->parts == 0)
    end_bio (whole, task, cpu);
}

/* The driver does it at once, on this CPU.  It is bio-based: no request, no tag; Time= is all that it takes. */
static void submit_synchronously (Task *task, BlockDevice *block, Bio *bio)
{
  BlockRequest request = { .op = bio->op, .fua = bio->fua, .start = bio->start, .length = bio->length };
  double pages = MAX ((double) bio->length / 4096, 1);

  block->count.requests[bio->op]++;
  block->count.bytes[bio->op] += bio->length;
  task_run (task, (UrTime) ((double) service_time (block, &request) * (bio->op == BLOCK_FLUSH ? 1 : pages)));
  block->channels_busy++;
  task_sync (task);
  block->channels_busy--;
  sim_progress (block->sim);
  end_bio (bio, task, task->cpu);
}

gboolean block_device_is_serving (const BlockDevice *block) { return block->channels_busy > 0; }

gboolean block_submit_bio (Task *task, BlockDevice *block, Bio *bio, gboolean nowait)
{
  uint64_t max = block->max_request;

  if (!block->synchronous && nowait && bio->length > max)
    return FALSE; /* bio_split_rw() cannot split a REQ_NOWAIT bio */
  block->count.bios++;
  if (block->synchronous) {
    submit_synchronously (task, block, bio);
    return TRUE;
  }
  if (bio->length <= max) {
    if (submit_one (task, block, bio, nowait))
      return TRUE;
    block->count.bios--;
    return FALSE;
  }
  bio->block = block;
  bio->parts = (unsigned) ((bio->length + max - 1) / max);
  for (uint64_t at = 0, length = bio->length; at < length; at += max) {
    Bio *part = pool_take (block->all_parts, block->free_parts, sizeof *part);

    *part = (Bio){ .op = bio->op,
                   .polled = bio->polled,
                   .fua = bio->fua,
                   .start = bio->start + at,
                   .length = MIN (max, length - at),
                   .end = part_ended,
                   .data = bio };
    submit_one (task, block, part, FALSE);
  }
  return TRUE;
}

/* ---- waiting ---- */

static void wait_ended (Bio *bio, Task *task, Cpu *cpu)
{
  BlockWait *wait = bio->data;

  if (--wait->left == 0)
    block_wake (task, cpu, wait->task);
}

void block_wait_submit (BlockWait *wait, BlockDevice *block, Bio *bio)
{
  bio->end = wait_ended;
  bio->data = wait;
  wait->left++;
  block_submit_bio (wait->task, block, bio, FALSE);
}

void block_wait (BlockWait *wait)
{
  Task *task = wait->task;

  task_sync (task);
  while (wait->left) {
    task_prepare_to_sleep (task);
    task->waits_for = "the block device";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}

void block_issue_flush (Task *task, BlockDevice *block)
{
  BlockWait wait = { task, 0 };
  Bio flush = { .op = BLOCK_FLUSH };

  if (!block_has_volatile_cache (block))
    return;
  block_wait_submit (&wait, block, &flush);
  block_wait (&wait);
}

void block_write_and_wait (Task *task, BlockDevice *block, uint64_t start, uint64_t length, gboolean fua)
{
  BlockWait wait = { task, 0 };
  Bio write = { .op = BLOCK_WRITE, .fua = fua && block_has_fua (block), .start = start, .length = length };

  block_wait_submit (&wait, block, &write);
  block_wait (&wait);
  if (fua && !write.fua)
    block_issue_flush (task, block);
}
