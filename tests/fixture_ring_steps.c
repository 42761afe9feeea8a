/* Steps of scripts about rings, io-wq and task_work.  See model_fixture.h. */
#include "tests/fixture_private.h"

#include "model/file_io.h"
#include "model/page_io.h"
#include "model/sq_thread.h"
#include "model/submit.h"
#include "model/task_work.h"
#include "model/tctx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One word after the number of entries. */
static void ring_word (const Actor *actor, RingSetup *setup, const char *word)
{
  if (g_str_has_prefix (word, "cpu=")) {
    setup->flags.sq_aff = TRUE;
    setup->sq_cpu = (int) g_ascii_strtoull (word + strlen ("cpu="), NULL, 10);
  } else if (g_str_has_prefix (word, "attach=")) {
    setup->flags.attach_wq = TRUE;
    setup->attach = actor_ring_number (actor, word + strlen ("attach="));
  } else if (g_str_has_prefix (word, "idle=")) {
    setup->sq_idle = script_us (word + strlen ("idle="));
  } else if (g_str_has_prefix (word, "cq=")) {
    setup->flags.cqsize = TRUE;
    setup->cq_entries = (unsigned) g_ascii_strtoull (word + strlen ("cq="), NULL, 10);
  } else if (strcmp (word, "coop") == 0) {
    setup->flags.coop_taskrun = TRUE;
  } else if (strcmp (word, "taskrun") == 0) {
    setup->flags.taskrun_flag = TRUE;
  } else if (strcmp (word, "defer") == 0) {
    setup->flags.single_issuer = setup->flags.defer_taskrun = TRUE;
  } else if (!ring_flags_set (&setup->flags, word)) {
    g_error ("no ring flag \"%s\"", word);
  }
}

static void step_ring (Actor *actor, const Step *step)
{
  Fixture *fixture = actor->fixture;
  g_auto (GStrv) words = g_strsplit (step->text, ",", -1);
  RingSetup setup = { .entries = step_number (step), .sq_cpu = -1 };

  for (char **word = words + 1; *word; word++)
    ring_word (actor, &setup, *word);
  actor->ring = fixture->ring = ring_new (fixture->sim, NULL, &setup);
  fixture->ring->submitter = actor->task;
  fixture->ring->polled = setup.flags.sqpoll;
  if (setup.flags.sqpoll)
    sq_thread_start (actor->ring, actor->task);
  io_uring_add_tctx_node (ring_owner (actor->ring), actor->ring);
}

static void step_use (Actor *actor, const Step *step) { actor->ring = actor_ring_number (actor, step->text); }

static void step_room (Actor *actor, const Step *step)
{
  (void) step;
  sq_thread_wait_room (actor->task, actor_ring (actor));
}

static void step_close (Actor *actor, const Step *step)
{
  (void) step;
  sq_thread_finish (actor->task, actor_ring (actor));
}

static void step_uringlock (Actor *actor, const Step *step)
{
  (void) step;
  mutex_lock (actor->task, &actor_ring (actor)->uring_lock);
  actor_log (actor, "uring_lock");
}

static void step_uringunlock (Actor *actor, const Step *step)
{
  (void) step;
  mutex_unlock (actor->task, &actor_ring (actor)->uring_lock);
}

static void step_sqe (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  ring_sq_push (actor_ring (actor), actor_request (actor, step->text));
}

/* Logs what io_uring_enter() answered if it is an error or fewer than asked for. */
static void actor_log_entered (Actor *actor, int submitted, unsigned asked)
{
  g_autofree char *text = submitted == -EBUSY    ? g_strdup ("EBUSY")
                          : submitted == -EEXIST ? g_strdup ("EEXIST")
                                                 : g_strdup_printf ("submitted %d", submitted);

  if (submitted != (int) asked)
    actor_log (actor, text);
}

static void step_submit (Actor *actor, const Step *step)
{
  Ring *ring = actor_ring (actor);
  unsigned n = ring_sq_ready (ring);

  actor_log_entered (actor, io_uring_enter (actor->task, ring, n, step_number (step), *step->text != '\0'), n);
}

static void step_getevents (Actor *actor, const Step *step)
{
  const char *until = strchr (step->text, ',');

  io_uring_enter_timeout (actor->task, actor_ring (actor), 0, step_number (step), TRUE,
                          actor_deadline (actor, until ? until + 1 : ""));
}

static void step_notify (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  sq_thread_notify (actor->task, actor_ring (actor));
}

static void step_post (Actor *actor, const Step *step)
{
  Request *request = actor_request (actor, step->text);

  actor->fixture->sim->count.submitted++;
  actor_ring (actor)->in_flight++;
  ring_post (actor->task, actor_ring (actor), request);
}

static void step_reap (Actor *actor, const Step *step)
{
  Fixture *fixture = actor->fixture;
  GString *text = g_string_new ("reap ");
  Request *request;

  (void) step;
  task_sync (actor->task);
  while ((request = ring_cq_pop (actor_ring (actor)))) {
    g_string_append_c (text, fixture_request_name (fixture, request));
    request->time.reaped = sim_now (fixture->sim);
    fixture->sim->count.reaped++;
  }
  actor_log (actor, text->str[strlen ("reap ")] ? text->str : "reap -");
  g_string_free (text, TRUE);
}

/* How each request ended, in the order they were made; all have. */
static void step_results (Actor *actor, const Step *step)
{
  static const struct {
    int error;
    const char *name;
  } names[] = { { EINVAL, "EINVAL" },     { ECANCELED, "ECANCELED" },   { EAGAIN, "EAGAIN" }, { ETIME, "ETIME" },
                { EALREADY, "EALREADY" }, { EOPNOTSUPP, "EOPNOTSUPP" }, { ENOENT, "ENOENT" } };
  Fixture *fixture = actor->fixture;
  GString *text = g_string_new ("results");

  (void) step;
  task_sync (actor->task);
  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *request = g_ptr_array_index (fixture->requests, i);
    const char *how = request->result < 0 ? "?" : (uint64_t) request->result < request->io.length ? "short" : "ok";

    for (unsigned k = 0; k < G_N_ELEMENTS (names); k++)
      if (request->result == -names[k].error)
        how = names[k].name;
    g_string_append_printf (text, " %c %s", fixture_request_name (fixture, request), how);
  }
  actor_log (actor, text->str);
  g_string_free (text, TRUE);
}

/* What the flusher does with file 0. */
static void step_flush (Actor *actor, const Step *step)
{
  page_io_write_some (actor->task, fixture_inode (actor->fixture, 0), g_ascii_strtoull (step->text, NULL, 10));
  task_sync (actor->task);
}

static void step_call (Actor *actor, const Step *step)
{
  Fixture *fixture = actor->fixture;
  Request *request = actor_request (actor, step->text);
  g_autofree char *text = NULL;

  request->ring = NULL;
  file_io (actor->task, request, FALSE);
  task_sync (actor->task);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_INLINE;
  sim_synchronous (fixture->sim, request);
  fixture->sim->count.reaped++;
  text = g_strdup_printf ("%" G_GINT64_FORMAT, request->result);
  actor_log (actor, text);
}

static void step_free (Actor *actor, const Step *step)
{
  (void) step;
  task_work_add_free (actor->task, actor_ring (actor));
  task_sync (actor->task);
}

/* A request that was never submitted; its completion is left to the owner. */
static Request *request_to_post (Actor *actor, const char *text)
{
  Fixture *fixture = actor->fixture;

  task_sync (actor->task);
  fixture->sim->count.submitted++;
  actor_ring (actor)->in_flight++;
  return actor_request (actor, text);
}

static void step_worker (Actor *actor, const Step *step)
{
  task_work_add_completion (actor->task, actor_ring (actor), request_to_post (actor, step->text));
}

static void step_irq (Actor *actor, const Step *step)
{
  Cpu *cpu = &actor->task->sim->cpus[g_ascii_strtoull (step->text, NULL, 10)];

  task_work_add_from_interrupt (cpu, actor_ring (actor), request_to_post (actor, strchr (step->text, ',') + 1));
}

static void step_taskrun (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  actor_log (actor, actor_ring (actor)->taskrun ? "taskrun" : "-");
}

static void step_iowq (Actor *actor, const Step *step)
{
  const char *unbounded = strchr (step->text, ':');
  unsigned count[IO_WQ_ACCT_NR] = { step_number (step), unbounded ? (unsigned) atoi (unbounded + 1) : 0 };
  g_autofree char *text = NULL;

  task_sync (actor->task);
  io_uring_register_iowq_max_workers (ring_owner (actor_ring (actor)), actor_ring (actor), count);
  text = g_strdup_printf ("was %u:%u", count[0], count[1]);
  actor_log (actor, text);
}

static void step_aff (Actor *actor, const Step *step)
{
  CpuMask cpus;

  if (!cpu_mask_parse (step->text, &cpus, NULL))
    g_error ("no CPUs \"%s\"", step->text);
  task_sync (actor->task);
  io_uring_register_iowq_aff (ring_owner (actor_ring (actor)), actor_ring (actor), &cpus);
}

static void step_leave (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  io_uring_del_tctx_node (ring_owner (actor_ring (actor)), actor_ring (actor));
}

static void step_cancel (Actor *actor, const Step *step)
{
  static const char *const names[] = { "cancelled", "running", "not found" };
  Request *request = g_ptr_array_index (actor->fixture->requests, (guint) (*step->text - 'a'));
  IoWqCancel got = io_wq_cancel (actor->task, io_uring_wq_peek (actor_ring (actor), 0), request);

  actor_log (actor, names[got]);
  if (got != IO_WQ_CANCEL_OK)
    return;
  request->result = -ECANCELED;
  request->outcome = OUTCOME_FAILED;
  request->time.done = task_now (actor->task);
  ring_post (actor->task, actor_ring (actor), request);
}

const StepKind fixture_ring_steps[] = {
  { "ring", step_ring },
  { "use", step_use },
  { "room", step_room },
  { "close", step_close },
  { "uringlock", step_uringlock },
  { "uringunlock", step_uringunlock },
  { "sqe", step_sqe },
  { "submit", step_submit },
  { "getevents", step_getevents },
  { "notify", step_notify },
  { "post", step_post },
  { "reap", step_reap },
  { "results", step_results },
  { "call", step_call },
  { "flush", step_flush },
  { "free", step_free },
  { "worker", step_worker },
  { "irq", step_irq },
  { "taskrun", step_taskrun },
  { "iowq", step_iowq },
  { "aff", step_aff },
  { "leave", step_leave },
  { "iowq-cancel", step_cancel },
  { NULL, NULL },
};
