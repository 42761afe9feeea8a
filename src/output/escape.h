/*
 * Bytes from outside made fit for a terminal: names in traces are hostile.
 *
 * What is not printable UTF-8 comes out as \xHH (or \u{HHHH}); so do control characters, the C1 range and the marks
 * that turn the direction of text, so that no name can move the cursor, colour a line or hide a part of itself.
 */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <glib.h>

/* `len` bytes, or up to the NUL if len < 0.  A backslash is doubled. (transfer full), never NULL. */
char *escape_text (const char *bytes, gssize len);
/* The same, cut to at most `columns` characters with "..." in the middle's place. (transfer full) */
char *escape_text_short (const char *bytes, gssize len, unsigned columns);

/* `text` for XML and HTML, as content or in quotes; what XML cannot hold comes out as '?'. (transfer full) */
char *escape_xml (const char *text);

#endif
