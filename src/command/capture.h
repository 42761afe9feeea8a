/*
 * One capture of a real kernel: a fio job and the trace of its run, beside the same job simulated.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "src/command/options.h"
#include "src/input/validate_ini.h"
#include "src/output/validation.h"

/* Seeds over which counts that hang on timing (workers, context switches) are taken. */
#define CAPTURE_DEFAULT_REPS 8

typedef enum { CAPTURE_FAILED, CAPTURE_DONE, CAPTURE_INTERRUPTED } CaptureStatus;

/*
 * Reads DIRECTORY/NAME.fio and DIRECTORY/NAME.trace.gz, runs the job under the conditions (options over validate.ini)
 * and compares.  A job outside the model leaves report->not_modelled.  `report` starts zeroed and borrows `name`; give
 * it to capture_clear() whatever comes back.  `notes` (of char *) gets what a reader must know.  CAPTURE_FAILED: error
 * set.
 */
CaptureStatus capture_compare (const char *directory, const char *name, const CaptureConditions *conditions,
                               const Options *options, ReportCapture *report, GPtrArray *notes, GError **error);
void          capture_clear (ReportCapture *report);

#endif
