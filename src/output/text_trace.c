/*
 * Traces as text.
 */
#include "src/output/escape.h"
#include "src/output/format.h"
#include "src/output/text_table.h"
#include "src/output/trace_report.h"

enum { SIZES_SHOWN = 8 };

/* The number as it is, and beside it as people read it. */
static void add_fact (TextTable *table, const ReportFact *fact)
{
  text_table_add (table, fact->key);
  if (fact->kind == REPORT_WORDS) {
    text_table_add (table, "");
    text_table_take (table, escape_text (fact->words, -1));
    return;
  }
  if (fact->kind == REPORT_REAL) {
    text_table_take (table, format_fixed (fact->real, 3));
    text_table_add (table, "");
    return;
  }
  text_table_take (table, format_count (fact->number));
  if (g_str_has_suffix (fact->key, "_ns")) {
    text_table_take (table, format_time ((double) fact->number));
  } else if (g_str_has_suffix (fact->key, "_bytes")) {
    text_table_take (table, format_bytes ((double) fact->number));
  } else {
    text_table_add (table, "");
  }
}

static void print_sizes (GString *out, const ReportTrace *trace)
{
  uint64_t others = 0;
  g_string_append (out, "  sizes ");
  for (unsigned i = 0; i < trace->n_sizes; i++) {
    if (i < SIZES_SHOWN) {
      g_string_append_printf (out, "%s%" G_GUINT64_FORMAT " x%" G_GUINT64_FORMAT, i ? ", " : "", trace->sizes[i].bytes,
                              trace->sizes[i].n);
    } else {
      others += trace->sizes[i].n;
    }
  }
  if (others) {
    g_string_append_printf (out, ", %u other sizes x%" G_GUINT64_FORMAT, trace->n_sizes - SIZES_SHOWN, others);
  }
  g_string_append_c (out, '\n');
}

static void print_interpretation (GString *out, const ReportTrace *trace)
{
  g_string_append (out, "  read with ");
  for (unsigned i = 0; i < trace->n_interpretation; i++) {
    const ReportFact *fact = &trace->interpretation[i];
    g_autofree char *words = fact->kind == REPORT_WORDS ? escape_text (fact->words, -1) : format_count (fact->number);
    g_string_append_printf (out, "%s%s %s", i ? ", " : "", fact->key, words);
  }
  g_string_append_c (out, '\n');
}

/* The messages are those of the readers, which have escaped what is foreign. */
static void print_lines (GString *out, const char *head, const GPtrArray *lines)
{
  for (unsigned i = 0; lines && i < lines->len; i++) {
    g_string_append_printf (out, "  %s%s\n", head, (const char *) lines->pdata[i]);
  }
}

char *trace_info_text (const ReportTrace *traces, unsigned n)
{
  GString *out = g_string_new (NULL);
  for (unsigned i = 0; i < n; i++) {
    const ReportTrace *trace = &traces[i];
    g_autoptr (TextTable) table = text_table_new ("lrl");
    g_autofree char *file = escape_text (trace->file, -1);
    g_string_append_printf (out, "%s%s: %s\n", i ? "\n" : "", file, trace->format);
    for (unsigned k = 0; k < trace->n_facts; k++) {
      add_fact (table, &trace->facts[k]);
    }
    text_table_print (table, 2, out);
    if (trace->n_sizes) {
      print_sizes (out, trace);
    }
    if (trace->n_interpretation) {
      print_interpretation (out, trace);
    }
    print_lines (out, "warning: ", trace->warnings);
  }
  return g_string_free (out, FALSE);
}

char *trace_check_text (const ReportTrace *traces, unsigned n)
{
  GString *out = g_string_new (NULL);
  for (unsigned i = 0; i < n; i++) {
    const ReportTrace *trace = &traces[i];
    g_autofree char *file = escape_text (trace->file, -1);
    g_autofree char *count = trace->n_defects ? format_count (trace->n_defects) : g_strdup ("no");
    g_string_append_printf (out, "%s: %s%s%s defect%s\n", file, trace->format ? trace->format : "",
                            trace->format ? ", " : "", count, trace->n_defects == 1 ? "" : "s");
    print_lines (out, "", trace->defects);
    if (trace->defects && trace->n_defects > trace->defects->len) {
      g_autofree char *more = format_count (trace->n_defects - trace->defects->len);
      g_string_append_printf (out, "  and %s more\n", more);
    }
    print_lines (out, "warning: ", trace->warnings);
  }
  return g_string_free (out, FALSE);
}
