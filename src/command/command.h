/*
 * What a subcommand is, how it ends, and how errors become exit codes.
 *
 * A command parses its options, calls the readers and the model, and hands a finished text to command_output().
 * Messages go to stderr as one line "uringsim: ..."; nothing below main() calls exit().
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "src/command/options.h"
#include "src/command/run_set.h"
#include "src/command/scenario.h"
#include <glib.h>

typedef enum {
  EXIT_DONE = 0,
  EXIT_NEGATIVE = 1,            /* the answer is negative: outside tolerance, deadlock */
  EXIT_USAGE = 2,               /* command line, policy, machine or another configuration file */
  EXIT_DATA = 3,                /* workload that cannot be read or makes no sense */
  EXIT_IO = 4,                  /* the result could not be written */
  EXIT_INTERNAL = 70,           /* a check inside the program failed */
  EXIT_INTERRUPTED = 130,       /* SIGINT or SIGTERM; what was simulated until then is printed and marked */
} CommandExit;

typedef struct {
  const char *name;             /* one word, or two: a part of a command; the row of the first word alone stands before */
  OptionUser  user;             /* which options it takes */
  const char *arguments;        /* for help: "INPUT..."; NULL: nothing without one of its parts, not listed */
  const char *summary;          /* one line */
  const char *help;             /* paragraphs under the usage line */
  /* Error set unless it returns EXIT_DONE, EXIT_NEGATIVE or EXIT_INTERRUPTED. */
  CommandExit (*run) (const Options *options, GError **error);
} Command;

/* The whole program: finds the command, parses, runs, reports errors. Returns the exit status.
 * `commands` ends with a row without name. */
int command_main (const Command *commands, int argc, char **argv);

/* Exit code of an error by its domain and code. */
CommandExit command_exit_of (const GError *error);

/* Writes a result to options->output (whole or not at all) or to stdout. */
gboolean command_output (const Options *options, const char *text, GError **error);

/* The same of any bytes. */
gboolean command_output_bytes (const Options *options, const char *bytes, gsize size, GError **error);

/* Prints the runs of run and compare as options say, with what they rest on. */
CommandExit command_report (const Options *options, const char *command, const Scenario *scenario, const RunSet *set,
                            unsigned reps, const ReportRun *runs, unsigned n_runs, const ReportVerdict *verdict,
                            GError **error);

typedef enum { COMMAND_ERROR_WRITE, COMMAND_ERROR_INPUT } CommandError;
#define COMMAND_ERROR (command_error_quark ())
GQuark command_error_quark (void);

CommandExit command_run (const Options *options, GError **error);
CommandExit command_explain (const Options *options, GError **error);
CommandExit command_check_result (const Options *options, GError **error);
CommandExit command_compare (const Options *options, GError **error);
CommandExit command_reproduce (const Options *options, GError **error);
CommandExit command_validate (const Options *options, GError **error);
CommandExit command_calibrate (const Options *options, GError **error);
CommandExit command_list (const Options *options, GError **error);
CommandExit command_policy (const Options *options, GError **error);
CommandExit command_trace (const Options *options, GError **error);
CommandExit command_show (const Options *options, GError **error);

#endif
