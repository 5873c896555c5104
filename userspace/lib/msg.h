/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the tools, in one form: `tool: path: what: why` on stderr.
 */
#ifndef DSFS_MSG_H
#define DSFS_MSG_H

#include "dsfs_platform.h"

/**
 * msg_init - name the tool that speaks
 * @tool: as the user knows it ("mkfs.dsfs"); kept, not copied
 */
void msg_init(const char *tool);

/**
 * msg_error - say on stderr what failed
 * @path: what it is about, or NULL; its control bytes are escaped
 * @fmt: what went wrong and why, as printf(3), without a newline
 *
 * A whole line is written at once, so lines of several threads do not mix.
 */
__printf(2, 3)
void msg_error(const char *path, const char *fmt, ...);

/** msg_warn - like msg_error(), for what does not fail the run */
__printf(2, 3)
void msg_warn(const char *path, const char *fmt, ...);

/**
 * msg_hook - a function that is called before a line is written
 * @fn: NULL for none; the progress bar clears its line by it
 */
void msg_hook(void (*fn)(void));

/**
 * msg_escape - make a path printable
 * @buf: gets the text, terminated, cut to @size
 * @path: raw bytes; controls and backslash become \ooo
 *
 * Return: @buf.
 */
char *msg_escape(char *buf, size_t size, const char *path);

#endif /* DSFS_MSG_H */
