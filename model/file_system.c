/*
 * .fs files:
 *
 *   [FileSystem] Name= Title= Source= Costs=NAME   (Source and Costs may be left out)
 *   [Flags]      NoWait= BufferRasync= BufferWasync= DioParallelWrite= LargeFolios=     kernel ranges
 *                DontCache=                                                a kernel range (may be left out: never)
 *   [Locks]      Read= Write=                                              none|shared|exclusive
 *   [Direct]     Read= Write= Extend=                                      none|shared|exclusive
 *                ExtendWaits= BufferedWaits=                               yes|no
 *                Unwritten= Allocate= Unaligned=                           kernel ranges
 *   [Steps]      Regular= BalanceAtEnd= TimestampBlocks= InMemory=         yes|no
 *                ChunkPages=NUMBER ChunkFolios=kernel range                (may be left out: by extents)
 *                StablePages=                                              yes|no (may be left out: no)
 *                Journal=                                                  none|jbd2|xlog|tree-log|node (none)
 *
 * A kernel range is "6.0+", "5.9-6.4" (from 5.9, before 6.4), "never" or "always".
 */
#include "model/file_system.h"

#include "model/key_file.h"

#include <limits.h>
#include <string.h>

G_DEFINE_QUARK (file - system - error - quark, file_system_error)

static const char *const group_names[] = { "FileSystem", "Flags", "Locks", "Steps", "Direct", NULL };
static const char *const head_keys[] = { "Name", "Title", "Source", "Costs", NULL };
static const char *const flag_keys[] = {
  "NoWait", "BufferRasync", "BufferWasync", "DioParallelWrite", "LargeFolios", "DontCache", NULL
};
static const char *const lock_keys[] = { "Read", "Write", "Since", NULL };
static const char *const step_keys[] = { "Regular", "BalanceAtEnd", "TimestampBlocks", "InMemory", "StablePages",
                                         "Journal", "ChunkPages",   "ChunkFolios",     NULL };
static const char *const journal_kinds[] = { "none", "jbd2", "xlog", "tree-log", "node", NULL };
static const char *const direct_keys[] = {
  "Read",          "Write",     "Extend",          "ExtendWaits",          "Unwritten",
  "Allocate",      "Unaligned", "DoneInWorkqueue", "OverwriteInWorkqueue", "OverwriteByCaller",
  "BufferedWaits", NULL
};
static const char *const *const group_keys[] = { head_keys, flag_keys, lock_keys, step_keys, direct_keys };

const char *journal_kind_name (JournalKind kind) { return journal_kinds[kind]; }

gboolean kernel_range_parse (const char *text, KernelRange *ret_range)
{
  g_autofree char *since = NULL;
  const char *minus = strchr (text, '-');
  KernelRange range = { 0, UINT_MAX };

  if (strcmp (text, "never") == 0) {
    range.until = 0;
  } else if (strcmp (text, "always") != 0) {
    size_t n = strlen (text);

    if (n < 2 || (!minus && text[n - 1] != '+')) {
      return FALSE;
    }
    since = g_strndup (text, minus ? (size_t) (minus - text) : n - 1);
    if (!key_file_parse_kernel (since, &range.since)) {
      return FALSE;
    }
    if (minus && (!key_file_parse_kernel (minus + 1, &range.until) || range.until <= range.since)) {
      return FALSE;
    }
  }
  *ret_range = range;
  return TRUE;
}

static gboolean check_groups (const KeyFile *file, GError **error)
{
  for (unsigned i = 0; i < key_file_n_groups (file); i++) {
    const char *group = key_file_group (file, i);
    unsigned known = 0;

    while (group_names[known] && strcmp (group_names[known], group) != 0) {
      known++;
    }
    if (!group_names[known]) {
      key_file_unknown_group (file, group, group_names, error);
      return FALSE;
    }
    if (!key_file_check_keys (file, group, group_keys[known], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean get_range (const KeyFile *file, const char *group, const char *key, KernelRange *range, GError **error)
{
  g_autofree char *text = NULL, *quoted = NULL;

  if (!key_file_get_raw (file, group, key, &text, error)) {
    return FALSE;
  }
  if (kernel_range_parse (text, range)) {
    return TRUE;
  }
  quoted = key_file_quote (text);
  key_file_set_error (error, file, group, key, KEY_FILE_VALUE,
                      "%s=%s: expected a kernel range, such as 6.0+, 5.9-6.4, never or always", key, quoted);
  return FALSE;
}

static gboolean get_lock (const KeyFile *file, const char *group, const char *key, LockMode *mode, GError **error)
{
  static const char *const modes[] = { "none", "shared", "exclusive", NULL };
  unsigned index;

  if (!key_file_get_choice (file, group, key, modes, &index, error)) {
    return FALSE;
  }
  *mode = (LockMode) index;
  return TRUE;
}

static gboolean get_journal (const KeyFile *file, JournalKind *kind, GError **error)
{
  unsigned index;

  if (!key_file_has (file, "Steps", "Journal")) {
    return TRUE;
  }
  if (!key_file_get_choice (file, "Steps", "Journal", journal_kinds, &index, error)) {
    return FALSE;
  }
  *kind = (JournalKind) index;
  return TRUE;
}

/* What a file of an earlier version does not say. */
static gboolean fill_optional (FileSystem *fs, const KeyFile *file, GError **error)
{
  fs->dont_cache = (KernelRange){ 0, 0 };
  return (!key_file_has (file, "Flags", "DontCache") ||
          get_range (file, "Flags", "DontCache", &fs->dont_cache, error)) &&
         (!key_file_has (file, "Steps", "StablePages") ||
          key_file_get_boolean (file, "Steps", "StablePages", &fs->stable_pages, error)) &&
         get_journal (file, &fs->journal, error);
}

static gboolean fill_direct (FileSystem *fs, const KeyFile *file, GError **error)
{
  static const char *const group = "Direct";

  return get_lock (file, group, "Read", &fs->direct.read, error) &&
         get_lock (file, group, "Write", &fs->direct.write, error) &&
         get_lock (file, group, "Extend", &fs->direct.extend, error) &&
         key_file_get_boolean (file, group, "ExtendWaits", &fs->direct.extend_waits, error) &&
         get_range (file, group, "Unwritten", &fs->direct.unwritten, error) &&
         get_range (file, group, "Allocate", &fs->direct.allocate, error) &&
         get_range (file, group, "Unaligned", &fs->direct.unaligned, error) &&
         get_range (file, group, "DoneInWorkqueue", &fs->direct.done_work, error) &&
         get_range (file, group, "OverwriteInWorkqueue", &fs->direct.overwrite_work, error) &&
         get_range (file, group, "OverwriteByCaller", &fs->direct.overwrite_by_caller, error) &&
         key_file_get_boolean (file, group, "BufferedWaits", &fs->direct.buffered_waits, error);
}

static gboolean fill (FileSystem *fs, const KeyFile *file, GError **error)
{
  return check_groups (file, error) && key_file_get_name (file, "FileSystem", "Name", &fs->name, error) &&
         key_file_get_line (file, "FileSystem", "Title", &fs->title, error) &&
         (!key_file_has (file, "FileSystem", "Source") ||
          key_file_get_line (file, "FileSystem", "Source", &fs->source, error)) &&
         (!key_file_has (file, "FileSystem", "Costs") ||
          key_file_get_name (file, "FileSystem", "Costs", &fs->cost_name, error)) &&
         get_range (file, "Flags", "NoWait", &fs->nowait, error) &&
         get_range (file, "Flags", "BufferRasync", &fs->buffer_rasync, error) &&
         get_range (file, "Flags", "BufferWasync", &fs->buffer_wasync, error) &&
         get_range (file, "Flags", "DioParallelWrite", &fs->dio_parallel_write, error) &&
         get_range (file, "Flags", "LargeFolios", &fs->large_folios, error) &&
         get_lock (file, "Locks", "Read", &fs->read_lock, error) &&
         get_lock (file, "Locks", "Write", &fs->write_lock, error) &&
         (!key_file_has (file, "Locks", "Since") || get_range (file, "Locks", "Since", &fs->locks_taken, error)) &&
         key_file_get_boolean (file, "Steps", "Regular", &fs->regular, error) &&
         key_file_get_boolean (file, "Steps", "BalanceAtEnd", &fs->balance_at_end, error) &&
         key_file_get_boolean (file, "Steps", "TimestampBlocks", &fs->timestamp_blocks, error) &&
         key_file_get_boolean (file, "Steps", "InMemory", &fs->in_memory, error) &&
         (!key_file_has (file, "Steps", "ChunkPages") ||
          key_file_get_integer (file, "Steps", "ChunkPages", 1, 1u << 20, &fs->chunk_pages, error)) &&
         (!key_file_has (file, "Steps", "ChunkFolios") ||
          get_range (file, "Steps", "ChunkFolios", &fs->chunk_folios, error)) &&
         fill_direct (fs, file, error) && fill_optional (fs, file, error);
}

FileSystem *file_system_load (const char *name_or_path, GError **error)
{
  KeyFile *file = key_file_load_named ("file_systems", name_or_path, ".fs", FILE_SYSTEM_ERROR, error);
  FileSystem *fs;

  if (!file) {
    return NULL;
  }
  fs = g_new0 (FileSystem, 1);
  fs->path = g_strdup (key_file_path (file));
  fs->locks_taken = (KernelRange){ 0, UINT_MAX };
  if (!fill (fs, file, error)) {
    file_system_free (fs);
    fs = NULL;
  } else if (!fs->cost_name) {
    fs->cost_name = g_strdup (fs->name);
  }
  key_file_free (file);
  return fs;
}

void file_system_free (FileSystem *fs)
{
  if (!fs) {
    return;
  }
  g_free (fs->name);
  g_free (fs->title);
  g_free (fs->source);
  g_free (fs->path);
  g_free (fs->cost_name);
  g_free (fs);
}
