/*
 * One line of strace -ttt text, and the arguments of a call.
 *
 *   [pid 12] 1700000000.123456 pread64(3, "..."..., 4096, 8192) = 4096 <0.000012>
 *   12 1700000000.123456 fsync(3 <unfinished ...>
 *   12 1700000000.123999 <... fsync resumed>) = 0
 */
#ifndef STRACE_LINE_H
#define STRACE_LINE_H

#include <glib.h>
#include <stdint.h>

typedef enum {
  STRACE_CALL,                 /* args: what stands behind "(" */
  STRACE_UNFINISHED,           /* args: what stands behind "(" and before "<unfinished ...>" */
  STRACE_RESUMED,              /* args: what stands behind "resumed>" */
  STRACE_EXITED,               /* +++ exited with 0 +++ */
  STRACE_REMARK,               /* signals, and what strace says of itself */
  STRACE_BAD
} StraceKind;

typedef struct {
  uint64_t    pid;             /* 0: the line names none */
  uint64_t    time;            /* ns */
  const char *name, *args;     /* in the line */
  gsize       name_length, args_length;
  gboolean    broken;          /* STRACE_UNFINISHED by news that strace wrote into the line: the rest is the next line */
} StraceLine;

StraceKind strace_line_parse (const char *text, gsize length, StraceLine *ret_line);

enum { STRACE_ARGS_MAX = 8 };

typedef struct {
  unsigned    n;               /* further arguments than STRACE_ARGS_MAX are not kept */
  const char *arg[STRACE_ARGS_MAX];
  gsize       length[STRACE_ARGS_MAX];
  gboolean    has_result;      /* a number; "?" is none */
  int64_t     result;          /* negative: the call failed */
  gboolean    has_duration;    /* -T */
  uint64_t    duration;        /* ns */
} StraceCall;

/* The arguments and result of a whole call, from what stands behind "(".  FALSE: they cannot be told apart. */
gboolean strace_call_parse (const char *args, gsize length, StraceCall *ret_call);
/* A number argument; a file descriptor may have its path behind it (-y): "3</tmp/x>". */
gboolean strace_arg_number (const StraceCall *call, unsigned index, int64_t *ret_value);
gboolean strace_arg_contains (const StraceCall *call, unsigned index, const char *word);
/* A string argument, unescaped but for control characters (transfer full); NULL if it is none, or cut off. */
char    *strace_arg_string (const StraceCall *call, unsigned index);
/* The path behind a file descriptor (transfer full); NULL if there is none. */
char    *strace_arg_path (const StraceCall *call, unsigned index);

#endif
