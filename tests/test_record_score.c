/* Ratios, errors, modes and pairs on records made by hand. */
#include "src/command/record_score.h"
#include "tests/row.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "BATCH FS TOOL QD P50 P80 MAX SIMULATED": TOOL psync is the reference, io_uring or wq are not; SIMULATED "-": not
 * simulated. */
static RecordPoint point_of (const char *text)
{
  g_auto (GStrv) word = g_strsplit (text, " ", -1);
  Measurement *record = measurement_new ("r", 1);
  MeasuredJob *job = g_new0 (MeasuredJob, 1);

  CU_ASSERT_FATAL (g_strv_length (word) == 8);
  const gboolean wq = !strcmp (word[2], "wq");
  *job = (MeasuredJob){ .tool = wq ? MEASURED_WQ : MEASURED_FIO,
                        .fs = g_strdup (word[1]),
                        .rw = g_strdup ("randwrite"),
                        .bs = g_strdup ("4k"),
                        .engine = g_strdup (wq ? "io_uring" : word[2]),
                        .extra = g_strdup (""),
                        .qd = (unsigned) atoi (word[3]),
                        .nj = 1,
                        .files = 1 };
  measurement_take_job (record, job);
  record->batch = (unsigned) atoi (word[0]);
  record->iops = (MeasuredRate){ atof (word[4]), atof (word[5]), atof (word[6]), 1 };
  return (RecordPoint){ record, strcmp (word[7], "-") != 0, atof (word[7]) };
}

typedef struct {
  unsigned n;
  RecordPoint point[8];
  RecordScores *scores;
} Case;

/* Records separated by ";". */
static void case_init (Case *c, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, ";", -1);

  for (c->n = 0; lines[c->n]; c->n++) {
    CU_ASSERT_FATAL (c->n < G_N_ELEMENTS (c->point));
    c->point[c->n] = point_of (lines[c->n]);
  }
  c->scores = record_scores_new (c->point, c->n);
}

static void case_clear (Case *c)
{
  record_scores_free (c->scores);
  for (unsigned i = 0; i < c->n; i++) {
    measurement_free ((Measurement *) c->point[i].record);
  }
}

static const RecordScore *score_at (const Case *c, unsigned index)
{
  return &g_array_index (c->scores->scores, RecordScore, index);
}

static gboolean near_to (double a, double b) { return fabs (a - b) < 1e-12 * fabs (b) || a == b; }

static void test_error (void)
{
  static const struct {
    const char *rule;
    double measured, simulated, error;
  } row[] = {
    { "equal", 0.5, 0.5, 0 },
    { "twice as fast", 0.4, 0.8, 1 },
    { "half as fast is as wrong as twice", 0.8, 0.4, 1 },
    { "10 % above", 1, 1.1, 0.1 },
    { "nothing simulated", 1, 0, INFINITY },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    const double error = record_error (row[i].measured, row[i].simulated);
    ROW_CHECK (isinf (row[i].error) ? isinf (error) : fabs (error - row[i].error) < 1e-12, "%s: %g", row[i].rule,
               error);
  }
}

static void test_errors (void)
{
  static const struct {
    const char *rule;
    unsigned n;
    double error[20], median, p90;
  } row[] = {
    { "none", 0, { 0 }, 0, 0 },
    { "one is both", 1, { 0.3 }, 0.3, 0.3 },
    { "of an even number the middle of two, in any order", 4, { 0.4, 0.1, 0.2, 0.3 }, 0.25, 0.4 },
    { "9 of 10 are at most p90", 10, { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 }, 4.5, 8 },
    { "of 11 ten are, for nine are too few", 11, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, 5, 9 },
    { "18 of 20", 20, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 }, 9.5, 17 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    double error[20];
    memcpy (error, row[i].error, sizeof error);
    const RecordErrors found = record_errors (error, row[i].n);
    ROW_CHECK (found.n == row[i].n && near_to (found.median_error, row[i].median) &&
                   near_to (found.p90_error, row[i].p90),
               "%s: median %g, p90 %g", row[i].rule, found.median_error, found.p90_error);
  }
}

static void test_ratio (void)
{
  static const struct {
    const char *rule, *records;
    unsigned n, references, unreferenced;
    double measured, simulated, error; /* of the first score */
  } row[] = {
    { "p80 over the reference's p80", "1 ext4 psync 1 90 100 200 1000;1 ext4 io_uring 8 45 50 51 250", 1, 1, 0, 0.5,
      0.25, 1 },
    { "the reference may follow", "1 ext4 io_uring 8 45 50 51 250;1 ext4 psync 1 90 100 200 1000", 1, 1, 0, 0.5, 0.25,
      1 },
    { "another batch has its own",
      "1 ext4 psync 1 90 100 200 1000;2 ext4 psync 1 190 200 200 1000;2 ext4 io_uring 8 45 50 51 250", 1, 2, 0, 0.25,
      0.25, 0 },
    { "another file system has its own",
      "1 ext4 psync 1 90 100 200 1000;1 xfs psync 1 190 200 200 500;1 xfs io_uring 8 45 50 51 250", 1, 2, 0, 0.25, 0.5,
      1 },
    { "without a reference nothing is compared", "1 ext4 psync 1 90 100 200 1000;1 xfs io_uring 8 45 50 51 250", 0, 1,
      1, 0, 0, 0 },
    { "what was not simulated is no reference", "1 ext4 psync 1 90 100 200 -;1 ext4 io_uring 8 45 50 51 250", 0, 0, 1,
      0, 0, 0 },
    { "nor compared", "1 ext4 psync 1 90 100 200 1000;1 ext4 io_uring 8 45 50 51 -", 0, 1, 0, 0, 0, 0 },
    { "of two references the first, and neither is compared",
      "1 ext4 psync 1 90 100 200 1000;1 ext4 psync 1 190 200 200 9;1 ext4 io_uring 8 45 50 51 250", 1, 2, 0, 0.5, 0.25,
      1 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    Case c;
    case_init (&c, row[i].records);
    const RecordScores *s = c.scores;
    ROW_CHECK (s->scores->len == row[i].n && s->all.n == row[i].n && s->references == row[i].references &&
                   s->unreferenced == row[i].unreferenced,
               "%s: %u scores, %u references, %u without", row[i].rule, s->scores->len, s->references, s->unreferenced);
    if (s->scores->len && row[i].n) {
      const RecordScore *first = score_at (&c, 0);
      ROW_CHECK (near_to (first->measured, row[i].measured) && near_to (first->simulated, row[i].simulated) &&
                     near_to (first->error, row[i].error),
                 "%s: %g %g %g", row[i].rule, first->measured, first->simulated, first->error);
    }
    case_clear (&c);
  }
}

static void test_marks (void)
{
  static const struct {
    const char *rule, *record;
    gboolean noisy, bimodal;
    double measured, error;
  } row[] = {
    { "p80 10 % above p50 is not noisy", "1 ext4 io_uring 8 100 110 110 110", FALSE, FALSE, 1.1, 0 },
    { "more is", "1 ext4 io_uring 8 100 111 111 111", TRUE, FALSE, 1.11, 0 },
    { "wq at depth 1 with a best run of more than three times p80 has two modes; near the usual run",
      "1 ext4 wq 1 10 10 150 12", FALSE, TRUE, 0.1, 0.2 },
    { "near the best run", "1 ext4 wq 1 10 10 150 120", FALSE, TRUE, 1.5, 0.25 },
    { "three times is one mode", "1 ext4 wq 1 10 10 30 30", FALSE, FALSE, 0.1, 2 },
    { "fio has one mode", "1 ext4 io_uring 1 10 10 150 150", FALSE, FALSE, 0.1, 14 },
    { "depth 8 has one mode", "1 ext4 wq 8 10 10 150 150", FALSE, FALSE, 0.1, 14 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *records = g_strdup_printf ("1 ext4 psync 1 100 100 100 100;%s", row[i].record);
    Case c;
    case_init (&c, records);
    CU_ASSERT_EQUAL_FATAL (c.scores->scores->len, 1);
    const RecordScore *score = score_at (&c, 0);
    const gboolean simulated_equal = i < 2;
    ROW_CHECK (score->noisy == row[i].noisy && score->bimodal == row[i].bimodal &&
                   near_to (score->measured, row[i].measured),
               "%s: %d %d %g", row[i].rule, score->noisy, score->bimodal, score->measured);
    ROW_CHECK (simulated_equal || fabs (score->error - row[i].error) < 1e-9, "%s: error %g", row[i].rule, score->error);
    CU_ASSERT_EQUAL (c.scores->steady.n, !row[i].noisy);
    case_clear (&c);
  }
}

static void test_pairs (void)
{
  static const struct {
    const char *rule, *records;
    unsigned pairs, right;
  } row[] = {
    { "20 % apart is no pair", "1 ext4 io_uring 1 1 100 100 1;1 ext4 io_uring 2 1 120 120 2", 0, 0 },
    { "more is one, in order", "1 ext4 io_uring 1 1 100 100 1;1 ext4 io_uring 2 1 121 121 2", 1, 1 },
    { "out of order", "1 ext4 io_uring 1 1 100 100 2;1 ext4 io_uring 2 1 121 121 1", 1, 0 },
    { "equal rates have no order", "1 ext4 io_uring 1 1 100 100 2;1 ext4 io_uring 2 1 121 121 2", 1, 0 },
    { "references take part", "1 ext4 psync 1 1 100 100 1;1 ext4 io_uring 2 1 50 50 2;1 ext4 io_uring 2 1 200 200 3", 3,
      2 },
    { "not over batches", "1 ext4 io_uring 1 1 100 100 1;2 ext4 io_uring 2 1 200 200 2", 0, 0 },
    { "not over file systems", "1 ext4 io_uring 1 1 100 100 1;1 xfs io_uring 2 1 200 200 2", 0, 0 },
    { "not with what was not simulated", "1 ext4 io_uring 1 1 100 100 1;1 ext4 io_uring 2 1 200 200 -", 0, 0 },
    { "a job of two modes may stand in the slow one", "1 ext4 wq 1 10 10 150 1;1 ext4 io_uring 2 1 50 50 2", 1, 1 },
    { "or in the fast one", "1 ext4 wq 1 10 10 150 2;1 ext4 io_uring 2 1 50 50 1", 1, 1 },
    { "but not above its best run", "1 ext4 wq 1 10 10 150 2;1 ext4 io_uring 2 1 200 200 1", 1, 0 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    Case c;
    case_init (&c, row[i].records);
    ROW_CHECK (c.scores->pairs == row[i].pairs && c.scores->pairs_right == row[i].right, "%s: %u of %u", row[i].rule,
               c.scores->pairs_right, c.scores->pairs);
    case_clear (&c);
  }
}

void register_record_score_tests (void)
{
  static CU_TestInfo tests[] = {
    { "error", test_error }, { "errors", test_errors }, { "ratio", test_ratio },
    { "marks", test_marks }, { "pairs", test_pairs },   CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "record_score", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
