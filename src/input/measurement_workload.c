/* Jobs of measured results as workloads.  See measurement_workload.h. */
#include "src/input/measurement_workload.h"
#include "src/input/fio_options.h"
#include "src/input/fio_workload.h"
#include "src/input/input_error.h"

/* kb_base first, as it changes how the others are read. */
static gboolean apply (const MeasuredSection *section, gboolean kb_base, JobOptions *options, const OptionPlace *place,
                       GError **error)
{
  for (unsigned i = 0; i < section->options->len; i++) {
    const MeasuredOption *option = &g_array_index (section->options, MeasuredOption, i);
    if (g_str_equal (option->name, "kb_base") == kb_base &&
        !job_options_set (options, option->name, option->value, place, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean add_section (FioWorkload *jobs, const MeasuredSection *section, const OptionPlace *place,
                             GError **error)
{
  JobOptions options;

  job_options_init (&options);
  return apply (section, TRUE, &options, place, error) && apply (section, FALSE, &options, place, error) &&
         fio_workload_add (jobs, section->name, &options, place, error);
}

/* What the program of MEASURED_WQ wrote its files in: not recorded, taken as what such programs do.  It decides how
 * large the folios are that its 4 KiB writes fall into. */
static const uint64_t wq_piece = (uint64_t) 1 << 20;

/* MEASURED_WQ: the ring of a liburing program, which marks its requests itself. */
static void set_ring (const Measurement *measurement, Workload *workload)
{
  for (unsigned i = 0; i < workload->jobs->len; i++) {
    WorkloadJob *job = workload->jobs->pdata[i];
    if (measurement->tool == MEASURED_WQ) {
      job->ring.given = TRUE;
      job->ring.flags = (RingFlags){ .sqpoll = job->sqpoll };
    }
    job->ring.iowq_max_workers[0] = job->ring.iowq_max_workers[1] = measurement->workers;
  }
}

Workload *measurement_workload (const Measurement *measurement, int cache, unsigned cpus, GError **error)
{
  const FioJobOptions how = { .files_exist = measurement->job ? 1 : -1, .cpus = cpus };
  Workload *workload = workload_new ();
  GStringChunk *strings = g_string_chunk_new (1024);
  const OptionPlace place = { measurement->file, measurement->line, FALSE, strings, workload };
  FioWorkload *jobs = fio_workload_new (workload, &how, measurement->file);
  gboolean ok = TRUE;

  for (unsigned i = 0; ok && i < measurement->sections->len; i++) {
    const MeasuredSection *section = measurement->sections->pdata[i];
    if (!section->options->len) {
      ok = job_options_fail (
          &place, error,
          "job \"%s\": the result has no options of it; expected \"job options\" or \"global options\", "
          "or the job file behind the result",
          section->name);
      break;
    }
    ok = add_section (jobs, measurement->sections->pdata[i], &place, error);
  }
  fio_workload_free (jobs);
  g_string_chunk_free (strings);
  if (!ok) {
    workload_free (workload);
    return NULL;
  }
  set_ring (measurement, workload);
  for (unsigned i = 0; cache >= 0 && i < workload->files->len; i++) {
    ((WorkloadFile *) workload->files->pdata[i])->cache = (CacheState) cache;
  }
  for (unsigned i = 0; measurement->tool == MEASURED_WQ && i < workload->files->len; i++) {
    ((WorkloadFile *) workload->files->pdata[i])->folio = wq_piece;
  }
  workload->source_name = g_strdup (measurement->file);
  workload->format = g_strdup ("measured result");
  return workload;
}
