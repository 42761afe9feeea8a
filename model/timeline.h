/*
 * A run over time: how fast requests completed, how many pages were dirty, and for how long writers were paused, in
 * slices; and the phases that a run goes through which is throttled at the dirty limit.
 * Stands for what an observer of a kernel sees who reads nr_dirty, nr_writeback and the application's progress once in
 * a while (mm/page-writeback.c decides, see writeback.h; here it is only watched).
 *
 * Memory is bounded: when all TIMELINE_SLICES are used, neighbours become one, two by two, but not one in which somebody
 * was throttled and one in which nobody was (unless there is no other way): so the moment is kept at which the limit
 * was crossed.  A slice ends with the first completion after its length has passed: it takes no events.
 *
 * Phases, told from the slices alone:
 *   fill      nobody is paused and dirty pages do not exceed the freerun limit (writeback.h); they increase
 *   drain     the same, but they decrease
 *   throttle  somebody is paused, or they exceed it; throughput and dirty pages still change
 *   steady    the same, and from here to the end of the phase neither changes: its quarters differ from its mean by no
 *             more than a tenth (of the mean rate; of the freerun limit), and its first sixteenth by no more than a
 *             fifth, so that no transition is hidden in a long phase; an eighth of the time above the limit at least
 * What takes less than 1/64 of the run, changes the dirty pages by less than a tenth of the freerun limit, and is paused
 * for less than a tenth of its time is no phase of its own.  A run without pauses has none.
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "model/result.h"

#define TIMELINE_SLICES 256u

/* Where the run was at the end of a slice: counted from its start, but for `dirty`. */
typedef struct {
  UrTime   until;
  uint64_t ios, bytes;            /* reads, writes and trims that the application has reaped */
  uint64_t written;               /* pages whose writeback has ended */
  UrTime   paused;                /* ns in which somebody was paused */
  uint64_t dirty;                 /* pages dirty or under writeback */
  gboolean throttled;             /* in this slice; set by timeline_add() */
} TimelineSlice;

typedef struct {
  TimelineSlice slice[TIMELINE_SLICES];
  unsigned n;
  uint64_t freerun;               /* pages */
  UrTime   length, next;          /* of a slice; when this one may end */
} Timeline;

/* `freerun`: the limit below which nobody waits, pages. */
void timeline_init (Timeline *timeline, uint64_t freerun);
/* Ends a slice.  Call it when now >= timeline->next, and once at the end of the run. */
void timeline_add (Timeline *timeline, const TimelineSlice *slice);
/* The phases in order, without gaps. (transfer full) (element-type ResultPeriod) */
GArray *timeline_phases (const Timeline *timeline);

#endif
