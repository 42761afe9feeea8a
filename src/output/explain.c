/* From the record of a request to sentences: see explain.h. */
#include "src/output/explain.h"

#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/json_write.h"

#include <string.h>

enum { COLUMNS = 100, TEXT_AT = 14 };

static void step_clear (gpointer data) { g_free (((ExplainStep *) data)->text); }

static const char *op_function (IoOp op)
{
  switch (op) {
  case IO_READ:
    return "io_read()";
  case IO_WRITE:
    return "io_write()";
  case IO_SYNC_FILE_RANGE:
    return "io_sync_file_range()";
  default:
    return "io_fsync()";
  }
}

static const char *vfs_function (IoOp op)
{
  return op == IO_READ ? "vfs_read()" : op == IO_WRITE ? "vfs_write()" : "vfs_fsync_range()";
}

static const char *task_article (ResultTask kind)
{
  static const char *const words[] = { "the application", "the sq_thread", "a worker", "the flusher", "nobody" };

  return words[kind];
}

/* "a buffered write of 4 KiB at offset 1,048,576 of "f"" (transfer full) */
static char *what_text (const RequestLife *life, const ExplainContext *context)
{
  if (life->opcode == REQUEST_NOP) {
    return g_strdup ("an IORING_OP_NOP");
  }
  const WorkloadFile *file = g_ptr_array_index (context->workload->files, life->io.file);
  g_autofree char *name = escape_text_short (file->name, -1, 60);
  g_autofree char *bytes = format_bytes ((double) life->io.length);
  g_autofree char *offset = format_count (life->io.offset);

  return life->io.op > IO_TRIM
             ? g_strdup_printf ("a %s of \"%s\"", io_op_name (life->io.op), name)
             : g_strdup_printf ("a %s %s of %s at offset %s of \"%s\"", life->direct ? "direct" : "buffered",
                                io_op_name (life->io.op), bytes, offset, name);
}

static char *result_text (const RequestLife *life)
{
  if (life->result < 0) {
    return g_strdup_printf ("-%s", g_strerror ((int) -life->result));
  }
  if (life->io.op > IO_TRIM) {
    return g_strdup ("0");
  }
  g_autofree char *count = format_count ((uint64_t) life->result);
  return g_strdup_printf ("%s bytes", count);
}

/* "worker iou-wrk-3", "the application", "the helper thread". (transfer full) */
static char *who_text (const ExplainedLife *explained)
{
  const RequestLife *life = &explained->life;

  if (life->engine == APPLICATION_POSIXAIO && life->time.started) {
    return g_strdup ("the helper thread");
  }
  return life->executor_kind == RESULT_WORKER
             ? g_strdup_printf ("worker %s (task %u)", explained->executor_name, life->executor)
             : g_strdup (task_article (life->executor_kind));
}

static char *capital (const char *text)
{
  char *copy = g_strdup (text);

  copy[0] = g_ascii_toupper (copy[0]);
  return copy;
}

static void put_name (GString *out, const char *name, const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  const RequestTimes *time = &life->time;
  const PolicyQueue *queue = life->queue < context->policy->n_queues ? &context->policy->queues[life->queue] : NULL;
  g_autofree char *text = NULL;

  if (g_str_equal (name, "what")) {
    text = what_text (life, context);
  } else if (g_str_equal (name, "op")) {
    text = g_strdup (op_function (life->io.op));
  } else if (g_str_equal (name, "reason")) {
    text = g_strdup (again_reason_text (life->again));
  } else if (g_str_equal (name, "queue")) {
    text = g_strdup_printf ("\"%s\"", queue ? queue->name : "?");
  } else if (g_str_equal (name, "key")) {
    text = g_strdup (queue && queue->hash == HASH_RING ? "ring" : queue && queue->hash == HASH_FILE ? "file" : "inode");
  } else if (g_str_equal (name, "bucket")) {
    text = g_strdup_printf ("%u", life->bucket);
  } else if (g_str_equal (name, "who")) {
    text = who_text (explained);
  } else if (g_str_equal (name, "Who")) {
    g_autofree char *who = who_text (explained);
    text = capital (who);
  } else if (g_str_equal (name, "wake")) {
    g_autofree char *ns = format_time ((double) time->queue_wakeup);
    text = time->queue_wakeup ? g_strdup_printf (", once it is awake (%s)", ns) : g_strdup ("");
  } else if (g_str_equal (name, "file")) {
    const WorkloadFile *file = g_ptr_array_index (context->workload->files, life->io.file);
    g_autofree char *quoted = escape_text_short (file->name, -1, 60);
    text = g_strdup_printf ("\"%s\"", quoted);
  } else if (g_str_equal (name, "holder")) {
    text = g_strdup (task_article (life->lock_holder));
  } else if (g_str_equal (name, "waited")) {
    text = format_time ((double) (time->lock_got - time->lock_wanted));
  } else if (g_str_equal (name, "total")) {
    text = format_time ((double) (time->reaped - time->prepared));
  } else if (g_str_equal (name, "result")) {
    text = result_text (life);
  }
  g_assert (text);
  g_string_append (out, text);
}

static char *fill_in (const char *words, const ExplainedLife *life, const ExplainContext *context)
{
  GString *out = g_string_new (NULL);

  while (*words) {
    gsize length = strcspn (words, "$");

    g_string_append_len (out, words, (gssize) length);
    words += length;
    if (*words == '$') {
      g_autofree char *name = NULL;

      for (length = 1; g_ascii_isalpha (words[length]);) {
        length++;
      }
      name = g_strndup (words + 1, length - 1);
      put_name (out, name, life, context);
      words += length;
    }
  }
  return g_string_free (out, FALSE);
}

static void add (GArray *steps, ExplainEvent event, UrTime time, const ExplainedLife *life,
                 const ExplainContext *context)
{
  const ExplainWords *row = explain_words (event, context->kernel);
  ExplainStep step = { .event = event, .time = time, .function = row->function, .tracepoint = row->tracepoint };

  if (g_str_equal (row->function, "$op")) {
    step.function = op_function (life->life.io.op);
  } else if (g_str_equal (row->function, "$vfs")) {
    step.function = vfs_function (life->life.io.op);
  } else if (g_str_equal (row->function, "$fs")) {
    step.function = explain_fs_function (context->fs, life->life.io.op, context->kernel);
  }
  step.text = fill_in (row->words, life, context);
  g_array_append_val (steps, step);
}

static gboolean is_workqueue (const RequestLife *life, const ExplainContext *context)
{
  return life->queue < context->policy->n_queues && context->policy->queues[life->queue].kind == QUEUE_WORKQUEUE;
}

/* Somebody did it, or tried; else it was cancelled before. */
static gboolean was_issued (const RequestLife *life)
{
  return life->opcode == REQUEST_NOP || life->executor_kind != RESULT_NOBODY || life->again != AGAIN_NONE;
}

static void add_submission (GArray *steps, const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  const RequestTimes *time = &life->time;

  if (life->synchronous || life->engine == APPLICATION_PSYNC) {
    add (steps, EXPLAIN_CALLED, time->attempt, explained, context);
    return;
  }
  if (life->engine == APPLICATION_POSIXAIO && time->started) {
    add (steps, EXPLAIN_AIO_QUEUED, time->attempt, explained, context);
    add (steps, EXPLAIN_AIO_STARTED, time->started, explained, context);
    return;
  }
  if (life->engine != APPLICATION_IO_URING) {
    add (steps, EXPLAIN_AIO_SUBMITTED, time->attempt, explained, context);
    return;
  }
  add (steps, life->by_sq_thread ? EXPLAIN_SUBMITTED_BY_SQ_THREAD : EXPLAIN_SUBMITTED, time->submitted, explained, context);
  if (life->chained || life->malformed || !was_issued (life)) {
    return;
  }
  if (time->attempt > time->submitted) {
    add (steps, EXPLAIN_DEFERRED, time->attempt, explained, context);
  }
  if (life->opcode == REQUEST_NOP && life->again == AGAIN_NONE) {
    return;
  }
  if (life->again == AGAIN_NO_TRY || life->again == AGAIN_DEFERRED) {
    add (steps, EXPLAIN_NOT_TRIED, time->verdict, explained, context);
    return;
  }
  add (steps, life->blocking ? EXPLAIN_BLOCKING : EXPLAIN_ATTEMPTED, time->attempt, explained, context);
  if (life->again != AGAIN_NONE && (time->queued || life->outcome == OUTCOME_FAILED)) {
    add (steps, EXPLAIN_REFUSED, time->verdict, explained, context);
  }
}

static void add_hand_off (GArray *steps, const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  const gboolean workqueue = is_workqueue (life, context);

  if (life->engine == APPLICATION_POSIXAIO) {
    return; /* no queue of the policy */
  }
  if (life->chained) {
    add (steps, EXPLAIN_CHAINED, life->time.started, explained, context);
    return;
  }
  if (life->time.queued) {
    add (steps,
         workqueue      ? EXPLAIN_QUEUED_WORKQUEUE
         : life->hashed ? EXPLAIN_QUEUED_HASHED
                        : EXPLAIN_QUEUED,
         life->time.queued, explained, context);
  }
  if (life->time.started) {
    add (steps, workqueue ? EXPLAIN_STARTED_KWORKER : EXPLAIN_STARTED, life->time.started, explained, context);
  }
}

static void add_end (GArray *steps, const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  const RequestTimes *time = &life->time;
  const gboolean ring = life->engine == APPLICATION_IO_URING;

  if (time->lock_got > time->lock_wanted && life->lock_holder != RESULT_NOBODY) {
    add (steps, EXPLAIN_LOCK_WANTED, time->lock_wanted, explained, context);
    add (steps, EXPLAIN_LOCK_GOT, time->lock_got, explained, context);
  }
  add (steps,
       life->malformed ? EXPLAIN_MALFORMED
       : !was_issued (life) && life->engine == APPLICATION_IO_URING ? EXPLAIN_CANCELLED
       : life->outcome == OUTCOME_FAILED ? EXPLAIN_FAILED
       : life->opcode == REQUEST_NOP ? EXPLAIN_NOTHING_TO_DO
       : life->outcome == OUTCOME_ASYNC && life->engine != APPLICATION_POSIXAIO ? EXPLAIN_DONE_ASYNC
                                                                                : EXPLAIN_DONE,
       time->done, explained, context);
  if (ring) {
    add (steps, life->outcome == OUTCOME_INLINE ? EXPLAIN_POSTED_BATCH : EXPLAIN_POSTED, time->posted, explained,
         context);
  } else if (life->synchronous) {
    add (steps, EXPLAIN_RETURNED, time->posted, explained, context);
  }
  add (steps, EXPLAIN_REAPED, time->reaped, explained, context);
}

GArray *explain_steps (const ExplainedLife *life, const ExplainContext *context)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (ExplainStep));

  g_array_set_clear_func (steps, step_clear);
  add (steps, EXPLAIN_PREPARED, life->life.time.prepared, life, context);
  add_submission (steps, life, context);
  add_hand_off (steps, life, context);
  add_end (steps, life, context);
  return steps;
}

/* ---- text ---- */

static void fold (const char *text, GString *out)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong column = TEXT_AT;

  for (char **word = words; *word; word++) {
    const glong width = g_utf8_strlen (*word, -1);

    if (column + width > COLUMNS && column > TEXT_AT) {
      g_string_append_printf (out, "\n%*s", TEXT_AT, "");
      column = TEXT_AT;
    }
    g_string_append_printf (out, "%s%s", column > TEXT_AT ? " " : "", *word);
    column += width + 1;
  }
  g_string_append_c (out, '\n');
}

static void print_stages (const RequestLife *life, GString *out)
{
  GString *line = g_string_new ("Stages:");

  for (unsigned phase = 0; phase < PHASES; phase++) {
    if (life->stage[phase]) {
      g_string_append_printf (line, " %s %" G_GUINT64_FORMAT, phase_name ((Phase) phase), life->stage[phase]);
    }
  }
  g_string_append_printf (line, " ns, in all %" G_GUINT64_FORMAT " ns.", life->time.reaped - life->time.prepared);
  g_string_append_printf (out, "%*s", TEXT_AT, "");
  fold (line->str, out);
  g_string_free (line, TRUE);
}

static void print_record (const RequestTimes *time, GString *out)
{
  GString *line = g_string_new (NULL);

  g_string_append_printf (line,
                          "Record, ns: prepared %" G_GUINT64_FORMAT " submitted %" G_GUINT64_FORMAT " issued %" G_GUINT64_FORMAT
                          " attempt %" G_GUINT64_FORMAT " verdict %" G_GUINT64_FORMAT " queued %" G_GUINT64_FORMAT
                          " started %" G_GUINT64_FORMAT " lock_wanted %" G_GUINT64_FORMAT " lock_got %" G_GUINT64_FORMAT
                          " done %" G_GUINT64_FORMAT " posted %" G_GUINT64_FORMAT " reaped %" G_GUINT64_FORMAT
                          " queue_wakeup %" G_GUINT64_FORMAT " reap_wakeup %" G_GUINT64_FORMAT,
                          time->prepared, time->submitted, time->issued, time->attempt, time->verdict, time->queued, time->started,
                          time->lock_wanted, time->lock_got, time->done, time->posted, time->reaped, time->queue_wakeup,
                          time->reap_wakeup);
  g_string_append_printf (out, "%*s", TEXT_AT, "");
  fold (line->str, out);
  g_string_free (line, TRUE);
}

char *explain_text (const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  g_autoptr (GArray) steps = explain_steps (explained, context);
  g_autofree char *total = format_time ((double) (life->time.reaped - life->time.prepared));
  g_autofree char *began = format_time ((double) life->time.prepared);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "Request %" G_GUINT64_FORMAT " of stream %u: %s, %s; it begins %s after the start\n",
                          life->number, life->stream, outcome_name (life->outcome), total, began);
  for (unsigned i = 0; i < steps->len; i++) {
    const ExplainStep *step = &g_array_index (steps, ExplainStep, i);
    const UrTime since = step->time - life->time.prepared;
    GString *line = g_string_new (step->text);

    if (*step->function) {
      g_string_append_printf (line, " [%s%s%s]", step->function, context->verbose && step->tracepoint ? ", " : "",
                              context->verbose && step->tracepoint ? step->tracepoint : "");
    }
    g_string_append_printf (out, "%8" G_GUINT64_FORMAT ".%03u  ", since / 1000, (unsigned) (since % 1000));
    fold (line->str, out);
    g_string_free (line, TRUE);
  }
  if (context->verbose) {
    print_stages (life, out);
  }
  if (context->verbose > 1) {
    print_record (&life->time, out);
  }
  return g_string_free (out, FALSE);
}

/* ---- JSON ---- */

static void put_life (JsonBuilder *builder, const ExplainedLife *explained, const ExplainContext *context)
{
  const RequestLife *life = &explained->life;
  g_autoptr (GArray) steps = explain_steps (explained, context);

  json_open_object (builder, NULL);
  json_put_int (builder, "stream", life->stream);
  json_put_int (builder, "request", life->number);
  json_put_string (builder, "op", io_op_name (life->io.op));
  json_put_string (builder, "outcome", outcome_name (life->outcome));
  json_put_string (builder, "again", again_reason_word (life->again));
  json_open_array (builder, "steps");
  for (unsigned i = 0; i < steps->len; i++) {
    const ExplainStep *step = &g_array_index (steps, ExplainStep, i);

    json_open_object (builder, NULL);
    json_put_int (builder, "ns", step->time);
    json_put_string (builder, "function", step->function);
    if (step->tracepoint) {
      json_put_string (builder, "tracepoint", step->tracepoint);
    }
    json_put_string (builder, "text", step->text);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "stages_ns");
  for (unsigned phase = 0; phase < PHASES; phase++) {
    json_put_int (builder, phase_name ((Phase) phase), life->stage[phase]);
  }
  json_builder_end_object (builder);
  json_builder_end_object (builder);
}

char *explain_json (const ExplainedLife *lives, unsigned n, const ExplainContext *context)
{
  JsonBuilder *builder = json_builder_new ();

  json_open_object (builder, NULL);
  json_open_array (builder, "requests");
  for (unsigned i = 0; i < n; i++) {
    put_life (builder, &lives[i], context);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_finish (builder);
}
