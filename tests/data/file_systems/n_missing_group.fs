[FileSystem]
Name=broken
Title=A file system

[Flags]
NoWait=always
BufferRasync=5.9+
BufferWasync=never
DioParallelWrite=6.4+
LargeFolios=never


[Steps]
Regular=yes
BalanceAtEnd=yes
TimestampBlocks=no
InMemory=no
