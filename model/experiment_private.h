/* What the readers of experiments share: experiment.c (the file, its head and ratios) and experiment_row.c (rows). */
#ifndef EXPERIMENT_PRIVATE_H
#define EXPERIMENT_PRIVATE_H

#include "model/experiment.h"
#include "model/key_file.h"

#define EXPERIMENT_HEAD "Experiment"
#define EXPERIMENT_ROW_PREFIX "Row "

/* The keys of a run, which [Experiment] and [Row NAME] may have. */
#define EXPERIMENT_RUN_KEYS \
  "Policy", "Fs", "Workload", "Kernel", "Engine", "Device", "Cpus", "Iodepth", "Sqpoll", "Cache", "Ring", "Sqe", "Set", \
      "Ios", "Runtime", "FioVersion"

/* A row that says nothing. */
void experiment_row_init (ExperimentRow *row);
void experiment_row_clear (ExperimentRow *row);
/* Reads the keys of a run in `group` over what is in `row`; `path`: the experiment's file. */
gboolean experiment_read_run (ExperimentRow *row, const KeyFile *file, const char *group, const char *path,
                              GError **error);
/* Reads [Row NAME] into `row`: what `base` says, then its own keys.  `row` is a row to free even if this fails. */
gboolean experiment_read_row (ExperimentRow *row, const ExperimentRow *base, const KeyFile *file, const char *group,
                              const char *path, GError **error);
/* Whether a group has only the keys a row may have. */
gboolean experiment_check_row_keys (const KeyFile *file, const char *group, GError **error);
/* "A; B": split at ';', blanks stripped, none empty or twice.  An absent key is an empty list. (transfer full); NULL
 * with error set. */
char   **experiment_read_list (const KeyFile *file, const char *group, const char *key, GError **error);
/* A key that may be left out; the field keeps its value then. */
gboolean experiment_read_number (const KeyFile *file, const char *group, const char *key, double min, double max,
                                 double *field, GError **error);
#endif
