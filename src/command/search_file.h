/*
 * A policy file with knobs, written again with numbers in their place.
 */
#ifndef SEARCH_FILE_H
#define SEARCH_FILE_H

#include "model/policy.h"

/* FALSE with OPTIONS_ERROR_VALUE: the name does not end in .policy, or it is the policy's own file. */
gboolean search_file_may_write (const Policy *policy, const char *path, GError **error);
/* Writes the file of `policy` to `path`, one text for each knob, `comment` as its first line.  COMMAND_ERROR_WRITE. */
gboolean search_file_write (const Policy *policy, const char *const *texts, const char *comment, const char *path,
                            GError **error);

#endif
