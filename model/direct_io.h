/*
 * Direct I/O: reads and writes past the page cache, straight to the block device.
 *
 * Stands for iomap_dio_rw() with ext4_dio_read_iter(), ext4_dio_write_iter(), xfs_file_dio_read(),
 * xfs_file_dio_write(), btrfs_direct_read(), btrfs_direct_write(), blkdev_direct_IO() (5.5 to 6.18; older kernels are
 * taken to do the same).  Which lock, and what NOWAIT refuses, comes from the [Direct] group of the .fs file:
 *   - a read takes the inode lock shared until its bio is submitted;
 *   - so does a write inside EOF into blocks that hold data; one that extends the file, needs blocks, meets allocated
 *     blocks without data on old kernels, leaves a gap, or covers part of a block may need it exclusively, and is then
 *     refused under NOWAIT; some wait for the device with the lock held;
 *   - a time stamp that must be logged refuses NOWAIT as it does for buffered writes;
 *   - pages of the range in the cache are written out first, and dropped by a write; both refuse NOWAIT;
 *   - only a block device passes NOWAIT on to the block layer: a missing tag sends the request to a worker, while a
 *     file's request sleeps for it in the submitter; polled requests pass it on too.
 *   - blocks without data inside EOF: their extent is converted to one with data when the write ends, one write of an inode
 *     at a time (i_data_sem, ILOCK); where that needs the lock exclusively their extent is split before, too.
 * The end of a request frees its pages and calls ki_complete, in the interrupt.  That of a write that
 * nobody waits for comes later where the .fs file says so:
 *   - one that needs the file system (blocks without data, the file grows) in a kworker of the interrupt's CPU
 *     (dio_workqueue.h);
 *   - with iomap overwrites too, up to 6.17.  On 6.18.44 traces show them end in the interrupt;
 *   - or overwrites from io_uring in its task_work (IOMAP_DIO_CALLER_COMP, IOCB_DIO_CALLER_COMP): made for 6.6 and
 *     switched off before that was released (838b35bb6a89), for who waits there for the inode's direct requests waits
 *     for itself.
 * Polled writes end where they are found, and convert nothing.
 */
#ifndef DIRECT_IO_H
#define DIRECT_IO_H

#include "model/file_io.h"

typedef enum { DIRECT_BLOCKING, DIRECT_NOWAIT, DIRECT_TRYLOCK } DirectHow;

/* A read or write.  DIRECT_TRYLOCK: waits for everything but the inode lock. */
FileIoResult direct_io (Task *task, Request *request, DirectHow how);

#endif
