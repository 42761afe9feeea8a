/*
 * The kinds of data files that list and show know, with how each is loaded and described.
 */
#ifndef KINDS_H
#define KINDS_H

#include "src/output/description.h"

typedef struct {
  const char *name, *plural;        /* on the command line: "file-system", "file-systems" */
  const char *directory, *suffix;   /* of data_path_find() */
  /* What `show` prints; `set`: --set of machines. (transfer full) */
  Description *(*describe) (const char *name, const GPtrArray *set, GError **error);
  /* Its title for `list`. (transfer full) */
  char *(*title) (const char *name, GError **error);
} Kind;

/* By either form; NULL with an OPTIONS_ERROR that lists them.  `plural`: the form to suggest. */
const Kind *kind_find (const char *word, gboolean plural, GError **error);

#endif
