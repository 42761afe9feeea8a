/* io_uring_setup(): sizes, which flags a kernel knows and which go together. */
#include "model/kernel_version.h"
#include "model/ring_setup.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* flags as for --ring; error: a part of the message, NULL if the kernel accepts it. */
typedef struct {
  const char *rule;
  unsigned kernel, entries, cq_entries;
  const char *flags;
  unsigned sq, cq;
  const char *error;
} Row;

static void check_rows (const Row *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const Row *row = &rows[i];
    g_auto (GStrv) words = g_strsplit (row->flags, ",", -1);
    g_autoptr (GError) error = NULL;
    RingSetup setup = { .entries = row->entries, .cq_entries = row->cq_entries, .sq_cpu = -1 };
    RingSizes sizes = { 0, 0 };
    gboolean ok;

    for (char **word = words; *word; word++)
      ROW_CHECK (ring_flags_set (&setup.flags, *word), "%s: no flag %s", row->rule, *word);
    ok = ring_setup_check (&setup, row->kernel, &sizes, &error);
    ROW_CHECK (ok == !row->error && sizes.sq_entries == row->sq && sizes.cq_entries == row->cq, "%s: SQ %u, CQ %u, %s",
               row->rule, sizes.sq_entries, sizes.cq_entries, row_error (error));
    if (row->error)
      ROW_CHECK (g_error_matches (error, RING_SETUP_ERROR, RING_SETUP_ERROR_EINVAL) &&
                     strstr (error->message, "EINVAL") && strstr (error->message, row->error),
                 "%s: %s", row->rule, row_error (error));
  }
}
#define CHECK(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_sizes (void)
{
  static const Row rows[] = {
    { "one entry", KERNEL (6, 3), 1, 0, "", 1, 2, NULL },
    { "a power of two stays, the CQ is twice as large", KERNEL (6, 3), 8, 0, "", 8, 16, NULL },
    { "rounded up", KERNEL (6, 3), 9, 0, "", 16, 32, NULL },
    { "rounded up from 100", KERNEL (6, 3), 100, 0, "", 128, 256, NULL },
    { "the largest", KERNEL (6, 3), 32768, 0, "", 32768, 65536, NULL },
    { "0 entries", KERNEL (6, 3), 0, 0, "", 0, 0, "0 SQ entries" },
    { "0 entries, CLAMP does not help", KERNEL (6, 3), 0, 0, "clamp", 0, 0, "0 SQ entries" },
    { "above the largest", KERNEL (6, 3), 32769, 0, "", 0, 0, "32769 SQ entries, at most 32768" },
    { "above the largest with CLAMP", KERNEL (6, 3), 32769, 0, "clamp", 32768, 65536, NULL },
    { "5.3: the largest is 4096", KERNEL (5, 3), 4096, 0, "", 4096, 8192, NULL },
    { "5.3: above it", KERNEL (5, 3), 4097, 0, "", 0, 0, "at most 4096" },
    { "5.4: the largest is 32768", KERNEL (5, 4), 4097, 0, "", 8192, 16384, NULL },
    { "CQSIZE as the SQ", KERNEL (6, 3), 64, 64, "cqsize", 64, 64, NULL },
    { "CQSIZE larger, rounded up", KERNEL (6, 3), 8, 65, "cqsize", 8, 128, NULL },
    { "CQSIZE smaller but the same when rounded", KERNEL (6, 3), 8, 5, "cqsize", 8, 8, NULL },
    { "CQSIZE smaller", KERNEL (6, 3), 8, 4, "cqsize", 0, 0, "4 CQ entries are fewer than the 8" },
    { "CQSIZE at most 65536", KERNEL (6, 3), 8, 65536, "cqsize", 8, 65536, NULL },
    { "CQSIZE above", KERNEL (6, 3), 8, 65537, "cqsize", 0, 0, "at most 65536" },
    { "CQSIZE above with CLAMP", KERNEL (6, 3), 8, 70000, "cqsize,clamp", 8, 65536, NULL },
    { "CQ entries without CQSIZE are not looked at", KERNEL (6, 3), 8, 3, "", 8, 16, NULL },
  };

  CHECK (rows);
}

/* Each flag with what it needs, on its first kernel and on the one before. */
static void test_since (void)
{
  static const Row rows[] = {
    { "SQPOLL 5.1", KERNEL (5, 1), 8, 0, "sqpoll", 8, 16, NULL },
    { "SQ_AFF 5.1", KERNEL (5, 1), 8, 0, "sqpoll,sq-aff", 8, 16, NULL },
    { "IOPOLL 5.1", KERNEL (5, 1), 8, 0, "iopoll", 8, 16, NULL },
    { "CQSIZE 5.4", KERNEL (5, 4), 8, 8, "cqsize", 0, 0, "kernel 5.4 does not know cqsize, which exists since 5.5" },
    { "CQSIZE 5.5", KERNEL (5, 5), 8, 8, "cqsize", 8, 8, NULL },
    { "CLAMP 5.5", KERNEL (5, 5), 8, 0, "clamp", 0, 0, "since 5.6" },
    { "CLAMP 5.6", KERNEL (5, 6), 8, 0, "clamp", 8, 16, NULL },
    { "ATTACH_WQ 5.5", KERNEL (5, 5), 8, 0, "attach-wq", 0, 0, "since 5.6" },
    { "ATTACH_WQ 5.6", KERNEL (5, 6), 8, 0, "attach-wq", 8, 16, NULL },
    { "SUBMIT_ALL 5.17", KERNEL (5, 17), 8, 0, "submit-all", 0, 0, "since 5.18" },
    { "SUBMIT_ALL 5.18", KERNEL (5, 18), 8, 0, "submit-all", 8, 16, NULL },
    { "COOP_TASKRUN 5.18", KERNEL (5, 18), 8, 0, "coop-taskrun", 0, 0, "since 5.19" },
    { "COOP_TASKRUN 5.19", KERNEL (5, 19), 8, 0, "coop-taskrun", 8, 16, NULL },
    { "TASKRUN_FLAG 5.18", KERNEL (5, 18), 8, 0, "taskrun-flag", 0, 0, "since 5.19" },
    { "TASKRUN_FLAG 5.19", KERNEL (5, 19), 8, 0, "coop-taskrun,taskrun-flag", 8, 16, NULL },
    { "SINGLE_ISSUER 5.19", KERNEL (5, 19), 8, 0, "single-issuer", 0, 0, "since 6.0" },
    { "SINGLE_ISSUER 6.0", KERNEL (6, 0), 8, 0, "single-issuer", 8, 16, NULL },
    { "DEFER_TASKRUN 6.0", KERNEL (6, 0), 8, 0, "single-issuer,defer-taskrun", 0, 0, "since 6.1" },
    { "DEFER_TASKRUN 6.1", KERNEL (6, 1), 8, 0, "single-issuer,defer-taskrun", 8, 16, NULL },
    { "HYBRID_IOPOLL 6.12", KERNEL (6, 12), 8, 0, "iopoll,hybrid-iopoll", 0, 0, "since 6.13" },
    { "HYBRID_IOPOLL 6.13", KERNEL (6, 13), 8, 0, "iopoll,hybrid-iopoll", 8, 16, NULL },
  };

  CHECK (rows);
}

static void test_together (void)
{
  static const Row rows[] = {
    { "SQPOLL with COOP_TASKRUN", KERNEL (6, 18), 8, 0, "sqpoll,coop-taskrun", 0, 0, "do not go with sqpoll" },
    { "SQPOLL with TASKRUN_FLAG", KERNEL (6, 18), 8, 0, "sqpoll,taskrun-flag", 0, 0, "do not go with sqpoll" },
    { "SQPOLL with DEFER_TASKRUN", KERNEL (6, 18), 8, 0, "sqpoll,single-issuer,defer-taskrun", 0, 0,
      "do not go with sqpoll" },
    { "SQPOLL with SINGLE_ISSUER", KERNEL (6, 18), 8, 0, "sqpoll,single-issuer", 8, 16, NULL },
    { "SQ_AFF without SQPOLL", KERNEL (6, 18), 8, 0, "sq-aff", 0, 0, "sq-aff needs sqpoll" },
    { "TASKRUN_FLAG alone", KERNEL (6, 18), 8, 0, "taskrun-flag", 0, 0, "taskrun-flag needs" },
    { "TASKRUN_FLAG with COOP_TASKRUN", KERNEL (6, 18), 8, 0, "taskrun-flag,coop-taskrun", 8, 16, NULL },
    { "TASKRUN_FLAG with DEFER_TASKRUN", KERNEL (6, 18), 8, 0, "taskrun-flag,defer-taskrun,single-issuer", 8, 16,
      NULL },
    { "DEFER_TASKRUN without SINGLE_ISSUER", KERNEL (6, 18), 8, 0, "defer-taskrun", 0, 0, "needs single-issuer" },
    { "HYBRID_IOPOLL without IOPOLL", KERNEL (6, 18), 8, 0, "hybrid-iopoll", 0, 0, "hybrid-iopoll needs iopoll" },
  };

  CHECK (rows);
}

/* The sizes are those of the ring. */
static void test_ring_new (void)
{
  Fixture *fixture = fixture_new ("linux-6.3", "ext4", COSTS_FREE);

  fixture_build (fixture);
  for (unsigned i = 0; i < 3; i++) {
    RingSetup setup = { .entries = 5 + 4 * i, .cq_entries = 100, .flags.cqsize = i == 2, .sq_cpu = -1 };
    const Ring *ring = ring_new (fixture->sim, NULL, &setup);

    ROW_CHECK (ring->sq_entries == (i ? 16 : 8) && ring->cq_entries == (i == 2 ? 128 : 2 * ring->sq_entries),
               "ring %u: SQ %u, CQ %u", i, ring->sq_entries, ring->cq_entries);
    ROW_CHECK (ring->id == i && g_ptr_array_index (fixture->sim->rings, i) == ring, "it is ring %u", i);
  }
  fixture_free (fixture);
}

void register_ring_setup_tests (void)
{
  CU_pSuite suite = fixture_suite ("ring set-up");

  fixture_test (suite, "sizes", test_sizes);
  fixture_test (suite, "since when a flag exists", test_since);
  fixture_test (suite, "flags that go together", test_together);
  fixture_test (suite, "a new ring", test_ring_new);
}
