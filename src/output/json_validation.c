/*
 * Report of `validate` as JSON.  Stable: captures with name, requests, sequences (events, real, simulated) and ok, then
 * summary with captures and ok; further keys follow those.  Captures that were not simulated have a list of their own.
 */
#include "src/output/format.h"
#include "src/output/json_write.h"
#include "src/output/validation.h"
#include "src/version.h"

static void put_sequences (JsonBuilder *builder, const ReportCapture *capture)
{
  json_open_array (builder, "sequences");
  for (unsigned i = 0; i < capture->n_sequences; i++) {
    const ReportSequence *sequence = &capture->sequences[i];
    json_open_object (builder, NULL);
    json_open_array (builder, "events");
    for (char **event = sequence->events; *event; event++) {
      json_builder_add_string_value (builder, *event);
    }
    json_builder_end_array (builder);
    json_put_int (builder, "real", sequence->real);
    if (!capture->not_modelled) {
      json_put_int (builder, "simulated", sequence->simulated);
    }
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void put_conditions (JsonBuilder *builder, const ReportCapture *capture)
{
  g_autofree char *kernel = format_kernel (capture->kernel);

  json_put_string (builder, "policy", capture->policy);
  json_put_string (builder, "kernel", kernel);
  json_put_string (builder, "machine", capture->machine);
  json_put_string (builder, "fs", capture->fs);
  json_put_int (builder, "cpus", capture->cpus);
}

static void put_counts (JsonBuilder *builder, const ReportCapture *capture)
{
  json_open_object (builder, "counts");
  for (unsigned i = 0; i < capture->n_counts; i++) {
    const ReportCount *count = &capture->counts[i];
    json_open_object (builder, count->name);
    json_put_int (builder, "real", count->real);
    json_put_int (builder, "simulated", count->simulated);
    if (count->given) {
      json_put_int (builder, "min", count->low);
      json_put_int (builder, "max", count->high);
    }
    json_put_bool (builder, "ok", count->ok);
    json_builder_end_object (builder);
  }
  json_builder_end_object (builder);
}

static void put_pair (JsonBuilder *builder, const char *name, uint64_t real, uint64_t simulated)
{
  json_open_object (builder, name);
  json_put_int (builder, "real", real);
  json_put_int (builder, "simulated", simulated);
  json_builder_end_object (builder);
}

static void put_order (JsonBuilder *builder, const ReportCapture *capture)
{
  json_open_object (builder, "order");
  json_put_string (builder, "verdict", capture->order);
  json_put_int (builder, "batches", capture->order_batches);
  if (capture->order_real) {
    json_put_string (builder, "real", capture->order_real);
    json_put_string (builder, "simulated", capture->order_simulated);
  }
  json_put_bool (builder, "ok", capture->order_ok);
  json_builder_end_object (builder);
}

static void put_switches (JsonBuilder *builder, const ReportCapture *capture)
{
  if (!capture->has_switches) {
    return;
  }
  json_open_object (builder, "context_switches_per_io");
  json_put_double (builder, "real", capture->real_switches);
  if (capture->repetitions > 1) {
    json_put_double (builder, "real_lowest", capture->real_switches_low);
    json_put_double (builder, "real_highest", capture->real_switches_high);
  }
  json_put_double (builder, "simulated", capture->simulated_switches);
  json_put_double (builder, "lowest", capture->lowest_switches);
  json_put_double (builder, "highest", capture->highest_switches);
  json_put_bool (builder, "within_25_percent", capture->switches_within);
  json_put_bool (builder, "ok", capture->switches_ok);
  json_builder_end_object (builder);
}

static void put_capture (JsonBuilder *builder, const ReportCapture *capture)
{
  json_open_object (builder, NULL);
  json_put_string (builder, "name", capture->name);
  json_put_int (builder, "requests", capture->requests);
  put_sequences (builder, capture);
  if (capture->not_modelled) {
    json_put_string (builder, "reason", capture->not_modelled);
    put_conditions (builder, capture);
  } else {
    json_put_bool (builder, "ok", capture->ok);
    json_put_bool (builder, "sequences_asked", capture->sequences_asked);
    json_put_bool (builder, "sequences_ok", capture->sequences_ok);
    put_counts (builder, capture);
    put_order (builder, capture);
    put_switches (builder, capture);
    put_pair (builder, "posted_by_worker", capture->real_posted_by_worker, capture->simulated_posted_by_worker);
    put_conditions (builder, capture);
  }
  json_put_int (builder, "lost_events", capture->lost);
  json_put_int (builder, "other_events", capture->unknown);
  json_put_int (builder, "stray_events", capture->strays);
  json_builder_end_object (builder);
}

static void put_captures (JsonBuilder *builder, const char *name, const ReportValidation *validation, gboolean modelled)
{
  json_open_array (builder, name);
  for (unsigned i = 0; i < validation->n_captures; i++) {
    if ((validation->captures[i].not_modelled == NULL) == modelled) {
      put_capture (builder, &validation->captures[i]);
    }
  }
  json_builder_end_array (builder);
}

char *json_report_validation (const ReportValidation *validation)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  put_captures (builder, "captures", validation, TRUE);
  json_open_object (builder, "summary");
  json_put_int (builder, "captures", validation->compared);
  json_put_int (builder, "ok", validation->ok);
  json_put_int (builder, "not_modelled", validation->not_modelled);
  json_builder_end_object (builder);
  put_captures (builder, "not_modelled", validation, FALSE);
  json_put_strings (builder, "notes", validation->notes);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "seed", validation->seed);
  json_put_int (builder, "reps", validation->reps);
  json_put_bool (builder, "interrupted", validation->interrupted);
  json_builder_end_object (builder);
  return json_finish (builder);
}
