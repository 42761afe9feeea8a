# No NOWAIT: from 6.5 on even reads that hit are punted.  Before 6.5 io_uring took every regular file as capable
# and reads ran inline; that rule is io_uring's and lies in the model, not here.
[FileSystem]
Name=tmpfs
Title=tmpfs (shmem)
Source=mm/shmem.c sets FMODE_CAN_ODIRECT only; commit caec5ebe77f9 (6.5) made that count

[Flags]
NoWait=never
BufferRasync=never
BufferWasync=never
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
InMemory=yes
StablePages=no
Journal=none

# Not used: direct requests take the buffered path.
[Direct]
Read=none
Write=exclusive
Extend=exclusive
ExtendWaits=no
Unwritten=always
Allocate=always
Unaligned=always
DoneInWorkqueue=never
OverwriteInWorkqueue=never
OverwriteByCaller=never
BufferedWaits=no
