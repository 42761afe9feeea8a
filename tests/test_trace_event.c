/* The events of a run, as a tracer of the kernel would see them: which, in which order, in whose context. */
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* ---- what is told ---- */

typedef struct {
  GString *requests; /* "s0 q0h c0w": the request events, see below */
  UrTime last[64];
  gboolean backwards; /* by task */
  unsigned count[TRACE_EVENT_KINDS];
  unsigned local; /* items of local work */
} Heard;

/* s: submit_req, q: queue_async_work, c: complete, then the request's number, h if hashed, w if a worker posts it. */
static void hear (const TraceEvent *event, void *data)
{
  static const char letters[TRACE_EVENT_KINDS] = {
    [TRACE_SUBMIT_REQ] = 's',
    [TRACE_QUEUE_ASYNC_WORK] = 'q',
    [TRACE_COMPLETE] = 'c',
  };
  Heard *heard = data;

  if (event->kind == TRACE_CPU_IDLE) /* of no task */
    return;
  heard->backwards |= event->time < heard->last[event->task % 64];
  heard->last[event->task % 64] = event->time;
  heard->count[event->kind]++;
  if (event->kind == TRACE_LOCAL_WORK_RUN)
    heard->local += event->count;
  if (!letters[event->kind])
    return;
  g_string_append_printf (heard->requests, "%s%c%d%s%s", heard->requests->len ? " " : "", letters[event->kind],
                          (int) event->request, event->kind == TRACE_QUEUE_ASYNC_WORK && event->hashed ? "h" : "",
                          event->worker ? "w" : "");
}

typedef struct {
  const IoOp *ops;
  unsigned n;
} Ops;
typedef struct {
  IoSource source;
  const Ops *ops;
  unsigned at;
} OpsSource;

static int ops_next (IoSource *source, Io *ret_io, GError **error)
{
  OpsSource *self = (OpsSource *) source;

  (void) error;
  if (self->at == self->ops->n)
    return 0;
  *ret_io = (Io){ .op = self->ops->ops[self->at++], .offset = self->at * 8192, .length = 4096 };
  if (ret_io->op >= IO_SYNC)
    ret_io->offset = ret_io->length = 0;
  return 1;
}

static void ops_free (IoSource *source) { g_free (source); }

static IoSource *ops_open (gconstpointer closure, GError **error)
{
  OpsSource *self = g_new0 (OpsSource, 1);

  (void) error;
  self->source = (IoSource){ .next = ops_next, .free = ops_free };
  self->ops = closure;
  return &self->source;
}

/* A job that submits these operations as one batch. */
static WorkloadJob *add_batch (Fixture *fixture, const Ops *ops)
{
  WorkloadJob *job = workload_add_job (fixture->workload);

  job->name = g_strdup ("batch");
  job->engine = APPLICATION_IO_URING;
  job->iodepth = job->iodepth_low = job->batch_submit = ops->n;
  job->open_source = ops_open;
  job->source_closure = ops;
  return job;
}

static const IoOp reads_and_writes[] = { IO_READ, IO_WRITE, IO_READ, IO_WRITE };
static const IoOp writes[] = { IO_WRITE, IO_WRITE, IO_WRITE };
static const IoOp syncs[] = { IO_SYNC, IO_WRITE };
#define OPS(ops)            \
  {                         \
    ops, G_N_ELEMENTS (ops) \
  }

/* The sequences of tracepoints that one request shows, by the way it goes. */
static void test_sequences (void)
{
  static const struct {
    const char *rule, *policy, *fs;
    Ops ops;
    const char *events;
  } rows[] = {
    { "inline reads complete at the end of the batch", "linux-6.18", "ext4", OPS (reads_and_writes),
      "s0 s1 q1h s2 s3 q3h c0 c2 c1 c3" },
    { "a blocking issue completes after its own submission", "inline-buffered-write", "ext4", OPS (reads_and_writes),
      "s0 s1 c1 s2 s3 c3 c0 c2" },
    { "6.1: the worker completes", "linux-6.1", "ext4", OPS (writes), "s0 q0h s1 q1h s2 q2h c0w c1w c2w" },
    { "6.18: the submitter does", "linux-6.18", "ext4", OPS (writes), "s0 q0h s1 q1h s2 q2h c0 c1 c2" },
    { "not hashed", "linux-6.18", "block", OPS (writes), "s0 q0 s1 q1 s2 q2 c0 c1 c2" },
    { "5.3: a workqueue", "linux-5.3", "ext4", OPS (writes), "s0 q0 s1 q1 s2 q2 c0w c1w c2w" },
    { "fsync beside a write", "linux-6.18", "tmpfs", OPS (syncs), "s0 q0 s1 q1h c0 c1" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new (rows[i].policy, rows[i].fs, COSTS_SHIPPED);
    Heard heard = { .requests = g_string_new (NULL) };
    g_autoptr (GError) error = NULL;
    RunResult *result;

    add_batch (fixture, &rows[i].ops);
    fixture->setup.trace = hear;
    fixture->setup.trace_data = &heard;
    result = simulation_run (&fixture->setup, &error);
    ROW_CHECK (result, "%s: %s", rows[i].rule, row_error (error));
    ROW_CHECK (strcmp (heard.requests->str, rows[i].events) == 0, "%s: %s; expected %s", rows[i].rule,
               heard.requests->str, rows[i].events);
    ROW_CHECK (!heard.backwards, "%s: each task in order of time", rows[i].rule);
    g_string_free (heard.requests, TRUE);
    run_result_free (result);
    fixture_free (fixture);
  }
}

/* The events count what the result counts, and listening changes nothing. */
static void test_counts (void)
{
  static const char *const policies[] = { "linux-5.3", "linux-6.1", "linux-6.18", "inline-buffered-write" };

  for (unsigned i = 0; i < G_N_ELEMENTS (policies); i++) {
    Fixture *fixture = fixture_new (policies[i], "ext4", COSTS_SHIPPED);
    WorkloadJob *job = workload_add_job (fixture->workload);
    Heard heard = { .requests = g_string_new (NULL) };
    RunResult *silent, *told;
    uint32_t file = 0;

    job->name = g_strdup ("job");
    job->engine = APPLICATION_IO_URING;
    job->iodepth = job->iodepth_low = 8;
    job->pattern.order = PATTERN_RANDOM;
    job->pattern.has_write = TRUE;
    job->pattern.size = FIXTURE_FILE_SIZE;
    job->pattern.number_ios = 200;
    g_array_append_val (job->files, file);
    fixture_set (fixture, "noise=0.2, CPU.Count=3");
    silent = simulation_run (&fixture->setup, NULL);
    fixture->setup.trace = hear;
    fixture->setup.trace_data = &heard;
    told = simulation_run (&fixture->setup, NULL);
    CU_ASSERT_FATAL (silent && told);
    ROW_CHECK (silent->sim_ns == told->sim_ns && silent->events == told->events, "%s: the same run", policies[i]);
    ROW_CHECK (heard.count[TRACE_SUBMIT_REQ] == 200 && heard.count[TRACE_COMPLETE] == 200,
               "%s: %u submitted, %u complete", policies[i], heard.count[TRACE_SUBMIT_REQ],
               heard.count[TRACE_COMPLETE]);
    ROW_CHECK (heard.count[TRACE_QUEUE_ASYNC_WORK] ==
                   told->outcome[OUTCOME_PUNTED_HASHED] + told->outcome[OUTCOME_PUNTED_UNHASHED],
               "%s: %u queued", policies[i], heard.count[TRACE_QUEUE_ASYNC_WORK]);
    ROW_CHECK (heard.count[TRACE_SCHED_SWITCH] == told->context_switches &&
                   heard.count[TRACE_SCHED_WAKEUP] == told->wakeups,
               "%s: %u switches of %d, %u wake-ups of %d", policies[i], heard.count[TRACE_SCHED_SWITCH],
               (int) told->context_switches, heard.count[TRACE_SCHED_WAKEUP], (int) told->wakeups);
    ROW_CHECK (!heard.backwards, "%s: each task in order of time", policies[i]);
    g_string_free (heard.requests, TRUE);
    run_result_free (silent);
    run_result_free (told);
    fixture_free (fixture);
  }
}

static void test_names (void)
{
  CU_ASSERT_STRING_EQUAL (trace_event_name (TRACE_SUBMIT_REQ), "io_uring_submit_req");
  CU_ASSERT_STRING_EQUAL (trace_event_name (TRACE_SCHED_WAKEUP), "sched_wakeup");
}

static void hear_opcodes (const TraceEvent *event, void *data)
{
  if (event->kind == TRACE_SUBMIT_REQ)
    g_string_append_printf (data, " %d", (int) event->opcode);
}

/* A request that is on no file says so. */
static void test_opcodes (void)
{
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
  g_autofree char *expected = g_strdup_printf (" %d %d %d", REQUEST_NOP, REQUEST_IO, REQUEST_TIMEOUT);
  GString *opcodes = g_string_new (NULL);

  fixture->setup.trace = hear_opcodes;
  fixture->setup.trace_data = opcodes;
  fixture_build (fixture);
  fixture_script (fixture, "S/0: ring:8 sqe:n sqe:r0 sqe:t10 submit:3 reap");
  fixture_run (fixture, "opcodes");
  ROW_CHECK (strcmp (opcodes->str, expected) == 0, "opcodes%s", opcodes->str);
  g_string_free (opcodes, TRUE);
  fixture_free (fixture);
}

void register_trace_event_tests (void)
{
  CU_pSuite suite = fixture_suite ("trace events");

  fixture_test (suite, "sequences", test_sequences);
  fixture_test (suite, "counts", test_counts);
  fixture_test (suite, "names", test_names);
  fixture_test (suite, "opcodes", test_opcodes);
}
