/*
 * The error domain of all readers, and the one way they quote foreign bytes.
 */
#ifndef INPUT_ERROR_H
#define INPUT_ERROR_H

#include <glib.h>

typedef enum {
  INPUT_ERROR_USAGE,     /* an option or a combination of options that cannot be meant: exit 2 */
  INPUT_ERROR_DATA,      /* missing, unreadable, empty, malformed or unknown input: exit 3 */
  INPUT_ERROR_IO,        /* reading or spooling failed half-way: exit 4 */
} InputError;
#define INPUT_ERROR (input_error_quark ())
GQuark input_error_quark (void);

/* The exit code of the program for an error: 2, 3 or 4; 3 for other domains. */
int input_error_exit_code (const GError *error);

/* `bytes` as printable ASCII on one line, control and non-ASCII bytes escaped, cut after `max` bytes
 * (then "..." follows).  (transfer full) */
char *input_quote (const char *bytes, gsize len, gsize max);

/* The word of `words` (NULL-terminated) with the smallest edit distance to `word`, NULL if none is
 * near enough to be a slip (distance <= 1 + length / 4).  The first of equals. */
const char *input_nearest (const char *word, const char *const *words);

#endif
