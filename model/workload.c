/*
 * Workloads: construction, names, and the stream of each job.  See workload.h.
 */
#include "model/workload.h"
#include "model/io_pattern.h"
#include <string.h>

static const char *const op_names[IO_OPS] = { "read", "write", "trim", "sync", "datasync", "sync_file_range" };
static const char *const engine_names[APPLICATION_ENGINES] = { "io_uring", "libaio", "psync", "posixaio" };

const char *io_op_name (IoOp op)
{
  g_return_val_if_fail (op < IO_OPS, "?");
  return op_names[op];
}

const char *application_engine_name (ApplicationEngine engine)
{
  g_return_val_if_fail (engine < APPLICATION_ENGINES, "?");
  return engine_names[engine];
}

gboolean application_engine_parse (const char *name, ApplicationEngine *ret_engine)
{
  for (unsigned i = 0; i < APPLICATION_ENGINES; i++) {
    if (!strcmp (name, engine_names[i])) {
      *ret_engine = (ApplicationEngine) i;
      return TRUE;
    }
  }
  return FALSE;
}

/* ---- construction ---- */

static void file_free (gpointer data)
{
  WorkloadFile *file = data;
  g_free (file->name);
  g_free (file);
}

static void job_free (gpointer data)
{
  WorkloadJob *job = data;
  g_free (job->name);
  g_free (job->trims_at);
  g_clear_pointer (&job->files, g_array_unref);
  for (unsigned i = 0; i < G_N_ELEMENTS (job->pattern.split); i++) {
    g_clear_pointer (&job->pattern.split[i], g_array_unref);
    g_clear_pointer (&job->pattern.zones[i], g_array_unref);
  }
  g_free (job);
}

typedef struct {
  gpointer data;
  GDestroyNotify free_data;
} Owned;

static void owned_clear (gpointer data)
{
  Owned *owned = data;
  owned->free_data (owned->data);
}

void workload_own (Workload *workload, gpointer data, GDestroyNotify free_data)
{
  const Owned owned = { data, free_data };
  g_array_append_val (workload->owned, owned);
}

Workload *workload_new (void)
{
  Workload *workload = g_new0 (Workload, 1);
  workload->files = g_ptr_array_new_with_free_func (file_free);
  workload->jobs = g_ptr_array_new_with_free_func (job_free);
  workload->notes = g_ptr_array_new_with_free_func (g_free);
  workload->ignored_options = g_ptr_array_new_with_free_func (g_free);
  workload->file_index = g_hash_table_new (g_str_hash, g_str_equal);
  workload->owned = g_array_new (FALSE, FALSE, sizeof (Owned));
  g_array_set_clear_func (workload->owned, owned_clear);
  workload->replay = REPLAY_CLOSED;
  return workload;
}

void workload_free (Workload *workload)
{
  if (!workload) {
    return;
  }
  g_hash_table_unref (workload->file_index);
  g_ptr_array_unref (workload->jobs);
  g_ptr_array_unref (workload->files);
  g_ptr_array_unref (workload->notes);
  g_ptr_array_unref (workload->ignored_options);
  g_free (workload->source_name);
  g_free (workload->format);
  g_array_unref (workload->owned);
  g_free (workload);
}

WorkloadJob *workload_add_job (Workload *workload)
{
  WorkloadJob *job = g_new0 (WorkloadJob, 1);
  job->engine = APPLICATION_PSYNC;
  job->iodepth = job->iodepth_low = 1;
  job->batch_submit = job->batch_complete_min = job->batch_complete_max = 1;
  job->sqpoll_cpu = -1;
  job->files = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  job->pattern.has_read = TRUE;
  job->pattern.read_percent = 50;
  job->pattern.random_map = TRUE;
  job->pattern.same_seed = TRUE;
  for (unsigned i = 0; i < G_N_ELEMENTS (job->pattern.bs); i++) {
    job->pattern.bs[i] = job->pattern.bs_max[i] = 4096;
  }
  g_ptr_array_add (workload->jobs, job);
  return job;
}

uint32_t workload_add_file (Workload *workload, const char *name, uint64_t size)
{
  gpointer found;
  if (g_hash_table_lookup_extended (workload->file_index, name, NULL, &found)) {
    const uint32_t index = GPOINTER_TO_UINT (found);
    WorkloadFile *known = g_ptr_array_index (workload->files, index);
    known->size = MAX (known->size, size);
    return index;
  }
  WorkloadFile *file = g_new0 (WorkloadFile, 1);
  file->name = g_strdup (name);
  file->size = size;
  file->cache = CACHE_CLEAN;
  const uint32_t index = workload->files->len;
  g_ptr_array_add (workload->files, file);
  g_hash_table_insert (workload->file_index, file->name, GUINT_TO_POINTER (index));
  return index;
}

/* ---- notes ---- */

static void add_once (GPtrArray *lines, char *text)
{
  if (g_ptr_array_find_with_equal_func (lines, text, g_str_equal, NULL)) {
    g_free (text);
  } else {
    g_ptr_array_add (lines, text);
  }
}

void workload_note (Workload *workload, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  add_once (workload->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void workload_ignored (Workload *workload, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  add_once (workload->ignored_options, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

/* ---- streams ---- */

/* fio numbers its jobs from 1, clones counted, in the order of the job file. */
static unsigned job_number (const Workload *workload, const WorkloadJob *job)
{
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    if (g_ptr_array_index (workload->jobs, i) == job) {
      return i + 1;
    }
  }
  return 1;
}

void workload_job_seeds (const Workload *workload, const WorkloadJob *job, uint64_t seed, FioSeeds *ret_seeds)
{
  const unsigned number = job_number (workload, job);
  if (job->pattern.same_seed) {
    fio_seeds_repeatable (ret_seeds, job->pattern.random_seed, number);
  } else {
    fio_seeds_random (ret_seeds, seed, number);
  }
}

IoSource *workload_open_job (const Workload *workload, const WorkloadJob *job, uint64_t seed, GError **error)
{
  if (job->open_source) {
    return job->open_source (job->source_closure, error);
  }
  FioSeeds seeds;
  workload_job_seeds (workload, job, seed, &seeds);
  const unsigned n = job->files->len;
  g_autofree const char **names = g_new0 (const char *, n + 1);
  for (unsigned i = 0; i < n; i++) {
    const uint32_t index = g_array_index (job->files, uint32_t, i);
    const WorkloadFile *file = g_ptr_array_index (workload->files, index);
    names[i] = file->name;
  }
  return io_pattern_open (&job->pattern, (const uint32_t *) (gpointer) job->files->data, names, n, job->time_based,
                          job->engine != APPLICATION_PSYNC, &seeds);
}
