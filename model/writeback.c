/* See writeback.h. */
#include "model/writeback.h"

#include "model/block_device.h"
#include "model/page_io.h"

#include <math.h>

#define RATELIMIT_EXCEEDED 8u        /* 32 KiB, over the limit */
#define DIRTY_POLL_THRESH 32.0       /* pages worth a pause */
#define INIT_BANDWIDTH (100 * 256.0) /* 100 MB/s */
#define BANDWIDTH_INTERVAL (200 * UR_MS)
#define MAX_PAUSE (200 * UR_MS)

static UrTime jiffy (const BdiWriteback *wb) { return wb->sim->setup->machine->tick; }
static UrTime jiffies (const BdiWriteback *wb) { return sim_now (wb->sim) / jiffy (wb); }
static double hz (const BdiWriteback *wb) { return (double) UR_S / (double) jiffy (wb); }
static uint64_t wb_dirty (const BdiWriteback *wb) { return wb->pages.dirty + wb->pages.writeback; }

static double round_up_to_power_of_two (double x) { return exp2 (ceil (log2 (MAX (x, 1)))); }

BdiWriteback *bdi_writeback_new (Simulation *sim)
{
  const Machine *machine = sim->setup->machine;
  BdiWriteback *wb = g_new0 (BdiWriteback, 1);

  wb->sim = sim;
  wb->memory = (machine->memory_size - machine->memory_used) / PAGE_SIZE_BYTES;
  wb->thresh = wb->memory * machine->dirty_ratio / 100;
  wb->bg_thresh = wb->memory * machine->dirty_background_ratio / 100;
  if (wb->bg_thresh >= wb->thresh)
    wb->bg_thresh = wb->thresh / 2;
  wb->freerun = (wb->thresh + wb->bg_thresh) / 2;
  wb->write_bandwidth = wb->avg_write_bandwidth = wb->dirty_ratelimit = wb->balanced_ratelimit = INIT_BANDWIDTH;
  wb->cpu_dirtied = g_new0 (unsigned, sim->n_cpus);
  wb->ratelimit_pages = (unsigned) CLAMP (wb->thresh / (32 * sim->n_cpus), 16, G_MAXUINT);
  return wb;
}

void bdi_writeback_free (BdiWriteback *wb)
{
  if (!wb)
    return;
  g_free (wb->cpu_dirtied);
  g_free (wb);
}

/* ---- rates ---- */

/* wb_update_write_bandwidth(): over the last three seconds or so, and a smoothed one. */
static void update_write_bandwidth (BdiWriteback *wb, double elapsed)
{
  double period = round_up_to_power_of_two (3 * hz (wb)) / hz (wb);
  double avg = wb->avg_write_bandwidth, old = wb->write_bandwidth;
  double bandwidth = (double) (wb->written - wb->written_stamp) / elapsed;

  if (elapsed > period) {
    avg = bandwidth;
  } else {
    bandwidth = (bandwidth * elapsed + old * (period - elapsed)) / period;
    if ((avg > old && old >= bandwidth) || (avg < old && old <= bandwidth))
      avg += (old - avg) / 8;
  }
  wb->write_bandwidth = MAX (bandwidth, 1);
  wb->avg_write_bandwidth = MAX (avg, 1);
}

double wb_position_ratio (const BdiWriteback *wb, double dirty)
{
  double freerun = (double) wb->freerun, limit = (double) wb->thresh, setpoint = (freerun + limit) / 2;
  double span = MAX (8 * wb->write_bandwidth, 1), end = setpoint + span, x, ratio;

  if (dirty >= limit)
    return 0;
  x = (setpoint - dirty) / (limit - setpoint + 1);
  ratio = CLAMP (1 + x * x * x, 0, 2);
  return dirty < end - span / 4 ? ratio * (end - dirty) / (end - setpoint + 1) : ratio / 4;
}

/* wb_update_dirty_ratelimit(): a step towards what balances, only as far as all signs agree. */
static void update_dirty_ratelimit (BdiWriteback *wb, double elapsed)
{
  double dirty = (double) wb_dirty (wb), setpoint = (double) (wb->freerun + wb->thresh) / 2, rate = wb->dirty_ratelimit;
  double dirty_rate = MAX ((double) (wb->dirtied - wb->dirtied_stamp) / elapsed, 1);
  double task_ratelimit = rate * wb_position_ratio (wb, dirty) + 1;
  double balanced = MIN (task_ratelimit * wb->write_bandwidth / dirty_rate, wb->write_bandwidth), step = 0;

  if (dirty < setpoint)
    step = MAX (MIN (MIN (wb->balanced_ratelimit, balanced), task_ratelimit) - rate, 0);
  else
    step = MAX (rate - MAX (MAX (wb->balanced_ratelimit, balanced), task_ratelimit), 0);
  step = step > 0 ? step * exp2 (-floor (rate / (2 * step + 1))) / 8 : 0;
  wb->dirty_ratelimit = MAX (rate < balanced ? rate + step : rate - step, 1);
  wb->balanced_ratelimit = MAX (balanced, 1);
}

static void start_window (BdiWriteback *wb)
{
  wb->bw_time_stamp = sim_now (wb->sim);
  wb->dirtied_stamp = wb->dirtied;
  wb->written_stamp = wb->written;
}

static void update_bandwidth (BdiWriteback *wb, gboolean ratelimit)
{
  UrTime elapsed = sim_now (wb->sim) - wb->bw_time_stamp;

  if (elapsed < BANDWIDTH_INTERVAL)
    return;
  if (ratelimit)
    update_dirty_ratelimit (wb, (double) elapsed / UR_S);
  update_write_bandwidth (wb, (double) elapsed / UR_S);
  start_window (wb);
}

/* ---- throttling ---- */

/* wb_max_pause(), jiffies: short if there is little to wait for. */
static double max_pause (const BdiWriteback *wb)
{
  double unit = round_up_to_power_of_two (1 + hz (wb) / 8);
  double pause = floor ((double) wb_dirty (wb) / (1 + floor (wb->avg_write_bandwidth / unit))) + 1;

  return MIN (pause, (double) (MAX_PAUSE / jiffy (wb)));
}

/* wb_min_pause(): the shortest pause worth it, jiffies, and after how many pages the next one is due. */
static double min_pause (const BdiWriteback *wb, double longest, double task_ratelimit, double *ret_pages)
{
  double per_s = hz (wb), all = floor (log2 (MAX (wb->avg_write_bandwidth, 1)));
  double own = floor (log2 (MAX (wb->dirty_ratelimit, 1))), t = MAX (1, per_s / 100), pages;

  if (all > own) /* the more dirtiers, the longer */
    t += floor ((all - own) * (10 * per_s) / 1024);
  t = MIN (t, 1 + floor (longest / 2));
  pages = floor (wb->dirty_ratelimit * t / round_up_to_power_of_two (per_s));
  if (pages < DIRTY_POLL_THRESH) {
    t = longest;
    pages = floor (wb->dirty_ratelimit * t / round_up_to_power_of_two (per_s));
    if (pages > DIRTY_POLL_THRESH) {
      pages = DIRTY_POLL_THRESH;
      t = per_s * DIRTY_POLL_THRESH / wb->dirty_ratelimit;
    }
  }
  if (per_s * pages / (task_ratelimit + 1) > longest) {
    t = longest;
    pages = floor (task_ratelimit * t / round_up_to_power_of_two (per_s));
  }
  *ret_pages = MAX (pages, 1);
  return pages >= DIRTY_POLL_THRESH ? 1 + floor (t / 2) : t;
}

/* In freerun: the room left decides when to look again. */
static void balance_freerun (Task *task, const BdiWriteback *wb, uint64_t dirty)
{
  uint64_t room = wb->thresh > dirty ? wb->thresh - dirty : 0;

  task->dirty_paused_when = (int64_t) jiffies (wb);
  task->nr_dirtied = 0;
  task->nr_dirtied_pause = room ? 1u << (g_bit_storage (room) - 1) / 2 : 1;
}

static void balance_sleep (Task *task, BdiWriteback *wb, double pause)
{
  UrTime from = sim_now (wb->sim), slept;

  if (!wb->n_paused++)
    wb->paused_since = from;
  task_prepare_to_sleep (task);
  task->waits_for = "dirty pages to be written (balance_dirty_pages)";
  task_schedule (task, (jiffies (wb) + (UrTime) pause + 1) * jiffy (wb));
  task->waits_for = NULL;
  slept = sim_now (wb->sim) - from;
  if (!--wb->n_paused)
    wb->paused += sim_now (wb->sim) - wb->paused_since;
  wb->pauses++;
  wb->throttled += slept;
  wb->longest_pause = MAX (wb->longest_pause, slept);
}

typedef enum { BALANCE_GOES_ON, BALANCE_AGAIN, BALANCE_LOOK_AGAIN } Balance;

/* One round of balance_dirty_pages() above freerun. */
static Balance balance_round (Task *task, BdiWriteback *wb, double dirtied, gboolean nowait)
{
  double ratelimit, longest, shortest, pages, period, pause;
  int64_t now = (int64_t) jiffies (wb);

  update_bandwidth (wb, TRUE);
  ratelimit = floor (wb->dirty_ratelimit * wb_position_ratio (wb, (double) wb_dirty (wb)));
  longest = max_pause (wb);
  shortest = min_pause (wb, longest, ratelimit, &pages);
  if (ratelimit < 1) {
    period = pause = longest;
  } else {
    period = floor (hz (wb) * dirtied / ratelimit);
    pause = period - (task->dirty_paused_when ? (double) (now - task->dirty_paused_when) : 0);
    if (pause < shortest) {
      if (pause < -hz (wb)) {
        task->dirty_paused_when = now;
        task->nr_dirtied = 0;
      } else if (period > 0) { /* on credit */
        task->dirty_paused_when += (int64_t) period;
        task->nr_dirtied = 0;
      } else if (task->nr_dirtied_pause <= dirtied) {
        task->nr_dirtied_pause += (unsigned) dirtied;
      }
      return BALANCE_GOES_ON;
    }
    if (pause > longest) {
      now += (int64_t) MIN (pause - longest, longest);
      pause = longest;
    }
  }
  if (nowait && wb->sim->kernel >= KERNEL (6, 0))
    return BALANCE_AGAIN;
  balance_sleep (task, wb, pause);
  task->dirty_paused_when = now + (int64_t) pause;
  task->nr_dirtied = 0;
  task->nr_dirtied_pause = (unsigned) MIN (pages, 1e9);
  return ratelimit < 1 ? BALANCE_LOOK_AGAIN : BALANCE_GOES_ON;
}

static void flusher_wake (BdiWriteback *wb, Task *waker);

gboolean balance_dirty_pages (Task *task, gboolean nowait)
{
  BdiWriteback *wb = task->sim->wb;
  unsigned cpu = task->cpu->id, limit = task->nr_dirtied_pause;
  Balance balance;
  double dirtied;

  if (wb_dirty (wb) > wb->thresh)
    limit = MIN (limit, RATELIMIT_EXCEEDED);
  if (task->nr_dirtied >= limit)
    wb->cpu_dirtied[cpu] = 0;
  else if (wb->cpu_dirtied[cpu] >= wb->ratelimit_pages)
    wb->cpu_dirtied[cpu] = limit = 0;
  if (task->nr_dirtied < limit)
    return TRUE;
  dirtied = task->nr_dirtied;
  do {
    wb->max_dirty = MAX (wb->max_dirty, wb_dirty (wb));
    if (wb->pages.dirty > wb->bg_thresh && !wb->background) {
      wb->background = TRUE;
      flusher_wake (wb, task);
    }
    if (wb_dirty (wb) <= wb->freerun) {
      balance_freerun (task, wb, wb_dirty (wb));
      return TRUE;
    }
    task_sync (task);
    balance = balance_round (task, wb, dirtied, nowait);
  } while (balance == BALANCE_LOOK_AGAIN);
  return balance != BALANCE_AGAIN;
}

/* ---- the lists of dirty inodes ---- */

static void wb_list_add (Inode *inode, GQueue *list)
{
  g_queue_push_tail_link (list, &inode->wb_link);
  inode->wb_list = list;
}

static void wb_list_remove (Inode *inode)
{
  g_queue_unlink (inode->wb_list, &inode->wb_link);
  inode->wb_list = NULL;
}

static Inode *wb_list_pop (GQueue *list)
{
  Inode *inode = list->head ? list->head->data : NULL;

  if (inode)
    wb_list_remove (inode);
  return inode;
}

/* When the oldest inode of b_dirty will be found old enough, looking every DirtyWriteback since `armed`. */
static UrTime kupdate_due (const BdiWriteback *wb)
{
  const Machine *machine = wb->sim->setup->machine;
  UrTime interval = machine->dirty_writeback, old;

  if (!interval || (!wb->b_dirty.head && !wb->b_io.head && !wb->b_more_io.head))
    return UR_TIME_NEVER;
  old = sim_now (wb->sim) + 1;
  if (!wb->b_io.head && !wb->b_more_io.head) /* else what is half written is gone on with */
    old = MAX (old, ((const Inode *) wb->b_dirty.head->data)->dirtied_when + machine->dirty_expire);
  return wb->armed + (MAX (old, wb->armed + 1) - wb->armed + interval - 1) / interval * interval;
}

static void kupdate_timer (UrEngine *engine, void *data)
{
  BdiWriteback *wb = data;

  (void) engine;
  wb->timer = 0;
  wb->kupdate = TRUE;
  flusher_wake (wb, NULL);
}

static void kupdate_arm (BdiWriteback *wb)
{
  UrTime due;

  if (wb->timer || wb->kupdate)
    return;
  due = kupdate_due (wb);
  if (due != UR_TIME_NEVER)
    wb->timer = ur_engine_at (wb->sim->engine, due, kupdate_timer, wb);
}

void writeback_inode_is_dirty (BdiWriteback *wb, Inode *inode)
{
  inode->dirtied_when = sim_now (wb->sim);
  inode->wb_link.data = inode;
  if (!wb->b_dirty.head && !wb->timer)
    wb->armed = inode->dirtied_when;
  wb_list_add (inode, &wb->b_dirty);
  kupdate_arm (wb);
}

void writeback_account_dirtied (Task *task, Inode *inode, unsigned pages)
{
  BdiWriteback *wb = task->sim->wb;

  if (!pages)
    return;
  wb->dirtied += pages;
  task->nr_dirtied += pages;
  wb->cpu_dirtied[task->cpu->id] += pages;
  if (G_UNLIKELY (!inode->wb_list && !inode->wb_visited))
    writeback_inode_is_dirty (wb, inode);
}

gboolean writeback_is_all_that_comes (const BdiWriteback *wb)
{
  return wb->timer && ur_engine_pending (wb->sim->engine) == 1;
}

/* ---- the flusher ---- */

#define MIN_WRITEBACK_PAGES 1024u /* 4 MiB */

/* writeback_chunk_size() */
static uint64_t chunk_size (const BdiWriteback *wb)
{
  uint64_t pages = MIN ((uint64_t) (wb->avg_write_bandwidth / 2), wb->thresh / 8);

  return pages / MIN_WRITEBACK_PAGES * MIN_WRITEBACK_PAGES + MIN_WRITEBACK_PAGES;
}

static gboolean over_bg_thresh (const BdiWriteback *wb) { return wb->pages.dirty > wb->bg_thresh; }

/* queue_io(): what is to be gone on with, and what was dirtied up to then. */
static void queue_io (BdiWriteback *wb, UrTime dirtied_before)
{
  Inode *inode;

  while ((inode = wb_list_pop (&wb->b_more_io)))
    wb_list_add (inode, &wb->b_io);
  while (wb->b_dirty.head && ((Inode *) wb->b_dirty.head->data)->dirtied_when <= dirtied_before)
    wb_list_add (wb_list_pop (&wb->b_dirty), &wb->b_io);
}

/* __writeback_single_inode(), and where the inode goes then.  Returns pages. */
static uint64_t write_inode (Task *task, BdiWriteback *wb, Inode *inode, gboolean background)
{
  uint64_t most = chunk_size (wb), done = 0, n;

  inode->wb_visited = TRUE;
  do {
    n = page_io_write_some (task, inode, MIN (most - done, MIN_WRITEBACK_PAGES));
    done += n;
  } while (n && done < most && (!background || over_bg_thresh (wb)));
  update_bandwidth (wb, FALSE);
  inode->wb_visited = FALSE;
  wb->flushed += done;
  if (!inode->pages.dirty_touched)
    return done;
  if (n) /* the slice is used up */
    wb_list_add (inode, &wb->b_more_io);
  else { /* the rest is under writeback: redirty_tail() */
    inode->dirtied_when = sim_now (wb->sim);
    wb_list_add (inode, &wb->b_dirty);
  }
  return done;
}

static void flusher_wait (Task *task, BdiWriteback *wb)
{
  task_sync (task);
  if (!wb->pages.writeback)
    return;
  wb->flusher_waits = TRUE;
  while (wb->flusher_waits) {
    task_prepare_to_sleep (task);
    task->waits_for = "writeback (flusher)";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}

/* wb_writeback() */
static void wb_writeback (Task *task, BdiWriteback *wb, gboolean background)
{
  UrTime since = sim_now (wb->sim), expire = wb->sim->setup->machine->dirty_expire;
  gboolean progress = TRUE;

  if (!wb->pages.writeback && since - wb->bw_time_stamp > BANDWIDTH_INTERVAL)
    start_window (wb); /* wb_bandwidth_estimate_start(): idle time is none */
  while (!background || over_bg_thresh (wb)) {
    UrTime before = background ? sim_now (wb->sim) : since > expire ? since - expire : 0;
    Inode *inode;

    if (!wb->b_io.head) {
      if (!progress)
        flusher_wait (task, wb);
      progress = FALSE;
      queue_io (wb, before);
    }
    inode = wb_list_pop (&wb->b_io);
    if (!inode && !background)
      return;
    if (!inode && !wb->pages.writeback)
      return; /* what is dirty is not on this device */
    if (inode && write_inode (task, wb, inode, background))
      progress = TRUE;
  }
}

static void flusher_body (Task *task, void *data)
{
  BdiWriteback *wb = data;

  for (;;) {
    task_sync (task);
    while (wb->background || wb->kupdate) {
      gboolean background = wb->background;

      wb_writeback (task, wb, background);
      if (background)
        wb->background = FALSE;
      else
        wb->kupdate = FALSE;
    }
    kupdate_arm (wb);
    task_prepare_to_sleep (task);
    if (wb->background || wb->kupdate) {
      task_cancel_sleep (task);
      continue;
    }
    task->waits_for = "work (flusher)";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}

/* wb_wakeup(): by `waker`, NULL: a timer. */
static void flusher_wake (BdiWriteback *wb, Task *waker)
{
  if (waker)
    task_sync (waker);
  if (wb->flusher) {
    task_wake (waker, wb->flusher);
    return;
  }
  wb->flusher = task_new (wb->sim, "flusher", TASK_CLASS_FLUSHER, -1, flusher_body, wb);
  if (waker)
    task_cost (waker, COST_WAKE_REMOTE);
  task_start (wb->flusher, waker);
}

void writeback_account_written (BdiWriteback *wb, uint64_t pages, Task *task, Cpu *cpu)
{
  wb->written += pages;
  if (!wb->flusher_waits)
    return;
  wb->flusher_waits = FALSE;
  block_wake (task, cpu, wb->flusher);
}

/* ---- memory ---- */

#define RECLAIM_BATCH 32u /* SWAP_CLUSTER_MAX */

void writeback_reclaim (Task *task, BdiWriteback *wb)
{
  uint64_t pages;

  if (G_LIKELY (wb->pages.resident <= wb->memory))
    return;
  pages = page_cache_evict (&wb->pages, wb->pages.resident - wb->memory + RECLAIM_BATCH);
  wb->evicted += pages;
  task_run (task, (UrTime) ((double) pages * (double) sim_cost (wb->sim, COST_EVICT_PAGE)));
}
