/* Tables of lock shares: phrases and percentages. */
#include "src/input/input_error.h"
#include "src/input/lock_share.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <string.h>

static GPtrArray *read_text (const char *text, GError **error)
{
  ByteSource *source = byte_source_new_from_memory ("l.tsv", text, strlen (text), error);
  GPtrArray *rows = source ? lock_shares_read (source, error) : NULL;

  byte_source_unref (source);
  return rows;
}

static void test_phrases (void)
{
  static const struct {
    const char *rule, *phrase, *job; /* job: measured_job_text() */
  } row[] = {
    { "one job of fio", "psync randwrite 4k, 1 job", "psync randwrite 4k qd1" },
    { "several jobs on one file", "psync randwrite 4k, 2 jobs one file", "psync randwrite 4k qd1 2 jobs" },
    { "the wq tool, forced, with a limit", "ring qd32 IOSQE_ASYNC, 2 workers", "wq randwrite 4k qd32 async 2 workers" },
    { "the wq tool, hashed", "ring qd32 hashed", "wq randwrite 4k qd32" },
    { "reads of another size", "libaio qd8 randread 64k", "libaio randread 64k qd8" },
    { "several files, SQPOLL", "io_uring qd4 SQPOLL 8 files", "io_uring randwrite 4k qd4 8 files sqpoll" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup_printf ("%s\txfs\t50\t1\n", row[i].phrase);
    g_autoptr (GPtrArray) rows = read_text (text, &error);
    if (!ROW_CHECK (rows != NULL, "%s: %s", row[i].rule, row_error (error))) {
      continue;
    }
    const Measurement *found = rows->pdata[0];
    g_autofree char *job = measured_job_text (found->job);
    ROW_CHECK (!strcmp (job, row[i].job) && !strcmp (found->name, row[i].phrase), "%s: %s", row[i].rule, job);
  }
}

static void test_shares (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows =
      read_text ("# head\n\npsync\text4\t94.1\t24.8\r\nring qd8 hashed\ttmpfs\t(85.9)\t0\n", &error);
  CU_ASSERT_FATAL (rows && rows->len == 2);
  const Measurement *psync = rows->pdata[0], *ring = rows->pdata[1];
  CU_ASSERT (psync->line == 3 && !strcmp (psync->fs, "ext4"));
  CU_ASSERT_DOUBLE_EQUAL (psync->spin_share, 0.248, 1e-12);
  CU_ASSERT_DOUBLE_EQUAL (psync->busy_share, 0.941, 1e-12);
  CU_ASSERT (!psync->busy_doubtful && ring->busy_doubtful && ring->spin_share == 0);
  CU_ASSERT_DOUBLE_EQUAL (ring->busy_share, 0.859, 1e-12);
}

static void test_refused (void)
{
  static const struct {
    const char *rule, *text, *message;
  } row[] = {
    { "no row", "# only a comment\n", "l.tsv: no row in it" },
    { "four columns", "# x\npsync\text4\t1\n", "l.tsv:2: found \"psync" },
    { "words are known", "psync backwards\text4\t1\t1\n", "l.tsv:1: found \"backwards\"; expected an engine" },
    { "a number counts something", "psync 2 dogs\text4\t1\t1\n", "found \"2\"" },
    { "a depth is in the ring's bounds", "psync qd99999\text4\t1\t1\n", "found \"qd99999\"" },
    { "no job at all", " , \text4\t1\t1\n", "expected an engine" },
    { "no job", "\text4\t1\t1\n", "expected a job" },
    { "no file system", "psync\t\t1\t1\n", "expected a job of up to 200 bytes and a file system" },
    { "a share is a percentage", "psync\text4\t1\t101\n", "found \"101\"; expected a percentage from 0 to 100" },
    { "not a number", "psync\text4\t1\tnan\n", "found \"nan\"" },
    { "negative", "psync\text4\t-1\t1\n", "found \"-1\"" },
    { "only the busy share may be doubtful", "psync\text4\t1\t(1)\n", "found \"(1)\"" },
    { "an open parenthesis", "psync\text4\t(1\t1\n", "found \"(1\"" },
    { "control bytes are quoted", "psync \033[31m\text4\t1\t1\n", "found \"\\x1b[31m\"" },
    { "bytes that are no text", "psync\xff\text4\t1\t1\n", "expected a line of text" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GPtrArray) rows = read_text (row[i].text, &error);
    ROW_CHECK (!rows && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message) && !strpbrk (error->message, "\033\n"),
               "%s: %s", row[i].rule, row_error (error));
  }
}

void register_lock_share_tests (void)
{
  static CU_TestInfo tests[] = {
    { "phrases", test_phrases },
    { "shares", test_shares },
    { "refused", test_refused },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "lock_share", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
