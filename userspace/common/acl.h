/* SPDX-License-Identifier: GPL-2.0 */
/*
 * POSIX ACLs as extended attributes have them.
 */
#ifndef DSFS_ACL_H
#define DSFS_ACL_H

#include "dsfs_platform.h"

/**
 * acl_wrong - check the value of an ACL attribute
 * @value: its bytes, unaligned
 * @len: how many
 *
 * Return: what is wrong, or NULL.
 */
const char *acl_wrong(const void *value, size_t len);

#endif /* DSFS_ACL_H */
