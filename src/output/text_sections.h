/*
 * The tables that every text report shares: one line per run, saying where requests went, where their time went, and
 * which lock they met.
 */
#ifndef TEXT_SECTIONS_H
#define TEXT_SECTIONS_H

#include "src/output/report.h"

/* `names`: one per run, already fit for a terminal.  Each appends a titled table to `out`. */
void text_section_paths (const ReportRun *runs, char *const *names, unsigned n, GString *out);
void text_section_phases (const ReportRun *runs, char *const *names, unsigned n, GString *out);
void text_section_locks (const ReportRun *runs, char *const *names, unsigned n, GString *out);
void text_section_cpus (const ReportRun *runs, char *const *names, unsigned n, GString *out);
/* Dirty pages, pauses, eviction; and the phases of each run.  Nothing if no run has any. */
void text_section_cache (const ReportRun *runs, char *const *names, unsigned n, GString *out);
/* Who made things durable, and who shared commits.  Nothing if no run has any. */
void text_section_journal (const ReportRun *runs, char *const *names, unsigned n, GString *out);
void text_section_periods (const ReportRun *runs, char *const *names, unsigned n, GString *out);

/* What binds each run (Report.operations). */
void text_section_binding (const Report *report, char *const *names, GString *out);

/* Each string as one paragraph "  * ...", escaped and folded at 100 columns. */
void text_section_notes (const GPtrArray *notes, GString *out);

#endif
