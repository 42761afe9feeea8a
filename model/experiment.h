/*
 * A shipped experiment: published rows (policy or engine, published figures) on one machine and
 * workload, and the ratios with their tolerance.  A .experiment file (GKeyFile):
 *
 *   [Experiment] Name= Title= Source= Machine= Fs= Workload=FILE.fio (beside it) Ios=
 *                Kernel= Cache=clean|dirty|cold Iodepth= Sqpoll=     # may be left out: the policy's, the job's own
 *                Fitted=Group.Key;... Note=TEXT     # Fitted: the machine keys changed for this experiment
 *   [Row NAME]   Policy= (required) Engine= Sqpoll= Iops= Bandwidth= ClatMean= CpuShareContention= Note=
 *   [Ratio NAME] Numerator=ROW Denominator=ROW Published= Tolerance=
 *
 * Bandwidth= is bytes per second (KiB, MiB), ClatMean= ns, CpuShareContention= 0..1, Tolerance= a fraction.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H
#include "model/machine.h"
#include "model/workload.h"
#include <glib.h>

#define EXPERIMENT_UNSET (-1.0)
typedef struct {
  char *name, *policy, *note;
  int engine;                     /* ApplicationEngine, -1: the job's own */
  int sqpoll;                     /* -1: the job's own */
  double iops, bw_bytes, clat_mean_ns, cpu_share_contention;    /* published; EXPERIMENT_UNSET if not */
} ExperimentRow;
typedef struct {
  char *name;
  unsigned numerator, denominator;      /* indices into Experiment.rows */
  double published, tolerance;          /* tolerance 0.25 = 25 % */
} ExperimentRatio;
typedef struct {
  char *name, *title, *source, *machine, *fs, *workload_path, *path;
  unsigned kernel;                /* 0: each policy's own */
  uint64_t ios;                   /* per run */
  int cache;                      /* CacheState, -1: the job's own */
  unsigned iodepth;               /* 0: the job's own */
  int sqpoll;                     /* of rows that say nothing; -1: the job's own */
  char *note;                     /* (nullable) what a reader of the result must know */
  char **fitted;                  /* "Group.Key", NULL-terminated; "Fs" stands for a file system chosen to fit */
  unsigned n_rows; ExperimentRow *rows;
  unsigned n_ratios; ExperimentRatio *ratios;
} Experiment;
#define EXPERIMENT_ERROR (experiment_error_quark ())
GQuark experiment_error_quark (void);
/* Errors name file and line.  (transfer full) */
Experiment *experiment_load (const char *name_or_path, GError **error);
void        experiment_free (Experiment *experiment);      /* accepts NULL */
/* Whether `machine` is its base with no more changes than the experiment admits: every value that its own file
 * sets or that differs from `base` is named in Fitted=, every name there is such a value, and there are at
 * most rows - 1 and at most 3 of them. */
gboolean    experiment_check_fitted (const Experiment *experiment, const Machine *machine, const Machine *base,
                                     GError **error);
#endif
