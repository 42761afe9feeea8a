/*
 * The inside of one run: what the parts of the machine share.  Only files of
 * model/ include this; everybody else sees simulation.h.
 */
#ifndef SIM_H
#define SIM_H

#include "model/simulation.h"
#include "model/timeline.h"
#include "src/engine/coroutine.h"
#include "src/engine/random.h"
#include "src/engine/tally.h"

typedef struct Task Task;
typedef struct Cpu Cpu;
typedef struct Rwsem Rwsem;
typedef struct Mutex Mutex;
typedef struct Inode Inode;
typedef struct Ring Ring;
typedef struct Request Request;
typedef struct Application Application;
typedef struct WorkerPool WorkerPool;
typedef struct DioPool DioPool;
typedef struct IoUringTask IoUringTask;
typedef struct BlockDevice BlockDevice;
typedef struct BdiWriteback BdiWriteback;
typedef struct Journal Journal;
typedef struct Simulation Simulation;

/* A cost: its mean on this machine, slowed down, ns; and the stream it is drawn from. */
typedef struct { double mean; UrRandom stream; } CostDraw;

/* Counted over the whole run, for the report. */
typedef struct {
  uint64_t context_switches, wakeups, ipis, futile_wakeups;
  uint64_t submitted, completed, reaped, cq_overflows;
  unsigned workers_created, workers_alive, workers_max_alive;
  UrLevel workers_alive_level, workers_running, workers_spinning, workers_on_lock;
  UrLevel in_flight;
  struct { UrTime sum; uint64_t n; } phase[OUTCOMES][PHASES];
  uint64_t ended[OUTCOMES];             /* requests of each outcome that were reaped */
  uint64_t outcome[OUTCOMES];
  uint64_t short_writes;
  int first_error;                      /* errno of the first request that failed; 0: none did */
  uint64_t backwards;                   /* stations of requests that ended before they began: a bug */
} SimulationCounters;

struct Simulation {
  const SimulationSetup *setup;
  const MachineFileSystem *fs_costs;
  unsigned kernel;
  UrEngine *engine;
  UrCoroutinePool *stacks;
  const UrShape *shape;                 /* of every cost; NULL: constant */
  CostDraw cost[COSTS], fs_cost[FS_COSTS];
  Cpu *cpus; unsigned n_cpus, n_idle;
  unsigned n_nodes;                     /* NUMA nodes, each a block of CPUs */
  GPtrArray *tasks;                     /* of Task, owned */
  GPtrArray *rings;                     /* of Ring, owned */
  GPtrArray *sq_data;                   /* of SqData, owned */
  GPtrArray *inodes;                    /* of Inode, owned; index = file of the workload */
  BlockDevice *device;
  BdiWriteback *wb;                     /* of the device */
  uint64_t policy_facts[2];             /* POLICY_FACTS of all buffered, of all direct requests (policy_state.c) */
  void *plugin_state;                   /* what the open() of a policy plug-in returned */
  struct StageHistograms *stages;       /* life.c; NULL: not wanted */
  UrHistogram lock_wait, lock_hold;     /* of inode locks (result.h) */
  GArray *samples; UrTime next_sample, sample_step;  /* sample.c; UR_TIME_NEVER: none are taken */
  Timeline *timeline;                   /* for the report */
  Journal *journal;                     /* of the file system */
  struct QueueSet *queues;              /* of Per=system (queue_owner.h); NULL: none is used */
  WorkerPool *kworkers;                 /* [n_nodes], of the workqueues before 5.5; NULL without one */
  DioPool *dio_pools;                   /* [n_cpus], of direct writes that have ended (dio_workqueue.h); NULL: none yet */
  GPtrArray *applications;              /* of Application, owned */
  unsigned applications_running;        /* of the stonewall group that is running */
  unsigned group, last_group;           /* next group to start, highest there is */
  gboolean traced;                      /* somebody listens to events, or they cost time */
  gboolean ended;                       /* every stream has ended, or it was interrupted */
  UrTime last_progress, finished;       /* last time a request got further; when it ended */
  UrTime looked_at; uint64_t events_then;       /* last_progress when sim_drive() last looked, and events up to then */
  uint64_t issued;                      /* requests prepared, for --limit-ios */
  UrTime residence;                     /* sum of the times requests spent in flight, for Little's law */
  SimulationCounters count;
  ResultOp *op;                         /* [IO_OPS] */
  GError *error;                        /* a source failed or a configuration is outside the model: the run stops */
};

/* A request got further: the run is not stuck. */
#define sim_progress(sim) ((sim)->last_progress = sim_now (sim))
/* A machine ready to run, with an application per job, none started. (transfer full); NULL with error set. */
Simulation *sim_new (const SimulationSetup *setup, GError **error);
void        sim_free (Simulation *sim);
/* Runs until every stream has ended (sim->finished) or sim->error is set.  FALSE: interrupted. */
gboolean    sim_drive (Simulation *sim);

static inline UrTime sim_now (const Simulation *sim) { return ur_engine_now (sim->engine); }
/* Stops the run with this error; the first one wins. (transfer full) */
void sim_fail (Simulation *sim, GError *error);

/* For sim_trace() in task.h. */
/* Nobody runs on this CPU from now on; only if there is a listener. */
void sim_trace_idle (Simulation *sim, unsigned cpu);
void sim_trace_event (Task *task, TraceEventKind kind, const Request *request, unsigned count);
/* A request of a synchronous engine: submitted and completed in one call. */
void sim_synchronous (Simulation *sim, const Request *request);
/* Ends a slice of the timeline. */
void sim_timeline_add (Simulation *sim);
/* A stream has issued and reaped everything: starts the next stonewall group, or ends the run. */
void sim_application_ended (Simulation *sim);

/* One draw of a cost, ns.  By way of int64_t, which a CPU converts in one step: a cost is far from 2^63 ns. */
static inline UrTime cost_draw (const UrShape *shape, CostDraw *cost)
{
  return (UrTime) (int64_t) (shape ? cost->mean * ur_shape_draw (shape, &cost->stream) + 0.5 : cost->mean);
}
static inline UrTime sim_cost (Simulation *sim, CostKey key) { return cost_draw (sim->shape, &sim->cost[key]); }
static inline UrTime sim_fs_cost (Simulation *sim, FileSystemCostKey key)
{
  return cost_draw (sim->shape, &sim->fs_cost[key]);
}

#endif
