/*
 * What a report rests on, in words: how the workload was taken, what the runs say, what the model leaves out.
 */
#include "src/command/scenario.h"
#include "src/output/format.h"

/* Said in every report, so that nobody reads more into a number than is in it. */
static const char *const not_modelled[] = {
  "Not modelled: discards, control groups, distances between NUMA nodes. Buffered and direct reads and writes, fsync and "
  "shared commits, writeback and throttling are, down to the device.",
};

static void note (GPtrArray *notes, const char *format, ...) G_GNUC_PRINTF (2, 3);
static void note (GPtrArray *notes, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (notes, g_strdup_vprintf (format, args));
  va_end (args);
}

static const char *none_some_all (unsigned n, unsigned of, const char *none, const char *some, const char *all)
{
  return n == 0 ? none : n == of ? all : some;
}

/* Whether some run gives the stream a ring. */
static gboolean has_ring (const WorkloadJob *job, const Options *options)
{
  for (unsigned i = 0; i < options->engines->len; i++) {
    if (g_array_index (options->engines, ApplicationEngine, i) == APPLICATION_IO_URING) {
      return TRUE;
    }
  }
  return !options->engines->len && job->engine == APPLICATION_IO_URING;
}

static gboolean any_ring (const Workload *workload, const Options *options)
{
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    if (has_ring (workload->jobs->pdata[i], options)) {
      return TRUE;
    }
  }
  return FALSE;
}

/* Whether its requests are submitted by an sq_thread then. */
static gboolean has_sq_thread (const WorkloadJob *job, const Options *options)
{
  if (!has_ring (job, options)) {
    return FALSE;
  }
  return options->sqpoll >= 0 ? options->sqpoll != 0 : job->ring.given ? job->ring.flags.sqpoll : job->sqpoll;
}

static void note_streams (GPtrArray *notes, const Workload *workload, const Options *options)
{
  unsigned low = G_MAXUINT, high = 0, rings = 0, sqpoll = 0, direct = 0;
  gboolean rounded = FALSE;

  for (unsigned i = 0; i < workload->jobs->len; i++) {
    const WorkloadJob *job = workload->jobs->pdata[i];
    const unsigned depth = options->iodepth ? options->iodepth : job->iodepth;
    low = MIN (low, depth);
    high = MAX (high, depth);
    rings += has_ring (job, options);
    sqpoll += has_sq_thread (job, options);
    direct += job->direct;
    rounded = rounded || (!job->ring.given && (depth & (depth - 1)));
  }
  g_autofree char *depths = low == high ? g_strdup_printf ("%u", low) : g_strdup_printf ("%u to %u", low, high);
  note (notes, "%u stream%s%s; iodepth %s; %s; submission by %s.", workload->jobs->len,
        workload->jobs->len == 1 ? "" : "s",
        none_some_all (rings, workload->jobs->len, "", ", those of io_uring each with its own ring",
                       ", each with its own ring"),
        depths, none_some_all (direct, workload->jobs->len, "buffered", "buffered and direct", "direct"),
        none_some_all (sqpoll, workload->jobs->len, "system call", "system call and sq_thread", "sq_thread"));
  if (rounded && any_ring (workload, options)) {
    note (notes, "As in fio, the io_uring engine has slots for the next power of two above an iodepth that is none.");
  }
}

static void note_fio (GPtrArray *notes, const Options *options)
{
  if (options->fio_version >= KERNEL (3u, 34u) && options->fio_version <= KERNEL (3u, 35u)) {
    note (notes, "Issue times as fio %u.%u takes them: with sqthread_poll slat and clat are not those of the requests.",
          KERNEL_MAJOR (options->fio_version), KERNEL_MINOR (options->fio_version));
  }
}

/* --ring and --sqe. */
static void note_rings (GPtrArray *notes, const Options *options, gboolean any)
{
  char *ring = ring_choice_ring_text (&options->ring), *sqe = ring_choice_sqe_text (&options->ring);

  if (!any && (ring || sqe)) {
    note (notes, "--ring and --sqe change nothing: no run has a ring.");
    g_clear_pointer (&ring, g_free);
    g_clear_pointer (&sqe, g_free);
  }
  if (ring) {
    g_ptr_array_add (notes, ring);
  }
  if (sqe) {
    g_ptr_array_add (notes, sqe);
  }
}

static void note_files (GPtrArray *notes, const Workload *workload, const Options *options)
{
  static const char *const states[] = {
    [CACHE_CLEAN] = "resident and clean", [CACHE_DIRTY] = "resident and dirty", [CACHE_COLD] = "not in the page cache"
  };
  unsigned count[G_N_ELEMENTS (states)] = { 0 }, absent = 0;
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < workload->files->len; i++) {
    const WorkloadFile *file = workload->files->pdata[i];
    count[options->cache >= 0 ? (CacheState) options->cache : file->cache] += file->size > 0;
    absent += file->size == 0;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (states); i++) {
    if (count[i]) {
      g_string_append_printf (text, "%s%u %s", text->len ? ", " : "", count[i], states[i]);
    }
  }
  if (absent) {
    g_string_append_printf (text, "%s%u made by the job", text->len ? ", " : "", absent);
  }
  note (notes, "%u file%s at the start: %s.", workload->files->len, workload->files->len == 1 ? "" : "s", text->str);
  g_string_free (text, TRUE);
}

static void note_kernels (GPtrArray *notes, const ReportRun *runs, unsigned n_runs)
{
  for (unsigned i = 1; i < n_runs; i++) {
    if (runs[i].result->kernel != runs[0].result->kernel && !runs[i].baseline) {
      note (notes, "Whole kernels compared: the rows differ in Kernel=, so in file-system flags, locks, task_work and "
                   "ring flags too, not only in their punting rules. --kernel MAJOR.MINOR puts all on one.");
      return;
    }
  }
}

/* What --kernel asks of a policy, or a policy of its Kernel=, that no kernel ever was. */
static void note_versions (GPtrArray *notes, const GPtrArray *policies, unsigned kernel_option)
{
  for (unsigned i = 0; i < policies->len; i++) {
    const Policy *policy = policies->pdata[i];
    const unsigned kernel = kernel_option ? kernel_option : policy->kernel;
    g_autofree char *version = format_kernel (kernel);
    gboolean strange = FALSE;

    for (unsigned q = 0; q < policy->n_queues; q++) {
      strange = strange || (policy->queues[q].kind == QUEUE_WORKQUEUE) != (kernel < KERNEL (5, 5));
    }
    if (kernel > KERNEL (6, 18)) {
      note (
          notes,
          "%s: kernel %s is newer than 6.18, the newest that is modelled; of later changes only the exit of idle io-wq "
          "workers (6.19) is.",
          policy->name, version);
    }
    if (strange) {
      note (notes, "%s: kernel %s has no queue of this kind (workqueues up to 5.4, io-wq from 5.5): a what-if.",
            policy->name, version);
    }
  }
}

static gboolean has_note (const GPtrArray *notes, const char *text)
{
  return g_ptr_array_find_with_equal_func ((GPtrArray *) notes, text, g_str_equal, NULL);
}

GPtrArray *scenario_notes (const Scenario *scenario, const Options *options, const ReportRun *runs, unsigned n_runs)
{
  const Workload *workload = scenario->workload;
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);

  note_kernels (notes, runs, n_runs);
  note_versions (notes, scenario->policies, options->kernel);
  note_streams (notes, workload, options);
  note_rings (notes, options, any_ring (workload, options));
  note_fio (notes, options);
  note_files (notes, workload, options);
  for (unsigned i = 0; i < n_runs; i++) {
    if (runs[i].baseline) {
      g_autofree char *kernel = format_kernel (runs[i].result->kernel);
      note (notes, "The psync baseline runs on kernel %s; --no-baseline leaves it out.", kernel);
    }
    for (unsigned k = 0; runs[i].result->notes && k < runs[i].result->notes->len; k++) {
      if (!has_note (notes, runs[i].result->notes->pdata[k])) {
        g_ptr_array_add (notes, g_strdup (runs[i].result->notes->pdata[k]));
      }
    }
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (not_modelled); i++) {
    note (notes, "%s", not_modelled[i]);
  }
  return notes;
}
