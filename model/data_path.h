/*
 * Where shipped data files live: $URINGSIM_DATADIR if set; else, for a program run from $(bindir), the
 * installed directory (URINGSIM_PKGDATADIR), and for any other, run from a build tree, the source tree's
 * model/ (URINGSIM_SOURCE_DATADIR); else the other of the two.
 */
#ifndef DATA_PATH_H
#define DATA_PATH_H
#include <glib.h>

/* Path of KIND/NAME+SUFFIX, e.g. ("policies", "linux-6.3", ".policy"); a NAME with a '/' or ending in SUFFIX is taken
 * as a path.  (transfer full); NULL with a G_FILE_ERROR that lists the names there are and suggests the nearest. */
char  *data_path_find (const char *kind, const char *name, const char *suffix, GError **error);
/* Sorted names of one kind. (transfer full) (element-type utf8), NULL-terminated. */
char **data_path_list (const char *kind, const char *suffix);
#endif
