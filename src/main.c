/* The program: a table of subcommands, nothing else. */
#include "src/command/command.h"
#include "src/command/graph_commands.h"
#include "src/command/policy_commands.h"
#include "src/command/trace_commands.h"

static const Command commands[] = {
  { "run", USER_RUN, "INPUT...", "one workload under one policy",
    "Simulates the workload of fio job files or iologs (plain or gzip, \"-\" is standard input)\n"
    "under one policy and prints rates, latencies, and where the time went.",
    command_run },
  { "explain", USER_EXPLAIN, "INPUT...", "the life of single requests in sentences",
    "Simulates the workload under one policy and tells the life of single requests: each step with its time, the\n"
    "kernel function it stands for, and the reason.  By default the first three that complete.",
    command_explain },
  { "compare", USER_COMPARE, "INPUT...", "the same workload under several policies",
    "Simulates the same workload with the same luck under every given policy and engine, side by\n"
    "side, with the ratio to psync (or to the first row) and its confidence interval.",
    command_compare },
  { "reproduce", USER_REPRODUCE, "[NAME...]", "published experiments: published, simulated, error",
    "Runs the shipped experiments (all, or those named) and prints published figures beside\n"
    "simulated ones.  Exit status 1 if a ratio is outside its tolerance.",
    command_reproduce },
  { "validate", USER_VALIDATE, "DIRECTORY|FILE [JOB]", "what a real machine did beside the simulation",
    "DIRECTORY holds captures (NAME.fio, NAME.trace.gz, validate.ini): the io_uring events of each\n"
    "request, their order and counts, workers and context switches are compared with the trace.  What\n"
    "the options do not give is taken from validate.ini.  FILE is a JSON result of fio (rates and\n"
    "latencies are compared), or holds throughput records (ratios to psync) or lock shares.  Exit status\n"
    "1 if a capture does not agree, or errors pass the thresholds.",
    command_validate },
  { "check-result", USER_CHECK, "[RESULT...]", "whether a pasted result of fio can be",
    "Checks results of fio, or figures given as options, for what cannot be: Little's law, sums of\n"
    "latencies, order of percentiles, counts, mixed-up units.  Exit status 1 if something is impossible.",
    command_check_result },
  { "calibrate", USER_CALIBRATE, "RESULT...", "a machine file fitted to measured results",
    "Fits a few values of a machine to measured throughput, names those that the results cannot tell, and\n"
    "writes a machine file with -o FILE.machine.  The report says how sure each value is and how far each\n"
    "result is off.  Exit status 1 if nothing could be fitted.  With --measure DIRECTORY it runs a set of jobs\n"
    "with fio there instead and writes their results.",
    command_calibrate },
  { "list", USER_LIST, "KIND", "what is shipped", "KIND is policies, machines, file-systems, devices or experiments.",
    command_list },
  { "show", USER_SHOW, "KIND NAME|FILE", "effective values and where each comes from",
    "KIND is policy, machine, file-system, device or experiment.", command_show },
  { "policy", USER_POLICY, NULL, "work on policy files", "", command_policy },
  { "policy check", USER_POLICY, "FILE...", "is a policy file right?",
    "Loads policies (files or shipped names) and says what each holds or what is wrong with it, with\n"
    "FILE:LINE:COLUMN and the spot marked.  Exit status 2 if one is wrong.",
    policy_check },
  { "policy search", USER_SEARCH, "FILE INPUT...", "values for the knobs of a policy",
    "FILE is a policy in which numbers are left open as ?LOW..HIGH, as in MaxWorkers=?1..64.  Finds the values that\n"
    "are best on the workload, and prints the settings between which throughput and p99 have to be traded.\n"
    "Exit status 1 if no setting keeps the limits of the objective.",
    policy_search },
  { "graph", USER_DRAW, NULL, "draw pictures", "", command_graph },
  { "graph policy", USER_DRAW, "NAME|FILE", "the decision tree of a policy",
    "Draws the rules in force in the order in which they are tried: condition, attempt, what follows it, the queues\n"
    "and their limits, each with the place it comes from.  DOT text, or what Graphviz's dot makes of it (-T).",
    graph_policy_command },
  { "graph flow", USER_CHART, "INPUT...", "the way of requests through a run",
    "Draws every state of a request and the steps between them, with counts, shares and mean times; the width of a\n"
    "line is its share of all time.",
    graph_flow_command },
  { "graph cdf", USER_CHART, "INPUT...", "the distribution of latencies",
    "A chart of which share of the requests takes how long at most, a line for each policy and engine.  SVG, or what\n"
    "rsvg-convert makes of it (-T).",
    graph_cdf_command },
  { "graph depth", USER_DEPTH, "INPUT...", "throughput against depth",
    "A chart of the IOPS with so many requests in flight, a line for each policy and engine.", graph_depth_command },
  { "trace", USER_TRACE, NULL, "work on traces", "", command_trace },
  { "trace info", USER_TRACE, "FILE...", "what is in a trace?",
    "Counts, bytes, sizes, times, gaps and order of the requests in iologs (version 2 and 3), binary blktrace\n"
    "(files NAME.blktrace.N are one trace) and the text of blkparse, and how they were read.",
    trace_info_command },
  { "trace check", USER_TRACE, "FILE...", "is a trace right?",
    "Lists every defect of the files that trace info takes, with FILE:LINE.  Exit status 1 if there is one.",
    trace_check_command },
  { "trace convert", USER_CONVERT, "FILE", "a trace in another format",
    "Writes the requests of a trace as an iolog of version 3 (default), version 2, or CSV, to standard\n"
    "output or -o FILE.  What is lost is said on standard error.",
    trace_convert_command },
  { "trace cut", USER_CUT, "FILE", "a part of a trace",
    "Writes those requests of a trace that --from, --until, --op, --file and --limit-ios leave, as trace\n"
    "convert does.  Times count from --from.",
    trace_cut_command },
  { 0 },
};

int main (int argc, char **argv) { return command_main (commands, argc, argv); }
