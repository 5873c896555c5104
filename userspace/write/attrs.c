// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of an image file that replaces another one: owner, mode, ACL and
 * extended attributes of the old file.  A user who could not read the old file
 * must not be able to read the new one.  So only the owner can access the file
 * while it is written, and attributes that cannot be kept restrict the mode.
 */
#include <sys/xattr.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"

#define XATTR_MAX	65536
#define ACL		"system.posix_acl_access"

/* Reduce the permissions of group and others to those that all three classes have. */
static mode_t common_mode(mode_t mode)
{
	mode_t all = mode & (mode >> 3) & (mode >> 6) & 07;

	return (mode & 0700) | all << 3 | all;
}

static bool is_class(const char *name, const char *class)
{
	return !strncmp(name, class, strlen(class));
}

/* Attributes that describe the content, or that the kernel removes on a write */
static bool is_of_content(const char *name)
{
	return !strcmp(name, "security.ima") || !strcmp(name, "security.evm") ||
	       !strcmp(name, "security.capability");
}

/* Attributes that decide who may read a file: ACLs and security labels */
static bool is_right(const char *name)
{
	return is_class(name, "system.") || is_class(name, "security.");
}

static void not_kept(const struct output *out, const char *what)
{
	msg_warn(out->path, "%s: cannot be kept: %s", what, strerror(errno));
}

/* Keep owner and group.  Return: false if one of them differs from before. */
static bool keep_owner(const struct output *out, const struct stat *old, const struct stat *new)
{
	bool kept = true;

	if (old->st_gid != new->st_gid && fchown(out->fd, -1, old->st_gid)) {
		not_kept(out, "group");
		kept = false;
	}
	if (old->st_uid != new->st_uid && fchown(out->fd, old->st_uid, -1)) {
		not_kept(out, "owner");
		kept = false;
	}
	return kept;
}

/* Copy an attribute.  Return: 0, or -1 with errno. */
static int keep_xattr(const struct output *out, const char *name)
{
	static char old[XATTR_MAX], new[XATTR_MAX];
	ssize_t n = lgetxattr(out->path, name, old, sizeof(old));

	if (n < 0)
		return -1;
	if (fgetxattr(out->fd, name, new, sizeof(new)) == n && !memcmp(old, new, n))
		return 0;
	return fsetxattr(out->fd, name, old, n, 0);
}

/* Remove the ACL that the default ACL of the directory gave the new file. */
static int drop_acl(const struct output *out)
{
	if (!fremovexattr(out->fd, ACL) || errno == ENODATA || errno == EOPNOTSUPP)
		return 0;
	return -1;
}

/* Copy all ACLs, or all other attributes.  Return: false if one that grants rights is not kept. */
static bool keep_class(const struct output *out, const char *list, size_t n, bool acls)
{
	bool kept = true;

	for (const char *name = list; name < list + n; name += strlen(name) + 1) {
		if (is_class(name, "system.") != acls || is_of_content(name) ||
		    !keep_xattr(out, name))
			continue;
		not_kept(out, name);
		kept &= !is_right(name);
	}
	return kept;
}

static const char *first_of(const char *list, size_t n, const char *class)
{
	for (const char *name = list; name < list + n; name += strlen(name) + 1)
		if (is_class(name, class))
			return name;
	return NULL;
}

/**
 * keep_xattrs - copy extended attributes and ACLs
 * @same: the file has the owner and the group of the old one
 *
 * An ACL means owner and group of its file without naming them, so it is copied only if both are
 * the same.  ACLs grant rights and labels restrict them, so labels are copied first.
 *
 * Return: false if users other than the owner might gain access because something
 * could not be copied.
 */
static bool keep_xattrs(const struct output *out, bool same)
{
	static char list[XATTR_MAX];
	ssize_t n = llistxattr(out->path, list, sizeof(list));
	const char *acl;
	bool kept;

	if (n < 0 && errno != EOPNOTSUPP) {
		not_kept(out, "extended attributes");
		return false;
	}
	if (n < 0)
		n = 0;
	kept = keep_class(out, list, n, false);
	if (!first_of(list, n, ACL) && drop_acl(out)) {
		not_kept(out, "no ACL");
		kept = false;
	}
	if (same && kept)
		return keep_class(out, list, n, true);
	acl = first_of(list, n, "system.");
	if (acl)
		msg_warn(out->path, "%s: is left out", acl);
	return kept && !acl;
}

void keep_attrs(const struct output *out)
{
	struct stat old, new;
	bool same, rights;
	mode_t mode;

	errno = ENOENT;
	if (lstat(out->path, &old) || !S_ISREG(old.st_mode) || fstat(out->fd, &new)) {
		not_kept(out, "owner and mode");
		return;
	}
	if (old.st_nlink > 1)
		msg_warn(out->path, "has %llu names: the others keep the old image",
			 (unsigned long long)old.st_nlink);
	same = keep_owner(out, &old, &new);
	rights = keep_xattrs(out, same);
	mode = old.st_mode & 07777;
	if (!rights)
		mode &= 0700;
	else if (!same)
		mode = common_mode(mode);
	if (mode != (old.st_mode & 07777))
		msg_warn(out->path, "mode %04o becomes %04o, since not all can be kept",
			 old.st_mode & 07777, mode);
	/* checked again: chown() clears bits of the mode */
	if ((fstat(out->fd, &new) || (new.st_mode & 07777) != mode) && fchmod(out->fd, mode))
		not_kept(out, "mode");
}
