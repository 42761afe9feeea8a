/*
 * Options of fio that the simulator knows and leaves out, and whether that can change results.
 */
#ifndef FIO_IGNORED_H
#define FIO_IGNORED_H

#include <glib.h>

/* *ret_effect: what is different without it, NULL if nothing that is simulated. */
gboolean fio_option_is_ignored (const char *name, const char **ret_effect);
/* All of them. (transfer full) (element-type utf8), NULL-terminated. */
char   **fio_ignored_names (void);

#endif
