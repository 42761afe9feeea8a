/* Signals as a flag; see interrupt.h. */
#include "src/command/interrupt.h"
#include <signal.h>
#include <time.h>

enum { TOGETHER_MS = 500 };

static volatile gint interrupted;
static volatile gint64 first_ms;

/* Everything called here is safe in a signal handler. */
static void on_signal (int number)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  const gint64 now_ms = (gint64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (!interrupted) {
    first_ms = now_ms;
    interrupted = 1;
  } else if (now_ms - first_ms > TOGETHER_MS) {
    signal (number, SIG_DFL);
    raise (number);
  }
}

void interrupt_install (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

  sigemptyset (&action.sa_mask);
  sigaddset (&action.sa_mask, SIGINT);
  sigaddset (&action.sa_mask, SIGTERM);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

const volatile gint *interrupt_flag (void) { return &interrupted; }
