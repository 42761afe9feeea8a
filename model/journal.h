/*
 * The journal of the file system: what of the metadata is not on the device yet, and how many who want it there share
 * one commit.
 *
 * Changes of inodes belong to the running transaction; at most one other is being committed.  A sync waits for the
 * transaction that holds its inode's last change: it asks for the commit if that is the running one, and joins one that
 * is under way.  So any number of syncs that arrive during a commit share the next one.  By the .fs file's Journal=:
 *   - jbd2 (ext4; fs/jbd2, ext4_fsync_journal(), jbd2_complete_transaction(), jbd2_trans_will_send_data_barrier()):
 *     kjournald2 commits.  Descriptor and metadata blocks are written and waited for, then the commit record with
 *     PREFLUSH and FUA.  Who finds nothing to commit, or joins a commit that has flushed already, sends a FLUSH of its
 *     own;
 *   - xlog (XFS; xfs_file_fsync(), xfs_log_force_seq(), xlog_cil_push_work()): a worker pushes the CIL, one log buffer
 *     is written with PREFLUSH and FUA.  FLUSHes as with jbd2;
 *   - tree-log (btrfs; btrfs_sync_file(), btrfs_sync_log()): an inode enters the log only when it is synced.  The first
 *     task commits, others wait for it; log tree blocks, then a super block with PREFLUSH and FUA.  Data are never
 *     overwritten, so that each write is a change; who finds nothing changed does nothing at all;
 *   - node (f2fs; f2fs_do_sync_file(), f2fs_issue_flush()): everybody writes his own node block, then a FLUSH, which
 *     the block layer shares among those that ask for it at one time;
 *   - none (ext4 without a journal; ext4_fsync_nojournal(), sync_inode_metadata(); block devices): everybody writes his
 *     own inode if it has changed, then a FLUSH.
 * 5.1 to 6.18.  A FLUSH is sent only to a device with a volatile cache.
 * Left out: commits by age (jbd2's 5 s, the XFS log worker's 30 s), handles that a commit waits for, the end of the
 * journal's space, fast commits (ext4, 5.10, off by default), several XFS checkpoints under way at one time, full
 * commits of btrfs and checkpoints of f2fs.
 */
#ifndef JOURNAL_H
#define JOURNAL_H

#include "model/inode.h"

struct Journal {
  Simulation *sim;
  JournalKind kind;
  uint64_t running, committed;          /* tid of the running transaction, from 1; of the last one on the device */
  uint64_t request;                     /* tid of the latest commit that somebody has asked for */
  gboolean committing;                  /* running - 1 is on its way */
  gboolean flushed;                     /* its FLUSH has been sent: data that end later are not covered */
  Task *thread;                         /* kjournald2 or a log worker, once there was something to commit */
  GPtrArray *waiters;                   /* of Task: for a commit to end */
  /* Counted for the report. */
  uint64_t commits, syncs;              /* syncs: by fsync, fdatasync and synced writes; of them: */
  uint64_t asked, joined, clean;        /* asked for a commit; joined another's; found nothing to commit */
};

Journal *journal_new (Simulation *sim);
void     journal_free (Journal *journal);             /* accepts NULL */
/* The inode has changed: fsync has something to commit, and with `datasync` fdatasync too.  From anywhere. */
void     journal_change (Inode *inode, gboolean datasync);
/* The inode's data are about to be written: newly allocated or converted blocks (`allocates`) are a change. */
void     journal_data_written (Inode *inode, gboolean allocates);
/* Whether an fdatasync would have something to commit (ext4_inode_datasync_dirty()). */
gboolean journal_is_datasync_dirty (const Inode *inode);
/* Sleeps until the inode's last change, and all data that were written before the call, are durable. */
void     journal_sync (Task *task, Inode *inode, gboolean datasync);
/* At the end of a run: what is wrong with the books. (transfer full) (nullable) */
char    *journal_check (const Journal *journal);

#endif
