/*
 * Coroutines: order of control, what survives a switch, many at once, deep
 * stacks, abandoned bodies, reuse of stacks.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/engine/coroutine.h"
#include "src/engine/random.h"
#include "tests/engine/check.h"
#include "tests/unit.h"

typedef struct {
  UrCoroutine *coroutine;
  unsigned steps, done;
  uint64_t sum;
} Walker;

static void walk (void *data)
{
  Walker *self = data;

  for (unsigned i = 0; i < self->steps; i++) {
    self->done++;
    ur_coroutine_suspend (self->coroutine);
  }
}

static void test_life (void)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  Walker walker = { .steps = 2 };

  walker.coroutine = ur_coroutine_new (pool, walk, &walker);
  CHECK (walker.done == 0 && !ur_coroutine_ended (walker.coroutine), "nothing runs before the first resume");
  CHECK (ur_coroutine_resume (walker.coroutine) && walker.done == 1, "first step");
  CHECK (ur_coroutine_resume (walker.coroutine) && walker.done == 2, "second step");
  CHECK (!ur_coroutine_ended (walker.coroutine), "not ended while suspended");
  CHECK (!ur_coroutine_resume (walker.coroutine), "FALSE when the body has ended");
  CHECK (ur_coroutine_ended (walker.coroutine), "ended");
  ur_coroutine_free (walker.coroutine);
  ur_coroutine_free (NULL);
  ur_coroutine_pool_free (pool);
  ur_coroutine_pool_free (NULL);
}

static void test_backend (void)
{
#if defined(UR_COROUTINE_UCONTEXT)
  const char *expected = "ucontext";
#elif defined(__x86_64__)
  const char *expected = "x86-64";
#elif defined(__aarch64__)
  const char *expected = "aarch64";
#else
  const char *expected = "ucontext";
#endif
  CHECK (strcmp (ur_coroutine_backend (), expected) == 0, "backend %s, expected %s", ur_coroutine_backend (), expected);
}

/* Values that live across a suspend, in more variables than there are registers: integers and doubles. */
static void keep_values (void *data)
{
  Walker *self = data;
  UrRandom random;
  ur_random_init_indexed (&random, 1, "values", self->steps);
  uint64_t a = ur_random_u64 (&random), b = ur_random_u64 (&random), c = ur_random_u64 (&random);
  uint64_t d = ur_random_u64 (&random), e = ur_random_u64 (&random), f = ur_random_u64 (&random);
  uint64_t g = ur_random_u64 (&random), h = ur_random_u64 (&random);
  double p = ur_random_double (&random), q = ur_random_double (&random), r = ur_random_double (&random);

  for (int i = 0; i < 50; i++) {
    uint64_t x = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    double y = p + q * r;
    ur_coroutine_suspend (self->coroutine);
    self->done += (x == (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h)) && y == p + q * r;
    a += b;
    c += d;
    e += f;
    g += h;
    p += 0.25;
  }
}

static void test_values_survive (void)
{
  enum { N = 200 };
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  Walker walkers[N];
  UrRandom random;
  unsigned left = N, wrong = 0;

  ur_random_init (&random, 1, "order");
  for (unsigned i = 0; i < N; i++) {
    walkers[i] = (Walker){ .steps = i };
    walkers[i].coroutine = ur_coroutine_new (pool, keep_values, &walkers[i]);
  }
  while (left > 0) { /* in random order, all interleaved */
    UrCoroutine *next = walkers[ur_random_below (&random, N)].coroutine;
    if (!ur_coroutine_ended (next) && !ur_coroutine_resume (next))
      left--;
  }
  for (unsigned i = 0; i < N; i++) {
    wrong += walkers[i].done != 50;
    ur_coroutine_free (walkers[i].coroutine);
  }
  CHECK (wrong == 0, "%u coroutines lost a value", wrong);
  ur_coroutine_pool_free (pool);
}

/* The stack is aligned as the ABI wants it: vector code and the C library rely on it. */
static void check_alignment (void *data)
{
  Walker *self = data;
  _Alignas(64) char aligned[64];
  _Alignas(16) volatile double pair[2] = { 1.0, 2.0 };
  char text[64];

  self->sum = ((uintptr_t) aligned % 64) | ((uintptr_t) pair % 16);
  g_snprintf (text, sizeof text, "%.3f %s", pair[0] + pair[1], "three");
  self->done = strcmp (text, "3.000 three") == 0;
  ur_coroutine_suspend (self->coroutine);
  self->done += ((uintptr_t) aligned % 64) == 0;
}

static void test_alignment (void)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);

  for (int i = 0; i < 40; i++) { /* stacks start at different places */
    Walker *walker = g_new0 (Walker, 1);
    walker->coroutine = ur_coroutine_new (pool, check_alignment, walker);
    while (ur_coroutine_resume (walker->coroutine))
      ;
    CHECK (walker->sum == 0 && walker->done == 2, "stack %d", i);
    ur_coroutine_free (walker->coroutine);
    g_free (walker);
  }
  ur_coroutine_pool_free (pool);
}

static unsigned recurse (unsigned depth, Walker *self)
{
  volatile char block[256];

  memset ((char *) block, (int) depth, sizeof block);
  if (depth == 0)
    ur_coroutine_suspend (self->coroutine);
  else
    self->sum += recurse (depth - 1, self);
  return block[depth % sizeof block] == (char) depth;
}

static void go_deep (void *data)
{
  Walker *self = data;

  recurse (self->steps, self);
}

static void test_deep_stack (void)
{
  /* 60 frames of somewhat more than 256 bytes: most of 32 KiB. */
  static const struct {
    const char *name;
    size_t size;
    unsigned depth;
  } rows[] = {
    { "default stack", 0, 60 },
    { "1 byte is rounded up to 16 KiB", 1, 20 },
    { "1 MiB", 1 << 20, 2000 },
  };

  for (size_t row = 0; row < G_N_ELEMENTS (rows); row++) {
    UrCoroutinePool *pool = ur_coroutine_pool_new (rows[row].size);
    Walker walkers[30];
    for (int i = 0; i < 30; i++) { /* more than the number of different stack starts */
      walkers[i] = (Walker){ .steps = rows[row].depth };
      walkers[i].coroutine = ur_coroutine_new (pool, go_deep, &walkers[i]);
      CHECK (ur_coroutine_resume (walkers[i].coroutine), "%s: at the bottom", rows[row].name);
    }
    for (int i = 0; i < 30; i++) {
      CHECK (!ur_coroutine_resume (walkers[i].coroutine), "%s: back up", rows[row].name);
      CHECK (walkers[i].sum == rows[row].depth, "%s: frames intact", rows[row].name);
      ur_coroutine_free (walkers[i].coroutine);
    }
    ur_coroutine_pool_free (pool);
  }
}

/* Bodies that never end are freed where they stand, and their stacks serve the next ones. */
static void test_abandon_and_reuse (void)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  UrCoroutine *first = NULL;

  for (unsigned round = 0; round < 1000; round++) {
    Walker deep = { .steps = 30 }, walker = { .steps = 3 };
    deep.coroutine = ur_coroutine_new (pool, go_deep, &deep);
    walker.coroutine = ur_coroutine_new (pool, walk, &walker);
    first = first != NULL ? first : deep.coroutine;
    if (round % 3 != 0) /* some are freed before their first step */
      ur_coroutine_resume (deep.coroutine);
    while (ur_coroutine_resume (walker.coroutine))
      ;
    if (walker.done != 3)
      CHECK (FALSE, "round %u: the other coroutine took %u steps", round, walker.done);
    ur_coroutine_free (walker.coroutine);
    ur_coroutine_free (deep.coroutine);
  }
  Walker last = { .steps = 1 };
  last.coroutine = ur_coroutine_new (pool, walk, &last);
  CHECK (last.coroutine == first, "the first stack is still in use after 1000 rounds");
  ur_coroutine_free (last.coroutine);
  ur_coroutine_pool_free (pool);
}

/* Coroutines of several pools, in several threads: nothing is shared. */
static gpointer run_thread (gpointer data)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  Walker walkers[8];
  uintptr_t done = 0;

  (void) data;
  for (int i = 0; i < 8; i++) {
    walkers[i] = (Walker){ .steps = 500 };
    walkers[i].coroutine = ur_coroutine_new (pool, walk, &walkers[i]);
  }
  for (int step = 0; step < 501; step++)
    for (int i = 0; i < 8; i++)
      ur_coroutine_resume (walkers[i].coroutine);
  for (int i = 0; i < 8; i++) {
    done += walkers[i].done;
    ur_coroutine_free (walkers[i].coroutine);
  }
  ur_coroutine_pool_free (pool);
  return (gpointer) done;
}

static void test_threads (void)
{
  GThread *thread[3];

  for (int i = 0; i < 3; i++)
    thread[i] = g_thread_new ("coroutines", run_thread, NULL);
  for (int i = 0; i < 3; i++)
    CHECK ((uintptr_t) g_thread_join (thread[i]) == 8 * 500, "thread %d", i);
}

/* Runs `misuse` in a child and says whether a signal ended it. */
static gboolean dies (void (*misuse) (void))
{
  int status = 0;
  pid_t child = fork ();

  if (child == 0) {
    static const struct rlimit none = { 0, 0 };
    setrlimit (RLIMIT_CORE, &none);
    int null = open ("/dev/null", O_WRONLY);
    if (dup2 (null, STDOUT_FILENO) < 0 || dup2 (null, STDERR_FILENO) < 0)
      _exit (0);
    misuse ();
    _exit (0);
  }
  return child > 0 && waitpid (child, &status, 0) == child && status != 0;
}

/* Touches the stack downwards, `steps` KiB in all. */
__attribute__ ((no_sanitize ("address"))) static void touch_down (void *data)
{
  Walker *self = data;
  uintptr_t address = (uintptr_t) __builtin_frame_address (0);

  for (unsigned i = 0; i <= self->steps; i++)
    self->sum += (uint64_t) * (volatile char *) (address - 1024 * i);
}

/* Many stacks next to each other, so that what lies beyond the first of them is mapped. */
static void touch_all (size_t stack_size, unsigned kib)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (stack_size);
  Walker walkers[40];

  for (int i = 0; i < 40; i++) {
    walkers[i] = (Walker){ .steps = kib };
    walkers[i].coroutine = ur_coroutine_new (pool, touch_down, &walkers[i]);
  }
  for (int i = 0; i < 30; i++)
    ur_coroutine_resume (walkers[i].coroutine);
}

static void use_default_stack (void) { touch_all (0, 32 - 1); }

static void use_own_stack (void) { touch_all (100 * 1024, 100 - 1); }

static void overflow_stack (void) { touch_all (100 * 1024, 100 + 16); }

static void resume_ended (void)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  Walker walker = { .steps = 0 };

  walker.coroutine = ur_coroutine_new (pool, walk, &walker);
  ur_coroutine_resume (walker.coroutine);
  ur_coroutine_resume (walker.coroutine);
}

static void suspend_outside (void)
{
  UrCoroutinePool *pool = ur_coroutine_pool_new (0);
  Walker walker = { .steps = 3 };

  walker.coroutine = ur_coroutine_new (pool, walk, &walker);
  ur_coroutine_resume (walker.coroutine);
  ur_coroutine_suspend (walker.coroutine);
}

static void test_limits_and_misuse (void)
{
  CHECK (!dies (use_default_stack), "32 KiB can be used");
  CHECK (!dies (use_own_stack), "the size asked for can be used");
  CHECK (dies (overflow_stack), "the guard page stops an overflow");
#ifndef G_DISABLE_ASSERT
  CHECK (dies (resume_ended), "resuming an ended coroutine is caught");
  CHECK (dies (suspend_outside), "suspending from outside is caught");
#else
  (void) resume_ended;
  (void) suspend_outside;
#endif
}

void register_coroutine_tests (void)
{
  CU_pSuite suite = check_new_suite ("coroutine");

  check_add_test (suite, "life of a coroutine", test_life);
  check_add_test (suite, "backend", test_backend);
  check_add_test (suite, "values survive a switch", test_values_survive);
  check_add_test (suite, "stack alignment", test_alignment);
  check_add_test (suite, "deep stacks", test_deep_stack);
  check_add_test (suite, "abandoned bodies and reuse", test_abandon_and_reuse);
  check_add_test (suite, "threads", test_threads);
  check_add_test (suite, "limits and misuse", test_limits_and_misuse);
}
