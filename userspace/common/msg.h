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
 * @lost: exit status when standard output cannot be written
 *
 * Whoever reads a report must not take half of one for the whole, so standard
 * output is closed, and looked at, however the tool exits.
 */
void msg_init(const char *tool, int lost);

/** msg_name - the tool, as msg_init() named it */
const char *msg_name(void);

/**
 * msg_flush_stdout - look at standard output now
 *
 * The exit status is the caller's then, if something was lost.
 *
 * Return: 0; -1 if something was lost, which has been said.
 */
int msg_flush_stdout(void);

/** msg_lost_stdout - say that standard output failed, if nobody has; errno: why, or 0 */
void msg_lost_stdout(void);

/**
 * msg_error - say on stderr what failed
 * @path: what it is about, or NULL; escaped as by msg_escape()
 * @fmt: what went wrong and why, as printf(3), without a newline; controls, and
 *	what is no UTF-8, become question marks
 *
 * A whole line is written at once, so lines of several threads do not mix.
 */
__printf(2, 3)
void msg_error(const char *path, const char *fmt, ...);

/** msg_warn - like msg_error(), for what does not fail the run */
__printf(2, 3)
void msg_warn(const char *path, const char *fmt, ...);

/**
 * msg_why - an errno in words
 *
 * For what strerror(3) says in the words of a kernel.  ENOTDIR is that of a path
 * that leads through something else.
 */
const char *msg_why(int err);

/**
 * msg_hook - a function that is called before a line is written
 * @fn: NULL for none; the progress bar clears its line by it
 */
void msg_hook(void (*fn)(void));

/**
 * msg_escape - make a path printable
 * @buf: gets the text, terminated, cut to @size
 * @path: raw bytes; controls, backslash and what is no UTF-8 become \ooo
 *
 * Return: @buf.
 */
char *msg_escape(char *buf, size_t size, const char *path);

#endif /* DSFS_MSG_H */
