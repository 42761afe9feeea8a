/* Requests of scripts, from text.  See model_fixture.h. */
#include "tests/fixture_private.h"

#include <errno.h>
#include <string.h>

/* What is on no file. */
static void request_other (Actor *actor, Request *request, const char *text)
{
  static const struct {
    char letter;
    RequestOpcode opcode;
  } others[] = { { 'n', REQUEST_NOP },
                 { 't', REQUEST_TIMEOUT },
                 { 'm', REQUEST_TIMEOUT_REMOVE },
                 { 'x', REQUEST_LINK_TIMEOUT },
                 { 'c', REQUEST_ASYNC_CANCEL } };
  const char *count = strchr (text, '/');

  for (unsigned i = 0; i < G_N_ELEMENTS (others); i++)
    if (*text == others[i].letter)
      request->opcode = others[i].opcode;
  if (request->opcode == REQUEST_TIMEOUT || request->opcode == REQUEST_LINK_TIMEOUT)
    request->delay = script_us (text + 1);
  if (count)
    request->count = (unsigned) g_ascii_strtoull (count + 1, NULL, 10);
  if (request->opcode == REQUEST_ASYNC_CANCEL || request->opcode == REQUEST_TIMEOUT_REMOVE)
    request->target = g_ptr_array_index (actor->fixture->requests, text[1] - 'a');
}

Request *actor_request (Actor *actor, const char *text)
{
  Fixture *fixture = actor->fixture;
  Request *request = g_new0 (Request, 1);
  const char *page = strchr (text, '@'), *pages = strchr (text, '+');

  for (; strchr ("abdhlkoufgiepq", *text); text++) {
    request->force_async |= *text == 'a';
    request->unbound |= *text == 'u';
    request->direct |= *text == 'o';
    request->nowait |= *text == 'i';
    request->sync = *text == 'e' ? SYNC_DATA : *text == 'p' ? SYNC_ALL : request->sync;
    request->dontcache |= *text == 'q';
    request->prep_error |= *text == 'b' ? EINVAL : 0;
    request->sqe_flags |= *text == 'd'   ? SQE_DRAIN
                          : *text == 'h' ? SQE_HARDLINK
                          : *text == 'l' ? SQE_LINK
                          : *text == 'k' ? SQE_CQE_SKIP
                          : *text == 'f' ? SQE_FIXED_FILE
                          : *text == 'g' ? SQE_FIXED_BUFFER
                                         : 0;
  }
  request_other (actor, request, text);
  request->io.op = *text == 'r'   ? IO_READ
                   : *text == 'w' ? IO_WRITE
                   : *text == 'y' ? IO_DATASYNC
                   : *text == 'z' ? IO_SYNC_FILE_RANGE
                                  : IO_SYNC;
  request->io.file = request->opcode == REQUEST_IO ? (uint32_t) g_ascii_digit_value (text[1]) : 0;
  if (request->opcode == REQUEST_IO && (request->io.op < IO_SYNC || page)) {
    request->io.length = PAGE_SIZE_BYTES * (pages ? g_ascii_strtoull (pages + 1, NULL, 10) : 1);
    request->io.offset = PAGE_SIZE_BYTES * (page ? g_ascii_strtoull (page + 1, NULL, 10) : 0);
    if (strchr (text, '/') && request->io.op < IO_SYNC)
      request->io.length = g_ascii_strtoull (strchr (text, '/') + 1, NULL, 10);
  }
  if (request->io.op == IO_SYNC_FILE_RANGE)
    request->sync_range =
        strchr (text, '/') ? (unsigned) g_ascii_strtoull (strchr (text, '/') + 1, NULL, 10) : SYNC_RANGE_ALL;
  request->inode = fixture_inode (fixture, request->io.file);
  request->ring = actor_ring (actor);
  request->link.data = request;
  request->time.prepared = task_now (actor->task);
  fixture->sim->issued++;
  g_ptr_array_add (fixture->requests, request);
  return request;
}

char fixture_request_name (const Fixture *fixture, const Request *request)
{
  guint index;

  g_assert (g_ptr_array_find (fixture->requests, request, &index));
  return (char) (index < 26 ? 'a' + index : index < 52 ? 'A' + index - 26 : '.');
}
