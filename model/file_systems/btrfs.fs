[FileSystem]
Name=btrfs
Title=btrfs
Source=commit 926078b21db9 for 6.1 (https://lore.kernel.org/r/20220912192752.3785061-13-shr@fb.com)

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=6.1+
DioParallelWrite=never
LargeFolios=never
DontCache=never

[Locks]
Read=none
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=no
TimestampBlocks=yes
InMemory=no
ChunkPages=512
ChunkFolios=6.16+
StablePages=yes
Journal=tree-log

# btrfs_direct_write(): every write allocates, also under NOWAIT.
[Direct]
Read=shared
Write=shared
Extend=exclusive
ExtendWaits=no
Unwritten=5.11+
Allocate=5.11+
Unaligned=never
DoneInWorkqueue=never
OverwriteInWorkqueue=never
OverwriteByCaller=never
BufferedWaits=no
