/*
 * Where a picture goes and in which format: as -T says, else as the name after -o ends, else the picture's own text.
 *
 * Graphs are drawn by Graphviz's dot, charts are turned into PNG and PDF by rsvg-convert, run as programs.  Where one is missing or
 * fails, that is an error of writing, and the picture is kept all the same, as DOT or SVG: in FILE.dot or FILE.svg beside
 * -o FILE, or on standard output.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "src/command/command.h"

typedef enum { PICTURE_SVG, PICTURE_PNG, PICTURE_DOT, PICTURE_PDF, PICTURE_TYPES } PictureType;
#define PICTURE_TYPE_WORDS "svg|png|dot|pdf"

/* FALSE with an OPTIONS_ERROR if the name after -o ends in none of the types and -T is not given. */
gboolean picture_type (const Options *options, PictureType standard, PictureType *ret_type, GError **error);

/* DOT text, an SVG chart, drawn and written. */
CommandExit picture_write_graph (const Options *options, const char *dot, GError **error);
CommandExit picture_write_chart (const Options *options, const char *svg, GError **error);

/* `input` through a program of the path; NULL with a COMMAND_ERROR_WRITE that says why not. (transfer full) */
GBytes *picture_convert (const char *const *arguments, const char *input, GError **error);

#endif
