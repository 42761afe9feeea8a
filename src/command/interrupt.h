/*
 * SIGINT and SIGTERM as a flag, so that a run can stop in good order and its partial result be printed.
 *
 * A signal is process-wide by nature: this is the one state of the program that is not part of a run.  A second signal
 * kills as usual, unless it comes with the first: timeout(1) and shells send one to the process and one to its group.
 */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <glib.h>

void interrupt_install (void);
/* Non-zero once a signal came. */
const volatile gint *interrupt_flag (void);

#endif
