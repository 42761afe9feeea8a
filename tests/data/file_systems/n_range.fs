[FileSystem]
Name=broken
Title=A file system

[Flags]
NoWait=always
BufferRasync=5.9
BufferWasync=never
DioParallelWrite=6.4+
LargeFolios=never

[Locks]
Read=none
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=yes
TimestampBlocks=no
InMemory=no

[Direct]
Read=shared
Write=shared
Extend=exclusive
ExtendWaits=yes
Unwritten=6.3+
Allocate=never
Unaligned=6.4+
DoneInWorkqueue=never
OverwriteInWorkqueue=never
OverwriteByCaller=never
BufferedWaits=yes
