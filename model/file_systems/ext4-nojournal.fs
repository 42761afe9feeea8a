# As ext4; an fsync writes the inode itself (ext4_fsync_nojournal()).
[FileSystem]
Name=ext4-nojournal
Title=ext4 without a journal
Costs=ext4
Source=fs/ext4/file.c (6.x, 2026): no FOP_BUFFER_WASYNC; FOP_DIO_PARALLEL_WRITE since 6.4; generic_perform_write() balances after each folio

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=never
DioParallelWrite=6.4+
LargeFolios=6.16+
DontCache=6.17+

[Locks]
Read=none
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=yes
TimestampBlocks=no
InMemory=no
StablePages=no
Journal=none

# ext4_dio_write_checks(): shared for overwrites, since 6.3 of preallocated blocks too ("dio take shared inode lock when
# overwriting preallocated blocks"); what extends the file is waited for under the lock.
[Direct]
Read=shared
Write=shared
Extend=exclusive
ExtendWaits=yes
Unwritten=6.3+
Allocate=never
Unaligned=6.4+
DoneInWorkqueue=always
OverwriteInWorkqueue=5.5-6.18
OverwriteByCaller=never
BufferedWaits=yes
