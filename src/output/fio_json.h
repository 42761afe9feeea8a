/* Reports in formats that other tools read: fio's JSON, CSV. */
#ifndef FIO_JSON_H
#define FIO_JSON_H

#include "src/output/report.h"

/* As fio 3.33 writes it; `bins`: with the counts of json+. (transfer full) */
char *fio_json_report (const Report *report, gboolean bins);
/* RFC 4180: a header, then a line for each run. (transfer full) */
char *csv_report (const Report *report);

#endif
