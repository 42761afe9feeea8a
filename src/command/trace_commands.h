/*
 * The parts of `uringsim trace`.  The arguments are files.
 */
#ifndef TRACE_COMMANDS_H
#define TRACE_COMMANDS_H

#include "src/command/command.h"

/* Counts, sizes, gaps, rate, order; how it was read, and warnings. */
CommandExit trace_info_command (const Options *options, GError **error);
/* EXIT_NEGATIVE if a trace has a defect; all are listed. */
CommandExit trace_check_command (const Options *options, GError **error);

#endif
