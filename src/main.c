/* The program: a table of subcommands, nothing else. */
#include "src/command/command.h"

static const Command commands[] = {
  { "run", USER_RUN, "INPUT...", "one workload under one policy",
    "Simulates the workload of fio job files or iologs (plain or gzip, \"-\" is standard input)\n"
    "under one policy and prints rates, latencies, and where the time went.",
    command_run },
  { "compare", USER_COMPARE, "INPUT...", "the same workload under several policies",
    "Simulates the same workload with the same luck under every given policy and engine, side by\n"
    "side, with the ratio to psync (or to the first row) and its confidence interval.",
    command_compare },
  { "reproduce", USER_REPRODUCE, "[NAME...]", "published experiments: published, simulated, error",
    "Runs the shipped experiments (all, or those named) and prints published figures beside\n"
    "simulated ones.  Exit status 1 if a ratio is outside its tolerance.",
    command_reproduce },
  { "validate", USER_VALIDATE, "DIRECTORY", "traces of a real kernel beside simulated ones",
    "Runs the jobs of a directory of captures (NAME.fio, NAME.trace.gz, validate.ini) and compares the\n"
    "io_uring events of each request, their order and counts, workers and context switches with the\n"
    "trace.  What the options do not give is taken from validate.ini.  Exit status 1 if a capture\n"
    "does not agree.",
    command_validate },
  { "list", USER_LIST, "KIND", "what is shipped", "KIND is policies, machines, file-systems, devices or experiments.",
    command_list },
  { "show", USER_SHOW, "KIND NAME|FILE", "effective values and where each comes from",
    "KIND is policy, machine, file-system, device or experiment.", command_show },
  { 0 },
};

int main (int argc, char **argv) { return command_main (commands, argc, argv); }
