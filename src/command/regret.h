/* The part of `uringsim compare` that --regret asks for. */
#ifndef COMMAND_REGRET_H
#define COMMAND_REGRET_H

#include "src/command/command.h"

/* One table for each policy of the scenario, under io_uring. */
CommandExit compare_regret (const Options *options, const Scenario *scenario, GError **error);

#endif
