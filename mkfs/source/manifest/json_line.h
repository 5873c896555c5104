/* SPDX-License-Identifier: GPL-2.0 */
/* A line of a manifest as an object of Jansson, and its strings as bytes. */
#ifndef MKFS_JSON_LINE_H
#define MKFS_JSON_LINE_H

#include <jansson.h>

#include "dsfs_platform.h"

/**
 * struct json_line - what a line needs
 * @text: memory of its strings, @size bytes, kept for the next line
 * @to: where the next one goes
 */
struct json_line {
	char *text;
	size_t size;
	char *to;
};

/* Read a line of @len bytes.  Return: NULL: @why, @room bytes, says what is wrong. */
json_t *json_line_load(struct json_line *j, const char *line, size_t len, char *why, size_t room);
/* The bytes of a string of the object, valid up to the next line. */
char *json_line_string(struct json_line *j, const char *s);
/* Make pairs of hexadecimal digits bytes, in place.  Return: their number; -1: they are none. */
int json_line_hex(char *text);

#endif /* MKFS_JSON_LINE_H */
