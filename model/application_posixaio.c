/*
 * The posixaio engine of the application.  Stands for fio's engines/posixaio.c (3.33 to 3.42) on glibc's thread pool
 * (aio_misc.c, aio_suspend.c): up to 20 helper threads per process, each of which handles the requests of one file
 * descriptor at a time, one after the other, by pread(), pwrite() or fsync().  A job on one file has one helper,
 * whatever its depth.
 *
 * A request for a descriptor that nobody works on gets a new thread if none is idle, else a place on the list of
 * descriptors and a futex wake-up.  A helper that has done a request puts its descriptor at the end of that list and
 * takes the first; without one it waits a second, then exits.  fio asks which requests are done and waits for the first
 * eight that are not, in the order of its slots; a helper wakes it only for one of those.
 *
 * Left out: the pool's mutex is free when it is wanted.
 */
#include "model/application.h"

#include "model/cpu.h"
#include "model/file_io.h"

#define AIO_THREADS 20u
#define AIO_IDLE_TIME UR_S
#define SUSPEND_ENTRIES 8u

typedef struct {
  Request *first, *last; /* queued, through work_next; the one being handled is not among them */
  gboolean running;      /* a helper has it, or it is on the run list */
} AioFile;

struct PosixAio {
  Application *application;
  AioFile *file;      /* by index in the workload */
  GQueue run;         /* of file + 1 */
  GPtrArray *idle;    /* of Task, who waits longest first */
  GPtrArray *threads; /* of AioThread, owned */
  unsigned n_threads;
  gboolean suspended; /* the application sleeps in aio_suspend() */
};

typedef struct {
  PosixAio *aio;
  unsigned file; /* its first */
} AioThread;

static void aio_thread_body (Task *task, void *data);

PosixAio *application_posixaio_new (Application *application)
{
  PosixAio *aio = g_new0 (PosixAio, 1);

  aio->application = application;
  aio->file = g_new0 (AioFile, application->sim->inodes->len);
  g_queue_init (&aio->run);
  aio->idle = g_ptr_array_new ();
  aio->threads = g_ptr_array_new_with_free_func (g_free);
  return aio;
}

void application_posixaio_free (PosixAio *aio)
{
  if (!aio)
    return;
  g_free (aio->file);
  g_queue_clear (&aio->run);
  g_ptr_array_unref (aio->idle);
  g_ptr_array_unref (aio->threads);
  g_free (aio);
}

/* futex(FUTEX_WAKE) */
static void futex_wake (Task *task, Task *sleeper)
{
  task_enter_kernel (task);
  task_sync (task);
  task_wake (task, sleeper);
  task_return_to_user (task);
}

static void wake_idle (PosixAio *aio, Task *task)
{
  Task *sleeper = g_ptr_array_index (aio->idle, 0);

  g_ptr_array_remove_index (aio->idle, 0);
  futex_wake (task, sleeper);
}

/* pthread_create() */
static void create_thread (PosixAio *aio, Task *task, unsigned file)
{
  Simulation *sim = task->sim;
  AioThread *thread = g_new (AioThread, 1);
  g_autofree char *name = g_strdup_printf ("aio-%u", aio->threads->len);
  Task *helper;

  *thread = (AioThread){ aio, file };
  g_ptr_array_add (aio->threads, thread);
  aio->n_threads++;
  task_enter_kernel (task);
  task_cost (task, COST_THREAD_CREATE);
  task_sync (task);
  helper = task_new (sim, name, TASK_CLASS_APP, -1, aio_thread_body, thread);
  helper->allowed = task->allowed;
  helper->user_mode = TRUE;
  task_start (helper, task);
  task_return_to_user (task);
}

/* aio_read(), aio_write(), aio_fsync(): __aio_enqueue_request() */
void application_posixaio_queue (Application *application, Request *request)
{
  PosixAio *aio = application->posixaio;
  AioFile *file = &aio->file[request->io.file];
  Task *task = application->task;

  task_cost (task, COST_POSIXAIO_QUEUE);
  task_sync (task);
  request->work_next = NULL;
  request->aio_busy = TRUE;
  request->aio_awaited = FALSE;
  if (file->last)
    file->last->work_next = request;
  else
    file->first = request;
  file->last = request;
  request->time.issued = request->time.queued = task_now (task);
  request->time.attempt = request->time.verdict = request->time.issued;
  if (file->running)
    return;
  file->running = TRUE;
  if (aio->idle->len == 0 && aio->n_threads < AIO_THREADS) {
    create_thread (aio, task, request->io.file);
    return;
  }
  g_queue_push_tail (&aio->run, GUINT_TO_POINTER (request->io.file + 1));
  if (aio->idle->len)
    wake_idle (aio, task);
}

void application_posixaio_commit (Application *application) { application->queued = 0; }

/* __aio_notify() */
static void aio_done (PosixAio *aio, Task *task, Request *request)
{
  Application *application = aio->application;
  gboolean awaited = request->aio_awaited && aio->suspended;

  request->time.done = request->time.posted = sim_now (task->sim);
  request->outcome = request->result < 0 ? OUTCOME_FAILED : OUTCOME_ASYNC;
  request->aio_busy = FALSE;
  sim_synchronous (task->sim, request);
  g_queue_push_tail_link (&application->finished, &request->link);
  if (awaited) {
    aio->suspended = FALSE;
    futex_wake (task, application->task);
  }
}

/* One request of a file that this thread has.  TRUE if there are more. */
static gboolean handle_one (PosixAio *aio, Task *task, AioFile *file)
{
  Request *request = file->first;

  file->first = request->work_next;
  if (!file->first)
    file->last = NULL;
  request->time.started = task_now (task);
  task_enter_kernel (task);
  file_io (task, request, FALSE);
  task_return_to_user (task);
  task_cost (task, COST_POSIXAIO_HANDLE);
  task_sync (task);
  aio_done (aio, task, request);
  return file->first != NULL;
}

/* pthread_cond_timedwait(): FALSE if the second is over. */
static gboolean wait_for_work (PosixAio *aio, Task *task)
{
  gboolean woken;

  g_ptr_array_add (aio->idle, task);
  task_enter_kernel (task);
  task_prepare_to_sleep (task);
  task->waits_for = "work of an aio helper thread";
  woken = task_schedule (task, sim_now (task->sim) + AIO_IDLE_TIME);
  task->waits_for = NULL;
  g_ptr_array_remove (aio->idle, task);
  task_return_to_user (task);
  task_sync (task);
  return woken || aio->run.length;
}

/* handle_fildes_io() */
static void aio_thread_body (Task *task, void *data)
{
  const AioThread *thread = data;
  PosixAio *aio = thread->aio;
  unsigned at = thread->file;

  task_cost (task, COST_THREAD_START);
  for (;;) {
    AioFile *file = &aio->file[at];

    task_sync (task);
    if (handle_one (aio, task, file))
      g_queue_push_tail (&aio->run, GUINT_TO_POINTER (at + 1));
    else
      file->running = FALSE;
    while (!aio->run.length)
      if (!wait_for_work (aio, task)) {
        aio->n_threads--;
        return;
      }
    at = GPOINTER_TO_UINT (g_queue_pop_head (&aio->run)) - 1;
    if (aio->run.length && aio->idle->len)
      wake_idle (aio, task);
    else if (aio->run.length && aio->n_threads < AIO_THREADS)
      create_thread (aio, task, GPOINTER_TO_UINT (g_queue_pop_head (&aio->run)) - 1);
  }
}

/* Which requests aio_suspend() is given. */
static void choose_awaited (Application *application)
{
  unsigned n = 0;

  for (unsigned i = 0; i < application->iodepth; i++) {
    Request *request = &application->slots[i];

    request->aio_awaited = request->aio_busy && n < SUSPEND_ENTRIES;
    n += request->aio_awaited;
  }
}

void application_posixaio_reap (Application *application, unsigned min, unsigned max, UrTime deadline)
{
  PosixAio *aio = application->posixaio;
  Task *task = application->task;
  unsigned got = 0;
  GList *link;

  task_sync (task);
  min = MIN (min, application_in_flight (application));
  while (application->finished.length < min && sim_now (application->sim) < deadline) {
    task_enter_kernel (task);
    task_sync (task);
    if (application->finished.length < min) { /* aio_suspend() looks once more before it waits */
      choose_awaited (application);
      aio->suspended = TRUE;
      task_prepare_to_sleep (task);
      task->waits_for = "an aio request in aio_suspend()";
      task_schedule (task, deadline);
      task->waits_for = NULL;
      aio->suspended = FALSE;
    }
    task_return_to_user (task);
    task_sync (task);
  }
  while (got < max && (link = g_queue_pop_head_link (&application->finished))) {
    application_reaped (application, link->data);
    got++;
  }
}
