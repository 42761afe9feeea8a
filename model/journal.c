/* See journal.h. */
#include "model/journal.h"

#include "model/block_device.h"
#include "model/cpu.h"

#define METADATA_START 0u   /* the journal or log lies before the files */
#define UNLOGGED UINT64_MAX /* a change that is in no transaction yet */
#define BLOCK_SIZE ((uint64_t) 4096)

/* What a kind of journal does. */
typedef struct {
  gboolean thread;        /* a thread of its own commits; else who wants it */
  gboolean shared;        /* there are transactions; else everybody writes for himself */
  gboolean at_sync;       /* inodes enter the transaction when they are synced */
  gboolean out_of_place;  /* each write of data is a change of metadata */
  gboolean flushes_clean; /* a sync that finds nothing changed sends a FLUSH */
  uint64_t blocks;        /* written and waited for first */
  uint64_t record;        /* then this many with PREFLUSH and FUA; 0: a FLUSH only */
} JournalRules;

static const JournalRules journal_rules[] = {
  [JOURNAL_NONE] = { FALSE, FALSE, TRUE, FALSE, TRUE, 1, 0 },    /* the inode's block */
  [JOURNAL_JBD2] = { TRUE, TRUE, FALSE, FALSE, TRUE, 2, 1 },     /* descriptor and inode block; commit record */
  [JOURNAL_XLOG] = { TRUE, TRUE, FALSE, FALSE, TRUE, 0, 1 },     /* one log buffer with its commit record */
  [JOURNAL_TREE_LOG] = { FALSE, TRUE, TRUE, TRUE, FALSE, 8, 1 }, /* nodes of 16 KiB of two trees; super block */
  [JOURNAL_NODE] = { FALSE, FALSE, TRUE, TRUE, FALSE, 1, 0 },    /* the node block */
};

static const JournalRules *rules (const Journal *journal) { return &journal_rules[journal->kind]; }

Journal *journal_new (Simulation *sim)
{
  Journal *journal = g_new0 (Journal, 1);

  journal->sim = sim;
  journal->kind = sim->setup->file_system->journal;
  journal->running = 1;
  journal->waiters = g_ptr_array_new ();
  return journal;
}

void journal_free (Journal *journal)
{
  if (!journal)
    return;
  g_ptr_array_unref (journal->waiters);
  g_free (journal);
}

/* ---- changes ---- */

void journal_change (Inode *inode, gboolean datasync)
{
  const Journal *journal = inode->sim->journal;
  uint64_t tid = rules (journal)->at_sync ? UNLOGGED : journal->running;

  if (!inode->sim->setup->file_system->regular)
    return;
  inode->sync_tid = tid;
  if (datasync)
    inode->datasync_tid = tid;
}

void journal_data_written (Inode *inode, gboolean allocates)
{
  if (allocates || rules (inode->sim->journal)->out_of_place)
    journal_change (inode, TRUE);
}

/* What is in no transaction yet counts as one to come. */
static gboolean is_to_commit (const Journal *journal, uint64_t tid) { return tid > journal->committed; }

gboolean journal_is_datasync_dirty (const Inode *inode)
{
  return is_to_commit (inode->sim->journal, inode->datasync_tid);
}

/* ---- commits ---- */

static void wake_waiters (Task *task, Journal *journal)
{
  for (unsigned n = journal->waiters->len; n && journal->waiters->len; n--)
    task_wake (task, g_ptr_array_remove_index (journal->waiters, 0));
}

/* jbd2_journal_commit_transaction(), xlog_cil_push_work(), btrfs_sync_log(): the running transaction is closed, new
 * changes go to the next. */
static void commit (Task *task, Journal *journal)
{
  const JournalRules *does = rules (journal);
  BlockDevice *device = journal->sim->device;

  journal->committing = TRUE;
  journal->flushed = FALSE;
  journal->running++;
  task_run (task, sim_fs_cost (journal->sim, FS_COST_COMMIT));
  if (does->blocks)
    block_write_and_wait (task, device, METADATA_START, does->blocks * BLOCK_SIZE, FALSE);
  task_sync (task);
  journal->flushed = TRUE;
  block_issue_flush (task, device);
  block_write_and_wait (task, device, METADATA_START + does->blocks * BLOCK_SIZE, does->record * BLOCK_SIZE, TRUE);
  task_sync (task);
  journal->committing = FALSE;
  journal->committed = journal->running - 1;
  journal->commits++;
  wake_waiters (task, journal);
}

/* kjournald2() */
static void journal_thread (Task *task, void *data)
{
  Journal *journal = data;

  for (;;) {
    task_sync (task);
    while (journal->request > journal->committed)
      commit (task, journal);
    task_prepare_to_sleep (task);
    task->waits_for = "commits to be asked for (journal)";
    task_schedule (task, UR_TIME_NEVER);
    task->waits_for = NULL;
  }
}

/* jbd2_log_start_commit(), xlog_cil_push_now() */
static void ask_for_commit (Task *task, Journal *journal, uint64_t tid)
{
  journal->request = tid;
  if (journal->thread) {
    task_wake (task, journal->thread);
    return;
  }
  journal->thread = task_new (journal->sim, "journal", TASK_CLASS_FLUSHER, -1, journal_thread, journal);
  task_cost (task, COST_WAKE_REMOTE);
  task_start (journal->thread, task);
}

/* jbd2_log_wait_commit() */
static void wait_for_commit (Task *task, Journal *journal)
{
  task_prepare_to_sleep (task);
  g_ptr_array_add (journal->waiters, task);
  task->waits_for = "a commit of the journal";
  task_schedule (task, UR_TIME_NEVER);
  task->waits_for = NULL;
  g_ptr_array_remove (journal->waiters, task);
}

/* Until the transaction is on the device. */
static void complete_transaction (Task *task, Journal *journal, uint64_t tid)
{
  gboolean thread = rules (journal)->thread, asks = thread && tid == journal->running && journal->request < tid;

  if (asks)
    ask_for_commit (task, journal, tid);
  task_sync (task);
  while (is_to_commit (journal, tid)) {
    if (thread || journal->committing) {
      wait_for_commit (task, journal);
    } else {
      asks = TRUE;
      commit (task, journal);
    }
    task_sync (task);
  }
  if (asks)
    journal->asked++;
  else
    journal->joined++;
}

/* Everybody for himself. */
static void sync_alone (Task *task, Inode *inode, gboolean dirty)
{
  Journal *journal = inode->sim->journal;

  if (dirty) {
    journal->asked++;
    task_run (task, sim_fs_cost (journal->sim, FS_COST_COMMIT));
    block_write_and_wait (task, journal->sim->device, METADATA_START, rules (journal)->blocks * BLOCK_SIZE, FALSE);
    journal->commits++;
  }
  if (dirty || rules (journal)->flushes_clean)
    block_issue_flush (task, journal->sim->device);
}

void journal_sync (Task *task, Inode *inode, gboolean datasync)
{
  Journal *journal = inode->sim->journal;
  const JournalRules *does = rules (journal);
  uint64_t *tid = datasync ? &inode->datasync_tid : &inode->sync_tid, wanted;
  gboolean dirty, covered;

  task_sync (task);
  journal->syncs++;
  dirty = is_to_commit (journal, *tid);
  journal->clean += !dirty;
  if (!does->shared) {
    if (dirty)
      inode->sync_tid = inode->datasync_tid = 0; /* what is written is the whole inode */
    sync_alone (task, inode, dirty);
    return;
  }
  if (dirty && does->at_sync) /* btrfs_log_inode() */
    inode->sync_tid = inode->datasync_tid = journal->running;
  wanted = *tid;
  covered = dirty && !(journal->committing && wanted < journal->running && journal->flushed);
  if (dirty)
    complete_transaction (task, journal, wanted);
  if (!covered && (dirty || does->flushes_clean))
    block_issue_flush (task, journal->sim->device);
}

char *journal_check (const Journal *journal)
{
  if (!journal->committing && !journal->waiters->len && journal->committed == journal->running - 1 &&
      journal->request <= journal->committed && journal->commits == journal->asked &&
      journal->syncs == journal->asked + journal->joined + journal->clean)
    return NULL;
  return g_strdup_printf ("%u tasks wait for a commit; %" G_GUINT64_FORMAT " syncs: %" G_GUINT64_FORMAT
                          " asked for a commit, %" G_GUINT64_FORMAT " joined one, %" G_GUINT64_FORMAT
                          " needed none; %" G_GUINT64_FORMAT " commits, the last of transaction %" G_GUINT64_FORMAT
                          " of %" G_GUINT64_FORMAT,
                          journal->waiters->len, journal->syncs, journal->asked, journal->joined, journal->clean,
                          journal->commits, journal->committed, journal->running);
}
