# Every buffered write is punted: NOWAIT buffered writes are refused on all kernels.
[FileSystem]
Name=ext4
Title=ext4, ordered or without journal
Source=fs/ext4/file.c (6.x, 2026): no FOP_BUFFER_WASYNC; FOP_DIO_PARALLEL_WRITE since 6.4; generic_perform_write() balances after each folio

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=never
DioParallelWrite=6.4+
LargeFolios=6.16+

[Locks]
Read=none
Write=exclusive

[Steps]
Regular=yes
BalanceAtEnd=yes
TimestampBlocks=no
InMemory=no
