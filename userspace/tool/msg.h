/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages of the tools, in one form: `tool: path: what: why` on stderr.
 *
 * This folder holds what several commands need: command lines, messages, progress, lists,
 * JSON, tables in memory.  It uses the library (userspace/lib) and the shared format code
 * (fs/format).  All commands use it, mkfs.dsfs too; the library does not.
 */
#ifndef DSFS_MSG_H
#define DSFS_MSG_H

#include "dsfs_platform.h"

/**
 * msg_init - set the name of the tool
 * @tool: name in messages ("mkfs.dsfs"); not copied
 * @lost: exit status when standard output cannot be written
 *
 * An incomplete report must not pass for a complete one, so standard output is closed
 * and checked for errors, however the tool exits.
 */
void msg_init(const char *tool, int lost);

/** msg_name - name of the tool */
const char *msg_name(void);

/**
 * msg_flush_stdout - check standard output for errors now
 *
 * The caller then decides on the exit status.
 *
 * Return: 0; -1 after a message if output was lost.
 */
int msg_flush_stdout(void);

/** msg_lost_stdout - print once that standard output failed; errno: the reason, or 0 */
void msg_lost_stdout(void);

/**
 * msg_error - print an error on stderr
 * @path: the object, or NULL; escaped as by msg_escape()
 * @fmt: text as for printf(3), without a newline; controls and invalid UTF-8
 *	become question marks
 *
 * A whole line is written at once, so lines of several threads do not mix.
 *
 * Return: -1.
 */
__printf(2, 3)
int msg_error(const char *path, const char *fmt, ...);

/** msg_fail - the same as what a function that fails with it returns.  Return: @ret. */
__printf(3, 4)
int msg_fail(int ret, const char *path, const char *fmt, ...);

/** no_memory - say that memory ran out.  Return: -ENOMEM. */
int no_memory(void);

/** msg_warn - print a warning, like msg_error().  Return: 0: it is no error. */
__printf(2, 3)
int msg_warn(const char *path, const char *fmt, ...);

/**
 * msg_why - an errno in words
 *
 * For what strerror(3) says in the words of a kernel.  ENOTDIR is that of a path
 * that leads through something else.
 */
const char *msg_why(int err);

/** msg_colours - whether @fd is a terminal that wants colours: no-color.org, terminfo's "dumb" */
bool msg_colours(int fd);

/** msg_s - the end of a word in the plural: "%llu file%s" */
static inline const char *msg_s(u64 n)
{
	return n == 1 ? "" : "s";
}

/** msg_ies - the same for a word that ends in y, without it */
static inline const char *msg_ies(u64 n)
{
	return n == 1 ? "y" : "ies";
}

/**
 * msg_hook - a function that is called before a line is written
 * @fn: NULL for none; the progress bar clears its line by it
 */
void msg_hook(void (*fn)(void));

/**
 * msg_stop - write no more lines: a thread with a message waits for the end of the process
 *
 * For a thread that is about to end it and takes away what others are still reading.
 */
void msg_stop(void);

/**
 * msg_escape - make a path printable
 * @buf: gets the text, terminated, cut to @size
 * @path: raw bytes; controls, backslash and what is no UTF-8 become \ooo
 *
 * Return: @buf.
 */
char *msg_escape(char *buf, size_t size, const char *path);

#endif /* DSFS_MSG_H */
