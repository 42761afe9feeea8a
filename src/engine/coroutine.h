/*
 * Stackful coroutines: a simulated thread is straight-line C that suspends.
 *
 * One level only: the engine resumes a coroutine, the coroutine suspends back to
 * whoever resumed it; a coroutine never resumes another.  Stacks are mapped with
 * a guard page and pooled per UrCoroutinePool, which belongs to one thread.
 *
 * What a switch costs is decided by the returns around it (doc/engine.md): let an
 * event handler end with the call of ur_coroutine_resume(), so that it becomes a
 * jump, and keep few frames between a body and its ur_coroutine_suspend().
 */
#ifndef UR_COROUTINE_H
#define UR_COROUTINE_H

#include <glib.h>
#include <stddef.h>

typedef struct UrCoroutine UrCoroutine;
typedef struct UrCoroutinePool UrCoroutinePool;
typedef void (*UrCoroutineFn) (void *data);

/* stack_size in bytes, rounded up to pages (at least 16 KiB); 0 = the default of 32 KiB (more under a sanitizer). */
UrCoroutinePool *ur_coroutine_pool_new (size_t stack_size);
/* All coroutines of the pool must have ended or been freed. */
void             ur_coroutine_pool_free (UrCoroutinePool *pool);

/* A coroutine that has not started: the first resume calls fn(data). (transfer full) */
UrCoroutine *ur_coroutine_new (UrCoroutinePool *pool, UrCoroutineFn fn, void *data);
/* Frees it whether it has ended or not (an unfinished body is abandoned where it
 * suspended: it must own no heap memory by then).  Not from inside itself. */
void         ur_coroutine_free (UrCoroutine *coroutine);

/* Runs it until it suspends or ends.  TRUE if it can be resumed again. */
gboolean     ur_coroutine_resume (UrCoroutine *coroutine);
/* Called inside the coroutine: back to the resumer.  Returns when it is resumed again. */
void         ur_coroutine_suspend (UrCoroutine *coroutine);
gboolean     ur_coroutine_ended (const UrCoroutine *coroutine);

/* Which switch this build uses: "x86-64", "aarch64" or "ucontext". */
const char  *ur_coroutine_backend (void);

#endif
