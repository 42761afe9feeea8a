/* The block device: closed forms of its channels, tags, plugs, merging, bandwidth, seek, write cache, FLUSH. */
#include "model/block_device.h"

#include "model/interrupt.h"
#include "tests/model_fixture.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* 32 channels; a read takes 100 us, a write 20 us, a FLUSH 50 us; nothing else limits it. */
#define DEVICE "Device.Synchronous=no, Device.Channels=32, Read.Time=100000, Write.Time=20000, Flush.Time=50000"

/* ---- scripts of one task ---- */

/*
 * Words: [n]OP@KIB+KIB submits a bio, named a, b, c... in order (r, w or f; 'n': REQ_NOWAIT, "X:again" if it is
 * refused); plug, unplug; run:US, sleep:US; wait for all bios.  The log says when each ended: "a@100".
 */
typedef struct {
  const char *rule, *set, *script;
  unsigned requests, merged;
  const char *log;
} BlockRow;

#define BIOS 64
typedef struct {
  Fixture *fixture;
  const char *script;
  Bio bio[BIOS];
  unsigned n, left;
  Task *waiter;
} Player;

static void player_ended (Bio *bio, Task *task, Cpu *cpu)
{
  Player *player = bio->data;
  GString *log = player->fixture->log;

  g_string_append_printf (log, "%s%c@", log->len ? " " : "", 'a' + (int) (bio - player->bio));
  fixture_append_us (log, sim_now (player->fixture->sim));
  if (--player->left == 0 && player->waiter)
    block_wake (task, cpu, player->waiter);
}

static void player_submit (Player *player, Task *task, const char *word)
{
  gboolean nowait = *word == 'n';
  Bio *bio = &player->bio[player->n++];

  word += nowait;
  *bio = (Bio){ .op = *word == 'r'   ? BLOCK_READ
                      : *word == 'w' ? BLOCK_WRITE
                                     : BLOCK_FLUSH,
                .end = player_ended,
                .data = player };
  if (bio->op != BLOCK_FLUSH) {
    bio->start = g_ascii_strtoull (word + 2, NULL, 10) << 10;
    bio->length = g_ascii_strtoull (strchr (word, '+') + 1, NULL, 10) << 10;
  }
  player->left++;
  if (!block_submit_bio (task, task->sim->device, bio, nowait)) {
    player->left--;
    g_string_append_printf (player->fixture->log, "%s%c:again", player->fixture->log->len ? " " : "",
                            'a' + (int) player->n - 1);
  }
}

static void player_body (Task *task, void *data)
{
  Player *player = data;
  g_auto (GStrv) words = g_strsplit (player->script, " ", -1);
  BlockPlug plug;

  for (char **word = words; *word; word++) {
    const char *time = strchr (*word, ':');

    if (g_str_equal (*word, "plug")) {
      block_start_plug (task, &plug);
    } else if (g_str_equal (*word, "unplug")) {
      block_finish_plug (task, &plug);
    } else if (g_str_has_prefix (*word, "run:")) {
      task_run (task, g_ascii_strtoull (time + 1, NULL, 10) * UR_US);
      task_sync (task);
    } else if (g_str_has_prefix (*word, "sleep:")) {
      task_prepare_to_sleep (task);
      task_schedule (task, sim_now (task->sim) + g_ascii_strtoull (time + 1, NULL, 10) * UR_US);
    } else if (g_str_equal (*word, "wait")) {
      player->waiter = task;
      while (player->left) {
        task_prepare_to_sleep (task);
        task_schedule (task, UR_TIME_NEVER);
      }
    } else {
      player_submit (player, task, *word);
    }
  }
}

static void check_rows (const BlockRow *rows, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    const BlockRow *row = &rows[i];
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    Player player = { .fixture = fixture, .script = row->script };
    const BlockCounters *count;
    unsigned requests = 0;

    fixture_set (fixture, DEVICE);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    task_start (task_new (fixture->sim, "P", TASK_CLASS_APP, 0, player_body, &player), NULL);
    fixture_run (fixture, row->rule);
    count = block_counters (fixture->sim->device);
    for (unsigned op = 0; op < BLOCK_OPS; op++)
      requests += (unsigned) count->requests[op];
    ROW_CHECK (requests == row->requests && count->merged == row->merged, "%s: %u requests, %u merged", row->rule,
               requests, (unsigned) count->merged);
    fixture_check_log (fixture, row->rule, row->log);
    ROW_CHECK (block_in_flight (fixture->sim->device) == 0, "%s: %u tags in use", row->rule,
               block_in_flight (fixture->sim->device));
    fixture_free (fixture);
  }
}
#define CHECK_ROWS(rows) check_rows (rows, G_N_ELEMENTS (rows))

static void test_channels (void)
{
  static const BlockRow rows[] = {
    { "as many at once as there are channels", "Device.Channels=2", "r@0+4 r@100+4 r@200+4 wait", 3, 0,
      "a@100 b@100 c@200" },
    { "in order of arrival, whatever they are", "Device.Channels=1", "r@0+4 w@100+4 r@200+4 wait", 3, 0,
      "a@100 b@120 c@220" },
    { "one that arrives later", NULL, "r@0+4 run:30 r@100+4 wait", 2, 0, "a@100 b@130" },
    { "the interrupt and what it completes come after the device", "Block.Interrupt=2000, Block.Complete=1000",
      "r@0+4 wait", 1, 0, "a@103" },
    { "the submitter pays for submission and doorbell", "Block.Submit=3000, Block.Dispatch=2000", "r@0+4 run:1 wait", 1,
      0, "a@105" },
    { "a synchronous driver works in the submit call, without request and tag",
      "Device.Synchronous=yes, Block.Submit=3000", "r@0+4 w@100+8 wait", 2, 0, "a@100 b@140" },
  };

  CHECK_ROWS (rows);
}

static void test_tags (void)
{
  static const BlockRow rows[] = {
    { "no scheduler: QueueDepth is the number of tags; the next caller sleeps for one", "Device.QueueDepth=2",
      "r@0+4 r@100+4 r@200+4 wait", 3, 0, "a@100 b@100 c@200" },
    { "REQ_NOWAIT is refused instead", "Device.QueueDepth=2", "r@0+4 r@100+4 nr@200+4 wait", 2, 0,
      "c:again a@100 b@100" },
    { "REQ_NOWAIT with a free tag", "Device.QueueDepth=2", "r@0+4 nr@200+4 wait", 2, 0, "a@100 b@100" },
    { "a scheduler has its own, more than the hardware takes", "Device.QueueDepth=1, Device.Requests=3",
      "r@0+4 r@100+4 nr@200+4 nr@300+4 wait", 3, 0, "d:again a@100 b@200 c@300" },
    { "REQ_NOWAIT cannot be split", "Device.MaxTransfer=64KiB", "nr@0+128 nr@0+64 wait", 1, 0, "a:again b@100" },
  };

  CHECK_ROWS (rows);
}

static void test_merging (void)
{
  static const BlockRow rows[] = {
    { "without a plug nothing merges", NULL, "w@0+4 w@4+4 wait", 2, 0, "a@20 b@20" },
    { "a plug merges at the back", NULL, "plug w@0+4 w@4+4 unplug wait", 1, 1, "a@20 b@20" },
    { "and at the front", NULL, "plug w@4+4 w@0+4 unplug wait", 1, 1, "b@20 a@20" },
    { "not over a gap", NULL, "plug w@0+4 w@8+4 unplug wait", 2, 0, "a@20 b@20" },
    { "not reads with writes", NULL, "plug w@0+4 r@4+4 unplug wait", 2, 0, "a@20 b@100" },
    { "not beyond the largest request", "Device.MaxTransfer=8KiB", "plug w@0+4 w@4+4 w@8+4 unplug wait", 2, 1,
      "a@20 b@20 c@20" },
    { "from 5.16 with the last request only", NULL, "plug w@0+4 w@100+4 w@4+4 unplug wait", 3, 0, "a@20 b@20 c@20" },
    { "before 5.16 with any", "kernel=5.15", "plug w@0+4 w@100+4 w@4+4 unplug wait", 2, 1, "a@20 c@20 b@20" },
    { "a scheduler merges what waits in it", "Device.Channels=1, Device.QueueDepth=1, Device.Requests=8",
      "w@0+4 w@100+4 w@104+4 wait", 2, 1, "a@20 b@40 c@40" },
    { "a bio larger than a request is split, and ends with its last part",
      "Device.MaxTransfer=64KiB, Device.Channels=1", "r@0+160 wait", 3, 0, "a@300" },
    { "at most 1280 KiB before 6.16", "Device.MaxTransfer=8MiB, kernel=6.15", "r@0+2048 wait", 2, 0, "a@100" },
    { "at most 4 MiB from 6.16 on", "Device.MaxTransfer=8MiB, kernel=6.16", "r@0+2048 r@0+8192 wait", 3, 0,
      "a@100 b@100" },
  };

  CHECK_ROWS (rows);
}

static void test_plugs (void)
{
  static const BlockRow rows[] = {
    { "a plug holds requests until it ends", NULL, "plug r@0+4 run:10 r@100+4 run:10 unplug wait", 2, 0,
      "a@120 b@120" },
    { "or until the task sleeps", NULL, "plug r@0+4 run:10 sleep:50 r@100+4 run:10 unplug wait", 2, 0, "a@110 b@170" },
    { "or a request of 128 KiB is in it and another one comes", NULL, "plug r@0+128 run:10 r@1000+4 run:10 unplug wait",
      2, 0, "a@110 b@120" },
    { "which less does not do", NULL, "plug r@0+124 run:10 r@1000+4 run:10 unplug wait", 2, 0, "a@120 b@120" },
    { "a FLUSH is not held", NULL, "plug r@0+4 f run:10 unplug wait", 2, 0, "b@50 a@110" },
  };

  CHECK_ROWS (rows);
}

/* A plug of 32 requests, 16 before 5.16, is handed over when one more comes. */
static void test_plug_full (void)
{
  static const struct {
    const char *rule, *kernel;
    unsigned bios;
    const char *first; /* when the first ends: the plug ends at 10 us */
  } rows[] = {
    { "32 requests are held", "kernel=5.16", 32, "a@30" },
    { "the 33rd hands them over", "kernel=5.16", 33, "a@20" },
    { "16 requests are held before 5.16", "kernel=5.15", 16, "a@30" },
    { "the 17th hands them over before 5.16", "kernel=5.15", 17, "a@20" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    GString *script = g_string_new ("plug");
    Player player = { .fixture = fixture };

    for (unsigned k = 0; k < rows[i].bios; k++)
      g_string_append_printf (script, " w@%u+4", 100 * k);
    g_string_append (script, " run:10 unplug wait");
    player.script = script->str;
    fixture_set (fixture, DEVICE ", Device.Channels=64");
    fixture_set (fixture, rows[i].kernel);
    fixture_build (fixture);
    task_start (task_new (fixture->sim, "P", TASK_CLASS_APP, 0, player_body, &player), NULL);
    fixture_run (fixture, rows[i].rule);
    ROW_CHECK (g_str_has_prefix (fixture->log->str, rows[i].first), "%s: %s", rows[i].rule, fixture->log->str);
    g_string_free (script, TRUE);
    fixture_free (fixture);
  }
}

static void test_limits (void)
{
  static const BlockRow rows[] = {
    /* 4 KiB at 4096 bytes a 10 us */
    { "bandwidth: the rate over all channels", "Write.Bandwidth=409600000, Write.Time=1000",
      "w@0+4 w@100+4 w@200+4 wait", 3, 0, "a@10 b@20 c@30" },
    { "of each direction alone", "Write.Bandwidth=409600000, Write.Time=1000", "w@0+4 r@100+4 wait", 2, 0,
      "a@10 b@100" },
    { "a burst goes ahead of it", "Write.Bandwidth=409600000, Write.Burst=8KiB, Write.Time=1000",
      "w@0+4 w@100+4 w@200+4 w@300+4 wait", 4, 0, "a@1 b@1 c@10 d@20" },
    { "and is there again after a while", "Write.Bandwidth=409600000, Write.Burst=4KiB, Write.Time=1000",
      "w@0+4 w@100+4 sleep:100 w@200+4 wait", 3, 0, "a@1 b@10 c@101" },
    { "seek: what follows the last request needs none", "Device.Channels=1, Seek.Full=50000, Seek.Track=50000",
      "r@0+4 r@4+4 r@100+4 wait", 3, 0, "a@100 b@200 c@350" },
    /* the head is at 4 KiB; a quarter of the distance is half of the way from Track to Full */
    { "seek: the square root of the distance",
      "Device.Channels=1, Seek.Full=50000, Seek.Track=10000, Seek.Capacity=16MiB", "r@0+4 r@4100+4 wait", 2, 0,
      "a@100 b@230" },
    /* 8 KiB of room, emptied at 4 KiB in 100 us */
    { "cache: writes are fast until it is full, then as fast as it empties",
      "Cache.Size=8KiB, Cache.Drain=40960000, Write.Time=1000, Device.Channels=1", "w@0+4 w@100+4 w@200+4 w@300+4 wait",
      4, 0, "a@1 b@2 c@101 d@201" },
    { "cache: it empties while nothing is written", "Cache.Size=8KiB, Cache.Drain=40960000, Write.Time=1000",
      "w@0+4 w@100+4 wait sleep:200 w@200+4 wait", 3, 0, "a@1 b@1 c@202" },
    { "FLUSH takes as long as emptying it", "Cache.Size=64KiB, Cache.Drain=40960000, Write.Time=1000",
      "w@0+8 wait f wait f wait", 3, 0, "a@1 b@250 c@300" },
    { "emptying a write that does not follow takes longer",
      "Cache.Size=64KiB, Cache.Drain=40960000, Cache.DrainRequest=30000, Write.Time=1000",
      "w@100+4 w@104+4 w@300+4 wait f wait", 4, 0, "a@1 b@1 c@1 d@410" },
  };

  CHECK_ROWS (rows);
}

/* ---- closed forms ---- */

typedef struct {
  unsigned left;
} Loop;

/* One request at a time. */
static void loop_body (Task *task, void *data)
{
  Loop *loop = data;

  while (loop->left) {
    Bio bio = { .op = BLOCK_READ, .start = (uint64_t) loop->left-- << 20, .length = 4096 };
    BlockWait wait = { task, 0 };

    block_wait_submit (&wait, task->sim->device, &bio);
    block_wait (&wait);
  }
}

/* d callers on c channels with constant service S: min (c, d) / S. */
static void test_constant_service (void)
{
  static const struct {
    unsigned channels, callers;
  } rows[] = { { 1, 1 }, { 1, 8 }, { 4, 8 }, { 8, 8 }, { 8, 3 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    g_autofree char *channels = g_strdup_printf ("Device.Channels=%u", rows[i].channels);
    Loop loop = { 4800 };
    double expected = 4800.0 / MIN (rows[i].channels, rows[i].callers) * 100 * UR_US;
    double busy = MIN (rows[i].channels, rows[i].callers);

    fixture_set (fixture, DEVICE);
    fixture_set (fixture, channels);
    fixture_build (fixture);
    for (unsigned k = 0; k < rows[i].callers; k++)
      task_start (task_new (fixture->sim, "L", TASK_CLASS_APP, -1, loop_body, &loop), NULL);
    fixture_run (fixture, "constant service");
    ROW_CHECK (fabs ((double) fixture->sim->finished / expected - 1) < 0.002, "%u channels, %u callers: %.0f ns",
               rows[i].channels, rows[i].callers, (double) fixture->sim->finished);
    ROW_CHECK (fabs (ur_level_mean (&block_counters (fixture->sim->device)->busy, fixture->sim->finished) - busy) <
                   0.01,
               "%u channels, %u callers: %.3f busy", rows[i].channels, rows[i].callers,
               ur_level_mean (&block_counters (fixture->sim->device)->busy, fixture->sim->finished));
    fixture_free (fixture);
  }
}

#define ARRIVALS 40000u
typedef struct {
  double load;   /* arrivals a ns */
  double waited; /* sum over all, ns */
  unsigned left;
  struct {
    Bio bio;
    UrTime arrival;
  } * arrival;
} Poisson;

static void poisson_ended (Bio *bio, Task *task, Cpu *cpu)
{
  Poisson *poisson = bio->data;
  unsigned i = (unsigned) (((char *) bio - (char *) poisson->arrival) / (long) sizeof *poisson->arrival);

  (void) task;
  poisson->waited += (double) (sim_now (cpu->sim) - poisson->arrival[i].arrival);
  poisson->left--;
}

static void poisson_body (Task *task, void *data)
{
  Poisson *poisson = data;
  UrRandom random;

  ur_random_init (&random, 7, "arrivals");
  for (unsigned i = 0; i < ARRIVALS; i++) {
    task_prepare_to_sleep (task);
    task_schedule (task, sim_now (task->sim) + (UrTime) ur_random_exponential (&random, 1 / poisson->load) + 1);
    poisson->arrival[i].arrival = sim_now (task->sim);
    poisson->arrival[i].bio =
        (Bio){ .op = BLOCK_READ, .start = (uint64_t) i << 20, .length = 4096, .end = poisson_ended, .data = poisson };
    block_submit_bio (task, task->sim->device, &poisson->arrival[i].bio, FALSE);
  }
}

/* Mean time in an M/M/c system (Erlang C). */
static double erlang_c_response (double load, double service, unsigned c)
{
  double a = load * service, term = 1, sum = 0, wait;

  for (unsigned k = 0; k < c; k++) {
    sum += term;
    term *= a / (k + 1);
  }
  wait = term * c / (c - a);
  return service + wait / (sum + wait) * service / (c - a);
}

/* Poisson arrivals, exponential service (a gamma with coefficient of variation 1). */
static void test_erlang_c (void)
{
  static const struct {
    unsigned channels;
    double utilisation;
  } rows[] = { { 1, 0.5 }, { 2, 0.7 }, { 4, 0.8 }, { 16, 0.9 } };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
    g_autofree char *channels = g_strdup_printf ("Device.Channels=%u", rows[i].channels);
    Poisson poisson = { .load = rows[i].utilisation * rows[i].channels / 100000.0, .left = ARRIVALS };
    double expected = erlang_c_response (poisson.load, 100000, rows[i].channels), mean;

    poisson.arrival = g_malloc0 (ARRIVALS * sizeof *poisson.arrival);
    fixture_set (fixture, DEVICE ", Read.Spread=1, Device.QueueDepth=65536");
    fixture_set (fixture, channels);
    fixture_build (fixture);
    task_start (task_new (fixture->sim, "G", TASK_CLASS_APP, 0, poisson_body, &poisson), NULL);
    fixture_run (fixture, "M/M/c");
    mean = poisson.waited / ARRIVALS;
    ROW_CHECK (poisson.left == 0 && fabs (mean / expected - 1) < 0.05, "M/M/%u at %.1f: %.0f ns, expected %.0f",
               rows[i].channels, rows[i].utilisation, mean, expected);
    g_free (poisson.arrival);
    fixture_free (fixture);
  }
}

/* Tails: so many take so much longer. */
static void test_tail (void)
{
  Fixture *fixture = fixture_new ("linux-6.18", "ext4", COSTS_FREE);
  Loop loop = { 20000 };
  double expected = 20000 * 100.0 * UR_US * (1 + 0.1 * 4);

  fixture_set (fixture, DEVICE ", Read.TailPercent=10, Read.TailFactor=5");
  fixture_build (fixture);
  task_start (task_new (fixture->sim, "L", TASK_CLASS_APP, 0, loop_body, &loop), NULL);
  fixture_run (fixture, "tail");
  ROW_CHECK (fabs ((double) fixture->sim->finished / expected - 1) < 0.03, "%.0f ns, expected %.0f",
             (double) fixture->sim->finished, expected);
  fixture_free (fixture);
}

void register_block_device_tests (void)
{
  CU_pSuite suite = fixture_suite ("block device");

  fixture_test (suite, "channels", test_channels);
  fixture_test (suite, "tags", test_tags);
  fixture_test (suite, "merging", test_merging);
  fixture_test (suite, "plugs", test_plugs);
  fixture_test (suite, "full plugs", test_plug_full);
  fixture_test (suite, "bandwidth, seek, cache, flush", test_limits);
  fixture_test (suite, "constant service", test_constant_service);
  fixture_test (suite, "M/M/c", test_erlang_c);
  fixture_test (suite, "tails", test_tail);
}
