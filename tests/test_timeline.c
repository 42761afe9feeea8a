/* A run over time: slices, and the phases told from them. */
#include "model/timeline.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <string.h>

#define FREERUN 1000u

/* Of a run, told to the timeline in slices of `length` ms: until when, bytes per ms, dirty pages at its end (straight
 * from the last), and the share of time in which somebody was paused, in percent. */
typedef struct {
  unsigned until_ms, rate, dirty, paused;
} Piece;

static Timeline *timeline_of (const Piece *pieces, unsigned n, unsigned length)
{
  Timeline *timeline = g_new (Timeline, 1);
  TimelineSlice at = { 0 };
  unsigned ms = 0, from = 0, dirty = 0;

  timeline_init (timeline, FREERUN);
  for (unsigned i = 0; i < n; dirty = pieces[i].dirty, from = ms, i++)
    while (ms < pieces[i].until_ms) {
      ms += length;
      at.until = ms * UR_MS;
      at.bytes += (uint64_t) pieces[i].rate * length;
      at.ios += length;
      at.written += 2 * length;
      at.paused += pieces[i].paused * length * UR_MS / 100;
      at.dirty = (uint64_t) (dirty + ((double) pieces[i].dirty - dirty) * (ms - from) / (pieces[i].until_ms - from));
      if (at.until >= timeline->next)
        timeline_add (timeline, &at);
    }
  timeline_add (timeline, &at);
  return timeline;
}

static char *phases_text (const GArray *phases)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < phases->len; i++) {
    const ResultPeriod *phase = &g_array_index (phases, ResultPeriod, i);

    g_string_append_printf (text, "%s%s %d-%d", i ? ", " : "", phase->name, (int) (phase->from / UR_MS),
                            (int) (phase->to / UR_MS));
  }
  return g_string_free (text, FALSE);
}

static void test_phases (void)
{
  static const struct {
    const char *rule;
    Piece piece[6];
    unsigned n, length;
    const char *phases;
  } rows[] = {
    { "nobody was ever paused: no phases", { { 100, 10, 900, 0 } }, 1, 1, "" },
    { "over the limit but nobody paused: no phases", { { 100, 10, 1500, 0 } }, 1, 1, "" },
    { "fill up to the freerun limit, a transition, then steady",
      { { 50, 100, 1000, 0 }, { 80, 30, 1300, 90 }, { 200, 10, 1300, 90 } },
      3,
      1,
      "fill 0-50, throttle 50-80, steady 80-200" },
    { "the rate alone changes: not steady yet",
      { { 50, 100, 1000, 0 }, { 51, 10, 1300, 90 }, { 90, 20, 1300, 90 }, { 200, 10, 1300, 90 } },
      4,
      1,
      "fill 0-50, throttle 50-89, steady 89-200" },
    { "dirty pages alone change: not steady until they are within a fifth of the freerun limit",
      { { 50, 100, 1000, 0 }, { 100, 10, 2000, 90 }, { 200, 10, 2000, 90 } },
      3,
      1,
      "fill 0-50, throttle 50-85, steady 85-200" },
    { "it never settles: all of it is throttle",
      { { 50, 100, 1000, 0 }, { 100, 10, 2000, 90 }, { 150, 40, 1200, 90 }, { 200, 5, 2400, 90 } },
      4,
      1,
      "fill 0-50, throttle 50-200" },
    { "a change at the end of it: not steady before",
      { { 50, 100, 1000, 0 }, { 150, 10, 1300, 90 }, { 200, 30, 1300, 90 } },
      3,
      1,
      "fill 0-50, throttle 50-149, steady 149-200" },
    { "below the limit again: drain, then fill",
      { { 50, 100, 1000, 0 }, { 51, 10, 1300, 90 }, { 100, 10, 1300, 90 }, { 101, 0, 1000, 0 }, { 150, 0, 100, 0 } },
      5,
      1,
      "fill 0-50, steady 50-100, drain 100-150" },
    { "a pause counts although dirty pages are below the limit",
      { { 50, 100, 900, 0 }, { 100, 10, 900, 90 } },
      2,
      1,
      "fill 0-50, steady 50-100" },
    { "a moment below the limit is no phase of its own",
      { { 50, 100, 1000, 0 }, { 51, 10, 1020, 90 }, { 100, 10, 1020, 90 }, { 101, 10, 990, 0 }, { 200, 10, 1020, 90 } },
      5,
      1,
      "fill 0-50, steady 50-200" },
    { "a moment over it does not end the fill",
      { { 50, 100, 900, 0 }, { 51, 100, 900, 9 }, { 100, 100, 990, 0 }, { 400, 10, 1200, 90 } },
      4,
      1,
      "fill 0-100, steady 100-400" },
    { "a short time of pauses does: what follows below the limit is no phase",
      { { 100, 100, 1000, 0 },
        { 102, 10, 1010, 90 },
        { 103, 10, 990, 0 },
        { 120, 60, 1100, 50 },
        { 400, 10, 1100, 90 } },
      5,
      1,
      "fill 0-100, throttle 100-121, steady 121-400" },
    { "a short fill that fills is kept, however long the run",
      { { 10, 100, 1000, 0 }, { 30, 30, 1300, 90 }, { 100000, 10, 1300, 90 } },
      3,
      1,
      "fill 0-10, steady 10-100000" },
    { "throttled from the first moment on",
      { { 100, 10, 1300, 90 }, { 300, 10, 1300, 90 } },
      2,
      10,
      "throttle 0-70, steady 70-300" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree Timeline *timeline = timeline_of (rows[i].piece, rows[i].n, rows[i].length);
    g_autoptr (GArray) phases = timeline_phases (timeline);
    g_autofree char *text = phases_text (phases);

    ROW_CHECK (strcmp (text, rows[i].phases) == 0, "%s: %s", rows[i].rule, text);
  }
}

/* However long it is: half to all of the slices, in order, and nothing is lost. */
static void test_bound (void)
{
  static const unsigned lengths[] = { 255, 256, 257, 1000, 100000, 3000000 };

  for (unsigned i = 0; i < G_N_ELEMENTS (lengths); i++) {
    const Piece pieces[] = { { 100, 10, 500, 0 }, { lengths[i], 5, 1300, 50 } };
    g_autofree Timeline *timeline = timeline_of (pieces, 2, 1);
    g_autoptr (GArray) phases = timeline_phases (timeline);
    uint64_t bytes = 0, written = 0, ios = 0;
    UrTime to = 0;

    ROW_CHECK (timeline->n <= TIMELINE_SLICES && timeline->n >= MIN (lengths[i], TIMELINE_SLICES / 4),
               "%d ms: %d slices", (int) lengths[i], (int) timeline->n);
    for (unsigned k = 1; k < timeline->n; k++)
      if (timeline->slice[k].until < timeline->slice[k - 1].until)
        ROW_CHECK (FALSE, "%d ms: slice %d goes back", (int) lengths[i], (int) k);
    for (unsigned k = 0; k < phases->len; k++) {
      const ResultPeriod *phase = &g_array_index (phases, ResultPeriod, k);
      double s = (double) (phase->to - phase->from) / UR_S;

      ROW_CHECK (phase->from == to && phase->to > to, "%d ms: phase %d begins where the last ended", (int) lengths[i],
                 (int) k);
      ROW_CHECK (phase->throttled >= 0 && phase->throttled <= 1, "%d ms: throttled %g", (int) lengths[i],
                 phase->throttled);
      to = phase->to;
      bytes += (uint64_t) (phase->bw_bytes * s + 0.5);
      ios += phase->ios;
      written += phase->written_pages;
    }
    ROW_CHECK (to == lengths[i] * UR_MS && ios == lengths[i] && written == 2 * ios &&
                   bytes == 1000 + 5 * (uint64_t) (lengths[i] - 100),
               "%d ms: to %d ms, %d I/Os, %d pages, %d bytes", (int) lengths[i], (int) (to / UR_MS), (int) ios,
               (int) written, (int) bytes);
  }
}

void register_timeline_tests (void)
{
  CU_pSuite suite = CU_add_suite ("timeline", NULL, NULL);

  CU_add_test (suite, "phases", test_phases);
  CU_add_test (suite, "bounded", test_bound);
}
