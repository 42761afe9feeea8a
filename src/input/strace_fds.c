/* See strace_fds.h. */
#include "src/input/strace_fds.h"

enum { FDS_MAX = 1 << 20 };

void open_file_unref (OpenFile *open)
{
  if (--open->references == 0) {
    g_free (open);
  }
}

static void descriptor_free (gpointer data)
{
  open_file_unref (((Descriptor *) data)->open);
  g_free (data);
}

Descriptors *descriptors_new (void)
{
  Descriptors *fds = g_new0 (Descriptors, 1);
  fds->references = 1;
  fds->table = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, descriptor_free);
  return fds;
}

void descriptors_unref (StraceFiles *files, Descriptors *fds)
{
  if (--fds->references == 0) {
    files->n_fds -= g_hash_table_size (fds->table);
    g_hash_table_unref (fds->table);
    g_free (fds);
  }
}

void descriptors_remove (StraceFiles *files, Descriptors *fds, int64_t fd)
{
  files->n_fds -= (unsigned) g_hash_table_remove (fds->table, GINT_TO_POINTER ((int) fd));
}

/* `open` is referenced. */
void descriptors_put (StraceFiles *files, Descriptors *fds, int64_t fd, OpenFile *open, gboolean close_on_exec)
{
  open->references++;
  if (fd < 0 || fd > G_MAXINT32) {
    open_file_unref (open);
    return;
  }
  descriptors_remove (files, fds, fd);
  if (files->n_fds >= FDS_MAX) {
    text_pass_give_up (files->pass, "more than %d open files", FDS_MAX);
    open_file_unref (open);
    return;
  }
  Descriptor *descriptor = g_new (Descriptor, 1);
  *descriptor = (Descriptor){ open, close_on_exec };
  g_hash_table_insert (fds->table, GINT_TO_POINTER ((int) fd), descriptor);
  files->n_fds++;
}

Descriptor *descriptors_find (const Descriptors *fds, int64_t fd)
{
  return fd < 0 || fd > G_MAXINT32 ? NULL : g_hash_table_lookup (fds->table, GINT_TO_POINTER ((int) fd));
}

Descriptors *descriptors_copy (StraceFiles *files, const Descriptors *from)
{
  Descriptors *fds = descriptors_new ();
  GHashTableIter iter;
  gpointer fd, descriptor;
  g_hash_table_iter_init (&iter, from->table);
  while (g_hash_table_iter_next (&iter, &fd, &descriptor)) {
    descriptors_put (files, fds, GPOINTER_TO_INT (fd), ((Descriptor *) descriptor)->open,
                     ((Descriptor *) descriptor)->close_on_exec);
  }
  return fds;
}

/* `path` is taken over. */
OpenFile *open_file_new (StraceFiles *files, char *path)
{
  NamedFile *file = g_hash_table_lookup (files->named, path);
  if (!file) {
    if (g_hash_table_size (files->named) >= FDS_MAX) {
      text_pass_give_up (files->pass, "more than %d different file names are opened", FDS_MAX);
    }
    file = g_new0 (NamedFile, 1);
    file->path = path;
    file->index = IOLOG_NAME_NONE;
    g_hash_table_insert (files->named, file->path, file);
  } else {
    g_free (path);
  }
  OpenFile *open = g_new0 (OpenFile, 1);
  open->file = file;
  return open;
}

static void named_file_free (gpointer data)
{
  g_free (((NamedFile *) data)->path);
  g_free (data);
}

void descriptors_remove_if (StraceFiles *files, Descriptors *fds, GHRFunc remove, gpointer data)
{
  files->n_fds -= g_hash_table_foreach_remove (fds->table, remove, data);
}

void strace_files_init (StraceFiles *files, TextPass *pass)
{
  *files =
      (StraceFiles){ .pass = pass, .named = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, named_file_free) };
}

void strace_files_clear (StraceFiles *files) { g_hash_table_unref (files->named); }
