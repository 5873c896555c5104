// SPDX-License-Identifier: GPL-2.0
/*
 * Owner, extended attributes, mode and times of an object.  The mode opens
 * the object to others, so all that limits it comes before: the owner, whose change
 * clears set-id bits; the removal of an ACL that the object has inherited from its
 * directory, and whose entries the mode would bring into force; and its own ACL.
 * A file without a name is open to nobody, and may have its mode from the start: attrs_born().
 */
#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "acl.h"
#include "extract.h"
#include "msg.h"

#define ACL_PREFIX	"system.posix_acl_"
#define ACL_ACCESS	ACL_PREFIX "access"

/**
 * struct object - what gets the attributes
 * @fd: open, or -1: @e->name in the working directory
 * @list: its attributes in the image
 * @mode: permissions that it may get
 */
struct object {
	struct extract *x;
	const struct walk_entry *e;
	int fd;
	struct node_xattrs list;
	mode_t mode;
};

bool extract_is_lasting(int err)
{
	return err == ENOSPC || err == EDQUOT || err == EMFILE || err == ENFILE ||
	       err == EROFS;
}

void extract_failed(struct extract *x, const char *path, const char *what)
{
	int err = errno;

	if (x->stop)
		return;
	if (extract_is_lasting(err)) {
		x->stop = -err;
		x->v->errors->count++;
		msg_error(path, "%s: %s: stopped here", what, strerror(err));
	} else if (view_count(x->v, what)) {
		msg_error(path, "%s: %s", what, msg_why(err));
	}
}

static int set_owner(const struct object *o)
{
	const struct image_node *n = &o->e->node;

	return o->fd >= 0 ? fchown(o->fd, n->uid, n->gid) :
	       lchown(o->e->name, n->uid, n->gid);
}

static int set_mode(const struct object *o)
{
	return o->fd >= 0 ? fchmod(o->fd, o->mode) :
	       fchmodat(AT_FDCWD, o->e->name, o->mode, AT_SYMLINK_NOFOLLOW);
}

static int set_time(const struct object *o)
{
	const struct nsec_time t = nsec_split(o->e->node.attr.mtime);
	const struct timespec when = { .tv_sec = t.sec, .tv_nsec = t.nsec };
	const struct timespec ts[2] = { when, when };

	return o->fd >= 0 ? futimens(o->fd, ts) :
	       utimensat(AT_FDCWD, o->e->name, ts, AT_SYMLINK_NOFOLLOW);
}

static ssize_t list_xattrs(const struct object *o, char *buf, size_t size)
{
	return o->fd >= 0 ? flistxattr(o->fd, buf, size) :
	       llistxattr(o->e->name, buf, size);
}

static int remove_xattr(const struct object *o, const char *name)
{
	return o->fd >= 0 ? fremovexattr(o->fd, name) : lremovexattr(o->e->name, name);
}

static int set_xattr(const struct object *o, const struct node_xattr *a)
{
	return o->fd >= 0 ? fsetxattr(o->fd, a->name, a->value, a->len, 0) :
	       lsetxattr(o->e->name, a->name, a->value, a->len, 0);
}

/*
 * Report an attribute.  ENOSPC may mean that it is too large for its inode; if it
 * means the disk, the next object fails, too.
 */
static void failed_xattr(const struct object *o, const char *name)
{
	int err = errno;

	if (view_count(o->x->v, "xattrs"))
		msg_error(o->e->path, "%s: %s", name, strerror(err));
}

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/* Whether an attribute can be restored by root only. */
static bool is_privileged(const char *name)
{
	return begins(name, "trusted.") || begins(name, "security.");
}

/*
 * Whether an attribute that the image does not have may not stay.  A new object has
 * only ACLs from its directory, and labels, which the target's system gives; one that
 * was there before may have anything.
 */
static bool is_foreign(const struct extract *x, const char *name)
{
	if (begins(name, ACL_PREFIX))
		return true;
	if (!x->resume)
		return false;
	return begins(name, "user.") ||
	       (x->is_root && (begins(name, "trusted.") || !strcmp(name, "security.capability")));
}

static bool has_xattr(const struct object *o, const char *name)
{
	for (size_t i = 0; i < o->list.count; i++)
		if (!strcmp(o->list.v[i].name, name))
			return true;
	return false;
}

/*
 * Remove what the image does not have.  An ACL goes even if the image has one, so that
 * it is not in force where that one cannot be set.
 *
 * Return: whether the object has no ACL now.
 */
static bool remove_foreign(const struct object *o)
{
	static char names[XATTR_LIST_MAX];
	ssize_t len = list_xattrs(o, names, sizeof(names));
	bool clean = true;

	if (len < 0 && errno == EOPNOTSUPP)
		return true;
	if (len < 0) {
		failed_xattr(o, "list of xattrs");
		return false;
	}
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		const bool acl = begins(name, ACL_PREFIX);

		if (!is_foreign(o->x, name) || (!acl && has_xattr(o, name)))
			continue;
		if (!remove_xattr(o, name) || errno == ENODATA)
			continue;
		failed_xattr(o, name);
		clean = clean && !acl;
	}
	return clean;
}

/* Restore the ACLs, or everything else: user attributes need an object that is writable. */
static void set_xattrs(struct object *o, bool acls)
{
	for (size_t i = 0; i < o->list.count; i++) {
		const struct node_xattr *a = &o->list.v[i];

		if (begins(a->name, ACL_PREFIX) != acls)
			continue;
		if (!o->x->is_root && is_privileged(a->name)) {
			o->x->skipped++;
		} else if (set_xattr(o, a)) {
			failed_xattr(o, a->name);
			if (!strcmp(a->name, ACL_ACCESS))
				o->mode &= acl_least_mode(a->value, a->len);
		}
	}
}

/* Set-id bits refer to the owner in the image, so they need that owner. */
static void drop_setid(struct object *o)
{
	if (!S_ISDIR(o->e->node.attr.mode))
		o->mode &= ~(S_ISUID | S_ISGID);
}

/* Restore the owner, if the caller may. */
static void settle_owner(struct object *o)
{
	const struct image_node *n = &o->e->node;
	struct extract *x = o->x;
	const mode_t before = o->mode;

	if (!x->is_root) {
		x->owners += n->uid != geteuid() || n->gid != getegid();
		drop_setid(o);
		x->skipped += o->mode != before;
	} else if (set_owner(o)) {
		extract_failed(x, o->e->path, "owner");
		drop_setid(o);
	}
}

void attrs_fd(struct extract *x, const struct walk_entry *e, int fd)
{
	struct object o = { .x = x, .e = e, .fd = fd, .mode = e->node.attr.mode & 07777 };
	bool clean;

	/* an ACL among them may forbid what the mode grants */
	if (view_xattrs(x->v, e->path, &e->node, &o.list) && e->node.attr.flags & DSFS_INODE_ACL)
		o.mode &= ~0077;
	settle_owner(&o);
	clean = remove_foreign(&o);
	set_xattrs(&o, false);
	set_xattrs(&o, true);
	if (!clean)
		o.mode &= ~0077;
	if (!S_ISLNK(e->node.attr.mode) && set_mode(&o))
		extract_failed(x, e->path, "mode");
	if (set_time(&o))
		extract_failed(x, e->path, "time");
	xattr_list_free(&o.list);
}

void attrs_born(struct extract *x, const struct walk_entry *e, int fd)
{
	const struct object o = { .x = x, .e = e, .fd = fd };
	const bool other = e->node.uid != x->born.uid || e->node.gid != x->born.gid;

	if (!x->is_root)
		x->owners += other;
	else if (other && set_owner(&o))
		extract_failed(x, e->path, "owner");
	if (set_time(&o))
		extract_failed(x, e->path, "time");
}

void attrs_at(struct extract *x, const struct walk_entry *e)
{
	if (fchdir(x->cwd))	/* there is no lsetxattrat() */
		extract_failed(x, e->path, "attributes");
	else
		attrs_fd(x, e, -1);
}
