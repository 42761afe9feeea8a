/*
 * Random small runs, as a user would type them: a fio job file or iologs, and the words of "uringsim run".
 *
 * Run number k is the same on every machine and in every build; the shipped policies and machines take part by
 * themselves, in the order of their names.  The test reads the inputs with the readers of the program, so that
 * whatever fails can be repeated by hand: random_run_repeat() prints the shell commands.
 */
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include <glib.h>

typedef struct {
  const char *name;               /* "job.fio" */
  GString *text;
} RandomInput;

typedef struct {
  unsigned number;
  GPtrArray *words;               /* of char *: options of "uringsim run", without the inputs; the seed is number + 1 */
  GPtrArray *inputs;              /* of RandomInput */
  gboolean noise;                 /* costs vary */
  unsigned kernel;                /* KERNEL (a, b) */
  /* what its rings and sqes allow: requests that fail or are cancelled, CQEs that find no room, CQEs left out */
  gboolean may_fail, may_overflow, skips;
  gboolean direct;                /* some of its jobs may use O_DIRECT */
  gboolean slow;                  /* its requests may wait for a device of milliseconds */
  gboolean links;                 /* chains, whose members a worker may do without queueing them */
} RandomRun;

/* (transfer full) */
RandomRun *random_run_new (unsigned number);
void       random_run_free (RandomRun *run);
/* Writes the inputs into an existing directory. */
gboolean   random_run_write (const RandomRun *run, const char *directory, GError **error);
/* Removes them. */
void       random_run_remove (const RandomRun *run, const char *directory);
/* Lines for a shell that make the inputs and run it. (transfer full) */
char      *random_run_repeat (const RandomRun *run);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomRun, random_run_free)

#endif
