/*
 * The block layer and the device below it: bios, plugs, tags, merging, channels, completion interrupts.
 *
 *   submit_bio -> [plug] -> [I/O scheduler's queue] -> hardware queue -> channel -> interrupt, or found by polling
 *
 * Stands for block/blk-core.c, blk-mq.c, blk-merge.c, blk-mq-tag.c, blk-flush.c (5.1 to 6.18) and a device of
 * model/device.h:
 *   - a request needs a tag (Requests= with a scheduler, else QueueDepth=); without one the caller sleeps, or gets
 *     FALSE if it asked not to wait (REQ_NOWAIT);
 *   - a task's plug holds its requests until 32 (16 before 5.16) are in it, the last one has at least 128 KiB, the task
 *     sleeps, or the plug ends; contiguous bios merge there, and in a scheduler's queue, up to the largest request:
 *     MaxTransfer=, at most 1280 KiB (4 MiB from 6.16);
 *   - requests wait for one of the channels in order of arrival; service is a draw of the time of its kind, plus seek
 *     and rotation if it does not follow the last request, and no earlier than bandwidth (a token bucket per direction)
 *     and a full write cache allow;
 *   - the write cache empties at its own rate all the time; FLUSH takes as long as emptying it does;
 *   - one FLUSH is under way at a time: those that come meanwhile wait for it and share the next one (blk-flush.c, its
 *     double buffer);
 *   - a FUA write goes past the cache where the device can do that (Fua=), else a FLUSH follows it.
 * Left out: sorting by scheduler or drive, several hardware queues, wbt, priorities; emptying the cache takes no time
 * from reads.
 *
 * Bios are the caller's and stay where they are until their `end` was called.
 */
#ifndef BLOCK_DEVICE_H
#define BLOCK_DEVICE_H

#include "model/device.h"
#include "model/task.h"

typedef enum { BLOCK_READ, BLOCK_WRITE, BLOCK_FLUSH, BLOCK_OPS } BlockOp;
typedef struct Bio Bio;
typedef struct BlockRequest BlockRequest;

struct Bio {
  BlockOp op;
  gboolean polled;                      /* REQ_POLLED: no interrupt, found by block_poll() */
  gboolean fua;                         /* REQ_FUA: on the medium when it ends; only if block_has_fua() */
  uint64_t start, length;               /* bytes on the device */
  /* bi_end_io(): in an interrupt on `cpu` (task NULL), or called by the task that polls or submits synchronously. */
  void (*end) (Bio *bio, Task *task, Cpu *cpu);
  void *data;
  /* the block layer's */
  unsigned parts;                       /* requests it was split into, still under way */
  BlockDevice *block;
  Bio *next;                            /* in the same request */
};

/* A task's list of requests not handed over yet; on the stack of who starts it. */
typedef struct BlockPlug { BlockRequest *first, *last; unsigned n; } BlockPlug;

typedef struct {
  uint64_t bios, requests[BLOCK_OPS], bytes[BLOCK_OPS], merged, tag_waits;
  uint64_t flushes_shared;              /* FLUSH bios that another's request served too */
  UrLevel busy, queued;                 /* channels; requests with a tag that have none */
} BlockCounters;

/* Poll queues (Poll=), so that REQ_POLLED is obeyed. */
gboolean     block_is_polled (const BlockDevice *block);
BlockDevice *block_device_new (Simulation *sim, const Device *device);
void         block_device_free (BlockDevice *block);          /* accepts NULL */
const Device *block_device (const BlockDevice *block);
const BlockCounters *block_counters (const BlockDevice *block);
/* Requests under way: 0 at the end of a run. */
unsigned     block_in_flight (const BlockDevice *block);
/* Whether FLUSH has something to do. */
gboolean     block_has_volatile_cache (const BlockDevice *block);
/* Whether a write can be made to go past that cache. */
gboolean     block_has_fua (const BlockDevice *block);
/* BLK_FEAT_STABLE_WRITES */
gboolean     block_has_stable_writes (const BlockDevice *block);
/* Largest request, bytes. */
uint64_t     block_max_request (const BlockDevice *block);
/* Whether it works on a request: one that will end, however long it takes. */
gboolean     block_device_is_serving (const BlockDevice *block);

/* submit_bio(): by `task`, which pays and may sleep for a tag.  FALSE: `nowait` and there was none, or the bio would
 * have to be split; nothing was done. */
gboolean block_submit_bio (Task *task, BlockDevice *block, Bio *bio, gboolean nowait);
/* Nested plugs: the outermost counts. */
void     block_start_plug (Task *task, BlockPlug *plug);
void     block_finish_plug (Task *task, BlockPlug *plug);
/* Hands over what the task's plug holds; the task goes on. */
void     block_flush_plug (Task *task, BlockDevice *block);

/* Looks at the polled queue once: ends the bios that the device is done with, returns how many. */
unsigned block_poll (Task *task, BlockDevice *block);

/* Spins until a polled request is done, or the CPU is wanted (FALSE). */
gboolean block_poll_spin (Task *task, BlockDevice *block);
/* Lets all who spin look again. */
void     block_poll_kick (BlockDevice *block);

/* For bio ends: wakes `wakee`; `task` pays, or the interrupt on `cpu` is longer. */
void     block_wake (Task *task, Cpu *cpu, Task *wakee);

/* Waiting for bios: counts them down, the last one wakes the task. */
typedef struct { Task *task; unsigned left; } BlockWait;
/* Submits the bio, to be waited for. */
void     block_wait_submit (BlockWait *wait, BlockDevice *block, Bio *bio);
/* Sleeps until all that were submitted have ended. */
void     block_wait (BlockWait *wait);
/* blkdev_issue_flush(): sleeps until what was written is durable; nothing to do without a volatile cache. */
void     block_issue_flush (Task *task, BlockDevice *block);
/* submit_bio_wait() of a write of metadata; `fua`: durable when it returns, by FUA or by a FLUSH after it. */
void     block_write_and_wait (Task *task, BlockDevice *block, uint64_t start, uint64_t length, gboolean fua);

#endif
