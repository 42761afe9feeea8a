/*
 * Stackful coroutines: mapped stacks with a guard page, a pool of them, and the
 * switch.  The switch is assembly on x86-64 and aarch64 (coroutine_*.S) and
 * ucontext elsewhere, or everywhere with -DUR_COROUTINE_UCONTEXT.
 *
 * A switch has to tell AddressSanitizer, ThreadSanitizer and valgrind about the
 * stacks; each is compiled in only where it is used.
 *
 * The control block lies at the top of its stack.  Stacks are page-aligned, so
 * their hot ends would all fall into the same sets of the first-level cache: each
 * stack starts a few cache lines lower than the one mapped before it.
 */
#include "src/engine/coroutine.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(UR_COROUTINE_UCONTEXT) || !(defined(__x86_64__) || defined(__aarch64__)) || defined(__ILP32__)
#define USE_UCONTEXT 1
#include <ucontext.h>
#else
#define USE_UCONTEXT 0
#endif

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define USE_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define USE_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define USE_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define USE_TSAN 1
#endif

#ifdef USE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef USE_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef HAVE_VALGRIND_VALGRIND_H
#include <valgrind/valgrind.h>
#endif

#if defined(USE_ASAN) || defined(USE_TSAN)
#define DEFAULT_STACK ((size_t) 256 * 1024)
#else
#define DEFAULT_STACK ((size_t) 32 * 1024)
#endif
#define MINIMUM_STACK ((size_t) 16 * 1024)
#define COLOURS 24u
#define COLOUR_STEP ((size_t) 128 + 64) /* bytes; COLOURS steps spread the tops over the sets */

struct UrCoroutine {
  void *sp;         /* its stack pointer, NULL while it runs */
  void *resumer_sp; /* the resumer's while it runs */
  UrCoroutineFn fn;
  void *data;
  UrCoroutinePool *pool;
  gboolean ended;
  UrCoroutine *next_free;
  char *mapping, *stack; /* the guard page, and the first usable byte */
#if USE_UCONTEXT
  ucontext_t context, resumer;
  int alive;
#endif
#ifdef USE_ASAN
  void *fake_stack, *resumer_fake_stack;
  const void *resumer_stack;
  size_t resumer_stack_size;
#endif
#ifdef USE_TSAN
  void *fiber, *resumer_fiber;
#endif
#ifdef HAVE_VALGRIND_VALGRIND_H
  unsigned valgrind_id;
#endif
};

/* The assembly knows these two. */
G_STATIC_ASSERT (G_STRUCT_OFFSET (UrCoroutine, sp) == 0);
G_STATIC_ASSERT (G_STRUCT_OFFSET (UrCoroutine, resumer_sp) == 8);

struct UrCoroutinePool {
  size_t page, stack_size, mapping_size;
  UrCoroutine *free;
  unsigned n_live, n_mapped;
};

UrCoroutinePool *ur_coroutine_pool_new (size_t stack_size)
{
  UrCoroutinePool *pool = g_new0 (UrCoroutinePool, 1);

  pool->page = (size_t) sysconf (_SC_PAGESIZE);
  if (stack_size == 0)
    stack_size = DEFAULT_STACK;
  /* On top of what was asked for: the control block and the colours. */
  stack_size = MAX (stack_size, MINIMUM_STACK) + sizeof (UrCoroutine) + COLOURS * COLOUR_STEP;
  pool->stack_size = (stack_size + pool->page - 1) / pool->page * pool->page;
  pool->mapping_size = pool->stack_size + pool->page;
  return pool;
}

void ur_coroutine_pool_free (UrCoroutinePool *pool)
{
  if (pool == NULL)
    return;
  g_assert (pool->n_live == 0);
  for (UrCoroutine *coroutine = pool->free, *next; coroutine != NULL; coroutine = next) {
    next = coroutine->next_free;
#ifdef HAVE_VALGRIND_VALGRIND_H
    VALGRIND_STACK_DEREGISTER (coroutine->valgrind_id);
#endif
#ifdef USE_TSAN
    __tsan_destroy_fiber (coroutine->fiber);
#endif
#ifdef USE_ASAN
    /* munmap() leaves the red zones of abandoned bodies to whoever gets these addresses next. */
    __asan_unpoison_memory_region (coroutine->mapping, pool->mapping_size);
#endif
    munmap (coroutine->mapping, pool->mapping_size);
  }
  g_free (pool);
}

static UrCoroutine *map_coroutine (UrCoroutinePool *pool)
{
  char *mapping = mmap (NULL, pool->mapping_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (mapping == MAP_FAILED || mprotect (mapping + pool->page, pool->stack_size, PROT_READ | PROT_WRITE) != 0)
    g_error ("no memory for the stack of coroutine %u (%zu bytes)", pool->n_mapped + 1, pool->mapping_size);

  size_t colour = pool->n_mapped++ % COLOURS * COLOUR_STEP;
  char *top = mapping + pool->mapping_size - colour - sizeof (UrCoroutine);
  UrCoroutine *coroutine = (UrCoroutine *) ((uintptr_t) top & ~(uintptr_t) 63);
  memset (coroutine, 0, sizeof *coroutine);
  coroutine->pool = pool;
  coroutine->mapping = mapping;
  coroutine->stack = mapping + pool->page;
#ifdef HAVE_VALGRIND_VALGRIND_H
  coroutine->valgrind_id = VALGRIND_STACK_REGISTER (coroutine->stack, (char *) coroutine);
#endif
#ifdef USE_TSAN
  coroutine->fiber = __tsan_create_fiber (0);
#endif
  return coroutine;
}

G_GNUC_UNUSED static size_t /* used by ucontext and AddressSanitizer */
stack_bytes (const UrCoroutine *coroutine)
{
  return (size_t) ((const char *) coroutine - coroutine->stack);
}

/*
 * The switch.  enter runs the coroutine until it leaves and returns the `alive` it
 * left with; leave returns when the coroutine is entered again.
 */
#if USE_UCONTEXT

static void run_body (UrCoroutine *coroutine);

static void ucontext_start (unsigned low, unsigned high)
{
  run_body ((UrCoroutine *) (uintptr_t) (low | (uint64_t) high << 32));
}

static void prepare_stack (UrCoroutine *coroutine)
{
  uint64_t address = (uintptr_t) coroutine;

  getcontext (&coroutine->context);
  coroutine->context.uc_stack.ss_sp = coroutine->stack;
  coroutine->context.uc_stack.ss_size = stack_bytes (coroutine);
  coroutine->context.uc_link = NULL;
  makecontext (&coroutine->context, (void (*) (void)) ucontext_start, 2, (unsigned) address,
               (unsigned) (address >> 32));
  coroutine->sp = coroutine->stack;
}

static int ur_coroutine_enter (UrCoroutine *coroutine)
{
  coroutine->sp = NULL;
  swapcontext (&coroutine->resumer, &coroutine->context);
  return coroutine->alive;
}

static void ur_coroutine_leave (UrCoroutine *coroutine, int alive)
{
  coroutine->sp = coroutine->stack;
  coroutine->alive = alive;
  swapcontext (&coroutine->context, &coroutine->resumer);
}

#else

int ur_coroutine_enter (UrCoroutine *coroutine);
void ur_coroutine_leave (UrCoroutine *coroutine, int alive);
/* Where a fresh stack starts: calls the function in one saved register with the other. */
void ur_coroutine_start (void);

#if defined(__x86_64__)
enum { FRAME_WORDS = 9, FRAME_DATA = 3, FRAME_FN = 4, FRAME_RETURN = 6 }; /* r15 r14 r13 r12 rbx rbp return, 2 pad */
#else
enum { FRAME_WORDS = 20, FRAME_DATA = 0, FRAME_FN = 1, FRAME_RETURN = 11 }; /* x19..x30 d8..d15 */
#endif

static void run_body (UrCoroutine *coroutine);

static void prepare_stack (UrCoroutine *coroutine)
{
  void **frame = (void **) coroutine - FRAME_WORDS;

  memset (frame, 0, FRAME_WORDS * sizeof *frame);
  frame[FRAME_DATA] = coroutine;
  frame[FRAME_FN] = (void *) (uintptr_t) run_body;
  frame[FRAME_RETURN] = (void *) (uintptr_t) ur_coroutine_start;
  coroutine->sp = frame;
}

#endif

/* What the sanitizers have to be told.  Inside the coroutine, after it was entered: */
static inline void announce_entered (UrCoroutine *coroutine)
{
#ifdef USE_ASAN
  __sanitizer_finish_switch_fiber (coroutine->fake_stack, &coroutine->resumer_stack, &coroutine->resumer_stack_size);
#endif
  (void) coroutine;
}

/* Before it leaves; with alive = 0 for the last time: */
static inline void announce_leave (UrCoroutine *coroutine, int alive)
{
#ifdef USE_ASAN
  __sanitizer_start_switch_fiber (alive ? &coroutine->fake_stack : NULL, coroutine->resumer_stack,
                                  coroutine->resumer_stack_size);
#endif
#ifdef USE_TSAN
  __tsan_switch_to_fiber (coroutine->resumer_fiber, 0);
#endif
  (void) coroutine;
  (void) alive;
}

/* The body of every coroutine; never returns. */
static void run_body (UrCoroutine *coroutine)
{
  announce_entered (coroutine);
  coroutine->fn (coroutine->data);
  coroutine->ended = TRUE;
  announce_leave (coroutine, 0);
  ur_coroutine_leave (coroutine, 0);
  g_assert_not_reached ();
}

UrCoroutine *ur_coroutine_new (UrCoroutinePool *pool, UrCoroutineFn fn, void *data)
{
  UrCoroutine *coroutine = pool->free;

  if (coroutine != NULL)
    pool->free = coroutine->next_free;
  else
    coroutine = map_coroutine (pool);
  pool->n_live++;
  coroutine->fn = fn;
  coroutine->data = data;
  coroutine->ended = FALSE;
#ifdef USE_ASAN
  /* An abandoned body leaves its red zones behind. */
  __asan_unpoison_memory_region (coroutine->stack, stack_bytes (coroutine));
  coroutine->fake_stack = NULL;
#endif
  prepare_stack (coroutine);
  return coroutine;
}

void ur_coroutine_free (UrCoroutine *coroutine)
{
  if (coroutine == NULL)
    return;
  g_assert (coroutine->sp != NULL); /* not from inside */
  UrCoroutinePool *pool = coroutine->pool;
  coroutine->next_free = pool->free;
  pool->free = coroutine;
  pool->n_live--;
}

/* Without sanitizers both end in a tail call: see coroutine_x86_64.S on returns. */
gboolean ur_coroutine_resume (UrCoroutine *coroutine)
{
  g_assert (coroutine->sp != NULL && !coroutine->ended);
#ifdef USE_ASAN
  __sanitizer_start_switch_fiber (&coroutine->resumer_fake_stack, coroutine->stack, stack_bytes (coroutine));
#endif
#ifdef USE_TSAN
  coroutine->resumer_fiber = __tsan_get_current_fiber ();
  __tsan_switch_to_fiber (coroutine->fiber, 0);
#endif
#ifdef USE_ASAN
  int alive = ur_coroutine_enter (coroutine);
  __sanitizer_finish_switch_fiber (coroutine->resumer_fake_stack, NULL, NULL);
  return alive;
#else
  return ur_coroutine_enter (coroutine);
#endif
}

void ur_coroutine_suspend (UrCoroutine *coroutine)
{
  g_assert (coroutine->sp == NULL); /* from inside only */
  announce_leave (coroutine, 1);
  ur_coroutine_leave (coroutine, 1);
#ifdef USE_ASAN
  announce_entered (coroutine);
#endif
}

gboolean ur_coroutine_ended (const UrCoroutine *coroutine) { return coroutine->ended; }

const char *ur_coroutine_backend (void)
{
#if USE_UCONTEXT
  return "ucontext";
#elif defined(__x86_64__)
  return "x86-64";
#else
  return "aarch64";
#endif
}
