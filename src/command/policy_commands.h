/*
 * The parts of `uringsim policy`, each a command with options of its own.
 */
#ifndef POLICY_COMMANDS_H
#define POLICY_COMMANDS_H

#include "src/command/command.h"

/* Loads every file and prints what it holds or what is wrong with it, the spot marked.  EXIT_USAGE with error set if
 * one is wrong. */
CommandExit policy_check (const Options *options, GError **error);

/* Finds values for the knobs of argument 0, a policy file, on the workload of the others, and reports them.
 * EXIT_NEGATIVE if no setting keeps the limits of the objective. */
CommandExit policy_search (const Options *options, GError **error);

#endif
