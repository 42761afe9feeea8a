/* See model_fixture.h. */
#include "tests/model_fixture.h"

#include "model/collect.h"
#include "model/file_io.h"
#include "model/interrupt.h"
#include "model/sq_thread.h"
#include "model/submit.h"
#include "model/task_work.h"
#include "model/tctx.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Actor Actor;
typedef struct Step Step;
typedef struct {
  const char *name;
  void (*act) (Actor *, const Step *);
} StepKind;
struct Step {
  const StepKind *kind;
  char *text;
};

struct Actor {
  Fixture *fixture;
  Task *task;
  GArray *steps; /* of Step */
  unsigned at, repeated;
  UrTime start;
  Ring *ring; /* made or chosen by it */
};

/* ---- the log ---- */

void fixture_append_us (GString *text, UrTime ns)
{
  g_string_append_printf (text, "%" G_GUINT64_FORMAT, ns / 1000);
  if (ns % 1000) {
    g_string_append_printf (text, ".%03u", (unsigned) (ns % 1000));
    while (text->str[text->len - 1] == '0')
      g_string_truncate (text, text->len - 1);
  }
}

static void actor_log (Actor *actor, const char *event)
{
  GString *log = actor->fixture->log;

  if (log->len)
    g_string_append (log, ", ");
  g_string_append_printf (log, "%s@", actor->task->name);
  fixture_append_us (log, task_now (actor->task));
  g_string_append_printf (log, " %s", event);
}

/* ---- steps: time, sleep, CPU ---- */

static UrTime us (const char *text) { return (UrTime) llround (g_ascii_strtod (text, NULL) * 1000); }

static unsigned number (const Step *step) { return (unsigned) g_ascii_strtoull (step->text, NULL, 10); }

static UrTime deadline (Actor *actor, const char *text)
{
  return *text ? task_now (actor->task) + us (text) : UR_TIME_NEVER;
}

static Rwsem *lock_of (Actor *actor, const Step *step) { return &fixture_inode (actor->fixture, number (step))->rwsem; }

static void step_run (Actor *actor, const Step *step)
{
  task_run (actor->task, us (step->text));
  task_sync (actor->task);
}

static void step_hold (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  rwsem_run (actor->task, &fixture_inode (actor->fixture, 0)->rwsem, us (step->text));
  task_sync (actor->task);
}

static void step_sleep (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  task_prepare_to_sleep (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + us (step->text));
}

static void step_nap (Actor *actor, const Step *step)
{
  task_enter_kernel (actor->task);
  task_sync (actor->task);
  task_prepare_to_sleep_interruptible (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + us (step->text));
  task_return_to_user (actor->task);
  task_sync (actor->task);
}

static void step_wait (Actor *actor, const Step *step)
{
  gboolean woken;

  task_sync (actor->task);
  task_prepare_to_sleep (actor->task);
  woken = task_schedule (actor->task, deadline (actor, step->text));
  if (*step->text)
    actor_log (actor, woken ? "woken" : "timeout");
}

static void step_prepare (Actor *actor, const Step *step)
{
  (void) step;
  task_prepare_to_sleep (actor->task);
}

static void step_schedule (Actor *actor, const Step *step)
{
  (void) step;
  task_schedule (actor->task, UR_TIME_NEVER);
  actor_log (actor, "back");
}

static void step_wake (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor_log (actor, task_wake (actor->task, fixture_task (actor->fixture, step->text)) ? "slept" : "awake");
}

static void step_resched (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  task_cond_resched (actor->task);
}

static void step_yield (Actor *actor, const Step *step)
{
  (void) step;
  task_yield (actor->task);
}

static void step_interrupt (Actor *actor, const Step *step)
{
  g_auto (GStrv) words = g_strsplit (step->text, ",", 3);
  Cpu *cpu = &actor->task->sim->cpus[g_ascii_strtoull (words[0], NULL, 10)];

  task_sync (actor->task);
  cpu_interrupt (cpu, us (words[1]));
  if (words[2])
    task_wake_from_interrupt (cpu, fixture_task (actor->fixture, words[2]));
}

static void step_user (Actor *actor, const Step *step)
{
  (void) step;
  task_return_to_user (actor->task);
}

static void step_kernel (Actor *actor, const Step *step)
{
  (void) step;
  actor->task->user_mode = FALSE;
}

static void step_spin (Actor *actor, const Step *step)
{
  SpinEnd end = task_spin (actor->task, NULL, deadline (actor, step->text));

  actor_log (actor, end == SPIN_DONE ? "done" : "resched");
}

static void step_finish (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  task_spin_finish (fixture_task (actor->fixture, step->text), 0);
}

static void step_say (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor_log (actor, step->text);
}

static void step_cpu (Actor *actor, const Step *step)
{
  g_autofree char *text = g_strdup_printf ("cpu%u", actor->task->cpu->id);

  (void) step;
  task_sync (actor->task);
  actor_log (actor, text);
}

/* To another CPU, as a balancer would: the task is pinned to it and goes to sleep for a moment. */
static void step_move (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  actor->task->pinned = (int) number (step);
  task_prepare_to_sleep (actor->task);
  task_schedule (actor->task, sim_now (actor->task->sim) + 1);
}

static void step_repeat (Actor *actor, const Step *step)
{
  if (actor->repeated++ < number (step))
    actor->at = 0;
}

/* ---- steps: locks ---- */

static void step_write (Actor *actor, const Step *step)
{
  rwsem_down_write (actor->task, lock_of (actor, step));
  actor_log (actor, "write");
}

static void step_read (Actor *actor, const Step *step)
{
  rwsem_down_read (actor->task, lock_of (actor, step));
  actor_log (actor, "read");
}

static void step_trywrite (Actor *actor, const Step *step)
{
  actor_log (actor, rwsem_down_write_trylock (actor->task, lock_of (actor, step)) ? "got" : "busy");
}

static void step_tryread (Actor *actor, const Step *step)
{
  actor_log (actor, rwsem_down_read_trylock (actor->task, lock_of (actor, step)) ? "got" : "busy");
}

static void step_unlock (Actor *actor, const Step *step)
{
  Rwsem *sem = lock_of (actor, step);

  if (sem->owner == actor->task)
    rwsem_up_write (actor->task, sem);
  else
    rwsem_up_read (actor->task, sem);
}

static Mutex *mutex_of (Actor *actor, const Step *step)
{
  g_assert (number (step) < FIXTURE_MUTEXES);
  return &actor->fixture->mutex[number (step)];
}

static void step_mutex (Actor *actor, const Step *step)
{
  mutex_lock (actor->task, mutex_of (actor, step));
  actor_log (actor, "mutex");
}

static void step_trymutex (Actor *actor, const Step *step)
{
  actor_log (actor, mutex_trylock (actor->task, mutex_of (actor, step)) ? "got" : "busy");
}

static void step_release (Actor *actor, const Step *step) { mutex_unlock (actor->task, mutex_of (actor, step)); }

/* ---- steps: rings ---- */

static Ring *ring_of (const Actor *actor) { return actor->ring ? actor->ring : actor->fixture->ring; }

static Ring *ring_number (const Actor *actor, const char *text)
{
  guint64 n = g_ascii_strtoull (text, NULL, 10);

  g_assert (n < actor->fixture->sim->rings->len);
  return g_ptr_array_index (actor->fixture->sim->rings, (guint) n);
}

/* What is on no file. */
static void request_other (Actor *actor, Request *request, const char *text)
{
  static const struct {
    char letter;
    RequestOpcode opcode;
  } others[] = { { 'n', REQUEST_NOP },
                 { 't', REQUEST_TIMEOUT },
                 { 'm', REQUEST_TIMEOUT_REMOVE },
                 { 'x', REQUEST_LINK_TIMEOUT },
                 { 'c', REQUEST_ASYNC_CANCEL } };
  const char *count = strchr (text, '/');

  for (unsigned i = 0; i < G_N_ELEMENTS (others); i++)
    if (*text == others[i].letter)
      request->opcode = others[i].opcode;
  if (request->opcode == REQUEST_TIMEOUT || request->opcode == REQUEST_LINK_TIMEOUT)
    request->delay = us (text + 1);
  if (count)
    request->count = (unsigned) g_ascii_strtoull (count + 1, NULL, 10);
  if (request->opcode == REQUEST_ASYNC_CANCEL || request->opcode == REQUEST_TIMEOUT_REMOVE)
    request->target = g_ptr_array_index (actor->fixture->requests, text[1] - 'a');
}

static Request *request_new (Actor *actor, const char *text)
{
  Fixture *fixture = actor->fixture;
  Request *request = g_new0 (Request, 1);
  const char *page = strchr (text, '@'), *pages = strchr (text, '+');

  for (; strchr ("abdhlkoufg", *text); text++) {
    request->force_async |= *text == 'a';
    request->unbound |= *text == 'u';
    request->direct |= *text == 'o';
    request->prep_error |= *text == 'b' ? EINVAL : 0;
    request->sqe_flags |= *text == 'd'   ? SQE_DRAIN
                          : *text == 'h' ? SQE_HARDLINK
                          : *text == 'l' ? SQE_LINK
                          : *text == 'k' ? SQE_CQE_SKIP
                          : *text == 'f' ? SQE_FIXED_FILE
                          : *text == 'g' ? SQE_FIXED_BUFFER
                                         : 0;
  }
  request_other (actor, request, text);
  request->io.op = *text == 'r' ? IO_READ : *text == 'w' ? IO_WRITE : *text == 'y' ? IO_DATASYNC : IO_SYNC;
  request->io.file = request->opcode == REQUEST_IO ? (uint32_t) g_ascii_digit_value (text[1]) : 0;
  if (request->opcode == REQUEST_IO && request->io.op < IO_SYNC) {
    request->io.length = PAGE_SIZE_BYTES * (pages ? g_ascii_strtoull (pages + 1, NULL, 10) : 1);
    request->io.offset = PAGE_SIZE_BYTES * (page ? g_ascii_strtoull (page + 1, NULL, 10) : 0);
    if (strchr (text, '/'))
      request->io.length = g_ascii_strtoull (strchr (text, '/') + 1, NULL, 10);
  }
  request->inode = fixture_inode (fixture, request->io.file);
  request->ring = ring_of (actor);
  request->link.data = request;
  request->time.prepared = task_now (actor->task);
  fixture->sim->issued++;
  g_ptr_array_add (fixture->requests, request);
  return request;
}

static char request_name (const Fixture *fixture, const Request *request)
{
  guint index;

  g_assert (g_ptr_array_find (fixture->requests, request, &index));
  return (char) (index < 26 ? 'a' + index : index < 52 ? 'A' + index - 26 : '.');
}

/* One word after the number of entries. */
static void ring_word (const Actor *actor, RingSetup *setup, const char *word)
{
  if (g_str_has_prefix (word, "cpu=")) {
    setup->flags.sq_aff = TRUE;
    setup->sq_cpu = (int) g_ascii_strtoull (word + strlen ("cpu="), NULL, 10);
  } else if (g_str_has_prefix (word, "attach=")) {
    setup->flags.attach_wq = TRUE;
    setup->attach = ring_number (actor, word + strlen ("attach="));
  } else if (g_str_has_prefix (word, "idle=")) {
    setup->sq_idle = us (word + strlen ("idle="));
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
  RingSetup setup = { .entries = number (step), .sq_cpu = -1 };

  for (char **word = words + 1; *word; word++)
    ring_word (actor, &setup, *word);
  actor->ring = fixture->ring = ring_new (fixture->sim, NULL, &setup);
  fixture->ring->submitter = actor->task;
  fixture->ring->polled = setup.flags.sqpoll;
  if (setup.flags.sqpoll)
    sq_thread_start (actor->ring, actor->task);
  io_uring_add_tctx_node (ring_owner (actor->ring), actor->ring);
}

static void step_use (Actor *actor, const Step *step) { actor->ring = ring_number (actor, step->text); }

static void step_room (Actor *actor, const Step *step)
{
  (void) step;
  sq_thread_wait_room (actor->task, ring_of (actor));
}

static void step_close (Actor *actor, const Step *step)
{
  (void) step;
  sq_thread_finish (actor->task, ring_of (actor));
}

static void step_uringlock (Actor *actor, const Step *step)
{
  (void) step;
  mutex_lock (actor->task, &ring_of (actor)->uring_lock);
  actor_log (actor, "uring_lock");
}

static void step_uringunlock (Actor *actor, const Step *step)
{
  (void) step;
  mutex_unlock (actor->task, &ring_of (actor)->uring_lock);
}

static void step_sqe (Actor *actor, const Step *step)
{
  task_sync (actor->task);
  ring_sq_push (ring_of (actor), request_new (actor, step->text));
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
  Ring *ring = ring_of (actor);
  unsigned n = ring_sq_ready (ring);

  actor_log_entered (actor, io_uring_enter (actor->task, ring, n, number (step), *step->text != '\0'), n);
}

static void step_getevents (Actor *actor, const Step *step)
{
  const char *until = strchr (step->text, ',');

  io_uring_enter_timeout (actor->task, ring_of (actor), 0, number (step), TRUE,
                          deadline (actor, until ? until + 1 : ""));
}

static void step_notify (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  sq_thread_notify (actor->task, ring_of (actor));
}

static void step_post (Actor *actor, const Step *step)
{
  Request *request = request_new (actor, step->text);

  actor->fixture->sim->count.submitted++;
  ring_of (actor)->in_flight++;
  ring_post (actor->task, ring_of (actor), request);
}

static void step_reap (Actor *actor, const Step *step)
{
  Fixture *fixture = actor->fixture;
  GString *text = g_string_new ("reap ");
  Request *request;

  (void) step;
  task_sync (actor->task);
  while ((request = ring_cq_pop (ring_of (actor)))) {
    g_string_append_c (text, request_name (fixture, request));
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
    g_string_append_printf (text, " %c %s", request_name (fixture, request), how);
  }
  actor_log (actor, text->str);
  g_string_free (text, TRUE);
}

static void step_call (Actor *actor, const Step *step)
{
  Fixture *fixture = actor->fixture;
  Request *request = request_new (actor, step->text);
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
  task_work_add_free (actor->task, ring_of (actor));
  task_sync (actor->task);
}

/* A request that was never submitted; its completion is left to the owner. */
static Request *request_to_post (Actor *actor, const char *text)
{
  Fixture *fixture = actor->fixture;

  task_sync (actor->task);
  fixture->sim->count.submitted++;
  ring_of (actor)->in_flight++;
  return request_new (actor, text);
}

static void step_worker (Actor *actor, const Step *step)
{
  task_work_add_completion (actor->task, ring_of (actor), request_to_post (actor, step->text));
}

static void step_irq (Actor *actor, const Step *step)
{
  Cpu *cpu = &actor->task->sim->cpus[g_ascii_strtoull (step->text, NULL, 10)];

  task_work_add_from_interrupt (cpu, ring_of (actor), request_to_post (actor, strchr (step->text, ',') + 1));
}

static void step_taskrun (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  actor_log (actor, ring_of (actor)->taskrun ? "taskrun" : "-");
}

static void step_iowq (Actor *actor, const Step *step)
{
  const char *unbounded = strchr (step->text, ':');
  unsigned count[IO_WQ_ACCT_NR] = { number (step), unbounded ? (unsigned) atoi (unbounded + 1) : 0 };
  g_autofree char *text = NULL;

  task_sync (actor->task);
  io_uring_register_iowq_max_workers (ring_owner (ring_of (actor)), ring_of (actor), count);
  text = g_strdup_printf ("was %u:%u", count[0], count[1]);
  actor_log (actor, text);
}

static void step_aff (Actor *actor, const Step *step)
{
  CpuMask cpus;

  if (!cpu_mask_parse (step->text, &cpus, NULL))
    g_error ("no CPUs \"%s\"", step->text);
  task_sync (actor->task);
  io_uring_register_iowq_aff (ring_owner (ring_of (actor)), ring_of (actor), &cpus);
}

static void step_leave (Actor *actor, const Step *step)
{
  (void) step;
  task_sync (actor->task);
  io_uring_del_tctx_node (ring_owner (ring_of (actor)), ring_of (actor));
}

static void step_cancel (Actor *actor, const Step *step)
{
  static const char *const names[] = { "cancelled", "running", "not found" };
  Request *request = g_ptr_array_index (actor->fixture->requests, (guint) (*step->text - 'a'));
  IoWqCancel got = io_wq_cancel (actor->task, io_uring_wq_peek (ring_of (actor), 0), request);

  actor_log (actor, names[got]);
  if (got != IO_WQ_CANCEL_OK)
    return;
  request->result = -ECANCELED;
  request->outcome = OUTCOME_FAILED;
  request->time.done = task_now (actor->task);
  ring_post (actor->task, ring_of (actor), request);
}

/* ---- scripts ---- */

static const StepKind kinds[] = {
  { "run", step_run },
  { "hold", step_hold },
  { "sleep", step_sleep },
  { "nap", step_nap },
  { "wait", step_wait },
  { "prepare", step_prepare },
  { "schedule", step_schedule },
  { "wake", step_wake },
  { "resched", step_resched },
  { "yield", step_yield },
  { "interrupt", step_interrupt },
  { "user", step_user },
  { "kernel", step_kernel },
  { "spin", step_spin },
  { "finish", step_finish },
  { "say", step_say },
  { "cpu", step_cpu },
  { "move", step_move },
  { "repeat", step_repeat },
  { "write", step_write },
  { "read", step_read },
  { "trywrite", step_trywrite },
  { "tryread", step_tryread },
  { "unlock", step_unlock },
  { "mutex", step_mutex },
  { "trymutex", step_trymutex },
  { "release", step_release },
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
  { "free", step_free },
  { "worker", step_worker },
  { "irq", step_irq },
  { "taskrun", step_taskrun },
  { "iowq", step_iowq },
  { "aff", step_aff },
  { "leave", step_leave },
  { "iowq-cancel", step_cancel },
};

static Step step_parse (const char *word)
{
  const char *colon = strchr (word, ':');
  size_t length = colon ? (size_t) (colon - word) : strlen (word);

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strlen (kinds[i].name) == length && strncmp (kinds[i].name, word, length) == 0)
      return (Step){ &kinds[i], g_strdup (colon ? colon + 1 : "") };
  g_error ("no step \"%s\"", word);
}

static void step_clear (gpointer data) { g_free (((Step *) data)->text); }

/* Idle workers may look up for ever: the run is over when what the test set off is over. */
static void fixture_done_one (Fixture *fixture)
{
  if (--fixture->busy == 0)
    ur_engine_stop (fixture->sim->engine);
}

static void actor_body (Task *task, void *data)
{
  Actor *actor = data;

  while (actor->at < actor->steps->len) {
    const Step *step = &g_array_index (actor->steps, Step, actor->at++);

    step->kind->act (actor, step);
  }
  task_sync (task);
  fixture_done_one (actor->fixture);
}

static void actor_start (UrEngine *engine, void *data)
{
  (void) engine;
  task_start (((Actor *) data)->task, NULL);
}

static void actor_free (gpointer data)
{
  Actor *actor = data;

  g_array_unref (actor->steps);
  g_free (actor);
}

static void actor_new (Fixture *fixture, const char *text)
{
  Actor *actor = g_new0 (Actor, 1);
  const char *colon = strchr (text, ':'), *rest;
  g_autofree char *name = NULL;
  g_auto (GStrv) words = NULL;
  int pinned = -1;
  unsigned previous = 0;

  g_assert (colon);
  rest = text + strcspn (text, "@/~:");
  name = g_strndup (text, (gsize) (rest - text));
  for (; rest != colon; rest += 1 + strcspn (rest + 1, "@/~:")) {
    if (*rest == '@')
      actor->start = us (rest + 1);
    else if (*rest == '/')
      pinned = (int) g_ascii_strtoull (rest + 1, NULL, 10);
    else
      previous = (unsigned) g_ascii_strtoull (rest + 1, NULL, 10);
  }
  actor->fixture = fixture;
  actor->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  g_array_set_clear_func (actor->steps, step_clear);
  words = g_strsplit (colon + 1, " ", -1);
  for (char **word = words; *word; word++)
    if (**word) {
      Step step = step_parse (*word);

      g_array_append_val (actor->steps, step);
    }
  actor->task = task_new (fixture->sim, name, TASK_CLASS_APP, pinned, actor_body, actor);
  if (pinned < 0)
    actor->task->cpu = &fixture->sim->cpus[previous];
  g_ptr_array_add (fixture->actors, actor);
  fixture->busy++;
  ur_engine_at (fixture->sim->engine, actor->start, actor_start, actor);
}

void fixture_script (Fixture *fixture, const char *script)
{
  g_auto (GStrv) actors = g_strsplit (script, "|", -1);

  for (char **actor = actors; *actor; actor++)
    actor_new (fixture, g_strstrip (*actor));
}

Task *fixture_task (Fixture *fixture, const char *name)
{
  for (unsigned i = 0; i < fixture->actors->len; i++) {
    Task *task = ((Actor *) g_ptr_array_index (fixture->actors, i))->task;

    if (strcmp (task->name, name) == 0)
      return task;
  }
  g_error ("no task \"%s\"", name);
}

/* ---- the machine ---- */

static gpointer loaded (gpointer object, GError **error)
{
  if (!object)
    g_error ("fixture: %s", (*error)->message);
  return object;
}

static void machine_make_free (Machine *machine)
{
  for (unsigned i = 0; i < COSTS; i++)
    machine->cost[i].ns = 0;
  for (unsigned i = 0; i < machine->file_systems->len; i++) {
    MachineFileSystem *fs = g_ptr_array_index (machine->file_systems, i);

    for (unsigned k = 0; k < FS_COSTS; k++)
      fs->cost[k].ns = 0;
  }
  machine->kappa = 0;
}

/* Everything at once and in no time. */
static void device_make_free (Device *device)
{
  static const char *const values[] = {
    "Device.Poll=no",      "Device.Synchronous=yes", "Read.Time=0",
    "Read.TailPercent=0",  "Read.Bandwidth=0",       "Write.Time=0",
    "Write.TailPercent=0", "Write.Bandwidth=0",      "Flush.Time=0",
    "Cache.Size=0",        "Cache.Volatile=yes",     "Read.Spread=0",
    "Write.Spread=0",      "Flush.Spread=0",         "Device.MaxTransfer=1MiB",
    "Read.Burst=0",        "Write.Burst=0",          "Cache.DrainRequest=0",
  };
  GError *error = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (values); i++)
    if (!device_set (device, values[i], &error))
      g_error ("fixture: %s", error->message);
}

Fixture *fixture_new (const char *policy, const char *file_system, FixtureCosts costs)
{
  Fixture *fixture = g_new0 (Fixture, 1);
  GError *error = NULL;

  fixture->machine = loaded (machine_load ("x86-server", &error), &error);
  fixture->policy = loaded (policy_load (policy, &error), &error);
  fixture->file_system = loaded (file_system_load (file_system, &error), &error);
  fixture->device = loaded (device_load ("nvme", &error), &error);
  fixture->workload = workload_new ();
  for (unsigned i = 0; i < FIXTURE_FILES; i++) {
    g_autofree char *name = g_strdup_printf ("file%u", i);

    workload_add_file (fixture->workload, name, FIXTURE_FILE_SIZE);
  }
  fixture_set (fixture, "noise=0");
  if (costs == COSTS_FREE)
    machine_make_free (fixture->machine);
  if (costs == COSTS_FREE)
    device_make_free (fixture->device);
  fixture->setup = (SimulationSetup){
    .workload = fixture->workload,
    .policy = fixture->policy,
    .machine = fixture->machine,
    .file_system = fixture->file_system,
    .device = fixture->device,
    .engine = -1,
    .sqpoll = -1,
    .cache = -1,
    .seed = 1,
  };
  fixture->log = g_string_new (NULL);
  fixture->actors = g_ptr_array_new_with_free_func (actor_free);
  fixture->requests = g_ptr_array_new_with_free_func (g_free);
  return fixture;
}

void fixture_set (Fixture *fixture, const char *assignments)
{
  g_auto (GStrv) each = g_strsplit (assignments, ", ", -1);
  GError *error = NULL;

  for (char **one = each; *one; one++) {
    if (g_str_has_prefix (*one, "kernel=")) {
      unsigned major = (unsigned) g_ascii_strtoull (*one + strlen ("kernel="), NULL, 10);

      fixture->setup.kernel = KERNEL (major, (unsigned) g_ascii_strtoull (strchr (*one, '.') + 1, NULL, 10));
    } else if (device_has_group (*one)) {
      if (!device_set (fixture->device, *one, &error))
        g_error ("fixture: %s", error->message);
    } else if (!machine_set (fixture->machine, *one, &error)) {
      g_error ("fixture: %s", error->message);
    }
  }
}

void fixture_build (Fixture *fixture)
{
  GError *error = NULL;

  fixture->sim = loaded (sim_new (&fixture->setup, &error), &error);
  for (unsigned i = 0; i < FIXTURE_MUTEXES; i++)
    mutex_init (&fixture->mutex[i], "mutex");
}

void fixture_free (Fixture *fixture)
{
  if (fixture->sim)
    sim_free (fixture->sim);
  g_ptr_array_unref (fixture->actors);
  g_ptr_array_unref (fixture->requests);
  g_string_free (fixture->log, TRUE);
  workload_free (fixture->workload);
  file_system_free (fixture->file_system);
  device_free (fixture->device);
  policy_free (fixture->policy);
  machine_free (fixture->machine);
  g_free (fixture);
}

Inode *fixture_inode (Fixture *fixture, unsigned file) { return g_ptr_array_index (fixture->sim->inodes, file); }

/* ---- runs ---- */

#define FOR_EVER (1000 * UR_S)

void fixture_run (Fixture *fixture, const char *row)
{
  Simulation *sim = fixture->sim;

  ur_engine_run (sim->engine, FOR_EVER);
  sim->finished = sim_now (sim);
  for (unsigned i = 0; i < fixture->actors->len; i++) {
    const Task *task = ((Actor *) g_ptr_array_index (fixture->actors, i))->task;

    ROW_CHECK (task->state == TASK_DEAD, "%s: %s has not ended (%s)", row, task->name, fixture->log->str);
  }
  cpus_settle (sim);
  sim_check (sim);
  ROW_CHECK (sim->error == NULL, "%s: %s", row, row_error (sim->error));
}

typedef struct {
  Fixture *fixture;
  FixtureProbe fn;
  gpointer data;
} Probe;

static void probe_now (UrEngine *engine, void *data)
{
  Probe *probe = data;

  (void) engine;
  probe->fn (probe->fixture, probe->data);
  fixture_done_one (probe->fixture);
  g_free (probe);
}

void fixture_at (Fixture *fixture, UrTime when, FixtureProbe fn, gpointer data)
{
  Probe *probe = g_new (Probe, 1);

  *probe = (Probe){ fixture, fn, data };
  fixture->busy++;
  ur_engine_at_priority (fixture->sim->engine, when, UR_PRIORITY_LAST, probe_now, probe);
}

static UrTime request_time (const Fixture *fixture, unsigned i, size_t offset)
{
  const Request *request = g_ptr_array_index (fixture->requests, i);

  return G_STRUCT_MEMBER (UrTime, &request->time, offset);
}

char *fixture_order (const Fixture *fixture, size_t time_offset)
{
  GString *order = g_string_new (NULL);
  unsigned n = fixture->requests->len;
  g_autofree gboolean *used = g_new0 (gboolean, n + 1);

  for (;;) {
    unsigned next = n;

    for (unsigned i = 0; i < n; i++) {
      UrTime time = request_time (fixture, i, time_offset);

      if (!used[i] && time && (next == n || time < request_time (fixture, next, time_offset)))
        next = i;
    }
    if (next == n)
      return g_string_free (order, FALSE);
    used[next] = TRUE;
    g_string_append_c (order, request_name (fixture, g_ptr_array_index (fixture->requests, next)));
  }
}

unsigned fixture_parallel (const Fixture *fixture, int file)
{
  unsigned most = 0;

  for (unsigned i = 0; i < fixture->requests->len; i++) {
    const Request *at = g_ptr_array_index (fixture->requests, i);
    unsigned n = 0;

    if (!at->time.started || (file >= 0 && at->io.file != (unsigned) file))
      continue;
    for (unsigned k = 0; k < fixture->requests->len; k++) {
      const Request *other = g_ptr_array_index (fixture->requests, k);

      n += other->time.started && (file < 0 || other->io.file == (unsigned) file) &&
           other->time.started <= at->time.started && other->time.done > at->time.started;
    }
    most = MAX (most, n);
  }
  return most;
}

/* ---- tables ---- */

const char *fixture_generation (unsigned kernel)
{
  return kernel < KERNEL (5, 4)    ? "linux-5.3"
         : kernel < KERNEL (5, 5)  ? "linux-5.4"
         : kernel < KERNEL (6, 3)  ? "linux-6.1"
         : kernel < KERNEL (6, 18) ? "linux-6.3"
                                   : "linux-6.18";
}

char *fixture_outcomes (const Fixture *fixture)
{
  GString *text = g_string_new (NULL);

  for (unsigned i = 0; i < fixture->requests->len; i++)
    g_string_append_c (text, "iHUaF"[((Request *) g_ptr_array_index (fixture->requests, i))->outcome]);
  return g_string_free (text, FALSE);
}

void fixture_check_log (const Fixture *fixture, const char *row, const char *log)
{
  ROW_CHECK (strcmp (fixture->log->str, log) == 0, "%s: %s; expected %s", row, fixture->log->str, log);
}

void fixture_check_rows (const ScriptRow *rows, unsigned n, const char *policy, const char *set)
{
  for (unsigned i = 0; i < n; i++) {
    const ScriptRow *row = &rows[i];
    Fixture *fixture = fixture_new (policy, "ext4", COSTS_FREE);

    fixture_set (fixture, set);
    if (row->set)
      fixture_set (fixture, row->set);
    fixture_build (fixture);
    fixture_script (fixture, row->script);
    fixture_run (fixture, row->rule);
    fixture_check_log (fixture, row->rule, row->log);
    fixture_free (fixture);
  }
}

CU_pSuite fixture_suite (const char *name)
{
  CU_pSuite suite = CU_add_suite (name, NULL, NULL);

  if (!suite)
    g_error ("suite %s: %s", name, CU_get_error_msg ());
  return suite;
}

void fixture_test (CU_pSuite suite, const char *name, CU_TestFunc test)
{
  if (!CU_add_test (suite, name, test))
    g_error ("test %s: %s", name, CU_get_error_msg ());
}
