/* One run: building the machine, driving it, taking it apart.  See simulation.h. */
#include "model/simulation.h"

#include "model/application.h"
#include "model/block_device.h"
#include "model/collect.h"
#include "model/cpu.h"
#include "model/dio_workqueue.h"
#include "model/journal.h"
#include "model/life_private.h"
#include "model/policy_plugin.h"
#include "model/policy_state.h"
#include "model/queue_owner.h"
#include "model/sample.h"
#include "model/sq_thread.h"
#include "model/submit.h"
#include "model/workqueue.h"
#include "model/writeback.h"

#include <string.h>

/* How far the engine runs between two looks at the interrupt flag, and how long a run may go without any request
 * getting further while some are in flight before it counts as stuck. */
#define SLICE (10 * UR_MS)
/* Files lie one after the other on the device, at multiples of this, with room to grow. */
#define FILE_SPACING ((uint64_t) 64 << 20)
#define STUCK_AFTER (100 * UR_S)
/* And how many events may happen without one, in flight or not: tasks that keep each other busy for ever. */
#define STUCK_EVENTS 100000000u
/* The clock ends after 584 years; no single step takes more than one. */
#define LONGEST_RUN ((UrTime) 100 * 365 * 86400 * UR_S)
/* Left for the page cache, bytes. */
#define MEMORY_MIN ((uint64_t) 1 << 20)
/* Requests in flight over all streams: 300 bytes each. */
#define IN_FLIGHT_MAX 1048576u

G_DEFINE_QUARK (simulation - error - quark, simulation_error)

void sim_fail (Simulation *sim, GError *error)
{
  if (sim->error)
    g_error_free (error);
  else
    sim->error = error;
  ur_engine_stop (sim->engine);
}

void sim_trace_event (Task *task, TraceEventKind kind, const Request *request, unsigned count)
{
  const SimulationSetup *setup = task->sim->setup;
  TraceEvent event;

  if (setup->traced) /* io_uring_file_get is recorded with each submission */
    task_run (task, sim_cost (task->sim, COST_TRACEPOINT) * (kind == TRACE_SUBMIT_REQ ? 2 : 1));
  if (!setup->trace)
    return;
  event = (TraceEvent){
    .kind = kind,
    .time = task_now (task),
    .task = task->id,
    .cpu = task->cpu->id,
    .task_name = task->name,
    .worker = task->class == TASK_CLASS_WORKER,
    .submitter = task->class == TASK_CLASS_APP || task->class == TASK_CLASS_SQ_THREAD,
    .count = count,
  };
  if (request) {
    event.application = request->application ? request->application->number : 0;
    event.request = request->number;
    event.opcode = request->opcode;
    event.op = request->io.op;
    event.hashed = request->hashed;
    event.ring = request->ring ? request->ring->id : 0;
    event.force_async = request->force_async;
    event.by_sq_thread = request->ring && request->ring->sq_thread;
    event.result = request->result;
    event.offset = request->io.offset + request->bytes_done;
    event.length = request->io.length;
    event.got = request->bytes_done;
  }
  setup->trace (&event, setup->trace_data);
}

void sim_trace_idle (Simulation *sim, unsigned cpu)
{
  const TraceEvent event = { .kind = TRACE_CPU_IDLE, .time = sim_now (sim), .cpu = cpu };

  sim->setup->trace (&event, sim->setup->trace_data);
}

void sim_synchronous (Simulation *sim, const Request *request)
{
  sim->count.submitted++;
  sim->count.completed++;
  sim->count.outcome[request->outcome]++;
}

static gboolean sim_start_group (Simulation *sim)
{
  gboolean any = FALSE;

  while (!any && sim->group <= sim->last_group) {
    for (unsigned i = 0; i < sim->applications->len; i++) {
      Application *application = g_ptr_array_index (sim->applications, i);

      if (application->job->group == sim->group) {
        application_start (application);
        any = TRUE;
      }
    }
    sim->group++;
  }
  return any;
}

void sim_application_ended (Simulation *sim)
{
  if (--sim->applications_running)
    return;
  if (!sim->error && sim_start_group (sim))
    return;
  sim->finished = sim_now (sim);
  sim->ended = TRUE;
  ur_engine_stop (sim->engine);
}

static void sim_init_levels (Simulation *sim)
{
  SimulationCounters *count = &sim->count;

  ur_level_init (&count->workers_alive_level, 0, 0);
  ur_level_init (&count->workers_running, 0, 0);
  ur_level_init (&count->workers_spinning, 0, 0);
  ur_level_init (&count->workers_on_lock, 0, 0);
  ur_level_init (&count->in_flight, 0, 0);
}

/* What takes no CPU instructions takes as long on an emulated CPU. */
static gboolean cost_is_slowed (CostKey key)
{
  return key != COST_IDLE_EXIT && key != COST_IDLE_EXIT_DEEP && key != COST_IDLE_RETURN;
}

static gboolean fs_cost_is_slowed (FileSystemCostKey key)
{
  return key != FS_COST_SLEEP && key != FS_COUNT_SLEEP_EVERY;
}

static void sim_init_costs (Simulation *sim)
{
  const SimulationSetup *setup = sim->setup;
  const Machine *machine = setup->machine;

  sim->shape = machine->shape;
  for (unsigned i = 0; i < COSTS; i++) {
    sim->cost[i].mean = (double) machine->cost[i].ns * (cost_is_slowed (i) ? machine->slowdown : 1);
    ur_random_init_indexed (&sim->cost[i].stream, setup->seed, machine_cost_key (i), i);
  }
  for (unsigned i = 0; i < FS_COSTS; i++) {
    sim->fs_cost[i].mean = (double) sim->fs_costs->cost[i].ns * (fs_cost_is_slowed (i) ? machine->slowdown : 1);
    ur_random_init_indexed (&sim->fs_cost[i].stream, setup->seed, machine_file_system_cost_key (i), i);
  }
}

/* What io_uring_setup() would answer. */
static gboolean check_ring (const SimulationSetup *setup, const WorkloadJob *job, unsigned kernel, unsigned depth,
                            GError **error)
{
  RingSetup ring = application_ring_setup (setup, job, kernel, depth);
  g_autoptr (GError) answer = NULL;
  RingSizes sizes;

  if (ring_setup_check (&ring, kernel, &sizes, &answer))
    return TRUE;
  if (!job->ring.given)
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "job \"%s\": iodepth %u: %s", job->name, depth,
                 answer->message);
  else
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "job \"%s\": %s", job->name, answer->message);
  return FALSE;
}

/* cpus_allowed=: fio refuses CPUs that are not there. */
static gboolean check_cpus (const WorkloadJob *job, unsigned cpus, GError **error)
{
  unsigned cpu = cpu_mask_next (&job->cpus, cpus);

  if (cpu >= CPU_MASK_CPUS)
    return TRUE;
  g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
               "job \"%s\": cpus_allowed names CPU %u, expected CPUs from 0 to %u", job->name, cpu, cpus - 1);
  return FALSE;
}

/* The CPU and the use of the sq_thread. */
static gboolean check_sq_thread (const SimulationSetup *setup, const WorkloadJob *job, unsigned cpus, GError **error)
{
  gboolean wanted = application_wants_sqpoll (setup, job);

  if (wanted && job->sqpoll_cpu >= (int) cpus)
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "job \"%s\": %s=%d, expected a CPU from 0 to %u",
                 job->name, job->ring.given ? "sq-cpu" : "sqthread_poll_cpu", job->sqpoll_cpu, cpus - 1);
  else if (job->ring.sq_wait && !wanted)
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "job \"%s\": sq-wait: the application itself empties the SQ; expected sqpoll with it", job->name);
  else
    return TRUE;
  return FALSE;
}

/* What io_uring_register() would answer. */
static gboolean check_io_wq (const WorkloadJob *job, unsigned kernel, unsigned cpus, GError **error)
{
  const RingOptions *ring = &job->ring;

  if ((ring->iowq_max_workers[0] || ring->iowq_max_workers[1]) && kernel < KERNEL (5, 15)) {
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "job \"%s\": kernel %u.%u has no IORING_REGISTER_IOWQ_MAX_WORKERS (EINVAL); expected 5.15 or later",
                 job->name, KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
    return FALSE;
  }
  if (cpu_mask_is_empty (&ring->iowq_cpus))
    return TRUE;
  if (kernel < KERNEL (5, 14))
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "job \"%s\": kernel %u.%u has no IORING_REGISTER_IOWQ_AFF (EINVAL); expected 5.14 or later", job->name,
                 KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
  else if (cpu_mask_next (&ring->iowq_cpus, cpus) < CPU_MASK_CPUS)
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "job \"%s\": CPU %u for io-wq workers; expected CPUs from 0 to %u", job->name,
                 cpu_mask_next (&ring->iowq_cpus, cpus), cpus - 1);
  else
    return TRUE;
  return FALSE;
}

/* Affinity= of the policy's queues: the CPUs must be there. */
static gboolean check_affinity (const Policy *policy, unsigned cpus, GError **error)
{
  for (unsigned i = 0; i < policy->n_queues; i++) {
    const PolicyQueue *queue = &policy->queues[i];
    const unsigned cpu = cpu_mask_next (&queue->affinity, cpus);

    if (cpu < CPU_MASK_CPUS) {
      g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                   "%s: [Queue %s]: Affinity=%s names CPU %u, the machine has CPUs from 0 to %u",
                   queue->key_origin[QUEUE_KEY_AFFINITY], queue->name, queue->affinity_text, cpu, cpus - 1);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean G_GNUC_PRINTF (3, 4) sqe_error (const WorkloadJob *job, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "job \"%s\": %s", job->name, text);
  return FALSE;
}

/* What the application marks its sqes with: what the kernel would refuse every time, and chains it could not fill. */
static gboolean check_sqes (const SimulationSetup *setup, const WorkloadJob *job, unsigned kernel, unsigned depth,
                            GError **error)
{
  const SqeOptions *sqe = &job->sqe;
  unsigned entries = job->ring.given && job->ring.sq_entries ? job->ring.sq_entries : depth;

  if (sqe->link > MIN (depth, entries))
    return sqe_error (job, error, "chains of %u with iodepth %u and %u SQ entries; expected no more than both",
                      sqe->link, depth, entries);
  if (sqe->link > 1 && kernel < (sqe->hard ? KERNEL (5, 5) : KERNEL (5, 3)))
    return sqe_error (job, error, "kernel %u.%u does not know %s, which exists since %s", KERNEL_MAJOR (kernel),
                      KERNEL_MINOR (kernel), sqe->hard ? "IOSQE_IO_HARDLINK" : "IOSQE_IO_LINK",
                      sqe->hard ? "5.5" : "5.3");
  if (sqe->link > 1 && setup->replay == REPLAY_TIMED && job->open_source)
    return sqe_error (job, error, "chains cannot be replayed at the trace's times; expected --replay closed");
  if (sqe->drain_every && kernel < KERNEL (5, 2))
    return sqe_error (job, error, "kernel %u.%u does not know IOSQE_IO_DRAIN, which exists since 5.2",
                      KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
  if (sqe->cqe_skip && kernel < KERNEL (5, 17))
    return sqe_error (job, error, "kernel %u.%u does not know IOSQE_CQE_SKIP_SUCCESS, which exists since 5.17",
                      KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
  if (sqe->cqe_skip && sqe->link < 2)
    return sqe_error (job, error,
                      "cqe-skip without chains: nothing would tell that a request is done; expected link=N");
  if (sqe->cqe_skip && sqe->drain_every)
    return sqe_error (job, error, "the kernel answers EOPNOTSUPP to IOSQE_IO_DRAIN with IOSQE_CQE_SKIP_SUCCESS");
  return TRUE;
}

static gboolean sim_check_setup (const SimulationSetup *setup, const MachineFileSystem **ret_costs, GError **error)
{
  const FileSystem *fs = setup->file_system;
  const char *costs = fs->cost_name ? fs->cost_name : fs->name;
  unsigned kernel = setup->kernel ? setup->kernel : setup->policy->kernel;
  unsigned cpus = setup->cpus ? setup->cpus : setup->machine->cpus;
  uint64_t in_flight = 0;

  if (setup->machine->memory_size < setup->machine->memory_used + MEMORY_MIN) {
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "machine %s: [Memory] Size is %" G_GUINT64_FORMAT " and Used %" G_GUINT64_FORMAT
                 " bytes; expected 1 MiB or more between them",
                 setup->machine->name, setup->machine->memory_size, setup->machine->memory_used);
    return FALSE;
  }
  *ret_costs = machine_file_system (setup->machine, costs);
  if (!*ret_costs) {
    g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                 "machine %s has no costs for file system %s: expected a group [FileSystem %s]", setup->machine->name,
                 fs->name, costs);
    return FALSE;
  }
  if (!check_affinity (setup->policy, cpus, error))
    return FALSE;
  for (unsigned i = 0; i < setup->workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (setup->workload->jobs, i);
    ApplicationEngine engine = setup->engine >= 0 ? (ApplicationEngine) setup->engine : job->engine;
    unsigned depth = setup->iodepth ? setup->iodepth : job->iodepth;

    in_flight += depth;
    if (in_flight > IN_FLIGHT_MAX) {
      g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                   "job \"%s\": more than %u requests in flight over all streams; expected fewer jobs or less iodepth",
                   job->name, IN_FLIGHT_MAX);
      return FALSE;
    }
    if (job->direct && fs->in_memory && kernel < KERNEL (6, 6)) {
      g_set_error (
          error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
          "job \"%s\": direct=1: %s cannot be opened with O_DIRECT on kernel %u.%u, from 6.6 on only; expected "
          "direct=0",
          job->name, fs->name, KERNEL_MAJOR (kernel), KERNEL_MINOR (kernel));
      return FALSE;
    }
    if (job->trims_at) {
      g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                   "%s: job \"%s\": a trim: discards are not modelled%s; expected reads, writes and syncs",
                   job->trims_at, job->name,
                   fs->regular ? ", and fio itself discards only blocks of a block device" : "");
      return FALSE;
    }
    if (setup->iodepth == 0 && job->iodepth == 0) {
      g_set_error (error, SIMULATION_ERROR, SIMULATION_ERROR_CONFIG, "job \"%s\": iodepth is 0, expected at least 1",
                   job->name);
      return FALSE;
    }
    if (!check_cpus (job, cpus, error))
      return FALSE;
    if (engine == APPLICATION_IO_URING &&
        (!check_ring (setup, job, kernel, depth, error) || !check_sq_thread (setup, job, cpus, error) ||
         !check_io_wq (job, kernel, cpus, error) || !check_sqes (setup, job, kernel, depth, error)))
      return FALSE;
  }
  return TRUE;
}

/* What a trace will hold is not known: it may write. */
static void count_writer (const Simulation *sim, const WorkloadJob *job)
{
  for (unsigned i = 0; (job->pattern.has_write || job->open_source) && i < job->files->len; i++) {
    Inode *inode = g_ptr_array_index (sim->inodes, g_array_index (job->files, uint32_t, i));

    inode->writers++;
  }
}

Simulation *sim_new (const SimulationSetup *setup, GError **error)
{
  const MachineFileSystem *costs;
  uint64_t device_start = FILE_SPACING;
  Simulation *sim;

  if (!sim_check_setup (setup, &costs, error))
    return NULL;
  sim = g_new0 (Simulation, 1);
  sim->setup = setup;
  sim->fs_costs = costs;
  sim->traced = setup->traced || setup->trace;
  sim->kernel = setup->kernel ? setup->kernel : setup->policy->kernel;
  sim->engine = ur_engine_new ();
  sim->stacks = ur_coroutine_pool_new (0);
  sim->n_cpus = setup->cpus ? setup->cpus : setup->machine->cpus;
  sim->n_nodes = MIN (setup->nodes ? setup->nodes : setup->machine->nodes, sim->n_cpus);
  sim_init_costs (sim);
  sim_init_levels (sim);
  cpus_init (sim);
  sim->device = block_device_new (sim, setup->device);
  policy_state_init (sim);
  sim->wb = bdi_writeback_new (sim);
  if (setup->policy->plugin && setup->policy->plugin->table->open)
    sim->plugin_state = setup->policy->plugin->table->open (&policy_plugin_host);
  sim->timeline = g_new (Timeline, 1);
  timeline_init (sim->timeline, sim->wb->freerun);
  ur_histogram_init (&sim->lock_wait);
  ur_histogram_init (&sim->lock_hold);
  life_init (sim);
  sample_init (sim);
  sim->journal = journal_new (sim);
  sim->tasks = g_ptr_array_new_with_free_func ((GDestroyNotify) task_free);
  sim->rings = g_ptr_array_new_with_free_func ((GDestroyNotify) ring_free);
  sim->sq_data = g_ptr_array_new_with_free_func ((GDestroyNotify) sq_data_free);
  sim->inodes = g_ptr_array_new_with_free_func ((GDestroyNotify) inode_free);
  sim->applications = g_ptr_array_new_with_free_func ((GDestroyNotify) application_free);
  sim->op = g_new0 (ResultOp, IO_OPS);
  for (unsigned i = 0; i < IO_OPS; i++)
    result_op_init (&sim->op[i]);
  for (unsigned i = 0; i < setup->workload->files->len; i++) {
    const WorkloadFile *file = g_ptr_array_index (setup->workload->files, i);
    CacheState cache = setup->cache >= 0 ? (CacheState) setup->cache : file->cache;
    Inode *inode;

    if (setup->file_system->in_memory)
      cache = CACHE_DIRTY;
    inode = inode_new (sim, i, file->size, cache, !file->unwritten, device_start);
    inode_set_folio (inode, file->folio);
    device_start += (file->size / FILE_SPACING + 1) * FILE_SPACING;
    g_ptr_array_add (sim->inodes, inode);
  }
  for (unsigned i = 0; i < setup->workload->jobs->len; i++) {
    const WorkloadJob *job = g_ptr_array_index (setup->workload->jobs, i);

    application_new (sim, job);
    count_writer (sim, job);
    sim->last_group = MAX (sim->last_group, job->group);
  }
  return sim;
}

void sim_free (Simulation *sim)
{
  life_free (sim);
  g_clear_pointer (&sim->samples, g_array_unref);
  g_ptr_array_unref (sim->rings);
  g_ptr_array_unref (sim->sq_data);
  queue_set_free (sim->queues);
  worker_pools_free (sim);
  dio_workqueue_free (sim);
  g_ptr_array_unref (sim->tasks);
  g_ptr_array_unref (sim->applications);
  g_ptr_array_unref (sim->inodes);
  cpus_free (sim);
  ur_coroutine_pool_free (sim->stacks);
  bdi_writeback_free (sim->wb);
  if (sim->setup->policy->plugin && sim->setup->policy->plugin->table->close)
    sim->setup->policy->plugin->table->close (sim->plugin_state);
  g_free (sim->timeline);
  journal_free (sim->journal);
  block_device_free (sim->device);
  ur_engine_free (sim->engine);
  g_free (sim->op);
  g_clear_error (&sim->error);
  g_free (sim);
}

static void append_task (GString *text, const Task *task)
{
  static const char *const states[] = { "runs", "is runnable", "sleeps", "has ended" };
  const Rwsem *sem = task->waits_on;
  const Mutex *mutex = task->waits_on;
  gboolean on_lock = task->waits_for && g_str_equal (task->waits_for, "rwsem");
  gboolean on_mutex = task->waits_for && g_str_equal (task->waits_for, "mutex");

  g_string_append_printf (text, "; %s#%u %s", task->name, task->id, states[task->state]);
  if (on_lock && sem)
    g_string_append_printf (text, ", waiting for %s held by %s", sem->name,
                            sem->owner     ? sem->owner->name
                            : sem->readers ? "readers"
                                           : "nobody");
  else if (on_mutex && mutex)
    g_string_append_printf (text, ", waiting for %s held by %s", mutex->name,
                            mutex->owner ? mutex->owner->name : "nobody");
  else if (task->waits_for)
    g_string_append_printf (text, ", waiting for %s", task->waits_for);
}

/* Nothing is stuck: the trace has a pause that is longer than the clock's own events can be followed. */
static gboolean is_pause (const Simulation *sim)
{
  for (unsigned i = 0; sim->count.in_flight.level == 0 && i < sim->tasks->len; i++) {
    const Task *task = g_ptr_array_index (sim->tasks, i);

    if (task->state == TASK_SLEEPING && task->waits_for && g_str_equal (task->waits_for, "its next arrival"))
      return TRUE;
  }
  return FALSE;
}

static GError *sim_deadlock (const Simulation *sim)
{
  GString *text = g_string_new (NULL);
  GError *error;

  if (is_pause (sim)) {
    g_string_free (text, TRUE);
    return g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                        "no request arrives for more than %" G_GUINT64_FORMAT " days; expected another unit of the times, "
                        "--time-scale or --replay closed",
                        (sim_now (sim) - sim->last_progress) / (86400 * UR_S));
  }
  g_string_append_printf (text, "deadlock at %" G_GUINT64_FORMAT " ns: %g requests in flight, none can go on",
                          sim_now (sim), sim->count.in_flight.level);
  for (unsigned i = 0; i < sim->tasks->len && i < 40; i++) {
    const Task *task = g_ptr_array_index (sim->tasks, i);

    if (task->state != TASK_DEAD)
      append_task (text, task);
  }
  error = g_error_new_literal (SIMULATION_ERROR, SIMULATION_ERROR_DEADLOCK, text->str);
  g_string_free (text, TRUE);
  return error;
}

/* On emulated CPUs one step may take that much longer. */
static UrTime sim_stuck_after (const Simulation *sim)
{
  return (UrTime) ((double) STUCK_AFTER * MAX (sim->setup->machine->slowdown, 1));
}

static gboolean sim_is_stuck (Simulation *sim, UrTime next)
{
  if (sim->looked_at != sim->last_progress) {
    sim->looked_at = sim->last_progress;
    sim->events_then = ur_engine_events (sim->engine);
  }
  return next == UR_TIME_NEVER || writeback_is_all_that_comes (sim->wb) ||
         ur_engine_events (sim->engine) > sim->events_then + STUCK_EVENTS ||
         (sim->count.in_flight.level > 0 && sim_now (sim) > sim->last_progress + sim_stuck_after (sim) &&
          !block_device_is_serving (sim->device));
}

gboolean sim_drive (Simulation *sim)
{
  const SimulationSetup *setup = sim->setup;

  while (!sim->error && !sim->ended) {
    UrTime next = ur_engine_next (sim->engine);

    if (sim_now (sim) > LONGEST_RUN) {
      sim_fail (sim,
                g_error_new_literal (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                                     "the run takes more than 100 years of simulated time; expected shorter costs, "
                                     "more bandwidth, or --simulate-time"));
      break;
    }
    if (sim_is_stuck (sim, next)) {
      sim_fail (sim, sim_deadlock (sim));
      break;
    }
    if (setup->interrupt && g_atomic_int_get (setup->interrupt)) {
      sim->finished = sim_now (sim);
      sim->ended = TRUE;
      return FALSE;
    }
    ur_engine_run (sim->engine, MAX (next, sim_now (sim)) + SLICE);
    if (setup->progress)
      setup->progress (sim->count.reaped, sim_now (sim), setup->progress_data);
  }
  return TRUE;
}

RunResult *simulation_run (const SimulationSetup *setup, GError **error)
{
  RunResult *result = NULL;
  Simulation *sim = sim_new (setup, error);
  gboolean whole;

  if (!sim)
    return NULL;
  whole = sim_start_group (sim) ? sim_drive (sim) : TRUE; /* no jobs: nothing happens */
  if (!sim->error) {
    cpus_settle (sim);
    if (whole)
      sim_check (sim);
  }
  if (sim->error)
    g_propagate_error (error, g_steal_pointer (&sim->error));
  else
    result = sim_collect (sim, !whole);
  sim_free (sim);
  return result;
}
