/*
 * Punting policies: which request is tried in the submitter, how, and where it goes
 * when the attempt says EAGAIN.  A policy is a GKeyFile.  Kernel generations are policies:
 * they stand for what io_queue_sqe(), io_queue_async() and io_prep_async_work() decide, 5.1 to 6.18.
 *
 *   [Policy] Name= Title= Kernel=MAJOR.MINOR Base= Source= Account=
 *   [Rule N] Match=EXPRESSION  Attempt=nonblock|blocking|trylock|none
 *            OnAgain=[retry:N,]queue:NAME|poll|callback|fail  Post=batch|now
 *   [Queue NAME] Kind=io-wq|workqueue  MaxWorkers=EXPRESSION  Hash=inode|file|ring|none
 *                Wake=kernel|always|none-runs|bucket-free  IdleTime=TIME  Merge=kernel|none
 *                Per=kernel|ring|inode|file|system  Affinity=any|LIST
 *   [Worker]     Wake= IdleTime= Merge= Per= Affinity= of all queues that do not say otherwise
 *   [Ring]       SqThread=yes|no  SqIdle=TIME  Flags=WORD,...: of rings that are set up as fio does
 *
 * Inheritance: Base= (recursively).  Rules merge by number: the child's rule replaces the base's
 * as a whole.  Queues merge by name and key by key.  Rules are tried in the order of their numbers, up to the
 * first that always matches.  Where none does, the closing rule of the nearest base is added at the end
 * (after the child's rule of that number).  Shipped generations number their rules from 100 up in steps of
 * 100 and close with 1000, so that numbers below 100 are free for children.
 *
 * retry:N tries again up to N times before what follows it; alone it ends in fail.  OnAgain= may be left out under
 * Attempt=blocking, which never says EAGAIN.  Post= says when the completion of a request that finished in its attempt
 * is posted: with the batch (COMPLETE_DEFER), or at once, each alone, as an issue without flags does it: the default
 * under Attempt=blocking.  Hash= may be left out: none.
 */
#ifndef POLICY_H
#define POLICY_H

#include "model/cpu_mask.h"
#include "model/kernel_version.h"
#include "model/workload.h"
#include <glib.h>

/* What a Match= expression can see.  X(enumerator, name, what it is); values are numbers, truths 0 or 1.  */
#define POLICY_VARIABLES(X) \
  X (POLICY_READ,            "read",             "the request reads") \
  X (POLICY_WRITE,           "write",            "the request writes") \
  X (POLICY_SYNC,            "sync",             "fsync, fdatasync or sync_file_range") \
  X (POLICY_BUFFERED,        "buffered",         "the file was opened without O_DIRECT") \
  X (POLICY_DIRECT,          "direct",           "the file was opened with O_DIRECT") \
  X (POLICY_REGULAR,         "regular",          "the file is a regular file") \
  X (POLICY_FORCE_ASYNC,     "force_async",      "the sqe carries IOSQE_ASYNC") \
  X (POLICY_SIZE,            "size",             "bytes of the request") \
  X (POLICY_APPEND,          "append",           "the request starts at the end of the file or beyond it") \
  X (POLICY_EXTEND,          "extend",           "the request ends beyond the end of the file") \
  X (POLICY_OVERWRITE,       "overwrite",        "the request lies inside the file") \
  X (POLICY_SQE_LINK,        "sqe.link",         "the sqe carries IOSQE_IO_LINK or IOSQE_IO_HARDLINK") \
  X (POLICY_SQE_DRAIN,       "sqe.drain",        "the sqe carries IOSQE_IO_DRAIN") \
  X (POLICY_SQE_FIXED_FILE,  "sqe.fixed_file",   "the sqe carries IOSQE_FIXED_FILE") \
  X (POLICY_FILE_WRITERS,    "file.writers",     "streams of the workload that write to the file") \
  X (POLICY_SQ_THREAD,       "sq_thread",        "submitted by the sq_thread") \
  X (POLICY_NOWAIT,          "fs.nowait",        "the file system has FMODE_NOWAIT on this kernel") \
  X (POLICY_WASYNC,          "fs.wasync",        "BUFFER_WASYNC on this kernel") \
  X (POLICY_RASYNC,          "fs.rasync",        "BUFFER_RASYNC on this kernel") \
  X (POLICY_DIO_PARALLEL,    "fs.dio_parallel",  "DIO_PARALLEL_WRITE on this kernel") \
  X (POLICY_INODE_LOCKED,    "inode.locked",     "somebody holds the inode lock now") \
  X (POLICY_INODE_WAITERS,   "inode.waiters",    "tasks spinning or queued for the inode lock") \
  X (POLICY_INODE_LAST,      "inode.last_outcome", \
     "what became of the inode's last request in its attempt: none, inline, punted, async or failed") \
  X (POLICY_PAGE_RESIDENT,   "page.resident",    "every page of the request is in the page cache") \
  X (POLICY_PAGE_DIRTY,      "page.dirty",       "every page of the request is dirty already") \
  X (POLICY_CACHE_DIRTY,     "cache.dirty_ratio","share of the page cache's pages that are dirty, 0..1") \
  X (POLICY_QUEUE_PENDING,   "queue.pending",    "work queued and not started, over all queues of the ring") \
  X (POLICY_QUEUE_RUNNING,   "queue.running",    "work being executed by workers now") \
  X (POLICY_WORKERS_IDLE,    "workers.idle",     "workers asleep without work") \
  X (POLICY_CPU_IDLE,        "cpu.idle",         "CPUs with nothing to run") \
  X (POLICY_RING_IN_FLIGHT,  "ring.in_flight",   "requests submitted and not completed") \
  X (POLICY_BATCH_REMAINING, "batch.remaining",  "sqes after this one in the batch being submitted") \
  X (POLICY_SQ_ENTRIES,      "sq_entries",       "size of the SQ ring") \
  X (POLICY_CPUS,            "cpus",             "online CPUs") \
  X (POLICY_KERNEL,          "kernel", \
     "kernel version as MAJOR*1000+MINOR; a literal is written 6.3 -> kernel(6.3)")

#define POLICY_VARIABLE_ENUM(id, name, text) id,
typedef enum { POLICY_VARIABLES (POLICY_VARIABLE_ENUM) POLICY_VARIABLE_COUNT } PolicyVariable;

/* Values of inode.last_outcome, also the names of these numbers in expressions. */
#define POLICY_LAST_OUTCOMES(X) \
  X (LAST_NONE, "none")  X (LAST_INLINE, "inline")  X (LAST_PUNTED, "punted")  X (LAST_ASYNC, "async") \
  X (LAST_FAILED, "failed")
#define POLICY_LAST_ENUM(id, name) id,
typedef enum { POLICY_LAST_OUTCOMES (POLICY_LAST_ENUM) LAST_COUNT } PolicyLastOutcome;

/* Asked for a variable only when an expression needs it; for average number i of a policy with
 * POLICY_VARIABLE_COUNT + i. */
typedef double (*PolicyLookup) (PolicyVariable variable, void *data);

/* A number that is still to be found, written ?LOW..HIGH: whole multiples of LOW's unit from LOW on, or, if one of
 * them has a decimal point, any number between them. */
typedef struct {
  double   low, high, unit;       /* in the unit of the expression (bytes, ns); unit: the value of one of LOW's */
  gboolean whole;
  char     suffix[4];             /* LOW's unit as written */
  unsigned start, length;         /* bytes of its line of the text that the knob takes */
} PolicyKnobRange;
#define POLICY_KNOBS_MAX 16u      /* of a policy */

typedef struct PolicyExpression PolicyExpression;
/* Operators || && ! < <= > >= == != + - * / ( ), functions min(a,b) max(a,b) kernel(6.3) ewma(x, tau)
 * inode_ewma(x, tau), true, false, numbers with KiB/MiB/GiB/ns/us/ms/s, knobs ?LOW..HIGH.
 * Truth is "not 0"; && and || give 0 or 1 and stop early; x / 0 is 0,
 * overflow
 * gives the largest number.
 * Lexed with GScanner.  Errors give "line:column: message" inside `text`, then the text and a caret line.
 * (transfer full) */
PolicyExpression *policy_expression_parse (const char *text, GError **error);
double            policy_expression_eval (const PolicyExpression *expression, PolicyLookup lookup, void *data);
void              policy_expression_free (PolicyExpression *expression);
/* (transfer none) */
const PolicyKnobRange *policy_expression_knobs (const PolicyExpression *expression, unsigned *ret_n);
/* From now on it is evaluated with this value of the knob. */
void              policy_expression_set_knob (PolicyExpression *expression, unsigned knob, double value);
/* TRUE if the value needs no variable and no knob; it is then in ret_value (nullable). */
gboolean          policy_expression_constant (const PolicyExpression *expression, double *ret_value);
/* The variable that the expression is, or -1 if it is more than that. */
int               policy_expression_variable (const PolicyExpression *expression);
gboolean          policy_expression_uses (const PolicyExpression *expression, PolicyVariable variable);

/* ewma(x, tau): an average of x over the decisions of a ring, inode_ewma(x, tau): over those about an inode.  A sample
 * that came dt ago counts for exp(-dt/tau) of what it did; the first one is the average. */
typedef struct {
  PolicyExpression *x;
  double   tau;                   /* ns */
  int      tau_knob;              /* whose value it is, or -1 */
  gboolean by_inode;
} PolicyAverage;
#define POLICY_AVERAGES_MAX 16u   /* of a policy and its bases */
/* (transfer none) */
const PolicyAverage *policy_expression_averages (const PolicyExpression *expression, unsigned *ret_n);
/* Its averages are asked for as numbers first, first + 1, ... from now on. */
void              policy_expression_number_averages (PolicyExpression *expression, unsigned first);

typedef enum { ATTEMPT_NONBLOCK, ATTEMPT_BLOCKING, ATTEMPT_TRYLOCK, ATTEMPT_NONE } PolicyAttempt;
typedef enum { ON_AGAIN_QUEUE, ON_AGAIN_POLL, ON_AGAIN_CALLBACK, ON_AGAIN_FAIL } PolicyOnAgain;
typedef enum { QUEUE_IO_WQ, QUEUE_WORKQUEUE } QueueKind;
/* HASH_INODE on an io-wq: writes to regular files are serialised by inode, as io_prep_async_work()
 * decides on this Kernel=; everything else is unhashed.  Other keys serialise the same work by another key. */
typedef enum { HASH_NONE, HASH_INODE, HASH_FILE, HASH_RING } QueueHash;

/* When an idle worker of an io-wq is woken for new work: WAKE_KERNEL as the kernel does (5.5 to 5.14: none-runs, then
 * always); WAKE_NONE_RUNS unless a worker of its class runs; WAKE_BUCKET_FREE unless its bucket is being executed, whose
 * worker will find it. */
typedef enum { WAKE_KERNEL, WAKE_ALWAYS, WAKE_NONE_RUNS, WAKE_BUCKET_FREE } QueueWake;

/* Whose a queue is: for each of these there is one by itself, with its own limit, order, hash buckets and workers.
 * PER_KERNEL: the ring's (io-wq up to 5.11, workqueues), later the submitting task's. */
typedef enum { PER_KERNEL, PER_RING, PER_INODE, PER_FILE, PER_SYSTEM } QueuePer;

/* Keys of a queue, for their origins. */
typedef enum {
  QUEUE_KEY_KIND, QUEUE_KEY_MAX_WORKERS, QUEUE_KEY_HASH, QUEUE_KEY_WAKE, QUEUE_KEY_IDLE_TIME, QUEUE_KEY_MERGE, QUEUE_KEY_PER,
  QUEUE_KEY_AFFINITY, QUEUE_KEYS
} QueueKey;

typedef struct {
  char     *name;
  QueueKind kind;
  QueueWake wake;
  QueuePer  per;
  CpuMask   affinity; char *affinity_text;      /* CPUs of an io-wq's workers; empty, NULL: any */
  UrTime    idle_time;            /* an io-wq worker without work leaves after; 0: WORKER_IDLE_TIMEOUT, 5 s */
  gboolean  no_merge;             /* workqueue: sequential requests are not joined, as 5.1 to 5.4 do */
  PolicyExpression *max_workers; char *max_workers_text;
  QueueHash hash;
  char     *origin;               /* FILE:LINE, for show (of the group; keys may come from several files) */
  char     *key_origin[QUEUE_KEYS];             /* FILE:LINE of each key; NULL: not given */
} PolicyQueue;

typedef enum { SQ_THREAD_AS_JOB, SQ_THREAD_YES, SQ_THREAD_NO } PolicySqThread;      /* SQPOLL: as the job says */

/* [Ring]: for rings that neither the command line nor a capture describes. */
typedef struct {
  PolicySqThread sq_thread;
  UrTime    sq_idle;              /* 0: the kernel's second */
  gboolean  flags_given; RingFlags flags;       /* instead of fio's; SQPOLL is in sq_thread */
  char     *origin;               /* FILE:LINE of the nearest [Ring]; NULL: there is none */
  char     *flags_text;
} PolicyRing;

typedef struct {
  int       number;
  PolicyExpression *match; char *match_text;
  PolicyAttempt attempt;
  PolicyOnAgain on_again;
  uint64_t  facts_asked, facts_wanted;  /* of POLICY_FACTS: it cannot match unless those asked are as wanted, */
  gboolean  facts_suffice;              /* and matches if they are: there is nothing else in its Match= */
  unsigned  facts_skip;                 /* instructions at the start of its program that say no more than they */
  unsigned  retries;              /* further attempts before on_again */
  unsigned  queue;                /* index into Policy.queues if on_again is ON_AGAIN_QUEUE */
  gboolean  post_now;             /* Post=now */
  char     *origin, *policy;      /* FILE:LINE, and the policy that wrote it */
} PolicyRule;

/* Where a knob of a policy stands. */
typedef struct {
  char    *name;                  /* "Queue write MaxWorkers", with #2, #3, ... behind it for further ones there */
  char    *text;                  /* as written */
  char    *origin;                /* FILE:LINE */
  PolicyKnobRange range;
  PolicyExpression *expression;   /* borrowed from its rule or queue */
  unsigned index;                 /* in the expression */
  unsigned line, column;          /* of the '?' in the file, column in bytes from 1 in the value */
} PolicyKnob;

typedef struct Policy {
  char *name, *title, *source, *account, *path;
  unsigned kernel;
  char *kernel_origin;            /* FILE:LINE of the Kernel= in force */
  GPtrArray *bases;               /* of char *: names from the direct base upwards */
  unsigned n_rules;  PolicyRule  *rules;      /* in the order in which they are tried */
  unsigned n_queues; PolicyQueue *queues;
  PolicyRing ring;
  unsigned n_averages; const PolicyAverage **averages;      /* of all rules */
  unsigned n_knobs; PolicyKnob *knobs;          /* of the rules and queues in force; 0 unless loaded for a search */
  struct PolicyPlugin *plugin;    /* (nullable) decides first, policy_plugin.h */
} Policy;
typedef struct PolicyPlugin PolicyPlugin;

typedef enum {
  POLICY_ERROR_NOT_FOUND, POLICY_ERROR_SYNTAX, POLICY_ERROR_UNKNOWN_KEY, POLICY_ERROR_VALUE,
  POLICY_ERROR_RULES              /* each rule may stand, but not together: contradictions, unreachable, unclosed */
} PolicyError;
#define POLICY_ERROR (policy_error_quark ())
GQuark policy_error_quark (void);

/* NAME of a shipped policy or a path (anything with a '/' or ending in .policy; a plug-in if it ends in .so).
 * (transfer full) */
Policy *policy_load (const char *name_or_path, GError **error);
/* The same of a policy that may have knobs (?LOW..HIGH), which policy_load() refuses.  They stand at LOW until they are
 * set.  Only the file itself may have them, not its bases. */
Policy *policy_load_with_knobs (const char *name_or_path, GError **error);
void    policy_set_knob (Policy *policy, unsigned knob, double value);
void    policy_free (Policy *policy);

/* MaxWorkers= for a ring; at least 1.  MaxWorkers= can use sq_entries, cpus and kernel only. */
unsigned policy_queue_max_workers (const PolicyQueue *queue, unsigned sq_entries, unsigned cpus, unsigned kernel);

/* The first rule that matches; the last one always does. */
const PolicyRule *policy_decide (const Policy *policy, PolicyLookup lookup, void *data);

/* Truths that do not change while a request is being decided about, as bits 1 << PolicyVariable.  Who knows them
 * beforehand saves their look-ups. */
#define POLICY_FACTS (POLICY_BIT (POLICY_READ) | POLICY_BIT (POLICY_WRITE) | POLICY_BIT (POLICY_SYNC) | \
  POLICY_BIT (POLICY_BUFFERED) | POLICY_BIT (POLICY_DIRECT) | POLICY_BIT (POLICY_REGULAR) | POLICY_BIT (POLICY_FORCE_ASYNC) | \
  POLICY_BIT (POLICY_SQ_THREAD) | POLICY_BIT (POLICY_NOWAIT) | POLICY_BIT (POLICY_WASYNC) | POLICY_BIT (POLICY_RASYNC) | \
  POLICY_BIT (POLICY_DIO_PARALLEL))
#define POLICY_BIT(variable) (G_GUINT64_CONSTANT (1) << (variable))
/* policy_decide() for a request of which these facts, of POLICY_FACTS, are true and the others are not. */
const PolicyRule *policy_decide_by_facts (const Policy *policy, uint64_t facts, PolicyLookup lookup, void *data);

/* OnAgain= as in a file; "-" if the attempt is never refused. (transfer full) */
char       *policy_on_again_text (const Policy *policy, const PolicyRule *rule);
const char *policy_attempt_name (PolicyAttempt attempt);
const char *policy_wake_name (QueueWake wake);
const char *policy_per_name (QueuePer per);
const char *policy_variable_name (PolicyVariable variable);
const char *policy_variable_text (PolicyVariable variable);

#endif
