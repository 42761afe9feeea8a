/*
 * The options of one section of a fio job file, as values.
 *
 * A table says for each option what it means here; fio_ignored.h lists those that are known and left out.
 */
#ifndef FIO_OPTIONS_H
#define FIO_OPTIONS_H

#include "model/workload.h"
#include "src/input/fio_job.h"

enum { BSSPLIT_MAX = 64, ZONE_SPLIT_MAX = 256 };       /* entries of one direction, as in fio */

typedef struct {
  unsigned kb_base;              /* 1024 or 1000 */
  ApplicationEngine engine; gboolean seeks;
  Pattern  pattern;              /* without split[] and file_region */
  PatternSplit split[3][BSSPLIT_MAX];
  unsigned n_split[3];
  PatternZone zone[3][ZONE_SPLIT_MAX];
  unsigned n_zone[3];
  uint64_t io_size_percent;      /* of size; 0: io_size is bytes */
  uint64_t filesize;             /* bytes of each file; 0: size / nrfiles */
  unsigned size_percent, offset_percent, offset_increment_percent; /* of filesize; 0: bytes */
  uint64_t offset_increment;
  uint64_t offset_align;         /* of an offset in percent; 0: the smallest block */
  unsigned nrfiles, numjobs;     /* nrfiles 0: not given */
  const char *filename, *directory, *filename_format, *wait_for; /* (nullable), owned by the reader's string chunk */
  unsigned iodepth, batch_submit, complete_min, complete_max, iodepth_low;
  gboolean complete_min_set;
  gboolean direct, sqpoll, fixed_buffers, fixed_files, hipri, sqpoll_cpu_set;
  unsigned force_async;          /* every so manieth */
  unsigned sqpoll_cpu;
  unsigned rw_line;               /* where rw= stands */
  uint64_t ramp_time;                                                 /* ns */
  gboolean serialize_overlap;
  CpuMask cpus;                  /* cpus_allowed; empty: any */
  gboolean cpus_split;           /* cpus_allowed_policy=split: one each */
  uint64_t runtime, start_delay, thinktime;                           /* ns */
  unsigned thinktime_blocks;     /* 0: not given */
  uint64_t thinktime_spin, thinktime_iotime;                          /* ns */
  gboolean thinktime_issue;
  uint64_t rate[3], rate_iops[3];
  SyncMode sync;                 /* how the files are opened */
  unsigned sync_range;           /* SyncRangeFlags */
  unsigned uncached;             /* not 0: RWF_DONTCACHE */
  gboolean has_rw_flags;         /* the engine passes RWF flags: io_uring, pvsync2 */
  gboolean rate_poisson, rate_ignore_thinktime, nowait, end_fsync, fsync_on_close;
  gboolean time_based, stonewall, invalidate, pre_read, overwrite, file_append;
  gboolean fallocate_given;      /* a job that only writes makes its file, whatever its order */
  gboolean size_reserved;        /* fallocate: a file that is created has its whole size before the first write */
  const char *read_iolog, *replay_redirect;                           /* (nullable) */
  gboolean replay_no_stall, replay_skip[IO_OPS];
  unsigned replay_time_scale;
  uint64_t replay_align, replay_scale;
} JobOptions;

/* Where an option stands, and what to do with remarks about it. */
typedef struct {
  const char *file;              /* quoted for messages */
  unsigned    line;
  gboolean    lenient;
  GStringChunk *strings;         /* keeps the strings of JobOptions */
  Workload   *workload;          /* for notes and ignored options */
} OptionPlace;

void     job_options_init (JobOptions *options);        /* fio's defaults */
/* `key` = `value` (NULL: no value was given).  An unknown option or a bad value: error with "FILE:LINE:". */
gboolean job_options_set (JobOptions *options, const char *key, const char *value, const OptionPlace *place,
                          GError **error);
/* "FILE:LINE: ..." as INPUT_ERROR_DATA; returns FALSE. */
gboolean job_options_fail (const OptionPlace *place, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* What the options come to, "NAME=VALUE" a line in the order of the table: bytes, microseconds, three values where
 * directions differ.  Names that are not set are left out. */
void     job_options_print (const JobOptions *options, GString *text);

/* Told of each job section as its options come out, globals included; `section` is its name. */
typedef void (*FioJobVisit) (const char *section, const JobOptions *options, gpointer data);
/* Reads a job file without making jobs; remarks go to `workload`. */
gboolean fio_job_visit (ByteSource *source, const FioJobOptions *how, Workload *workload, FioJobVisit visit,
                        gpointer data, GError **error);

/* Every option that is known, applied or ignored. (transfer full) (element-type utf8), NULL-terminated. */
char   **job_options_names (void);

#endif
