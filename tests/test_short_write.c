/* Buffered writes under NOWAIT that must stop after their first page: what is thrown away, what counts as a short
 * write, who does the rest. */
#include "model/short_write.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* Each page of a write takes 10 us; a read takes 100 us. */
#define COSTS                                                                                                   \
  "Device.Synchronous=no, Read.Time=100000, FileSystem xfs.WritePage=10000, FileSystem btrfs.WritePage=10000, " \
  "FileSystem ext4.WritePage=10000"

/* The first request sets the time stamp of its tick (and, direct, writes blocks); what is looked at is the last. */
typedef struct {
  const char *rule, *fs;
  unsigned kernel;
  gboolean unwritten; /* file 0 has its blocks, but they hold no data */
  const char *script, *outcome, *log;
  unsigned attempt_us, service_us; /* of the last request: its attempt; with a worker what that took */
  unsigned short_writes, bytes_done;
} ShortRow;

static void count_short (const TraceEvent *event, void *data)
{
  unsigned *count = data;

  *count += event->kind == TRACE_SHORT_WRITE;
}

static void check_row (const ShortRow *row)
{
  Fixture *fixture = fixture_new (fixture_generation (row->kernel), row->fs, COSTS_FREE);
  WorkloadFile *file = g_ptr_array_index (fixture->workload->files, 0);
  g_autofree char *outcome = NULL;
  const Request *last;
  unsigned events = 0, attempt;

  fixture_set (fixture, COSTS);
  fixture->setup.kernel = row->kernel;
  fixture->setup.cache = CACHE_COLD;
  fixture->setup.trace = count_short;
  fixture->setup.trace_data = &events;
  file->unwritten = row->unwritten;
  fixture_build (fixture);
  fixture_script (fixture, row->script);
  fixture_run (fixture, row->rule);
  outcome = fixture_outcomes (fixture);
  last = g_ptr_array_index (fixture->requests, fixture->requests->len - 1);
  attempt = (unsigned) ((last->time.verdict - last->time.attempt) / UR_US);
  ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s, %s: %s", row->rule, row->fs, outcome);
  if (row->log)
    fixture_check_log (fixture, row->rule, row->log);
  ROW_CHECK (attempt == row->attempt_us, "%s, %s: the attempt takes %u us", row->rule, row->fs, attempt);
  ROW_CHECK (!last->time.started || (unsigned) ((last->time.done - last->time.started) / UR_US) == row->service_us,
             "%s, %s: the worker takes %u us", row->rule, row->fs,
             (unsigned) ((last->time.done - last->time.started) / UR_US));
  ROW_CHECK (last->bytes_done == row->bytes_done, "%s, %s: %u bytes done by the attempt", row->rule, row->fs,
             (unsigned) last->bytes_done);
  ROW_CHECK (fixture->sim->count.short_writes == row->short_writes && events == row->short_writes,
             "%s, %s: %u short writes, %u events", row->rule, row->fs, (unsigned) fixture->sim->count.short_writes,
             events);
  fixture_free (fixture);
}

#define AFTER(first, last) "S@1/0: ring:8 sqe:" first " submit:1 reap sqe:" last " submit:1 reap results"

static void test_short (void)
{
  static const ShortRow rows[] = {
    { "whole pages: nothing to wait for", "xfs", KERNEL (6, 18), FALSE, AFTER ("w0@90", "w0+3@1"), "Hi", NULL, 30, 0, 0,
      0 },
    { "its last page in part, in one extent: two pages are copied for nothing", "xfs", KERNEL (6, 18), FALSE,
      AFTER ("w0@90", "w0@1/10000"), "HH", "S@11 reap a, S@161 reap b, S@161 results a ok b ok", 20, 130, 0, 0 },
    { "its first page in part: nothing is copied", "xfs", KERNEL (6, 18), FALSE,
      "S@1/0: ring:8 sqe:w0@90 submit:1 reap sqe:w0@1/100 submit:1 reap results", "HH", NULL, 0, 110, 0, 0 },
    { "two extents: the first is done, the write is short, the rest is punted", "xfs", KERNEL (6, 18), TRUE,
      AFTER ("ow0@5", "w0@3/10000"), "UH", "S@1 reap a, S@131 reap b, S@131 results a ok b ok", 20, 110, 1, 8192 },
    { "two extents, both free to go", "xfs", KERNEL (6, 18), TRUE, AFTER ("ow0@5", "w0+3@3"), "Ui", NULL, 30, 0, 0, 0 },
    { "6.0 too", "xfs", KERNEL (6, 0), TRUE, AFTER ("ow0@5", "w0@3/10000"), "HH", NULL, 20, 110, 1, 8192 },
    { "5.19: no attempt, nothing is short", "xfs", KERNEL (5, 19), TRUE, AFTER ("ow0@5", "w0@3/10000"), "HH", NULL, 0,
      130, 0, 0 },
    { "ext4: no attempt", "ext4", KERNEL (6, 18), TRUE, AFTER ("ow0@5", "w0@3/10000"), "aH", NULL, 0, 130, 0, 0 },
    { "RWF_NOWAIT: ends short", "xfs", KERNEL (6, 18), TRUE, AFTER ("ow0@5", "iw0@3/10000"), "Ui",
      "S@1 reap a, S@21 reap b, S@21 results a ok b short", 20, 0, 1, 8192 },
    { "RWF_NOWAIT, nothing done: EAGAIN", "xfs", KERNEL (6, 18), FALSE, AFTER ("w0@90", "iw0@1/10000"), "HF",
      "S@11 reap a, S@31 reap b, S@31 results a ok b EAGAIN", 20, 0, 0, 0 },
    { "btrfs from 6.16 on: a round a folio", "btrfs", KERNEL (6, 16), FALSE, AFTER ("w0@90", "w0@1/10000"), "HH", NULL,
      20, 110, 1, 8192 },
    { "btrfs up to 6.15: a round of 512 pages finds out first", "btrfs", KERNEL (6, 15), FALSE,
      AFTER ("w0@90", "w0@1/10000"), "HH", NULL, 0, 130, 0, 0 },
    { "btrfs up to 6.15: the round before counts", "btrfs", KERNEL (6, 15), FALSE, AFTER ("w0@9000", "w0@1/2103000"),
      "HH", NULL, 5120, 120, 1, 2097152 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    check_row (&rows[i]);
}

void register_short_write_tests (void)
{
  CU_pSuite suite = fixture_suite ("short writes");

  fixture_test (suite, "short writes", test_short);
}
