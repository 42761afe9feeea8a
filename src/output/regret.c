/* Regret as text and JSON. See regret.h. */
#include "src/output/regret.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/json_write.h"
#include "src/output/text_table.h"
#include "src/version.h"

enum { MATCH_COLUMNS = 44 };

const char *regret_verdict (const RegretRow *row)
{
  const ReportEstimate *time = &row->time_ns;

  if (time->n < 2 || (time->mean - time->half_width <= 0 && time->mean + time->half_width >= 0)) {
    return "-";
  }
  return time->mean > 0 ? "bad" : "good";
}

static const char *choice (gboolean inline_done) { return inline_done ? "inline" : "queued"; }

/* "+12.3 us +-0.4". (transfer full) */
static char *signed_time (const ReportEstimate *estimate)
{
  g_autofree char *mean = format_us (estimate->mean < 0 ? -estimate->mean : estimate->mean);
  g_autofree char *width = format_us (estimate->half_width);

  return g_strdup_printf ("%c%s +-%s", estimate->mean < 0 ? '-' : '+', mean, width);
}

static void print_policy (const RegretPolicy *regret, GString *out)
{
  g_autoptr (TextTable) table = text_table_new ("rllrrrrl");

  text_table_header (table, "rule", "match", "did", "decisions", "sampled", "run time lost us", "latency lost us", "",
                     NULL);
  for (unsigned i = 0; i < regret->rows->len; i++) {
    const RegretRow *row = &g_array_index (regret->rows, RegretRow, i);
    text_table_take (table, g_strdup_printf ("%d", row->rule->number));
    text_table_take (table, escape_text_short (row->rule->match_text, -1, MATCH_COLUMNS));
    text_table_add (table, choice (row->inline_done));
    text_table_take (table, format_count (row->decisions));
    text_table_take (table, format_count (row->time_ns.n));
    text_table_take (table, row->time_ns.n > 1 ? signed_time (&row->time_ns) : g_strdup (""));
    text_table_take (table, row->time_ns.n > 1 ? signed_time (&row->latency_ns) : g_strdup (""));
    text_table_add (table, regret_verdict (row));
  }
  g_autofree char *ios = format_count (regret->ios);
  g_string_append_printf (out, "\nPolicy %s, engine %s, %s I/Os\n", regret->policy->name, regret->engine, ios);
  if (regret->rows->len) {
    text_table_print (table, 2, out);
  }
  if (regret->one_way) {
    g_string_append_printf (out, "  %" G_GUINT64_FORMAT " decisions have no other choice: asynchronous, or no queue\n",
                            regret->one_way);
  }
}

char *text_regret (const Regret *regret)
{
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "uringsim %s (model %u), compare --regret: simulated, not measured\n",
                          uringsim_version (), uringsim_model_version ());
  for (unsigned i = 0; i < regret->n; i++) {
    print_policy (&regret->policies[i], out);
  }
  g_string_append_printf (
      out,
      "\nLost: of a run that goes on for %u I/Os, less the same run with this one decision taken the other way, mean and\n"
      "95 %% confidence; + is a loss (bad), - is what the rule gained (good), - alone cannot be told from luck.\n",
      regret->horizon);
  if (regret->interrupted) {
    g_string_append (out, "INTERRUPTED: fewer decisions were sampled than asked for.\n");
  }
  return g_string_free (out, FALSE);
}

static void put_estimate (JsonBuilder *builder, const char *name, const ReportEstimate *estimate)
{
  json_open_object (builder, name);
  json_put_double (builder, "mean", estimate->mean);
  json_put_double (builder, "half_width", estimate->half_width);
  json_put_int (builder, "n", estimate->n);
  json_builder_end_object (builder);
}

static void put_row (JsonBuilder *builder, const RegretRow *row)
{
  json_open_object (builder, NULL);
  json_put_int (builder, "rule", (uint64_t) row->rule->number);
  json_put_string (builder, "match", row->rule->match_text);
  json_put_string (builder, "policy", row->rule->policy);
  json_put_string (builder, "origin", row->rule->origin);
  json_put_string (builder, "did", choice (row->inline_done));
  json_put_int (builder, "decisions", row->decisions);
  put_estimate (builder, "time_lost_ns", &row->time_ns);
  put_estimate (builder, "latency_lost_ns", &row->latency_ns);
  json_put_string (builder, "verdict", regret_verdict (row));
  json_builder_end_object (builder);
}

char *json_regret (const Regret *regret)
{
  JsonBuilder *builder = json_builder_new ();

  json_open_object (builder, NULL);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "seed", regret->seed);
  json_put_int (builder, "samples", regret->samples);
  json_put_int (builder, "horizon", regret->horizon);
  json_put_bool (builder, "interrupted", regret->interrupted);
  json_open_array (builder, "regret");
  for (unsigned i = 0; i < regret->n; i++) {
    const RegretPolicy *policy = &regret->policies[i];
    json_open_object (builder, NULL);
    json_put_string (builder, "policy", policy->policy->name);
    json_put_string (builder, "engine", policy->engine);
    json_put_int (builder, "ios", policy->ios);
    json_put_int (builder, "one_way", policy->one_way);
    json_open_array (builder, "rules");
    for (unsigned k = 0; k < policy->rows->len; k++) {
      put_row (builder, &g_array_index (policy->rows, RegretRow, k));
    }
    json_builder_end_array (builder);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  return json_finish (builder);
}
