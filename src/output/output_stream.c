/* See output_stream.h. */
#include "src/output/output_stream.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int output_stream_open (OutputStream *output, const char *path)
{
  struct stat status;
  const gboolean exists = stat (path, &status) == 0;

  *output = (OutputStream){ 0 };
  if (exists && S_ISDIR (status.st_mode)) {
    return EISDIR;
  }
  if (exists && !S_ISREG (status.st_mode)) {
    output->stream = fopen (path, "w");
    return output->stream ? 0 : errno;
  }
  char *target = exists ? realpath (path, NULL) : NULL;
  output->path = g_strdup (target ? target : path);
  free (target);
  output->temporary = g_strconcat (output->path, ".XXXXXX", NULL);
  const int fd = g_mkstemp_full (output->temporary, O_RDWR, 0666);
  output->stream = fd >= 0 ? fdopen (fd, "w") : NULL;
  const int failure = output->stream ? 0 : errno;
  if (failure) {
    if (fd >= 0) {
      close (fd);
      g_unlink (output->temporary);
    }
    output_stream_clear (output);
  }
  return failure;
}

int output_stream_finish (OutputStream *output, int failure)
{
  if (fclose (output->stream) != 0 && !failure) {
    failure = errno;
  }
  output->stream = NULL;
  if (output->temporary && !failure && g_rename (output->temporary, output->path) != 0) {
    failure = errno;
  }
  if (output->temporary && failure) {
    g_unlink (output->temporary);
  }
  return failure;
}

void output_stream_clear (OutputStream *output)
{
  if (output->stream) {
    fclose (output->stream);
    if (output->temporary) {
      g_unlink (output->temporary);
    }
  }
  g_clear_pointer (&output->temporary, g_free);
  g_clear_pointer (&output->path, g_free);
  output->stream = NULL;
}
