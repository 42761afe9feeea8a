/*
 * job-options FILE.fio: the options of each job as this program understands them, for fio-options.sh.
 *
 *   [JOB]
 *   NAME=VALUE
 */
#include "src/input/fio_options.h"
#include <stdio.h>

static void print (const char *section, const JobOptions *options, gpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);

  (void) data;
  job_options_print (options, text);
  printf ("[%s]\n%s", section, text->str);
}

int main (int argc, char **argv)
{
  const FioJobOptions how = { .files_exist = -1, .cpus = g_get_num_processors () };
  g_autoptr (GError) error = NULL;
  ByteSource *source = argc == 2 ? byte_source_open (argv[1], &error) : NULL;
  Workload *workload = workload_new ();
  const gboolean ok = source && fio_job_visit (source, &how, workload, print, NULL, &error);

  if (!ok) {
    fprintf (stderr, "job-options: %s\n", error ? error->message : "expected one file");
  }
  workload_free (workload);
  byte_source_unref (source);
  return ok ? 0 : 1;
}
