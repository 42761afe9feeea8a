/*
 * What a file system does with a request: buffered reads and writes on the page cache,
 * fsync.  Stands for generic_file_write_iter() and ext4_buffered_write_iter(),
 * xfs_file_buffered_write() with iomap_file_buffered_write(), shmem's write_iter, filemap_read(), vfs_fsync().
 * Which steps are taken comes from the .fs file, what they cost from the machine.
 *
 * Not modelled here yet: dirty throttling, writeback, device I/O (reads of pages that
 * are not resident, O_DIRECT, the device's part of an fsync).
 */
#ifndef FILE_IO_H
#define FILE_IO_H

#include "model/request.h"

typedef enum {
  FILE_IO_DONE,           /* request->result is set */
  FILE_IO_AGAIN_EARLY,    /* EAGAIN before any file system code ran */
  FILE_IO_AGAIN,          /* EAGAIN from the file system: lock, time stamp, page */
} FileIoResult;

/* Executes the request in `task`.  `nowait`: IOCB_NOWAIT, every condition that would block gives EAGAIN. */
FileIoResult file_io (Task *task, Request *request, gboolean nowait);
/* Blocking, but only if the inode lock is free right now. */
FileIoResult file_io_trylock (Task *task, Request *request);

#endif
