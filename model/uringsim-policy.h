/*
 * uringsim-policy.h - a punting policy written in C, loaded with --policy ./NAME.so
 *
 * Stand-alone: needs no other header of uringsim.  A plug-in defines one function, uringsim_policy_plugin(), and is
 * built with  cc -shared -fPIC -o libmine.so mine.c
 *
 * The policy says what it may choose in a table of choices; for each request decide() answers with the number of one of
 * them, or URINGSIM_BY_BASE: then the rules of the base policy decide.  The queues are those of the base.
 *
 * Determinism is the plug-in's own duty: no clock, no rand(), no state outside of what open() gave.  Several runs may
 * go on at the same time in different threads, each with its own state.
 */
#ifndef URINGSIM_POLICY_H
#define URINGSIM_POLICY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever something here changes its meaning or size. */
#define URINGSIM_POLICY_ABI 1

/* As Attempt= in a policy file, uringsim-policy(5). */
enum { URINGSIM_NONBLOCK, URINGSIM_BLOCKING, URINGSIM_TRYLOCK, URINGSIM_NONE };
/* As OnAgain=. */
enum { URINGSIM_TO_QUEUE, URINGSIM_POLL, URINGSIM_CALLBACK, URINGSIM_FAIL };
/* As Post=; URINGSIM_POST_DEFAULT: now if blocking, else with the batch. */
enum { URINGSIM_POST_DEFAULT, URINGSIM_POST_BATCH, URINGSIM_POST_NOW };

#define URINGSIM_BY_BASE (-1)

typedef struct {
  int attempt, on_again, post;
  const char *queue;            /* URINGSIM_TO_QUEUE: a queue of the base policy; else NULL */
  unsigned retries;             /* further attempts before on_again, up to 1000 */
} uringsim_choice;

/* One request at the moment of decision. */
typedef struct uringsim_view uringsim_view;

/* What uringsim offers to a plug-in. */
typedef struct {
  int abi;                      /* URINGSIM_POLICY_ABI of the program */
  /* The number of a condition of uringsim-policy(5) such as "inode.waiters"; -1: there is none of that name. */
  int (*variable) (const char *name);
  /* Its value now; of a number that variable() did not give: 0. */
  double (*value) (const uringsim_view *view, int variable);
  uint64_t (*now) (const uringsim_view *view);           /* simulated time, ns */
} uringsim_host;

typedef struct {
  int abi;                      /* URINGSIM_POLICY_ABI the plug-in was built with */
  const char *name;             /* letters, digits, '.', '_' and '-': what reports call it */
  const char *title;            /* one line */
  const char *base;             /* a shipped policy or a file: queues, kernel, and the rules for URINGSIM_BY_BASE */
  unsigned n_choices;           /* 1 to 64 */
  const uringsim_choice *choices;
  /* Once for each run; what it returns is given to decide() and close().  May be NULL.  `host` stays valid until
   * close(). */
  void *(*open) (const uringsim_host *host);
  void (*close) (void *state);  /* may be NULL */
  /* The number of a choice, or URINGSIM_BY_BASE; anything else ends the run with an error. */
  int (*decide) (void *state, const uringsim_view *view);
} uringsim_policy;

/* The plug-in's table; it stays valid as long as the program runs. */
const uringsim_policy *uringsim_policy_plugin (void);

#ifdef __cplusplus
}
#endif
#endif
