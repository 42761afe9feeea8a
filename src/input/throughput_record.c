/* Throughput records.  See throughput_record.h. */
#include "src/input/throughput_record.h"
#include "src/input/fio_job.h"
#include "src/input/input_error.h"
#include "src/input/json_read.h"
#include <string.h>

enum { WORD_MAX = 32, EXTRA_MAX = 1000, COUNT_MAX = 1024, REPS_MAX = 1000000 };

static gboolean read_flag (JsonObject *object, const char *name, JsonPlace place, gboolean *ret, GError **error)
{
  unsigned value = 0;

  if (!json_read_unsigned (object, name, TRUE, 0, 1, place, &value, error)) {
    return FALSE;
  }
  *ret = (gboolean) value;
  return TRUE;
}

static gboolean read_tool (JsonObject *object, JsonPlace place, MeasuredTool *ret, GError **error)
{
  g_autofree char *tool = NULL;

  if (!json_read_text (object, "tool", FALSE, WORD_MAX, place, &tool, error)) {
    return FALSE;
  }
  if (strcmp (tool, "fio") && strcmp (tool, "wq")) {
    return json_fail (place, error, "\"tool\": found \"%s\"; expected \"fio\" or \"wq\"", tool);
  }
  *ret = strcmp (tool, "wq") ? MEASURED_FIO : MEASURED_WQ;
  return TRUE;
}

/* What the tools do not share. */
static gboolean read_tool_members (JsonObject *object, JsonPlace place, MeasuredJob *job, GError **error)
{
  job->nj = job->files = 1;
  if (job->tool == MEASURED_WQ) {
    job->engine = g_strdup ("io_uring");
    job->extra = g_strdup ("");
    return json_read_unsigned (object, "workers", TRUE, 0, 1000000, place, &job->workers, error);
  }
  return json_read_text (object, "eng", FALSE, WORD_MAX, place, &job->engine, error) &&
         json_read_text (object, "extra", TRUE, EXTRA_MAX, place, &job->extra, error) &&
         json_read_unsigned (object, "nj", TRUE, 1, COUNT_MAX, place, &job->nj, error);
}

static MeasuredJob *read_job (JsonObject *object, JsonPlace place, GError **error)
{
  g_autoptr (MeasuredJob) job = g_new0 (MeasuredJob, 1);

  if (!read_tool (object, place, &job->tool, error) || !read_tool_members (object, place, job, error) ||
      !json_read_text (object, "fs", FALSE, WORD_MAX, place, &job->fs, error) ||
      !json_read_text (object, "rw", FALSE, WORD_MAX, place, &job->rw, error) ||
      !json_read_text (object, "bs", FALSE, WORD_MAX, place, &job->bs, error) ||
      !json_read_unsigned (object, "qd", FALSE, 1, FIO_JOB_DEPTH_LIMIT, place, &job->qd, error) ||
      !json_read_unsigned (object, "files", TRUE, 1, COUNT_MAX, place, &job->files, error) ||
      !read_flag (object, "direct", place, &job->direct, error) ||
      !read_flag (object, "sqpoll", place, &job->sqpoll, error) ||
      !read_flag (object, "force_async", place, &job->force_async, error)) {
    return NULL;
  }
  return g_steal_pointer (&job);
}

/* p80 is what ratios are made of; the others are the spread. */
static gboolean read_rate (JsonObject *object, JsonPlace place, MeasuredRate *ret, GError **error)
{
  MeasuredRate rate = { 0 };

  if (!json_read_number (object, "p80", 0.001, MEASUREMENT_RATE_LIMIT, place, &rate.p80, error)) {
    return FALSE;
  }
  rate.p50 = rate.max = rate.min = rate.p80;
  if (!json_read_optional (object, "p50", 0.001, rate.p80, place, &rate.p50, error) ||
      !json_read_optional (object, "max", rate.p80, MEASUREMENT_RATE_LIMIT, place, &rate.max, error) ||
      !json_read_optional (object, "min", 0, rate.p50, place, &rate.min, error)) {
    return FALSE;
  }
  *ret = rate;
  return TRUE;
}

static Measurement *read_record (const ByteLine *line, const char *file, GError **error)
{
  const JsonPlace place = { file, line->number };
  g_autoptr (JsonNode) node = json_read_object (line->text, line->length, place, error);
  g_autoptr (Measurement) record = measurement_new (file, (unsigned) line->number);
  JsonObject *object = node ? json_node_get_object (node) : NULL;

  if (!object || !json_read_unsigned (object, "batch", TRUE, 0, G_MAXINT, place, &record->batch, error) ||
      !json_read_unsigned (object, "reps", TRUE, 1, REPS_MAX, place, &record->reps, error)) {
    return NULL;
  }
  JsonObject *job = json_read_member (object, "job", place, error);
  MeasuredJob *found = job ? read_job (job, place, error) : NULL;
  if (!found) {
    return NULL;
  }
  measurement_take_job (record, found);
  JsonObject *iops = json_read_member (object, "iops", place, error);
  return iops && read_rate (iops, place, &record->iops, error) ? g_steal_pointer (&record) : NULL;
}

static gboolean is_blank (const ByteLine *line)
{
  for (unsigned i = 0; i < line->length; i++) {
    if (!g_ascii_isspace (line->text[i])) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean read_line (const ByteLine *line, const char *file, GPtrArray *records, GError **error)
{
  const JsonPlace place = { file, line->number };

  if (line->too_long) {
    return json_fail (place, error, "a line of more than %u bytes", BYTE_STREAM_LINE_MAX);
  }
  if (is_blank (line)) {
    return TRUE;
  }
  if (records->len >= MEASUREMENT_RECORDS_LIMIT) {
    return json_fail (place, error, "more than %u records", MEASUREMENT_RECORDS_LIMIT);
  }
  Measurement *record = read_record (line, file, error);
  if (record) {
    g_ptr_array_add (records, record);
  }
  return record != NULL;
}

GPtrArray *throughput_records_read (ByteSource *source, GError **error)
{
  const char *file = byte_source_name (source);
  g_autoptr (GPtrArray) records = g_ptr_array_new_with_free_func ((GDestroyNotify) measurement_free);
  ByteStream *stream = byte_stream_new (source, error);
  ByteLine line;
  int more = -1;

  while (stream && (more = byte_stream_next_line (stream, &line, error)) > 0) {
    if (!read_line (&line, file, records, error)) {
      more = -1;
      break;
    }
  }
  byte_stream_free (stream);
  if (more == 0 && !records->len) {
    g_set_error (error, INPUT_ERROR, INPUT_ERROR_DATA, "%s: no record in it", file);
    more = -1;
  }
  return more == 0 ? g_steal_pointer (&records) : NULL;
}
