/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POSIX ACLs as extended attributes have them.
 */
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

#endif /* DSFS_ACL_H */
