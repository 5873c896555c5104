// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes, POSIX ACLs among them, which the kernel asks for and obeys.  The
 * answer ENOSYS tells it that there are none in the whole image: it never asks again.
 */
#include <stdlib.h>

#include "fuse.h"

/* The prefixes that the module has handlers for; FUSE passes on any name. */
static bool is_known(const char *name)
{
	static const char * const prefixes[] = { "user.", "trusted.", "security." };
	size_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(name, "system.posix_acl_access") ||
	       !strcmp(name, "system.posix_acl_default");
}

static void read_xattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct fuse_fs *fs = fs_of(req);
	struct dsfs_error error;
	char *buf = NULL;
	ssize_t ret;

	if (!fs->has_xattrs) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	if (size) {
		buf = malloc(size);
		if (!buf) {
			fuse_reply_err(req, ENOMEM);
			return;
		}
	}
	ret = name ? dsfs_getxattr(fs->image, ino, name, buf, size, &error) :
		     dsfs_listxattr(fs->image, ino, buf, size, &error);
	if (ret < 0)
		reply_failed(req, ino, ret, &error);
	else if (!size)
		fuse_reply_xattr(req, ret);
	else
		fuse_reply_buf(req, buf, ret);
	free(buf);
}

void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	if (is_known(name))
		read_xattr(req, ino, name, size);
	else
		fuse_reply_err(req, EOPNOTSUPP);
}

void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	read_xattr(req, ino, NULL, size);
}
