/*
 * A small simulated machine for the tests of the model, and scripts for its tasks.
 *
 * A fixture is a Simulation on the machine x86-server without noise, with four files of 64 MiB, all clean in the page
 * cache, on a device that is done at once.  By default every cost is 0 (and kappa too), so that only what a test sets
 * takes time and the expected times can be read off the script.
 *
 * A script says what tasks do, one task after the other, separated by '|':
 *
 *     A: write run:5 unlock | B@1/0: write say:got unlock
 *
 * NAME, then @TIME at which it is started, /CPU it is pinned to or ~CPU it ran on before, then its steps.
 * Times in scripts and logs are microseconds, with decimals.  Steps (lock N is the rwsem of file N, 0 if left out):
 *
 *   run:T  hold:T            CPU time; under lock 0, so that contenders lengthen it
 *   sleep:T  nap:T           sleeps T; as a system call, interruptibly
 *   wait  wait:T             sleeps until woken, T at most; the latter logs "woken" or "timeout"
 *   prepare  schedule        the two halves of wait; schedule logs "back"
 *   wake:NAME                logs "slept" if it did or was about to, else "awake"
 *   resched  yield           task_cond_resched(), task_yield()
 *   interrupt:N,T            an interrupt of T on CPU N; with ",NAME" its handler wakes that task
 *   user  kernel             preemptible as in user space, or not
 *   spin  spin:T             logs "done" or "resched"; finish:NAME ends another's spin
 *   write:N read:N trywrite:N tryread:N unlock:N     log "write", "read", or "got" / "busy"
 *   mutex:N trymutex:N release:N     the fixture's mutex N: log "mutex"; "got" / "busy"; nothing
 *   say:TEXT  cpu            logs TEXT, logs "cpuN"
 *   move:CPU                 sleeps 1 ns and goes on there
 *   repeat:N                 N times more from the first step
 *   ring:N[,WORD...]         makes the fixture's ring of N entries; the task is its submitter.  Words are the flags as
 *                            for --ring, coop, taskrun, defer (with single-issuer), cq=N (with cqsize), idle=T, cpu=C
 *                            (with sq-aff), attach=K (with attach-wq: ring K)
 *   use:K                    the task's next steps are about ring K (in order of creation, from 0); without it they are
 *                            about the ring it has made, or else the last one that was made
 *   sqe:REQUEST              puts a request into the SQ
 *   submit  submit:N         io_uring_enter() for all that is in the SQ, waiting for N completions; logs "submitted K",
 *                            "EBUSY" or "EEXIST" if not all were
 *   getevents:N[,T]          io_uring_enter() that waits for N completions, T at most
 *   notify                   the tail is published to the sq_thread
 *   room                     io_uring_enter() that waits for room in the SQ (SQ_WAIT)
 *   close                    the ring's sq_thread forgets it
 *   uringlock  uringunlock   takes and releases uring_lock; the former logs "uring_lock"
 *   post:REQUEST             posts the completion of a request that was never submitted
 *   reap                     takes what is in the CQ and logs the names of the requests, "-" if there are none
 *   results                  logs how each request ended: ok, short, or the errno
 *   iowq:N[:M]               IORING_REGISTER_IOWQ_MAX_WORKERS; logs "was N:M"
 *   aff:CPUS                 IORING_REGISTER_IOWQ_AFF
 *   leave                    the ring is closed, as far as the task's io-wq knows
 *   iowq-cancel:NAME         of a request; logs "cancelled", "running" or "not found"
 *   call:REQUEST             a system call that waits, as psync's; logs its result in bytes, or "-errno"
 *   flush:N                  takes N dirty pages of file 0 and starts to write them, as the flusher does
 *   free                     leaves a request for the ring's owner to free, as a worker of 6.4+ does
 *   worker:REQUEST  irq:N,REQUEST    a completion that the owner has to post, from a worker; from an interrupt on CPU N
 *   taskrun                  logs whether IORING_SQ_TASKRUN is set: "taskrun" or "-"
 *
 * A request is rN, wN (file N), sN (fsync), yN (fdatasync) or zN (sync_file_range), then +PAGES (1), @PAGE where it
 * starts (0) and /BYTES if it is no whole pages, before it 'a' for IOSQE_ASYNC, 'l' IO_LINK, 'h' IO_HARDLINK, 'd'
 * IO_DRAIN, 'k' CQE_SKIP_SUCCESS, 'o' O_DIRECT, 'b' for a malformed one, 'u' for unbounded work, 'f' a fixed file, 'g'
 * a fixed buffer, 'i' for RWF_NOWAIT, 'e' for O_DSYNC, 'p' for O_SYNC, 'q' for RWF_DONTCACHE.  sync_file_range is about
 * the whole file without @PAGE, and has SyncRangeFlags after '/' (7).
 * Others: n (NOP), tT or tT/N (TIMEOUT of T us, or N completions), mX (TIMEOUT_REMOVE of request X), xT (LINK_TIMEOUT),
 * cX (ASYNC_CANCEL of X).
 * Requests are named a, b, c... in the order in which they are made, from the 53rd on '.'.
 */
#ifndef MODEL_FIXTURE_H
#define MODEL_FIXTURE_H

#include "model/cpu.h"
#include "model/ring.h"
#include "tests/row.h"

#include <CUnit/CUnit.h>

#define FIXTURE_FILES 4
#define FIXTURE_MUTEXES 2
#define FIXTURE_FILE_SIZE ((uint64_t) 64 << 20)

typedef struct {
  Machine *machine; Policy *policy; FileSystem *file_system; Device *device; Workload *workload;
  SimulationSetup setup;                /* of all of these; seed 1 */
  Simulation *sim;                      /* NULL until fixture_build() */
  Ring *ring;                           /* the last one made; NULL until a task made it */
  Mutex mutex[FIXTURE_MUTEXES];
  GString *log;                         /* "A@1.5 text, B@2 text" */
  GPtrArray *actors;                    /* the tasks of the script */
  GPtrArray *requests;                  /* of Request, a first */
  unsigned busy;                        /* tasks of the script that have not ended, and probes to come */
} Fixture;

typedef enum { COSTS_FREE, COSTS_SHIPPED } FixtureCosts;

/* Names of shipped policies and file systems; stops the program if they do not load. (transfer full) */
Fixture *fixture_new (const char *policy, const char *file_system, FixtureCosts costs);
/* As --set, of machine and device, several separated by ", "; "kernel=MAJOR.MINOR" too.  Before fixture_build(). */
void     fixture_set (Fixture *fixture, const char *assignments);
/* Makes the simulation. */
void     fixture_build (Fixture *fixture);
void     fixture_free (Fixture *fixture);

/* Adds the tasks of a script. */
void     fixture_script (Fixture *fixture, const char *script);
/* Runs until every task of the script has ended (without one: until nothing is left to happen) and closes the books:
 * that they have ended and that sim_check() is content are assertions named after `row`. */
void     fixture_run (Fixture *fixture, const char *row);
/* A task of the script. */
Task    *fixture_task (Fixture *fixture, const char *name);
Inode   *fixture_inode (Fixture *fixture, unsigned file);

/* The names of the requests in the order of one of their times (an offset in RequestTimes); those where it
 * is 0 are left out. */
char    *fixture_order (const Fixture *fixture, size_t time_offset);
#define FIXTURE_ORDER(fixture, member) fixture_order (fixture, G_STRUCT_OFFSET (RequestTimes, member))
/* The largest number of requests of the given file (-1: any) that were being executed by workers at one time. */
unsigned fixture_parallel (const Fixture *fixture, int file);

/* The policy of the generation that a kernel belongs to. */
const char *fixture_generation (unsigned kernel);
/* One letter a request: inline, punted and Hashed, punted Unhashed, a done asynchronously, Failed. (transfer full) */
char    *fixture_outcomes (const Fixture *fixture);

/* Microseconds as in the log. */
void     fixture_append_us (GString *text, UrTime ns);
/* The log is this. */
void     fixture_check_log (const Fixture *fixture, const char *row, const char *log);

/* Calls fn (fixture, data) at this time of the run. */
typedef void (*FixtureProbe) (Fixture *fixture, gpointer data);
void     fixture_at (Fixture *fixture, UrTime when, FixtureProbe fn, gpointer data);

/* A job of `ios` random writes of 4 KiB to file 0, before the run. (transfer none) */
WorkloadJob *fixture_add_job (Fixture *fixture, ApplicationEngine engine, unsigned iodepth, uint64_t ios);
/* Runs the workload, as simulation_run() does; NULL, which is an assertion named after `row`, if that fails.
 * (transfer full) */
RunResult *fixture_run_whole (Fixture *fixture, const char *row);

/* The usual table: a script on a machine, and the log it must leave. */
typedef struct { const char *rule, *set, *script, *log; } ScriptRow;
void     fixture_check_rows (const ScriptRow *rows, unsigned n, const char *policy, const char *set);
#define FIXTURE_CHECK_ROWS(rows, policy, set) fixture_check_rows (rows, G_N_ELEMENTS (rows), policy, set)

/* CUnit's calls, which stop the program if they fail: a suite that is missing must not look like success. */
CU_pSuite fixture_suite (const char *name);
void      fixture_test (CU_pSuite suite, const char *name, CU_TestFunc test);

#endif
