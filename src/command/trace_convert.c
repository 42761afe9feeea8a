/* uringsim trace convert and trace cut: see trace_commands.h. */
#include "src/command/trace_commands.h"
#include "src/output/escape.h"
#include "src/output/trace_writer.h"
#include <stdio.h>
#include <string.h>

/* What of a trace is kept. */
typedef struct {
  const Options *options;
  gboolean op[IO_OPS];
  gboolean *file; /* (array) by file of the trace */
  gboolean *used; /* those that a kept request is on */
  uint64_t kept, cut_times;
} Selection;

/* A `sync` stands for all kinds of sync. */
static gboolean select_ops (Selection *selection, GError **error)
{
  const GPtrArray *ops = selection->options->ops;
  for (unsigned i = 0; i < IO_OPS; i++) {
    selection->op[i] = ops->len == 0;
  }
  for (unsigned i = 0; i < ops->len; i++) {
    gboolean found = FALSE;
    for (unsigned k = 0; k < IO_OPS; k++) {
      const gboolean same = !strcmp (io_op_name ((IoOp) k), ops->pdata[i]);
      const gboolean part = k > IO_SYNC && !strcmp (io_op_name (IO_SYNC), ops->pdata[i]);
      selection->op[k] |= same || part;
      found |= same;
    }
    if (!found) {
      g_autofree char *shown = escape_text_short (ops->pdata[i], -1, 60);
      g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE,
                   "--op: found \"%s\", expected read, write, trim, sync, datasync or sync_file_range", shown);
      return FALSE;
    }
  }
  return TRUE;
}

/* Glob patterns over whole names. */
static void select_files (Selection *selection, const Trace *trace)
{
  const GPtrArray *globs = selection->options->files;
  selection->file = g_new0 (gboolean, trace->files.n + 1);
  selection->used = g_new0 (gboolean, trace->files.n + 1);
  for (uint32_t i = 0; i < trace->files.n; i++) {
    selection->file[i] = globs->len == 0;
    for (unsigned k = 0; k < globs->len; k++) {
      selection->file[i] |= g_pattern_match_simple (globs->pdata[k], trace->files.name[i].text);
    }
  }
}

/* Whether a request is kept; its arrival then counts from --from. */
static gboolean keep (const Selection *selection, uint64_t kept, Io *io)
{
  const Options *options = selection->options;
  if (!selection->op[io->op] || !selection->file[io->file] || io->arrival < options->from ||
      (options->until && io->arrival >= options->until) || (options->limit_ios && kept >= options->limit_ios)) {
    return FALSE;
  }
  io->arrival -= options->from;
  return TRUE;
}

/* One pass over the trace; `writer` NULL: only finds the files that are used. */
static gboolean pass (Selection *selection, const Trace *trace, TraceWriter *writer, GError **error)
{
  IoSource *source = trace->open (trace, error);
  Io io;
  int more = -1;
  selection->kept = selection->cut_times = 0;
  while (source && (more = source->next (source, &io, error)) > 0) {
    if (!keep (selection, selection->kept, &io)) {
      continue;
    }
    selection->kept++;
    selection->used[io.file] = TRUE;
    selection->cut_times += io.arrival % UR_US != 0;
    if (writer) {
      trace_writer_add (writer, trace->files.name[io.file].text, &io);
    }
  }
  io_source_free (source);
  return more == 0;
}

/* ---- what is lost ---- */

static uint64_t fact (const Trace *trace, const char *key)
{
  for (unsigned i = 0; i < trace->info.facts->len; i++) {
    const TraceFact *row = &g_array_index (trace->info.facts, TraceFact, i);
    if (!strcmp (row->key, key)) {
      return row->number;
    }
  }
  return 0;
}

G_GNUC_PRINTF (2, 3)
static void say (const Options *options, const char *format, ...)
{
  va_list arguments;
  if (options->quiet) {
    return;
  }
  va_start (arguments, format);
  g_autofree char *text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  fprintf (stderr, "uringsim: note: %s\n", text);
}

static void say_what_is_lost (const Options *options, const Trace *trace, const Selection *selection)
{
  const TraceInfo *info = &trace->info;
  if (options->as == TRACE_WRITE_IOLOG_V2 && info->has_times) {
    say (options, "lost: times; an iolog of version 2 has none");
  }
  if (options->as != TRACE_WRITE_IOLOG_V2 && !info->has_times) {
    say (options, "the trace has no times: all requests are stamped alike");
  }
  if (options->as == TRACE_WRITE_IOLOG_V3 && selection->cut_times) {
    say (options, "lost: fractions of a microsecond of %" G_GUINT64_FORMAT " times", selection->cut_times);
  }
  if (info->segments > 1) {
    say (options, "lost: the limits of %" G_GUINT64_FORMAT " logs: they are one now", info->segments);
  }
  if (fact (trace, "fs_syncs")) {
    say (options, "%" G_GUINT64_FORMAT " syncfs are sync of one file now", fact (trace, "fs_syncs"));
  }
  if (fact (trace, "latencies") || fact (trace, "completions") || !strcmp (info->format, "fio-log")) {
    say (options, "lost: completions and latencies");
  }
  if (fact (trace, "fua")) {
    say (options, "lost: FUA of %" G_GUINT64_FORMAT " requests", fact (trace, "fua"));
  }
  if (info->skipped) {
    say (options, "lost: %" G_GUINT64_FORMAT " defective lines or records", info->skipped);
  }
}

/* ---- commands ---- */

static gboolean write_trace (Selection *selection, const Trace *trace, GError **error)
{
  const Options *options = selection->options;
  g_autoptr (GError) cause = NULL;
  g_autoptr (TraceWriter) writer = trace_writer_new (options->output, (TraceWriteFormat) options->as, &cause);
  if (writer) {
    for (uint32_t i = 0; i < trace->files.n; i++) {
      if (selection->used[i]) {
        trace_writer_add_file (writer, trace->files.name[i].text);
      }
    }
    if (!pass (selection, trace, writer, error)) {
      return FALSE;
    }
  }
  if (!writer || !trace_writer_finish (writer, &cause)) {
    g_set_error (error, COMMAND_ERROR, COMMAND_ERROR_WRITE, "%s%s", options->output ? "-o " : "", cause->message);
    return FALSE;
  }
  return TRUE;
}

static gboolean convert (const Options *options, const Trace *trace, GError **error)
{
  Selection selection = { .options = options };
  gboolean done = select_ops (&selection, error);
  select_files (&selection, trace);
  done = done && pass (&selection, trace, NULL, error);
  if (done && selection.kept == 0) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: none of %" G_GUINT64_FORMAT " requests is kept; expected at least one", trace->name, trace->ios);
    done = FALSE;
  }
  done = done && write_trace (&selection, trace, error);
  if (done) {
    say_what_is_lost (options, trace, &selection);
  }
  g_free (selection.file);
  g_free (selection.used);
  return done;
}

static CommandExit convert_one (const Options *options, const char *part, GError **error)
{
  g_autoptr (GPtrArray) inputs = trace_inputs (options, part, error);
  if (!inputs) {
    return EXIT_USAGE;
  }
  if (inputs->len != 1) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_ARGUMENTS, "trace %s: found %u traces, expected one", part,
                 inputs->len);
    return EXIT_USAGE;
  }
  g_autoptr (Trace) trace = input_open_trace (inputs->pdata[0], &options->input, NULL, error);
  if (trace && (trace->refusal || !trace->open)) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: %s", trace->name, trace->refusal);
    return EXIT_DATA;
  }
  return trace && convert (options, trace, error) ? EXIT_DONE : EXIT_DATA;
}

CommandExit trace_convert_command (const Options *options, GError **error)
{
  return convert_one (options, "convert", error);
}

CommandExit trace_cut_command (const Options *options, GError **error)
{
  if (options->until && options->until <= options->from) {
    g_set_error (error, OPTIONS_ERROR, OPTIONS_ERROR_VALUE, "--until is not behind --from; expected a later time");
    return EXIT_USAGE;
  }
  return convert_one (options, "cut", error);
}
