/*
 * What a request asks for: REQUEST_IO is a read, write or fsync of a file, its Io says which.  The others are on no
 * file; of these only a NOP may have IOSQE_ASYNC.  Stands for enum io_uring_op, as far as the model has its opcodes; 5.1 to 6.18.
 */
#ifndef REQUEST_OPCODE_H
#define REQUEST_OPCODE_H

typedef enum {
  REQUEST_IO, REQUEST_NOP, REQUEST_TIMEOUT, REQUEST_TIMEOUT_REMOVE, REQUEST_LINK_TIMEOUT, REQUEST_ASYNC_CANCEL,
} RequestOpcode;

#endif
