/*
 * File descriptors of the processes of a strace text: what they stand for, shared and copied as open(), dup(), fork() and
 * threads do.
 */
#ifndef STRACE_FDS_H
#define STRACE_FDS_H

#include "src/input/text_trace.h"

typedef struct {
  char    *path;
  uint32_t index;              /* in the trace; IOLOG_NAME_NONE before its first request */
  uint64_t end;                /* as far as the trace shows */
} NamedFile;

/* What open() made; descriptors of several processes may stand for it. */
typedef struct {
  unsigned   references;
  NamedFile *file;             /* kept by StraceFiles */
  uint64_t   position;
  gboolean   append, direct;
} OpenFile;

typedef struct {
  OpenFile *open;
  gboolean  close_on_exec;
} Descriptor;

/* Threads share one, children copy it. */
typedef struct {
  unsigned    references;
  GHashTable *table;           /* fd -> Descriptor */
} Descriptors;

/* All files of a pass; it gives up where they are too many. */
typedef struct {
  TextPass   *pass;
  GHashTable *named;           /* path -> NamedFile */
  unsigned    n_fds;           /* of all processes */
} StraceFiles;

void strace_files_init (StraceFiles *files, TextPass *pass);
void strace_files_clear (StraceFiles *files);

/* `path` is taken over; no reference is held yet. (transfer full) */
OpenFile    *open_file_new (StraceFiles *files, char *path);
void         open_file_unref (OpenFile *open);

Descriptors *descriptors_new (void);
Descriptors *descriptors_copy (StraceFiles *files, const Descriptors *from);
void         descriptors_unref (StraceFiles *files, Descriptors *fds);
/* NULL if it is not known. */
Descriptor  *descriptors_find (const Descriptors *fds, int64_t fd);
/* `open` is referenced; what `fd` was before is closed. */
void         descriptors_put (StraceFiles *files, Descriptors *fds, int64_t fd, OpenFile *open, gboolean close_on_exec);
void         descriptors_remove (StraceFiles *files, Descriptors *fds, int64_t fd);
/* `remove` is told the number (GPOINTER_TO_INT) and the Descriptor. */
void         descriptors_remove_if (StraceFiles *files, Descriptors *fds, GHRFunc remove, gpointer data);

#endif
