/*
 * Options of fio that are known and left out.  See fio_ignored.h.
 *
 * The names are those of fio 3.42 and before; aliases included.
 */
#include "src/input/fio_ignored.h"
#include <string.h>

typedef struct {
  const char *effect; /* NULL: cannot change results */
  const char *names;  /* with blanks between and around */
} Group;

static const Group groups[] = {
  { "no rate is too low", " rate_min rate_iops_min rate_cycle ratemin ratecycle " },
  { "the first part of the run is measured too", " ramp_size " },
  { "no cycles are burnt between requests", " thinkcycles " },
  { "no sync at the end", " end_syncfs " },
  { "no syncfs", " syncfs " },
  { NULL, " write_barrier barrier " }, /* a mark that none of the engines here looks at */
  { "nothing is verified",
    " verify do_verify verify_backlog verify_only verify_async verify_async_cpus experimental_verify " },
  { "no trims are mixed in", " trim_percentage trim_backlog trim_backlog_batch " },
  { "a trim has one range", " num_range " },
  { "offsets are drawn by fio's default generator", " random_generator " },
  { "requests between random offsets follow on", " rw_sequencer " },
  { "sizes go by direction", " bs_is_seq_rand " },
  { "all files are open", " openfiles " },
  { "its files are not looked for", " opendir " },
  { "clones have files of their own", " unique_filename " },
  { "files exist as by default", " create_on_open " },
  { "read-ahead goes by the file system's rules", " fadvise_hint " },
  { "the random map is kept", " softrandommap " },
  { "jobs run on any node", " numa_cpu_nodes " },
  { "memory has one node", " numa_mem_policy " },
  { "all jobs have one priority", " nice " },
  { "all requests have one priority",
    " prio prioclass priohint cmdprio cmdprio_class cmdprio_percentage cmdprio_hint cmdprio_bssplit " },
  { "the job submits its requests itself", " io_submit_mode " },
  { "jobs end on their own", " exitall exit_what " },
  { "no flow control", " flow flow_id flow_sleep flow_watermark " },
  { "the run does not stop early", " steadystate ss steadystate_duration ss_dur steadystate_ramp_time ss_ramp " },
  { "the depth is not adapted", " latency_target latency_window latency_percentile latency_run " },
  { "no request is too late", " max_latency " },
  { "writes are plain writes", " atomic " },
  { "requests are plain reads and writes", " nonvectored " },
  { "no polled I/O", " hipri_percentage " },
  { "events are reaped by the system call", " userspace_reap " },
  { "the device decides its order", " ioscheduler " },
  { "no zones",
    " zonesize zonerange zonecapacity zoneskip read_beyond_wp max_open_zones job_max_open_zones ignore_zone_limits "
    " zone_reset_threshold zone_reset_frequency " },
  { "no control groups", " cgroup cgroup_weight " },
  { "files are not locked", " lockfile " },
  { "memory is not short", " lockmem " },
  { "files stay", " unlink_each_loop " },
  { "the clock is read as by default",
    " gtod_reduce gtod_cpu clocksource disable_lat disable_clat disable_slat disable_bw_measurement " },
  { "fio's own generator draws", " use_os_rand " },
  { "no data placement", " dataplacement fdp plid_select plids dp_scheme fdp_pli fdp_pli_select " },
  { "no write hints", " write_hint " },
  { "no pass-through commands", " cmd_type " },
  { "filling buffers costs nothing", " refill_buffers " },
  { "no other programs", " exec_prerun exec_postrun " },
  { NULL,
    " description name thread group_reporting new_group stats allrandrepeat write_iolog write_bw_log write_lat_log "
    " write_iops_log write_hist_log log_entries log_avg_msec log_hist_msec log_hist_coarseness log_max_value "
    " log_window_value log_offset log_prio log_issue_time log_compression log_compression_cpus "
    " log_store_compressed log_unix_epoch log_alternate_epoch log_alternate_epoch_clock_id job_start_clock_id "
    " per_job_logs block_error_percentiles clat_percentiles lat_percentiles slat_percentiles percentile_list "
    " significant_figures disk_util unified_rw_reporting bwavgtime iopsavgtime unit_base zero_buffers "
    " scramble_buffers buffer_pattern buffer_compress_percentage buffer_compress_chunk dedupe_percentage "
    " dedupe_global dedupe_mode dedupe_working_set_percentage verify_pattern verify_fatal verify_dump "
    " verify_interval verify_offset verify_backlog_batch verifysort verifysort_nr verify_state_save "
    " verify_state_load verify_write_sequence verify_header_seed trim_verify_zero continue_on_error ignore_error "
    " error_dump exitall_on_error uid gid cgroup_nodelete mem iomem mem_align iomem_align hugepage-size "
    " hugepage_size create_serialize create_fsync create_only allow_file_create allow_mounted_write unlink "
    " merge_blktrace_scalars merge_blktrace_iters smalloc_pool_size aux-path read_iolog_chunked " },
};

gboolean fio_option_is_ignored (const char *name, const char **ret_effect)
{
  const size_t length = strlen (name);
  if (length == 0 || strchr (name, ' ')) {
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (groups); i++) {
    for (const char *p = strstr (groups[i].names, name); p; p = strstr (p + 1, name)) {
      if (p[-1] == ' ' && p[length] == ' ') {
        *ret_effect = groups[i].effect;
        return TRUE;
      }
    }
  }
  return FALSE;
}

char **fio_ignored_names (void)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (unsigned i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_string_append (all, groups[i].names);
  }
  g_auto (GStrv) words = g_strsplit (all->str, " ", -1);
  GPtrArray *names = g_ptr_array_new ();
  for (char **word = words; *word; word++) {
    if (**word) {
      g_ptr_array_add (names, g_strdup (*word));
    }
  }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
