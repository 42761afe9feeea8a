/* What check-result found, as text and JSON. */
#ifndef PLAUSIBILITY_REPORT_H
#define PLAUSIBILITY_REPORT_H

#include <glib.h>

/* One result; findings in parallel arrays. */
typedef struct {
  const char *name;
  unsigned n;
  const char *const *texts;
  const gboolean *impossible;
} PlausibilityReport;

char *text_plausibility (const PlausibilityReport *reports, unsigned n);     /* (transfer full) */
char *json_plausibility (const PlausibilityReport *reports, unsigned n);     /* (transfer full) */

#endif
