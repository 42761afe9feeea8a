/* File systems: the flag table by kernel, the lock modes, kernel ranges, and what is refused. */
#include "model/data_path.h"
#include "model/file_system.h"
#include "tests/expected.h"
#include "tests/row.h"
#include "tests/unit.h"

#include <limits.h>

#define FS_DATA TEST_DATA_DIR "/file_systems"

static void test_shipped (void)
{
  g_auto (GStrv) names = data_path_list ("file_systems", ".fs");

  ROW_CHECK (g_strv_length (names) >= 6, "%u shipped file systems", g_strv_length (names));
  for (char **name = names; *name; name++) {
    g_autoptr (GError) error = NULL;
    FileSystem *fs = file_system_load (*name, &error);

    if (ROW_CHECK (fs, "%s: %s", *name, row_error (error))) {
      ROW_CHECK (strcmp (fs->name, *name) == 0 && fs->title && fs->source && fs->cost_name, "%s", *name);
    }
    file_system_free (fs);
  }
}

/* Which requests may be tried without blocking, by kernel. */
static void test_flags (void)
{
  static const struct {
    const char *fs;
    unsigned kernel;
    gboolean nowait, rasync, wasync, dio_parallel;
  } rows[] = {
    { "ext4", KERNEL (5, 3), 1, 0, 0, 0 },   { "ext4", KERNEL (5, 9), 1, 1, 0, 0 },
    { "ext4", KERNEL (6, 3), 1, 1, 0, 0 },   { "ext4", KERNEL (6, 4), 1, 1, 0, 1 },
    { "ext4", KERNEL (6, 18), 1, 1, 0, 1 },  { "xfs", KERNEL (5, 8), 1, 0, 0, 0 },
    { "xfs", KERNEL (5, 19), 1, 1, 0, 0 },   { "xfs", KERNEL (6, 0), 1, 1, 1, 0 },
    { "xfs", KERNEL (6, 3), 1, 1, 1, 0 },    { "xfs", KERNEL (6, 18), 1, 1, 1, 1 },
    { "btrfs", KERNEL (6, 0), 1, 1, 0, 0 },  { "btrfs", KERNEL (6, 1), 1, 1, 1, 0 },
    { "btrfs", KERNEL (6, 18), 1, 1, 1, 0 }, { "f2fs", KERNEL (6, 4), 1, 1, 0, 0 },
    { "f2fs", KERNEL (6, 5), 1, 1, 1, 0 },   { "tmpfs", KERNEL (5, 3), 0, 0, 0, 0 },
    { "tmpfs", KERNEL (6, 18), 0, 0, 0, 0 }, { "block", KERNEL (5, 8), 1, 0, 0, 0 },
    { "block", KERNEL (6, 18), 1, 1, 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    FileSystem *fs = file_system_load (rows[i].fs, NULL);
    const char *name = rows[i].fs;
    unsigned kernel = rows[i].kernel;

    CU_ASSERT_PTR_NOT_NULL_FATAL (fs);
    ROW_CHECK (kernel_range_has (fs->nowait, kernel) == rows[i].nowait, "%s %u NOWAIT", name, kernel);
    ROW_CHECK (kernel_range_has (fs->buffer_rasync, kernel) == rows[i].rasync, "%s %u RASYNC", name, kernel);
    ROW_CHECK (kernel_range_has (fs->buffer_wasync, kernel) == rows[i].wasync, "%s %u WASYNC", name, kernel);
    ROW_CHECK (kernel_range_has (fs->dio_parallel_write, kernel) == rows[i].dio_parallel, "%s %u DIO", name, kernel);
    file_system_free (fs);
  }
}

static void test_steps (void)
{
  static const struct {
    const char *fs;
    LockMode read, write;
    gboolean regular, balance_at_end, timestamp_blocks, in_memory;
  } rows[] = {
    { "ext4", LOCK_NONE, LOCK_EXCLUSIVE, TRUE, TRUE, FALSE, FALSE },
    { "xfs", LOCK_SHARED, LOCK_EXCLUSIVE, TRUE, FALSE, TRUE, FALSE },
    { "btrfs", LOCK_NONE, LOCK_EXCLUSIVE, TRUE, FALSE, TRUE, FALSE },
    { "tmpfs", LOCK_NONE, LOCK_EXCLUSIVE, TRUE, TRUE, FALSE, TRUE },
    { "block", LOCK_SHARED, LOCK_SHARED, FALSE, FALSE, FALSE, FALSE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    FileSystem *fs = file_system_load (rows[i].fs, NULL);

    CU_ASSERT_PTR_NOT_NULL_FATAL (fs);
    ROW_CHECK (fs->read_lock == rows[i].read && fs->write_lock == rows[i].write, "%s locks", rows[i].fs);
    ROW_CHECK (fs->regular == rows[i].regular, "%s regular", rows[i].fs);
    ROW_CHECK (fs->balance_at_end == rows[i].balance_at_end, "%s balancing", rows[i].fs);
    ROW_CHECK (fs->timestamp_blocks == rows[i].timestamp_blocks, "%s time stamps", rows[i].fs);
    ROW_CHECK (fs->in_memory == rows[i].in_memory, "%s in memory", rows[i].fs);
    ROW_CHECK (strcmp (fs->cost_name, rows[i].fs) == 0, "%s costs", rows[i].fs);
    file_system_free (fs);
  }
}

static void test_ranges (void)
{
  static const struct {
    const char *text;
    gboolean ok;
    unsigned since, until;
  } rows[] = {
    { "6.0+", TRUE, KERNEL (6, 0), UINT_MAX },
    { "5.9-6.4", TRUE, KERNEL (5, 9), KERNEL (6, 4) },
    { "5.15-6.1", TRUE, KERNEL (5, 15), KERNEL (6, 1) },
    { "never", TRUE, 0, 0 },
    { "always", TRUE, 0, UINT_MAX },
    { "", FALSE, 0, 0 },
    { "6.0", FALSE, 0, 0 },
    { "+", FALSE, 0, 0 },
    { "-", FALSE, 0, 0 },
    { "6+", FALSE, 0, 0 },
    { "6.4-5.9", FALSE, 0, 0 },
    { "6.4-6.4", FALSE, 0, 0 },
    { "6.0-", FALSE, 0, 0 },
    { "-6.0", FALSE, 0, 0 },
    { "6.0++", FALSE, 0, 0 },
    { "6.0 +", FALSE, 0, 0 },
    { "5.9-6.4+", FALSE, 0, 0 },
    { "Never", FALSE, 0, 0 },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    KernelRange range = { 1, 2 };
    gboolean ok = kernel_range_parse (rows[i].text, &range);

    ROW_CHECK (ok == rows[i].ok, "\"%s\"", rows[i].text);
    if (rows[i].ok) {
      ROW_CHECK (range.since == rows[i].since && range.until == rows[i].until, "\"%s\": %u to %u", rows[i].text,
                 range.since, range.until);
    } else {
      ROW_CHECK (range.since == 1 && range.until == 2, "\"%s\" left the result alone", rows[i].text);
    }
  }
}

static gboolean load_and_free (const char *path, GError **error)
{
  FileSystem *fs = file_system_load (path, error);

  file_system_free (fs);
  return fs != NULL;
}

static void test_broken (void)
{
  static const char *const codes[] = { "not-found", "syntax", "unknown-key", "value" };

  expected_check (FS_DATA, load_and_free, FILE_SYSTEM_ERROR, codes);
}

static void test_costs_name (void)
{
  FileSystem *fs = file_system_load (FS_DATA "/y_costs.fs", NULL);

  CU_ASSERT_PTR_NOT_NULL_FATAL (fs);
  CU_ASSERT_STRING_EQUAL (fs->name, "y-costs");
  CU_ASSERT_STRING_EQUAL (fs->cost_name, "ext4");
  CU_ASSERT_PTR_NULL (fs->source);
  file_system_free (fs);
}

void register_file_system_tests (void)
{
  CU_pSuite suite = CU_add_suite ("file system", NULL, NULL);

  CU_add_test (suite, "shipped file systems load", test_shipped);
  CU_add_test (suite, "flags by kernel", test_flags);
  CU_add_test (suite, "locks and steps", test_steps);
  CU_add_test (suite, "kernel ranges", test_ranges);
  CU_add_test (suite, "broken files", test_broken);
  CU_add_test (suite, "costs of another", test_costs_name);
}
