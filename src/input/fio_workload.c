/*
 * Jobs and files of a fio job section.  See fio_workload.h.
 */
#include "src/input/fio_workload.h"
#include "src/input/input_error.h"
#include "src/input/input_private.h"
#include <string.h>

/* What is known of a job name: for wait_for. */
typedef struct {
  unsigned group, sections;
} NamedJob;

/* What read_iolog names: one of the two. */
typedef struct {
  Iolog *iolog;
  Trace *trace;
} Replayed;

struct FioWorkload {
  Workload *workload;
  const FioJobOptions *options;
  char *path;
  unsigned group; /* of the next section without a barrier */
  unsigned highest_group;
  gboolean has_section;
  uint64_t file_uses; /* files of all jobs together */
  GHashTable *named;  /* from name to NamedJob */
  GHashTable *traces; /* from path to Replayed: clones share them */
};

/* One section on its way into the workload. */
typedef struct {
  FioWorkload *jobs;
  const char *name;
  const JobOptions *o;
  const OptionPlace *place;
  unsigned group, clone;
  Pattern pattern;       /* resolved, without split[] */
  GPtrArray *file_names; /* of char *, of the current clone */
} Section;

static void replayed_free (gpointer data)
{
  Replayed *replayed = data;
  iolog_unref (replayed->iolog);
  trace_unref (replayed->trace);
  g_free (replayed);
}

FioWorkload *fio_workload_new (Workload *workload, const FioJobOptions *options, const char *path)
{
  FioWorkload *jobs = g_new0 (FioWorkload, 1);
  jobs->workload = workload;
  jobs->options = options;
  jobs->path = g_strdup (path);
  jobs->named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  jobs->traces = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, replayed_free);
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (workload->jobs, i);
    jobs->group = MAX (jobs->group, job->group + 1);
  }
  jobs->highest_group = jobs->group;
  return jobs;
}

void fio_workload_free (FioWorkload *jobs)
{
  if (jobs) {
    g_hash_table_unref (jobs->named);
    g_hash_table_unref (jobs->traces);
    g_free (jobs->path);
    g_free (jobs);
  }
}

/* ---- groups ---- */

static gboolean choose_group (Section *s, GError **error)
{
  FioWorkload *jobs = s->jobs;
  if (s->o->stonewall && jobs->has_section) {
    jobs->group = jobs->highest_group + 1;
  }
  s->group = jobs->group;
  if (s->o->wait_for) {
    g_autofree char *quoted = input_quote (s->o->wait_for, strlen (s->o->wait_for), 255);
    const NamedJob *waited_for = g_hash_table_lookup (jobs->named, quoted);
    if (!waited_for) {
      return job_options_fail (s->place, error, "job \"%s\": wait_for=%s; expected the name of a job above it", s->name,
                               quoted);
    }
    if (waited_for->sections > 1) {
      return job_options_fail (s->place, error, "job \"%s\": wait_for=%s; %u jobs have that name", s->name, quoted,
                               waited_for->sections);
    }
    s->group = MAX (s->group, waited_for->group + 1);
    workload_note (jobs->workload,
                   "job \"%s\" waits for all jobs that start with \"%s\" (wait_for is taken as a barrier)", s->name,
                   quoted);
  }
  jobs->highest_group = MAX (jobs->highest_group, s->group);
  jobs->has_section = TRUE;
  NamedJob *named = g_hash_table_lookup (jobs->named, s->name);
  if (!named) {
    named = g_new0 (NamedJob, 1);
    g_hash_table_insert (jobs->named, g_strdup (s->name), named);
  }
  named->group = s->group;
  named->sections++;
  return TRUE;
}

/* ---- file names ---- */

/* A list with ':' between; "\:" is a plain colon. (element-type utf8) */
static GPtrArray *split_list (const char *text)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  GString *item = g_string_new (NULL);
  for (const char *p = text;; p++) {
    if (p[0] == '\\' && p[1] == ':') {
      g_string_append_c (item, *++p);
    } else if (*p == ':' || !*p) {
      if (item->len) {
        g_ptr_array_add (list, g_strdup (item->str));
      }
      g_string_truncate (item, 0);
      if (!*p) {
        break;
      }
    } else {
      g_string_append_c (item, *p);
    }
  }
  g_string_free (item, TRUE);
  return list;
}

static char *replace_word (char *text, const char *word, const char *by)
{
  g_auto (GStrv) parts = g_strsplit (text, word, -1);
  g_free (text);
  return g_strjoinv (by, parts);
}

static char *formatted_name (const Section *s, unsigned file)
{
  g_autofree char *clone = g_strdup_printf ("%u", s->clone), *number = g_strdup_printf ("%u", file);
  char *name = g_strdup (s->o->filename_format ? s->o->filename_format : "$jobname.$jobnum.$filenum");
  name = replace_word (name, "$jobname", s->name);
  name = replace_word (name, "$jobnum", clone);
  return replace_word (name, "$filenum", number);
}

static char *in_directory (const Section *s, const char *name)
{
  if (!s->o->directory || *name == '/') {
    return g_strdup (name);
  }
  g_autoptr (GPtrArray) directories = split_list (s->o->directory);
  const char *directory = directories->len ? g_ptr_array_index (directories, s->clone % directories->len) : "";
  const gboolean slash = !*directory || g_str_has_suffix (directory, "/");
  return g_strconcat (directory, slash ? "" : "/", name, NULL);
}

/* FALSE with error set if the files of all jobs together, with n more for this clone, pass what is sensible. */
static gboolean count_files (Section *s, uint64_t n, GError **error)
{
  FioWorkload *jobs = s->jobs;
  const uint64_t limit = FIO_JOB_FILES_LIMIT, uses_limit = 16 * limit;
  const uint64_t clones_left = s->o->numjobs - s->clone;
  if (jobs->workload->files->len + n > limit || jobs->file_uses + n * clones_left > uses_limit) {
    return job_options_fail (s->place, error, "job \"%s\": more than %u files in all jobs", s->name,
                             FIO_JOB_FILES_LIMIT);
  }
  jobs->file_uses += n;
  return TRUE;
}

/* The files of the current clone.  With filename= all clones share them. */
static gboolean name_files (Section *s, GError **error)
{
  g_autoptr (GPtrArray) list = s->o->filename ? split_list (s->o->filename) : NULL;
  unsigned n = MAX (1, s->o->nrfiles);
  if (list) {
    n = s->o->nrfiles ? MIN (s->o->nrfiles, list->len) : list->len;
  }
  if (n == 0) {
    return job_options_fail (s->place, error, "job \"%s\": filename names no file", s->name);
  }
  if (!count_files (s, n, error)) {
    return FALSE;
  }
  s->file_names = g_ptr_array_new_with_free_func (g_free);
  for (unsigned i = 0; i < n; i++) {
    g_autofree char *name = list ? g_strdup (g_ptr_array_index (list, i)) : formatted_name (s, i);
    g_ptr_array_add (s->file_names, in_directory (s, name));
  }
  return TRUE;
}

/* ---- sizes ---- */

static uint64_t percent_of (uint64_t bytes, unsigned percent)
{
  return (uint64_t) ((unsigned __int128) bytes * percent / 100);
}

static uint64_t smallest_block (const Pattern *p)
{
  uint64_t smallest = UINT64_MAX;
  for (unsigned i = 0; i < 3; i++) {
    const gboolean used = i == 0 ? p->has_read : i == 1 ? p->has_write : p->has_trim;
    smallest = used ? MIN (smallest, p->bs[i]) : smallest;
  }
  return smallest;
}

/* Where the clone's region starts: shares of the file are rounded up to offset_align or blocks. */
static gboolean resolve_offset (Section *s, GError **error)
{
  Pattern *p = &s->pattern;
  const JobOptions *o = s->o;
  const uint64_t step =
      o->offset_increment_percent ? percent_of (o->filesize, o->offset_increment_percent) : o->offset_increment;
  const uint64_t start = o->offset_percent ? percent_of (o->filesize, o->offset_percent) : p->offset;
  uint64_t shift;
  if (__builtin_mul_overflow (step, s->clone, &shift) || __builtin_add_overflow (start, shift, &p->offset) ||
      p->offset > FIO_JOB_SIZE_LIMIT) {
    return job_options_fail (s->place, error, "job \"%s\": offset and offset_increment pass 2^60", s->name);
  }
  if (o->offset_percent || o->offset_increment_percent) {
    const uint64_t align = o->offset_align ? o->offset_align : smallest_block (p);
    p->offset = (p->offset + align - 1) / align * align;
  }
  return TRUE;
}

/* Size, region and limits of the pattern for n files. */
static gboolean resolve_sizes (Section *s, unsigned n, GError **error)
{
  Pattern *p = &s->pattern;
  const JobOptions *o = s->o;
  if (!o->filesize && (o->size_percent || o->offset_percent || o->offset_increment_percent)) {
    return job_options_fail (s->place, error,
                             "job \"%s\": %s is a share of the file; expected filesize= beside it (no file of this "
                             "machine is looked at)",
                             s->name,
                             o->size_percent     ? "size"
                             : o->offset_percent ? "offset"
                                                 : "offset_increment");
  }
  if (!p->size && !o->filesize) {
    return job_options_fail (s->place, error,
                             "job \"%s\" has no size; expected size= or filesize= (no file of this machine is "
                             "looked at)",
                             s->name);
  }
  if (!resolve_offset (s, error)) {
    return FALSE;
  }
  if (o->filesize) {
    if (p->offset >= o->filesize) {
      return job_options_fail (s->place, error,
                               "job \"%s\": offset %" G_GUINT64_FORMAT " lies behind the file of %" G_GUINT64_FORMAT
                               " bytes",
                               s->name, p->offset, o->filesize);
    }
    p->file_region = o->filesize - p->offset;
    if (o->size_percent) { /* of all files together, and of each */
      p->file_region = MIN (p->file_region, percent_of (o->filesize, o->size_percent));
      p->file_region -= p->file_region % smallest_block (p);
    }
    if (!p->size && (__builtin_mul_overflow (p->file_region, n, &p->size) || p->size > FIO_JOB_SIZE_LIMIT)) {
      return job_options_fail (s->place, error, "job \"%s\": filesize times %u files passes 2^60", s->name, n);
    }
  } else {
    p->file_region = p->size / n;
  }
  uint64_t largest = 0;
  for (unsigned i = 0; i < 3; i++) {
    const gboolean used = i == 0 ? p->has_read : i == 1 ? p->has_write : p->has_trim;
    largest = used ? MAX (largest, p->bs[i]) : largest;
  }
  if (p->file_region < largest) {
    return job_options_fail (s->place, error,
                             "job \"%s\": %" G_GUINT64_FORMAT " bytes for each of %u files; expected at least "
                             "one block of %" G_GUINT64_FORMAT,
                             s->name, p->file_region, n, largest);
  }
  if (o->io_size_percent) {
    p->io_size = percent_of (p->size, (unsigned) o->io_size_percent);
  }
  return TRUE;
}

/* ---- what exists at the start ---- */

static void add_files (Section *s, WorkloadJob *job)
{
  const JobOptions *o = s->o;
  const Pattern *p = &job->pattern;
  Workload *workload = s->jobs->workload;
  const int forced = s->jobs->options->files_exist;
  /* A job that only writes, from front to back or with a word on fallocate, makes its file, with its size but without
   * pages; all others find them written.  (fio writes no file in advance for a job that only writes; one at random that
   * says nothing of it is taken to be run again on the same file.) */
  const gboolean creates = (p->order == PATTERN_SEQUENTIAL || (o->fallocate_given && o->size_reserved)) &&
                           p->has_write && !p->has_read && !p->has_trim && !o->overwrite;
  const gboolean exists = forced >= 0 ? forced > 0 : !creates;
  const gboolean has_size = exists || (creates && o->size_reserved);
  const gboolean resident = exists && (o->pre_read || !o->invalidate);
  const uint64_t full = o->filesize ? o->filesize : p->offset + p->file_region;
  for (unsigned i = 0; i < s->file_names->len; i++) {
    const unsigned before = workload->files->len;
    const uint32_t index = workload_add_file (workload, g_ptr_array_index (s->file_names, i), has_size ? full : 0);
    WorkloadFile *file = g_ptr_array_index (workload->files, index);
    if (workload->files->len > before) {
      file->cache = resident ? CACHE_CLEAN : CACHE_COLD;
      file->unwritten = !exists && has_size;
    } else if ((file->cache == CACHE_COLD) == resident) {
      workload_note (workload,
                     "files shared by jobs with different invalidate or pre_read: as the first job finds them");
    }
    g_array_append_val (job->files, index);
  }
}

/* ---- jobs ---- */

static unsigned capped (unsigned value, unsigned depth) { return value == 0 ? depth : MIN (value, depth); }

static void set_depths (Section *s, WorkloadJob *job)
{
  const JobOptions *o = s->o;
  job->iodepth = o->iodepth;
  if (o->engine == APPLICATION_PSYNC && o->iodepth > 1) {
    workload_note (s->jobs->workload, "job \"%s\": iodepth=%u counts as 1 with a synchronous engine", s->name,
                   o->iodepth);
  }
  job->batch_submit = capped (o->batch_submit, job->iodepth);
  job->iodepth_low = capped (o->iodepth_low, job->iodepth);
  job->batch_complete_min = MIN (o->complete_min, job->iodepth);
  job->batch_complete_max = MAX (job->batch_complete_min, MIN (o->complete_max, job->iodepth));
  if (o->complete_min == 0 && o->complete_max == 0) {
    job->batch_complete_max = job->iodepth; /* poll: take what is there */
  }
}

/* fio_cpus_split(): the job of this number gets one CPU of them, in turn. */
static CpuMask split_cpus (const CpuMask *cpus, unsigned number)
{
  CpuMask one = { 0 };
  unsigned n = 0, cpu;

  for (cpu = cpu_mask_next (cpus, 0); cpu < CPU_MASK_CPUS; cpu = cpu_mask_next (cpus, cpu + 1)) {
    n++;
  }
  if (n) {
    cpu = cpu_mask_next (cpus, 0);
    for (unsigned i = 0; i < number % n; i++) {
      cpu = cpu_mask_next (cpus, cpu + 1);
    }
    cpu_mask_add (&one, cpu);
  }
  return one;
}

static WorkloadJob *new_job (Section *s)
{
  const JobOptions *o = s->o;
  WorkloadJob *job = workload_add_job (s->jobs->workload);
  job->name = g_strdup (s->name);
  job->clone = s->clone;
  job->engine = o->engine;
  job->direct = o->direct;
  const gboolean ring = o->engine == APPLICATION_IO_URING;
  job->sqpoll = ring && o->sqpoll;
  job->force_async = ring ? o->force_async : 0;
  job->hipri = ring && o->hipri;
  job->fixed_buffers = ring && o->fixed_buffers;
  job->fixed_files = ring && o->fixed_files;
  job->sqpoll_cpu = job->sqpoll && o->sqpoll_cpu_set ? (int) o->sqpoll_cpu : -1;
  job->cpus = o->cpus_split ? split_cpus (&o->cpus, s->jobs->workload->jobs->len - 1) : o->cpus;
  job->start_delay = o->start_delay;
  job->runtime = o->runtime;
  job->ramp_time = o->ramp_time;
  job->serialize_overlap = o->serialize_overlap;
  job->time_based = o->time_based;
  job->thinktime = o->thinktime;
  job->thinktime_blocks = o->thinktime_blocks;
  job->thinktime_spin = o->thinktime_spin;
  job->thinktime_iotime = o->thinktime_iotime;
  job->thinktime_issue = o->thinktime_issue;
  memcpy (job->rate, o->rate, sizeof job->rate);
  memcpy (job->rate_iops, o->rate_iops, sizeof job->rate_iops);
  job->rate_poisson = o->rate_poisson;
  job->rate_ignore_thinktime = o->rate_ignore_thinktime;
  job->nowait = o->nowait && o->engine != APPLICATION_POSIXAIO;
  job->seeks = o->seeks;
  job->sync = o->sync;
  job->sync_range = o->sync_range;
  job->dontcache = o->uncached && o->has_rw_flags;
  job->end_fsync = o->end_fsync || o->fsync_on_close;
  job->group = s->group;
  if (o->uncached && !o->has_rw_flags) {
    workload_note (s->jobs->workload, "job \"%s\": uncached means nothing with ioengine=%s", s->name,
                   application_engine_name (o->engine));
  }
  if (!ring && (o->sqpoll || o->force_async || o->hipri || o->fixed_buffers || o->fixed_files)) {
    workload_note (s->jobs->workload, "job \"%s\": options of io_uring mean nothing with ioengine=%s", s->name,
                   application_engine_name (o->engine));
  }
  set_depths (s, job);
  return job;
}

static gboolean add_pattern_job (Section *s, GError **error)
{
  const JobOptions *o = s->o;
  s->pattern = o->pattern;
  if (!name_files (s, error) || !resolve_sizes (s, s->file_names->len, error)) {
    return FALSE;
  }
  WorkloadJob *job = new_job (s);
  job->pattern = s->pattern;
  if (s->pattern.has_trim) {
    job->trims_at = g_strdup_printf ("%s:%u", s->place->file, o->rw_line);
  }
  for (unsigned i = 0; i < 3; i++) {
    if (o->n_split[i]) {
      job->pattern.split[i] = g_array_new (FALSE, FALSE, sizeof (PatternSplit));
      g_array_append_vals (job->pattern.split[i], o->split[i], o->n_split[i]);
    }
    if (o->n_zone[i] && job->pattern.distribution >= DISTRIBUTION_ZONED) {
      job->pattern.zones[i] = g_array_new (FALSE, FALSE, sizeof (PatternZone));
      g_array_append_vals (job->pattern.zones[i], o->zone[i], o->n_zone[i]);
    }
  }
  add_files (s, job);
  return TRUE;
}

/* ---- replaying jobs ---- */

/* fio reads iologs and binary blktrace; here every trace can be replayed.  (transfer full) NULL with error set. */
static Replayed *read_trace (Section *s, const char *path, GError **error)
{
  const char *const paths[] = { path, NULL };
  const FioJobOptions *how = s->jobs->options;
  Iolog *iolog = NULL;
  Trace *trace = NULL;
  GError *cause = NULL;
  ByteSource *source = byte_source_open (path, error);
  const InputKind kind = source ? input_detect (source, &cause) : INPUT_UNKNOWN;
  if (cause) {
    g_propagate_error (error, cause);
  } else if (source && (kind == INPUT_IOLOG || kind == INPUT_UNKNOWN)) {
    iolog = iolog_open (source, &how->iolog, error);
  } else if (source) {
    InputOptions options;
    input_options_init (&options);
    options.lenient = how->iolog.lenient;
    options.iolog = how->iolog;
    if (input_kind_is_trace (kind, &options)) {
      trace = input_open_trace_of (source, kind, paths, &options, error);
    } else {
      input_refuse (source, kind, "an iolog or another trace", error);
    }
  }
  if (trace && trace->refusal) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: %s", trace->name, trace->refusal);
    g_clear_pointer (&trace, trace_unref);
  }
  byte_source_unref (source);
  if (!iolog && !trace) {
    return NULL;
  }
  Replayed *replayed = g_new (Replayed, 1);
  *replayed = (Replayed){ iolog, trace };
  return replayed;
}

static const Replayed *open_trace (Section *s, const char *name, GError **error)
{
  Replayed *replayed = g_hash_table_lookup (s->jobs->traces, name);
  if (replayed) {
    return replayed;
  }
  g_autofree char *directory = g_path_get_dirname (s->jobs->path);
  g_autofree char *beside = g_build_filename (directory, name, NULL);
  const gboolean here = !strcmp (name, "-") || g_path_is_absolute (name) || g_file_test (name, G_FILE_TEST_EXISTS);
  GError *cause = NULL;
  replayed = read_trace (s, here ? name : beside, &cause);
  if (!replayed) {
    g_set_error (error, INPUT_ERROR, cause->code, "%s:%u: read_iolog of job \"%s\": %s", s->place->file, s->place->line,
                 s->name, cause->message);
    g_error_free (cause);
    return NULL;
  }
  g_hash_table_insert (s->jobs->traces, g_strdup (name), replayed);
  return replayed;
}

static IologReplay replay_of (const JobOptions *o)
{
  IologReplay replay = { .no_stall = o->replay_no_stall,
                         .time_scale = o->replay_time_scale,
                         .align = o->replay_align,
                         .scale = o->replay_scale };
  memcpy (replay.skip, o->replay_skip, sizeof replay.skip);
  return replay;
}

/* A file of a trace as a file of the workload: one for all under replay_redirect. */
static uint32_t add_replayed_file (Section *s, const char *name, uint64_t end)
{
  const JobOptions *o = s->o;
  Workload *workload = s->jobs->workload;
  const unsigned before = workload->files->len;
  const uint32_t index =
      workload_add_file (workload, o->replay_redirect ? o->replay_redirect : name, end / MAX (1, o->replay_scale));
  if (workload->files->len > before) {
    WorkloadFile *file = g_ptr_array_index (workload->files, index);
    file->cache = o->pre_read || !o->invalidate ? CACHE_CLEAN : CACHE_COLD;
  }
  return index;
}

static void set_job_files (const Section *s, WorkloadJob *job, const uint32_t *files, uint64_t n)
{
  g_array_append_vals (job->files, files, s->o->replay_redirect ? 1 : (guint) n);
}

static void note_replay (Section *s, gboolean has_times, const GPtrArray *warnings)
{
  Workload *workload = s->jobs->workload;
  if (has_times) {
    workload->has_times = TRUE;
    workload->replay = s->o->replay_no_stall ? REPLAY_FAST : REPLAY_TIMED;
  }
  for (unsigned i = 0; i < warnings->len; i++) {
    workload_note (workload, "%s", (char *) g_ptr_array_index (warnings, i));
  }
}

static void add_iolog_jobs (Section *s, Iolog *iolog)
{
  Workload *workload = s->jobs->workload;
  const IologReplay replay = replay_of (s->o);
  const uint64_t n = iolog_info (iolog)->files;
  g_autofree uint32_t *files = g_new (uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    files[i] = add_replayed_file (s, iolog_file_name (iolog, i), iolog_file_end (iolog, i));
  }
  for (unsigned i = 0; i < iolog_streams (iolog); i++) {
    WorkloadJob *job = new_job (s);
    IologStream *stream = iolog_stream_new (iolog, i, files, &replay);
    workload_own (workload, stream, (GDestroyNotify) iolog_stream_free);
    job->open_source = iolog_stream_open;
    job->source_closure = stream;
    job->source_ios = stream->ios;
    job->trims_at = iolog_stream_trims_at (stream);
    set_job_files (s, job, files, n);
  }
  note_replay (s, iolog_info (iolog)->has_times, iolog_info (iolog)->warnings);
}

static gboolean add_trace_job (Section *s, Trace *trace, GError **error)
{
  const JobOptions *o = s->o;
  gboolean skips = FALSE;
  for (unsigned i = 0; i < IO_OPS; i++) {
    skips |= o->replay_skip[i];
  }
  if (o->replay_align > 1 || o->replay_scale > 1 || skips) {
    return job_options_fail (
        s->place, error,
        "job \"%s\": replay_align, replay_scale and replay_skip work on iologs only, found %s; expected "
        "a job without them",
        s->name, trace->info.format);
  }
  g_autofree uint32_t *files = g_new (uint32_t, trace->files.n);
  for (uint32_t i = 0; i < trace->files.n; i++) {
    files[i] = add_replayed_file (s, trace->files.name[i].text, trace->files.name[i].end);
  }
  TraceStream *stream = trace_stream_new (trace, files, o->replay_time_scale);
  workload_own (s->jobs->workload, stream, (GDestroyNotify) trace_stream_free);
  WorkloadJob *job = new_job (s);
  job->open_source = trace_stream_open;
  job->source_closure = stream;
  job->source_ios = trace->ios;
  job->trims_at = g_strdup (trace->trims_at);
  set_job_files (s, job, files, trace->files.n);
  note_replay (s, trace->info.has_times, trace->info.warnings);
  return TRUE;
}

static gboolean add_replay_job (Section *s, GError **error)
{
  g_autoptr (GPtrArray) list = split_list (s->o->read_iolog);
  if (list->len == 0) {
    return job_options_fail (s->place, error, "job \"%s\": read_iolog names no file", s->name);
  }
  const Replayed *replayed = open_trace (s, g_ptr_array_index (list, s->clone % list->len), error);
  if (!replayed ||
      !count_files (s, replayed->iolog ? iolog_info (replayed->iolog)->files : replayed->trace->files.n, error)) {
    return FALSE;
  }
  if (replayed->trace) {
    return add_trace_job (s, replayed->trace, error);
  }
  add_iolog_jobs (s, replayed->iolog);
  return TRUE;
}

gboolean fio_workload_add (FioWorkload *jobs, const char *name, const JobOptions *options, const OptionPlace *place,
                           GError **error)
{
  g_autofree char *quoted = input_quote (name, strlen (name), 255);
  Section section = { .jobs = jobs, .name = quoted, .o = options, .place = place };
  if (options->time_based && !options->runtime) {
    return job_options_fail (place, error, "job \"%s\": time_based without runtime; expected runtime=TIME", quoted);
  }
  if (jobs->workload->jobs->len + options->numjobs > FIO_JOB_CLONES_LIMIT) {
    return job_options_fail (place, error, "job \"%s\": more than %u jobs with all clones", quoted,
                             FIO_JOB_CLONES_LIMIT);
  }
  if (!choose_group (&section, error)) {
    return FALSE;
  }
  for (section.clone = 0; section.clone < options->numjobs; section.clone++) {
    const gboolean added = options->read_iolog ? add_replay_job (&section, error) : add_pattern_job (&section, error);
    g_clear_pointer (&section.file_names, g_ptr_array_unref);
    if (!added) {
      return FALSE;
    }
  }
  return TRUE;
}
