/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Primitives of mktree: each makes one object in the current directory, with
 * all of its attributes, and exits with a message when it cannot.  A generator
 * of test trees has nobody to report to but the one who started it.
 */
#ifndef MKTREE_H
#define MKTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct mktree_opts - what the tree's carrier can take
 * @root: devices, owners, trusted and security attributes can be made
 * @ext4: leave out what an image made by mke2fs -d does not carry
 * @big: files over 4 GiB (sparse), too
 */
struct mktree_opts {
	bool root;
	bool ext4;
	bool big;
};

extern struct mktree_opts opts;

struct posix_acl {
	uint16_t tag;
	uint16_t perm;
	uint32_t id;
};

#define ACL_USER_OBJ	0x01
#define ACL_USER	0x02
#define ACL_GROUP_OBJ	0x04
#define ACL_GROUP	0x08
#define ACL_MASK	0x10
#define ACL_OTHER	0x20
#define ACL_NO_ID	0xffffffffU

void enter(const char *name, mode_t mode);
void leave(void);
void put_file(const char *name, uint64_t size);
void put_sparse(const char *name, uint64_t size, const uint64_t (*runs)[2], int count);
void put_text(const char *name, const char *text, uint64_t size);
void put_symlink(const char *name, size_t len);
void put_node(const char *name, mode_t type, unsigned int maj, unsigned int min);
void put_socket(const char *name);
void put_link(const char *old, const char *name);
void set_mode(const char *name, mode_t mode);
void set_owner(const char *name, uid_t uid, gid_t gid);
void set_mtime(const char *name, int64_t sec, long nsec);
void set_xattr(const char *path, const char *name, const void *value, size_t len);
void set_acl(const char *path, bool def, const struct posix_acl *acl, int count);
void fill_pattern(void *buf, size_t len, uint64_t key, uint64_t pos);

#define MANY	16384
#define WIDE	65600	/* just above what 16 bits hold */

void make_zoo(void);
void make_wide(void);
void make_many(void);

void die(const char *name, const char *what) __attribute__((noreturn));

#endif
