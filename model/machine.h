/*
 * A machine: every nanosecond the model spends is one of these costs.  Loaded from a
 * .machine file (GKeyFile): integer ns, bytes with KiB/MiB; Base= inherits; a missing
 * cost is an error, never a silent 0.  Each value's origin is a second key NAME.source
 * = "measured: ...", "published: ...", "assumed: ..." or "fitted: ..." (required, inherited with the value).
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "src/engine/random.h"
#include "src/engine/engine.h"
#include <glib.h>

/* X(enumerator, group, key, what it is).  Costs drawn with noise. */
#define MACHINE_COSTS(X) \
  X (COST_SYSCALL,          "CPU",       "Syscall",          "entry and exit of one system call") \
  X (COST_TRACEPOINT,       "CPU",       "Tracepoint", \
     "recording one event, where the run is compared with a trace") \
  X (COST_SWITCH,           "Scheduler", "Switch",           "context switch: CPU time charged to the task coming in") \
  X (COST_WAKE_LOCAL,       "Scheduler", "WakeLocal", \
     "waker's CPU time: wakee queued on the waker's own or a busy CPU") \
  X (COST_WAKE_REMOTE,      "Scheduler", "WakeRemote", \
     "waker's CPU time: wakee put on an idle CPU (selection, run queue lock, IPI)") \
  X (COST_IDLE_EXIT,        "Scheduler", "IdleExit", \
     "IPI to first instruction on a CPU that went idle a short time ago") \
  X (COST_IDLE_EXIT_DEEP,   "Scheduler", "IdleExitDeep",     "the same after IdleDeepAfter of idleness") \
  X (COST_TICK_WORK,        "Scheduler", "TickWork",         "timer interrupt of a busy CPU, once per Tick") \
  X (COST_IPI_SEND,         "Scheduler", "IpiSend", \
     "sender's CPU time of an interrupt to a CPU that runs; to an idle CPU it is part of WakeRemote") \
  X (COST_IPI_RECEIVE,      "Scheduler", "IpiReceive", \
     "time that interrupt takes from who runs there, entry and exit; on an idle CPU it is part of IdleExit") \
  X (COST_THREAD_CREATE,    "Scheduler", "ThreadCreate",     "creating an io thread or kworker, paid by the creator") \
  X (COST_THREAD_START,     "Scheduler", "ThreadStart",      "a new thread's own start, until it is in its loop") \
  X (COST_LOCK_FAST,        "Locks",     "Fast",             "uncontended lock and unlock, line in the own cache") \
  X (COST_LOCK_TRANSFER,    "Locks",     "Transfer",         "taking a lock whose line another CPU wrote last") \
  X (COST_RWSEM_HANDOVER,   "Locks",     "Handover", \
     "release by the owner until a running spinner holds the rwsem or mutex") \
  X (COST_RWSEM_QUEUE,      "Locks",     "RwsemQueue",       "slow path: wait_lock, queueing, set-up of the sleep") \
  X (COST_RWSEM_WAKE,       "Locks",     "RwsemWake", \
     "unlock with waiters: wait_lock and choosing whom to wake, without the wake-up itself") \
  X (COST_PREP,             "Ring",      "Prepare",          "one sqe: fetch, request allocation, prep, file look-up") \
  X (COST_ATTEMPT_REFUSED,  "Ring",      "AttemptRefused",   "an attempt that is refused before any file system code") \
  X (COST_ATTEMPT_LOCKED,   "Ring",      "AttemptLocked",    "an attempt that fails at the inode lock's try-lock") \
  X (COST_PUNT,             "Ring",      "Punt", \
     "preparing and queueing asynchronous work, without the wake-up") \
  X (COST_CQE_BATCH,        "Ring",      "CqeBatch", \
     "one completion filled in at the end of a batch or by task_work") \
  X (COST_CQE_SINGLE,       "Ring",      "CqeSingle",        "one completion posted alone under completion_lock") \
  X (COST_TASK_WORK,        "Ring",      "TaskWork",         "running one task_work item") \
  X (COST_TASK_WORK_ADD,    "Ring",      "TaskWorkAdd",      "queueing one task_work item, without the notification") \
  X (COST_SQ_LOOP,          "Ring",      "SqThreadLoop",     "one round of the sq_thread over a ring") \
  X (COST_USE_MM,           "Ring",      "UseMm", \
     "5.1 to 5.11: the sq_thread borrows the submitter's address space and gives it back") \
  X (COST_WAIT,             "Ring",      "Wait",             "setting up io_cqring_wait, without the sleep") \
  X (COST_WAIT_WOKEN,       "Ring",      "WaitWoken", \
     "io_cqring_wait after a sleep: the rest of the wake-up, and cold caches") \
  X (COST_WORKER_ITEM,      "Worker",    "Item", \
     "io-wq worker: taking one item, re-import") \
  X (COST_WORKER_FETCH,     "Worker",    "Fetch", \
     "any worker, once per item submitted on another CPU: misses on lines that the submitter wrote") \
  X (COST_WORKER_SCAN,      "Worker",    "Scan", \
     "io-wq worker: one look at the list under acct->lock that ends with or without work") \
  X (COST_WORKER_IDLE,      "Worker",    "Idle", \
     "io-wq worker without work: the idle timer and the way into schedule()") \
  X (COST_WORKQUEUE_QUEUE,  "Worker",    "WorkqueueQueue", \
     "queue_work on an unbound workqueue, without the wake-up") \
  X (COST_WORKQUEUE_ITEM,   "Worker",    "WorkqueueItem", \
     "kworker: process_one_work around one item, mm included") \
  X (COST_APP_PREPARE,      "Application", "Prepare",        "application: choosing and filling in one request") \
  X (COST_APP_REAP,         "Application", "Reap",           "application: accounting for one completed request") \
  X (COST_APP_POLL,         "Application", "Poll", \
     "application busy-polling the CQ: one look, and how late it sees a new entry") \
  X (COST_AIO_SUBMIT,       "Application", "AioSubmit", \
     "libaio: kernel work of io_submit for one iocb beyond the system call and the I/O") \
  X (COST_AIO_REAP,         "Application", "AioReap", \
     "libaio: kernel work of io_getevents for one event beyond the system call") \
  X (COST_POSIXAIO_QUEUE,   "Application", "PosixAioQueue", \
     "posixaio: aio_read and its like up to the request's place in a list, in user mode") \
  X (COST_POSIXAIO_HANDLE,  "Application", "PosixAioHandle", \
     "posixaio: a helper thread between two system calls, wake-ups apart") \
  X (COST_FIXED_FILE_SAVES, "Ring",      "FixedFileSaves",   "part of Prepare that a registered file saves") \
  X (COST_FIXED_BUFFER_SAVES, "Ring",    "FixedBufferSaves", "part of Prepare that a registered buffer saves") \
  X (COST_BLOCK_SUBMIT,     "Block",     "Submit", \
     "one bio: allocation, checks, request and tag, or a merge") \
  X (COST_BLOCK_DISPATCH,   "Block",     "Dispatch", \
     "handing over a request, or a whole plug, to the hardware: command, doorbell") \
  X (COST_BLOCK_INTERRUPT,  "Block",     "Interrupt",        "one completion interrupt, without what it completes") \
  X (COST_BLOCK_COMPLETE,   "Block",     "Complete",         "completing one bio") \
  X (COST_BLOCK_POLL,       "Block",     "Poll",             "one look at a polled completion queue") \
  X (COST_WRITEBACK_PAGE,   "Memory",    "WritebackPage", \
     "flusher: one page taken for writing: look-up, folio lock, tags, its blocks, adding it to a bio") \
  X (COST_EVICT_PAGE,       "Memory",    "EvictPage", \
     "dropping one clean page to make room, paid by who needs it") \
  X (COST_WORKER_SPIN,      "Worker",    "SpinForWork", \
     "io-wq worker of 5.5 without work: 1000 looks for new work, before it goes idle") \
  X (COST_BLOCK_PIN_SAVES,  "Block",     "FixedBufferSaves", \
     "part of DirectLocked that a registered buffer saves: pinning its pages") \
  X (COST_IDLE_RETURN,      "Scheduler", "IdleReturn", \
     "idle exit of a CPU woken within IdleEntry: from the end of that, without an IPI") \
  X (COST_APP_SCRAMBLE,     "Application", "Scramble", \
     "fio, per 512 bytes of a write from a buffer above 32 KiB: scramble_buffers, lines no longer in the L1 cache")

#define MACHINE_COST_ENUM(id, group, key, text) id,
typedef enum { MACHINE_COSTS (MACHINE_COST_ENUM) COSTS } CostKey;

/* X(enumerator, key, what it is): one set per [FileSystem NAME] group. */
#define FILE_SYSTEM_COSTS(X) \
  X (FS_COST_WRITE_BEFORE,  "WriteBefore",  "write call before the inode lock: iov, checks, look-up") \
  X (FS_COST_WRITE_LOCKED,  "WriteLocked",  "under the lock, once per call: checks, time stamp test, i_size") \
  X (FS_COST_WRITE_PAGE,    "WritePage", \
     "under the lock, per 4 KiB page: look-up, begin, end (page dirty already)") \
  X (FS_COST_COPY_PAGE,     "CopyPage",     "copying 4 KiB") \
  X (FS_COST_DIRTY_FIRST,   "DirtyFirst", \
     "under the lock, added per page that was clean: tags, accounting, journal") \
  X (FS_COST_PAGE_ADD,      "PageAdd", \
     "under the lock, added per page that was not in the cache: allocation, xarray, LRU") \
  X (FS_COST_COLD_PAGE,     "ColdPage", \
     "added per page (or large folio) not in the CPUs' caches: misses on it and on what describes it") \
  X (FS_COST_COLD_READ,     "ColdRead",     "the same for a page that is read") \
  X (FS_COST_LARGE_FOLIO,   "LargeFolio", \
     "added per write into a folio of 2 MiB: two walks over its buffers; less in smaller ones") \
  X (FS_COST_TIME_STAMP,    "TimeStamp", \
     "under the lock, added when mtime changes: at most once per tick and file") \
  X (FS_COST_SLEEP,         "Sleep",        "under the lock: sleep of a blocking write for journal, mapping or page") \
  X (FS_COUNT_SLEEP_EVERY,  "SleepEvery",   "a count, not ns: blocking writes per one that sleeps so; 0: none does") \
  X (FS_COST_WRITE_AFTER,   "WriteAfter",   "write call after the inode lock") \
  X (FS_COST_READ_BEFORE,   "ReadBefore",   "read call, once: iov, checks, atime test") \
  X (FS_COST_READ_PAGE,     "ReadPage",     "per resident page: look-up, mark accessed") \
  X (FS_COST_FSYNC,         "Fsync", \
     "fsync, or a synced write: CPU time of the caller, pages and device excluded") \
  X (FS_COST_COMMIT,        "Commit", \
     "one commit of the journal or log: CPU time of who does it, device excluded") \
  X (FS_COST_DIRECT_BEFORE, "DirectBefore", "direct call before the inode lock: iov, checks, dio allocation") \
  X (FS_COST_DIRECT_LOCKED, "DirectLocked", "direct call, per bio: block mapping, pinning of the pages") \
  X (FS_COST_DIRECT_DONE,   "DirectDone",   "end of a direct call: unpinning") \
  X (FS_COST_SPLIT,         "Split", \
     "direct write into blocks without data, where that splits their extent before it is submitted: a transaction") \
  X (FS_COST_CONVERT,       "Convert", \
     "end of a direct write into blocks without data: a transaction that converts their extent") \
  X (FS_COST_FOLIO_PAGE,    "LargeFolioPage", \
     "added per further page of a write into a large folio: its data pushes the buffers out of the CPU's caches")

#define FILE_SYSTEM_COST_ENUM(id, key, text) id,
typedef enum { FILE_SYSTEM_COSTS (FILE_SYSTEM_COST_ENUM) FS_COSTS } FileSystemCostKey;

/* PACK: a wakee joins its waker while that CPU has room (a guest whose halted CPUs are dear to wake); cpu_select(). */
typedef enum { PLACEMENT_SPREAD, PLACEMENT_PACK } Placement;
typedef enum { PREEMPT_VOLUNTARY, PREEMPT_FULL } Preemption;

/* source: the evidence, as written; origin: FILE:LINE of the value, or "--set". */
typedef struct { UrTime ns; char *source; char *origin; } MachineValue;

typedef struct {
  char    *name;                         /* without .fs, as in [FileSystem ext4] */
  MachineValue cost[FS_COSTS];
} MachineFileSystem;

typedef struct Machine {
  char    *name, *title, *path, *evidence;      /* evidence: one line for reports */
  char    *base_path;                    /* the direct base's file, for machine_load(); NULL if there is none */
  char    *display;                      /* the file as origins name it: "machines/NAME.machine" or the path as given */
  unsigned cpus;                         /* [CPU] Count */
  unsigned nodes;                        /* [CPU] Nodes: NUMA nodes, equal blocks of CPUs */
  double   slowdown;                     /* [CPU] Slowdown: what takes instructions takes that much longer (emulated) */
  uint64_t cache_size;                   /* [CPU] CacheSize, bytes: files up to this size stay in the CPUs' caches */
  double   noise;                        /* [CPU] Noise: coefficient of variation of every cost; 0.15 */
  Placement  placement;                  /* [Scheduler] Placement=spread|pack */
  double   pack_room;                    /* [Scheduler] PackRoom: for PACK, the share of a CPU up to which it has room */
  Preemption preemption;                 /* [Scheduler] Preemption=voluntary|full */
  UrTime   tick;                         /* [Scheduler] Tick, ns: 4000000 at HZ=250 */
  UrTime   slice;                        /* [Scheduler] Slice: base slice before the CPU factor, 750000 */
  UrTime   idle_deep_after;              /* [Scheduler] IdleDeepAfter */
  UrTime   ipi_latency;                  /* [Scheduler] IpiLatency: from its sending until it gets to a CPU that runs */
  UrTime   idle_entry;                   /* [Scheduler] IdleEntry: the way into the idle state, polling need_resched */
  double   hold_elsewhere;               /* [Locks] HoldElsewhere: by this share if another CPU held the lock last */
  double   kappa;                        /* [Locks] HoldPerContender: the hold grows by this share per contender */
  uint64_t memory_size, memory_used;     /* [Memory] Size, Used: bytes; what is not for the page cache */
  unsigned dirty_background_ratio, dirty_ratio;  /* [Memory] DirtyBackgroundRatio, DirtyRatio: percent of the rest */
  UrTime   dirty_expire, dirty_writeback;            /* [Memory] DirtyExpire, DirtyWriteback: ns; the latter 0: never */
  MachineValue cost[COSTS];
  GPtrArray *file_systems;               /* of MachineFileSystem */
  UrShape *shape;                        /* distribution of every cost about its mean; NULL if noise is 0 */
  GHashTable *scalar_source;             /* "CPU.Count" -> MachineValue with the source of the keys above; ns is the
                                          * value of integers and the index of choices */
} Machine;

#define MACHINE_ERROR (machine_error_quark ())
GQuark machine_error_quark (void);

/* NAME of a shipped machine or a path (anything with a '/' or ending in .machine).  (transfer full);
 * NULL with an error that names file and line (or group and key). */
Machine *machine_load (const char *name_or_path, GError **error);
/* --set KEY=VALUE: "Group.Key=VALUE" ("CPU.Count=4", "FileSystem ext4.WritePage=900"), or "noise=0".
 * The value's source becomes "assumed: --set". */
gboolean machine_set (Machine *machine, const char *assignment, GError **error);
/* The value of "Group.Key" if it is one that can be fitted to measurements: a cost, a time or a factor; counts, sizes
 * and choices are MACHINE_ERROR, and so are names that the machine does not have.  `ret_whole`: whole numbers only. */
gboolean machine_get_number (const Machine *machine, const char *name, double *ret_value, gboolean *ret_whole,
                             GError **error);
void     machine_free (Machine *machine);
/* The costs of a file system; NULL if this machine has none for it. */
const MachineFileSystem *machine_file_system (const Machine *machine, const char *name);
const char *machine_cost_group (CostKey key);
const char *machine_cost_key (CostKey key);
const char *machine_cost_text (CostKey key);
const char *machine_file_system_cost_key (FileSystemCostKey key);
const char *machine_file_system_cost_text (FileSystemCostKey key);

#endif
