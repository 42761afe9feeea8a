/* Kernel trace text: lines of every producer and era, requests, tasks, and what is refused. */
#include "src/input/input_error.h"
#include "src/input/tracepoint.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <string.h>

/* "submit 0.0@1 ..." : kind ring.request@task of each event, up to an error. (transfer full) */
static char *events_of (const char *text, gsize length, TracepointInfo *ret_info, GError **error)
{
  GString *out = g_string_new (NULL);
  ByteSource *source = byte_source_new_from_memory ("t", text, length, error);
  g_autoptr (TracepointReader) reader = source ? tracepoint_reader_new (source, error) : NULL;
  Tracepoint event;

  while (reader && tracepoint_reader_next (reader, &event, error) > 0) {
    const char *name = tracepoint_name (event.kind);
    name = g_str_has_prefix (name, "io_uring_") ? name + strlen ("io_uring_") : name;
    g_string_append_printf (out, "%s%s", out->len ? " " : "", name);
    if (event.kind == TRACEPOINT_SCHED_SWITCH || event.kind == TRACEPOINT_SCHED_WAKEUP) {
      g_string_append_printf (out, ">%u", event.other);
    } else if (event.request != TRACEPOINT_NO_REQUEST) {
      g_string_append_printf (out, ":%u.%" G_GUINT64_FORMAT "%s", event.ring, event.request, event.hashed ? "H" : "");
    }
    if (event.count) {
      g_string_append_printf (out, "=%u", event.count);
    }
    g_string_append_printf (out, "@%u", event.task);
  }
  if (reader && ret_info) {
    *ret_info = *tracepoint_reader_info (reader);
  }
  byte_source_unref (source);
  return g_string_free (out, FALSE);
}

#define SUBMIT "io_uring_submit_req: ring 00a1, req 00b1, user_data 0x10, opcode WRITE, flags 0x0, sq_thread 0\n"
#define PUNT \
  "io_uring_queue_async_work: ring 00a1, request 00b1, user_data 0x10, opcode WRITE, flags 0x1, hashed queue, work 1\n"
#define COMPLETE "io_uring_complete: ring 00a1, req 00b1, user_data 0x10, result 4096, cflags 0x0 extra1 0 extra2 0 \n"

static const struct {
  const char *name, *text, *events;
} reads[] = {
  { "ftrace",
    " fio-12  [001] ..... 1.000001: " SUBMIT " fio-12  [001] d..1. 1.000002: " PUNT
    " iou-wrk-12-13  [000] ..... 1.000003: " COMPLETE,
    "submit_req:0.0@0 queue_async_work:0.0H@0 complete:0.0@1" },
  { "trace-cmd, without flags", "cpus=2\nversion = 7\n fio-12  [001]  1.000001: " SUBMIT, "submit_req:0.0@0" },
  { "record-tgid", " fio-12  (  12) [001] ..... 1.000001: " SUBMIT, "submit_req:0.0@0" },
  { "four flags", " fio-12  [001] d..1 1.000001: " SUBMIT, "submit_req:0.0@0" },
  { "perf, pid", " fio  12 [001] 1.000001: io_uring:" SUBMIT, "submit_req:0.0@0" },
  { "perf, pid/tid and nanoseconds",
    " fio  11/12 [001] 1.000001123: io_uring:" SUBMIT " fio  12 [001] 1.1: io_uring:" COMPLETE,
    "submit_req:0.0@0 complete:0.0@0" },
  { "names with blanks, brackets and slashes",
    " my [job] -x-12  [001] ..... 1.1: " SUBMIT " kworker/u8:4-loop0-13 [0] ..... 1.2: " COMPLETE
    "          <idle>-0 [000] d.h1. 1.3: " COMPLETE,
    "submit_req:0.0@0 complete:0.0@1 complete@2" },
  { "an address is used again",
    " a-1 [0] ..... 1.1: " SUBMIT " a-1 [0] ..... 1.2: " COMPLETE " a-1 [0] ..... 1.3: " SUBMIT
    " a-1 [0] ..... 1.4: " COMPLETE,
    "submit_req:0.0@0 complete:0.0@0 submit_req:0.1@0 complete:0.1@0" },
  { "two rings",
    " a-1 [0] ..... 1.1: " SUBMIT " b-2 [0] ..... 1.2: io_uring_submit_req: ring 00a2, req 00b1, user_data 0x10, "
    "opcode READ, flags 0x0, sq_thread 0\n"
    " a-1 [0] ..... 1.3: " COMPLETE,
    "submit_req:0.0@0 submit_req:1.0@1 complete:0.0@0" },
  { "6.1",
    " a-1 [0] ..... 1.1: io_uring_submit_sqe: ring 00a1, req 00b1, user_data 0x1, opcode WRITE, flags 0x0, "
    "non block 1, sq_thread 0\n",
    "submit_req:0.0@0" },
  { "5.x: no address at submission, none at completion",
    " a-1 [0] .... 1.1: io_uring_submit_sqe: ring 00a1, op 1, data 0x10, non block 1, sq_thread 0\n"
    " a-1 [0] .... 1.2: io_uring_queue_async_work: ring 00a1, request 00b1, flags 0, normal queue, work 00c1\n"
    " a-1 [0] .... 1.3: io_uring_submit_sqe: ring 00a1, op 1, data 0x20, non block 1, sq_thread 0\n"
    " b-2 [0] .... 1.4: io_uring_complete: ring 00a1, user_data 0x10, result 4096\n"
    " b-2 [0] .... 1.5: io_uring_complete: ring 00a1, user_data 0x20, result 4096\n",
    "submit_req:0.0@0 queue_async_work:0.0@0 submit_req:0.1@0 complete:0.0@1 complete:0.1@1" },
  { "poll",
    " a-1 [0] ..... 1.1: " SUBMIT
    " a-1 [0] ..... 1.2: io_uring_poll_arm: ring 00a1, req 00b1, user_data 0x10, opcode READ, mask 0x1, events 0x1\n"
    " a-1 [0] ..... 1.3: io_uring_task_add: ring 00a1, req 00b1, user_data 0x10, opcode READ, mask 1\n",
    "submit_req:0.0@0 poll_arm:0.0@0 task_add:0.0@0" },
  { "a CQE without a request",
    " a-1 [0] ..... 1.1: io_uring_complete: ring 00a1, req 0000000000000000, user_data 0x1, "
    "result 0, cflags 0x0 extra1 0 extra2 0 \n",
    "complete@0" },
  { "waiting and local work",
    " a-1 [0] ..... 1.1: io_uring_cqring_wait: ring 00a1, min_events 3\n"
    " a-1 [0] ..... 1.2: io_uring_local_work_run: ring 00a1, count 2, loops 1\n",
    "cqring_wait=3@0 local_work_run=2@0" },
  { "sched",
    " a-1 [0] d..2. 1.1: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=b next_pid=2 "
    "next_prio=120\n b-2 [0] d..2. 1.2: sched_wakeup: comm=a pid=1 prio=120 target_cpu=000\n",
    "sched_switch>1@0 sched_wakeup>0@1" },
  { "a name that speaks of pids",
    " a-1 [0] d..2. 1.1: sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=S ==> "
    "next_comm=x next_pid=9 next_pid=1 next_prio=120\n",
    "sched_switch>0@0" },
  { "comments and empty lines", "# tracer: nop\n\n#\n  \n", "" },
};

static void test_reads (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (reads); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *events = events_of (reads[i].text, strlen (reads[i].text), NULL, &error);
    ROW_CHECK (!error && !strcmp (events, reads[i].events), "%s: %s, %s", reads[i].name, events, row_error (error));
  }
}

static const struct {
  const char *name, *text, *message;
} refused[] = {
  { "no trace at all", "hello\n", "t:1: found \"hello\"; expected a line of a kernel trace" },
  { "torn line", " a-1 [0] ..... 1.1: " SUBMIT " a-1 [0] ..... 1.2: io_uri",
    "t:2: found \" a-1 [0] ..... 1.2: io_uri\"" },
  { "torn fields", " a-1 [0] ..... 1.1: io_uring_submit_req: ring 00a1, req 00b", NULL },
  { "no time", " a-1 [0] ..... io_uring_create: ring 1\n", "t:1: found" },
  { "no pid", " fio [0] ..... 1.1: io_uring_create: ring 1\n", "t:1: found" },
  { "huge pid", " a-99999999999 [0] ..... 1.1: io_uring_create: ring 1\n", "t:1: found" },
  { "huge time", " a-1 [0] ..... 99999999999999.1: io_uring_create: ring 1\n", "t:1: found" },
  { "no ring", " a-1 [0] ..... 1.1: io_uring_create: fd 3\n",
    "t:1: io_uring_create: found \"fd 3\"; expected \"ring ADDRESS\"" },
  { "ring is no number", " a-1 [0] ..... 1.1: io_uring_create: ring xyz\n", "expected \"ring ADDRESS\"" },
  { "no request", " a-1 [0] ..... 1.1: io_uring_submit_req: ring 00a1, opcode WRITE\n", "expected \"req ADDRESS\"" },
  { "address too long", " a-1 [0] ..... 1.1: io_uring_submit_req: ring 00a1, req 11111111111111111\n", "hexadecimal" },
  { "neither queue", " a-1 [0] ..... 1.1: io_uring_queue_async_work: ring 00a1, request 00b1, some queue\n",
    "expected \"hashed queue\" or \"normal queue\"" },
  { "no count", " a-1 [0] ..... 1.1: io_uring_cqring_wait: ring 00a1\n", "expected \"min_events NUMBER\"" },
  { "switch to nobody", " a-1 [0] d..2. 1.1: sched_switch: prev_comm=a prev_pid=1\n", "next_pid=NUMBER" },
  { "control characters", " \033[31ma\n", "t:1: found \" \\x1b[31ma\"" },
};

static void test_refused (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (GError) error = NULL;
    g_free (events_of (refused[i].text, strlen (refused[i].text), NULL, &error));
    if (refused[i].message) {
      ROW_CHECK (g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) && strstr (error->message, refused[i].message),
                 "%s: %s", refused[i].name, row_error (error));
    } else {
      ROW_CHECK (!error, "%s: %s", refused[i].name, row_error (error));
    }
  }
  static const char nul[] = " a-1 [0] ..... 1.1: io_uring_create: ring 1\0\n";
  g_autoptr (GError) error = NULL;
  g_free (events_of (nul, sizeof nul - 1, NULL, &error));
  CU_ASSERT (error && strstr (error->message, "\\x00"));
}

/* What is skipped is counted. */
static void test_counted (void)
{
  static const char text[] =
      " a-1 [0] ..... 1.1: contention_begin: 00fc (flags=SPIN)\n"
      "CPU:1 [LOST 17 EVENTS]\nCPU:0 [LOST EVENTS]\n"
      " a-1 [0] ..... 1.2: " COMPLETE " a-1 [0] ..... 1.3: " SUBMIT " a-1 [0] ..... 1.4: " SUBMIT;
  g_autoptr (GError) error = NULL;
  TracepointInfo info = { 0 };
  g_autofree char *events = events_of (text, strlen (text), &info, &error);

  CU_ASSERT_PTR_NULL (error);
  CU_ASSERT_STRING_EQUAL (events, "complete@0 submit_req:0.0@0 submit_req:0.1@0");
  CU_ASSERT (info.lines == 4 && info.events == 3 && info.unknown == 1 && info.lost == 18 && info.strays == 1 &&
             info.unfinished == 1);
}

/* A worker runs under its maker's name until it has its own; the application is who submits. */
static void test_roles (void)
{
  static const char text[] =
      " fio-1 [0] d..2. 1.1: sched_switch: prev_comm=fio prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=fio "
      "next_pid=2 next_prio=120\n"
      " iou-wrk-1-2 [0] d..2. 1.2: sched_wakeup: comm=other pid=3 prio=120 target_cpu=000\n"
      " iou-sqp-1-4 [0] ..... 1.3: " SUBMIT " fio-1 [0] ..... 1.4: io_uring_cqring_wait: ring 00a1, min_events 1\n"
      " io_wqe_worker-0-5 [0] ..... 1.5: " COMPLETE;
  static const TaskRole expected[] = { TASK_ROLE_APPLICATION, TASK_ROLE_WORKER, TASK_ROLE_OTHER, TASK_ROLE_SQ_THREAD,
                                       TASK_ROLE_WORKER };
  ByteSource *source = byte_source_new_from_memory ("t", text, strlen (text), NULL);
  g_autoptr (TracepointReader) reader = tracepoint_reader_new (source, NULL);
  Tracepoint event;

  while (tracepoint_reader_next (reader, &event, NULL) > 0) {
  }
  CU_ASSERT_EQUAL_FATAL (tracepoint_reader_tasks (reader), G_N_ELEMENTS (expected));
  for (unsigned i = 0; i < G_N_ELEMENTS (expected); i++) {
    ROW_CHECK (tracepoint_reader_role (reader, i) == expected[i], "task %u", i);
  }
  byte_source_unref (source);
}

static void test_times (void)
{
  static const struct {
    const char *text;
    UrTime time;
  } row[] = {
    { "0.000001", 1000 },
    { "12.5", 12500 * UR_MS },
    { "2672.246426", 2672246426000 },
    { "1.000000001", UR_S + 1 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = g_strdup_printf (" a-1 [0] ..... %s: " SUBMIT, row[i].text);
    ByteSource *source = byte_source_new_from_memory ("t", text, strlen (text), NULL);
    g_autoptr (TracepointReader) reader = tracepoint_reader_new (source, NULL);
    Tracepoint event = { 0 };
    ROW_CHECK (tracepoint_reader_next (reader, &event, NULL) == 1 && event.time == row[i].time && event.line == 1,
               "%s: %" G_GUINT64_FORMAT, row[i].text, event.time);
    byte_source_unref (source);
  }
}

/* A whole capture: every request is seen from its submission to its completion. */
static void test_capture (void)
{
  g_autoptr (GError) error = NULL;
  ByteSource *source = byte_source_open (TEST_DATA_DIR "/captures/xfs-buffered-append-qd8.trace.gz", &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (source);
  g_autoptr (TracepointReader) reader = tracepoint_reader_new (source, &error);
  uint64_t n[TRACEPOINT_KINDS] = { 0 }, hashed = 0;
  Tracepoint event;

  while (tracepoint_reader_next (reader, &event, &error) > 0) {
    n[event.kind]++;
    hashed += event.hashed;
    if (event.kind == TRACEPOINT_SUBMIT) {
      CU_ASSERT_EQUAL (event.request + 1, n[TRACEPOINT_SUBMIT]);
    }
  }
  const TracepointInfo *info = tracepoint_reader_info (reader);
  CU_ASSERT_PTR_NULL (error);
  CU_ASSERT (n[TRACEPOINT_SUBMIT] == 256 && n[TRACEPOINT_COMPLETE] == 256 && n[TRACEPOINT_QUEUE_ASYNC_WORK] == 8);
  CU_ASSERT (hashed == 8 && n[TRACEPOINT_SCHED_SWITCH] == 6 && n[TRACEPOINT_CREATE] == 1);
  CU_ASSERT (info->unknown == 260 && info->strays == 0 && info->lost == 0 && info->unfinished == 0);
  byte_source_unref (source);
}

void register_tracepoint_tests (void)
{
  static CU_TestInfo tests[] = {
    { "lines of every producer and era", test_reads },
    { "refused", test_refused },
    { "counted", test_counted },
    { "roles of tasks", test_roles },
    { "times", test_times },
    { "a capture", test_capture },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "tracepoint", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
