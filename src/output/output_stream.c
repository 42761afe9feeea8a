/* See output_stream.h. */
#include "src/output/output_stream.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* MAXSYMLINKS */

/* What a path stands for once its last component is no symbolic link, whether that exists or not. (transfer full) */
static char *follow_links (const char *path)
{
  char *target = g_strdup (path);

  for (unsigned i = 0; i < LINKS_MAX; i++) {
    g_autofree char *link = g_file_read_link (target, NULL);
    if (!link) {
      break;
    }
    g_autofree char *directory = g_path_get_dirname (target);
    g_free (target);
    target = g_path_is_absolute (link) ? g_steal_pointer (&link) : g_build_filename (directory, link, NULL);
  }
  return target;
}

/* NULL: its directory does not exist.  (transfer full) */
static char *whole_path (const char *path)
{
  g_autofree char *target = follow_links (path), *directory = g_path_get_dirname (target);
  g_autofree char *name = g_path_get_basename (target);
  char *real = realpath (directory, NULL);
  char *whole = real ? g_build_filename (real, name, NULL) : NULL;

  free (real);
  return whole;
}

gboolean output_same_file (const char *a, const char *b)
{
  struct stat status;

  if (!a || !b || (stat (a, &status) == 0 && !S_ISREG (status.st_mode))) {
    return FALSE;
  }
  g_autofree char *x = whole_path (a), *y = whole_path (b);
  return x && y && strcmp (x, y) == 0;
}

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
  output->path = follow_links (path);
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

int output_stream_write (const char *path, const char *bytes, gsize size)
{
  OutputStream output;
  int failure = output_stream_open (&output, path);

  if (failure) {
    return failure;
  }
  errno = 0;
  if (fwrite (bytes, 1, size, output.stream) != size) {
    failure = errno ? errno : EIO;
  }
  failure = output_stream_finish (&output, failure);
  output_stream_clear (&output);
  return failure;
}
