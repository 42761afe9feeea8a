# XFS with a proposed patch that was not merged: buffered reads take no lock, so they may see half of a write.
[FileSystem]
Name=xfs-unlocked-reads
Title=XFS whose buffered reads take no lock (proposed)
Costs=xfs
Source=xfs: Remove i_rwsem lock in buffered read (https://lore.kernel.org/r/20241226061602.2222985-1-chizhiling@163.com, not merged); all else as XFS

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=6.0+
DioParallelWrite=6.4+
LargeFolios=5.18+
DontCache=6.15+

[Locks]
Read=none
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
