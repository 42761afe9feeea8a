/*
 * What becomes of a buffered write under NOWAIT that meets something to wait for after its first page.
 *
 * Stands for iomap_iter() with iomap_write_iter() of fs/iomap/buffered-io.c (6.0) and the loop of
 * btrfs_buffered_write() (6.1): a write goes mapping by mapping, and what a mapping has got done when it has to stop is
 * thrown away (iov_iter_revert()), although its pages were copied and are dirty.  Mappings before it count: the write
 * is short, and io_write() of io_uring hands the rest to a worker.
 *   - iomap: a mapping is an extent, and files are contiguous: it ends where blocks that hold data, blocks that are
 *     allocated but hold none, and no blocks meet.
 *   - btrfs: a mapping is what one round takes: ChunkPages= of the .fs file (as many page pointers as fit a page), from
 *     ChunkFolios= on one folio; a round that has to wait finds out before it copies.
 */
#ifndef SHORT_WRITE_H
#define SHORT_WRITE_H

#include "model/inode.h"

/* The first byte of [offset, offset + length) whose page would have to be waited for: it is being read, or would have
 * to be since it is written in part; offset + length if there is none. */
uint64_t short_write_blocks_at (Inode *inode, uint64_t offset, uint64_t length);
/* Where, in a write from `offset` on, the mapping begins in which the page of `at` (at >= offset) lies. */
uint64_t short_write_mapping (Inode *inode, uint64_t offset, uint64_t at);
/* Whether mappings are rounds that find out before they copy. */
gboolean short_write_by_rounds (const Simulation *sim);

#endif
