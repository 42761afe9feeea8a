/*
 * fio job files: sections, options, and what they ask of the machine.
 *
 * Every option that fio knows is known here: it is applied, or named in Workload.ignored_options,
 * with the words "can change results" where leaving it out may matter.  Anything else
 * is an error that names file and line.
 */
#ifndef FIO_JOB_H
#define FIO_JOB_H

#include "model/workload.h"
#include "src/input/byte_stream.h"
#include "src/input/iolog.h"

#define FIO_JOB_CLONES_LIMIT  4096u      /* jobs of all files together, as fio itself */
#define FIO_JOB_DEPTH_LIMIT   32768u     /* entries of the largest io_uring the kernel sets up */
#define FIO_JOB_FILES_LIMIT   (1u << 18)
#define FIO_JOB_BS_LIMIT      (G_GUINT64_CONSTANT (1) << 30)
#define FIO_JOB_SIZE_LIMIT    (G_GUINT64_CONSTANT (1) << 60)
#define FIO_JOB_BYTES_LIMIT   (1u << 20) /* of a job file */

typedef struct {
  gboolean lenient;            /* numbers as fio takes them ("1.5k" is 1), noted instead of refused */
  int      files_exist;        /* -1: fio's rules; 0: no file exists at the start; 1: all exist with their full size */
  unsigned cpus;               /* value of $ncpus; 0: 1 */
  uint64_t memory;             /* bytes, of which $mb_memory is the MiB; 0: not known */
  IologOptions iolog;          /* for read_iolog */
} FioJobOptions;

/* Adds the jobs of a job file to the workload, as new groups behind those it has.  FALSE with error set: the workload
 * may then hold a part of them. */
gboolean fio_job_read (ByteSource *source, const FioJobOptions *options, Workload *workload, GError **error);

/* A number as fio reads it (kb_base 1024 or 1000), e.g. "4k".  *ret_unusual is set for spellings that fio reads in a
 * surprising way ("4KiB") or, if lenient, that are no numbers; strict refuses those.  FALSE with error set, without a
 * place. */
gboolean fio_number_parse (const char *text, unsigned kb_base, gboolean lenient, uint64_t *ret_value,
                           gboolean *ret_unusual, GError **error);

/* A time such as "90s", "500ms", "250" in `unit_ns` units; *ret_ns in ns.  FALSE with error set. */
gboolean fio_time_parse (const char *text, uint64_t unit_ns, uint64_t *ret_ns, GError **error);

#endif
