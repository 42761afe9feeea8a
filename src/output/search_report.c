/* Searches as text and JSON. See search_report.h. */
#include "src/output/search_report.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/json_write.h"
#include "src/output/text_table.h"
#include "src/version.h"

enum { NAME_COLUMNS = 60 };

/* A figure as text. (transfer full) */
static char *figure (Metric metric, double value)
{
  switch (metric_unit (metric)) {
  case METRIC_RATE:
    return format_rate (value);
  case METRIC_BYTES_RATE: {
    g_autofree char *bytes = format_bytes (value);
    return g_strconcat (bytes, "/s", NULL);
  }
  case METRIC_TIME:
    return format_time (value);
  case METRIC_SHARE:
    return format_share (value);
  case METRIC_COUNT:
    break;
  }
  return format_fixed (value, 2);
}

/* "+-0.4 %" of the mean, empty with one seed. (transfer full) */
static char *width (const ReportEstimate *estimate)
{
  if (estimate->half_width < 0 || estimate->mean <= 0) {
    return g_strdup ("");
  }
  g_autofree char *share = format_share (estimate->half_width / estimate->mean);
  return g_strconcat ("+-", share, NULL);
}

static void print_head (const SearchReport *report, GString *out)
{
  g_autofree char *path = escape_text_short (report->path, -1, NAME_COLUMNS);
  g_autofree char *tried = format_count (report->n_points), *all = format_count (report->settings);

  g_string_append_printf (out, "uringsim %s (model %u), policy search: simulated, not measured\n", uringsim_version (),
                          uringsim_model_version ());
  g_string_append_printf (out, "Policy %s (%s), machine %s, objective \"%s\"\n", report->policy, path, report->machine,
                          report->objective);
  if (report->exhaustive) {
    g_string_append_printf (out, "Tried %s of %s settings: few enough to try each; ", tried, all);
  } else if (report->settings == UINT64_MAX) {
    g_string_append_printf (out, "Tried %s settings of too many to try each (DIRECT-L, Sbplx, neighbours); ", tried);
  } else {
    g_string_append_printf (out, "Tried %s of %s settings (DIRECT-L, Sbplx, neighbours); ", tried, all);
  }
  g_string_append_printf (out, "%u seed%s from %" G_GUINT64_FORMAT ", the same for every setting\n", report->reps,
                          report->reps == 1 ? "" : "s", report->seed);
}

static void print_best (const SearchReport *report, GString *out)
{
  const SearchPoint *best = &report->points[report->best];
  g_autoptr (TextTable) table = text_table_new ("llll");

  g_string_append_printf (out, "\n%s%s\n", report->interrupted ? "Best so far" : "Best",
                          best->holds ? "" : ": NO SETTING KEEPS THE LIMITS; this one is off by the least factor");
  for (unsigned i = 0; i < report->n_knobs; i++) {
    text_table_add (table, report->knobs[i].name);
    text_table_add (table, best->values[i]);
    text_table_take (table, g_strdup_printf ("of %s", report->knobs[i].range));
    text_table_take (table, escape_text_short (report->knobs[i].origin, -1, NAME_COLUMNS));
  }
  text_table_print (table, 2, out);
}

static void print_front (const SearchReport *report, GString *out)
{
  const gboolean goal = report->goal != METRIC_IOPS && report->goal != METRIC_LAT_P99;
  GString *columns = g_string_new ("l");

  for (unsigned i = 0; i < report->n_knobs; i++) {
    g_string_append_c (columns, 'r');
  }
  g_string_append (columns, "rlrlrl");
  g_autofree char *alignment = g_string_free (columns, FALSE);
  g_autoptr (TextTable) table = text_table_new (alignment);
  text_table_heading (table, "");
  for (unsigned i = 0; i < report->n_knobs; i++) {
    text_table_heading (table, report->knobs[i].name);
  }
  text_table_heading (table, "IOPS");
  text_table_heading (table, "95 %");
  text_table_heading (table, "p99");
  text_table_heading (table, "95 %");
  text_table_heading (table, goal ? metric_heading (report->goal) : "");
  text_table_heading (table, "");
  for (unsigned i = 0; i <= report->n_front; i++) { /* the best setting last, if it is not among them */
    if (i == report->n_front && report->points[report->best].front) {
      break;
    }
    const unsigned index = i < report->n_front ? report->front[i] : report->best;
    const SearchPoint *point = &report->points[index];
    const ReportEstimate *iops = &point->metric[METRIC_IOPS], *p99 = &point->metric[METRIC_LAT_P99];
    text_table_add (table, index == report->best ? "best" : "");
    for (unsigned k = 0; k < report->n_knobs; k++) {
      text_table_add (table, point->values[k]);
    }
    text_table_take (table, figure (METRIC_IOPS, iops->mean));
    text_table_take (table, width (iops));
    text_table_take (table, figure (METRIC_LAT_P99, p99->mean));
    text_table_take (table, width (p99));
    text_table_take (table, goal ? figure (report->goal, point->metric[report->goal].mean) : g_strdup (""));
    text_table_add (table, point->holds ? point->front ? "" : "not on the front" : "misses a limit");
  }
  g_string_append (out, "\nThroughput against p99: settings that no other one tried beats in both\n");
  text_table_print (table, 2, out);
}

char *text_search (const SearchReport *report)
{
  GString *out = g_string_new (NULL);

  print_head (report, out);
  print_best (report, out);
  print_front (report, out);
  if (report->written) {
    g_autofree char *path = escape_text_short (report->written, -1, NAME_COLUMNS);
    g_string_append_printf (out, "\nThe policy with the best setting is in %s.\n", path);
  }
  for (unsigned i = 0; i < report->notes->len; i++) {
    g_string_append_printf (out, "%s  %s\n", i ? "" : "\nNotes\n", (const char *) report->notes->pdata[i]);
  }
  if (report->interrupted) {
    g_string_append (out, "\nINTERRUPTED: settings that were not tried may be better.\n");
  }
  return g_string_free (out, FALSE);
}

static void put_values (JsonBuilder *builder, const SearchReport *report, const SearchPoint *point)
{
  json_open_array (builder, "values");
  for (unsigned i = 0; i < report->n_knobs; i++) {
    json_builder_add_string_value (builder, point->values[i]);
  }
  json_builder_end_array (builder);
}

static void put_point (JsonBuilder *builder, const SearchReport *report, const SearchPoint *point)
{
  put_values (builder, report, point);
  json_put_bool (builder, "keeps_limits", point->holds);
  json_put_bool (builder, "front", point->front);
  for (unsigned i = 0; i < METRICS_N; i++) {
    json_put_double (builder, metric_json ((Metric) i), point->metric[i].mean);
  }
  json_put_double (builder, "iops_ci95", MAX (point->metric[METRIC_IOPS].half_width, 0));
  json_put_double (builder, "lat_p99_ns_ci95", MAX (point->metric[METRIC_LAT_P99].half_width, 0));
}

char *json_search (const SearchReport *report)
{
  JsonBuilder *builder = json_builder_new ();

  json_open_object (builder, NULL);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_string (builder, "policy", report->policy);
  json_put_string (builder, "file", report->path);
  json_put_string (builder, "machine", report->machine);
  json_put_string (builder, "objective", report->objective);
  json_put_int (builder, "seed", report->seed);
  json_put_int (builder, "reps", report->reps);
  json_put_bool (builder, "exhaustive", report->exhaustive);
  if (report->settings != UINT64_MAX) {
    json_put_int (builder, "settings", report->settings);
  }
  json_put_bool (builder, "interrupted", report->interrupted);
  json_open_array (builder, "knobs");
  for (unsigned i = 0; i < report->n_knobs; i++) {
    json_open_object (builder, NULL);
    json_put_string (builder, "name", report->knobs[i].name);
    json_put_string (builder, "range", report->knobs[i].range);
    json_put_string (builder, "origin", report->knobs[i].origin);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "best");
  put_point (builder, report, &report->points[report->best]);
  json_builder_end_object (builder);
  json_open_array (builder, "front");
  for (unsigned i = 0; i < report->n_front; i++) {
    json_open_object (builder, NULL);
    put_point (builder, report, &report->points[report->front[i]]);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_open_array (builder, "points");
  for (unsigned i = 0; i < report->n_points; i++) {
    json_open_object (builder, NULL);
    put_point (builder, report, &report->points[i]);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_put_strings (builder, "notes", report->notes);
  json_builder_end_object (builder);
  return json_finish (builder);
}
