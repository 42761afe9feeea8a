/* See timeline.h. */
#include "model/timeline.h"

#include <math.h>

#define FIRST_LENGTH UR_MS
#define PARTS 4u         /* of a steady phase */
#define TOLERANCE 0.1    /* of each of them */
#define ONSET_PART 16.0  /* its start: this part of it */
#define ONSET 0.2        /* and how far that may differ */
#define STEADY_MIN 8u    /* slices that can be called steady, */
#define STEADY_PART 8.0  /* and this part of the stretch above the limit */
#define SHORT_PART 64.0  /* what takes less of the run */
#define SHORT_CHANGE 0.1 /* and changes dirty pages by less of the freerun limit, */
#define SHORT_PAUSED 0.1 /* and in which nobody pauses for longer, is no phase */

void timeline_init (Timeline *timeline, uint64_t freerun)
{
  timeline->n = 0;
  timeline->freerun = freerun;
  timeline->length = timeline->next = FIRST_LENGTH;
}

/* Slices are cumulative: of two the later one stays. */
static void timeline_coarsen (Timeline *timeline, gboolean all)
{
  unsigned to = 0;

  for (unsigned i = 0; i < timeline->n; i++) {
    TimelineSlice slice = timeline->slice[i];

    if (i + 1 < timeline->n && (all || timeline->slice[i + 1].throttled == slice.throttled)) {
      gboolean throttled = slice.throttled;

      slice = timeline->slice[++i];
      slice.throttled |= throttled;
    }
    timeline->slice[to++] = slice;
  }
  timeline->n = to;
}

void timeline_add (Timeline *timeline, const TimelineSlice *slice)
{
  TimelineSlice *to;

  if (timeline->n == TIMELINE_SLICES) {
    timeline_coarsen (timeline, FALSE);
    if (timeline->n > TIMELINE_SLICES / 4 * 3)
      timeline_coarsen (timeline, TRUE);
    timeline->length *= 2;
  }
  to = &timeline->slice[timeline->n];
  *to = *slice;
  to->throttled = slice->dirty > timeline->freerun || slice->paused > (timeline->n ? to[-1].paused : 0);
  timeline->n++;
  timeline->next = (slice->until / timeline->length + 1) * timeline->length;
}

static const TimelineSlice *before (const Timeline *timeline, unsigned i)
{
  static const TimelineSlice start = { 0 };

  return i ? &timeline->slice[i - 1] : &start;
}

static double length (const Timeline *timeline, unsigned from, unsigned to)
{
  return (double) (timeline->slice[to - 1].until - before (timeline, from)->until);
}

/* Bytes a second over the slices [from, to). */
static double rate (const Timeline *timeline, unsigned from, unsigned to)
{
  double s = length (timeline, from, to) / UR_S;

  return s > 0 ? (double) (timeline->slice[to - 1].bytes - before (timeline, from)->bytes) / s : 0;
}

static double mean_dirty (const Timeline *timeline, unsigned from, unsigned to)
{
  double sum = 0, all = length (timeline, from, to);

  for (unsigned i = from; i < to; i++)
    sum += (double) timeline->slice[i].dirty * length (timeline, i, i + 1);
  return all > 0 ? sum / all : (double) timeline->slice[to - 1].dirty;
}

/* The end of the slices that take `part` of the time of [from, to), at least one. */
static unsigned part_end (const Timeline *timeline, unsigned from, unsigned to, double part)
{
  double wanted = (double) before (timeline, from)->until + part * length (timeline, from, to);
  unsigned i = from + 1;

  while (i < to && (double) timeline->slice[i - 1].until < wanted)
    i++;
  return i;
}

/* Whether [from, to) differs from these by no more. */
static gboolean alike (const Timeline *timeline, unsigned from, unsigned to, double mean_rate, double dirty,
                       double tolerance)
{
  return fabs (rate (timeline, from, to) - mean_rate) <= tolerance * mean_rate &&
         fabs (mean_dirty (timeline, from, to) - dirty) <= tolerance * (double) timeline->freerun;
}

static gboolean is_steady (const Timeline *timeline, unsigned from, unsigned to)
{
  double all = rate (timeline, from, to), dirty = mean_dirty (timeline, from, to);
  unsigned start = from, end;

  if (!alike (timeline, from, part_end (timeline, from, to, 1 / ONSET_PART), all, dirty, ONSET))
    return FALSE;
  for (unsigned part = 1; part <= PARTS && start < to; part++, start = end) {
    end = MAX (part_end (timeline, from, to, (double) part / PARTS), start + 1);
    if (!alike (timeline, start, end, all, dirty, TOLERANCE))
      return FALSE;
  }
  return TRUE;
}

/* Where, in a throttled stretch, the steady phase begins; `to`: nowhere. */
static unsigned steady_from (const Timeline *timeline, unsigned from, unsigned to)
{
  double all = length (timeline, from, to);

  for (unsigned i = from; i + STEADY_MIN <= to && length (timeline, i, to) >= all / STEADY_PART; i++)
    if (is_steady (timeline, i, to))
      return i;
  return to;
}

static gboolean is_short (const Timeline *timeline, unsigned from, unsigned to)
{
  double change = (double) timeline->slice[to - 1].dirty - (double) before (timeline, from)->dirty;
  double paused = (double) (timeline->slice[to - 1].paused - before (timeline, from)->paused);

  if (timeline->slice[to - 1].until == before (timeline, from)->until)
    return TRUE;
  return paused < SHORT_PAUSED * length (timeline, from, to) &&
         length (timeline, from, to) < length (timeline, 0, timeline->n) / SHORT_PART &&
         fabs (change) < SHORT_CHANGE * (double) timeline->freerun;
}

static void add_period (GArray *periods, const Timeline *timeline, unsigned from, unsigned to, const char *name)
{
  const TimelineSlice *start = before (timeline, from), *end = &timeline->slice[to - 1];
  double s = length (timeline, from, to) / UR_S;
  ResultPeriod period = { .name = name,
                          .from = start->until,
                          .to = end->until,
                          .ios = end->ios - start->ios,
                          .iops = s > 0 ? (double) (end->ios - start->ios) / s : 0,
                          .bw_bytes = rate (timeline, from, to),
                          .written_pages = end->written - start->written,
                          .dirty_pages = mean_dirty (timeline, from, to),
                          .dirty_pages_end = end->dirty,
                          .throttled = s > 0 ? (double) (end->paused - start->paused) / UR_S / s : 0 };

  g_array_append_val (periods, period);
}

static void add_stretch (GArray *periods, const Timeline *timeline, unsigned from, unsigned to, gboolean throttled)
{
  unsigned steady;

  if (!throttled) {
    add_period (periods, timeline, from, to,
                timeline->slice[to - 1].dirty >= before (timeline, from)->dirty ? "fill" : "drain");
    return;
  }
  steady = steady_from (timeline, from, to);
  if (steady > from)
    add_period (periods, timeline, from, steady, "throttle");
  if (steady < to)
    add_period (periods, timeline, steady, to, "steady");
}

/* The end of the stretch from `from` on that is throttled or not: short ones of the other kind lie within. */
static unsigned stretch_end (const Timeline *timeline, unsigned from, gboolean throttled)
{
  unsigned end = from, other;

  for (;;) {
    while (end < timeline->n && timeline->slice[end].throttled == throttled)
      end++;
    for (other = end; other < timeline->n && timeline->slice[other].throttled != throttled; other++)
      ;
    if (other == end || !is_short (timeline, end, other))
      return end;
    end = other;
  }
}

GArray *timeline_phases (const Timeline *timeline)
{
  GArray *periods = g_array_new (FALSE, FALSE, sizeof (ResultPeriod));
  unsigned from = 0, end;

  if (!timeline->n || !timeline->slice[timeline->n - 1].paused)
    return periods;
  while (from < timeline->n) {
    gboolean throttled = timeline->slice[from].throttled;

    end = stretch_end (timeline, from, throttled);
    if (from == 0 && end < timeline->n && is_short (timeline, 0, end)) { /* belongs to what follows */
      throttled = !throttled;
      end = stretch_end (timeline, end, throttled);
    }
    add_stretch (periods, timeline, from, end, throttled);
    from = end;
  }
  return periods;
}
