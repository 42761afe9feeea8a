/*
 * The kinds of `validate`: one function for each kind of measurement, and what those of measured results share.
 */
#ifndef VALIDATE_H
#define VALIDATE_H

#include "src/command/command.h"
#include "src/command/record_scenario.h"
#include "src/output/record_report.h"

/* Seeds of measured results. */
#define VALIDATE_DEFAULT_REPS 8

/* As Command.run. */
CommandExit validate_captures (const char *directory, const Options *options, GError **error);
CommandExit validate_records (ByteSource *source, const Options *options, GError **error);
/* `job`: (nullable) path of the job file whose result it is. */
CommandExit validate_results (ByteSource *source, InputKind kind, const char *job, const Options *options,
                              GError **error);
CommandExit validate_shares (ByteSource *source, const Options *options, GError **error);

/* Measured results on their way: read, simulated with the options' seeds. */
typedef struct {
  const Options *options;
  GPtrArray   *results;             /* of Measurement */
  RecordConditions conditions;
  RecordBench *bench;
  Machine     *machine;
  RecordMachine both;
  RunSet      *set;                 /* row i: result i */
  unsigned     reps;
  GPtrArray   *notes;               /* of char * */
} ValidateRun;

/* Loads what the options say and simulates every one of `results`, which it takes over, NULL with error set included.
 * FALSE with error set; give `run` to validate_run_clear() whatever comes back. */
gboolean validate_run (ValidateRun *run, GPtrArray *results, const RecordConditions *defaults, const Options *options,
                       GError **error);
void     validate_run_clear (ValidateRun *run);
/* What every report begins with. */
ReportBasis validate_run_basis (const ValidateRun *run, const char *file);
ReportSubject validate_run_subject (const ValidateRun *run, unsigned index);
/* Writes the report and says how the command ends. */
CommandExit validate_run_end (const ValidateRun *run, const char *text, gboolean ok, GError **error);
/* A threshold as a fraction. */
double validate_threshold (unsigned given, unsigned percent);

#endif
