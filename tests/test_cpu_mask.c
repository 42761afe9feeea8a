/* Sets of CPUs, and tasks that may run on some CPUs only. */
#include "model/cpu_mask.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <string.h>

static void test_parse (void)
{
  static const struct {
    const char *list, *cpus; /* NULL: an error */
  } rows[] = {
    { "0", "0" },           { "0-3", "0 1 2 3" }, { "1,3", "1 3" },
    { "3,1-2,2", "1 2 3" }, { "1023", "1023" },   { "5-5", "5" },
    { "", NULL },           { "1024", NULL },     { "3-1", NULL },
    { "1,", NULL },         { "-1", NULL },       { "1-", NULL },
    { "0-1024", NULL },     { "1 2", NULL },      { "a", NULL },
    { "0x1", NULL },        { "1,,2", NULL },     { "99999999999999999999", NULL },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GString) text = g_string_new (NULL);
    CpuMask mask = { { 0 } };
    gboolean ok = cpu_mask_parse (rows[i].list, &mask, &error);

    for (unsigned cpu = cpu_mask_next (&mask, 0); cpu < CPU_MASK_CPUS; cpu = cpu_mask_next (&mask, cpu + 1))
      g_string_append_printf (text, "%s%u", text->len ? " " : "", cpu);
    ROW_CHECK (ok == (rows[i].cpus != NULL) && ok != (error != NULL), "%s: %d", rows[i].list, ok);
    ROW_CHECK (!ok || strcmp (text->str, rows[i].cpus) == 0, "%s: %s", rows[i].list, text->str);
    ROW_CHECK (ok || strstr (error->message, "expected CPUs from 0 to 1023"), "%s: %s", rows[i].list,
               row_error (error));
    ROW_CHECK (ok == !cpu_mask_is_empty (&mask), "%s: an error leaves the mask alone", rows[i].list);
  }
}

/* ---- tasks ---- */

typedef struct {
  Fixture *fixture;
  Task *task;
  GString *where; /* the CPU after each sleep */
  unsigned sleeps;
} Roamer;

static void roamer_body (Task *task, void *data)
{
  Roamer *roamer = data;

  for (unsigned i = 0; i < roamer->sleeps; i++) {
    task_run (task, 10 * UR_US);
    task_sync (task);
    g_string_append_printf (roamer->where, "%u", task->cpu->id);
    task_prepare_to_sleep (task);
    task_schedule (task, sim_now (task->sim) + 100 * UR_US);
  }
}

/* A task with an affinity beside others that are pinned and never sleep; on which CPUs it is seen. */
static void test_affinity (void)
{
  static const struct {
    const char *rule, *set, *allowed, *others, *where;
  } rows[] = {
    { "an idle CPU of its set", NULL, "5", "", "5555" },
    { "though its last one is idle", NULL, "6-7", "", "6666" },
    { "it stays in its set when all of it is busy", NULL, "2", "X/2: run:30000", "2222" },
    { "it takes the idle one of two", NULL, "2-3", "X/2: run:30000", "3333" },
    { "also on a machine that packs", "Scheduler.Placement=pack", "5", "", "5555" },
    { "a set with no CPU of the machine counts for nothing", "CPU.Count=4", "100", "", "0000" },
    { "CPU 255 of 256", "CPU.Count=256", "255", "", "255255255255" },
    { "CPU 1023 of 1024", "CPU.Count=1024", "1023", "", "1023102310231023" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    Roamer roamer = { fixture, NULL, g_string_new (NULL), 4 };
    CpuMask allowed;

    if (rows[i].set)
      fixture_set (fixture, rows[i].set);
    fixture_build (fixture);
    CU_ASSERT_FATAL (cpu_mask_parse (rows[i].allowed, &allowed, NULL));
    if (*rows[i].others)
      fixture_script (fixture, rows[i].others);
    fixture_script (fixture, "E: sleep:1000000");
    roamer.task = task_new (fixture->sim, "roamer", TASK_CLASS_APP, -1, roamer_body, &roamer);
    roamer.task->allowed = &allowed;
    task_start (roamer.task, NULL);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (strcmp (roamer.where->str, rows[i].where) == 0, "%s: %s", rows[i].rule, roamer.where->str);
    g_string_free (roamer.where, TRUE);
    fixture_free (fixture);
  }
}

/* Many tasks with an affinity and many without, at random: balancing at ticks and at new idle moves none of them out of
 * its set. */
typedef struct {
  CpuMask allowed;
  UrRandom random;
  unsigned strays, moves;
} Wanderer;

static void wanderer_body (Task *task, void *data)
{
  Wanderer *wanderer = data;
  const Cpu *last = task->cpu;

  for (unsigned i = 0; i < 60; i++) {
    task_run (task, UR_US * (1 + ur_random_below (&wanderer->random, 3000)));
    task_sync (task);
    wanderer->strays += task->allowed && !cpu_mask_has (task->allowed, task->cpu->id);
    wanderer->moves += task->cpu != last;
    last = task->cpu;
    if (ur_random_below (&wanderer->random, 2)) {
      task_prepare_to_sleep (task);
      task_schedule (task, sim_now (task->sim) + UR_US * ur_random_below (&wanderer->random, 5000));
    } else {
      task_cond_resched (task);
    }
  }
}

static void test_balance (void)
{
  for (unsigned i = 0; i < 12; i++) {
    Fixture *fixture = fixture_new (i % 2 ? "linux-6.18" : "linux-5.15", "ext4", COSTS_SHIPPED);
    g_autofree Wanderer *wanderers = g_new0 (Wanderer, 16);
    unsigned strays = 0, moves = 0;

    fixture_set (fixture, i % 3 ? "CPU.Count=4" : "CPU.Count=4, Scheduler.Placement=pack");
    fixture_build (fixture);
    for (unsigned k = 0; k < 16; k++) {
      Task *task = task_new (fixture->sim, "wanderer", TASK_CLASS_APP, -1, wanderer_body, &wanderers[k]);

      ur_random_init_indexed (&wanderers[k].random, i, "wanderer", k);
      for (unsigned cpu = 0; cpu < 4; cpu++)
        if (ur_random_below (&wanderers[k].random, 2))
          cpu_mask_add (&wanderers[k].allowed, cpu);
      if (k % 4 && !cpu_mask_is_empty (&wanderers[k].allowed))
        task->allowed = &wanderers[k].allowed;
      task_start (task, NULL);
    }
    fixture_script (fixture, "E: sleep:5000000");
    fixture_run (fixture, "wanderers");
    for (unsigned k = 0; k < 16; k++) {
      strays += wanderers[k].strays;
      moves += wanderers[k].moves;
    }
    ROW_CHECK (strays == 0 && moves > 0, "machine %u: %u times outside, %u moves", i, strays, moves);
    fixture_free (fixture);
  }
}

void register_cpu_mask_tests (void)
{
  CU_pSuite suite = fixture_suite ("affinity");

  fixture_test (suite, "lists of CPUs", test_parse);
  fixture_test (suite, "where a task runs", test_affinity);
  fixture_test (suite, "balancing", test_balance);
}
