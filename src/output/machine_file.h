/*
 * A machine file as text: a base, and values with their sources.
 */
#ifndef MACHINE_FILE_H
#define MACHINE_FILE_H

#include <glib.h>

typedef struct {
  char *key;                        /* "Group.Key" */
  char *value, *source;             /* source: "fitted: ..." */
} MachineFileValue;

typedef struct {
  const char *name, *base, *title, *evidence;
  const GPtrArray *comments;        /* of char *: lines above the file, without '#' */
  unsigned n_values; const MachineFileValue *values;      /* values of one group come together, in the given order */
} MachineFile;

/* What machine_load() reads.  Texts may hold anything: what would end a value or begin a comment is escaped or left out.
 * (transfer full) */
char *machine_file_text (const MachineFile *file);

#endif
