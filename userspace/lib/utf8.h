/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UTF-8, for names that are displayed: validation, and detection of controls.
 */
#ifndef DSFS_UTF8_H
#define DSFS_UTF8_H

#include "dsfs_platform.h"

/**
 * utf8_len - length of the character at @p
 * @left: number of readable bytes, at least one
 *
 * Return: the length; 0 for invalid UTF-8.
 */
size_t utf8_len(const u8 *p, size_t left);

/**
 * utf8_control - whether a character is a control: C0, DEL or C1
 * @p: a character that utf8_len() has accepted
 */
static inline bool utf8_control(const u8 *p)
{
	return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

/**
 * utf8_char - length of the next character, and whether it is printable
 * @left: number of readable bytes, at least one
 * @plain: set to whether it is valid and no control
 *
 * Return: the length; invalid UTF-8 counts as one byte.
 */
size_t utf8_char(const u8 *p, size_t left, bool *plain);

/**
 * utf8_no_controls - replace controls and what is no UTF-8, in place
 *
 * For a message, which is one line and steers no terminal.
 */
void utf8_no_controls(char *s, char with);

#endif /* DSFS_UTF8_H */
