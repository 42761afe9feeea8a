/*
 * Measuring this machine: the jobs of model/calibration run by fio, as throughput records.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include "src/command/command.h"

/* Runs the jobs in turn (A B C ... A B C ...), options->reps times (default 5) and once before for nothing, on a file
 * of theirs in the directory options->measure, which is removed afterwards; writes the records as command_output() does.
 * Without fio, or if it fails: COMMAND_ERROR. */
CommandExit measure (const Options *options, GError **error);

#endif
