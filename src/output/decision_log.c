/* See decision_log.h. */
#include "src/output/decision_log.h"
#include "src/output/escape.h"
#include "src/output/output_stream.h"
#include <errno.h>
#include <stdio.h>

struct DecisionLog {
  char *path;
  OutputStream output;
  int failure; /* errno of the first write that failed */
  const Policy *policy;
  const Workload *workload;
  GString *line;
};

static const char header[] =
    "time_ns,stream,request,op,file,offset,bytes,rule,policy,origin,attempt,on_again,outcome,saw\n";

static void set_error (GError **error, const DecisionLog *log, int number)
{
  g_autofree char *shown = escape_text_short (log->path, -1, 200);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (number), "--decisions %s: %s", shown, g_strerror (number));
}

DecisionLog *decision_log_new (const char *path, const Policy *policy, const Workload *workload, GError **error)
{
  g_autoptr (DecisionLog) log = g_new0 (DecisionLog, 1);

  log->path = g_strdup (path);
  log->policy = policy;
  log->workload = workload;
  log->line = g_string_new (header);
  const int failure = output_stream_open (&log->output, path);
  if (failure) {
    set_error (error, log, failure);
    return NULL;
  }
  if (fwrite (log->line->str, 1, log->line->len, log->output.stream) != log->line->len) {
    log->failure = errno ? errno : EIO;
  }
  return g_steal_pointer (&log);
}

/* A field that may hold anything: quoted, with quotes doubled, control characters escaped. */
static void append_quoted (GString *line, const char *text)
{
  g_autofree char *shown = escape_text (text, -1);

  g_string_append_c (line, '"');
  for (const char *c = shown; *c; c++) {
    g_string_append_len (line, "\"\"", *c == '"' ? 2 : 0);
    if (*c != '"') {
      g_string_append_c (line, *c);
    }
  }
  g_string_append_c (line, '"');
}

static void append_number (GString *line, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (line, g_ascii_formatd (text, sizeof text, "%.15g", value));
}

static void append_saw (GString *line, const Decision *decision)
{
  const char *separator = "";

  g_string_append_c (line, '"');
  for (unsigned i = 0; i < DECISION_VALUES; i++) {
    if (!(decision->asked >> i & 1)) {
      continue;
    }
    if (i < POLICY_VARIABLE_COUNT) {
      g_string_append_printf (line, "%s%s=", separator, policy_variable_name ((PolicyVariable) i));
    } else {
      g_string_append_printf (line, "%saverage%u=", separator, i - POLICY_VARIABLE_COUNT);
    }
    append_number (line, decision->value[i]);
    separator = " ";
  }
  g_string_append_c (line, '"');
}

void decision_log_add (const Decision *decision, void *data)
{
  DecisionLog *log = data;
  const PolicyRule *rule = decision->rule;
  const WorkloadFile *file = log->workload->files->pdata[decision->io.file];
  g_autofree char *on_again = policy_on_again_text (log->policy, rule);
  GString *line = log->line;

  g_string_printf (line, "%" G_GUINT64_FORMAT ",%u,%" G_GUINT64_FORMAT ",%s,", decision->time, decision->stream,
                   decision->number, io_op_name (decision->io.op));
  append_quoted (line, file->name);
  g_string_append_printf (line, ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT ",%d,", (uint64_t) decision->io.offset,
                          (uint64_t) decision->io.length, rule->number);
  append_quoted (line, rule->policy);
  g_string_append_c (line, ',');
  append_quoted (line, rule->origin);
  g_string_append_printf (line, ",%s,%s,%s,", policy_attempt_name (rule->attempt), on_again,
                          outcome_name (decision->outcome));
  append_saw (line, decision);
  g_string_append_c (line, '\n');
  if (!log->failure && fwrite (line->str, 1, line->len, log->output.stream) != line->len) {
    log->failure = errno ? errno : EIO;
  }
}

gboolean decision_log_finish (DecisionLog *log, gboolean interrupted, GError **error)
{
  if (interrupted && fputs ("# interrupted: the run was not at its end\n", log->output.stream) == EOF && !log->failure) {
    log->failure = errno ? errno : EIO;
  }
  log->failure = output_stream_finish (&log->output, log->failure);
  if (log->failure) {
    set_error (error, log, log->failure);
  }
  return !log->failure;
}

void decision_log_free (DecisionLog *log)
{
  if (!log) {
    return;
  }
  output_stream_clear (&log->output);
  g_string_free (log->line, TRUE);
  g_free (log->path);
  g_free (log);
}
