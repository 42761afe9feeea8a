/* IOPOLL and HYBRID_IOPOLL rings: what they take, who looks for completions and how, what an interrupt is spared. */
#include "model/iopoll.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

/* 32 channels and poll queues; a read takes 100 us, a write 20 us. */
#define DEVICE "Device.Synchronous=no, Device.Poll=yes, Device.Channels=32, Read.Time=100000, Write.Time=20000"

/* `outcome` as fixture_outcomes(); `cpu0`: busy, spin and irq of CPU 0 in us (nullable). */
typedef struct {
  const char *rule;
  unsigned kernel;
  const char *set, *script, *outcome, *log, *cpu0;
} PollRow;

static void check_cpu0 (const Fixture *fixture, const PollRow *row)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const Cpu *cpu = &fixture->sim->cpus[0];
  UrTime busy = 0;

  for (unsigned class = 0; class < TASK_CLASSES; class ++)
    busy += cpu->busy[class];
  fixture_append_us (text, busy);
  g_string_append_c (text, ' ');
  fixture_append_us (text, cpu->spin);
  g_string_append_c (text, ' ');
  fixture_append_us (text, cpu->irq);
  ROW_CHECK (strcmp (text->str, row->cpu0) == 0, "%s: busy, spin, irq %s", row->rule, text->str);
}

static void check_rows (const PollRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const PollRow *row = &rows[i];
    Fixture *fixture = fixture_new (fixture_generation (row->kernel), "ext4", COSTS_FREE);
    g_autofree char *outcome = NULL;

    fixture_set (fixture, DEVICE);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture->setup.kernel = row->kernel;
    fixture->setup.cache = CACHE_COLD;
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    outcome = fixture_outcomes (fixture);
    ROW_CHECK (strcmp (outcome, row->outcome) == 0, "%s: %s, expected %s", row->rule, outcome, row->outcome);
    fixture_check_log (fixture, row->rule, row->log);
    if (row->cpu0)
      check_cpu0 (fixture, row);
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_what_it_takes (void)
{
  static const PollRow rows[] = {
    { "IOPOLL: O_DIRECT reads and writes", KERNEL (6, 18), NULL, "S@1/0: ring:8,iopoll sqe:or0 sqe:ow0@9 submit:2 reap",
      "aa", "S@101 reap ba", NULL },
    { "a buffered request fails with EOPNOTSUPP", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll sqe:r0 submit:1 reap results", "F", "S@1 reap a, S@1 results a EOPNOTSUPP", NULL },
    { "an fsync is refused with EINVAL", KERNEL (6, 18), NULL, "S@1/0: ring:8,iopoll sqe:s0 submit:1 reap results", "F",
      "S@1 reap a, S@1 results a EINVAL", NULL },
    { "a NOP is taken", KERNEL (6, 18), NULL, "S@1/0: ring:8,iopoll sqe:n submit:1 reap", "i", "S@1 reap a", NULL },
    { "zeros come without the device", KERNEL (6, 18), NULL, "S@1/0: ring:8,iopoll sqe:or0@20000 submit:1 reap", "i",
      "S@1 reap a", NULL },
  };

  CHECK_ROWS (rows);
}

static void test_polling (void)
{
  static const PollRow rows[] = {
    { "the submitter spins for it; there is no interrupt", KERNEL (6, 18), "Block.Interrupt=3000, Block.Complete=2000",
      "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap", "a", "S@103 reap a", "102 100 0" },
    { "beside it: with interrupts it sleeps", KERNEL (6, 18), "Block.Interrupt=3000, Block.Complete=2000",
      "S@1/0: ring:8 sqe:or0 submit:1 reap", "a", "S@106 reap a", "0 0 5" },
    { "each look costs", KERNEL (6, 18), "Block.Poll=1000", "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap", "a",
      "S@102 reap a", NULL },
    { "nobody sees a completion that nobody looks for", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll sqe:or0 submit run:300 reap getevents:1 reap", "a", "S@301 reap -, S@301 reap a", NULL },
    { "completions that are there are taken without a look", KERNEL (6, 18), "Block.Poll=1000",
      "S@1/0: ring:8,iopoll sqe:n submit sqe:or0 submit:1 reap getevents:1 reap", "ia", "S@1 reap a, S@102 reap b",
      NULL },
    { "requests in a row that are done are completed together", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll sqe:ow0 sqe:ow0@9 sqe:or0@20 submit:1 reap getevents:1 reap", "aaa",
      "S@21 reap ab, S@101 reap c", NULL },
    { "spinning ends when somebody else wants the CPU, and goes on afterwards", KERNEL (6, 18), "Read.Time=10000000",
      "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap getevents:1 reap | T@3000/0: run:2000 say:ran", "a",
      "T@6000 ran, S@6000 reap -, S@10001 reap a", NULL },
    { "uring_lock is held meanwhile", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap | U@11/1: uringlock uringunlock", "a",
      "S@101 reap a, U@101 uring_lock", NULL },
    { "a device without poll queues interrupts, and the poller sees it: up to 6.11", KERNEL (6, 11),
      "Device.Poll=no, Block.Interrupt=3000", "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap", "a", "S@104 reap a", NULL },
    { "a device without poll queues fails it: from 6.12", KERNEL (6, 12), "Device.Poll=no",
      "S@1/0: ring:8,iopoll sqe:or0 submit:1 reap results", "F", "S@1 reap a, S@1 results a EOPNOTSUPP", NULL },
    { "and a worker that submits it sees the same", KERNEL (6, 18), "Device.Poll=no",
      "S@1/0: ring:8,iopoll sqe:aor0 submit run:10 getevents:1 reap results", "F",
      "S@11 reap a, S@11 results a EOPNOTSUPP", NULL },
    { "who waits for it in the call does not poll", KERNEL (6, 18), "Device.Poll=no", "S@1/0: call:or0", "i",
      "S@101 4096", NULL },
    { "the sq_thread looks once a round", KERNEL (6, 18), "Ring.SqThreadLoop=1000",
      "S@1/0: ring:8,iopoll,sqpoll sqe:or0 notify sleep:200 reap", "a", "S@201 reap a", NULL },
  };

  CHECK_ROWS (rows);
}

/* The first look at a request sleeps half of the shortest time that any took. */
static void test_hybrid (void)
{
  static const PollRow rows[] = {
    { "nothing is known at first: it spins", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll,hybrid-iopoll sqe:or0 submit:1 reap", "a", "S@101 reap a", "100 100 0" },
    { "then it sleeps half of it", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll,hybrid-iopoll sqe:or0 submit:1 reap sqe:or0@9 submit:1 reap", "aa",
      "S@101 reap a, S@201 reap b", "150 150 0" },
    { "of the shortest, less what was slept", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll,hybrid-iopoll sqe:or0 submit:1 reap sqe:or0@9 submit:1 reap sqe:or0@20 submit:1 reap",
      "aaa", "S@101 reap a, S@201 reap b, S@301 reap c", "225 225 0" },
  };

  CHECK_ROWS (rows);
}

/* Work that is punted is hashed, and its worker takes uring_lock to put it on the list. */
static void test_punted (void)
{
  static const PollRow rows[] = {
    { "IOSQE_ASYNC: a worker issues it, the submitter finds it", KERNEL (6, 18), NULL,
      "S@1/0: ring:8,iopoll sqe:aor0 submit run:10 getevents:1 reap", "U", "S@101 reap a", NULL },
    { "punted, a read too: hashed", KERNEL (6, 18), NULL,
      "L/1: write run:50 unlock | S@1/0: ring:8,iopoll sqe:or0 submit run:60 getevents:1 reap", "H",
      "L@0 write, S@150 reap a", NULL },
  };

  CHECK_ROWS (rows);
}

void register_iopoll_tests (void)
{
  CU_pSuite suite = fixture_suite ("IOPOLL");

  fixture_test (suite, "what it takes", test_what_it_takes);
  fixture_test (suite, "polling", test_polling);
  fixture_test (suite, "HYBRID_IOPOLL", test_hybrid);
  fixture_test (suite, "punted", test_punted);
}
