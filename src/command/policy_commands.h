/*
 * The parts of `uringsim policy`.  Each takes the options of the command; argument 0 is the part's name.
 */
#ifndef POLICY_COMMANDS_H
#define POLICY_COMMANDS_H

#include "src/command/command.h"

/* Loads every file and prints what it holds or what is wrong with it, the spot marked.  EXIT_USAGE with error set if
 * one is wrong. */
CommandExit policy_check (const Options *options, GError **error);

#endif
