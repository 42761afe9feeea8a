# Buffered writes run inline from 6.0 on unless the IOLOCK is busy, a time stamp must be logged or the task must pause.
[FileSystem]
Name=xfs
Title=XFS
Source=FMODE_BUF_WASYNC in 6.0 (https://lore.kernel.org/r/20220623175157.1715274-1-shr@fb.com); fs/xfs/xfs_file.c (6.10 to 6.13): reads take the IOLOCK shared; iomap balances before each folio

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
OverwriteInWorkqueue=5.1-6.18
OverwriteByCaller=never
BufferedWaits=no
