/*
 * What is asked of the machine: files and jobs.  Made by the readers in
 * src/input (fio job files, iologs), read by the simulation, which never sees a
 * trace file: a job whose requests come from a trace carries an IoSource.
 *
 * A Workload is immutable once built: many runs in many threads share one.
 * Sizes and offsets are bytes, times nanoseconds.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "model/cpu_mask.h"
#include "src/engine/engine.h"
#include <glib.h>

typedef enum { IO_READ, IO_WRITE, IO_TRIM, IO_SYNC, IO_DATASYNC, IO_SYNC_FILE_RANGE, IO_OPS } IoOp;
const char *io_op_name (IoOp op);          /* "read", "write", "trim", "sync", "datasync", "sync_file_range" */

/* O_DSYNC and O_SYNC of a file, RWF_DSYNC and RWF_SYNC of a request. */
typedef enum { SYNC_NONE, SYNC_DATA, SYNC_ALL } SyncMode;
/* SYNC_FILE_RANGE_*: the flags of sync_file_range(). */
typedef enum {
  SYNC_RANGE_WAIT_BEFORE = 1 << 0, SYNC_RANGE_WRITE = 1 << 1, SYNC_RANGE_WAIT_AFTER = 1 << 2, SYNC_RANGE_ALL = 7
} SyncRangeFlags;

/* One request as the application wants it. */
typedef struct {
  UrTime   arrival;       /* since the start of the job; only meaningful under REPLAY_TIMED */
  uint32_t file;          /* index into Workload.files */
  IoOp     op;
  uint64_t offset, length;   /* 0 for syncs (sync_file_range: filled in by who issues it; 0, 0: the whole file) */
} Io;

/* A pull stream of requests.  Streaming: an IoSource holds no more than a buffer. */
typedef struct IoSource IoSource;
struct IoSource {
  /* 1: *ret_io filled; 0: no more; -1: error set (the source is then finished). */
  int  (*next) (IoSource *source, Io *ret_io, GError **error);
  void (*free) (IoSource *source);
  /* (nullable) Set by who reads it: asked by a pattern before it makes a request of direction `op` (IO_READ to
   * IO_TRIM), and may let time pass; answers `op`, or if `mixed` perhaps the other one of read and write. */
  IoOp (*pace) (gpointer data, IoOp op, gboolean mixed);
  gpointer pace_data;
};
static inline void io_source_free (IoSource *source) { if (source) source->free (source); }   /* accepts NULL */
/* Opens the stream again from its start; called once per run, from any thread. (transfer full), NULL with error set. */
typedef IoSource *(*IoSourceOpen) (gconstpointer closure, GError **error);

typedef enum {
  APPLICATION_IO_URING, APPLICATION_LIBAIO, APPLICATION_PSYNC, APPLICATION_POSIXAIO, APPLICATION_ENGINES
} ApplicationEngine;
const char *application_engine_name (ApplicationEngine engine);   /* "io_uring", "libaio", "psync", "posixaio" */
gboolean    application_engine_parse (const char *name, ApplicationEngine *ret_engine);

typedef enum { REPLAY_CLOSED, REPLAY_TIMED, REPLAY_FAST } ReplayMode;
/* closed: next request as soon as a slot of the depth is free; timed: not before its arrival;
 * fast: as closed, and thinking times are left out. */

typedef enum { CACHE_CLEAN, CACHE_DIRTY, CACHE_COLD } CacheState;   /* pages of the files when the run starts */

typedef enum { PATTERN_SEQUENTIAL, PATTERN_RANDOM } PatternOrder;
typedef enum {
  DISTRIBUTION_UNIFORM, DISTRIBUTION_ZIPF, DISTRIBUTION_PARETO, DISTRIBUTION_NORMAL, DISTRIBUTION_ZONED,
  DISTRIBUTION_ZONED_ABS
} PatternDistribution;
/* A zone of ZONED: percent of the requests up to and with this zone, and where it ends, in percent of the region or
 * (ZONED_ABS) in bytes. */
typedef struct { unsigned percent; uint64_t end; } PatternZone;

/* How the next file of a job with several files is chosen (fio: file_service_type). */
typedef enum { FILE_SERVICE_ROUND_ROBIN, FILE_SERVICE_SEQUENTIAL, FILE_SERVICE_RANDOM } FileService;

/* One size of a bssplit, and its share in percent. */
typedef struct { uint64_t bs; unsigned percent; } PatternSplit;

/* fio's rw= family: what a job without a trace issues (formats: fio HOWTO).
 * Zero is the default of every member from `split` on; the comments say what 0 stands for. */
typedef struct {
  PatternOrder order;
  gboolean has_read, has_write, has_trim;   /* trim and write: each block is trimmed, then written (trimwrite) */
  unsigned read_percent;          /* of a read/write mix, 0..100, drawn per request */
  uint64_t bs[3], bs_max[3];      /* read, write, trim; bs_max > bs: drawn from the multiples of bs */
  gboolean random_map;            /* every block once per pass (fio's default for uniform random) */
  PatternDistribution distribution;
  GArray *zones[3];               /* of PatternZone, the last one's percent is 100 (nullable) (transfer full) */
  double   theta;                 /* zipf theta / pareto h / normal deviation in percent */
  unsigned fsync_every, fdatasync_every, sync_range_every;   /* 0: never */
  uint64_t size;                  /* bytes of the region over all files of one stream */
  uint64_t io_size;               /* bytes to transfer in all; 0: size */
  uint64_t number_ios;            /* 0: no limit */
  uint64_t offset;                /* start of the region in each file */
  gboolean same_seed;             /* randrepeat: fio's own offsets, the same in every run whatever the seed */
  GArray *split[3]; /* of PatternSplit, shares add up to 100 (nullable); instead of bs..bs_max (transfer full) */
  uint64_t file_region;           /* bytes of the region in each file; 0: size / number of files */
  uint64_t align[3];              /* alignment of random offsets; 0: bs */
  gboolean bs_unaligned;          /* any size between bs and bs_max */
  unsigned loops;                 /* 0 and 1: once */
  unsigned random_run;            /* random: requests per random offset, the rest follow on; 0: 1 */
  int64_t  sequential_add;        /* sequential: bytes skipped after each request, negative: backwards */
  unsigned sequential_percent[3]; /* random: share of reads, writes, trims that go on sequentially, 0..100 */
  double   center;                /* centre of a non-uniform distribution, 0 < center <= 1; 0: fio's default */
  FileService file_service;
  unsigned file_service_ios;      /* requests per file before the next one; 0: 1 */
  uint64_t random_seed;           /* fio's randseed; 0: fio's default */
} Pattern;

/* The largest folio of the page cache on x86 (PMD_ORDER), which readahead comes to within a few megabytes of a file. */
#define WORKLOAD_FOLIO_READAHEAD ((uint64_t) 2 << 20)

typedef struct {
  char    *name;
  uint64_t size;                  /* bytes at the start of the run (0: the job creates it) */
  CacheState cache;
  uint64_t folio;                 /* bytes of the folios that its pages lie in at the start, where the file system has
                                   * large ones; 0: WORKLOAD_FOLIO_READAHEAD, as readahead makes them */
  gboolean unwritten;             /* it has its size, but was never written: a page that is not in the cache is zeros */
} WorkloadFile;

/* io_uring_setup(): flags that exist on a kernel change what requests cost. */
typedef struct {
  gboolean sqpoll, sq_aff, iopoll, hybrid_iopoll, cqsize, clamp, attach_wq;
  gboolean submit_all, coop_taskrun, taskrun_flag, single_issuer, defer_taskrun;
} RingFlags;

/* The ring of a stream. Zero everywhere: as fio sets it up on that kernel, and submission as fio does it.  A ring that
 * is given belongs to a program written with liburing, which fills every free slot, then submits and waits in one call,
 * unless `by_fio` is set. */
typedef struct {
  gboolean given;                 /* flags and sizes as below instead of fio's */
  gboolean by_fio;                /* although they are given: submission and reaping as fio does them */
  RingFlags flags;
  unsigned sq_entries, cq_entries;      /* 0: iodepth; with CQSIZE: as sq_entries */
  UrTime   sq_idle;               /* sq_thread_idle; 0: one second */
  gboolean sq_wait;               /* SQPOLL with a full SQ: sleeps (IORING_ENTER_SQ_WAIT, 5.10+) instead of spinning */
  /* These two count whether `given` is set or not. */
  unsigned iowq_max_workers[2];   /* IORING_REGISTER_IOWQ_MAX_WORKERS (5.15): bounded, unbounded; 0: the policy's */
  CpuMask  iowq_cpus;             /* IORING_REGISTER_IOWQ_AFF (5.14): CPUs of the io-wq workers; empty: any */
} RingOptions;

/* What the application marks its sqes with. Zero everywhere: nothing. */
typedef struct {
  unsigned link;                  /* chains of so many (IOSQE_IO_LINK), handed over whole; 0 and 1: none */
  gboolean hard;                  /* with IOSQE_IO_HARDLINK instead */
  gboolean cqe_skip;              /* IOSQE_CQE_SKIP_SUCCESS on all members of a chain but its last */
  unsigned drain_every;           /* IOSQE_IO_DRAIN on every so manieth; 0: none */
  gboolean nop;                   /* each is an IORING_OP_NOP instead of what the job says; moves no bytes */
  unsigned bad_every;             /* every so manieth is malformed: its preparation fails with EINVAL; 0: none */
} SqeOptions;

/* One stream of one process: fio's clone. */
typedef struct {
  char   *name;                   /* job name; clones share it */
  unsigned clone;                 /* 0 .. numjobs-1 */
  ApplicationEngine engine;
  gboolean seeks;                 /* fio's engine sync: an lseek() before a request that does not follow on the last of its file */
  unsigned iodepth;               /* as given; a synchronous engine has 1 in flight whatever it is */
  unsigned batch_submit;          /* iodepth_batch: sqes per submit call, >= 1 */
  unsigned batch_complete_min, batch_complete_max;   /* iodepth_batch_complete_min/max */
  unsigned iodepth_low;
  gboolean direct, sqpoll, fixed_buffers, fixed_files;
  unsigned force_async;           /* IOSQE_ASYNC on every so manieth request; 0: none */
  gboolean hipri;                 /* fio's ring is set up with IOPOLL */
  int      sqpoll_cpu;            /* -1: not pinned */
  CpuMask  cpus;                  /* where it may run (fio: cpus_allowed); empty: anywhere */
  RingOptions ring;
  SqeOptions sqe;
  UrTime   start_delay, runtime;  /* runtime 0: until the pattern ends */
  UrTime   ramp_time;             /* before runtime begins; what completes in it is in no rate and no latency */
  gboolean serialize_overlap;     /* no request while one in flight covers any of its bytes, of whatever file */
  gboolean time_based;
  UrTime   thinktime; unsigned thinktime_blocks;   /* blocks 0: not given, 1 */
  UrTime   thinktime_spin;        /* how much of it is busy */
  UrTime   thinktime_iotime;      /* also after so long; alone if thinktime_blocks is 0; 0: not */
  gboolean thinktime_issue;       /* blocks are counted when issued, else when done */
  uint64_t rate[3], rate_iops[3]; /* read, write, trim: bytes or, if 0, requests of bs per second; 0: no limit */
  gboolean rate_poisson, rate_ignore_thinktime;
  gboolean nowait;                /* RWF_NOWAIT on reads and writes */
  SyncMode sync;                  /* its files are open with O_DSYNC or O_SYNC */
  gboolean dontcache;             /* RWF_DONTCACHE on reads and writes */
  unsigned sync_range;            /* SyncRangeFlags of its sync_file_range() calls; 0: all (a trace does not say) */
  gboolean end_fsync;             /* every file is synced after the last request, if that was none */
  unsigned group;                 /* stonewall: groups run one after the other, from 0 */
  GArray  *files;                 /* of uint32_t: indices into Workload.files */
  Pattern  pattern;               /* used if open_source is NULL */
  IoSourceOpen open_source;       /* a trace (nullable) */
  gconstpointer source_closure;
  char    *trims_at;              /* "FILE:LINE" of what asks for trims; NULL: nothing does, or nobody knows where */
  uint64_t source_ios;            /* requests in the trace, syncs included; 0 if unknown */
} WorkloadJob;

typedef struct {
  GPtrArray *files;               /* of WorkloadFile */
  GPtrArray *jobs;                /* of WorkloadJob, in start order */
  ReplayMode replay;
  gboolean   has_times;           /* a trace with arrival times */
  char      *source_name;         /* where it came from, for reports */
  char      *format;              /* "fio job", "iolog-v3", ... */
  GPtrArray *notes;               /* of char *: interpretation and warnings, said in reports */
  GPtrArray *ignored_options;     /* of char *: known options without effect here */
  GHashTable *file_index;         /* from file name to index, for workload_add_file() */
  GArray    *owned;               /* what the sources' closures point into: see workload_own() */
} Workload;

Workload     *workload_new (void);                 /* empty; REPLAY_CLOSED */
void          workload_free (Workload *workload);  /* accepts NULL */
WorkloadJob *workload_add_job (Workload *workload); /* fio's defaults: psync, depth 1, batches of 1 (transfer none) */
/* Index of the file, added if it is new; size becomes the larger of both. */
uint32_t      workload_add_file (Workload *workload, const char *name, uint64_t size);

/* Hands `data` over: `free_data` is called on it when the workload is freed. */
void workload_own (Workload *workload, gpointer data, GDestroyNotify free_data);

/* Adds one line to notes or ignored_options, once: the same text again is dropped. */
void workload_note (Workload *workload, const char *format, ...) G_GNUC_PRINTF (2, 3);
void workload_ignored (Workload *workload, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* What fio's random streams of a job are seeded with; see workload_open_job(). */
typedef struct FioSeeds FioSeeds;
void workload_job_seeds (const Workload *workload, const WorkloadJob *job, uint64_t seed, FioSeeds *ret_seeds);

/* The stream of a job: its trace, or the generator of its pattern.  `seed` feeds the draws
 * of the pattern (unless same_seed: then fio's seeds for its number among the workload's jobs).  (transfer full)
 * Free it with io_source_free(). */
IoSource *workload_open_job (const Workload *workload, const WorkloadJob *job, uint64_t seed, GError **error);

#endif
