/*
 * fio's request generator.  See io_pattern.h.
 */
#include "model/io_pattern.h"
#include "model/permutation.h"
#include "model/random_map.h"
#include <string.h>

enum { READ, WRITE, TRIM, DIRECTIONS };
#define NO_OFFSET UINT64_MAX

typedef struct {
  uint32_t index;              /* in the workload */
  uint64_t start, region, end; /* of the part that is used; end = start + region */
  uint64_t last_start[DIRECTIONS], last_pos[DIRECTIONS];
  gboolean done;
  RandomMap *map;
  Permutation permutation; /* instead of a large map */
  uint64_t permuted;       /* numbers of it used in this pass */
  FioSkew *skew;
} PatternFile;

typedef struct {
  IoSource source;
  Pattern pattern;
  FioSeeds seeds;
  gboolean time_based, queued, use_map, use_permutation, trim_write, mixed;
  uint64_t limit, pass_limit, max_bs, number_ios;
  unsigned loops_left;

  FioRandom size_random[DIRECTIONS], mix_random, file_random, block_random, sequential_random[DIRECTIONS], zone_random;

  unsigned n_files, n_done, next_file;
  PatternFile *current_file;
  unsigned current_left;

  unsigned mix_direction;
  uint64_t mix_until;                               /* requests of that direction before the next draw */
  uint64_t issued[DIRECTIONS];                      /* requests over all passes */
  uint64_t issued_bytes, limited_bytes, pass_bytes; /* in all; what counts towards `limit`; of this pass */
  unsigned run_left;                                /* random_run: requests to the next random offset */
  gboolean started, after_write;
  PatternFile file[];
} Generator;

/* ---- set-up ---- */

static void seed_streams (Generator *g)
{
  const uint64_t *seed = g->seeds.seed;
  fio_random_init (&g->size_random[READ], seed[FIO_SEED_READ_SIZE]);
  fio_random_init (&g->size_random[WRITE], seed[FIO_SEED_WRITE_SIZE]);
  fio_random_init (&g->size_random[TRIM], seed[g->trim_write ? FIO_SEED_WRITE_SIZE : FIO_SEED_TRIM_SIZE]);
  fio_random_init (&g->mix_random, seed[FIO_SEED_MIX]);
  fio_random_init (&g->file_random, seed[FIO_SEED_FILE]);
  fio_random_init (&g->block_random, seed[FIO_SEED_BLOCK]);
  fio_random_init (&g->zone_random, g->seeds.zone);
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    fio_random_init (&g->sequential_random[i], seed[FIO_SEED_SEQUENTIAL]);
  }
}

static void reset_file (Generator *g, PatternFile *f)
{
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    f->last_pos[i] = f->start;
    f->last_start[i] = NO_OFFSET;
  }
  if (f->map) {
    random_map_reset (f->map);
  }
  if (g->use_permutation) {
    const uint64_t key = (uint64_t) fio_random_u32 (&g->block_random) << 32 | fio_random_u32 (&g->block_random);
    permutation_init (&f->permutation, f->permutation.n, key);
    f->permuted = 0;
  }
}

static void start_pass (Generator *g)
{
  if (!g->started || g->pattern.same_seed) {
    seed_streams (g);
  }
  for (unsigned i = 0; i < g->n_files; i++) {
    g->file[i].done = FALSE;
    reset_file (g, &g->file[i]);
  }
  g->started = TRUE;
  g->n_done = 0;
  g->mix_until = 0;
  g->pass_bytes = 0;
  g->current_file = NULL;
}

static void init_skew (const Generator *g, PatternFile *f, const char *name)
{
  const Pattern *p = &g->pattern;
  const uint64_t unit = MIN (p->bs[READ], p->bs[WRITE]);
  const uint64_t blocks = MAX (1, (f->region + unit - 1) / unit);
  const uint32_t seed = fio_skew_seed (&g->seeds, name);
  f->skew = g_new (FioSkew, 1);
  if (p->distribution == DISTRIBUTION_ZIPF) {
    fio_skew_init_zipf (f->skew, blocks, p->theta, p->center, seed);
  } else if (p->distribution == DISTRIBUTION_PARETO) {
    fio_skew_init_pareto (f->skew, blocks, p->theta, p->center, seed);
  } else {
    fio_skew_init_normal (f->skew, blocks, p->theta, p->center, seed);
  }
}

/* How offsets are drawn: a map, a permutation, or freely. */
static void choose_map (Generator *g, uint64_t region)
{
  Pattern *p = &g->pattern;
  gboolean aligned = TRUE;
  uint64_t unit = UINT64_MAX;
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    aligned = aligned && p->align[i] == p->bs[i];
    unit = MIN (unit, p->bs[i]);
  }
  const uint64_t blocks = MAX (1, region / unit + (region % unit != 0));
  if (p->order != PATTERN_RANDOM || !p->random_map || p->distribution != DISTRIBUTION_UNIFORM || !aligned) {
    return;
  }
  g->use_map = blocks <= IO_PATTERN_MAP_LIMIT / g->n_files;
  g->use_permutation = !g->use_map;
  for (unsigned i = 0; i < g->n_files; i++) {
    if (g->use_map) {
      g->file[i].map = random_map_new (blocks);
    } else {
      g->file[i].permutation.n = blocks;
    }
  }
}

static void set_limits (Generator *g)
{
  const Pattern *p = &g->pattern;
  const unsigned loops = MAX (1, p->loops);
  const uint64_t once = p->io_size ? p->io_size : p->size;
  if (__builtin_mul_overflow (once, loops, &g->limit)) {
    g->limit = UINT64_MAX;
  }
  if (__builtin_mul_overflow (p->number_ios, loops, &g->number_ios)) {
    g->number_ios = 0;
  }
  g->loops_left = loops;
  /* fio counts the bytes of a pass as it queues them: an engine that completes in the call never reaches the limit. */
  g->pass_limit = g->queued ? p->size : UINT64_MAX;
  const gboolean free_writes = p->has_write && p->order == PATTERN_RANDOM && !p->random_map;
  const gboolean mixed_sequence = g->mixed && p->order == PATTERN_SEQUENTIAL;
  if (free_writes || mixed_sequence) {
    g->pass_limit = MAX (g->pass_limit, p->io_size);
  }
  if (g->trim_write) {
    if (__builtin_add_overflow (g->pass_limit, g->limit, &g->pass_limit)) {
      g->pass_limit = UINT64_MAX;
    }
    g->number_ios *= 2;
  }
}

/* ---- which file ---- */

static PatternFile *next_in_turn (Generator *g)
{
  for (unsigned tried = 0; tried < g->n_files; tried++) {
    PatternFile *f = &g->file[g->next_file];
    g->next_file = g->next_file + 1 < g->n_files ? g->next_file + 1 : 0;
    if (!f->done) {
      return f;
    }
  }
  return NULL;
}

static PatternFile *choose_file (Generator *g)
{
  if (g->n_files == 1) {
    return g->file[0].done ? NULL : &g->file[0];
  }
  if (g->n_done == g->n_files) {
    return NULL;
  }
  if (g->current_file && !g->current_file->done) {
    if (g->pattern.file_service == FILE_SERVICE_SEQUENTIAL) {
      return g->current_file;
    }
    if (g->current_left) {
      g->current_left--;
      return g->current_file;
    }
  }
  if (g->pattern.file_service == FILE_SERVICE_RANDOM) {
    do {
      g->current_file = &g->file[fio_random_below (&g->file_random, g->n_files)];
    } while (g->current_file->done);
  } else {
    g->current_file = next_in_turn (g);
  }
  g->current_left = MAX (1, g->pattern.file_service_ios) - 1;
  return g->current_file;
}

/* ---- which direction ---- */

static IoOp choose_op (Generator *g, const PatternFile *f)
{
  const Pattern *p = &g->pattern;
  if (g->after_write && g->issued[WRITE]) {
    if (p->fsync_every && g->issued[WRITE] % p->fsync_every == 0) {
      return IO_SYNC;
    }
    if (p->fdatasync_every && g->issued[WRITE] % p->fdatasync_every == 0) {
      return IO_DATASYNC;
    }
    if (p->sync_range_every && g->issued[WRITE] % p->sync_range_every == 0) {
      return IO_SYNC_FILE_RANGE;
    }
  }
  if (g->mixed) {
    if (g->issued[g->mix_direction] >= g->mix_until) {
      const unsigned drawn = fio_random_percent (&g->mix_random) <= p->read_percent ? READ : WRITE;
      if (drawn != g->mix_direction) {
        const unsigned share = drawn == READ ? p->read_percent : 100 - p->read_percent;
        g->mix_until = g->issued[g->mix_direction] * share / 100;
      }
      g->mix_direction = drawn;
    }
    if (g->source.pace) {
      g->mix_direction = g->source.pace (g->source.pace_data, g->mix_direction == READ ? IO_READ : IO_WRITE,
                                         p->read_percent > 0 && p->read_percent < 100) == IO_READ
                             ? READ
                             : WRITE;
    }
    return g->mix_direction == READ ? IO_READ : IO_WRITE;
  }
  IoOp op = p->has_read ? IO_READ : p->has_write ? IO_WRITE : IO_TRIM;
  if (g->trim_write) {
    op = f->last_start[WRITE] == f->last_start[TRIM] ? IO_TRIM : IO_WRITE;
  }
  return g->source.pace ? g->source.pace (g->source.pace_data, op, FALSE) : op;
}

/* ---- which offset: all functions give it relative to the file's start ---- */

/* One draw for the zone, one inside it, in whole blocks as fio rounds them.  FALSE: nothing there. */
static gboolean draw_in_zone (Generator *g, unsigned direction, uint64_t blocks, uint64_t *ret_block)
{
  const Pattern *p = &g->pattern;
  const GArray *zones = p->zones[direction];
  const unsigned drawn = fio_random_percent (&g->zone_random);
  unsigned i = 0;
  while (i + 1 < zones->len && g_array_index (zones, PatternZone, i).percent < drawn) {
    i++;
  }
  const uint64_t from = i ? g_array_index (zones, PatternZone, i - 1).end : 0;
  const uint64_t end = g_array_index (zones, PatternZone, i).end;
  const gboolean absolute = p->distribution == DISTRIBUTION_ZONED_ABS;
  const uint64_t start = absolute ? from / p->align[direction] : from * blocks / 100;
  const uint64_t n = absolute ? end / p->align[direction] - start : blocks * (end - from) / 100;
  if (start + n > blocks) {
    return FALSE;
  }
  *ret_block = start + fio_random_below (&g->block_random, n);
  return TRUE;
}

static gboolean draw_block (Generator *g, PatternFile *f, unsigned direction, uint64_t *ret_block)
{
  if (f->skew) {
    *ret_block = fio_skew_next (f->skew);
    return TRUE;
  }
  if (g->use_permutation) {
    if (f->permuted >= f->permutation.n) {
      return FALSE;
    }
    *ret_block = permutation_map (&f->permutation, f->permuted++);
    return TRUE;
  }
  const Pattern *p = &g->pattern;
  uint64_t usable = f->region;
  if (p->bs[direction] > p->align[direction]) {
    usable -= MIN (usable, p->bs[direction] - p->align[direction]);
  }
  const uint64_t blocks = usable / p->align[direction];
  if (!blocks) {
    return FALSE;
  }
  if (p->zones[direction]) {
    return draw_in_zone (g, direction, blocks, ret_block);
  }
  const uint64_t block = fio_random_below (&g->block_random, blocks);
  *ret_block = block;
  if (f->map && !random_map_is_free (f->map, block)) {
    *ret_block = random_map_next_free (f->map, block);
  }
  return *ret_block != RANDOM_MAP_NONE;
}

static gboolean random_offset (Generator *g, PatternFile *f, unsigned direction, uint64_t *ret_offset,
                               uint64_t *ret_block)
{
  if (!draw_block (g, f, direction, ret_block)) {
    if (!g->time_based) {
      return FALSE;
    }
    reset_file (g, f);
    if (!draw_block (g, f, direction, ret_block)) {
      return FALSE;
    }
  }
  *ret_offset = *ret_block * g->pattern.align[direction];
  return TRUE;
}

static gboolean sequential_offset (Generator *g, PatternFile *f, unsigned direction, uint64_t *ret_offset)
{
  const Pattern *p = &g->pattern;
  uint64_t *last = &f->last_pos[direction];
  if (*last >= f->end && ((g->time_based && g->n_files == 1) || (g->mixed && p->io_size > p->size))) {
    *last = f->start;
  }
  if (*last >= f->end) {
    return FALSE;
  }
  if (p->sequential_add == 0) {
    *ret_offset = *last - f->start;
    return TRUE;
  }
  if (p->sequential_add < 0 && f->start && *last == f->start) {
    *last = f->region;
  }
  uint64_t at = *last - f->start;
  if (at) {
    at += (uint64_t) p->sequential_add;
    if (at >= f->end) {
      at = p->sequential_add > 0 ? f->start : f->region + (uint64_t) p->sequential_add;
    }
  }
  *ret_offset = at;
  return TRUE;
}

/* *ret_block: the block that the offset takes from the random map, or RANDOM_MAP_NONE. */
static inline gboolean choose_offset (Generator *g, PatternFile *f, unsigned direction, uint64_t *ret_offset,
                                      uint64_t *ret_block)
{
  const Pattern *p = &g->pattern;
  *ret_block = RANDOM_MAP_NONE;
  if (p->order == PATTERN_SEQUENTIAL) {
    return sequential_offset (g, f, direction, ret_offset);
  }
  if (g->trim_write && direction == WRITE) {
    *ret_offset = f->last_start[TRIM] - f->start;
    return TRUE;
  }
  const gboolean jump = --g->run_left == 0;
  if (jump) {
    g->run_left = MAX (1, p->random_run);
  }
  if (!jump || (p->sequential_percent[direction] &&
                fio_random_percent (&g->sequential_random[direction]) > 100 - p->sequential_percent[direction])) {
    if (sequential_offset (g, f, direction, ret_offset)) {
      return TRUE;
    }
    uint64_t block;
    return random_offset (g, f, direction, ret_offset, &block);
  }
  return random_offset (g, f, direction, ret_offset, ret_block);
}

/* ---- which length ---- */

static uint64_t split_length (const Generator *g, const PatternFile *f, unsigned direction, uint64_t offset,
                              uint32_t draw)
{
  const GArray *split = g->pattern.split[direction];
  uint64_t length = 0;
  unsigned percent = 0;
  for (unsigned i = 0; i < split->len; i++) {
    const PatternSplit *s = &g_array_index (split, PatternSplit, i);
    if (s->percent == 0) {
      continue;
    }
    length = s->bs;
    percent += s->percent;
    if (draw / percent <= UINT32_MAX / 100 && offset + length <= f->region) {
      break;
    }
  }
  return length;
}

static uint64_t choose_length (Generator *g, const PatternFile *f, unsigned direction, uint64_t offset)
{
  const Pattern *p = &g->pattern;
  if (g->trim_write && direction == WRITE && p->order == PATTERN_RANDOM) {
    return f->last_pos[TRIM] - f->last_start[TRIM];
  }
  const uint64_t smallest = p->bs[direction], largest = p->bs_max[direction];
  if (smallest >= largest) {
    return smallest;
  }
  if (smallest > f->region - offset) {
    return 0;
  }
  uint64_t length;
  do {
    const uint32_t draw = fio_random_u32 (&g->size_random[direction]);
    if (p->split[direction]) {
      length = split_length (g, f, direction, offset, draw);
    } else {
      length = smallest + (uint64_t) ((double) largest * (draw * 0x1.0p-32));
    }
    if (!p->bs_unaligned) {
      length -= length % smallest;
    }
    length = MIN (length, largest);
  } while (length > f->region - offset);
  return length;
}

/* ---- one request ---- */

/* FALSE: this file is used up. */
static gboolean fill (Generator *g, PatternFile *f, Io *io)
{
  const IoOp op = choose_op (g, f);
  io->arrival = 0;
  io->file = f->index;
  io->op = op;
  if (op > IO_TRIM) {
    io->offset = io->length = 0;
    g->after_write = FALSE;
    return TRUE;
  }
  const unsigned direction = op;
  uint64_t offset, length, block;
  if (!choose_offset (g, f, direction, &offset, &block) || offset >= f->region) {
    return FALSE;
  }
  length = choose_length (g, f, direction, offset);
  if (length == 0 || length > f->region - offset) {
    return FALSE;
  }
  if (f->map && block != RANDOM_MAP_NONE) {
    const uint64_t unit = g->pattern.bs[direction];
    if (length == unit) {
      random_map_take (f->map, block, 1);
    } else {
      const uint64_t taken = random_map_take (f->map, block, (length + unit - 1) / unit);
      length = MIN (length, MAX (1, taken) * unit);
    }
  }
  if (g->trim_write && direction == TRIM && f->last_start[TRIM] == f->start + offset) {
    f->last_start[WRITE]--; /* the same block twice in a row: the write after it is still due */
  }
  io->offset = f->start + offset;
  io->length = length;
  f->last_start[direction] = io->offset;
  f->last_pos[direction] = io->offset + length;
  g->issued[direction]++;
  g->issued_bytes += length;
  g->limited_bytes += g->trim_write && direction == TRIM ? 0 : length;
  g->pass_bytes += length;
  g->after_write = direction == WRITE;
  return TRUE;
}

static gboolean all_issued (const Generator *g)
{
  return g->number_ios && g->issued[READ] + g->issued[WRITE] + g->issued[TRIM] >= g->number_ios;
}

/* After a pass: TRUE if there is another one. */
static gboolean another_pass (Generator *g)
{
  if (g->started && g->pass_bytes == 0) {
    return FALSE;
  }
  if (!g->started || g->time_based) {
    return TRUE;
  }
  if (g->loops_left > 1) {
    g->loops_left--;
    return TRUE;
  }
  if (all_issued (g)) {
    return FALSE;
  }
  const Pattern *p = &g->pattern;
  const uint64_t limit = p->io_size ? p->io_size : p->size;
  if (g->issued_bytes >= limit || limit - g->issued_bytes < g->max_bs) {
    return FALSE;
  }
  return p->io_size || g->n_done < g->n_files;
}

static gboolean pass_goes_on (const Generator *g)
{
  if (!g->started) {
    return FALSE;
  }
  return g->time_based || (g->limited_bytes < g->limit && g->pass_bytes < g->pass_limit && !all_issued (g));
}

static int generator_next (IoSource *source, Io *ret_io, GError **error)
{
  Generator *g = (Generator *) source;
  (void) error;
  for (;;) {
    if (pass_goes_on (g)) {
      PatternFile *f;
      while ((f = choose_file (g))) {
        if (fill (g, f, ret_io)) {
          return 1;
        }
        f->done = TRUE;
        g->n_done++;
      }
    }
    if (!another_pass (g)) {
      return 0;
    }
    start_pass (g);
  }
}

static void generator_free (IoSource *source)
{
  Generator *g = (Generator *) source;
  for (unsigned i = 0; i < g->n_files; i++) {
    random_map_free (g->file[i].map);
    g_free (g->file[i].skew);
  }
  g_free (g);
}

/* ---- opening ---- */

static gboolean is_possible (const Pattern *p, unsigned n_files)
{
  return n_files > 0 && (p->has_read || p->has_write || p->has_trim) && p->bs[READ] && p->bs[WRITE] && p->bs[TRIM];
}

IoSource *io_pattern_open (const Pattern *pattern, const uint32_t *files, const char *const *names, unsigned n_files,
                           gboolean time_based, gboolean queued, const FioSeeds *seeds)
{
  if (!is_possible (pattern, n_files)) {
    n_files = 0;
  }
  Generator *g = g_malloc0 (sizeof *g + n_files * sizeof g->file[0]);
  g->source = (IoSource){ .next = generator_next, .free = generator_free };
  g->n_files = n_files;
  if (n_files == 0) {
    g->started = TRUE; /* a pass without a request: the end */
    return &g->source;
  }
  g->pattern = *pattern;
  g->seeds = *seeds;
  g->time_based = time_based;
  g->queued = queued;
  g->mixed = pattern->has_read && pattern->has_write;
  g->trim_write = pattern->has_trim && pattern->has_write && !pattern->has_read;
  g->run_left = 1;
  Pattern *p = &g->pattern;
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    p->align[i] = p->align[i] ? p->align[i] : p->bs[i];
    p->bs_max[i] = MAX (p->bs[i], p->bs_max[i]);
    g->max_bs = MAX (g->max_bs, p->bs_max[i]);
  }
  const uint64_t unit = MIN (MIN (p->bs[READ], p->bs[WRITE]), p->bs[TRIM]);
  uint64_t region = p->file_region ? p->file_region : p->size / n_files;
  region -= region % unit; /* as fio: an odd rest is never touched */
  for (unsigned i = 0; i < n_files; i++) {
    PatternFile *f = &g->file[i];
    f->index = files[i];
    f->start = p->offset;
    f->region = region;
    f->end = p->offset + region;
    if (p->order == PATTERN_RANDOM && p->distribution != DISTRIBUTION_UNIFORM && p->distribution < DISTRIBUTION_ZONED) {
      init_skew (g, f, names[i]);
    }
  }
  choose_map (g, region);
  set_limits (g);
  return &g->source;
}

uint64_t io_pattern_max_ios (const Pattern *pattern)
{
  const uint64_t bytes = pattern->io_size ? pattern->io_size : pattern->size;
  uint64_t unit = UINT64_MAX, total;
  for (unsigned i = 0; i < DIRECTIONS; i++) {
    unit = MIN (unit, MAX (1, pattern->bs[i]));
  }
  if (pattern->number_ios) {
    total = pattern->number_ios;
  } else {
    total = bytes / unit + (bytes % unit != 0);
  }
  return __builtin_mul_overflow (total, MAX (1, pattern->loops), &total) ? UINT64_MAX : total;
}
