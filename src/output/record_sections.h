/*
 * What every report of measured results has in common: how it begins, and what it rests on.
 */
#ifndef RECORD_SECTIONS_H
#define RECORD_SECTIONS_H

#include "src/output/json_write.h"
#include "src/output/record_report.h"

/* Version, what is compared, machine, seeds; "INTERRUPTED" if so. */
void text_section_basis (const ReportBasis *basis, const char *what, GString *out);
/* The notes under their title, if there are any. */
void text_section_basis_notes (const ReportBasis *basis, GString *out);
/* Members of the report's object behind its summary. */
void json_put_basis (JsonBuilder *builder, const ReportBasis *basis);
/* An estimate as mean, half width and number of seeds. */
void json_put_estimate (JsonBuilder *builder, const char *name, ReportEstimate estimate);

#endif
