/*
 * Traces of any kind, opened by what they hold; sets of files that are one trace.  See input.h.
 */
#include "src/input/block_trace.h"
#include "src/input/fio_log.h"
#include "src/input/input_private.h"
#include "src/input/text_trace.h"
#include <string.h>

/* "STEM.blktrace.N": the length of what is before N, 0 if it is no such name. */
static gsize set_stem (const char *path)
{
  static const char suffix[] = ".blktrace.";
  const char *found = g_strrstr (path, suffix);
  const char *number = found ? found + strlen (suffix) : NULL;
  return number && *number && number[strspn (number, "0123456789")] == '\0' ? (gsize) (number - path) : 0;
}

GPtrArray *input_group_paths (const char *const *paths)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  GHashTable *sets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL); /* stem -> place + 1 */
  for (; *paths; paths++) {
    const gsize length = set_stem (*paths);
    g_autofree char *stem = g_strndup (*paths, length);
    const guint place = length ? GPOINTER_TO_UINT (g_hash_table_lookup (sets, stem)) : 0;
    if (place) {
      char **group = groups->pdata[place - 1];
      const guint n = g_strv_length (group);
      group = g_renew (char *, group, n + 2);
      group[n] = g_strdup (*paths);
      group[n + 1] = NULL;
      groups->pdata[place - 1] = group;
      continue;
    }
    char **group = g_new0 (char *, 2);
    group[0] = g_strdup (*paths);
    g_ptr_array_add (groups, group);
    if (length) {
      g_hash_table_insert (sets, g_steal_pointer (&stem), GUINT_TO_POINTER (groups->len));
    }
  }
  g_hash_table_unref (sets);
  return groups;
}

gboolean input_kind_is_trace (InputKind kind, const InputOptions *options)
{
  return kind == INPUT_IOLOG || kind == INPUT_BLKTRACE || kind == INPUT_BLKPARSE || kind == INPUT_FIO_LOG ||
         kind == INPUT_CSV || kind == INPUT_STRACE || (kind == INPUT_IOLOG_V1 && options->iolog_v1) ||
         (kind == INPUT_UNKNOWN && options->iolog.version);
}

/* The parts of a set: all of them binary. (element-type ByteSource) */
static GPtrArray *open_parts (ByteSource *first, const char *const *paths, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) byte_source_unref);
  g_ptr_array_add (parts, byte_source_ref (first));
  for (paths++; *paths; paths++) {
    ByteSource *part = byte_source_open (*paths, error);
    if (!part) {
      return NULL;
    }
    g_ptr_array_add (parts, part);
    GError *cause = NULL;
    const InputKind kind = input_detect (part, &cause);
    if (cause) {
      g_propagate_error (error, cause);
      return NULL;
    }
    if (kind != INPUT_BLKTRACE) {
      input_refuse (part, kind, "a binary blktrace, as the others of its set", error);
      return NULL;
    }
  }
  return g_steal_pointer (&parts);
}

Trace *input_open_trace_of (ByteSource *source, InputKind kind, const char *const *paths, const InputOptions *options,
                            GError **error)
{
  if (kind == INPUT_BLKTRACE || kind == INPUT_BLKPARSE) {
    g_autoptr (GPtrArray) parts = open_parts (source, paths, error);
    return parts ? block_trace_open ((ByteSource *const *) parts->pdata, parts->len, kind == INPUT_BLKPARSE,
                                     options->lenient, (BlockArrival) options->block_arrival, error)
                 : NULL;
  }
  if (kind == INPUT_FIO_LOG) {
    return fio_log_open (source, options->lenient, (unsigned) options->log_columns, error);
  }
  if (kind == INPUT_CSV || kind == INPUT_STRACE || kind == INPUT_IOLOG_V1) {
    const TextFormat *format = kind == INPUT_CSV      ? &csv_trace_format
                               : kind == INPUT_STRACE ? &strace_format
                                                      : &iolog_v1_format;
    return text_trace_open (source, format, options->lenient, error);
  }
  const IologOptions how = input_iolog_options (options);
  Iolog *iolog = iolog_open (source, &how, error);
  Trace *trace = iolog ? trace_new_from_iolog (iolog, byte_source_name (source)) : NULL;
  iolog_unref (iolog);
  return trace;
}

Trace *input_open_trace (const char *const *paths, const InputOptions *options, gboolean *ret_is_trace, GError **error)
{
  gboolean is_trace = FALSE;
  if (!ret_is_trace) {
    ret_is_trace = &is_trace;
  }
  *ret_is_trace = FALSE;
  if (!input_check_options (options, error)) {
    return NULL;
  }
  ByteSource *source = byte_source_open (paths[0], error);
  if (!source) {
    return NULL;
  }
  GError *cause = NULL;
  const InputKind kind = input_detect (source, &cause);
  Trace *trace = NULL;
  if (cause) {
    g_propagate_error (error, cause);
  } else if (kind == INPUT_TRACEPOINTS) {
    *ret_is_trace = TRUE;
    trace = trace_new_from_tracepoints (source, error);
  } else if (input_kind_is_trace (kind, options)) {
    *ret_is_trace = TRUE;
    trace = input_open_trace_of (source, kind, paths, options, error);
  } else {
    input_refuse (source, kind, "a trace: an iolog, CSV, blktrace, blkparse, strace, a log of fio or kernel trace text",
                  error);
  }
  byte_source_unref (source);
  return trace;
}
