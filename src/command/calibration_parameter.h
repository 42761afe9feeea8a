/*
 * The machine values that a fit may move: as options give them, or a default set for the jobs at hand.
 */
#ifndef CALIBRATION_PARAMETER_H
#define CALIBRATION_PARAMETER_H

#include "model/machine.h"

typedef struct {
  char    *key;                 /* "Group.Key" */
  gboolean whole;               /* whole numbers only */
  double   base;                /* the base machine's value */
  double   start, low, high;    /* 0 < low < high; start: the base's value, or the middle if that lies outside */
} CalibrationParameter;

/* Without =LOW..HIGH a value may become this many times smaller or larger. */
#define CALIBRATION_RANGE 8.0

/* "KEY" or "KEY=LOW..HIGH" for each word of `words`; a key given twice is an error, as is one that the machine does not
 * have, that is no number, or that is 0 without a range.  OPTIONS_ERROR or MACHINE_ERROR.
 * (transfer full) (element-type CalibrationParameter) */
GArray *calibration_parameters_parse (const GPtrArray *words, const Machine *machine, GError **error);
/* What is worth trying if nothing is said: system call, switches and wake-ups, submission, punting, workers, the
 * application, and of each file system in `reads` and `writes` (element-type utf8) the work per page.  Those that are 0
 * on the machine are left out. */
GArray *calibration_parameters_default (const Machine *machine, const GPtrArray *reads, const GPtrArray *writes);

/* The value as a machine file has it. (transfer full) */
char   *calibration_parameter_format (const CalibrationParameter *parameter, double value);
/* "xfs" of "FileSystem xfs.ColdPage"; NULL if it belongs to all. (transfer full) */
char   *calibration_parameter_file_system (const CalibrationParameter *parameter);

#endif
