/*
 * What the parts of the fixture share: fixture_script.c reads scripts and runs their tasks, fixture_cpu_steps.c and
 * fixture_ring_steps.c are the steps, fixture_request.c their requests, model_fixture.c the machine and its runs.
 */
#ifndef FIXTURE_PRIVATE_H
#define FIXTURE_PRIVATE_H

#include "tests/model_fixture.h"

typedef struct Actor Actor;
typedef struct Step Step;
typedef struct {
  const char *name;
  void (*act) (Actor *, const Step *);
} StepKind;
struct Step {
  const StepKind *kind;
  char *text;                           /* after the colon; "" without one */
};

struct Actor {
  Fixture *fixture;
  Task *task;
  GArray *steps;                        /* of Step */
  unsigned at, repeated;
  UrTime start;
  Ring *ring;                           /* made or chosen by it */
};

/* The kinds of steps; a name of NULL ends each table. */
extern const StepKind fixture_cpu_steps[], fixture_ring_steps[];

/* A line "NAME@TIME event" in the fixture's log. */
void     actor_log (Actor *actor, const char *event);
/* Microseconds, with decimals. */
UrTime   script_us (const char *text);
/* The number that the step's text starts with. */
unsigned step_number (const Step *step);
/* So many microseconds from now; never if there is no text. */
UrTime   actor_deadline (Actor *actor, const char *text);
/* The ring that the task's steps are about; the one of this number. */
Ring    *actor_ring (const Actor *actor);
Ring    *actor_ring_number (const Actor *actor, const char *text);
/* A request from its text, prepared now, one of the fixture's.  (transfer none) */
Request *actor_request (Actor *actor, const char *text);
char     fixture_request_name (const Fixture *fixture, const Request *request);
void     actor_free (gpointer data);
/* One of the tasks and probes has ended; the run ends with the last. */
void     fixture_done_one (Fixture *fixture);

#endif
