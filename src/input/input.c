/*
 * Inputs as a workload.  See input.h.
 */
#include "src/input/input_private.h"
#include "src/input/fio_workload.h"
#include <string.h>

enum { DEFAULT_DEPTH = 32 }; /* of a trace, which says nothing about its own */

void input_options_init (InputOptions *options)
{
  memset (options, 0, sizeof *options);
  options->engine = options->cache = options->files_exist = options->replay = -1;
}

IologOptions input_iolog_options (const InputOptions *options)
{
  IologOptions iolog = options->iolog;
  iolog.lenient = options->lenient;
  return iolog;
}

void input_refuse (const ByteSource *source, InputKind kind, const char *expected, GError **error)
{
  if (kind == INPUT_UNKNOWN) {
    char head[40];
    const gssize n = byte_source_peek (source, head, sizeof head, NULL);
    g_autofree char *quoted = input_quote (head, (gsize) MAX (n, 0), 32);
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: not recognised, it starts with \"%s\"; expected %s",
                 byte_source_name (source), quoted, expected);
  } else {
    const gboolean measured = kind == INPUT_THROUGHPUT || kind == INPUT_LOCK_SHARE || kind == INPUT_FIO_JSON ||
                              kind == INPUT_FIO_TERSE || kind == INPUT_FIO_TEXT || kind == INPUT_FIO_HIST_LOG;
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: looks like %s %s%s; expected %s", byte_source_name (source),
                 kind == INPUT_IOLOG ? "an" : "a", input_kind_name (kind),
                 measured                    ? ", which is for uringsim validate"
                 : kind == INPUT_IOLOG_V1    ? ", which is read with --iolog-v1"
                 : kind == INPUT_TRACEPOINTS ? ", which cannot be simulated yet"
                                             : "",
                 expected);
  }
}

/* ---- traces ---- */

static const char *cache_words (int cache)
{
  return cache == CACHE_DIRTY ? "resident and dirty" : cache == CACHE_COLD ? "not resident" : "resident and clean";
}

/* How the log was read and what is assumed, for the report. */
static void note_trace (Workload *workload, const Iolog *iolog, const InputOptions *options, const WorkloadJob *job)
{
  const IologInfo *info = iolog_info (iolog);
  const IologOptions *how = iolog_options (iolog);
  if (info->version >= 3) {
    workload_note (workload, "time stamps are read as %s, order %s", iolog_unit_name (how->unit),
                   iolog_order_name (how->order));
  }
  if (info->waits && info->version < 3) {
    static const char *const meaning[] = { "milliseconds since the start of fio", "microseconds after the wait before",
                                           "milliseconds after the wait before" };
    workload_note (workload, "wait: %" G_GUINT64_FORMAT " wait lines are read as %s (%s)", info->waits,
                   meaning[how->wait], iolog_wait_name (how->wait));
  }
  workload_note (workload,
                 "an iolog does not say: engine %s, %s, iodepth %u, one ring for each stream, files of the highest end "
                 "that is used, %s",
                 application_engine_name (job->engine), job->direct ? "direct" : "buffered", job->iodepth,
                 cache_words (options->cache));
  for (unsigned i = 0; i < info->warnings->len; i++) {
    workload_note (workload, "%s", (char *) g_ptr_array_index (info->warnings, i));
  }
}

static void note_other_trace (Workload *workload, const Trace *trace, const WorkloadJob *job)
{
  const GArray *interpretation = trace->info.interpretation;
  GString *how = g_string_new (NULL);
  for (unsigned i = 0; i < interpretation->len; i++) {
    const TraceFact *fact = &g_array_index (interpretation, TraceFact, i);
    g_string_append_printf (how, "%s%s ", i ? ", " : "", fact->key);
    if (fact->text) {
      g_string_append (how, fact->text);
    } else {
      g_string_append_printf (how, "%" G_GUINT64_FORMAT, fact->number);
    }
  }
  workload_note (workload, "%s is read with %s", trace->info.format, how->str);
  g_string_free (how, TRUE);
  workload_note (workload, "%s; engine %s, iodepth %u", trace->unsaid, application_engine_name (job->engine),
                 job->iodepth);
  for (unsigned i = 0; i < trace->info.warnings->len; i++) {
    workload_note (workload, "%s", (char *) g_ptr_array_index (trace->info.warnings, i));
  }
}

static void set_trace_job (const InputOptions *options, WorkloadJob *job)
{
  job->engine = options->engine >= 0 ? (ApplicationEngine) options->engine : APPLICATION_IO_URING;
  job->iodepth = options->iodepth ? options->iodepth : DEFAULT_DEPTH;
  job->iodepth_low = job->iodepth;
}

static void add_trace (Workload *workload, Iolog *iolog, const char *name, const InputOptions *options)
{
  const IologInfo *info = iolog_info (iolog);
  const IologReplay replay = { .time_scale = options->time_scale };
  g_autofree uint32_t *files = g_new (uint32_t, info->files);
  for (uint32_t i = 0; i < info->files; i++) {
    files[i] = workload_add_file (workload, iolog_file_name (iolog, i), iolog_file_end (iolog, i));
    WorkloadFile *file = g_ptr_array_index (workload->files, files[i]);
    file->cache = options->cache >= 0 ? (CacheState) options->cache : CACHE_CLEAN;
  }
  WorkloadJob *job = NULL;
  for (unsigned i = 0; i < iolog_streams (iolog); i++) {
    IologStream *stream = iolog_stream_new (iolog, i, files, &replay);
    workload_own (workload, stream, (GDestroyNotify) iolog_stream_free);
    job = workload_add_job (workload);
    job->name = g_strdup (name);
    job->clone = i;
    set_trace_job (options, job);
    job->open_source = iolog_stream_open;
    job->source_closure = stream;
    job->source_ios = stream->ios;
    job->trims_at = iolog_stream_trims_at (stream);
    g_array_append_vals (job->files, files, (guint) info->files);
  }
  workload->has_times |= info->has_times;
  note_trace (workload, iolog, options, job);
}

/* A trace that is no iolog: one stream. */
static gboolean read_other_trace (Workload *workload, ByteSource *source, InputKind kind, const char *const *paths,
                                  const InputOptions *options, GError **error)
{
  g_autoptr (Trace) trace = input_open_trace_of (source, kind, paths, options, error);
  if (!trace) {
    return FALSE;
  }
  if (trace->refusal) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: %s", trace->name, trace->refusal);
    return FALSE;
  }
  g_autofree uint32_t *files = g_new (uint32_t, trace->files.n);
  for (uint32_t i = 0; i < trace->files.n; i++) {
    files[i] = workload_add_file (workload, trace->files.name[i].text, trace->files.name[i].end);
    WorkloadFile *file = g_ptr_array_index (workload->files, files[i]);
    file->cache = options->cache >= 0 ? (CacheState) options->cache : CACHE_CLEAN;
  }
  TraceStream *stream = trace_stream_new (trace, files, options->time_scale);
  workload_own (workload, stream, (GDestroyNotify) trace_stream_free);
  WorkloadJob *job = workload_add_job (workload);
  job->name = g_strdup (trace->name);
  set_trace_job (options, job);
  job->direct = trace->direct;
  job->open_source = trace_stream_open;
  job->source_closure = stream;
  job->source_ios = trace->ios;
  job->trims_at = g_strdup (trace->trims_at);
  g_array_append_vals (job->files, files, trace->files.n);
  workload->has_times |= trace->info.has_times;
  if (!workload->format) {
    workload->format = g_strdup (trace->info.format);
  }
  note_other_trace (workload, trace, job);
  return TRUE;
}

static gboolean read_trace (Workload *workload, ByteSource *source, const InputOptions *options, GError **error)
{
  const IologOptions how = input_iolog_options (options);
  Iolog *iolog = iolog_open (source, &how, error);
  if (!iolog) {
    return FALSE;
  }
  if (!workload->format) {
    workload->format = g_strdup_printf ("iolog-v%u", iolog_info (iolog)->version);
  }
  add_trace (workload, iolog, byte_source_name (source), options);
  iolog_unref (iolog);
  return TRUE;
}

/* ---- job files ---- */

/* What the command line says, over what the job file says. */
static void override_jobs (Workload *workload, unsigned first_job, unsigned first_file, const InputOptions *options)
{
  for (unsigned i = first_job; i < workload->jobs->len; i++) {
    WorkloadJob *job = g_ptr_array_index (workload->jobs, i);
    if (options->engine >= 0) {
      job->engine = (ApplicationEngine) options->engine;
    }
    if (options->iodepth) {
      job->iodepth = job->iodepth_low = options->iodepth;
    }
    job->batch_submit = MIN (job->batch_submit, job->iodepth);
    job->batch_complete_min = MIN (job->batch_complete_min, job->iodepth);
    job->batch_complete_max = MIN (job->batch_complete_max, job->iodepth);
  }
  for (unsigned i = first_file; options->cache >= 0 && i < workload->files->len; i++) {
    WorkloadFile *file = g_ptr_array_index (workload->files, i);
    file->cache = (CacheState) options->cache;
  }
}

static gboolean read_job_file (Workload *workload, ByteSource *source, const InputOptions *options, GError **error)
{
  const FioJobOptions how = { .lenient = options->lenient,
                              .files_exist = options->files_exist,
                              .cpus = options->cpus,
                              .memory = options->memory,
                              .iolog = input_iolog_options (options) };
  const unsigned first_job = workload->jobs->len, first_file = workload->files->len;
  if (!fio_job_read (source, &how, workload, error)) {
    return FALSE;
  }
  override_jobs (workload, first_job, first_file, options);
  if (!workload->format) {
    workload->format = g_strdup ("fio job");
  }
  return TRUE;
}

/* ---- all together ---- */

/* `paths`: one input, or the files of a set. */
static gboolean read_input (Workload *workload, const char *const *paths, const InputOptions *options, GError **error)
{
  static const char expected[] = "a fio job file or an iolog, CSV, blktrace, blkparse, strace text or a log of fio";
  ByteSource *source = byte_source_open (paths[0], error);
  if (!source) {
    return FALSE;
  }
  GError *cause = NULL;
  const InputKind kind = input_detect (source, &cause);
  gboolean read = FALSE;
  if (cause) {
    g_propagate_error (error, cause);
  } else if (kind == INPUT_IOLOG || (kind == INPUT_UNKNOWN && options->iolog.version)) {
    read = read_trace (workload, source, options, error);
  } else if (input_kind_is_trace (kind, options)) {
    read = read_other_trace (workload, source, kind, paths, options, error);
  } else if (kind == INPUT_FIO_JOB) {
    read = read_job_file (workload, source, options, error);
  } else {
    input_refuse (source, kind, expected, error);
  }
  if (read) {
    g_autofree char *before = workload->source_name;
    workload->source_name =
        before ? g_strconcat (before, ", ", byte_source_name (source), NULL) : g_strdup (byte_source_name (source));
  }
  byte_source_unref (source);
  return read;
}

gboolean input_check_options (const InputOptions *options, GError **error)
{
  if (options->iodepth > FIO_JOB_DEPTH_LIMIT) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE,
                 "iodepth %u; expected 1..%u, the largest ring the kernel sets up", options->iodepth,
                 FIO_JOB_DEPTH_LIMIT);
    return FALSE;
  }
  if (options->iolog.version && options->iolog.version != 2 && options->iolog.version != 3) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE, "iolog version %u; expected 2 or 3", options->iolog.version);
    return FALSE;
  }
  return TRUE;
}

Workload *input_open (const char *const *paths, const InputOptions *options, GError **error)
{
  unsigned standard_inputs = 0;
  if (!input_check_options (options, error)) {
    return NULL;
  }
  Workload *workload = workload_new ();
  g_autoptr (GPtrArray) inputs = input_group_paths (paths);
  for (unsigned i = 0; i < inputs->len; i++) {
    const char *const *input = inputs->pdata[i];
    standard_inputs += !strcmp (*input, "-");
    if (standard_inputs > 1) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE, "\"-\" twice; standard input can be read once");
      workload_free (workload);
      return NULL;
    }
    if (!read_input (workload, input, options, error)) {
      workload_free (workload);
      return NULL;
    }
  }
  if (workload->jobs->len == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE, "no input; expected at least one file");
    workload_free (workload);
    return NULL;
  }
  if (options->replay >= 0) {
    workload->replay = (ReplayMode) options->replay;
  }
  return workload;
}
