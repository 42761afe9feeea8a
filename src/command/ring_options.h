/*
 * The values of --ring and --sqe: words separated by commas, for the ring of every stream and for what the application
 * marks its requests with.
 */
#ifndef RING_OPTIONS_H
#define RING_OPTIONS_H

#include "model/workload.h"
#include <glib.h>

typedef struct {
  RingOptions ring;
  int      sq_cpu;                /* sq-cpu=; -1: not given */
  gboolean sqe_given;
  SqeOptions sqe;
  gboolean async, fixed_files, fixed_buffers;   /* set in the jobs besides what they say themselves */
} RingChoice;

void ring_choice_init (RingChoice *choice);

/* Both: FALSE with the offending word and what was expected, (transfer full). */
gboolean ring_options_parse (RingChoice *choice, const char *text, char **ret_word, char **ret_expected);
gboolean sqe_options_parse (RingChoice *choice, const char *text, char **ret_word, char **ret_expected);

/* Puts what was given into every job of the workload. */
void ring_choice_apply (const RingChoice *choice, Workload *workload);
/* One sentence each about the ring and about the sqes, NULL if not given. (transfer full) */
char *ring_choice_ring_text (const RingChoice *choice);
char *ring_choice_sqe_text (const RingChoice *choice);

#endif
