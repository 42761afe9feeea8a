# Never hashed.  A buffered write reaches the device and is refused there (EOPNOTSUPP becomes EAGAIN).
[FileSystem]
Name=block
Title=raw block device
Source=block/fops.c (2025): NOWAIT as a file flag since commit e9833d870102 (6.5); writes take i_rwsem shared in new kernels, none in older ones

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=never
DioParallelWrite=never
LargeFolios=never
DontCache=never

# blkdev_read_iter(), blkdev_write_iter(): i_rwsem came with commit c0e473a0d226 (6.15).
[Locks]
Read=shared
Write=shared
Since=6.15+

[Steps]
Regular=no
BalanceAtEnd=no
TimestampBlocks=no
InMemory=no
StablePages=no
Journal=none

# blkdev_direct_IO(): no lock; NOWAIT becomes REQ_NOWAIT.
[Direct]
Read=none
Write=none
Extend=none
ExtendWaits=no
Unwritten=always
Allocate=always
Unaligned=always
DoneInWorkqueue=never
OverwriteInWorkqueue=never
OverwriteByCaller=never
BufferedWaits=no
