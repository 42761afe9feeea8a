/* Fuzz target: fio job files; the jobs that come out must give their first requests. */
#include "src/input/fio_job.h"
#include "src/input/input_error.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

enum { IOS_MAX = 64, JOBS_MAX = 8, SIZE_MAX_BYTES = 64 << 20 };

static void pull (const Workload *workload, const WorkloadJob *job)
{
  g_autoptr (GError) error = NULL;
  Io io;

  /* The random map of a large region takes memory in proportion, as it does in fio. */
  if (!job->open_source && job->pattern.size > SIZE_MAX_BYTES) {
    return;
  }
  IoSource *source = workload_open_job (workload, job, 1, &error);
  for (unsigned i = 0; source && i < IOS_MAX && source->next (source, &io, &error) > 0; i++) {
    g_assert (io.file < workload->files->len);
  }
  if (source) {
    source->free (source);
  }
}

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t length)
{
  for (unsigned lenient = 0; lenient < 2; lenient++) {
    const FioJobOptions options = { .lenient = lenient, .files_exist = -1, .cpus = 4 };
    g_autoptr (GError) error = NULL;
    ByteSource *source = byte_source_new_from_memory ("input.fio", bytes, length, &error);
    Workload *workload = workload_new ();
    const gboolean ok = source && fio_job_read (source, &options, workload, &error);

    g_assert (ok == (error == NULL));
    g_assert (!error || (error->domain == INPUT_ERROR && !strpbrk (error->message, "\033\n")));
    for (unsigned i = 0; ok && i < MIN (workload->jobs->len, JOBS_MAX); i++) {
      pull (workload, workload->jobs->pdata[i]);
    }
    workload_free (workload);
    byte_source_unref (source);
  }
  return 0;
}
