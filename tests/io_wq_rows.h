/* Rows of the tests of io-wq: a script on a machine where every page takes 10 us, in which order it runs, and by how
 * many workers. */
#ifndef IO_WQ_ROWS_H
#define IO_WQ_ROWS_H

#include "tests/model_fixture.h"

/* Writes, reads and syncs of a page take 10 us; SLEEPS: writes sleep 50 us more, with the lock held. */
#define TEN_US                                                                                     \
  "FileSystem ext4.WritePage=10000, FileSystem ext4.ReadPage=10000, FileSystem ext4.Fsync=10000, " \
  "FileSystem block.WritePage=10000"
#define SLEEPS "FileSystem ext4.SleepEvery=1, FileSystem ext4.Sleep=50000"

/* buckets: of files 0 to 3, one digit each; started, posted: the order of the requests (nullable);
 * parallel: most requests at once; workers: created. */
typedef struct {
  const char *rule, *policy, *set, *script, *buckets;
  const char *started, *posted;
  unsigned parallel, workers;
} WqRow;

/* Sets the buckets of files 0 to 3. */
void     wq_set_buckets (Fixture *fixture, const char *buckets);
/* Runs the row on ext4 unless its policy says "POLICY on FILE-SYSTEM", and checks it. `hash` HASH_NONE: the policy's.
 * (transfer full) */
Fixture *wq_run_row (const WqRow *row, QueueHash hash);
void     wq_check_rows (const WqRow *rows, unsigned n);
#define WQ_CHECK_ROWS(rows) wq_check_rows (rows, G_N_ELEMENTS (rows))

#endif
