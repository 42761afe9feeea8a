/*
 * The unit tests: one registration function per tested subject, listed once.
 *
 * A registration function creates its CUnit suites and adds their tests.  A new
 * subject is one line in UNIT_SUBJECTS and its file in Makefile.am.
 */
#ifndef UNIT_H
#define UNIT_H

#define UNIT_SUBJECTS(X) \
  X (engine) \
  X (coroutine) \
  X (random) \
  X (histogram) \
  X (tally) \
  X (queueing) \
  X (minimize) \
  X (least_squares) \
  X (fit) \
  X (calibrate) \
  X (key_file) \
  X (policy_expression) \
  X (policy) \
  X (policy_search) \
  X (shipped_policies) \
  X (machine) \
  X (file_system) \
  X (device) \
  X (experiment) \
  X (byte_stream) \
  X (iolog) \
  X (fio_job) \
  X (io_pattern) \
  X (input) \
  X (trace) \
  X (text_trace) \
  X (conformance) \
  X (tracepoint) \
  X (validate_ini) \
  X (throughput_record) \
  X (lock_share) \
  X (fio_json) \
  X (fio_result) \
  X (fio_plain_result) \
  X (demerit) \
  X (record_score) \
  X (observation) \
  X (dot) \
  X (chart) \
  X (cpu) \
  X (interrupt) \
  X (rwsem) \
  X (rwsem_eras) \
  X (readers_writers) \
  X (spinlock) \
  X (mutex) \
  X (block_device) \
  X (explain) \
  X (event_log) \
  X (file_io) \
  X (short_write) \
  X (issue_path) \
  X (ring_setup) \
  X (page_io) \
  X (fsync) \
  X (direct_io) \
  X (iopoll) \
  X (ring) \
  X (task_work) \
  X (submit) \
  X (life) \
  X (link) \
  X (sq_thread) \
  X (cpu_mask) \
  X (cancel) \
  X (io_wq) \
  X (io_wq_eras) \
  X (io_wq_manager) \
  X (tctx) \
  X (verdict) \
  X (workqueue) \
  X (timeline) \
  X (writeback) \
  X (application_uring) \
  X (application_pace) \
  X (application_posixaio) \
  X (simulation) \
  X (replay) \
  X (properties) \
  X (oracles) \
  X (trace_event) \
  X (output)

#define UNIT_DECLARE(subject) void register_##subject##_tests (void);
UNIT_SUBJECTS (UNIT_DECLARE)

#endif
