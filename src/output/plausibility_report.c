/* See plausibility_report.h. */
#include "src/output/plausibility_report.h"

#include "src/output/escape.h"
#include "src/output/json_write.h"

static unsigned count_impossible (const PlausibilityReport *report)
{
  unsigned n = 0;

  for (unsigned i = 0; i < report->n; i++) {
    n += report->impossible[i];
  }
  return n;
}

char *text_plausibility (const PlausibilityReport *reports, unsigned n)
{
  GString *out = g_string_new (NULL);

  for (unsigned i = 0; i < n; i++) {
    const PlausibilityReport *report = &reports[i];
    g_autofree char *name = escape_text_short (report->name, -1, 100);

    g_string_append_printf (out, "%s: %s\n", name,
                            count_impossible (report) ? "IMPOSSIBLE"
                            : report->n               ? "possible, but"
                                                      : "nothing wrong");
    for (unsigned k = 0; k < report->n; k++) {
      g_autofree char *text = escape_text (report->texts[k], -1);

      g_string_append_printf (out, "  %s  %s\n", report->impossible[k] ? "impossible" : "odd       ", text);
    }
  }
  return g_string_free (out, FALSE);
}

char *json_plausibility (const PlausibilityReport *reports, unsigned n)
{
  JsonBuilder *builder = json_builder_new ();
  unsigned impossible = 0;

  json_open_object (builder, NULL);
  json_open_array (builder, "results");
  for (unsigned i = 0; i < n; i++) {
    const PlausibilityReport *report = &reports[i];

    impossible += count_impossible (report);
    json_open_object (builder, NULL);
    json_put_string (builder, "name", report->name);
    json_put_bool (builder, "possible", !count_impossible (report));
    json_open_array (builder, "findings");
    for (unsigned k = 0; k < report->n; k++) {
      json_open_object (builder, NULL);
      json_put_bool (builder, "impossible", report->impossible[k]);
      json_put_string (builder, "text", report->texts[k]);
      json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_put_int (builder, "impossible", impossible);
  json_builder_end_object (builder);
  return json_finish (builder);
}
