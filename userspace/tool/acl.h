/* SPDX-License-Identifier: GPL-2.0 */
/* POSIX ACLs as extended attributes have them. */
#ifndef DSFS_ACL_H
#define DSFS_ACL_H

#include <sys/types.h>

#include "dsfs_platform.h"

/**
 * acl_wrong - check the value of an ACL attribute
 * @value: its bytes, unaligned
 * @len: how many
 *
 * Return: what is wrong, or NULL.
 */
const char *acl_wrong(const void *value, size_t len);

/**
 * acl_least_mode - permissions that stand for an ACL where there can be none
 * @value: an access ACL, @len bytes
 *
 * Nobody gets more by them than by the ACL, whatever groups he is in.
 *
 * Return: bits that the mode may keep: those of the owner all, and the set-id bits.
 */
mode_t acl_least_mode(const void *value, size_t len);

/* The permissions that the kernel gives a file by its access ACL, one that is right. */
mode_t acl_mode(const void *value, size_t len);

/* Whether an ACL of @len bytes, one that is right, says no more than a mode. */
bool acl_is_mode(size_t len);

/** acl_to_text - write an ACL, one that is right, as tar archives have it */
void acl_to_text(FILE *out, const void *value, size_t len);

/**
 * acl_from_text - an ACL of text, as tar archives have it
 * @ids: false: for whom entries are does not matter, all become those of id 0
 * @value: set to its value as an attribute, to be freed; @len: 0 bytes of an empty text
 *
 * Return: NULL, or what is wrong with it.
 */
const char *acl_from_text(const char *text, bool ids, void **value, size_t *len);

#endif /* DSFS_ACL_H */
