/*
 * The one way in which policies, machines, file systems and experiments are read:
 * GKeyFile with line numbers, and nothing ignored.
 *
 *   # comment line
 *   [Group]
 *   Key=value          # a '#' after a blank starts a comment here too
 *
 * On top of GKeyFile: a group or key given twice, text before the first group, invalid
 * UTF-8 and control characters are errors; files of more than 1 MiB are refused.  Values
 * know the escapes of GKeyFile (\s \n \t \r \\).
 *
 * Every error is in the domain given at loading, with a KeyFileErrorCode, and starts
 * with FILE:LINE.  The error enumerations of the users of this file start with these four codes.
 * "FILE" is the display name: KIND/NAME.SUFFIX for a shipped file, the path as given otherwise.
 * A display name that starts with "--" is an option of the command line: then there is no line.
 */
#ifndef KEY_FILE_H
#define KEY_FILE_H

#include <glib.h>
#include <stdint.h>

typedef enum { KEY_FILE_NOT_FOUND, KEY_FILE_SYNTAX, KEY_FILE_UNKNOWN_KEY, KEY_FILE_VALUE } KeyFileErrorCode;

#define KEY_FILE_SIZE_MAX (1024 * 1024)     /* bytes */
#define KEY_FILE_ENTRIES_MAX 512u           /* groups of a file, keys of a group */
#define KEY_FILE_BASES_MAX 8                /* files in a chain of Base= */

typedef struct KeyFile KeyFile;

/* `display` is the name used in messages and origins. (transfer full) */
KeyFile *key_file_load (const char *path, const char *display, GQuark domain, GError **error);
KeyFile *key_file_parse (const char *text, gsize length, const char *display, GQuark domain, GError **error);
void     key_file_free (KeyFile *file);                  /* accepts NULL */

/* The file of one kind by name or path, see data_path_find(); no Base=. (transfer full) */
KeyFile *key_file_load_named (const char *kind, const char *name_or_path, const char *suffix, GQuark domain,
                              GError **error);
/* A file and its bases, read through Base= of `head_group`: element 0 is the file itself.
 * `kind` and `suffix` are those of data_path_find().  A Base= with a '/' or the suffix is a path relative to the
 * file that names it.  Loops and chains longer than KEY_FILE_BASES_MAX are errors that print the chain.
 * (transfer full) (element-type KeyFile); the array frees its elements. */
GPtrArray *key_file_load_chain (const char *kind, const char *name_or_path, const char *suffix,
                                const char *head_group, GQuark domain, GError **error);

const char *key_file_path (const KeyFile *file);         /* as opened; the display name for key_file_parse() */
const char *key_file_display (const KeyFile *file);

unsigned    key_file_n_groups (const KeyFile *file);
const char *key_file_group (const KeyFile *file, unsigned index);            /* in the order of the file */
gboolean    key_file_has (const KeyFile *file, const char *group, const char *key);   /* key (nullable): the group */
unsigned    key_file_n_keys (const KeyFile *file, const char *group);
const char *key_file_key (const KeyFile *file, const char *group, unsigned index);
unsigned    key_file_line (const KeyFile *file, const char *group, const char *key);  /* key (nullable); 0 if absent */
/* Where the value of a key begins in its line, in bytes from 1. */
unsigned    key_file_column (const KeyFile *file, const char *group, const char *key);
/* "FILE:LINE" (transfer full) */
char       *key_file_origin (const KeyFile *file, const char *group, const char *key);

/* Sets "FILE:LINE: " and the message; the line is that of the key, else of the group, else none. */
void key_file_set_error (GError **error, const KeyFile *file, const char *group, const char *key,
                         KeyFileErrorCode code, const char *format, ...) G_GNUC_PRINTF (6, 7);
/* "FILE:LINE:COLUMN: "; `column` counts bytes from 1 in the value as it is written. */
void key_file_set_error_at (GError **error, const KeyFile *file, const char *group, const char *key, unsigned column,
                            KeyFileErrorCode code, const char *format, ...) G_GNUC_PRINTF (7, 8);
/* FILE:LINE: unknown key "X" in [Group]; did you mean "Y"?  `known` ends with NULL. */
gboolean key_file_check_keys (const KeyFile *file, const char *group, const char *const *known, GError **error);
/* The error for a group that the file may not have. */
void     key_file_unknown_group (const KeyFile *file, const char *group, const char *const *known, GError **error);

/* The getters.  A missing key is an error ("FILE:LINE of the group: [Group] lacks Key=").  Results are set only on
 * success. */
gboolean key_file_get_raw (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error);
/* Escapes resolved; no control characters, not empty. (transfer full) */
gboolean key_file_get_line (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error);
/* As above, but \n is allowed. */
gboolean key_file_get_text (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error);
/* 1..63 of A-Z a-z 0-9 . _ -, not starting with '.' or '-'. */
gboolean key_file_get_name (const KeyFile *file, const char *group, const char *key, char **ret_value, GError **error);
/* Decimal digits only. */
gboolean key_file_get_integer (const KeyFile *file, const char *group, const char *key, uint64_t min, uint64_t max,
                               uint64_t *ret_value, GError **error);
/* Digits with B, KiB, MiB, GiB or TiB, or nothing for bytes. */
gboolean key_file_get_bytes (const KeyFile *file, const char *group, const char *key, uint64_t min, uint64_t max,
                             uint64_t *ret_value, GError **error);
gboolean key_file_get_number (const KeyFile *file, const char *group, const char *key, double min, double max,
                              double *ret_value, GError **error);
gboolean key_file_get_boolean (const KeyFile *file, const char *group, const char *key, gboolean *ret_value,
                               GError **error);
/* Index of the value in `names`, which ends with NULL. */
gboolean key_file_get_choice (const KeyFile *file, const char *group, const char *key, const char *const *names,
                              unsigned *ret_index, GError **error);
/* MAJOR.MINOR as KERNEL (MAJOR, MINOR). */
gboolean key_file_get_kernel (const KeyFile *file, const char *group, const char *key, unsigned *ret_kernel,
                              GError **error);

/* KEY.source of a key that is there: it must exist and start with "measured: ", "published: ", "assumed: " or
 * "fitted: ". (transfer full) */
gboolean key_file_get_evidence (const KeyFile *file, const char *group, const char *key, char **ret_source,
                                GError **error);

/* The parsers behind them, for --set and expressions: FALSE if `text` is not exactly one of these. */
gboolean key_file_parse_integer (const char *text, uint64_t *ret_value);
gboolean key_file_parse_bytes (const char *text, uint64_t *ret_value);
gboolean key_file_parse_number (const char *text, double *ret_value);
gboolean key_file_parse_kernel (const char *text, unsigned *ret_kernel);
gboolean key_file_name_valid (const char *text);
/* Printable form of hostile text for messages: escaped, cut at 60 bytes. (transfer full) */
char    *key_file_quote (const char *text);

#endif
