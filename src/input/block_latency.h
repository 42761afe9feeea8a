/*
 * Latencies of a block trace: which completion ends which request.
 *
 * A request is known by device and offset from Q on.  A D or C event covers a range: all known requests that follow on
 * each other from its start, so that requests which were merged are issued and complete together.
 */
#ifndef BLOCK_LATENCY_H
#define BLOCK_LATENCY_H

#include "src/engine/histogram.h"
#include "src/input/block_event.h"

typedef struct {
  GHashTable *open;            /* of requests in flight */
  uint64_t max_open, lost;     /* lost: more in flight than are kept */
  uint64_t unmatched;          /* completions of requests that were not seen */
  UrHistogram total, service;  /* Q to C, D to C */
} BlockLatency;

void block_latency_init (BlockLatency *latency);
void block_latency_clear (BlockLatency *latency);
void block_latency_add (BlockLatency *latency, const BlockEvent *event);

#endif
