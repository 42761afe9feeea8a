/*
 * The requests of a job without a trace: fio's rw= family as a stream.  Stands for set_rw_ddir(), get_next_file(),
 * get_next_offset(), get_next_buflen() of fio's io_u.c, 3.35 to 3.42.
 *
 * The order of decisions is fio's: which file, which direction (or a sync), which offset, which length.  With
 * same_seed a job issues exactly what fio 3.35 and later issues under randrepeat=1, request by
 * request; a test compares with logs that fio wrote.  Two simplifications: a sync comes once after every
 * fsync_every writes (fio before 3.38 repeats it at depth > 1), and number_ios counts reads,
 * writes and trims only.
 *
 * Memory: the random map, 1 bit per block, up to IO_PATTERN_MAP_LIMIT blocks in all files of the stream together.
 * Beyond, a keyed permutation in constant memory takes its place: still every block once per pass, in an order that is
 * not fio's.
 */
#ifndef IO_PATTERN_H
#define IO_PATTERN_H

#include "model/fio_random.h"
#include "model/workload.h"

#define IO_PATTERN_MAP_LIMIT (G_GUINT64_CONSTANT (1) << 25)

/* `queued`: the engine is asynchronous (matters to fio when io_size or loops ask for more than one pass). `names`: of
 * the files, as fio knows them (a skewed distribution hangs on them); `files`: their index in the workload. The pattern
 * is read as long as the source lives.  An impossible pattern (no direction, bs 0, region smaller than a block) ends at
 * once with 0 requests.  (transfer full) */
IoSource *io_pattern_open (const Pattern *pattern, const uint32_t *files, const char *const *names, unsigned n_files,
                           gboolean time_based, gboolean queued, const FioSeeds *seeds);

/* Requests that a pass without time limit issues at most, for progress and memory: io_size (or size) * loops over the
 * smallest bs, or number_ios. */
uint64_t io_pattern_max_ios (const Pattern *pattern);

#endif
