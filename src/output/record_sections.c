/* Beginning and end of the reports of measured results; see record_sections.h. */
#include "src/output/record_sections.h"
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/text_sections.h"
#include "src/version.h"

void text_section_basis (const ReportBasis *basis, const char *what, GString *out)
{
  g_autofree char *file = escape_text_short (basis->file, -1, 200), *kernel = format_kernel (basis->kernel);
  g_autofree char *ios = format_count (basis->limit_ios);

  g_string_append_printf (out, "uringsim %s (model %u), validate: %s\n", uringsim_version (), uringsim_model_version (),
                          what);
  if (basis->interrupted) {
    g_string_append (out, "INTERRUPTED: only what was simulated until then is compared\n");
  }
  g_string_append_printf (out, "%s\nmachine %s, %u CPUs, policy %s, kernel %s, pages %s\n", file, basis->machine->name,
                          basis->cpus, basis->policy, kernel, basis->cache);
  g_string_append_printf (out, "seed %" G_GUINT64_FORMAT ", %u seeds of each, at most %s I/Os a run\n", basis->seed,
                          basis->reps, ios);
}

void text_section_basis_notes (const ReportBasis *basis, GString *out)
{
  if (basis->notes->len) {
    g_string_append (out, "\nWhat this rests on\n");
    text_section_notes (basis->notes, out);
  }
}

void json_put_basis (JsonBuilder *builder, const ReportBasis *basis)
{
  g_autofree char *kernel = format_kernel (basis->kernel);

  json_put_string (builder, "file", basis->file);
  json_put_string (builder, "machine", basis->machine->name);
  json_put_int (builder, "cpus", basis->cpus);
  json_put_string (builder, "policy", basis->policy);
  json_put_string (builder, "kernel", kernel);
  json_put_string (builder, "cache", basis->cache);
  json_put_int (builder, "limit_ios", basis->limit_ios);
  json_put_strings (builder, "notes", basis->notes);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "seed", basis->seed);
  json_put_int (builder, "reps", basis->reps);
  json_put_bool (builder, "interrupted", basis->interrupted);
}

void json_put_estimate (JsonBuilder *builder, const char *name, ReportEstimate estimate)
{
  json_open_object (builder, name);
  json_put_double (builder, "mean", estimate.mean);
  if (estimate.half_width >= 0) {
    json_put_double (builder, "ci95", estimate.half_width);
  }
  json_put_int (builder, "reps", estimate.n);
  json_builder_end_object (builder);
}
