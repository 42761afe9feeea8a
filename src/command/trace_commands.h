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
/* One trace, written again in another format; what is lost is said on stderr.  Nothing is left behind on an error. */
CommandExit trace_convert_command (const Options *options, GError **error);
/* The same, and only some of its requests. */
CommandExit trace_cut_command (const Options *options, GError **error);

/* The inputs of a part, sets of files that belong together as one. (transfer full) (element-type GStrv) NULL with error
 * set. */
GPtrArray *trace_inputs (const Options *options, const char *part, GError **error);

#endif
