/*
 * Runs as "uringsim run" makes them, watched: from its words to the simulation, in small steps, with a record of every
 * completed request of io_uring and of how long nothing went on.
 */
#ifndef WATCHED_RUN_H
#define WATCHED_RUN_H

#include "model/application.h"
#include "src/command/options.h"
#include "src/command/scenario.h"
#include "tests/random_run.h"

/* What the words after "uringsim run" ask for. */
typedef struct {
  Options *options;
  Scenario *scenario;
  SimulationSetup setup;          /* of the two */
} WordsRun;

/* `words`: NULL-terminated.  FALSE with the error of the reader that refused. */
gboolean words_run_open (WordsRun *run, const char *const *words, GError **error);
/* Writes the inputs of a random run into the directory and opens it. */
gboolean words_run_open_random (WordsRun *words, const RandomRun *run, const char *directory, GError **error);
void     words_run_clear (WordsRun *run);

/* One completed request of an io_uring stream. */
typedef struct {
  unsigned application, file, bucket;
  uint64_t number;                /* in its stream, from 0 */
  IoOp     op;
  gboolean hashed;
  Outcome  outcome;
  RequestTimes time;              /* up to its CQE */
} Seen;

typedef struct {
  Simulation *sim;                /* while it runs */
  GArray  *seen;                  /* of Seen, in the order of their CQEs */
  uint64_t count[TRACE_EVENT_KINDS];
  UrTime   quiet, quiet_at;       /* longest time, and when, in which all CPUs are idle with requests in flight */
} Witness;

void witness_init (Witness *witness);
void witness_clear (Witness *witness);

/* simulation_run() with a witness: the same result but for the number of events. (transfer full) */
RunResult *run_watched (const SimulationSetup *setup, Witness *witness, GError **error);

#endif
