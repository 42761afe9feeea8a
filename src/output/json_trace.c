/*
 * Traces as JSON.  Stable: format, reads, read_bytes, ..., interpretation and warnings; further keys stand between.
 */
#include "src/output/json_write.h"
#include "src/output/trace_report.h"

static void put_facts (JsonBuilder *builder, const ReportFact *facts, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    switch (facts[i].kind) {
    case REPORT_NUMBER:
      json_put_int (builder, facts[i].key, facts[i].number);
      break;
    case REPORT_REAL:
      json_put_double (builder, facts[i].key, facts[i].real);
      break;
    default:
      json_put_string (builder, facts[i].key, facts[i].words);
      break;
    }
  }
}

static void put_info (JsonBuilder *builder, const ReportTrace *trace)
{
  json_put_string (builder, "file", trace->file);
  json_put_string (builder, "format", trace->format);
  put_facts (builder, trace->facts, trace->n_facts);
  json_open_array (builder, "sizes");
  for (unsigned i = 0; i < trace->n_sizes; i++) {
    json_open_object (builder, NULL);
    json_put_int (builder, "bytes", trace->sizes[i].bytes);
    json_put_int (builder, "n", trace->sizes[i].n);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
  json_open_object (builder, "interpretation");
  put_facts (builder, trace->interpretation, trace->n_interpretation);
  json_builder_end_object (builder);
  json_put_strings (builder, "warnings", trace->warnings);
}

static void put_check (JsonBuilder *builder, const ReportTrace *trace)
{
  json_put_string (builder, "file", trace->file);
  json_put_string (builder, "format", trace->format);
  json_put_bool (builder, "ok", trace->n_defects == 0);
  json_put_int (builder, "n_defects", trace->n_defects);
  json_put_strings (builder, "defects", trace->defects);
  json_put_strings (builder, "warnings", trace->warnings);
}

static char *print (const ReportTrace *traces, unsigned n, void (*put) (JsonBuilder *, const ReportTrace *))
{
  JsonBuilder *builder = json_builder_new ();
  json_builder_begin_object (builder);
  if (n == 1) {
    put (builder, traces);
  } else {
    json_open_array (builder, "traces");
    for (unsigned i = 0; i < n; i++) {
      json_open_object (builder, NULL);
      put (builder, &traces[i]);
      json_builder_end_object (builder);
    }
    json_builder_end_array (builder);
  }
  json_builder_end_object (builder);
  return json_finish (builder);
}

char *trace_info_json (const ReportTrace *traces, unsigned n) { return print (traces, n, put_info); }

char *trace_check_json (const ReportTrace *traces, unsigned n) { return print (traces, n, put_check); }
