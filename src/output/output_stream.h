/*
 * A file that is written bit by bit and appears under its name when it is whole.
 *
 * A FIFO, a device or a socket is written to as it is; a symbolic link stays one, and what it points to is replaced.
 */
#ifndef OUTPUT_STREAM_H
#define OUTPUT_STREAM_H

#include <glib.h>
#include <stdio.h>

typedef struct {
  FILE *stream;           /* NULL: not open */
  char *path, *temporary; /* NULL: not to be renamed */
} OutputStream;

/* These return 0 or an errno. The second closes it, and gives it its name unless `failure`, which it then returns. */
int  output_stream_open (OutputStream *output, const char *path);
int  output_stream_finish (OutputStream *output, int failure);
/* What is not finished is removed. */
void output_stream_clear (OutputStream *output);
/* All of it at once; 0 or an errno. */
int  output_stream_write (const char *path, const char *bytes, gsize size);

/* Do both paths, however they are spelled and through whatever links, name the same regular file, existing or to be made?  Either
 * may be NULL: no. */
gboolean output_same_file (const char *a, const char *b);

#endif
