/*
 * The options of all subcommands, from one table: name, type, default, range, who takes it, help.
 *
 * Forms: --name VALUE, --name=VALUE, -o FILE, flags; "--" ends options; "-" is an argument (stdin).  An option given
 * twice is an error unless it collects (--policy, --engine, --set).
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "model/workload.h"
#include "src/command/ring_options.h"
#include "src/input/input.h"
#include <glib.h>

typedef enum {
  USER_RUN = 1 << 0, USER_COMPARE = 1 << 1, USER_REPRODUCE = 1 << 2, USER_LIST = 1 << 3, USER_SHOW = 1 << 4,
  USER_VALIDATE = 1 << 5, USER_CALIBRATE = 1 << 6, USER_POLICY = 1 << 7, USER_SEARCH = 1 << 8,
  USER_TRACE = 1 << 9, USER_CONVERT = 1 << 10, USER_CUT = 1 << 11,
  USER_DRAW = 1 << 12, USER_CHART = 1 << 13, USER_DEPTH = 1 << 14, USER_EXPLAIN = 1 << 15, USER_CHECK = 1 << 16,
} OptionUser;

/* Those from FORMAT_FIO_JSON on are for run and compare. */
typedef enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_FIO_JSON, FORMAT_FIO_JSON_PLUS, FORMAT_CSV } OutputFormat;

typedef struct {
  GPtrArray *arguments;             /* of char * */
  GPtrArray *policies;              /* of char *, commas split; empty only for USER_VALIDATE, USER_CALIBRATE */
  GArray    *engines;               /* of ApplicationEngine; empty: each job's own */
  GPtrArray *set;                   /* of char *: KEY=VALUE */
  GPtrArray *parameters, *use;      /* of char *: calibrate's KEY[=LOW..HIGH], globs and numbers */
  char      *base, *measure, *experiment;        /* of calibrate (nullable) */
  unsigned   kernel;                /* 0: the policy's */
  unsigned   fio_version;           /* 0: not given */
  char      *machine, *fs, *device, *output;   /* output NULL: stdout; others NULL: not given (same two) */
  unsigned   cpus, iodepth;         /* 0: not given */
  int        sqpoll, replay, cache; /* -1: not given */
  uint64_t   seed, limit_ios;
  UrTime     simulate_time;         /* 0: no limit */
  unsigned   regret;                /* compare: decisions to sample; 0: no */
  unsigned   reps;                  /* 0: the command's default */
  unsigned   threads;
  int        format;                /* OutputFormat */
  GPtrArray *depths;                /* graph depth, of char *; empty: its own */
  int        type;                  /* PictureType; -1: not given */
  char      *iops, *bw, *bs;        /* check-result, as given (nullable) */
  UrTime     slat, clat, lat;       /* check-result; 0: not given */
  unsigned   numjobs;               /* check-result; 0: not given */
  uint64_t   request;               /* explain; G_MAXUINT64: not given */
  unsigned   first, slowest, verbose;           /* explain; 0: not given */
  gboolean   punted, step;
  char      *events;                /* run: file for what happened (nullable) */
  int        events_as;             /* EventLogFormat; -1: as the file ends */
  UrTime     events_from, events_until;
  unsigned   events_limit;          /* MiB */
  char      *decisions;             /* run: file for the decision log (nullable) */
  char      *log;                   /* run: prefix of fio's per-I/O logs (nullable) */
  char      *objective, *write;     /* policy search (nullable) */
  unsigned   evaluations;           /* policy search; 0: not given */
  gboolean   timing, quiet, no_baseline, help, leave_one_out, absolute;
  unsigned   within;                /* of calibrate, a factor; 0: not given */
  unsigned   max_median, max_p90, min_pairs;    /* percent; THRESHOLD_DEFAULT: not given */
  unsigned   max_points;            /* percentage points; likewise */
  gboolean   thresholds_given;
  int        as;                    /* TraceWriteFormat */
  UrTime     from, until;           /* trace cut: arrivals; until 0: to the end */
  GPtrArray *ops, *files;           /* trace cut, of char *: names, globs; empty: all */
  RingChoice ring;
  InputOptions input;
} Options;

#define THRESHOLD_DEFAULT G_MAXUINT

#define OPTIONS_DEFAULT_POLICY  "linux-6.18"
#define OPTIONS_DEFAULT_MACHINE "generic-8cpu"
#define OPTIONS_DEFAULT_FS      "ext4"
#define OPTIONS_DEFAULT_DEVICE "nvme"
#define OPTIONS_CAPTURE_DEVICE "virtio-disk" /* validate: what the captures were taken on */

typedef enum { OPTIONS_ERROR_UNKNOWN, OPTIONS_ERROR_VALUE, OPTIONS_ERROR_ARGUMENTS } OptionsError;
#define OPTIONS_ERROR (options_error_quark ())
GQuark options_error_quark (void);

/* Parses argv[0..argc-1], the words after the command's name. (transfer full); NULL with error set. */
Options *options_parse (OptionUser user, int argc, char **argv, GError **error);
void     options_free (Options *options);        /* accepts NULL */
/* The options of one command, one aligned line each. (transfer full) */
char    *options_help (OptionUser user);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Options, options_free)

#endif
