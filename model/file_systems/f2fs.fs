# Parallel direct writes are unknown and taken as never.
[FileSystem]
Name=f2fs
Title=F2FS
Source=commit d61812691182 (queued June 2023, 6.5) for the buffered writes; the other flags are from memory

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=6.5+
DioParallelWrite=never
LargeFolios=never
DontCache=never

[Locks]
Read=none
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=yes
TimestampBlocks=no
InMemory=no
StablePages=no
Journal=node

# Not looked up; taken as ext4 of old.
[Direct]
Read=shared
Write=shared
Extend=exclusive
ExtendWaits=yes
Unwritten=never
Allocate=never
Unaligned=never
DoneInWorkqueue=5.17+
OverwriteInWorkqueue=5.17-6.18
OverwriteByCaller=never
BufferedWaits=no
