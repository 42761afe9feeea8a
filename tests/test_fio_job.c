/*
 * fio job files: numbers, sections, options, groups, files; what is refused and how it is said.
 */
#include "src/input/fio_ignored.h"
#include "src/input/fio_options.h"
#include "src/input/input_error.h"
#include "tests/row.h"
#include <glib/gstdio.h>
#include <string.h>

#define DATA(name) TEST_DATA_DIR "/" name

static Workload *read_text (const char *text, const FioJobOptions *options, GError **error)
{
  static const FioJobOptions usual = { .files_exist = -1, .cpus = 8 };
  ByteSource *source = byte_source_new_from_memory ("j.fio", text, strlen (text), error);
  Workload *workload = workload_new ();
  if (!source || !fio_job_read (source, options ? options : &usual, workload, error)) {
    g_clear_pointer (&workload, workload_free);
  }
  byte_source_unref (source);
  return workload;
}

static Workload *read_path (const char *path, GError **error)
{
  const FioJobOptions options = { .files_exist = -1, .cpus = 2 };
  ByteSource *source = byte_source_open (path, error);
  Workload *workload = workload_new ();
  if (!source || !fio_job_read (source, &options, workload, error)) {
    g_clear_pointer (&workload, workload_free);
  }
  byte_source_unref (source);
  return workload;
}

static WorkloadJob *job_of (const Workload *workload, unsigned i) { return g_ptr_array_index (workload->jobs, i); }

static WorkloadFile *file_of (const Workload *workload, unsigned i) { return g_ptr_array_index (workload->files, i); }

static gboolean says (const GPtrArray *lines, const char *part)
{
  for (unsigned i = 0; i < lines->len; i++) {
    if (strstr (g_ptr_array_index (lines, i), part)) {
      return TRUE;
    }
  }
  return FALSE;
}

/* ---- numbers ---- */

static void test_numbers (void)
{
  static const struct {
    const char *text;
    uint64_t base_1024, base_1000;
    gboolean unusual;
  } row[] = {
    { "0", 0, 0, FALSE },
    { "4096", 4096, 4096, FALSE },
    { "007", 7, 7, FALSE },
    { "512b", 512, 512, FALSE },
    { "4k", 4096, 4000, FALSE },
    { "4K", 4096, 4000, FALSE },
    { "4kb", 4096, 4000, FALSE },
    { "4KB", 4096, 4000, FALSE },
    { "4ki", 4096, 4000, TRUE },
    { "4Ki", 4096, 4000, TRUE },
    { "4kib", 4000, 4096, TRUE },
    { "4KiB", 4000, 4096, TRUE },
    { "1m", 1048576, 1000000, FALSE },
    { "1mi", 1048576, 1000000, TRUE },
    { "1MiB", 1000000, 1048576, TRUE },
    { "1g", 1073741824, 1000000000, FALSE },
    { "1t", 1099511627776, 1000000000000, FALSE },
    { "1p", 1125899906842624, 1000000000000000, FALSE },
    { "0x10", 16, 16, FALSE },
    { "0x10k", 16384, 16000, FALSE },
    { "18446744073709551615", UINT64_MAX, UINT64_MAX, FALSE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    for (unsigned base = 1000; base <= 1024; base += 24) {
      uint64_t value = 0;
      gboolean unusual = FALSE;
      g_autoptr (GError) error = NULL;
      const gboolean parsed = fio_number_parse (row[i].text, base, FALSE, &value, &unusual, &error);
      ROW_CHECK (parsed && value == (base == 1024 ? row[i].base_1024 : row[i].base_1000) && unusual == row[i].unusual,
                 "%s, kb_base %u: %" G_GUINT64_FORMAT " %s", row[i].text, base, value, row_error (error));
    }
  }
}

static void test_refused_numbers (void)
{
  static const struct {
    const char *text, *message;
    gint64 lenient; /* what fio makes of it, -1: refused too */
  } row[] = {
    { "", "no value", -1 },
    { "-1", "has a sign", -1 },
    { "+1", "has a sign", -1 },
    { "k", "is no number", -1 },
    { "x4", "is no number", -1 },
    { "1.5k", "has a fraction", 1 },
    { "4kk", "unknown suffix", 4096 },
    { "4q", "unknown suffix", 4 },
    { "4 k", "unknown suffix", 4 },
    { "4k # x", "unknown suffix", 4096 },
    { "50%", "unknown suffix", 50 },
    { "0x", "unknown suffix", 0 },
    { "18446744073709551616", "passes 2^64-1", -1 },
    { "18446744073709551615k", "passes 2^64-1", -1 },
    { "20000p", "passes 2^64-1", -1 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    uint64_t value = 0;
    gboolean unusual;
    g_autoptr (GError) error = NULL;
    ROW_CHECK (!fio_number_parse (row[i].text, 1024, FALSE, &value, &unusual, &error) &&
                   strstr (error->message, row[i].message),
               "\"%s\": %s", row[i].text, row_error (error));
    g_clear_error (&error);
    const gboolean parsed = fio_number_parse (row[i].text, 1024, TRUE, &value, &unusual, &error);
    ROW_CHECK (parsed == (row[i].lenient >= 0) && (!parsed || (value == (uint64_t) row[i].lenient && unusual)),
               "\"%s\", lenient: %" G_GUINT64_FORMAT, row[i].text, value);
  }
}

static void test_times (void)
{
  static const struct {
    const char *text;
    uint64_t unit, ns; /* UINT64_MAX: refused */
  } row[] = {
    { "90s", UR_S, 90 * UR_S },  { "90", UR_S, 90 * UR_S },          { "250", UR_US, 250 * UR_US },
    { "5ms", UR_US, 5 * UR_MS }, { "7us", UR_S, 7 * UR_US },         { "10m", UR_S, 600 * UR_S },
    { "2h", UR_S, 7200 * UR_S }, { "1d", UR_S, 86400 * UR_S },       { "3MIN", UR_S, 180 * UR_S },
    { "1.5", UR_S, UINT64_MAX }, { "5x", UR_S, UINT64_MAX },         { "", UR_S, UINT64_MAX },
    { "-1", UR_S, UINT64_MAX },  { "9223372037", UR_S, UINT64_MAX }, { "18446744073709551615d", UR_S, UINT64_MAX },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    uint64_t ns = 0;
    g_autoptr (GError) error = NULL;
    const gboolean parsed = fio_time_parse (row[i].text, row[i].unit, &ns, &error);
    ROW_CHECK (parsed == (row[i].ns != UINT64_MAX) && (!parsed || ns == row[i].ns) && parsed == !error,
               "\"%s\": %" G_GUINT64_FORMAT " %s", row[i].text, ns, row_error (error));
  }
}

/* ---- samples ---- */

static void test_durability (void)
{
  static const struct {
    const char *text;
    SyncMode sync;
    unsigned range, every;
    gboolean dontcache;
  } row[] = {
    { "", SYNC_NONE, 0, 0, FALSE },
    { "sync=none", SYNC_NONE, 0, 0, FALSE },
    { "sync=0", SYNC_NONE, 0, 0, FALSE },
    { "sync=1", SYNC_ALL, 0, 0, FALSE },
    { "sync=sync", SYNC_ALL, 0, 0, FALSE },
    { "sync=dsync", SYNC_DATA, 0, 0, FALSE },
    { "sync_file_range=write:8", SYNC_NONE, SYNC_RANGE_WRITE, 8, FALSE },
    { "sync_file_range=write", SYNC_NONE, SYNC_RANGE_WRITE, 1, FALSE },
    { "sync_file_range=wait_before,write,wait_after:3", SYNC_NONE, SYNC_RANGE_ALL, 3, FALSE },
    { "uncached=1\nioengine=io_uring", SYNC_NONE, 0, 0, TRUE },
    { "uncached=1\nioengine=pvsync2", SYNC_NONE, 0, 0, TRUE },
    { "uncached=1\nioengine=psync", SYNC_NONE, 0, 0, FALSE },
    { "uncached=0\nioengine=io_uring", SYNC_NONE, 0, 0, FALSE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup_printf ("[a]\nsize=1m\nrw=write\n%s\n", row[i].text);
    Workload *workload = read_text (text, NULL, &error);
    if (!ROW_CHECK (workload, "%s: %s", row[i].text, row_error (error))) {
      continue;
    }
    const WorkloadJob *job = job_of (workload, 0);
    ROW_CHECK (job->sync == row[i].sync && job->sync_range == row[i].range &&
                   job->pattern.sync_range_every == row[i].every && job->dontcache == row[i].dontcache,
               "%s", row[i].text);
    workload_free (workload);
  }
}

static void test_uring_mix (void)
{
  g_autoptr (GError) error = NULL;
  g_setenv ("DIR", "/data", TRUE);
  Workload *workload = read_path (DATA ("traces/uring_mix.fio"), &error);
  g_unsetenv ("DIR");
  if (!ROW_CHECK (workload && workload->jobs->len == 2, "%s", row_error (error))) {
    return;
  }
  const WorkloadJob *uring = job_of (workload, 0), *syncer = job_of (workload, 1);
  CU_ASSERT_STRING_EQUAL (uring->name, "uring");
  CU_ASSERT (uring->engine == APPLICATION_IO_URING && uring->iodepth == 8 && uring->batch_submit == 4);
  CU_ASSERT (uring->batch_complete_min == 2 && uring->files->len == 2 && uring->group == 0);
  const Pattern *p = &uring->pattern;
  CU_ASSERT (p->order == PATTERN_RANDOM && p->has_read && p->has_write && p->read_percent == 40 &&
             p->fsync_every == 16);
  CU_ASSERT (p->size == 1048576 && p->file_region == 524288 && p->same_seed && p->random_map);
  CU_ASSERT_FATAL (p->split[0] && p->split[0]->len == 3);
  const PatternSplit *split = &g_array_index (p->split[0], PatternSplit, 0);
  CU_ASSERT (split[0].bs == 16384 && split[0].percent == 10 && split[2].bs == 4096 && split[2].percent == 70);
  CU_ASSERT_STRING_EQUAL (file_of (workload, 0)->name, "/data/uring.0.0");
  CU_ASSERT (file_of (workload, 0)->size == 524288 && file_of (workload, 0)->cache == CACHE_COLD);
  CU_ASSERT (syncer->engine == APPLICATION_PSYNC && syncer->group == 1 && syncer->pattern.fdatasync_every == 2);
  CU_ASSERT (syncer->pattern.order == PATTERN_SEQUENTIAL && syncer->pattern.bs[1] == 16384 &&
             syncer->pattern.size == 262144);
  CU_ASSERT_STRING_EQUAL (file_of (workload, 2)->name, "/data/syncer.dat");
  CU_ASSERT (file_of (workload, 2)->size == 262144); /* written from front to back: fallocate gives it its size */
  CU_ASSERT (says (workload->ignored_options, "log_offset=1") &&
             !says (workload->ignored_options, "log_offset=1 (can"));
  workload_free (workload);
  workload = read_path (DATA ("traces/uring_mix.fio"), &error); /* DIR is not set: the directory is empty */
  CU_ASSERT (workload && !strcmp (file_of (workload, 0)->name, "uring.0.0"));
  workload_free (workload);
}

/* jobs_units.fio names two traces beside it. */
static void test_jobs_units (void)
{
  static const char trace[] = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n";
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL), *text = NULL;
  g_autofree char *path = g_build_filename (directory, "units.fio", NULL);
  g_autofree char *a = g_build_filename (directory, "a.iolog", NULL),
                  *b = g_build_filename (directory, "b:c.iolog", NULL);
  CU_ASSERT_FATAL (g_file_get_contents (DATA ("traces/jobs_units.fio"), &text, NULL, NULL));
  g_file_set_contents (path, text, -1, NULL);
  Workload *workload = read_path (path, &error);
  ROW_CHECK (!workload && strstr (row_error (error), ":43: read_iolog of job \"replay\""), "%s", row_error (error));
  g_clear_error (&error);
  g_file_set_contents (a, trace, -1, NULL);
  g_file_set_contents (b, trace, -1, NULL);
  workload = read_path (path, &error);
  if (ROW_CHECK (workload && workload->jobs->len == 7, "%s", row_error (error))) {
    const WorkloadJob *units = job_of (workload, 0), *paced = job_of (workload, 3), *uring = job_of (workload, 4);
    const Pattern *p = &units->pattern;
    CU_ASSERT (units->engine == APPLICATION_LIBAIO && p->bs[0] == 8192 && p->bs[1] == 16384 && p->bs[2] == 32768);
    CU_ASSERT (p->random_run == 4 && p->read_percent == 75 && p->size == 64 << 20 && p->io_size == 1 << 30);
    CU_ASSERT (units->time_based && units->runtime == 90 * UR_S && p->distribution == DISTRIBUTION_ZIPF &&
               p->theta == 1.1);
    CU_ASSERT (paced->clone == 2 && paced->group == 1 && paced->start_delay == 2 * UR_S);
    CU_ASSERT (paced->pattern.bs[1] == 1024 && paced->pattern.bs_max[1] == 65536);
    CU_ASSERT (paced->thinktime == 250 * UR_US && paced->thinktime_blocks == 8);
    CU_ASSERT (uring->sqpoll && uring->sqpoll_cpu == 1 && uring->fixed_files && uring->fixed_buffers && uring->direct);
    CU_ASSERT (cpu_mask_has (&uring->cpus, 0) && cpu_mask_has (&uring->cpus, 1) &&
               cpu_mask_next (&uring->cpus, 2) == 1024);
    CU_ASSERT (uring->iodepth == 64 && uring->batch_submit == 16 && uring->iodepth_low == 32 && uring->group == 2);
    CU_ASSERT (uring->pattern.split[0]->len == 2 && uring->pattern.bs[1] == 8192 && uring->pattern.loops == 2);
    for (unsigned i = 5; i < 7; i++) {
      const WorkloadJob *replay = job_of (workload, i);
      const IologStream *stream = replay->source_closure;
      CU_ASSERT (replay->open_source == iolog_stream_open && replay->source_ios == 1 &&
                 stream->replay.time_scale == 50);
    }
    CU_ASSERT (paced->rate_iops[0] == 100 && paced->rate_iops[1] == 200 && paced->rate_iops[2] == 200);
    CU_ASSERT (says (workload->ignored_options, "can change results"));
    CU_ASSERT (paced->ramp_time == 500 * UR_MS);
  }
  workload_free (workload);
  g_unlink (a);
  g_unlink (b);
  g_unlink (path);
  g_rmdir (directory);
}

/* ---- grammar ---- */

static void test_grammar (void)
{
  static const struct {
    const char *name, *text;
    unsigned jobs;
    uint64_t bs; /* of reads of the last job */
  } row[] = {
    { "no final newline", "[a]\nsize=1m\nbs=8k", 1, 8192 },
    { "CR LF", "[a]\r\nsize=1m\r\nbs=8k\r\n", 1, 8192 },
    { "blanks and comments", "; c\n# c\n\n  [a]  \n ; c\n size = 1m \n\tbs\t=\t8k\n", 1, 8192 },
    { "global comes first", "[global]\nbs=8k\nsize=1m\n[a]\n", 1, 8192 },
    { "the job's own wins", "[global]\nbs=8k\nsize=1m\n[a]\nbs=16k\n", 1, 16384 },
    { "global later does not reach back", "[a]\nsize=1m\n[global]\nbs=8k\n[global]\nsize=1m\n[b]\n", 2, 8192 },
    { "a name that starts with global", "[globalx]\nbs=8k\nsize=1m\n[a]\n", 1, 8192 },
    { "later keys win", "[a]\nsize=1m\nbs=4k\nbs=8k\n", 1, 8192 },
    { "kb_base works from anywhere", "[a]\nsize=1m\nbs=8k\nkb_base=1000\n", 1, 8000 },
    { "kb_base of global", "[global]\nkb_base=1000\n[a]\nsize=1m\nbs=8k\n", 1, 8000 },
    { "two jobs of one name", "[a]\nsize=1m\n[a]\nsize=1m\nbs=8k\n", 2, 8192 },
    { "a name with blanks and brackets", "[a [b] c]\nsize=1m\nbs=8k\n", 1, 8192 },
    { "clones", "[a]\nsize=1m\nnumjobs=3\nbs=8k\n", 3, 8192 },
    { "keywords", "[a]\nsize=1m\nbs=$pagesize*2\n", 1, 8192 },
    { "arithmetic with keywords", "[a]\nsize=1m\nbs=1024*$ncpus-4096/2+2048\n", 1, 8192 },
    { "environment", "[a]\nsize=1m\nbs=${URINGSIM_TEST_BS}${URINGSIM_TEST_NOT_SET}\n", 1, 8192 },
    { "switches without a value", "[a]\nsize=1m\nbs=8k\nthread\nstonewall\ngroup_reporting\nnorandommap\n", 1, 8192 },
    { "bs of each direction", "[a]\nsize=1m\nbs=8k,16k,\n", 1, 8192 },
    { "bs of writes only", "[a]\nsize=1m\nbs=,16k\n", 1, 4096 },
  };
  g_setenv ("URINGSIM_TEST_BS", "8k", TRUE);
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (row[i].text, NULL, &error);
    if (ROW_CHECK (workload && workload->jobs->len == row[i].jobs, "%s: %s", row[i].name, row_error (error))) {
      const uint64_t bs = job_of (workload, row[i].jobs - 1)->pattern.bs[0];
      ROW_CHECK (bs == row[i].bs, "%s: bs %" G_GUINT64_FORMAT, row[i].name, bs);
    }
    workload_free (workload);
  }
  g_unsetenv ("URINGSIM_TEST_BS");
}

static void test_refused (void)
{
  static const struct {
    const char *text, *message;
  } row[] = {
    { "bs=4k\n[a]\n", "j.fio:1: option \"bs\" before any section" },
    { "[a]\nsize=1m\nrw=write # fast\n", "j.fio:3: rw=write # fast; expected read, write" },
    { "[a]\nsize=1m\nRW=write\n", "j.fio:3: unknown option \"RW\"; did you mean \"rw\"?" },
    { "[a]\nsize=1m\niodeth=4\n", "j.fio:3: unknown option \"iodeth\"; did you mean \"iodepth\"?" },
    { "[a]\nsize=1m\nxyzzyplugh=4\n", "j.fio:3: unknown option \"xyzzyplugh\"; expected an option of fio" },
    { "[a]\nsize=1m\n\x1b[31m=4\n", "j.fio:3: unknown option \"\\x1b[31m\"" },
    { "[a]\nsize=1m\nioengine=mmap\n", "j.fio:3: ioengine=mmap; expected io_uring, libaio, posixaio, psync" },
    { "[a]\nsize=1m\nbs=0\n", "j.fio:3: bs=0; expected 1.." },
    { "[a]\nsize=1m\niodepth=0\n", "j.fio:3: iodepth=0; expected 1..32768" },
    { "[a]\nsize=1m\niodepth=1000000000\n", "j.fio:3: iodepth=1000000000; expected 1..32768" },
    { "[a]\nsize=1m\nnumjobs=0\n", "j.fio:3: numjobs=0; expected 1..4096" },
    { "[a]\nsize=1m\ndirect\n", "j.fio:3: direct without a value; expected 0 or 1" },
    { "[a]\nsize=1m\ndirect=2\n", "j.fio:3: direct=2; expected 0 or 1" },
    { "[a]\nsize=1m\nrwmixread=101\n", "j.fio:3: rwmixread=101; expected 0..100" },
    { "[a]\nsize=1m\nbssplit=4k/50:8k/60\n", "whose shares add up to 100" },
    { "[a]\nsize=1m\nbssplit=4k/50:8k/40\n", "whose shares add up to 100" },
    { "[a]\nsize=1m\nbsrange=4k\n", "j.fio:3: bsrange=4k; expected a range such as 4k-64k" },
    { "[a]\nsize=1m\nbs=1.5k\n", "j.fio:3: bs: \"1.5k\" has a fraction" },
    { "[a]\nsize=50%\n", "no file of this machine is looked at" },
    { "[a]\nsize=1m\nstart_delay=3\n", "j.fio:3: unknown option \"start_delay\"; did you mean \"startdelay\"?" },
    { "[a]\nrw=randread\n", "j.fio:1: job \"a\" has no size" },
    { "[a]\nsize=2k\n", "j.fio:1: job \"a\": 2048 bytes for each of 1 files; expected at least one block of 4096" },
    { "[a]\nsize=10k\nnrfiles=4\n", "2560 bytes for each of 4 files" },
    { "[a]\nfilesize=1m\noffset=1m\n", "offset 1048576 lies behind the file" },
    { "[a]\nsize=1m\ntime_based\n", "time_based without runtime" },
    { "[a]\nsize=1m\nwait_for=b\n", "wait_for=b; expected the name of a job above it" },
    { "[a]\nsize=1m\n[a]\nsize=1m\n[b]\nsize=1m\nwait_for=a\n", "wait_for=a; 2 jobs have that name" },
    { "[a]\nsize=1m\nnumjobs=4096\n[b]\nsize=1m\n", "j.fio:4: job \"b\": more than 4096 jobs" },
    { "[a]\nsize=1t\nnrfiles=262144\nnumjobs=2\n", "more than 262144 files" },
    { "[a]\nsize=1t\nnumjobs=4096\nnrfiles=200000\nfilename_format=x\n", "more than 262144 files" },
    { "[a]\nsize=1m\nrandom_distribution=zoned:50/10:60/90\n", "shares add up to 100" },
    { "[a]\nsize=1m\nrandom_distribution=zoned:50/10:50/80\n", "shares add up to 100" },
    { "[a]\nsize=1m\nrandom_distribution=zoned\n", "zones behind the colon" },
    { "[a]\nsize=1m\nrandom_distribution=zoned_abs:50/10k:50\n", "a size behind the '/' of every zone" },
    { "[a]\nsize=1m\nrate_process=fast\n", "expected linear or poisson" },
    { "[a]\nsize=1m\nthinktime_blocks_type=all\n", "expected complete or issue" },
    { "[a]\nsize=1m\nrandom_distribution=zipf:1\n", "other than 1" },
    { "[a]\nsize=1m\nzonemode=zbd\n", "zones are not modelled" },
    { "[a]\nsize=1m\npercentage_random=70,120\n", "j.fio:3: percentage_random=120; expected 0..100" },
    { "[a]\nsize=1m\nruntime=1.5\n", "j.fio:3: runtime: \"1.5\" has a fraction" },
    { "[a]\nsize=2e\n", "j.fio:2: size: \"2e\" has an unknown suffix" },
    { "[a]\nsize=2000p\n", "j.fio:2: size=2251799813685248000; expected 1.." },
    { "[a\nsize=1m\n", "j.fio:1: section \"[a\" does not end in \"]\"" },
    { "[]\nsize=1m\n", "j.fio:1: a section name of 0 bytes" },
    { "[a]\n=1m\n", "j.fio:2: a line that starts with \"=\"" },
    { "\xef\xbb\xbf[a]\nsize=1m\n", "j.fio:1: a UTF-8 byte order mark" },
    { "[global]\nsize=1m\n", "j.fio: no job in it" },
    { "; nothing\n", "j.fio: no job in it" },
    { "[a]\nsize=1m\nmem=$mb_memory\n", "no size of memory is known here" },
    { "[a]\nsize=1m\nread_iolog=/does/not/exist\n",
      "j.fio:1: read_iolog of job \"a\": /does/not/exist: cannot be opened" },
    { "[a]\nsize=1m\ninclude /does/not/exist\n", "j.fio:3: include /does/not/exist: " },
    { "include x\n", "j.fio:1: include before any section" },
    { "[a]\nsize=1m\nreplay_skip=flush\n", "a list of read, write, trim and sync" },
    { "[a]\nsize=1m\nsync=2\n", "j.fio:3: sync=2; expected none, sync or dsync" },
    { "[a]\nsize=1m\nsync_file_range=flush:8\n", "j.fio:3: sync_file_range=flush:8; expected wait_before" },
    { "[a]\nsize=1m\nsync_file_range=write:x\n", "j.fio:3: sync_file_range" },
    { "[a]\nsize=1m\nuncached=-1\n", "j.fio:3: uncached" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (row[i].text, NULL, &error);
    ROW_CHECK (!workload && g_error_matches (error, INPUT_ERROR, INPUT_ERROR_DATA) &&
                   strstr (error->message, row[i].message) && !strpbrk (error->message, "\n\x1b"),
               "\"%s\": %s", row[i].message, row_error (error));
    workload_free (workload);
  }
}

static void test_include (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (directory, "j.fio", NULL);
  g_autofree char *one = g_build_filename (directory, "one", NULL), *two = g_build_filename (directory, "two", NULL);
  g_file_set_contents (path, "[a]\nsize=1m\ninclude one\n", -1, NULL);
  g_file_set_contents (one, "bs=8k\ninclude two", -1, NULL);
  g_file_set_contents (two, "iodepth=4\nioengine=libaio\n", -1, NULL);
  Workload *workload = read_path (path, &error);
  ROW_CHECK (workload && job_of (workload, 0)->pattern.bs[0] == 8192 && job_of (workload, 0)->iodepth == 4, "%s",
             row_error (error));
  workload_free (workload);
  g_file_set_contents (two, "\nfrob=1\n", -1, NULL);
  workload = read_path (path, &error);
  ROW_CHECK (!workload && strstr (row_error (error), "two:2: unknown option \"frob\""), "%s", row_error (error));
  g_clear_error (&error);
  g_file_set_contents (two, "[b]\n", -1, NULL);
  workload = read_path (path, &error);
  ROW_CHECK (!workload && strstr (row_error (error), "two:1: a section in an included file"), "%s", row_error (error));
  g_clear_error (&error);
  g_file_set_contents (two, "include one\n", -1, NULL);
  workload = read_path (path, &error);
  ROW_CHECK (!workload && strstr (row_error (error), "files deep"), "%s", row_error (error));
  g_unlink (one);
  g_unlink (two);
  g_unlink (path);
  g_rmdir (directory);
}

/* An included file is looked for in the working directory, then beside the file that includes it. */
static void test_include_beside (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *directory = g_dir_make_tmp (NULL, NULL), *below = g_build_filename (directory, "below", NULL);
  g_autofree char *path = g_build_filename (directory, "j.fio", NULL);
  g_autofree char *one = g_build_filename (below, "one", NULL), *two = g_build_filename (below, "two", NULL);
  g_mkdir (below, 0700);
  g_file_set_contents (path, "[a]\nsize=1m\ninclude below/one\n", -1, NULL);
  g_file_set_contents (one, "include two\n", -1, NULL);
  g_file_set_contents (two, "bs=8k\n", -1, NULL);
  Workload *workload = read_path (path, &error);
  ROW_CHECK (workload && job_of (workload, 0)->pattern.bs[0] == 8192, "%s", row_error (error));
  workload_free (workload);
  g_unlink (one);
  g_unlink (two);
  g_unlink (path);
  g_rmdir (below);
  g_rmdir (directory);
}

/* ---- options ---- */

/* Shares are of the file, and need filesize; what they come to is a whole number of blocks. */
static void test_shares (void)
{
  static const struct {
    const char *rule, *text;
    unsigned clone;
    uint64_t offset, region, size;
    const char *message;
  } row[] = {
    { "size: of each file", "filesize=10m\nnrfiles=2\nsize=50%", 0, 0, 5 << 20, 10 << 20, NULL },
    { "size: whole blocks", "filesize=1m\nbs=64k\nsize=30%", 0, 0, 4 << 16, 4 << 16, NULL },
    { "offset: rounded up to blocks", "filesize=1m\nbs=64k\noffset=30%", 0, 5 << 16, 11 << 16, 11 << 16, NULL },
    { "offset: rounded up to offset_align", "filesize=1m\nbs=64k\noffset=30%\noffset_align=4k", 0, 315392,
      (1 << 20) - 315392, (1 << 20) - 315392, NULL },
    { "size and offset: no further than the end", "filesize=1m\nbs=4k\noffset=75%\nsize=50%", 0, 3 << 18, 1 << 18,
      1 << 18, NULL },
    { "offset_increment: of each clone", "filesize=1m\nbs=4k\noffset_increment=25%\nnumjobs=3", 2, 1 << 19, 1 << 19,
      1 << 19, NULL },
    { "bytes given later win", "filesize=1m\nsize=50%\nsize=64k", 0, 0, 1 << 20, 1 << 16, NULL },
    { "the whole file", "filesize=1m\nsize=100%\noffset=0%", 0, 0, 1 << 20, 1 << 20, NULL },
    { "no file size", "size=50%", 0, 0, 0, 0, "j.fio:1: job \"a\": size is a share of the file; expected filesize=" },
    { "no file size", "size=1m\noffset=50%", 0, 0, 0, 0, "offset is a share of the file" },
    { "more than all", "filesize=1m\nsize=101%", 0, 0, 0, 0, "j.fio:3: size=101; expected 1..100" },
    { "io_size, as fio 3.33", "size=1m\nio_size=200%", 0, 0, 0, 0, "j.fio:3: io_size=200; expected 1..100" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup_printf ("[a]\n%s\n", row[i].text);
    Workload *workload = read_text (text, NULL, &error);
    if (row[i].message) {
      ROW_CHECK (!workload && strstr (row_error (error), row[i].message), "%s: %s", row[i].rule, row_error (error));
    } else if (ROW_CHECK (workload, "%s: %s", row[i].rule, row_error (error))) {
      const Pattern *p = &job_of (workload, row[i].clone)->pattern;
      ROW_CHECK (p->offset == row[i].offset && p->file_region == row[i].region && p->size == row[i].size,
                 "%s: offset %" G_GUINT64_FORMAT ", region %" G_GUINT64_FORMAT ", size %" G_GUINT64_FORMAT, row[i].rule,
                 p->offset, p->file_region, p->size);
    }
    workload_free (workload);
  }
}

static void test_memory_keyword (void)
{
  static const char text[] = "[a]\nsize=2*$mb_memory\nbs=64\nrw=read\n";
  const FioJobOptions how = { .files_exist = -1, .memory = (uint64_t) 4096 << 20 };
  ByteSource *source = byte_source_new_from_memory ("j.fio", text, strlen (text), NULL);
  Workload *workload = workload_new ();
  g_autoptr (GError) error = NULL;
  ROW_CHECK (fio_job_read (source, &how, workload, &error) && job_of (workload, 0)->pattern.size == 8192, "%s",
             row_error (error));
  workload_free (workload);
  byte_source_unref (source);
}

static void test_depths (void)
{
  static const struct {
    const char *name, *options;
    unsigned iodepth, submit, min, max, low;
  } row[] = {
    { "defaults", "iodepth=8\n", 8, 1, 1, 1, 8 },
    { "batch 0 is the depth", "iodepth=8\niodepth_batch=0\n", 8, 8, 1, 1, 8 },
    { "batches above the depth", "iodepth=8\niodepth_batch=100\niodepth_batch_complete=100\niodepth_low=9\n", 8, 8, 8,
      8, 8 },
    { "complete max", "iodepth=8\niodepth_batch_complete_max=4\n", 8, 1, 1, 4, 8 },
    { "complete min above max", "iodepth=8\niodepth_batch_complete_min=6\niodepth_batch_complete_max=4\n", 8, 1, 6, 6,
      8 },
    { "polling", "iodepth=8\niodepth_batch_complete_min=0\n", 8, 1, 0, 8, 8 },
    { "low", "iodepth=8\niodepth_low=2\n", 8, 1, 1, 1, 2 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = g_strdup_printf ("[a]\nioengine=io_uring\nsize=1m\n%s", row[i].options);
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (text, NULL, &error);
    if (ROW_CHECK (workload, "%s: %s", row[i].name, row_error (error))) {
      const WorkloadJob *job = job_of (workload, 0);
      ROW_CHECK (job->iodepth == row[i].iodepth && job->batch_submit == row[i].submit &&
                     job->batch_complete_min == row[i].min && job->batch_complete_max == row[i].max &&
                     job->iodepth_low == row[i].low,
                 "%s: %u %u %u %u %u", row[i].name, job->iodepth, job->batch_submit, job->batch_complete_min,
                 job->batch_complete_max, job->iodepth_low);
    }
    workload_free (workload);
  }
}

static void test_files (void)
{
  static const struct {
    const char *name, *options;
    int files_exist;
    const char *files; /* NAME:SIZE:CACHE, with blanks between */
  } row[] = {
    { "a random job finds its file", "rw=randwrite\nsize=1m\n", -1, "a.0.0:1048576:cold" },
    { "invalidate=0", "rw=randwrite\nsize=1m\ninvalidate=0\n", -1, "a.0.0:1048576:clean" },
    { "pre_read", "rw=read\nsize=1m\npre_read=1\n", -1, "a.0.0:1048576:clean" },
    { "a sequential writer makes its file, with its size", "rw=write\nsize=1m\n", -1, "a.0.0:1048576:cold" },
    { "but not its pages", "rw=write\nsize=1m\ninvalidate=0\n", -1, "a.0.0:1048576:cold" },
    { "fallocate=none", "rw=write\nsize=1m\nfallocate=none\n", -1, "a.0.0:0:cold" },
    { "fallocate=keep", "rw=write\nsize=1m\nfallocate=keep\n", -1, "a.0.0:0:cold" },
    { "fallocate=posix", "rw=write\nsize=1m\nfallocate=posix\n", -1, "a.0.0:1048576:cold" },
    { "a random writer finds its file", "rw=randwrite\nsize=1m\ninvalidate=0\n", -1, "a.0.0:1048576:clean" },
    { "or makes it if it says fallocate", "rw=randwrite\nsize=1m\ninvalidate=0\nfallocate=native\n", -1,
      "a.0.0:1048576:cold" },
    { "but not if it reads too", "rw=randrw\nsize=1m\ninvalidate=0\nfallocate=native\n", -1, "a.0.0:1048576:clean" },
    { "unless it overwrites", "rw=write\nsize=1m\noverwrite=1\n", -1, "a.0.0:1048576:cold" },
    { "or is told that it exists", "rw=write\nsize=1m\n", 1, "a.0.0:1048576:cold" },
    { "nothing exists", "rw=randread\nsize=1m\n", 0, "a.0.0:0:cold" },
    { "several files", "rw=read\nsize=1m\nnrfiles=2\n", -1, "a.0.0:524288:cold a.0.1:524288:cold" },
    { "several clones", "rw=read\nsize=1m\nnumjobs=2\n", -1, "a.0.0:1048576:cold a.1.0:1048576:cold" },
    { "filename is shared", "rw=read\nsize=1m\nnumjobs=2\nfilename=x\n", -1, "x:1048576:cold" },
    { "a list of names", "rw=read\nsize=1m\nfilename=x:y\\:z\n", -1, "x:524288:cold y:z:524288:cold" },
    { "nrfiles of a list", "rw=read\nsize=1m\nfilename=x:y:z\nnrfiles=2\n", -1, "x:524288:cold y:524288:cold" },
    { "directories take turns", "rw=read\nsize=1m\nnumjobs=2\ndirectory=/d:/e\nfilename=x\n", -1,
      "/d/x:1048576:cold /e/x:1048576:cold" },
    { "a format", "rw=read\nsize=1m\nfilename_format=$jobname-$jobnum-$filenum.dat\n", -1, "a-0-0.dat:1048576:cold" },
    { "an offset makes it longer", "rw=read\nsize=1m\noffset=512k\n", -1, "a.0.0:1572864:cold" },
    { "filesize", "rw=read\nsize=1m\nfilesize=2m\noffset=512k\n", -1, "a.0.0:2097152:cold" },
    { "only filesize", "rw=read\nfilesize=64k\nnrfiles=2\n", -1, "a.0.0:65536:cold a.0.1:65536:cold" },
  };
  static const char *const caches[] = { "clean", "dirty", "cold" };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    const FioJobOptions options = { .files_exist = row[i].files_exist };
    g_autofree char *text = g_strdup_printf ("[a]\n%s", row[i].options);
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (text, &options, &error);
    if (ROW_CHECK (workload, "%s: %s", row[i].name, row_error (error))) {
      GString *files = g_string_new (NULL);
      for (unsigned k = 0; k < workload->files->len; k++) {
        const WorkloadFile *file = file_of (workload, k);
        g_string_append_printf (files, "%s%s:%" G_GUINT64_FORMAT ":%s", k ? " " : "", file->name, file->size,
                                caches[file->cache]);
      }
      ROW_CHECK (!strcmp (files->str, row[i].files), "%s: %s", row[i].name, files->str);
      g_string_free (files, TRUE);
    }
    workload_free (workload);
  }
}

static void test_groups (void)
{
  static const struct {
    const char *name, *text, *groups;
  } row[] = {
    { "together", "[a]\n[b]\n[c]\n", "0 0 0" },
    { "a barrier", "[a]\n[b]\nstonewall\n[c]\n", "0 1 1" },
    { "a barrier first", "[a]\nstonewall\n[b]\n", "0 0" },
    { "a barrier each", "[global]\nstonewall\n[a]\n[b]\n[c]\n", "0 1 2" },
    { "clones stay together", "[a]\n[b]\nstonewall\nnumjobs=2\n", "0 1 1" },
    { "wait_for", "[a]\n[b]\nwait_for=a\n[c]\n", "0 1 0" },
    { "a barrier behind wait_for", "[a]\n[b]\nwait_for=a\n[c]\nstonewall\n", "0 1 2" },
    { "wait_for twice", "[a]\n[b]\nwait_for=a\n[c]\nwait_for=b\n", "0 1 2" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = g_strconcat ("[global]\nsize=1m\n", row[i].text, NULL);
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (text, NULL, &error);
    if (ROW_CHECK (workload, "%s: %s", row[i].name, row_error (error))) {
      GString *groups = g_string_new (NULL);
      for (unsigned k = 0; k < workload->jobs->len; k++) {
        g_string_append_printf (groups, "%s%u", k ? " " : "", job_of (workload, k)->group);
      }
      ROW_CHECK (!strcmp (groups->str, row[i].groups), "%s: %s", row[i].name, groups->str);
      g_string_free (groups, TRUE);
    }
    workload_free (workload);
  }
}

static void test_engines (void)
{
  static const struct {
    const char *word;
    ApplicationEngine engine;
    gboolean noted;
  } row[] = {
    { "io_uring", APPLICATION_IO_URING, FALSE }, { "libaio", APPLICATION_LIBAIO, FALSE },
    { "psync", APPLICATION_PSYNC, FALSE },       { "sync", APPLICATION_PSYNC, TRUE },
    { "vsync", APPLICATION_PSYNC, TRUE },        { "pvsync", APPLICATION_PSYNC, TRUE },
    { "pvsync2", APPLICATION_PSYNC, TRUE },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (row); i++) {
    g_autofree char *text = g_strdup_printf ("[a]\nioengine=%s\nsize=1m\n", row[i].word);
    Workload *workload = read_text (text, NULL, NULL);
    ROW_CHECK (workload && job_of (workload, 0)->engine == row[i].engine &&
                   says (workload->notes, "is simulated as psync") == row[i].noted &&
                   job_of (workload, 0)->seeks == g_str_equal (row[i].word, "sync"),
               "%s", row[i].word);
    workload_free (workload);
  }
  Workload *workload = read_text ("[a]\nioengine=libaio\nsqthread_poll=1\nsize=1m\n", NULL, NULL);
  CU_ASSERT (workload && !job_of (workload, 0)->sqpoll && says (workload->notes, "options of io_uring"));
  workload_free (workload);
  workload = read_text ("[a]\nhipri_percentage=3\nioengine=psync\niodepth=8\nsize=1m\n", NULL, NULL);
  CU_ASSERT (workload && says (workload->notes, "iodepth=8 counts as 1"));
  workload_free (workload);
}

static void test_lenient (void)
{
  const FioJobOptions lenient = { .lenient = TRUE, .files_exist = -1 };
  Workload *workload = read_text ("[a]\nsize=1m # big\nbs=4kk\n", &lenient, NULL);
  CU_ASSERT (workload && job_of (workload, 0)->pattern.bs[0] == 4096 && job_of (workload, 0)->pattern.size == 1 << 20);
  CU_ASSERT (workload && says (workload->notes, "j.fio:3: bs=4kk is read as 4096"));
  workload_free (workload);
  workload = read_text ("[a]\nsize=1m\nbs=4KiB\n", NULL, NULL);
  CU_ASSERT (workload && job_of (workload, 0)->pattern.bs[0] == 4000 &&
             says (workload->notes, "bs=4KiB is read as 4000"));
  workload_free (workload);
}

/* Every option stands in one list only, and what is ignored is really accepted. */
static void test_option_tables (void)
{
  g_auto (GStrv) names = job_options_names ();
  g_auto (GStrv) ignored = fio_ignored_names ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *effect;
  for (char **name = names; *name; name++) {
    ROW_CHECK (g_hash_table_add (seen, *name), "%s twice", *name);
  }
  ROW_CHECK (g_hash_table_size (seen) > 250, "%u options", g_hash_table_size (seen));
  for (char **name = ignored; *name; name++) {
    g_autofree char *text = g_strdup_printf ("[a]\nsize=1m\n%s=1\n", *name);
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (text, NULL, &error);
    ROW_CHECK (workload && workload->ignored_options->len == 1 && fio_option_is_ignored (*name, &effect), "%s: %s",
               *name, row_error (error));
    workload_free (workload);
  }
  CU_ASSERT (!fio_option_is_ignored ("", &effect) && !fio_option_is_ignored (" rate", &effect));
  CU_ASSERT (!fio_option_is_ignored ("rat", &effect) && !fio_option_is_ignored ("iodepth", &effect));
}

/* Where the two clones of a job may run. */
static void test_cpus (void)
{
  static const struct {
    const char *options, *first, *second, *error;
  } rows[] = {
    { "", "", "", NULL },
    { "cpus_allowed=4", "4", "4", NULL },
    { "cpus_allowed=0-2, 5", "0 1 2 5", "0 1 2 5", NULL },
    { "cpumask=6", "1 2", "1 2", NULL },
    { "cpus_allowed=3,5\ncpus_allowed_policy=shared", "3 5", "3 5", NULL },
    { "cpus_allowed=3,5\ncpus_allowed_policy=split", "3", "5", NULL },
    { "cpus_allowed=3\ncpus_allowed_policy=split", "3", "3", NULL },
    { "cpus_allowed_policy=split", "", "", NULL },
    { "cpus_allowed=", NULL, NULL, "cpus_allowed" },
    { "cpus_allowed=5-3", NULL, NULL, "cpus_allowed" },
    { "cpus_allowed=1024", NULL, NULL, "cpus_allowed" },
    { "cpumask=0", NULL, NULL, "cpumask" },
    { "cpus_allowed_policy=none", NULL, NULL, "shared or split" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = g_strdup_printf ("[j]\nsize=1m\nrw=read\nnumjobs=2\n%s\n", rows[i].options);
    g_autoptr (GError) error = NULL;
    Workload *workload = read_text (text, NULL, &error);
    const char *const expected[] = { rows[i].first, rows[i].second };

    ROW_CHECK (!workload == !!rows[i].error && (!rows[i].error || strstr (row_error (error), rows[i].error)), "%s: %s",
               rows[i].options, row_error (error));
    for (unsigned k = 0; workload && k < 2; k++) {
      const CpuMask *cpus = &job_of (workload, k)->cpus;
      g_autoptr (GString) found = g_string_new (NULL);

      for (unsigned cpu = cpu_mask_next (cpus, 0); cpu < CPU_MASK_CPUS; cpu = cpu_mask_next (cpus, cpu + 1))
        g_string_append_printf (found, "%s%u", found->len ? " " : "", cpu);
      ROW_CHECK (strcmp (found->str, expected[k]) == 0, "%s: clone %u on \"%s\"", rows[i].options, k, found->str);
    }
    workload_free (workload);
  }
}

void register_fio_job_tests (void);
void register_fio_job_tests (void)
{
  static CU_TestInfo tests[] = {
    { "numbers", test_numbers },
    { "refused numbers", test_refused_numbers },
    { "times", test_times },
    { "sample: uring_mix.fio", test_uring_mix },
    { "sync, sync_file_range, uncached", test_durability },
    { "sample: jobs_units.fio", test_jobs_units },
    { "grammar", test_grammar },
    { "refused job files", test_refused },
    { "include", test_include },
    { "include beside", test_include_beside },
    { "shares of files", test_shares },
    { "$mb_memory", test_memory_keyword },
    { "depths and batches", test_depths },
    { "CPUs", test_cpus },
    { "files at the start", test_files },
    { "groups", test_groups },
    { "engines", test_engines },
    { "lenient", test_lenient },
    { "tables of options", test_option_tables },
    CU_TEST_INFO_NULL,
  };
  static CU_SuiteInfo suites[] = { { .pName = "fio_job", .pTests = tests }, CU_SUITE_INFO_NULL };
  CU_register_suites (suites);
}
