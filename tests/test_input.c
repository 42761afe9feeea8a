/*
 * Inputs of all kinds: found out by content, put together, refused with a reason.
 */
#include "src/input/input.h"
#include "tests/row.h"
#include <glib/gstdio.h>
#include <string.h>

#define DATA(name) TEST_DATA_DIR "/" name
#define TRACES(name) TEST_DATA_DIR "/../../traces/" name

static void test_detect (void)
{
  static const struct {
    const char *bytes;
    InputKind kind;
  } row[] = {
    { "fio version 3 iolog\n0 f add\n", INPUT_IOLOG },
    { "\n\nfio version 2 iolog\n", INPUT_IOLOG },
    { "\xef\xbb\xbf"
      "fio version 3 iolog\n",
      INPUT_IOLOG },
    { " fio version 3 iolog\n", INPUT_IOLOG },
    { "fio version 17 iolog\n", INPUT_IOLOG },
    { "0, 4096, 4096\n1, 0, 4096\n", INPUT_IOLOG_V1 },
    { "[global]\nbs=4k\n", INPUT_FIO_JOB },
    { "; a job\n# more\n\n[a]\n", INPUT_FIO_JOB },
    { "bs=4k\n[a]\n", INPUT_FIO_JOB },
    { "\xef\xbb\xbf[a]\n", INPUT_FIO_JOB },
    { "; only a comment\n", INPUT_FIO_JOB },
    { "ioengine = x\n", INPUT_FIO_JOB },
    { "frob\n[a]\nbs=4k\n", INPUT_FIO_JOB },
    { "{\n  \"fio version\" : \"fio-3.33\"\n", INPUT_FIO_JSON },
    { "note: both\n{\n  \"fio version\" : \"fio-3.33\",\n", INPUT_FIO_JSON },
    { "{\"batch\": 1, \"job\": {\"tool\": \"fio\"}}\n", INPUT_THROUGHPUT },
    { "\n{\"job\": {\"tool\": \"wq\"}}", INPUT_THROUGHPUT },
    { "{\"job\": {}}\n", INPUT_FIO_JSON },
    { "# a\tb\npsync randwrite 4k, 1 job\text4\t50.3\t0.0\n", INPUT_LOCK_SHARE },
    { "psync randwrite 4k, 1 job\text4\t(50.3)\t0.0\n", INPUT_LOCK_SHARE },
    { "psync\text4\t50.3\tmuch\n", INPUT_UNKNOWN },
    { "psync\text4\t50.3\n", INPUT_UNKNOWN },
    { "0, 146094, 1, 4096, 0\n", INPUT_FIO_LOG },
    { "1, 2, 0, 4096, 0, 0x4001\n", INPUT_FIO_LOG },
    { "\x07tae....", INPUT_BLKTRACE },
    { "eat\x07....", INPUT_BLKTRACE },
    { "  8,0    0        4     0.000250000  4242  Q  WS 4096 + 16 [fio]\n", INPUT_BLKPARSE },
    { "# tracer: nop\n#\n", INPUT_TRACEPOINTS },
    { "    fio-1234    [001] .....   123.456789: io_uring_submit_req: ring 0\n", INPUT_TRACEPOINTS },
    { "fio  1234/1235 [001]   123.456789: io_uring:io_uring_submit_req: ring 0\n", INPUT_TRACEPOINTS },
    { "hello\n", INPUT_UNKNOWN },
    { "\n\n\n", INPUT_UNKNOWN },
    { "fio version 3 iolo\n", INPUT_UNKNOWN },
    { "1, 2\n", INPUT_UNKNOWN },
    { "\x7f"
      "ELF\x02\x01",
      INPUT_UNKNOWN },
    { "8,0 rest\n", INPUT_UNKNOWN },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("m", row[i].bytes, strlen (row[i].bytes), &error);
    const InputKind kind = input_detect (source, &error);
    g_autofree char *shown = g_strescape (row[i].bytes, NULL);
    ROW_CHECK (kind == row[i].kind && !error, "\"%s\": %s", shown, input_kind_name (kind));
    byte_source_unref (source);
  }
}

static Workload *open_one (const char *path, const InputOptions *options, GError **error)
{
  const char *const paths[] = { path, NULL };
  InputOptions usual;
  input_options_init (&usual);
  return input_open (paths, options ? options : &usual, error);
}

static void test_refused (void)
{
  static const struct {
    const char *path, *message;
  } row[] = {
    { DATA ("bad/b11_version6.bin"), "b11_version6.bin:+144: record of version 6" },
    { DATA ("bad/b12_noise.json"), "looks like a fio JSON result" },
    { DATA ("traces/uring_events.txt"), "looks like a kernel tracepoint text" },
    { DATA ("README.inputs"), "not recognised, it starts with \"Inputs of the reader" },
    { DATA ("nothing-here"), "cannot be opened: " },
    { DATA ("traces"), "is a directory" },
    { "/dev/null", "/dev/null: is empty" },
    { DATA ("bad/b07_nul.iolog"), "b07_nul.iolog:4: a NUL byte" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    Workload *workload = open_one (row[i].path, NULL, &error);
    ROW_CHECK (!workload && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message) && input_error_exit_code (error) == 3,
               "%s: %s", row[i].path, row_error (error));
    workload_free (workload);
  }
}

static void test_usage (void)
{
  static const char *const none[] = { NULL };
  g_autoptr (GError) error = NULL;
  InputOptions options;
  input_options_init (&options);
  CU_ASSERT (!input_open (none, &options, &error) && input_error_exit_code (error) == 2);
  g_clear_error (&error);
  options.iodepth = 1000000000;
  CU_ASSERT (!input_open (none, &options, &error) && strstr (error->message, "iodepth 1000000000; expected 1..32768"));
  g_clear_error (&error);
  options.iodepth = 0;
  options.iolog.version = 1;
  CU_ASSERT (!input_open (none, &options, &error) && strstr (error->message, "iolog version 1; expected 2 or 3"));
}

/* What a log does not say, and what the report is told of it. */
static void test_trace_defaults (void)
{
  g_autoptr (GError) error = NULL;
  Workload *workload = open_one (TRACES ("ext4-buffered-randwrite-qd8.iolog"), NULL, &error);
  CU_ASSERT_FATAL (workload != NULL && workload->jobs->len == 1 && workload->files->len == 1);
  const WorkloadJob *job = g_ptr_array_index (workload->jobs, 0);
  const WorkloadFile *file = g_ptr_array_index (workload->files, 0);
  CU_ASSERT (job->engine == APPLICATION_IO_URING && job->iodepth == 32 && job->iodepth_low == 32 && !job->direct);
  CU_ASSERT (job->batch_submit == 1 && job->source_ios == 256 && job->files->len == 1);
  CU_ASSERT_STRING_EQUAL (file->name, "/mnt/ext4/f.0");
  CU_ASSERT (file->cache == CACHE_CLEAN && file->size > 4000000 && file->size <= 4194304);
  CU_ASSERT (workload->has_times && workload->replay == REPLAY_CLOSED);
  CU_ASSERT_STRING_EQUAL (workload->format, "iolog-v3");
  CU_ASSERT (g_str_has_suffix (workload->source_name, "ext4-buffered-randwrite-qd8.iolog"));
  CU_ASSERT (workload->notes->len == 2);
  ROW_CHECK (strstr (workload->notes->pdata[1], "io_uring, buffered, iodepth 32") &&
                 strstr (workload->notes->pdata[1], "resident and clean"),
             "%s", (char *) workload->notes->pdata[1]);
  for (unsigned run = 0; run < 2; run++) {
    IoSource *source = workload_open_job (workload, job, run, &error);
    Io io;
    unsigned n = 0;
    while (source->next (source, &io, &error) > 0) {
      n++;
    }
    ROW_CHECK (n == 256 && !error, "run %u: %u requests, %s", run, n, row_error (error));
    io_source_free (source);
  }
  workload_free (workload);
}

static void test_trace_options (void)
{
  g_autoptr (GError) error = NULL;
  InputOptions options;
  input_options_init (&options);
  options.engine = APPLICATION_LIBAIO;
  options.iodepth = 4;
  options.cache = CACHE_DIRTY;
  options.replay = REPLAY_TIMED;
  options.time_scale = 200;
  options.iolog.segments = IOLOG_SEGMENTS_PARALLEL;
  Workload *workload = open_one (DATA ("traces/trim_then_datasync.iolog.gz"), &options, &error);
  if (ROW_CHECK (workload && workload->jobs->len == 2, "%s", row_error (error))) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, 1);
    CU_ASSERT (job->engine == APPLICATION_LIBAIO && job->iodepth == 4 && job->clone == 1 && job->source_ios == 24);
    CU_ASSERT (((WorkloadFile *) workload->files->pdata[2])->cache == CACHE_DIRTY && workload->replay == REPLAY_TIMED);
    IoSource *source = workload_open_job (workload, job, 1, NULL);
    Io io;
    CU_ASSERT (source->next (source, &io, NULL) == 1 && io.arrival == (280 - 152) * UR_US / 2 && io.file == 2);
    io_source_free (source);
  }
  workload_free (workload);
}

/* Several inputs: traces are streams side by side, a job file waits for what is before it. */
static void test_several (void)
{
  static const char *const paths[] = { TRACES ("ext4-buffered-randwrite-qd8.iolog"),
                                       TRACES ("xfs-buffered-randwrite-qd8.iolog"),
                                       TRACES ("ext4-buffered-randwrite-qd8.fio"),
                                       TRACES ("ext4-buffered-fsync8-qd8.fio"), NULL };
  g_autoptr (GError) error = NULL;
  InputOptions options;
  input_options_init (&options);
  Workload *workload = input_open (paths, &options, &error);
  if (!ROW_CHECK (workload && workload->jobs->len == 4, "%s", row_error (error))) {
    return;
  }
  static const unsigned groups[] = { 0, 0, 1, 2 };
  for (unsigned i = 0; i < 4; i++) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, i);
    ROW_CHECK (job->group == groups[i], "job %u: group %u", i, job->group);
  }
  CU_ASSERT (strchr (workload->source_name, ',') != NULL && !strcmp (workload->format, "iolog-v3"));
  workload_free (workload);
}

static void test_job_overrides (void)
{
  g_autoptr (GError) error = NULL;
  InputOptions options;
  input_options_init (&options);
  options.engine = APPLICATION_PSYNC;
  options.iodepth = 2;
  options.cache = CACHE_CLEAN;
  Workload *workload = open_one (TRACES ("ext4-buffered-randwrite-qd8.fio"), &options, &error);
  if (ROW_CHECK (workload, "%s", row_error (error))) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, 0);
    CU_ASSERT (job->engine == APPLICATION_PSYNC && job->iodepth == 2);
    CU_ASSERT (((WorkloadFile *) workload->files->pdata[0])->cache == CACHE_CLEAN);
    CU_ASSERT_STRING_EQUAL (workload->format, "fio job");
  }
  workload_free (workload);
}

static void test_open_trace (void)
{
  g_autoptr (GError) error = NULL;
  InputOptions options;
  input_options_init (&options);
  const char *mix[] = { DATA ("traces/uring_mix.iolog"), NULL }, *job[] = { DATA ("traces/uring_mix.fio"), NULL };
  const char *torn[] = { DATA ("traces/shared_torn.iolog"), NULL };
  Trace *trace = input_open_trace (mix, &options, NULL, &error);
  CU_ASSERT (trace && trace->info.reads == 78);
  trace_unref (trace);
  CU_ASSERT (!input_open_trace (job, &options, NULL, &error));
  ROW_CHECK (strstr (row_error (error), "looks like a fio job file"), "%s", row_error (error));
  g_clear_error (&error);
  options.lenient = TRUE;
  trace = input_open_trace (torn, &options, NULL, &error);
  CU_ASSERT (trace && trace->info.skipped == 2 && trace->info.n_defects == 3);
  trace_unref (trace);
}

void register_input_tests (void);
void register_input_tests (void)
{
  static CU_TestInfo tests[] = {
    { "detection", test_detect },
    { "refused inputs", test_refused },
    { "usage", test_usage },
    { "a trace's defaults", test_trace_defaults },
    { "a trace's options", test_trace_options },
    { "several inputs", test_several },
    { "options over a job file", test_job_overrides },
    { "one trace", test_open_trace },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "input", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
