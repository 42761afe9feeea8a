# As xfs, but an overwrite past the page cache ends in the task_work of its caller.  No kernel was released like that: it was
# in the development of 6.6 from July to October 2023.
[FileSystem]
Name=xfs-caller-comp
Title=XFS with IOCB_DIO_CALLER_COMP (never released)
Costs=xfs
Source=the patches of https://lore.kernel.org/r/20230724225511.599870-9-axboe@kernel.dk, switched off again by commit 838b35bb6a89

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=6.0+
DioParallelWrite=6.4+
LargeFolios=5.18+
DontCache=6.15+

[Locks]
Read=shared
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=no
TimestampBlocks=yes
InMemory=no
StablePages=no
Journal=xlog

# xfs_file_dio_write(): shared, exclusive only to zero a gap and for what is not an overwrite of whole blocks;
# xfs_direct_write_iomap_begin() refuses NOWAIT if blocks must be allocated.
[Direct]
Read=shared
Write=shared
Extend=shared
ExtendWaits=no
Unwritten=always
Allocate=never
Unaligned=5.12+
DoneInWorkqueue=always
OverwriteInWorkqueue=never
OverwriteByCaller=always
BufferedWaits=no
