/* Throughput records: what is read, what is refused, and the job a record stands for. */
#include "src/command/record_scenario.h"
#include "src/input/input_error.h"
#include "src/input/measurement_workload.h"
#include "src/input/throughput_record.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <string.h>

#define FIO_JOB(more)                                                                                     \
  "{\"batch\": 2, \"job\": {\"tool\": \"fio\", \"fs\": \"ext4\", \"rw\": \"randwrite\", \"bs\": \"4k\", " \
  "\"qd\": 8, " more "}, \"reps\": 9, \"iops\": {\"p50\": 10, \"p80\": 12.5, \"max\": 20, \"min\": 1}}\n"
#define WQ_JOB(more)                                                                                                   \
  "{\"job\": {\"tool\": \"wq\", \"fs\": \"xfs\", \"rw\": \"randread\", \"bs\": \"4k\", \"qd\": 4, \"files\": 8, " more \
  "}, \"iops\": {\"p80\": 5}}\n"

static GPtrArray *read_text (const char *text, GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("r.jsonl", text, strlen (text), error);
  GPtrArray *records = source ? throughput_records_read (source, error) : NULL;

  byte_source_unref (source);
  return records;
}

static void test_read (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = read_text (
      FIO_JOB ("\"eng\": \"io_uring\", \"nj\": 2, \"sqpoll\": 1, \"extra\": \"\", \"files\": 1") "\n" WQ_JOB (
          "\"workers\": 3, \"force_async\": 1"),
      &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (records);
  CU_ASSERT_EQUAL_FATAL (records->len, 2);
  const Measurement *fio = records->pdata[0], *wq = records->pdata[1];
  CU_ASSERT (fio->line == 1 && wq->line == 3);
  CU_ASSERT (fio->batch == 2 && fio->reps == 9 && wq->batch == 0 && wq->reps == 0);
  CU_ASSERT (fio->iops.p50 == 10 && fio->iops.p80 == 12.5 && fio->iops.max == 20 && fio->iops.min == 1);
  CU_ASSERT (wq->iops.p50 == 5 && wq->iops.max == 5); /* one figure stands for all */
  CU_ASSERT (fio->job->nj == 2 && fio->job->sqpoll && !fio->job->force_async && fio->tool == MEASURED_FIO);
  CU_ASSERT (wq->job->files == 8 && wq->workers == 3 && wq->job->force_async && wq->tool == MEASURED_WQ);
  CU_ASSERT_STRING_EQUAL (fio->name, "io_uring randwrite 4k qd8 2 jobs sqpoll");
  CU_ASSERT_STRING_EQUAL (wq->name, "wq randread 4k qd4 8 files async 3 workers");
}

static void test_refused (void)
{
  static const struct {
    const char *rule, *text, *message;
  } row[] = {
    { "a file without a record", "\n \n", "r.jsonl: no record in it" },
    { "the line of the defect is named", WQ_JOB ("\"workers\": 0") "{]\n", "r.jsonl:2: not JSON: " },
    { "an array is no record", "[1]\n", "r.jsonl:1: a JSON value that is no object" },
    { "a record has a job", "{\"iops\": {\"p80\": 5}}\n", "r.jsonl:1: no \"job\"; expected an object" },
    { "the job is an object", "{\"job\": 7}\n", "\"job\": found 7; expected an object" },
    { "a rate is there",
      "{\"job\": {\"tool\": \"wq\", \"fs\": \"xfs\", \"rw\": \"read\", \"bs\": \"4k\", \"qd\": 1}}\n",
      "no \"iops\"; expected an object" },
    { "only two tools", "{\"job\": {\"tool\": \"dd\"}}\n", "\"tool\": found \"dd\"; expected \"fio\" or \"wq\"" },
    { "fio has an engine", FIO_JOB ("\"nj\": 1"), "no \"eng\"; expected a text" },
    { "a depth is a whole number", FIO_JOB ("\"eng\": \"psync\", \"nj\": 1.5"),
      "\"nj\": found 1.5; expected a whole number from 1 to 1024" },
    { "as many jobs as fio allows", FIO_JOB ("\"eng\": \"psync\", \"nj\": 100000"), "\"nj\": found 100000" },
    { "flags are 0 or 1", FIO_JOB ("\"eng\": \"psync\", \"sqpoll\": 2"), "\"sqpoll\": found 2" },
    { "text is no number", FIO_JOB ("\"eng\": \"psync\", \"direct\": \"0\""), "\"direct\": found " },
    { "control bytes are quoted", FIO_JOB ("\"eng\": \"\\u001b[31m\""), "\"eng\": found" },
    { "rates ascend",
      "{\"job\": {\"tool\": \"wq\", \"fs\": \"xfs\", \"rw\": \"read\", \"bs\": \"4k\", \"qd\": 1}, "
      "\"iops\": {\"p50\": 6, \"p80\": 5}}\n",
      "\"p50\": found 6" },
    { "a rate is positive",
      "{\"job\": {\"tool\": \"wq\", \"fs\": \"xfs\", \"rw\": \"read\", \"bs\": \"4k\", \"qd\": 1}, "
      "\"iops\": {\"p80\": 0}}\n",
      "\"p80\": found 0; expected a number from 0.001" },
    { "a rate is finite",
      "{\"job\": {\"tool\": \"wq\", \"fs\": \"xfs\", \"rw\": \"read\", \"bs\": \"4k\", \"qd\": 1}, "
      "\"iops\": {\"p80\": 1e999}}\n",
      "\"p80\"" },
    { "bytes that are no text", "{\"job\": \"\xff\"}\n", "no UTF-8 text" },
    { "nesting is bounded", "{\"a\": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1", "nested more than 32 deep" },
    { "a comment hides no bracket", "{/*\"*/\"a\": [[1]]}", "not JSON: found \"/\" outside of a string" },
    { "brackets in a string do not nest", "{\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\"}",
      "no \"job\"" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) records = read_text (row[i].text, &error);
    ROW_CHECK (!records && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message) && !strpbrk (error->message, "\033\n"),
               "%s: %s", row[i].rule, row_error (error));
  }
}

static void test_too_many (void)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (unsigned i = 0; i <= MEASUREMENT_RECORDS_LIMIT; i++) {
    g_string_append (text, WQ_JOB ("\"workers\": 0"));
  }
  g_autoptr (GPtrArray) records = read_text (text->str, &error);
  ROW_CHECK (!records && error && strstr (error->message, "r.jsonl:1025: more than 1024 records"),
             "a file is bounded: %s", row_error (error));
  g_string_free (text, TRUE);
}

static void test_reference (void)
{
  static const struct {
    const char *rule, *text;
    gboolean reference;
  } row[] = {
    { "psync, one job, one file", FIO_JOB ("\"eng\": \"psync\""), TRUE },
    { "whatever its iodepth, it is another's batch that counts", FIO_JOB ("\"eng\": \"psync\", \"nj\": 1"), TRUE },
    { "two jobs are not the reference", FIO_JOB ("\"eng\": \"psync\", \"nj\": 2"), FALSE },
    { "two files are not", FIO_JOB ("\"eng\": \"psync\", \"files\": 2"), FALSE },
    { "direct I/O is not", FIO_JOB ("\"eng\": \"psync\", \"direct\": 1"), FALSE },
    { "further options change it", FIO_JOB ("\"eng\": \"psync\", \"extra\": \"--fsync=1\""), FALSE },
    { "io_uring is not", FIO_JOB ("\"eng\": \"io_uring\""), FALSE },
    { "the wq tool is not", WQ_JOB ("\"workers\": 0"), FALSE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GPtrArray) records = read_text (row[i].text, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL (records);
    ROW_CHECK (measured_job_is_reference (((Measurement *) records->pdata[0])->job) == row[i].reference, "%s",
               row[i].rule);
  }
}

static Workload *workload_of (const char *text, GError **error)
{
  g_autoptr (GPtrArray) records = read_text (text, error);

  return records ? measurement_workload (records->pdata[0], CACHE_DIRTY, 2, error) : NULL;
}

static void test_fio_workload (void)
{
  Workload *workload = workload_of (
      FIO_JOB (
          "\"eng\": \"io_uring\", \"nj\": 2, \"sqpoll\": 1, \"force_async\": 1, \"extra\": \"--fsync=3 norandommap\""),
      NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (workload);
  CU_ASSERT_EQUAL_FATAL (workload->jobs->len, 2);
  CU_ASSERT_EQUAL_FATAL (workload->files->len, 1); /* all jobs on one file */
  const WorkloadFile *file = workload->files->pdata[0];
  const WorkloadJob *job = workload->jobs->pdata[1];
  CU_ASSERT (file->size == 64 << 20 && file->cache == CACHE_DIRTY && !file->unwritten);
  CU_ASSERT (job->engine == APPLICATION_IO_URING && job->iodepth == 8 && job->sqpoll && job->force_async == 1);
  CU_ASSERT (job->time_based && job->runtime == 400 * UR_MS && job->pattern.order == PATTERN_RANDOM);
  CU_ASSERT (!job->ring.given && job->pattern.fsync_every == 3 && !job->pattern.random_map);
  workload_free (workload);
}

static void test_wq_workload (void)
{
  Workload *workload = workload_of (WQ_JOB ("\"workers\": 3, \"sqpoll\": 1"), NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL (workload);
  CU_ASSERT_EQUAL_FATAL (workload->jobs->len, 1);
  CU_ASSERT_EQUAL_FATAL (workload->files->len, 8);
  const WorkloadJob *job = workload->jobs->pdata[0];
  const RingFlags *flags = &job->ring.flags;
  CU_ASSERT (((WorkloadFile *) workload->files->pdata[7])->size == 64 << 20);
  CU_ASSERT (job->pattern.has_read && !job->pattern.random_map && job->pattern.file_service == FILE_SERVICE_RANDOM);
  CU_ASSERT (job->ring.given && flags->sqpoll && !flags->cqsize && !flags->defer_taskrun && !flags->coop_taskrun);
  CU_ASSERT (job->ring.iowq_max_workers[0] == 3 && job->ring.iowq_max_workers[1] == 3);
  workload_free (workload);
}

static void test_bad_option (void)
{
  g_autoptr (GError) error = NULL;
  Workload *workload = workload_of (FIO_JOB ("\"eng\": \"psync\", \"extra\": \"--fsnyc=3\""), &error);

  ROW_CHECK (!workload && error &&
                 strstr (error->message, "r.jsonl:1: unknown option \"fsnyc\"; did you mean \"fsync\"?"),
             "options are judged as those of a job file: %s", row_error (error));
}

/* The wq tool costs nothing but clock reads; fio's costs are the machine's. */
static void test_machine (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) records = read_text (FIO_JOB ("\"eng\": \"psync\"") WQ_JOB ("\"workers\": 0"), &error);
  RecordConditions conditions;
  RecordMachine both;
  Machine *machine = machine_load ("vm-6.18", &error);

  CU_ASSERT_FATAL (records && machine);
  CU_ASSERT_TRUE (machine_set (machine, "Application.Prepare=777", &error));
  record_conditions_init (&conditions);
  conditions.limit_ios = 300;
  g_autoptr (RecordBench) bench = record_bench_new (records, &conditions, &error);
  CU_ASSERT_PTR_NOT_NULL_FATAL (bench);
  CU_ASSERT_TRUE (record_bench_check_machine (bench, machine, &error));
  record_machine_init (&both, machine);
  const SimulationSetup fio = record_bench_setup (bench, 0, &both), wq = record_bench_setup (bench, 1, &both);
  CU_ASSERT (fio.machine->cost[COST_APP_PREPARE].ns == 777 && wq.machine->cost[COST_APP_PREPARE].ns == 25);
  CU_ASSERT_STRING_EQUAL (fio.file_system->name, "ext4");
  CU_ASSERT_STRING_EQUAL (wq.file_system->name, "xfs");
  double one = 0, same = 0, other = 0;
  CU_ASSERT_TRUE (record_bench_simulate (bench, 0, &both, 1, 2, &one, &error));
  CU_ASSERT_TRUE (record_bench_simulate (bench, 0, &both, 1, 2, &same, &error));
  CU_ASSERT_TRUE (record_bench_simulate (bench, 0, &both, 2, 2, &other, &error));
  CU_ASSERT (one > 0 && one == same && one != other);
  machine_free (machine);
}

void register_throughput_record_tests (void)
{
  static CU_TestInfo tests[] = {
    { "read", test_read },
    { "refused", test_refused },
    { "too many", test_too_many },
    { "reference", test_reference },
    { "workload of fio", test_fio_workload },
    { "workload of wq", test_wq_workload },
    { "bad option", test_bad_option },
    { "machine", test_machine },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "throughput_record", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
