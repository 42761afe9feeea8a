/*
 * What is looked at in a stream of io_uring and sched events, real or simulated: how many requests show each sequence
 * of events, counts, the submitters' order of events in their first batches, context switches of the job's threads.
 *
 * Both sides come as Tracepoints and pass through here, so that nothing is counted in two ways.
 */
#ifndef OBSERVATION_H
#define OBSERVATION_H

#include "src/input/tracepoint.h"

/* A request's events in order, one letter each; X(letter, name in reports). */
#define OBSERVED_EVENTS(X) \
  X ('s', "submit_req") \
  X ('h', "queue_async_work hashed") \
  X ('n', "queue_async_work normal") \
  X ('a', "task_add") \
  X ('p', "poll_arm") \
  X ('c', "complete") \
  X ('+', "more")                    /* after OBSERVED_EVENTS_MAX of a request, or too many different sequences */
enum { OBSERVED_EVENTS_MAX = 15, OBSERVED_SEQUENCES_MAX = 1024 };
const char *observed_event_name (char letter);

typedef struct Observation Observation;

/* What is known of a stream, one for each ring. */
typedef struct {
  unsigned depth, files;             /* iodepth; files it works on */
  gboolean device;                   /* what is not punted waits for a device: direct, or not in memory */
} ObservedStream;

/* Of more rings than `n` the rest are taken as the last one. */
Observation *observation_new (const ObservedStream *streams, unsigned n);
void         observation_free (Observation *observation);          /* accepts NULL */
void         observation_add (Observation *observation, const Tracepoint *event);
/* Once, after the last event: requests that did not complete are counted with what they showed. `role`: of a task. */
void         observation_end (Observation *observation, TaskRole (*role) (unsigned task, gconstpointer data),
                              gconstpointer data);

typedef struct {
  uint64_t submitted, punted, hashed;
  uint64_t workers;                  /* different threads of io-wq that appear */
  uint64_t posted_by_worker;         /* completions */
  uint64_t switches;                 /* of the job's threads, from its first submission to its last completion: to them
                                      * or away from them, whichever is more, as a trace may lack one side */
  gboolean has_switches;             /* the trace holds scheduler events */
} ObservedCounts;
const ObservedCounts *observation_counts (const Observation *observation);
/* Letters -> count, as pointers: requests that showed the sequence. (transfer none) */
uint64_t   observation_sequence (const Observation *observation, const char *letters);
/* The letters of all sequences of both, sorted. (transfer full) (element-type utf8) */
GPtrArray *observation_sequences (const Observation *a, const Observation *b);

/*
 * The order of the submitters' own events (submission, queueing, completion posted by it) until it has submitted
 * `batches` times its iodepth.
 *   SAME        event for event
 *   EQUIVALENT  but for the moments at which completions of punted requests, and of those that waited for a device, are
 *               reaped, which hang on when a worker or the device was done: submissions, queueings and inline
 *               completions are in the same order, as many requests are submitted before the first completion, and the
 *               hashed ones of a single file complete in the same order
 */
typedef enum { ORDER_SAME, ORDER_EQUIVALENT, ORDER_DIFFERENT } ObservedOrder;
/* How many requests of a stream were submitted before its first completion; all, if nothing completed. */
unsigned observation_early (const Observation *observation, unsigned stream, unsigned batches);
unsigned observation_streams (const Observation *observation);
/* `any_early`: that number may differ for EQUIVALENT, as it does between runs of the real kernel.
 * *ret_real, *ret_simulated: some events from shortly before the first difference on ("submit 3, queue 3, ...").
 * (transfer full), NULL if SAME. */
ObservedOrder observation_compare_order (const Observation *real, const Observation *simulated, unsigned batches,
                                         gboolean any_early, char **ret_real, char **ret_simulated);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Observation, observation_free)

#endif
