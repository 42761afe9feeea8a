/* Where shipped data files live. */
#include "model/data_path.h"

#include "model/key_file.h"
#include "model/suggest.h"

#include <string.h>

/* Whether this program runs from where it would be installed; one run from a build tree reads the source tree's files,
 * not those of an older version that happens to be installed. */
static gboolean is_installed (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *directory = self ? g_path_get_dirname (self) : NULL;

  return !directory || strcmp (directory, URINGSIM_BINDIR) == 0;
}

/* The directory of one kind. (transfer full); NULL if there is none. */
static char *directory_of (const char *kind)
{
  const char *const roots[] = { URINGSIM_PKGDATADIR, URINGSIM_SOURCE_DATADIR };
  const char *from_user = g_getenv ("URINGSIM_DATADIR");
  const unsigned first = is_installed () ? 0 : 1;

  if (from_user && *from_user)
    return g_build_filename (from_user, kind, NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS (roots); i++) {
    g_autofree char *directory = g_build_filename (roots[(first + i) % G_N_ELEMENTS (roots)], kind, NULL);

    if (g_file_test (directory, G_FILE_TEST_IS_DIR))
      return g_steal_pointer (&directory);
  }
  return NULL;
}

static int compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **data_path_list (const char *kind, const char *suffix)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *directory = directory_of (kind);
  g_autoptr (GDir) dir = directory ? g_dir_open (directory, 0, NULL) : NULL;
  const char *entry;

  while (dir && (entry = g_dir_read_name (dir))) {
    size_t n = strlen (entry), tail = strlen (suffix);
    g_autofree char *name = n > tail && g_str_has_suffix (entry, suffix) ? g_strndup (entry, n - tail) : NULL;

    if (name && key_file_name_valid (name)) {
      g_ptr_array_add (names, g_steal_pointer (&name));
    }
  }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

char *data_path_find (const char *kind, const char *name, const char *suffix, GError **error)
{
  g_autofree char *directory = NULL, *phrase = NULL, *all = NULL, *quoted = key_file_quote (name);
  g_auto (GStrv) names = NULL;

  if (strchr (name, '/') || g_str_has_suffix (name, suffix)) {
    if (g_file_test (name, G_FILE_TEST_EXISTS)) {
      return g_strdup (name);
    }
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: no such file", quoted);
    return NULL;
  }
  directory = directory_of (kind);
  if (directory && key_file_name_valid (name)) {
    g_autofree char *file = g_strconcat (name, suffix, NULL);
    g_autofree char *path = g_build_filename (directory, file, NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS)) {
      return g_steal_pointer (&path);
    }
  }
  names = data_path_list (kind, suffix);
  phrase = suggest_phrase (name, (const char *const *) names);
  all = g_strjoinv (", ", names);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: no such name among the shipped %s%s%s%s%s%s", quoted, kind,
               phrase, *phrase ? " There are: " : "; there are: ", *all ? all : "none",
               directory ? "" : " (the data directory is missing; set URINGSIM_DATADIR)",
               g_file_test (name, G_FILE_TEST_IS_REGULAR) ? "; the file of this name is ./NAME" : "");
  return NULL;
}
