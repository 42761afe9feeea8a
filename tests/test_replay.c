/* Whole runs of a trace: timed by its arrivals, closed by the depth, and one that breaks off. */
#include "model/application.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

typedef struct {
  const Io *ios;
  unsigned n;
  gboolean fails;
  UrTime asked[64];
  const Task *task;
} Trace;
typedef struct {
  IoSource source;
  Trace *trace;
  unsigned at;
} TraceSource;

static int trace_next (IoSource *source, Io *ret_io, GError **error)
{
  TraceSource *self = (TraceSource *) source;

  if (self->trace->task && self->at < G_N_ELEMENTS (self->trace->asked))
    self->trace->asked[self->at] = task_now (self->trace->task);
  if (self->at < self->trace->n) {
    *ret_io = self->trace->ios[self->at++];
    return 1;
  }
  if (!self->trace->fails)
    return 0;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_IO, "line 4: broken");
  return -1;
}

static void trace_free (IoSource *source) { g_free (source); }

static IoSource *trace_open (gconstpointer closure, GError **error)
{
  TraceSource *self = g_new0 (TraceSource, 1);

  (void) error;
  self->source = (IoSource){ .next = trace_next, .free = trace_free };
  self->trace = (Trace *) closure;
  return &self->source;
}

static WorkloadJob *add_trace (Fixture *fixture, ApplicationEngine engine, unsigned iodepth, Trace *trace)
{
  WorkloadJob *job = fixture_add_job (fixture, engine, iodepth, 0);

  job->open_source = trace_open;
  job->source_closure = trace;
  fixture->setup.replay = REPLAY_TIMED;
  return job;
}

/* Depth and time between arrivals: below and beyond what the machine can do. */
static void test_timed_replay (void)
{
  static const ApplicationEngine engines[] = { APPLICATION_PSYNC, APPLICATION_LIBAIO, APPLICATION_IO_URING };
  static const struct {
    unsigned iodepth;
    UrTime gap;
  } rows[] = {
    { 1, 500 }, { 1, 50000 }, { 8, 1000 }, { 8, 7777777 }, { 64, 3000 },
  };
  Io ios[32];

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++)
    for (unsigned e = 0; e < G_N_ELEMENTS (engines); e++) {
      Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
      Trace trace = { ios, G_N_ELEMENTS (ios), FALSE, { 0 }, NULL };
      const Application *application;

      for (unsigned k = 0; k < G_N_ELEMENTS (ios); k++)
        ios[k] = (Io){
          .arrival = (k + 1) * rows[i].gap, .op = k % 4 ? IO_WRITE : IO_READ, .offset = k * 8192, .length = 4096
        };
      add_trace (fixture, engines[e], rows[i].iodepth, &trace);
      fixture_build (fixture);
      application = g_ptr_array_index (fixture->sim->applications, 0);
      trace.task = application->task;
      application_start (g_ptr_array_index (fixture->sim->applications, 0));
      fixture->sim->group = 1;
      CU_ASSERT_TRUE (sim_drive (fixture->sim));
      ROW_CHECK (!fixture->sim->error && fixture->sim->count.reaped == G_N_ELEMENTS (ios),
                 "depth %u, gap %d, engine %u: %s", rows[i].iodepth, (int) rows[i].gap, e,
                 row_error (fixture->sim->error));
      for (unsigned k = 1; k <= G_N_ELEMENTS (ios); k++) /* the next one is asked for when it is handed over */
        ROW_CHECK (trace.asked[k] >= application->started + ios[k - 1].arrival,
                   "depth %u, gap %d, engine %u: request %u early", rows[i].iodepth, (int) rows[i].gap, e, k - 1);
      ROW_CHECK (rows[i].gap < 50000 || trace.asked[G_N_ELEMENTS (ios)] <
                                            application->started + ios[G_N_ELEMENTS (ios) - 1].arrival + 200 * UR_US,
                 "depth %u, gap %d, engine %u: it keeps up", rows[i].iodepth, (int) rows[i].gap, e);
      ROW_CHECK (application->n_timed == G_N_ELEMENTS (ios), "all were timed");
      fixture_free (fixture);
    }
}

/* What waits for its batch is handed over before the application sleeps until the next arrival. */
static void test_timed_batches (void)
{
  static const ApplicationEngine engines[] = { APPLICATION_LIBAIO, APPLICATION_IO_URING };
  Io ios[32];

  for (unsigned e = 0; e < G_N_ELEMENTS (engines); e++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    Trace trace = { ios, G_N_ELEMENTS (ios), FALSE, { 0 }, NULL };
    WorkloadJob *job = add_trace (fixture, engines[e], 8, &trace);
    RunResult *result;

    job->batch_submit = 4;
    for (unsigned k = 0; k < G_N_ELEMENTS (ios); k++)
      ios[k] = (Io){ .arrival = k * UR_MS, .op = IO_WRITE, .offset = k * 4096, .length = 4096 };
    result = fixture_run_whole (fixture, "timed, in batches");
    ROW_CHECK (result->ios == G_N_ELEMENTS (ios) && result->all.lat.max < 500 * UR_US, "engine %u: up to %d us", e,
               (int) (result->all.lat.max / UR_US));
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* Closed and fast replay do not look at the arrivals. */
static void test_closed_replay (void)
{
  static const ReplayMode modes[] = { REPLAY_CLOSED, REPLAY_FAST };
  const Io ios[] = {
    { .arrival = UR_S, .op = IO_WRITE, .length = 4096 },
    { .arrival = 5 * UR_S, .op = IO_WRITE, .length = 8192 },
    { .arrival = 6 * UR_S, .op = IO_DATASYNC },
    { .arrival = 7 * UR_S, .op = IO_READ, .length = 100 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (modes); i++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    Trace trace = { ios, G_N_ELEMENTS (ios), FALSE, { 0 }, NULL };
    RunResult *result;

    add_trace (fixture, APPLICATION_IO_URING, 4, &trace);
    fixture->setup.replay = modes[i];
    result = fixture_run_whole (fixture, "closed");
    ROW_CHECK (result->sim_ns < UR_MS, "mode %u: %d us", i, (int) (result->sim_ns / UR_US));
    ROW_CHECK (result->ios == 3 && result->syncs == 1 && result->bytes == 4096 + 8192 + 100 &&
                   result->op[IO_DATASYNC].ios == 1 && result->op[IO_READ].bytes == 100,
               "mode %u: %d I/Os", i, (int) result->ios);
    run_result_free (result);
    fixture_free (fixture);
  }
}

static void test_broken_source (void)
{
  static const ApplicationEngine engines[] = { APPLICATION_PSYNC, APPLICATION_LIBAIO, APPLICATION_IO_URING };
  const Io ios[] = { { .op = IO_WRITE, .length = 4096 }, { .op = IO_WRITE, .length = 4096, .offset = 4096 } };

  for (unsigned e = 0; e < G_N_ELEMENTS (engines); e++) {
    Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_SHIPPED);
    Trace trace = { ios, G_N_ELEMENTS (ios), TRUE, { 0 }, NULL };
    g_autoptr (GError) error = NULL;

    add_trace (fixture, engines[e], 4, &trace);
    ROW_CHECK (!simulation_run (&fixture->setup, &error), "engine %u: no result", e);
    ROW_CHECK (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_IO) && strcmp (error->message, "line 4: broken") == 0,
               "engine %u: %s", e, row_error (error));
    fixture_free (fixture);
  }
}

void register_replay_tests (void)
{
  CU_pSuite suite = fixture_suite ("replay");

  fixture_test (suite, "timed replay", test_timed_replay);
  fixture_test (suite, "timed replay in batches", test_timed_batches);
  fixture_test (suite, "closed replay", test_closed_replay);
  fixture_test (suite, "a broken source", test_broken_source);
}
