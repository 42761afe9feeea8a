/*
 * A policy in C that does what the shipped trylock-inline.policy does:
 *
 *   cc -shared -fPIC -o trylock-inline.so trylock-inline.c
 *   uringsim compare job.fio --policy ./trylock-inline.so,linux-6.3
 *
 * The header is installed with uringsim; in its source tree, where it is in model/, add -Imodel.
 *
 * Buffered writes are tried in the submitter if the inode lock is free, else punted; all else goes as under Linux 6.3.
 */
#include <stdlib.h>
#include <uringsim-policy.h>

enum { TRY };

static const uringsim_choice choices[] = {
  [TRY] = { .attempt = URINGSIM_TRYLOCK, .on_again = URINGSIM_TO_QUEUE, .queue = "default" },
};

/* The numbers of the conditions it looks at, found once a run. */
typedef struct {
  const uringsim_host *host;
  int write, buffered, force_async;
} State;

static void *open_state (const uringsim_host *host)
{
  State *state = malloc (sizeof *state);

  if (state != NULL)
    *state = (State){ host, host->variable ("write"), host->variable ("buffered"), host->variable ("force_async") };
  return state;
}

static int decide (void *data, const uringsim_view *view)
{
  const State *state = data;

  if (state == NULL)
    return URINGSIM_BY_BASE;
  if (state->host->value (view, state->write) && state->host->value (view, state->buffered) &&
      !state->host->value (view, state->force_async))
    return TRY;
  return URINGSIM_BY_BASE;
}

static const uringsim_policy policy = {
  .abi = URINGSIM_POLICY_ABI,
  .name = "trylock-inline",
  .title = "Write inline if the inode lock is free, else punt",
  .base = "linux-6.3",
  .n_choices = sizeof choices / sizeof choices[0],
  .choices = choices,
  .open = open_state,
  .close = free,
  .decide = decide,
};

const uringsim_policy *uringsim_policy_plugin (void) { return &policy; }
