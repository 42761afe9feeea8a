/*
 * Broken input files and what must be said about each: a directory with files n_* and a table EXPECTED, one line
 * a case: file, error code, part of the message, separated by tabs.  Lines that start with '#' are comments.
 */
#ifndef EXPECTED_H
#define EXPECTED_H

#include "tests/row.h"

#include <stdlib.h>
#include <string.h>

/* Loads the file; FALSE with an error is what is hoped for. */
typedef gboolean (*ExpectedLoad) (const char *path, GError **error);

/* One line of the table.  `codes` are the names of the domain's error codes, in order. */
static inline void expected_case (const char *directory, char **field, ExpectedLoad load, GQuark domain,
                                  const char *const *codes)
{
  g_autofree char *path = g_build_filename (directory, field[0], NULL);
  g_autoptr (GError) error = NULL;
  gboolean loaded = load (path, &error);

  ROW_CHECK (!loaded, "%s was accepted", field[0]);
  if (!ROW_CHECK (error, "%s", field[0])) {
    return;
  }
  ROW_CHECK (error->domain == domain && g_strcmp0 (codes[error->code], field[1]) == 0, "%s: %s %d", field[0],
             g_quark_to_string (error->domain), error->code);
  ROW_CHECK (strstr (error->message, field[2]), "%s: %s", field[0], error->message);
  ROW_CHECK (!strchr (error->message, '\n') && !strchr (error->message, '\033'), "%s: one line, no controls", field[0]);
}

/* Every line of the table holds, and every file n_* is in the table. */
static inline void expected_check (const char *directory, ExpectedLoad load, GQuark domain, const char *const *codes)
{
  g_autofree char *table = g_build_filename (directory, "EXPECTED", NULL), *text = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  g_auto (GStrv) lines = NULL;
  const char *name;

  CU_ASSERT_TRUE_FATAL (g_file_get_contents (table, &text, NULL, NULL));
  CU_ASSERT_PTR_NOT_NULL_FATAL (dir);
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) field = g_strsplit (*line, "\t", 3);

    if (!**line || **line == '#') {
      continue;
    }
    if (ROW_CHECK (g_strv_length (field) == 3, "%s: three fields", *line)) {
      expected_case (directory, field, load, domain, codes);
      g_hash_table_add (seen, g_strdup (field[0]));
    }
  }
  while ((name = g_dir_read_name (dir))) {
    if (g_str_has_prefix (name, "n_")) {
      ROW_CHECK (g_hash_table_contains (seen, name), "%s is missing in EXPECTED", name);
    }
  }
}

#endif
