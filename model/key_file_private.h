/* Inside of KeyFile, shared by key_file.c and key_file_values.c only. */
#ifndef KEY_FILE_PRIVATE_H
#define KEY_FILE_PRIVATE_H

#include "model/key_file.h"

/* column: where the value begins, from 1 */
typedef struct { char *name, *value; unsigned line, column; } KeyFileKey;
typedef struct { char *name; unsigned line; GPtrArray *keys; } KeyFileGroup;   /* keys: of KeyFileKey */

struct KeyFile {
  char *path, *display;
  GQuark domain;
  GPtrArray *groups;       /* of KeyFileGroup, in the order of the file */
  GKeyFile *key_file;      /* the same content, for its escapes */
};

/* NULL if absent. (transfer none) */
KeyFileKey *key_file_find_key (const KeyFile *file, const char *group, const char *key);

#endif
