/* See policy_state.h. */
#include "model/policy_state.h"

#include "model/application.h"
#include "model/cpu.h"
#include "model/file_io.h"
#include "model/policy_plugin.h"
#include "model/queue_owner.h"
#include "model/tctx.h"
#include "model/workqueue.h"
#include "src/engine/portable_math.h"

#include <string.h>

static double lookup_queues (const Ring *ring, const Inode *inode, PolicyVariable variable)
{
  double sum = 0;

  for (unsigned i = 0; i < ring->sim->setup->policy->n_queues; i++) {
    const IoWq *io_wq = queue_owner_io_wq_peek (ring, i, inode);
    const Workqueue *workqueue = queue_owner_workqueue_peek (ring, i, inode);

    if (!io_wq && !workqueue)
      continue; /* not used yet */
    if (variable == POLICY_QUEUE_PENDING)
      sum += io_wq ? io_wq_pending (io_wq) : workqueue_pending (workqueue);
    else if (variable == POLICY_QUEUE_RUNNING)
      sum += io_wq ? io_wq_running (io_wq) : workqueue_running (workqueue);
    else
      sum += io_wq ? io_wq_idle (io_wq) : workqueue_idle (workqueue);
  }
  return sum;
}

static double lookup_pages (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  PageCache *pages = &request->inode->pages;
  PageCount count;
  double resident = 0, dirty = 0;

  if (variable == POLICY_CACHE_DIRTY) {
    for (unsigned i = 0; i < sim->inodes->len; i++) {
      const Inode *inode = g_ptr_array_index (sim->inodes, i);

      resident += (double) inode->pages.resident;
      dirty += (double) inode->pages.dirty;
    }
    return resident > 0 ? dirty / resident : 0;
  }
  count = page_cache_count (pages, request->io.offset, request->io.length);
  return variable == POLICY_PAGE_RESIDENT ? count.missing == 0 : count.clean == 0;
}

static inline double lookup_request (const Simulation *sim, const Request *request, PolicyVariable variable)
{
  const FileSystem *fs = sim->setup->file_system;

  switch (variable) {
  case POLICY_READ:
    return request->io.op == IO_READ;
  case POLICY_WRITE:
    return request->io.op == IO_WRITE;
  case POLICY_SYNC:
    return request->io.op >= IO_SYNC;
  case POLICY_BUFFERED:
    return !request->direct;
  case POLICY_DIRECT:
    return request->direct;
  case POLICY_REGULAR:
    return fs->regular;
  case POLICY_FORCE_ASYNC:
    return request->force_async;
  case POLICY_SIZE:
    return (double) request->io.length;
  case POLICY_APPEND:
    return request->io.offset >= request->inode->size;
  case POLICY_EXTEND:
    return request->io.offset + request->io.length > request->inode->size;
  case POLICY_OVERWRITE:
    return request->io.offset + request->io.length <= request->inode->size;
  case POLICY_SQE_LINK:
    return (request->sqe_flags & SQE_LINKS) != 0;
  case POLICY_SQE_DRAIN:
    return (request->sqe_flags & SQE_DRAIN) != 0;
  case POLICY_SQE_FIXED_FILE:
    return (request->sqe_flags & SQE_FIXED_FILE) != 0;
  case POLICY_FILE_WRITERS:
    return request->inode->writers;
  case POLICY_INODE_LAST:
    return request->inode->last_outcome;
  case POLICY_NOWAIT:
    return kernel_range_has (fs->nowait, sim->kernel);
  case POLICY_WASYNC:
    return kernel_range_has (fs->buffer_wasync, sim->kernel);
  case POLICY_RASYNC:
    return kernel_range_has (fs->buffer_rasync, sim->kernel) && file_device_has_nowait (sim, request->direct);
  case POLICY_DIO_PARALLEL:
    return kernel_range_has (fs->dio_parallel_write, sim->kernel);
  case POLICY_INODE_LOCKED:
    return rwsem_is_locked (&request->inode->rwsem);
  case POLICY_INODE_WAITERS:
    return rwsem_contenders (&request->inode->rwsem);
  default:
    return lookup_pages (sim, request, variable);
  }
}

/* ---- what a plug-in sees: its view is the PolicyState ---- */

static int plugin_variable (const char *name)
{
  for (unsigned i = 0; name && i < POLICY_VARIABLE_COUNT; i++)
    if (strcmp (name, policy_variable_name ((PolicyVariable) i)) == 0)
      return (int) i;
  return -1;
}

static double plugin_value (const uringsim_view *view, int variable)
{
  PolicyState *state = (PolicyState *) view;
  Decision *decision = state->ring->decided == state->request ? state->ring->decision : NULL;
  double value;

  if (variable < 0 || variable >= (int) POLICY_VARIABLE_COUNT)
    return 0;
  value = policy_state_lookup ((PolicyVariable) variable, state);
  if (decision) {
    decision->asked |= G_GUINT64_CONSTANT (1) << variable;
    decision->value[variable] = value;
  }
  return value;
}

static uint64_t plugin_now (const uringsim_view *view) { return sim_now (((const PolicyState *) view)->ring->sim); }

const uringsim_host policy_plugin_host = { URINGSIM_POLICY_ABI, plugin_variable, plugin_value, plugin_now };

/* ---- facts ---- */

void policy_state_init (Simulation *sim)
{
  static const PolicyVariable fixed[] = { POLICY_REGULAR, POLICY_NOWAIT, POLICY_WASYNC, POLICY_RASYNC,
                                          POLICY_DIO_PARALLEL };

  for (unsigned direct = 0; direct < 2; direct++) {
    const Request request = { .direct = direct };

    for (unsigned i = 0; i < G_N_ELEMENTS (fixed); i++)
      if (lookup_request (sim, &request, fixed[i]) != 0)
        sim->policy_facts[direct] |= POLICY_BIT (fixed[i]);
  }
}

/* ---- averages ---- */

static inline double *average_place (const PolicyState *state, const Policy *policy, unsigned number, UrTime **ret_at)
{
  PolicyMemory **memory = policy->averages[number]->by_inode ? &state->request->inode->memory : &state->ring->memory;

  if (G_UNLIKELY (!*memory))
    *memory = g_new0 (PolicyMemory, 1);
  *ret_at = &(*memory)->at[number];
  return &(*memory)->value[number];
}

static void take_samples (PolicyState *state)
{
  const Policy *policy = state->ring->sim->setup->policy;
  UrTime now = sim_now (state->ring->sim);

  for (unsigned i = 0; i < policy->n_averages; i++) {
    const PolicyExpression *asked = policy->averages[i]->x;
    const int variable = policy_expression_variable (asked);
    double x = G_LIKELY (variable >= 0) ? policy_state_lookup ((PolicyVariable) variable, state)
                                        : policy_expression_eval (asked, policy_state_lookup, state);
    double weight = 0;
    UrTime *at;
    double *value = average_place (state, policy, i, &at);

    if (*at && x != *value) /* else it stays */
      weight = ur_exp (-(double) (now + 1 - *at) / policy->averages[i]->tau);
    *value = weight * *value + (1 - weight) * x;
    *at = now + 1; /* 0: no sample yet */
  }
}

/* POLICY_FACTS of the request. */
static uint64_t request_facts (const PolicyState *state)
{
  const Request *request = state->request;
  uint64_t facts = state->ring->sim->policy_facts[request->direct];

  facts |= request->io.op == IO_READ    ? POLICY_BIT (POLICY_READ)
           : request->io.op == IO_WRITE ? POLICY_BIT (POLICY_WRITE)
           : request->io.op >= IO_SYNC  ? POLICY_BIT (POLICY_SYNC)
                                        : 0;
  facts |= request->direct ? POLICY_BIT (POLICY_DIRECT) : POLICY_BIT (POLICY_BUFFERED);
  facts |= request->force_async ? POLICY_BIT (POLICY_FORCE_ASYNC) : 0;
  facts |= state->ring->sq_thread ? POLICY_BIT (POLICY_SQ_THREAD) : 0;
  return facts;
}

static const PolicyRule *by_rules (PolicyState *state, PolicyLookup lookup)
{
  Simulation *sim = state->ring->sim;
  const PolicyPlugin *plugin = sim->setup->policy->plugin;

  if (G_UNLIKELY (plugin != NULL)) {
    int choice = plugin->table->decide (sim->plugin_state, (const uringsim_view *) state);

    if (choice >= 0 && (unsigned) choice < plugin->n_choices)
      return &plugin->choices[choice];
    if (choice != URINGSIM_BY_BASE)
      sim_fail (sim, g_error_new (SIMULATION_ERROR, SIMULATION_ERROR_CONFIG,
                                  "plug-in %s: decide() returned %d, expected -1 or 0 to %u", sim->setup->policy->name,
                                  choice, plugin->n_choices - 1));
  }
  if (lookup != policy_state_lookup) /* it notes what was asked */
    return policy_decide (sim->setup->policy, lookup, state);
  return policy_decide_by_facts (sim->setup->policy, request_facts (state), lookup, state);
}

static double noting_lookup (PolicyVariable variable, void *data)
{
  const PolicyState *state = data;
  Decision *decision = state->ring->decision;

  decision->asked |= G_GUINT64_CONSTANT (1) << variable;
  decision->value[variable] = policy_state_lookup (variable, data);
  return decision->value[variable];
}

static const PolicyRule *decide_and_note (PolicyState *state)
{
  const Request *request = state->request;
  Ring *ring = state->ring;

  if (!ring->decision)
    ring->decision = g_new0 (Decision, 1);
  *ring->decision = (Decision){ .time = sim_now (ring->sim),
                                .stream = request->application->number,
                                .number = request->number,
                                .io = request->io,
                                .direct = request->direct };
  ring->decided = request;
  ring->decision->rule = by_rules (state, noting_lookup);
  return ring->decision->rule;
}

void policy_state_tell (Ring *ring, const Request *request)
{
  const SimulationSetup *setup = ring->sim->setup;

  ring->decided = NULL;
  ring->decision->outcome = request->outcome;
  setup->decision (ring->decision, setup->decision_data);
}

const PolicyRule *policy_state_decide (PolicyState *state)
{
  const SimulationSetup *setup = state->ring->sim->setup;
  const Request *request = state->request;
  const DecisionOther *other = setup->other;
  const PolicyRule *rule;

  if (G_UNLIKELY (setup->policy->n_averages))
    take_samples (state);
  rule = G_UNLIKELY (setup->decision && request->application) ? decide_and_note (state)
                                                              : by_rules (state, policy_state_lookup);
  if (G_UNLIKELY (other && request->application) && other->number == request->number &&
      other->stream == request->application->number) {
    if (setup->decision)
      state->ring->decision->forced = TRUE;
    return other->rule;
  }
  return rule;
}

double policy_state_lookup (PolicyVariable variable, void *data)
{
  const PolicyState *context = data;
  const Ring *ring = context->ring;
  const Simulation *sim = ring->sim;
  UrTime *at;

  if (G_UNLIKELY (variable >= POLICY_VARIABLE_COUNT))
    return *average_place (context, sim->setup->policy, (unsigned) variable - POLICY_VARIABLE_COUNT, &at);
  switch (variable) {
  case POLICY_SQ_THREAD:
    return ring->sq_thread != NULL;
  case POLICY_CPU_IDLE:
    return sim->n_idle;
  case POLICY_RING_IN_FLIGHT:
    return ring->in_flight;
  case POLICY_BATCH_REMAINING:
    return context->remaining;
  case POLICY_SQ_ENTRIES:
    return ring->sq_entries;
  case POLICY_CPUS:
    return sim->n_cpus;
  case POLICY_KERNEL:
    return sim->kernel;
  case POLICY_QUEUE_PENDING:
  case POLICY_QUEUE_RUNNING:
  case POLICY_WORKERS_IDLE:
    return lookup_queues (ring, context->request->inode, variable);
  default:
    return lookup_request (sim, context->request, variable);
  }
}
