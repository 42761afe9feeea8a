/*
 * What is said of each event, by kernel: the one place of all wording (explain.h).  Kernel functions are those of
 * fs/io_uring.c (5.1 to 5.18), io_uring/ (6.0 on), io-wq.c and the file systems, by their names in that version.
 *
 * $what the request; $reason why an attempt was refused; $who the task; $wake time to wake it; $queue of the policy;
 * $bucket; $file; $holder kind of task; $waited; $result.
 */
#include "src/output/explain.h"

#include "model/kernel_version.h"

#include <string.h>

static const ExplainWords table[] = {
  { EXPLAIN_PREPARED, 0, 0, "", NULL, "The application decides on $what and fills in the request." },
  { EXPLAIN_CALLED, 0, 0, "$vfs", NULL, "It makes the system call and waits in it." },
  { EXPLAIN_SUBMITTED, 0, KERNEL (5, 4), "io_submit_sqe()", "io_uring_submit_sqe",
    "io_uring_enter() takes it from the submission queue." },
  { EXPLAIN_SUBMITTED, KERNEL (5, 5), 0, "io_submit_sqes()", "io_uring_submit_req",
    "io_uring_enter() takes it from the submission queue, after those of its batch that came before." },
  { EXPLAIN_SUBMITTED_BY_SQ_THREAD, 0, KERNEL (5, 9), "io_sq_thread()", "io_uring_submit_sqe",
    "The sq_thread, which polls the submission queue, finds it there." },
  { EXPLAIN_SUBMITTED_BY_SQ_THREAD, KERNEL (5, 10), 0, "__io_sq_thread()", "io_uring_submit_req",
    "The sq_thread, which polls the submission queue, finds it there." },
  { EXPLAIN_AIO_SUBMITTED, 0, 0, "io_submit_one()", NULL, "io_submit() takes it." },
  { EXPLAIN_AIO_QUEUED, 0, 0, "", NULL,
    "The C library puts it on its list for the file: its helper threads do the requests of one file one after the other." },
  { EXPLAIN_AIO_STARTED, 0, 0, "$vfs", NULL,
    "A helper thread of the C library makes the system call and waits in it." },
  { EXPLAIN_DEFERRED, 0, 0, "", NULL,
    "It had to wait for its turn: for its whole chain (IOSQE_IO_LINK), or for requests before it (IOSQE_IO_DRAIN)." },
  { EXPLAIN_ATTEMPTED, 0, KERNEL (5, 4), "__io_submit_sqe()", NULL,
    "It is tried there and then without waiting (force_nonblock): $op is called with IOCB_NOWAIT." },
  { EXPLAIN_ATTEMPTED, KERNEL (5, 5), 0, "io_issue_sqe()", NULL,
    "It is tried there and then without waiting (IO_URING_F_NONBLOCK): $op sets IOCB_NOWAIT." },
  { EXPLAIN_BLOCKING, 0, KERNEL (5, 4), "__io_submit_sqe()", NULL,
    "The policy issues it there and then, and lets it wait." },
  { EXPLAIN_BLOCKING, KERNEL (5, 5), 0, "io_issue_sqe()", NULL,
    "The policy issues it there and then, and lets it wait." },
  { EXPLAIN_NOT_TRIED, 0, 0, "", NULL, "It is not tried there: $reason." },
  { EXPLAIN_REFUSED, 0, 0, "$op", NULL, "The attempt says -EAGAIN: $reason." },
  { EXPLAIN_QUEUED_HASHED, 0, KERNEL (5, 18), "io_queue_async_work()", "io_uring_queue_async_work",
    "It is handed to workers, queue $queue, hashed by $key into bucket $bucket: work of one bucket runs one after the other." },
  { EXPLAIN_QUEUED_HASHED, KERNEL (5, 19), 0, "io_queue_iowq()", "io_uring_queue_async_work",
    "It is handed to workers, queue $queue, hashed by $key into bucket $bucket: work of one bucket runs one after the other." },
  { EXPLAIN_QUEUED, 0, KERNEL (5, 18), "io_queue_async_work()", "io_uring_queue_async_work",
    "It is handed to workers, queue $queue, unhashed: any free worker may take it." },
  { EXPLAIN_QUEUED, KERNEL (5, 19), 0, "io_queue_iowq()", "io_uring_queue_async_work",
    "It is handed to workers, queue $queue, unhashed: any free worker may take it." },
  { EXPLAIN_QUEUED_WORKQUEUE, 0, 0, "queue_work()", "io_uring_queue_async_work",
    "It is put on the workqueue $queue: any of its kworkers may take it, as many at a time as max_active says." },
  { EXPLAIN_STARTED, 0, 0, "io_wq_submit_work()", NULL,
    "$Who takes it from the list (io_worker_handle_work())$wake and issues it; here it may wait." },
  { EXPLAIN_STARTED_KWORKER, 0, 0, "io_sq_wq_submit_work()", NULL,
    "$Who takes it$wake and issues it; here it may wait." },
  { EXPLAIN_CHAINED, 0, 0, "io_wq_submit_work()", NULL,
    "$Who, which did the request before it in its chain, goes on with it; here it may wait." },
  { EXPLAIN_LOCK_WANTED, 0, 0, "inode_lock()", NULL, "It wants the inode lock of $file, which $holder has." },
  { EXPLAIN_LOCK_GOT, 0, 0, "inode_lock()", NULL, "It has the inode lock after $waited." },
  { EXPLAIN_DONE, 0, 0, "$fs", NULL, "$Who is done with it: $result." },
  { EXPLAIN_DONE_ASYNC, 0, 0, "$fs", NULL, "The device, or who read the page, is done with it: $result." },
  { EXPLAIN_FAILED, 0, 0, "", NULL, "It fails: $result." },
  { EXPLAIN_MALFORMED, 0, KERNEL (5, 5), "io_submit_sqe()", NULL, "Its preparation fails: $result." },
  { EXPLAIN_MALFORMED, KERNEL (5, 6), 0, "io_init_req()", NULL, "Its preparation fails: $result." },
  { EXPLAIN_CANCELLED, 0, 0, "", NULL, "It is given up before anything was done: $result." },
  { EXPLAIN_NOTHING_TO_DO, 0, 0, "io_nop()", NULL, "There is nothing to do (IORING_OP_NOP)." },
  { EXPLAIN_POSTED_BATCH, 0, KERNEL (5, 8), "io_cqring_add_event()", "io_uring_complete",
    "Its completion is in the completion queue." },
  { EXPLAIN_POSTED_BATCH, KERNEL (5, 9), KERNEL (5, 15), "io_submit_flush_completions()", "io_uring_complete",
    "Its completion is posted with those of the batch." },
  { EXPLAIN_POSTED_BATCH, KERNEL (5, 16), 0, "__io_submit_flush_completions()", "io_uring_complete",
    "Its completion is posted with those of the batch." },
  { EXPLAIN_POSTED, 0, KERNEL (5, 8), "io_cqring_add_event()", "io_uring_complete",
    "Its completion is in the completion queue." },
  { EXPLAIN_POSTED, KERNEL (5, 9), 0, "io_req_complete_post()", "io_uring_complete",
    "Its completion is in the completion queue." },
  { EXPLAIN_RETURNED, 0, 0, "", NULL, "The system call returns." },
  { EXPLAIN_REAPED, 0, 0, "", NULL, "The application sees the completion: $total since it began." },
};

const ExplainWords *explain_words (ExplainEvent event, unsigned kernel)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (table); i++) {
    const ExplainWords *row = &table[i];

    if (row->event == event && (!row->since || kernel >= row->since) && (!row->until || kernel <= row->until)) {
      return row;
    }
  }
  g_return_val_if_reached (NULL);
}

const char *explain_fs_function (const char *fs, IoOp op, unsigned kernel)
{
  static const struct {
    const char *fs;
    unsigned since;
    const char *write, *read, *sync;
  } functions[] = {
    { "ext4", 0, "ext4_file_write_iter()", "ext4_file_read_iter()", "ext4_sync_file()" },
    { "xfs", 0, "xfs_file_write_iter()", "xfs_file_read_iter()", "xfs_file_fsync()" },
    { "btrfs", 0, "btrfs_file_write_iter()", "btrfs_file_read_iter()", "btrfs_sync_file()" },
    { "f2fs", 0, "f2fs_file_write_iter()", "f2fs_file_read_iter()", "f2fs_sync_file()" },
    { "tmpfs", KERNEL (6, 6), "shmem_file_write_iter()", "shmem_file_read_iter()", "noop_fsync()" },
    { "tmpfs", 0, "generic_file_write_iter()", "shmem_file_read_iter()", "noop_fsync()" },
    { "block", 0, "blkdev_write_iter()", "blkdev_read_iter()", "blkdev_fsync()" },
    { "", 0, "->write_iter()", "->read_iter()", "->fsync()" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (functions); i++) {
    if (g_str_has_prefix (fs, functions[i].fs) && kernel >= functions[i].since) {
      return op == IO_WRITE ? functions[i].write : op == IO_READ ? functions[i].read : functions[i].sync;
    }
  }
  g_return_val_if_reached ("");
}
