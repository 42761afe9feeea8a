/*
 * What the writers of `validate` are given: real captures beside simulated ones, already compared.
 */
#ifndef VALIDATION_H
#define VALIDATION_H

#include <glib.h>
#include <stdint.h>

/* One sequence of events and how many requests showed it. */
typedef struct {
  char   **events;                  /* NULL-terminated: "submit_req", "queue_async_work hashed", ... */
  uint64_t real, simulated;
} ReportSequence;

/* A count and what it was allowed to be; `given` FALSE: nothing is asked of it. */
typedef struct {
  const char *name;                 /* "submitted", ... */
  gboolean given, ok;
  uint64_t low, high;
  uint64_t real, simulated;
} ReportCount;

typedef struct {
  const char *name;
  char    *policy, *machine, *fs;
  unsigned kernel, cpus;
  uint64_t requests;                /* of the real trace */
  unsigned repetitions;             /* traces of the job */
  char    *not_modelled;            /* (nullable) why it was not simulated; then only the real side is filled in */
  unsigned n_sequences; ReportSequence *sequences;
  gboolean sequences_asked, sequences_ok;
  unsigned n_counts; ReportCount *counts;
  uint64_t real_posted_by_worker, simulated_posted_by_worker;
  const char *order;                /* "same", "equivalent", "different" */
  unsigned order_batches;           /* of the submitter that were compared */
  gboolean order_ok;
  char    *order_real, *order_simulated;      /* (nullable) events around the first difference */
  gboolean has_switches, switches_ok;
  gboolean switches_within;         /* 25 % of the mean; switches_ok also if a seed came as far, or a handful apart */
  double   real_switches, simulated_switches;           /* per I/O; simulated: mean over the seeds */
  double   real_switches_low, real_switches_high;       /* of a trace; real_switches is the mean of the repetitions */
  double   lowest_switches, highest_switches;           /* of a seed */
  uint64_t lost, unknown, strays;   /* of the real trace */
  gboolean ok;
} ReportCapture;

typedef struct {
  uint64_t seed;
  unsigned reps;                    /* seeds */
  unsigned n_captures; const ReportCapture *captures;
  unsigned compared, ok, not_modelled;
  const GPtrArray *notes;           /* of char * */
  gboolean interrupted;
} ReportValidation;

/* (transfer full) */
char *text_report_validation (const ReportValidation *validation);
char *json_report_validation (const ReportValidation *validation);

#endif
