/* See random_run.h.  One draw per statement throughout: the order of the draws is part of a run's number. */
#include "tests/random_run.h"

#include "model/data_path.h"
#include "model/file_system.h"
#include "model/policy.h"
#include "src/engine/random.h"

#include <glib/gstdio.h>
#include <string.h>

/* Requests over all streams of a run, about. */
#define IOS 300u
#define FILES_MAX 8u
/* Longest chain of links; no depth is smaller if there are any. */
#define CHAIN_MAX 4u

static unsigned below (UrRandom *random, unsigned n) { return (unsigned) ur_random_below (random, n); }
static gboolean one_in (UrRandom *random, unsigned n) { return below (random, n) == 0; }

/* 1 .. most, small ones more often. */
static unsigned about (UrRandom *random, unsigned most)
{
  unsigned limit = 1 + below (random, most);

  return 1 + below (random, limit);
}

#define PICK(random, array) ((array)[below (random, G_N_ELEMENTS (array))])

static void G_GNUC_PRINTF (2, 3) line (GString *text, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_string_append_c (text, '\n');
}

static void G_GNUC_PRINTF (3, 4) option (RandomRun *run, const char *name, const char *format, ...)
{
  va_list args;

  g_ptr_array_add (run->words, g_strdup (name));
  va_start (args, format);
  g_ptr_array_add (run->words, g_strdup_vprintf (format, args));
  va_end (args);
}

static GString *add_input (RandomRun *run, const char *name)
{
  RandomInput *input = g_new (RandomInput, 1);

  *input = (RandomInput){ name, g_string_new (NULL) };
  g_ptr_array_add (run->inputs, input);
  return input->text;
}

/* ---- the machine ---- */

/* A shipped policy; those with an io-wq sometimes on another kernel that has one. */
static void random_policy (UrRandom *random, RandomRun *run)
{
  static const struct {
    const char *name;
    unsigned kernel;
  } kernels[] = {
#define AT(major, minor) { #major "." #minor, KERNEL (major, minor) }
    AT (5, 5),  AT (5, 8),  AT (5, 10), AT (5, 11), AT (5, 12), AT (5, 15), AT (5, 17),
    AT (5, 19), AT (6, 0),  AT (6, 1),  AT (6, 2),  AT (6, 4),  AT (6, 5),  AT (6, 6),
    AT (6, 9),  AT (6, 12), AT (6, 14), AT (6, 15), AT (6, 16), AT (6, 18),
#undef AT
  };
  g_auto (GStrv) names = data_path_list ("policies", ".policy");
  Policy *policy = policy_load (names[run->number % g_strv_length (names)], NULL);
  unsigned kernel = below (random, G_N_ELEMENTS (kernels));
  gboolean other = one_in (random, 2);

  option (run, "--policy", "%s", policy->name);
  run->kernel = policy->kernel;
  if (other && policy->kernel >= KERNEL (5, 5)) {
    run->kernel = kernels[kernel].kernel;
    option (run, "--kernel", "%s", kernels[kernel].name);
  }
  policy_free (policy);
}

static void random_machine (UrRandom *random, RandomRun *run)
{
  static const char *const placements[] = { "spread", "pack" }, *const preemptions[] = { "voluntary", "full" };
  static const unsigned many[] = { 16, 64, 256 };
  static const unsigned sleeps[] = { 0, 3, 20, 100 };
  g_auto (GStrv) machines = data_path_list ("machines", ".machine");
  static const char *const file_systems[] = {
    "block", "btrfs", "ext4", "f2fs", "tmpfs", "xfs", "xfs-caller-comp", "xfs-shared-writes", "xfs-unlocked-reads"
  };
  const char *fs = PICK (random, file_systems);
  FileSystem *file_system = file_system_load (fs, NULL);
  g_autofree char *costs = g_strdup (file_system->cost_name);
  unsigned cpus = one_in (random, 10) ? PICK (random, many) : 1 + below (random, 8);

  /* Not before 5.7: known to hang there, an sq_thread of that time runs no task_work, and the model posts by it. */
  run->direct = !g_str_equal (fs, "tmpfs") && run->kernel >= KERNEL (5, 7) && one_in (random, 3);
  option (run, "--machine", "%s", machines[below (random, g_strv_length (machines))]);
  file_system_free (file_system);
  option (run, "--fs", "%s%s", fs, g_str_equal (fs, "ext4") && run->number % 4 == 3 ? "-nojournal" : "");
  option (run, "--cpus", "%u", cpus);
  run->noise = !one_in (random, 3);
  option (run, "--set", "noise=%s", run->noise ? "0.15" : "0");
  if (one_in (random, 2))
    option (run, "--set", "Scheduler.Placement=%s", PICK (random, placements));
  if (one_in (random, 2))
    option (run, "--set", "Scheduler.Preemption=%s", PICK (random, preemptions));
  if (one_in (random, 3))
    option (run, "--set", "FileSystem %s.SleepEvery=%u", costs, PICK (random, sleeps));
  if (one_in (random, 4))
    option (run, "--set", "CPU.Nodes=%u", 2 + below (random, 3));
}

/* ---- jobs ---- */

static void random_files (UrRandom *random, GString *text, unsigned files)
{
  unsigned first = below (random, FILES_MAX), step = 1 + below (random, 2);

  g_string_append (text, "filename=");
  for (unsigned i = 0; i < files; i++)
    g_string_append_printf (text, "%sf%u", i ? ":" : "", (first + i * step) % FILES_MAX);
  g_string_append_c (text, '\n');
}

static void random_access (UrRandom *random, GString *text, unsigned ios)
{
  static const char *const kinds[] = { "randwrite", "randwrite", "randwrite", "randrw", "randrw",
                                       "randread",  "write",     "rw",        "read" };
  static const char *const services[] = { "roundrobin", "sequential", "random" };
  static const unsigned sizes[] = { 4096, 4096, 16384, 65536, 1048576, 16777216, 67108864 };
  static const unsigned blocks[] = { 4096, 4096, 4096, 512, 8192, 16384, 65536, 131072 };
  unsigned files = one_in (random, 2) ? 1 : 1 + below (random, FILES_MAX / 2);
  unsigned size = PICK (random, sizes);
  unsigned bs = PICK (random, blocks);

  random_files (random, text, files);
  line (text, "rw=%s", PICK (random, kinds));
  line (text, "rwmixread=%u", below (random, 101));
  line (text, "bs=%u", MIN (bs, size));
  line (text, "size=%u", size * files);
  line (text, "file_service_type=%s", PICK (random, services));
  line (text, "number_ios=%u", ios);
  line (text, "randrepeat=%u", below (random, 2));
  if (one_in (random, 4))
    line (text, "loops=%u", 2 + below (random, 20));
  if (one_in (random, 6))
    line (text, "norandommap");
  if (one_in (random, 6))
    line (text, "random_distribution=zipf:1.1");
  if (one_in (random, 3))
    line (text, "invalidate=0\noverwrite=%u", below (random, 2));
  if (one_in (random, 6))
    line (text, "fallocate=none\nfile_append=%u", below (random, 2));
  if (one_in (random, 4))
    line (text, "fsync=%u", 1 + below (random, 20));
  if (one_in (random, 8))
    line (text, "fdatasync=%u", 1 + below (random, 20));
}

/* How many are in flight, and how they are handed over. */
static void random_depth (UrRandom *random, GString *text, unsigned least)
{
  unsigned iodepth = least + (one_in (random, 30) ? 1024 : about (random, 64)) - 1;

  line (text, "iodepth=%u", iodepth);
  if (one_in (random, 2))
    line (text, "iodepth_low=%u", 1 + below (random, iodepth));
  if (one_in (random, 2))
    line (text, "iodepth_batch=%u", 1 + below (random, iodepth));
  if (one_in (random, 2)) {
    unsigned min = below (random, iodepth + 1);

    line (text, "iodepth_batch_complete_min=%u", min);
    line (text, "iodepth_batch_complete_max=%u", MAX (min, 1) + below (random, iodepth));
  }
}

static void random_engine (UrRandom *random, const RandomRun *run, GString *text, unsigned least)
{
  static const char *const engines[] = {
    "io_uring", "io_uring", "io_uring", "io_uring", "libaio", "psync", "posixaio"
  };

  line (text, "ioengine=%s", PICK (random, engines));
  random_depth (random, text, least);
  if (one_in (random, 4))
    line (text, "sqthread_poll=1");
  if (one_in (random, 10)) /* longer than an sq_thread stays awake */
    line (text, "thinktime=1100ms\nthinktime_blocks=%u", 10 + below (random, 80));
  if (one_in (random, 6))
    line (text, "sqthread_poll_cpu=0");
  if (one_in (random, 6) && run->kernel >= KERNEL (5, 6))
    line (text, "force_async=1");
  if (run->direct && one_in (random, 3))
    line (text, "direct=1");
  if (one_in (random, 6))
    line (text, "fixedbufs=1\nregisterfiles=1");
}

static void random_times (UrRandom *random, GString *text)
{
  if (one_in (random, 6))
    line (text, "thinktime=%uus\nthinktime_blocks=%u", 1 + below (random, 100), 1 + below (random, 8));
  if (one_in (random, 5))
    line (text, "startdelay=%uus", below (random, 500));
  if (one_in (random, 8))
    line (text, "runtime=%uus", 1 + below (random, 2000));
  if (one_in (random, 16))
    line (text, "runtime=%uus\ntime_based", 1 + below (random, 2000));
}

/* What makes data durable.  From a stream of its own: it came later, and the runs keep their numbers. */
static void random_sync (UrRandom *random, RandomRun *run, GString *text)
{
  static const char *const ranges[] = { "write", "wait_before,write", "wait_before,write,wait_after" };
  static const char *const syncs[] = { "sync", "dsync" };

  if (one_in (random, 8))
    line (text, "sync_file_range=%s:%u", PICK (random, ranges), 1 + below (random, 20));
  /* on 5.12 to 5.14 a worker may be missed, the more the longer writes sleep */
  if (one_in (random, 6) && (run->kernel < KERNEL (5, 12) || run->kernel >= KERNEL (5, 15)))
    line (text, "sync=%s", PICK (random, syncs));
  if (one_in (random, 8)) {
    line (text, "uncached=1");
    run->may_fail = TRUE; /* most file systems do not know it */
  }
}

static void random_job_file (UrRandom *random, RandomRun *run, unsigned least)
{
  GString *text = add_input (run, "job.fio");
  unsigned jobs = about (random, 4);
  UrRandom more;

  ur_random_init_indexed (&more, 1, "random run, durable", run->number);

  for (unsigned i = 0; i < jobs; i++) {
    unsigned clones = one_in (random, 3) ? 1 + below (random, 4) : 1;

    line (text, "[job%u]", i);
    line (text, "numjobs=%u", clones);
    if (i && one_in (random, 3))
      line (text, "stonewall");
    random_engine (random, run, text, least);
    random_access (random, text, 1 + below (random, 2 * IOS / jobs / clones));
    random_times (random, text);
    random_sync (&more, run, text);
  }
}

/* ---- traces ---- */

static void random_iolog (UrRandom *random, RandomRun *run, const char *name, unsigned ios)
{
  static const unsigned blocks[] = { 4096, 4096, 512, 8192, 65536 };
  static const unsigned gaps[] = { 0, 1, 10, 100, 2000 };
  GString *text = add_input (run, name);
  unsigned files = 1 + below (random, FILES_MAX), gap = PICK (random, gaps), reads = below (random, 101);
  unsigned now = 0;

  line (text, "fio version 3 iolog");
  for (unsigned i = 0; i < files; i++)
    line (text, "0 f%u add\n0 f%u open", i, i);
  for (unsigned i = 0; i < ios; i++) {
    unsigned file = below (random, files), bs = PICK (random, blocks), at = below (random, 256);
    gboolean read = below (random, 100) < reads;

    now += one_in (random, 3) ? 0 : below (random, 2 * gap + 1);
    if (one_in (random, 40))
      line (text, "%u f%u %s 0 0", now, file, one_in (random, 2) ? "sync" : "datasync");
    else
      line (text, "%u f%u %s %u %u", now, file, read ? "read" : "write", at * bs, bs);
  }
  for (unsigned i = 0; i < files; i++)
    line (text, "%u f%u close", now, i);
}

static void random_replay (UrRandom *random, RandomRun *run, unsigned least)
{
  static const char *const names[] = { "0.iolog", "1.iolog", "2.iolog" };
  static const char *const replays[] = { "closed", "timed", "timed", "fast" };
  static const char *const engines[] = { "io_uring", "io_uring", "libaio", "psync" };
  static const unsigned scales[] = { 10, 50, 200, 1000 };
  unsigned traces = 1 + below (random, G_N_ELEMENTS (names));

  for (unsigned i = 0; i < traces; i++)
    random_iolog (random, run, names[i], 1 + below (random, 2 * IOS / traces));
  option (run, "--replay", "%s", PICK (random, replays));
  option (run, "--engine", "%s", PICK (random, engines));
  option (run, "--iodepth", "%u", least + about (random, 64) - 1);
  if (one_in (random, 3))
    option (run, "--time-scale", "%u", PICK (random, scales));
  if (least == 1 && one_in (random, 4)) /* with rings of its own they say it */
    g_ptr_array_add (run->words, g_strdup ("--sqpoll"));
}

/* ---- rings and sqes ---- */

static void G_GNUC_PRINTF (2, 3) word (GString *words, const char *format, ...)
{
  va_list args;

  if (words->len)
    g_string_append_c (words, ',');
  va_start (args, format);
  g_string_append_vprintf (words, format, args);
  va_end (args);
}

static void random_ring_flags (UrRandom *random, const RandomRun *run, GString *words)
{
  gboolean sqpoll = one_in (random, 3), defer = one_in (random, 3), coop = one_in (random, 3);

  if (sqpoll) {
    word (words, "sqpoll,sq-idle=%uus", 1 + below (random, 20000));
    if (one_in (random, 3))
      word (words, "sq-cpu=0");
    if (one_in (random, 3) && run->kernel >= KERNEL (5, 10))
      word (words, "sq-wait");
  } else if (defer && run->kernel >= KERNEL (6, 1)) {
    word (words, "single-issuer,defer-taskrun");
  } else if (coop && run->kernel >= KERNEL (5, 19)) {
    word (words, "coop-taskrun");
    if (one_in (random, 2))
      word (words, "taskrun-flag");
  }
  if (one_in (random, 4) && run->kernel >= KERNEL (5, 6))
    word (words, "attach-wq");
  if (one_in (random, 3) && run->kernel >= KERNEL (5, 18))
    word (words, "submit-all");
  if (one_in (random, 4) && run->kernel >= KERNEL (5, 15))
    word (words, "max-workers=%u", 1 + below (random, 4));
  if (one_in (random, 6) && run->kernel >= KERNEL (5, 14))
    word (words, "iowq-cpus=0");
}

/* Rings of their own for half of the runs: flags, sizes, and what the sqes are marked with. */
static void random_ring (UrRandom *random, RandomRun *run)
{
  g_autoptr (GString) words = g_string_new ("default");
  unsigned sq = CHAIN_MAX << below (random, 5);

  random_ring_flags (random, run, words);
  if (one_in (random, 2)) {
    word (words, "sq-entries=%u", sq);
    run->may_overflow = TRUE; /* a CQ of twice that, whatever the depth */
    if (one_in (random, 2) && run->kernel >= KERNEL (5, 5))
      word (words, "cq-entries=%u", sq << below (random, 4));
  }
  option (run, "--ring", "%s", words->str);
}

static void random_sqe (UrRandom *random, RandomRun *run, gboolean timed)
{
  g_autoptr (GString) words = g_string_new (NULL);

  if (!timed && run->kernel >= KERNEL (5, 3) && one_in (random, 2)) {
    gboolean hard = run->kernel >= KERNEL (5, 5) && one_in (random, 3);

    word (words, "%s=%u", hard ? "hardlink" : "link", 2 + below (random, CHAIN_MAX - 1));
    run->skips = run->kernel >= KERNEL (5, 17) && one_in (random, 3);
    if (run->skips)
      word (words, "cqe-skip");
    run->links = run->may_fail = TRUE;
  }
  if (!run->skips && one_in (random, 3)) /* the kernel refuses both */
    word (words, "drain=%u", 1 + below (random, 40));
  if (run->kernel >= KERNEL (5, 6) && one_in (random, 5))
    word (words, "async");
  /* No malformed ones in chains before 5.5: known to leave requests behind. */
  if (one_in (random, 5) && !(run->links && run->kernel < KERNEL (5, 5))) {
    word (words, "bad=%u", 2 + below (random, 60));
    run->may_fail = TRUE;
  }
  if (words->len)
    option (run, "--sqe", "%s", words->str);
}

/* ---- runs ---- */

static void random_input_free (gpointer data)
{
  RandomInput *input = data;

  g_string_free (input->text, TRUE);
  g_free (input);
}

RandomRun *random_run_new (unsigned number)
{
  static const char *const caches[] = { "clean", "clean", "dirty", "cold" };
  static const char *const devices[] = { "ram-disk", "sata-ssd", "virtio-disk" };
  RandomRun *run = g_new0 (RandomRun, 1);
  UrRandom random;
  gboolean own;

  ur_random_init_indexed (&random, 1, "random run", number);
  run->number = number;
  run->words = g_ptr_array_new_with_free_func (g_free);
  run->inputs = g_ptr_array_new_with_free_func (random_input_free);
  random_policy (&random, run);
  random_machine (&random, run);
  option (run, "--cache", "%s", PICK (&random, caches));
  run->slow = one_in (&random, 4);
  if (run->slow)
    option (run, "--device", "%s", PICK (&random, devices));
  option (run, "--seed", "%u", number + 1);
  if (one_in (&random, 12))
    option (run, "--limit-ios", "%u", 1 + below (&random, IOS));
  if (one_in (&random, 12))
    option (run, "--simulate-time", "%uus", 1 + below (&random, 3000));
  own = one_in (&random, 2);
  if (own)
    random_ring (&random, run);
  if (one_in (&random, 5)) {
    random_replay (&random, run, own ? CHAIN_MAX : 1);
    if (own)
      random_sqe (&random, run, TRUE);
  } else {
    random_job_file (&random, run, own ? CHAIN_MAX : 1);
    if (own)
      random_sqe (&random, run, FALSE);
  }
  return run;
}

void random_run_free (RandomRun *run)
{
  if (!run)
    return;
  g_ptr_array_unref (run->words);
  g_ptr_array_unref (run->inputs);
  g_free (run);
}

gboolean random_run_write (const RandomRun *run, const char *directory, GError **error)
{
  for (unsigned i = 0; i < run->inputs->len; i++) {
    const RandomInput *input = run->inputs->pdata[i];
    g_autofree char *path = g_build_filename (directory, input->name, NULL);

    if (!g_file_set_contents (path, input->text->str, (gssize) input->text->len, error))
      return FALSE;
  }
  return TRUE;
}

void random_run_remove (const RandomRun *run, const char *directory)
{
  for (unsigned i = 0; i < run->inputs->len; i++) {
    g_autofree char *path = g_build_filename (directory, ((const RandomInput *) run->inputs->pdata[i])->name, NULL);

    g_unlink (path);
  }
}

char *random_run_repeat (const RandomRun *run)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "run %u, to repeat it:\n", run->number);
  for (unsigned i = 0; i < run->inputs->len; i++) {
    const RandomInput *input = run->inputs->pdata[i];

    g_string_append_printf (text, "cat > %s <<'END'\n%sEND\n", input->name, input->text->str);
  }
  g_string_append (text, "uringsim run");
  for (unsigned i = 0; i < run->words->len; i++) {
    g_autofree char *quoted = g_shell_quote (run->words->pdata[i]);

    g_string_append_printf (text, " %s",
                            strpbrk (run->words->pdata[i], " *?'\"") ? quoted : (char *) run->words->pdata[i]);
  }
  for (unsigned i = 0; i < run->inputs->len; i++)
    g_string_append_printf (text, " %s", ((const RandomInput *) run->inputs->pdata[i])->name);
  return g_string_free (text, FALSE);
}
