/*
 * The parts of `uringsim graph`, each a command with options of its own.
 */
#ifndef GRAPH_COMMANDS_H
#define GRAPH_COMMANDS_H

#include "src/command/command.h"

/* Without one of its parts: an error that lists them. */
CommandExit command_graph (const Options *options, GError **error);
/* The decision tree of argument 0, a policy. */
CommandExit graph_policy_command (const Options *options, GError **error);
/* States and steps of the requests of a run under one policy. */
CommandExit graph_flow_command (const Options *options, GError **error);
/* Charts of the workload of the arguments: latencies, and throughput by depth. */
CommandExit graph_cdf_command (const Options *options, GError **error);
CommandExit graph_depth_command (const Options *options, GError **error);

#endif
