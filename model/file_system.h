/*
 * A file system as io_uring sees it: which files may be tried without blocking, by
 * kernel version, which way the inode lock is taken, and the order of steps.  No
 * nanoseconds: those belong to the machine.  Loaded from a .fs file (GKeyFile).
 *
 * Stands for FMODE_NOWAIT, FMODE_BUF_RASYNC, FMODE_BUF_WASYNC, FMODE_DIO_PARALLEL_WRITE (later FOP_*) and the locking
 * in the read_iter and write_iter of each file system; 5.1 to 6.18.
 */
#ifndef FILE_SYSTEM_H
#define FILE_SYSTEM_H

#include "model/kernel_version.h"
#include <glib.h>
#include <stdint.h>

typedef enum { LOCK_NONE, LOCK_SHARED, LOCK_EXCLUSIVE } LockMode;
/* How metadata reach the device (journal.h): "none", "jbd2", "xlog", "tree-log", "node". */
typedef enum { JOURNAL_NONE, JOURNAL_JBD2, JOURNAL_XLOG, JOURNAL_TREE_LOG, JOURNAL_NODE } JournalKind;
const char *journal_kind_name (JournalKind kind);

/* A kernel range as in "6.0+" or "5.9-6.4" or "never" or "always"; until is exclusive, UINT_MAX = open. */
typedef struct { unsigned since, until; } KernelRange;
static inline gboolean kernel_range_has (KernelRange range, unsigned kernel)
{
  return kernel >= range.since && kernel < range.until;
}

typedef struct FileSystem {
  char *name, *title, *path;
  char *source;                  /* where the facts come from (nullable) */
  /* [Flags]: FMODE_NOWAIT; BUFFER_RASYNC; BUFFER_WASYNC; DIO_PARALLEL_WRITE */
  KernelRange nowait, buffer_rasync, buffer_wasync, dio_parallel_write;
  KernelRange large_folios;      /* pages that come in by readahead or big writes share folios */
  KernelRange dont_cache;        /* DontCache=: DONTCACHE; default: never */
  /* [Locks] Read=, Write=: the inode lock of a buffered read and write */
  LockMode read_lock, write_lock;
  KernelRange locks_taken;       /* Since=: kernels that take them at all; default: always */
  /* [Steps] */
  gboolean regular;              /* files are regular files (FALSE: a block device): hashing and WASYNC apply */
  gboolean balance_at_end;       /* balance after the copy (ext4), not before (iomap); no effect without throttling */
  gboolean timestamp_blocks;     /* a time stamp update refuses NOWAIT (xfs, btrfs) */
  uint64_t chunk_pages;          /* a buffered write goes in rounds of so many pages; 0: extent by extent (iomap) */
  KernelRange chunk_folios;      /* in rounds of one folio instead; default: never */
  gboolean stable_pages;         /* StablePages=: a write waits for the writeback of its pages; default: no */
  JournalKind journal;           /* Journal=; default: none */
  gboolean in_memory;            /* the page cache is all there is (tmpfs): pages never leave it and are never clean */
  struct {                       /* [Direct]: requests past the page cache */
    LockMode read;               /* Read=: the inode lock */
    LockMode write;              /* Write=: inside EOF, into blocks that hold data */
    LockMode extend;             /* Extend=: beyond EOF */
    gboolean extend_waits;       /* ExtendWaits=: the device is waited for with the lock held */
    KernelRange unwritten;       /* Unwritten=: allocated blocks without data are like those with, else as Extend= */
    KernelRange allocate;        /* Allocate=: NOWAIT may allocate blocks */
    KernelRange unaligned;       /* Unaligned=: part of a block with data is written under Write=, else exclusively */
    KernelRange done_work;       /* DoneInWorkqueue=: a write that nobody waits for ends in s_dio_done_wq if it is more than
                                  * an overwrite */
    KernelRange overwrite_work;  /* OverwriteInWorkqueue=: overwrites do too */
    KernelRange overwrite_by_caller;     /* OverwriteByCaller=: overwrites of io_uring end in its task_work */
    gboolean buffered_waits;     /* BufferedWaits=: a buffered write waits for direct requests under way */
  } direct;
  char *cost_name;               /* Costs=: the [FileSystem NAME] group of the machine; default: its own name */
} FileSystem;

#define FILE_SYSTEM_ERROR (file_system_error_quark ())
GQuark file_system_error_quark (void);
/* As machine_load(). */
FileSystem *file_system_load (const char *name_or_path, GError **error);
void        file_system_free (FileSystem *file_system);      /* accepts NULL */
/* FALSE if `text` is no kernel range. */
gboolean    kernel_range_parse (const char *text, KernelRange *ret_range);

#endif
