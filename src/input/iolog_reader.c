/*
 * One pass over an iolog.  See iolog_reader.h.
 */
#include "src/input/iolog_reader.h"
#include "src/input/input_error.h"
#include "src/input/iolog_line.h"
#include <string.h>

/* What the current segment says about a file; `segment` is the segment (from 1) that the bits are of. */
typedef struct {
  uint32_t segment;
  gboolean added : 1, open : 1, implicit : 1;
} FileState;

struct IologReader {
  ByteStream *stream;
  const char *name;
  IologOptions options;
  IologNames *growing; /* first pass only (nullable) */
  const IologNames *names;
  IologInfo *info;      /* first pass only (nullable) */
  GArray *segments;     /* first pass only (nullable) */
  gboolean one_segment; /* stop at the next version line */

  unsigned version;    /* of the current segment; 0 before the first */
  uint32_t segment;    /* from 1; 0 before the first */
  FileState *state;    /* by file */
  uint32_t *successor; /* by file: the one that followed it last; files often take turns */
  uint32_t states;     /* length of both */
  uint32_t last_file;  /* of the line before, or IOLOG_NAME_NONE */

  uint64_t unit_ns;
  uint64_t previous; /* ns stamp of the line before in this segment, 0 at its start */
  gboolean has_previous, has_stamp;
  uint64_t last_stamp; /* of any line */
  uint64_t clock;      /* ns: arrival of the current line */
  uint64_t line_number;
};

/* ---- set-up ---- */

static IologReader *reader_new (ByteSource *source, const IologOptions *options, const IologNames *names,
                                GError **error)
{
  ByteStream *stream = byte_stream_new (source, error);
  if (!stream) {
    return NULL;
  }
  IologReader *reader = g_new0 (IologReader, 1);
  reader->stream = stream;
  reader->name = byte_source_name (source);
  reader->options = *options;
  reader->names = names;
  reader->last_file = IOLOG_NAME_NONE;
  reader->unit_ns = options->unit == IOLOG_UNIT_NS ? 1 : options->unit == IOLOG_UNIT_MS ? 1000000 : 1000;
  return reader;
}

IologReader *iolog_reader_new_first (ByteSource *source, const IologOptions *options, IologNames *names,
                                     IologInfo *info, GArray *segments, GError **error)
{
  IologReader *reader = reader_new (source, options, names, error);
  if (reader) {
    reader->growing = names;
    reader->info = info;
    reader->segments = segments;
  }
  return reader;
}

static void start_segment (IologReader *reader, unsigned version);

IologReader *iolog_reader_new_again (ByteSource *source, const IologOptions *options, const IologNames *names,
                                     const IologSegment *only_segment, GError **error)
{
  IologReader *reader = reader_new (source, options, names, error);
  if (reader && only_segment) {
    if (!byte_stream_skip_to (reader->stream, only_segment->offset, only_segment->line, error)) {
      iolog_reader_free (reader);
      return NULL;
    }
    start_segment (reader, only_segment->version);
    reader->one_segment = TRUE;
  }
  return reader;
}

void iolog_reader_free (IologReader *reader)
{
  if (reader) {
    byte_stream_free (reader->stream);
    g_free (reader->state);
    g_free (reader->successor);
    g_free (reader);
  }
}

/* ---- defects ---- */

/* Lists a defect of the current line. */
static void list_defect (IologReader *reader, const char *text)
{
  if (reader->info && reader->info->n_defects++ < IOLOG_DEFECTS_KEPT) {
    g_ptr_array_add (reader->info->defects,
                     g_strdup_printf ("%s:%" G_GUINT64_FORMAT ": %s", reader->name, reader->line_number, text));
  }
}

/* A defect in the current line, whose text is taken over: an error if strict (-1), else counted and left out (0). */
static int defect (IologReader *reader, char *text, GError **error)
{
  if (!reader->options.lenient) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": %s", reader->name,
                 reader->line_number, text);
  } else if (reader->info) {
    reader->info->skipped++;
    list_defect (reader, text);
  }
  g_free (text);
  return reader->options.lenient ? 0 : -1;
}

static int defect_of_name (IologReader *reader, const IologLine *line, const char *format, GError **error)
{
  g_autofree char *name = input_quote (line->name, line->name_length, 60);
  return defect (reader, g_strdup_printf (format, iolog_action_name (line->action), name), error);
}

/* ---- segments ---- */

static void start_segment (IologReader *reader, unsigned version)
{
  reader->version = reader->options.version ? reader->options.version : version;
  reader->segment++;
  reader->previous = 0;
  reader->has_previous = FALSE;
  if (reader->options.segments == IOLOG_SEGMENTS_PARALLEL) {
    reader->clock = 0;
  }
  if (reader->info) {
    reader->info->segments++;
    if (!reader->info->version) {
      reader->info->version = reader->version;
    }
  }
  if (reader->segments && reader->segments->len <= IOLOG_SEGMENTS_LIMIT) {
    const IologSegment segment = { .offset = byte_stream_offset (reader->stream),
                                   .line = reader->line_number + 1,
                                   .version = reader->version };
    g_array_append_val (reader->segments, segment);
  }
}

/* A version line behind the first.  0: a new segment, or left out; -1: error set; 2: the only segment that is wanted
 * has ended. */
static int version_line (IologReader *reader, uint64_t version, gboolean torn, GError **error)
{
  const gboolean known = version == 2 || version == 3;
  if (torn || !known) {
    char *text = torn ? g_strdup ("another log starts in the middle of this line (two writers on one file); expected "
                                  "one line")
                      : g_strdup_printf ("unknown iolog version %" G_GUINT64_FORMAT "; expected 2 or 3", version);
    if (defect (reader, text, error) < 0) {
      return -1;
    }
  }
  if (!known) {
    return 0;
  }
  if (reader->one_segment) {
    return 2;
  }
  start_segment (reader, (unsigned) version);
  return 0;
}

/* Lines before the first version line.  1: the line belongs to the log after all. */
static int line_before_start (IologReader *reader, const ByteLine *line, GError **error)
{
  uint64_t version;
  const char *p = line->text, *end = p + line->length;
  while (p < end && (*p == ' ' || *p == '\t')) {
    p++;
  }
  if (iolog_line_is_version (p, (unsigned) (end - p), &version)) {
    if (p > line->text && !reader->options.lenient) {
      return defect (reader, g_strdup ("blanks before the version line; expected \"fio version 2 iolog\" or version 3"),
                     error);
    }
    if (p > line->text) {
      list_defect (reader, "blanks before the version line");
    }
    if (version != 2 && version != 3) {
      /* nothing can be read under it, lenient or not */
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                   "%s:%" G_GUINT64_FORMAT ": unknown iolog version %" G_GUINT64_FORMAT "; expected 2 or 3",
                   reader->name, reader->line_number, version);
      return -1;
    }
    start_segment (reader, (unsigned) version);
    return 0;
  }
  if (p == end && reader->options.lenient) {
    if (reader->info) {
      reader->info->leading_blank = TRUE;
      list_defect (reader, "an empty line before the version line");
    }
    return 0;
  }
  if (reader->options.version) {
    start_segment (reader, reader->options.version);
    return 1;
  }
  if (p == end) {
    return defect (reader,
                   g_strdup ("an empty line before the version line; expected \"fio version 2 iolog\" or version 3"),
                   error);
  }
  g_autofree char *found = input_quote (line->text, line->length, 40);
  g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
               "%s:%" G_GUINT64_FORMAT
               ": found \"%s\"; expected the version line \"fio version 2 iolog\" or \"fio version 3 iolog\"",
               reader->name, reader->line_number, found);
  return -1;
}

static IologSegment *current_segment (IologReader *reader)
{
  return reader->segments && reader->segment <= reader->segments->len
             ? &g_array_index (reader->segments, IologSegment, reader->segment - 1)
             : NULL;
}

/* ---- files ---- */

/* Whether the log has added the name by now: the same in every pass. */
static gboolean is_known (const char *name, unsigned length, gpointer data)
{
  const IologReader *reader = data;
  const uint32_t file = iolog_names_find (reader->names, name, length);
  return file < reader->states && reader->state[file].segment == reader->segment && reader->state[file].added;
}

/* The number of the line's file.  1: *ret_file set; 0: left out; -1: error set. */
static int find_file (IologReader *reader, const IologLine *line, uint32_t *ret_file, GError **error)
{
  if (line->is_hint) {
    *ret_file = reader->last_file = reader->successor[reader->last_file];
    return 1;
  }
  uint32_t file = iolog_names_find (reader->names, line->name, line->name_length);
  if (file == IOLOG_NAME_NONE && !reader->growing) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": the log changed while it was in use",
                 reader->name, reader->line_number);
    return -1;
  }
  if (file == IOLOG_NAME_NONE) {
    if (line->name_length > IOLOG_NAME_LIMIT) {
      return defect (reader,
                     g_strdup_printf ("a name of %u bytes; expected at most %u", line->name_length, IOLOG_NAME_LIMIT),
                     error);
    }
    if (reader->growing->n >= IOLOG_FILES_LIMIT) {
      g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s:%" G_GUINT64_FORMAT ": more than %u different file names",
                   reader->name, reader->line_number, IOLOG_FILES_LIMIT);
      return -1;
    }
    file = iolog_names_add (reader->growing, line->name, line->name_length);
  }
  if (file >= reader->states) {
    const uint32_t n = MAX (reader->names->n, reader->states * 2);
    reader->state = g_renew (FileState, reader->state, n);
    memset (reader->state + reader->states, 0, (n - reader->states) * sizeof (FileState));
    reader->successor = g_renew (uint32_t, reader->successor, n);
    for (uint32_t i = reader->states; i < n; i++) {
      reader->successor[i] = i;
    }
    reader->states = n;
  }
  if (reader->last_file != IOLOG_NAME_NONE) {
    reader->successor[reader->last_file] = file;
  }
  reader->last_file = file;
  *ret_file = file;
  return 1;
}

static FileState *state_of (IologReader *reader, uint32_t file)
{
  FileState *state = &reader->state[file];
  if (state->segment != reader->segment) {
    *state = (FileState){ .segment = reader->segment };
  }
  return state;
}

/* A file that is used although the log did not add and open it. */
static int use_unopened (IologReader *reader, const IologLine *line, FileState *state, GError **error)
{
  if (!reader->options.lenient) {
    return defect_of_name (reader, line,
                           state->added ? "%s on \"%s\", which is not open; expected an open line before"
                                        : "%s on \"%s\" before its add line; expected add and open before",
                           error);
  }
  if (reader->info) {
    g_autofree char *name = input_quote (line->name, line->name_length, 60);
    g_autofree char *text = g_strdup_printf ("%s on \"%s\", which is not %s; taken as added and opened",
                                             iolog_action_name (line->action), name, state->added ? "open" : "added");
    list_defect (reader, text);
    reader->info->implicit_files++;
  }
  state->added = state->open = state->implicit = TRUE;
  return 1;
}

static int file_line (IologReader *reader, const IologLine *line, GError **error)
{
  uint32_t file;
  IologInfo *info = reader->info;
  const int found = find_file (reader, line, &file, error);
  if (found <= 0) {
    return found;
  }
  FileState *state = state_of (reader, file);
  switch (line->action) {
  case IOLOG_ADD:
    state->added = TRUE;
    if (info) {
      info->adds++;
    }
    return 0;
  case IOLOG_OPEN:
    if (!state->added) {
      const int used = use_unopened (reader, line, state, error);
      return used < 0 ? -1 : 0;
    }
    if (state->open && !state->implicit) {
      return defect_of_name (reader, line, "%s of \"%s\", which is open; expected a close line before", error);
    }
    state->open = TRUE;
    state->implicit = FALSE;
    if (info) {
      info->opens++;
    }
    return 0;
  default:
    if (!state->added) {
      return defect_of_name (reader, line, "%s of \"%s\" before its add line; expected add and open before", error);
    }
    state->open = state->implicit = FALSE;
    if (info) {
      info->closes++;
    }
    return 0;
  }
}

/* ---- time ---- */

/* Moves the clock to this line.  1: done; 0: left out; -1: error set. */
static int keep_time (IologReader *reader, uint64_t time, uint64_t *ret_stamp, uint64_t *ret_delay, GError **error)
{
  uint64_t stamp, delay = 0;
  if (__builtin_mul_overflow (time, reader->unit_ns, &stamp) || stamp > G_MAXINT64) {
    return defect (reader,
                   g_strdup_printf ("time %" G_GUINT64_FORMAT " %s passes 292 years; expected a smaller one", time,
                                    iolog_unit_name (reader->options.unit)),
                   error);
  }
  /* fio keeps no delay while the stamp before is 0; the others know whether there is one. */
  const gboolean counts = reader->options.order == IOLOG_ORDER_ASIS ? reader->previous != 0 : reader->has_previous;
  if (counts && stamp > reader->previous) {
    delay = stamp - reader->previous;
  }
  if (__builtin_add_overflow (reader->clock, delay, &reader->clock) || reader->clock > G_MAXINT64) {
    return defect (reader, g_strdup ("the times add up to more than 292 years"), error);
  }
  if (reader->info) {
    IologInfo *info = reader->info;
    if (reader->has_stamp && stamp < reader->last_stamp) {
      info->back_steps++;
    }
    info->first_ns = reader->has_stamp ? MIN (info->first_ns, stamp) : stamp;
    info->last_ns = MAX (info->last_ns, stamp);
    IologSegment *segment = current_segment (reader);
    if (segment) {
      segment->first_stamp = reader->has_previous ? MIN (segment->first_stamp, stamp) : stamp;
    }
  }
  reader->previous = reader->last_stamp = stamp;
  reader->has_previous = reader->has_stamp = TRUE;
  *ret_stamp = stamp;
  *ret_delay = delay;
  return 1;
}

static int wait_line (IologReader *reader, uint64_t amount, GError **error)
{
  if (reader->info) {
    reader->info->waits++;
  }
  if (reader->version >= 3) {
    return 0; /* fio leaves it out as well; a warning says so */
  }
  const uint64_t factor = reader->options.wait == IOLOG_WAIT_REL_US ? 1000 : 1000000;
  uint64_t ns, until;
  if (reader->options.wait == IOLOG_WAIT_REL_US && amount < 100) {
    return 0; /* too short to be waited for, by the manual */
  }
  if (__builtin_mul_overflow (amount, factor, &ns) || ns > G_MAXINT64 ||
      __builtin_add_overflow (reader->options.wait == IOLOG_WAIT_FIO ? 0 : reader->clock, ns, &until) ||
      until > G_MAXINT64) {
    return defect (
        reader, g_strdup_printf ("wait %" G_GUINT64_FORMAT " passes 292 years; expected a smaller one", amount), error);
  }
  reader->clock = MAX (reader->clock, until);
  return 0;
}

/* ---- requests ---- */

static const IoOp op_of[IOLOG_ACTIONS] = {
  [IOLOG_READ] = IO_READ,   [IOLOG_WRITE] = IO_WRITE,       [IOLOG_TRIM] = IO_TRIM,
  [IOLOG_SYNC] = IO_SYNC,   [IOLOG_DATASYNC] = IO_DATASYNC, [IOLOG_SYNC_FILE_RANGE] = IO_SYNC_FILE_RANGE,
  [IOLOG_SYNCFS] = IO_SYNC,
};

static void count (IologReader *reader, const IologLine *line, const Io *io, uint64_t stamp)
{
  IologInfo *info = reader->info;
  if (info->reads + info->writes + info->trims + info->syncs == 0) {
    info->first_io_ns = stamp;
  }
  switch (io->op) {
  case IO_READ:
    info->reads++;
    info->read_bytes += io->length;
    break;
  case IO_WRITE:
    info->writes++;
    info->write_bytes += io->length;
    break;
  case IO_TRIM:
    if (!info->trims) {
      info->first_trim = reader->line_number;
    }
    info->trims++;
    info->trim_bytes += io->length;
    break;
  default:
    info->syncs++;
    info->datasyncs += io->op == IO_DATASYNC;
    info->range_syncs += io->op == IO_SYNC_FILE_RANGE;
    info->fs_syncs += line->action == IOLOG_SYNCFS;
    break;
  }
  if (io->op <= IO_TRIM) {
    IologName *name = &reader->growing->name[io->file];
    const uint64_t end = io->offset + io->length;
    name->end = MAX (name->end, end);
    info->max_end = MAX (info->max_end, end);
    info->zero_lengths += io->length == 0;
    info->large_lengths += io->length > UINT32_MAX;
  }
  if (reader->segment == 1 || reader->options.segments != IOLOG_SEGMENTS_FIRST) {
    info->duration_ns = MAX (info->duration_ns, io->arrival);
  }
  IologSegment *segment = current_segment (reader);
  if (segment) {
    if (io->op == IO_TRIM && !segment->ios[io->op]) {
      segment->first_trim = reader->line_number;
    }
    segment->ios[io->op]++;
    segment->last_stamp = MAX (segment->last_stamp, stamp);
  }
}

static int io_line (IologReader *reader, const IologLine *line, IologRecord *record, GError **error)
{
  const IoOp op = op_of[line->action];
  const gboolean has_range = op <= IO_TRIM;
  uint64_t end;
  if (has_range && (__builtin_add_overflow (line->offset, line->length, &end) || end > G_MAXINT64)) {
    return defect (reader,
                   g_strdup_printf ("offset %" G_GUINT64_FORMAT " plus length %" G_GUINT64_FORMAT
                                    " passes 2^63-1, the end of the largest file",
                                    line->offset, line->length),
                   error);
  }
  uint32_t file;
  const int found = find_file (reader, line, &file, error);
  if (found <= 0) {
    return found;
  }
  FileState *state = state_of (reader, file);
  if (!state->open) {
    const int used = use_unopened (reader, line, state, error);
    if (used <= 0) {
      return used;
    }
  }
  record->io = (Io){ .arrival = reader->clock,
                     .file = file,
                     .op = op,
                     .offset = has_range ? line->offset : 0,
                     .length = has_range ? line->length : 0 };
  record->segment = reader->segment - 1;
  if (reader->info) {
    count (reader, line, &record->io, record->stamp);
  }
  return 1;
}

/* ---- lines ---- */

static void note_form (IologInfo *info, const ByteLine *line)
{
  info->lines = line->number;
  if (G_UNLIKELY (line->had_cr)) {
    info->crlf = TRUE;
  }
  if (G_UNLIKELY (!line->has_newline)) {
    info->cut_end = TRUE;
  }
}

/* The name that is likely to come next.  One with blanks is not offered: it could stand for another reading. */
static const IologName *expected_name (const IologReader *reader)
{
  if (reader->last_file == IOLOG_NAME_NONE) {
    return NULL;
  }
  const IologName *name = &reader->names->name[reader->successor[reader->last_file]];
  return name->has_blank ? NULL : name;
}

/* 1: a request; 0: nothing to do; -1: error set; 2: the end of the only segment that is wanted. */
static int read_line (IologReader *reader, const ByteLine *text, IologRecord *record, GError **error)
{
  IologLine line;
  reader->line_number = text->number;
  if (reader->info) {
    note_form (reader->info, text);
  }
  if (text->too_long) {
    return defect (reader, g_strdup_printf ("a line of more than %u bytes", BYTE_STREAM_LINE_MAX), error);
  }
  if (reader->version == 0) {
    const int belongs = line_before_start (reader, text, error);
    if (belongs <= 0) {
      return belongs;
    }
  }
  const IologName *hint = expected_name (reader);
  switch (iolog_line_parse (text->text, text->length, reader->version, hint ? hint->text : NULL,
                            hint ? hint->length : 0, is_known, reader, &line)) {
  case IOLOG_LINE_EMPTY:
    if (reader->info) {
      reader->info->comments += text->length > 0;
    }
    return 0;
  case IOLOG_LINE_VERSION:
    return version_line (reader, line.offset, FALSE, error);
  case IOLOG_LINE_TORN:
    return version_line (reader, line.offset, TRUE, error);
  case IOLOG_LINE_BAD:
    return defect (reader, iolog_line_problem (text->text, text->length, reader->version), error);
  default:
    break;
  }
  if (line.trailing && reader->info) {
    reader->info->trailing_words++;
  }
  record->stamp = record->delay = 0;
  if (reader->version >= 3) {
    const int kept = keep_time (reader, line.time, &record->stamp, &record->delay, error);
    if (kept <= 0) {
      return kept;
    }
  }
  if (!iolog_action_is_io (line.action)) {
    return file_line (reader, &line, error);
  }
  if (line.action == IOLOG_WAIT) {
    return wait_line (reader, line.offset, error);
  }
  return io_line (reader, &line, record, error);
}

int iolog_reader_next (IologReader *reader, IologRecord *ret_record, GError **error)
{
  ByteLine line;
  int more;
  while ((more = byte_stream_next_line (reader->stream, &line, error)) > 0) {
    const int result = read_line (reader, &line, ret_record, error);
    if (result == 2) {
      return 0;
    }
    if (result != 0) {
      return result;
    }
  }
  if (reader->info) {
    reader->info->bom = byte_stream_had_bom (reader->stream);
  }
  return more;
}
