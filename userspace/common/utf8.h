/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names are bytes; what shows them wants UTF-8, without what steers terminals.
 */
#ifndef DSFS_UTF8_H
#define DSFS_UTF8_H

#include "dsfs_platform.h"

/**
 * utf8_len - bytes of the character at @p
 * @left: bytes that may be looked at, at least one
 *
 * Return: 0 if there is no UTF-8 there.
 */
size_t utf8_len(const u8 *p, size_t left);

/**
 * utf8_control - whether a character is a control: C0, DEL or C1
 * @p: what utf8_len() found to be one
 */
static inline bool utf8_control(const u8 *p)
{
	return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
}

#endif /* DSFS_UTF8_H */
