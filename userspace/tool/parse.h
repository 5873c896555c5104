/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values on command lines and in the environment.  Every function takes the
 * whole string or nothing, and leaves the result alone when it fails.
 */
#ifndef DSFS_PARSE_H
#define DSFS_PARSE_H

#include "dsfs_platform.h"

/**
 * parse_u64 - an unsigned number, decimal, 0x or 0
 * Return: 0, -EINVAL, -ERANGE.
 */
int parse_u64(const char *s, u64 *v);
/* The same of a number that is decimal, whatever it begins with. */
int parse_decimal(const char *s, u64 *v);

/**
 * parse_size - a number of bytes: a number and K, M, G, T, P or E, each also
 *	with iB (all powers of 1024), or KB, MB, ... (powers of 1000)
 * Return: 0, -EINVAL, -ERANGE.
 */
int parse_size(const char *s, u64 *v);

/**
 * parse_time - seconds since 1970, signed, with up to nine decimals, as
 *	nanoseconds
 * Return: 0, -EINVAL, -ERANGE where 64 bits do not hold it.
 */
int parse_time(const char *s, s64 *ns);

/**
 * parse_source_date_epoch - SOURCE_DATE_EPOCH of the environment
 * @ns: nanoseconds since 1970
 *
 * Return: 1 if it is set and valid, 0 if it is not set, -EINVAL, -ERANGE.
 */
int parse_source_date_epoch(s64 *ns);

/**
 * parse_format_size - bytes for people: "1.5 GiB"
 * @buf: at least 16 bytes
 */
char *parse_format_size(char *buf, size_t size, u64 v);

#endif /* DSFS_PARSE_H */
