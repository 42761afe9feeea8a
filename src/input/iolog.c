/*
 * iologs: the first pass, and the streams of the replays.  See iolog.h.
 */
#include "src/input/iolog.h"
#include "src/input/input_error.h"
#include "src/input/iolog_names.h"
#include "src/input/iolog_reader.h"
#include <string.h>

struct Iolog {
  gatomicrefcount references;
  ByteSource *source;
  IologOptions options;
  IologInfo info;
  IologNames names;
  GArray *segments; /* of IologSegment */
};

/* ---- words ---- */

static gboolean find_word (const char *word, const char *const *words, unsigned n, unsigned *ret_index)
{
  for (unsigned i = 0; i < n; i++) {
    if (!strcmp (word, words[i])) {
      *ret_index = i;
      return TRUE;
    }
  }
  return FALSE;
}

#define IOLOG_WORDS(Type, name, ...)                                            \
  static const char *const name##_words[] = { __VA_ARGS__ };                    \
  gboolean iolog_##name##_parse (const char *word, Type *ret_##name)            \
  {                                                                             \
    unsigned index;                                                             \
    if (!find_word (word, name##_words, G_N_ELEMENTS (name##_words), &index)) { \
      return FALSE;                                                             \
    }                                                                           \
    *ret_##name = (Type) index;                                                 \
    return TRUE;                                                                \
  }                                                                             \
  const char *iolog_##name##_name (Type name) { return name##_words[name]; }

IOLOG_WORDS (IologWait, wait, "fio", "rel-us", "rel-ms")
IOLOG_WORDS (IologOrder, order, "asis", "sort", "segment")
IOLOG_WORDS (IologSegments, segments, "sequential", "parallel", "first")
IOLOG_WORDS (IologUnit, unit, "us", "ns", "ms")

/* ---- warnings ---- */

static void warn (IologInfo *info, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void warn (IologInfo *info, const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  g_ptr_array_add (info->warnings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

#define COUNT G_GUINT64_FORMAT

static void warn_of_form (IologInfo *info)
{
  if (info->bom) {
    warn (info, "a UTF-8 byte order mark at the start was skipped");
  }
  if (info->leading_blank) {
    warn (info, "empty lines before the version line were skipped");
  }
  if (info->crlf) {
    warn (info, "lines end in CR LF");
  }
  if (info->cut_end) {
    warn (info, "the last line has no newline: it may be cut, and its last number with it");
  }
  if (info->trailing_words) {
    warn (info, "%" COUNT " lines have words behind the last field; they are left out, as fio does",
          info->trailing_words);
  }
}

static void warn_of_requests (IologInfo *info)
{
  if (info->zero_lengths) {
    warn (info, "%" COUNT " requests of length 0 (fio 3.33 ends the job at the first one)", info->zero_lengths);
  }
  if (info->large_lengths) {
    warn (info, "%" COUNT " lengths of 4 GiB and more (fio cuts them to 32 bits)", info->large_lengths);
  }
  if (info->fs_syncs) {
    warn (info, "%" COUNT " syncfs lines are replayed as fsync of the file they name", info->fs_syncs);
  }
  if (info->range_syncs) {
    warn (info, "%" COUNT " sync_file_range lines: their offsets are stale values of fio's and are not used",
          info->range_syncs);
  }
  if (info->implicit_files) {
    warn (info, "%" COUNT " files were used before their add or open line: taken as added and opened",
          info->implicit_files);
  }
  if (info->skipped) {
    warn (info, "%" COUNT " defective lines were left out", info->skipped);
  }
}

/* long_gaps: of the gaps between requests, those above 100 ms. */
static void warn_of_time (IologInfo *info, const IologOptions *options, uint64_t gaps, uint64_t long_gaps)
{
  const uint64_t day = 86400 * UR_S;
  if (info->version >= 3 && info->waits) {
    warn (info, "%" COUNT " wait lines in a version 3 log are left out, as fio does", info->waits);
  }
  if (info->back_steps) {
    warn (info, "time goes backwards %" COUNT " times; read with order %s", info->back_steps,
          iolog_order_name (options->order));
  }
  if (info->version >= 3 && info->span_ns > 7 * day) {
    warn (info, "the stamps span %.1f days when read as %s: another unit may be meant (ns, us, ms)",
          (double) info->span_ns / (double) day, iolog_unit_name (options->unit));
  } else if (info->version >= 3 && info->span_ns > 600 * UR_S && long_gaps * 2 > gaps) {
    warn (info,
          "more than half of the gaps are above 100 ms and the stamps span %.0f s when read as %s: "
          "another unit may be meant (ns, us, ms)",
          (double) info->span_ns / (double) UR_S, iolog_unit_name (options->unit));
  }
  if (info->segments > 1) {
    warn (info, "%" COUNT " logs in one file, put together as %s", info->segments,
          iolog_segments_name (options->segments));
  }
}

/* ---- the first pass ---- */

static uint64_t requests (const IologInfo *info) { return info->reads + info->writes + info->trims + info->syncs; }

static gboolean needs_sorting (const Iolog *iolog)
{
  return iolog->options.order == IOLOG_ORDER_SORT && iolog->info.back_steps > 0;
}

static uint64_t segment_ios (const IologSegment *segment)
{
  uint64_t ios = 0;
  for (unsigned i = 0; i < IO_OPS; i++) {
    ios += segment->ios[i];
  }
  return ios;
}

static gboolean check_limits (const Iolog *iolog, GError **error)
{
  const char *name = byte_source_name (iolog->source);
  if (requests (&iolog->info) == 0) {
    g_autofree char *first = iolog->info.defects->len ? g_strdup_printf ("; the first defect: %s",
                                                                         (char *) iolog->info.defects->pdata[0])
                                                      : g_strdup ("");
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: no request in %" COUNT " lines; expected read, write, trim or sync lines%s", name,
                 iolog->info.lines, first);
    return FALSE;
  }
  if (needs_sorting (iolog) && requests (&iolog->info) > IOLOG_SORT_LIMIT) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE,
                 "%s: order sort holds the requests in memory, at most %" COUNT "; the log has %" COUNT
                 ": use order segment, or cut it",
                 name, IOLOG_SORT_LIMIT, requests (&iolog->info));
    return FALSE;
  }
  if (iolog->options.segments == IOLOG_SEGMENTS_PARALLEL && iolog->info.segments > IOLOG_SEGMENTS_LIMIT) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_USAGE,
                 "%s: %" COUNT " logs in one file; segments parallel takes at most %u", name, iolog->info.segments,
                 IOLOG_SEGMENTS_LIMIT);
    return FALSE;
  }
  return TRUE;
}

/* When the last request arrives if each segment is sorted. */
static uint64_t sorted_duration (const Iolog *iolog)
{
  uint64_t sum = 0, longest = 0;
  for (unsigned i = 0; i < iolog->segments->len; i++) {
    const IologSegment *segment = &g_array_index (iolog->segments, IologSegment, i);
    const uint64_t duration = segment_ios (segment) ? segment->last_stamp - segment->first_stamp : 0;
    sum += duration;
    longest = MAX (longest, duration);
    if (iolog->options.segments == IOLOG_SEGMENTS_FIRST) {
      break;
    }
  }
  return iolog->options.segments == IOLOG_SEGMENTS_PARALLEL ? longest : sum;
}

static gboolean first_pass (Iolog *iolog, GError **error)
{
  IologInfo *info = &iolog->info;
  IologReader *reader =
      iolog_reader_new_first (iolog->source, &iolog->options, &iolog->names, info, iolog->segments, error);
  if (!reader) {
    return FALSE;
  }
  IologRecord record;
  uint64_t before = 0, gaps = 0, long_gaps = 0;
  int more;
  while ((more = iolog_reader_next (reader, &record, error)) > 0) {
    gaps++;
    long_gaps += record.io.arrival > before + 100 * UR_MS;
    before = record.io.arrival;
  }
  iolog_reader_free (reader);
  if (more < 0) {
    return FALSE;
  }
  info->files = iolog->names.n;
  info->has_times = info->version >= 3 || info->waits > 0;
  info->span_ns = info->last_ns - info->first_ns;
  if (!check_limits (iolog, error)) {
    return FALSE;
  }
  if (needs_sorting (iolog)) {
    info->duration_ns = sorted_duration (iolog);
  }
  warn_of_form (info);
  warn_of_requests (info);
  warn_of_time (info, &iolog->options, gaps, long_gaps);
  return TRUE;
}

Iolog *iolog_open (ByteSource *source, const IologOptions *options, GError **error)
{
  Iolog *iolog = g_new0 (Iolog, 1);
  g_atomic_ref_count_init (&iolog->references);
  iolog->source = byte_source_ref (source);
  iolog->options = *options;
  iolog->segments = g_array_new (FALSE, TRUE, sizeof (IologSegment));
  iolog->info.defects = g_ptr_array_new_with_free_func (g_free);
  iolog->info.warnings = g_ptr_array_new_with_free_func (g_free);
  iolog_names_init (&iolog->names);
  if (!first_pass (iolog, error)) {
    iolog_unref (iolog);
    return NULL;
  }
  return iolog;
}

Iolog *iolog_ref (Iolog *iolog)
{
  g_atomic_ref_count_inc (&iolog->references);
  return iolog;
}

void iolog_unref (Iolog *iolog)
{
  if (iolog && g_atomic_ref_count_dec (&iolog->references)) {
    byte_source_unref (iolog->source);
    iolog_names_clear (&iolog->names);
    g_array_unref (iolog->segments);
    g_ptr_array_unref (iolog->info.defects);
    g_ptr_array_unref (iolog->info.warnings);
    g_free (iolog);
  }
}

const IologInfo *iolog_info (const Iolog *iolog) { return &iolog->info; }

const IologOptions *iolog_options (const Iolog *iolog) { return &iolog->options; }

const char *iolog_file_name (const Iolog *iolog, uint32_t file)
{
  g_return_val_if_fail (file < iolog->names.n, NULL);
  return iolog->names.name[file].text;
}

uint64_t iolog_file_end (const Iolog *iolog, uint32_t file)
{
  g_return_val_if_fail (file < iolog->names.n, 0);
  return iolog->names.name[file].end;
}

unsigned iolog_streams (const Iolog *iolog)
{
  return iolog->options.segments == IOLOG_SEGMENTS_PARALLEL ? (unsigned) iolog->info.segments : 1;
}

static const IologSegment *only_segment (const Iolog *iolog, unsigned stream)
{
  return iolog->options.segments == IOLOG_SEGMENTS_SEQUENTIAL ? NULL
                                                              : &g_array_index (iolog->segments, IologSegment, stream);
}

uint64_t iolog_stream_ios (const Iolog *iolog, unsigned stream)
{
  const IologSegment *segment = only_segment (iolog, stream);
  return segment ? segment_ios (segment) : requests (&iolog->info);
}

/* ---- streams ---- */

static uint64_t skipped_ios (const Iolog *iolog, const IologSegment *segment, const gboolean skip[IO_OPS])
{
  const IologInfo *info = &iolog->info;
  const uint64_t syncs = info->syncs - info->datasyncs - info->range_syncs;
  const uint64_t all[IO_OPS] = { info->reads, info->writes, info->trims, syncs, info->datasyncs, info->range_syncs };
  uint64_t skipped = 0;
  for (unsigned i = 0; i < IO_OPS; i++) {
    skipped += skip[i] ? (segment ? segment->ios[i] : all[i]) : 0;
  }
  return skipped;
}

IologStream *iolog_stream_new (Iolog *iolog, unsigned stream, const uint32_t *files, const IologReplay *replay)
{
  IologStream *result = g_new0 (IologStream, 1);
  result->iolog = iolog_ref (iolog);
  result->stream = stream;
  result->files = g_memdup2 (files, iolog->names.n * sizeof *files);
  if (replay) {
    result->replay = *replay;
  }
  result->ios =
      iolog_stream_ios (iolog, stream) - skipped_ios (iolog, only_segment (iolog, stream), result->replay.skip);
  return result;
}

char *iolog_stream_trims_at (const IologStream *stream)
{
  const IologSegment *segment = only_segment (stream->iolog, stream->stream);
  const uint64_t line = segment ? segment->first_trim : stream->iolog->info.first_trim;
  if (!line || stream->replay.skip[IO_TRIM]) {
    return NULL;
  }
  return g_strdup_printf ("%s:%" COUNT, byte_source_name (stream->iolog->source), line);
}

void iolog_stream_free (IologStream *stream)
{
  if (stream) {
    iolog_unref (stream->iolog);
    g_free (stream->files);
    g_free (stream);
  }
}

typedef struct {
  IoSource base;
  const IologStream *stream;
  IologReader *reader;
  uint64_t expected, seen; /* requests, those that are skipped included */
  uint64_t lost;           /* ns of delay of skipped requests */
  GArray *sorted;          /* of IologRecord (nullable) */
  unsigned next;
} LogSource;

/* The next request of the log, sorted or as it comes. */
static int next_record (LogSource *source, IologRecord *record, GError **error)
{
  if (source->sorted) {
    if (source->next == source->sorted->len) {
      return 0;
    }
    *record = g_array_index (source->sorted, IologRecord, source->next++);
    source->seen++;
    return 1;
  }
  const int more = iolog_reader_next (source->reader, record, error);
  if (more > 0) {
    source->seen++;
  }
  if ((more > 0 && source->seen > source->expected) || (more == 0 && source->seen != source->expected)) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA,
                 "%s: the log changed while it was in use: expected %" COUNT " requests",
                 byte_source_name (source->stream->iolog->source), source->expected);
    return -1;
  }
  return more;
}

static int log_next (IoSource *base, Io *ret_io, GError **error)
{
  LogSource *source = (LogSource *) base;
  const IologReplay *replay = &source->stream->replay;
  IologRecord record;
  for (;;) {
    const int more = next_record (source, &record, error);
    if (more <= 0) {
      return more;
    }
    if (!replay->skip[record.io.op]) {
      break;
    }
    source->lost += record.delay;
  }
  *ret_io = record.io;
  ret_io->file = source->stream->files[record.io.file];
  ret_io->arrival = replay->no_stall ? 0 : record.io.arrival - source->lost;
  if (replay->time_scale && replay->time_scale != 100) {
    ret_io->arrival =
        (uint64_t) MIN ((unsigned __int128) ret_io->arrival * 100 / replay->time_scale, (unsigned __int128) G_MAXINT64);
  }
  if (ret_io->op <= IO_TRIM) {
    if (replay->scale > 1) {
      ret_io->offset /= replay->scale;
    }
    if (replay->align > 1) {
      ret_io->offset -= ret_io->offset % replay->align;
    }
  }
  return 1;
}

static void log_free (IoSource *base)
{
  LogSource *source = (LogSource *) base;
  iolog_reader_free (source->reader);
  g_clear_pointer (&source->sorted, g_array_unref);
  g_free (source);
}

static int compare_records (gconstpointer a, gconstpointer b)
{
  const IologRecord *one = a, *two = b;
  if (one->segment != two->segment) {
    return one->segment < two->segment ? -1 : 1;
  }
  return one->stamp < two->stamp ? -1 : one->stamp > two->stamp;
}

/* Each segment by time, and behind the one before it. */
static void set_sorted_arrivals (const LogSource *source, GArray *records)
{
  const Iolog *iolog = source->stream->iolog;
  uint64_t base = 0, before = 0;
  uint32_t segment = UINT32_MAX;
  for (unsigned i = 0; i < records->len; i++) {
    IologRecord *record = &g_array_index (records, IologRecord, i);
    if (record->segment != segment) {
      segment = record->segment;
      base = before;
    }
    const unsigned listed = iolog->options.segments == IOLOG_SEGMENTS_SEQUENTIAL ? segment : source->stream->stream;
    const uint64_t first = listed < iolog->segments->len
                               ? g_array_index (iolog->segments, IologSegment, listed).first_stamp
                               : record->stamp;
    record->io.arrival = base + (record->stamp - MIN (first, record->stamp));
    record->delay = record->io.arrival - before;
    before = record->io.arrival;
  }
}

static gboolean sort (LogSource *source, GError **error)
{
  GArray *records = g_array_sized_new (FALSE, FALSE, sizeof (IologRecord), (guint) source->expected);
  IologRecord record;
  int more;
  while ((more = next_record (source, &record, error)) > 0) {
    g_array_append_val (records, record);
  }
  if (more < 0) {
    g_array_unref (records);
    return FALSE;
  }
  g_array_sort (records, compare_records); /* a merge sort: equal stamps keep their order */
  set_sorted_arrivals (source, records);
  source->sorted = records;
  source->seen = 0;
  return TRUE;
}

IoSource *iolog_stream_open (gconstpointer closure, GError **error)
{
  const IologStream *stream = closure;
  const Iolog *iolog = stream->iolog;
  const IologSegment *segment = only_segment (iolog, stream->stream);
  IologReader *reader = iolog_reader_new_again (iolog->source, &iolog->options, &iolog->names, segment, error);
  if (!reader) {
    return NULL;
  }
  LogSource *source = g_new0 (LogSource, 1);
  source->base = (IoSource){ .next = log_next, .free = log_free };
  source->stream = stream;
  source->reader = reader;
  source->expected = iolog_stream_ios (iolog, stream->stream);
  if (needs_sorting (iolog) && !sort (source, error)) {
    log_free (&source->base);
    return NULL;
  }
  return &source->base;
}
