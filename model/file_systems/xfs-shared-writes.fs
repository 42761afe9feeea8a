# XFS with a proposed patch that was not merged: buffered writes inside EOF share the IOLOCK with each other and with
# reads.  What then serialises them (ILOCK, folio locks) is not modelled: an upper bound.
[FileSystem]
Name=xfs-shared-writes
Title=XFS whose buffered writes take the lock shared (proposed)
Costs=xfs
Source=xfs: reduce ilock contention on buffered randrw workload (https://lore.kernel.org/r/CAOQ4uxj4uCRkqN+L1RYmY9Ey=eu3xp249Y6BYU-JQFjgGrOdQg@mail.gmail.com, not merged); all else as XFS

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=6.0+
DioParallelWrite=6.4+
LargeFolios=5.18+
DontCache=6.15+

[Locks]
Read=shared
Write=shared

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
