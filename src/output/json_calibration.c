/*
 * Report of `calibrate` as JSON.  Stable: parameters (key, base, value, low, high, fitted, fate), records (number,
 * name, used, measured, simulated, error), leave_one_out (name, error, median_error, values), summary; more may follow.
 * As in `validate`, an error is max (simulated / measured, measured / simulated) - 1; signed_error is
 * simulated / measured - 1.
 */
#include "src/output/calibration.h"
#include "src/output/json_write.h"
#include "src/version.h"
#include <math.h>

static double relative (double error) { return isfinite (error) ? exp (fabs (error)) - 1 : NAN; }

static void put_parameters (JsonBuilder *builder, const ReportCalibration *calibration)
{
  json_open_array (builder, "parameters");
  for (unsigned j = 0; j < calibration->n_parameters; j++) {
    const ReportParameter *parameter = &calibration->parameters[j];
    json_open_object (builder, NULL);
    json_put_string (builder, "key", parameter->key);
    json_put_double (builder, "base", parameter->base);
    json_put_double (builder, "value", parameter->value);
    json_put_double (builder, "low", parameter->low);
    json_put_double (builder, "high", parameter->high);
    json_put_bool (builder, "fitted", parameter->fitted);
    json_put_string (builder, "fate", parameter->fate);
    if (parameter->reason) {
      json_put_string (builder, "reason", parameter->reason);
    }
    json_put_bool (builder, "at_bound", parameter->at_bound);
    json_put_double (builder, "effect", parameter->effect);
    json_put_string (builder, "strongest", parameter->strongest);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void put_values (JsonBuilder *builder, const char *name, const ReportCalibration *calibration,
                        const double *values, gboolean only_fitted)
{
  json_open_object (builder, name);
  for (unsigned j = 0; j < calibration->n_parameters; j++) {
    if (!only_fitted || calibration->parameters[j].fitted) {
      json_put_double (builder, calibration->parameters[j].key, values[j]);
    }
  }
  json_builder_end_object (builder);
}

static void put_results (JsonBuilder *builder, const ReportCalibration *calibration)
{
  json_open_array (builder, "records");
  for (unsigned i = 0; i < calibration->n_results; i++) {
    const ReportResult *result = &calibration->results[i];
    json_open_object (builder, NULL);
    json_put_int (builder, "number", result->number);
    json_put_string (builder, "name", result->name);
    json_put_bool (builder, "used", result->used);
    json_put_bool (builder, "ratio", !result->absolute);
    json_put_double (builder, "measured", result->measured);
    json_put_double (builder, "base", result->before);
    json_put_double (builder, "base_error", relative (result->error_before));
    json_put_double (builder, "simulated", result->simulated);
    json_put_double (builder, "error", relative (result->error));
    json_put_double (builder, "signed_error", isfinite (result->error) ? exp (result->error) - 1 : NAN);
    if (result->has_left_out) {
      json_put_double (builder, "left_out_error", relative (result->left_out_error));
      json_put_double (builder, "left_out_signed_error", exp (result->left_out_error) - 1);
    }
    if (result->sensitivity) {
      put_values (builder, "sensitivity", calibration, result->sensitivity, FALSE);
    }
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void put_left_out (JsonBuilder *builder, const ReportCalibration *calibration)
{
  json_open_array (builder, "leave_one_out");
  for (unsigned i = 0; i < calibration->n_left_out; i++) {
    const ReportLeftOut *left_out = &calibration->left_out[i];
    json_open_object (builder, NULL);
    json_put_string (builder, "name", left_out->name);
    json_put_double (builder, "error", relative (left_out->error));
    json_put_double (builder, "median_error", left_out->median);
    json_put_double (builder, "change", left_out->change);
    put_values (builder, "values", calibration, left_out->values, TRUE);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

static void put_errors (JsonBuilder *builder, const char *name, const ReportErrors *errors)
{
  json_open_object (builder, name);
  json_put_int (builder, "n", errors->n);
  json_put_double (builder, "median_error", errors->n ? errors->median : NAN);
  json_put_double (builder, "p90_error", errors->n ? errors->p90 : NAN);
  json_put_double (builder, "base_median_error", errors->n ? errors->median_before : NAN);
  json_builder_end_object (builder);
}

char *json_report_calibration (const ReportCalibration *calibration)
{
  JsonBuilder *builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_put_string (builder, "base", calibration->base);
  json_put_string (builder, "output", calibration->output);
  put_parameters (builder, calibration);
  put_results (builder, calibration);
  put_left_out (builder, calibration);
  json_open_object (builder, "summary");
  put_errors (builder, "used", &calibration->used);
  put_errors (builder, "predicted", &calibration->predicted);
  put_errors (builder, "all", &calibration->all);
  json_put_double (builder, "noise", calibration->noise);
  json_put_bool (builder, "partial", calibration->partial);
  json_put_bool (builder, "step_limit", calibration->limit);
  json_put_int (builder, "points", calibration->evaluations);
  json_put_int (builder, "simulations", calibration->runs);
  json_builder_end_object (builder);
  json_put_strings (builder, "notes", calibration->notes);
  json_put_string (builder, "uringsim", uringsim_version ());
  json_put_int (builder, "model", uringsim_model_version ());
  json_put_int (builder, "seed", calibration->seed);
  json_put_int (builder, "reps", calibration->reps);
  json_builder_end_object (builder);
  return json_finish (builder);
}
