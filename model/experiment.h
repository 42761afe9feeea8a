/*
 * A shipped experiment: published rows (policy, engine or whatever they differ in, and published figures) on one
 * machine, and ratios between them.  A .experiment file (GKeyFile), described in uringsim-experiment(5):
 *
 *   [Experiment] Name= Title= Source= Machine=      # and any key of a run below, for rows that do not say otherwise
 *                Fitted=KEY;... Stated=KEY;... Note=TEXT
 *   [Row NAME]   Policy= Fs= Workload=FILE.fio (beside it)      # required, here or in [Experiment]
 *                Kernel= Engine= Device= Cpus= Iodepth= Sqpoll= Cache= Ring= Sqe= Set=KEY=VALUE;... Ios= Runtime=
 *                and what was published: Iops= Bandwidth= ClatMean= ... (model/metric.h), Lock=, LeftOutError=, Note=
 *   [Ratio NAME] Numerator=ROW;... Denominator=ROW;... Metric= DenominatorMetric= Published= Tolerance= or Min=, Max=
 *
 * Rates are per second, Bandwidth= takes KiB and MiB, times are ns, shares 0..1, Tolerance= is a fraction.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H
#include "model/device.h"
#include "model/machine.h"
#include "model/metric.h"
#include "model/workload.h"
#include <glib.h>

#define EXPERIMENT_UNSET (-1.0)
#define EXPERIMENT_ROWS_MAX 64u

typedef struct {
  char *name, *note;              /* note (nullable) */
  /* How it is run. */
  char *policy, *fs, *workload_path;
  char *device, *ring, *sqe;      /* (nullable) the default; as --ring and --sqe */
  char **set;                     /* "KEY=VALUE" as --set, NULL-terminated; those of [Experiment] first */
  unsigned kernel;                /* 0: the policy's own */
  int engine;                     /* ApplicationEngine, -1: the job's own */
  int sqpoll;                     /* -1: the job's own */
  int cache;                      /* CacheState, -1: the job's own */
  unsigned iodepth, cpus;         /* 0: the job's own, the machine's */
  uint64_t ios;                   /* 0: no limit but the job's own */
  UrTime runtime;                 /* 0: the same */
  unsigned fio_version;           /* KERNEL (major, minor), as --fio-version; 0: the newest */
  /* What was published; EXPERIMENT_UNSET if not. */
  double published[METRICS_N];
  char *lock;                     /* (nullable) see metric_of() */
  double left_out_error;          /* simulated / published - 1 when this row was left out of the fit; NAN: not given */
} ExperimentRow;

/* A sum over rows of one metric, by another sum or, without rows below, alone. */
typedef struct {
  char *name;
  unsigned n_above, above[EXPERIMENT_ROWS_MAX];       /* indices into Experiment.rows */
  unsigned n_below, below[EXPERIMENT_ROWS_MAX];
  Metric metric, metric_below;
  double published;               /* EXPERIMENT_UNSET: only said in words */
  double tolerance;               /* 0.25 = 25 % either way; EXPERIMENT_UNSET: least and most were given */
  double least, most;             /* what a simulated ratio may be, 0 and INFINITY for no limit */
} ExperimentRatio;

typedef struct {
  char *name, *title, *source, *machine, *path;
  char *note;                     /* (nullable) what a reader of the result must know */
  char **fitted;                  /* "Group.Key", NULL-terminated; "Fs" stands for a file system chosen to fit */
  char **stated;                  /* keys of Set= and Cpus= that the source states or in which the rows differ */
  unsigned n_rows; ExperimentRow *rows;
  unsigned n_ratios; ExperimentRatio *ratios;
} Experiment;

#define EXPERIMENT_ERROR (experiment_error_quark ())
GQuark experiment_error_quark (void);
/* Errors name file and line.  (transfer full) */
Experiment *experiment_load (const char *name_or_path, GError **error);
void        experiment_free (Experiment *experiment);      /* accepts NULL */

/* Published ratios within this of 1 say that the two are alike. */
#define EXPERIMENT_TIE 0.03

/* Whether a published ratio says on which side of 1 it is: one with a denominator, farther from 1 than EXPERIMENT_TIE.
 * Its tolerance does not matter: a wide one would excuse the wrong winner. */
gboolean experiment_ratio_has_side (const ExperimentRatio *ratio);

/* Whether `machine` is its base with no more changes than the experiment admits (model/experiment_fit.c): every value
 * that its own file sets or that differs from `base` is named in Fitted=, every name there is such a value or is set
 * by Set= or Cpus= for all rows, there are at most rows - 1 (published ones) and at most 3 of them, and all other keys of Set= and
 * Cpus= are named in Stated=. */
gboolean experiment_check_fitted (const Experiment *experiment, const Machine *machine, const Machine *base,
                                  GError **error);
/* The key of "KEY=VALUE", as Fitted= and Stated= name it. (transfer full) */
char    *experiment_set_key (const char *assignment);
/* The value of "Group.Key" of a machine or, if it is one of a device's, of the device (nullable); FALSE: it is
 * neither's. */
gboolean experiment_key_value (const char *key, const Machine *machine, const Device *device, double *ret_value);
#endif
