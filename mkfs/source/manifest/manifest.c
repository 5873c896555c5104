// SPDX-License-Identifier: GPL-2.0
/*
 * A manifest as a source: a list becomes a tree.  A data set may be in an object store, in
 * archives or in files of another layout; a manifest packs it without a directory tree.
 *
 * Besides the tree, memory is needed for a record of each line: its number, for messages,
 * and the place of the content.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../file.h"
#include "format.h"
#include "list.h"
#include "manifest.h"
#include "msg.h"
#include "../xattr.h"

#define PROGRESS_LINES	4096

/*
 * Report a source that cannot be read.  Errors of this process, such as ENOMEM,
 * are always fatal.
 */
static int bad_source(struct manifest *m, struct node *n, const char *path,
		      const char *why, int err)
{
	const char *colon = why && err ? ": " : "";
	const char *text = err ? msg_why(-err) : "";

	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE) {
		msg_error(m->src.o->manifest, "line %llu: source: %s: %s%s%s", m->line,
			  manifest_show(m, path), why ? why : "", colon, text);
		return -EIO;
	}
	return manifest_leave_out(m, n, m->line, "source: %s: %s%s%s",
				  manifest_show(m, path), why ? why : "", colon, text);
}

/*
 * Set m->origin to the file of a content; it is often that of the line before.
 * A node that is left out is marked.
 */
static int get_origin(struct manifest *m, struct node *n, const char *path)
{
	int dirfd = m->dirfd, err;
	struct origin *o = m->origin;
	const char *why;
	struct stat st;

	if (o && !strcmp(o->path, path))
		return 0;
	if (fstatat(dirfd, path, &st, 0))
		return bad_source(m, n, path, NULL, -errno);
	if (!S_ISREG(st.st_mode))
		return manifest_fail(m, m->line, "source: %s: not a regular file",
				     manifest_show(m, path));
	if (source_is_image(&m->src, &st))
		return manifest_fail(m, m->line, "source: %s: is the image itself",
				     manifest_show(m, path));
	why = empty_check(m->src.o, dirfd, path, true, &st, &err);
	if (why)
		return bad_source(m, n, path, why, err);
	o = manifest_keep(m, sizeof(*o) + strlen(path) + 1, 8);
	if (!o)
		return -ENOMEM;
	o->size = st.st_size;
	o->check = file_check(&st);
	memcpy(o->path, path, strlen(path));
	m->origin = o;
	return 0;
}

static int set_source(struct manifest *m, struct node *n, const struct entry *e)
{
	int ret = get_origin(m, n, e->source);
	const struct origin *o = m->origin;
	struct record *r;

	if (ret || n->flags & NODE_GONE)
		return ret;
	if (e->offset > o->size)
		return manifest_leave_out(m, n, m->line, "offset: %llu: %s has %llu bytes",
					  e->offset, manifest_show(m, o->path), o->size);
	n->size = entry_has(e, ENTRY_SIZE) ? e->size : o->size - e->offset;
	if (n->size > o->size - e->offset)
		return manifest_leave_out(m, n, m->line,
					  "size: %llu from %llu on: %s has %llu bytes",
					  n->size, e->offset, manifest_show(m, o->path), o->size);
	if (n->size >= DSFS_MAX_OFFSET)
		return manifest_fail(m, m->line, "size: %llu bytes: the limit is %llu",
			    n->size, DSFS_MAX_OFFSET - 1);
	r = manifest_record(m, n);
	r->origin = o;
	r->offset = e->offset;
	return 0;
}

/*
 * Make a node a link.  Its type is that of its target, which may come in a
 * later line.
 */
static int set_link(struct manifest *m, struct node *n, const struct entry *e)
{
	struct record *r = manifest_record(m, n);
	size_t len = strlen(e->target);
	char *target = manifest_keep(m, len + 1, 1);

	if (!target)
		return -ENOMEM;
	memcpy(target, e->target, len);
	r->target = target;
	r->link = true;
	n->mode = 0;
	m->links++;
	return 0;
}

static int set_type(struct manifest *m, struct node *n, const struct entry *e)
{
	switch (e->type) {
	case S_IFREG:
		return e->source ? set_source(m, n, e) : 0;
	case ENTRY_LINK:
		return set_link(m, n, e);
	case S_IFLNK:
		return node_set_target(&m->src.tree->arena, n, e->target,
				       strlen(e->target));
	case S_IFCHR:
	case S_IFBLK:
		n->size = e->major << 20 | e->minor;
		break;
	}
	return 0;
}

static int set_xattrs(struct manifest *m, struct node *n, struct entry *e)
{
	const int perm = xattr_acl_mode(&e->xattrs, n->mode);
	char why[XATTR_WHY];
	int ret;

	if (perm >= 0 && entry_has(e, ENTRY_MODE) && (n->mode & 0777) != perm)
		return manifest_fail(m, m->line, "mode: %04o: its permissions by the ACL are %04o",
				     n->mode & 07777, perm);
	if (perm >= 0)
		n->mode = (n->mode & ~0777) | perm;
	if (m->src.o->no_xattrs)
		return 0;
	ret = xattr_set_make(&m->src.tree->xsets, &e->xattrs, &m->set, n, why);
	if (ret == -EINVAL || ret == -E2BIG)
		return manifest_fail(m, m->line, "xattrs: %s", why);
	return ret;
}

static int add_dir(struct manifest *m, struct entry *e)
{
	size_t len = strlen(e->path);
	int ret;
	struct mdir *d = manifest_dir(m, e->path, len > 1 ? len : 0);

	if (!d)
		return -ENOMEM;
	if (d->line)
		return manifest_fail(m, m->line, "%s: already in line %u",
				     manifest_show(m, e->path), d->line);
	d->line = manifest_line(m);
	ret = manifest_set_attrs(m, &d->self, e);
	return ret ? ret : set_xattrs(m, &d->self, e);
}

static int add_other(struct manifest *m, struct entry *e)
{
	const char *name = strrchr(e->path, '/') + 1;
	struct mdir *d = manifest_dir(m, e->path, name - e->path - 1);
	struct node *n = d ? manifest_add_node(d) : NULL;
	int ret;

	if (!n || node_set_name(&m->src.tree->arena, n, name, strlen(name)))
		return -ENOMEM;
	ret = manifest_set_attrs(m, n, e);
	/* a node of a wrong line stays in the tree, and its record tells the line */
	if (!ret)
		ret = manifest_add_record(m, n, manifest_line(m));
	if (!ret)
		ret = set_xattrs(m, n, e);
	return ret ? ret : set_type(m, n, e);
}

static void set_defaults(struct manifest *m, const struct entry *e)
{
	struct attrs *a = &m->defaults;

	if (entry_has(e, ENTRY_MODE))
		a->mode = e->mode;
	if (entry_has(e, ENTRY_DIRMODE))
		a->dirmode = e->dirmode;
	if (entry_has(e, ENTRY_UID))
		a->uid = e->uid;
	if (entry_has(e, ENTRY_GID))
		a->gid = e->gid;
	if (entry_has(e, ENTRY_MTIME))
		a->mtime = e->mtime;
}

static int parse_line(struct manifest *m, char *line, size_t len, u64 number)
{
	struct entry *e = &m->entry;
	int ret;

	ret = entry_parse(e, line, len);
	if (ret < 0)
		return manifest_fail(m, number, "%s", e->why);
	if (!ret)
		return 0;
	if (entry_has(e, ENTRY_DEFAULT)) {
		set_defaults(m, e);
		return 0;
	}
	return e->type == S_IFDIR ? add_dir(m, e) : add_other(m, e);
}

/* Add a line.  A bad line does not end the run yet, so that all errors of a list are reported. */
static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	struct manifest *m = ctx;
	int ret;

	m->line = number;
	if (number % PROGRESS_LINES == 0)
		progress_add(&m->progress, PROGRESS_LINES);
	ret = parse_line(m, line, len, number);
	return ret == -EINVAL ? 0 : ret;
}

int manifest_read(struct source *src)
{
	struct manifest *m = (struct manifest *)src;
	int ret = -ENOMEM;

	m->records.size = sizeof(struct record);
	m->defaults = (struct attrs){ .mode = 0644, .dirmode = 0755 };
	if (manifest_dirs_init(m))
		goto out;
	progress_start_count(&m->progress, "reading the manifest", 0);
	ret = list_read(src->o->manifest, src->o->null_lists, add_line, m);
	progress_end(&m->progress);
	if (!ret)
		ret = manifest_finish(m);
	manifest_count_errors(m);
out:
	if (ret == -ENOMEM)
		no_memory();
	return ret;
}

/* Name a node in a message: the line, and the file that it refers to. */
static void manifest_name(const struct source *src, const struct dir *dir,
			  const struct node *node, struct source_name *name)
{
	const struct manifest *m = (const struct manifest *)src;
	char shown[MANIFEST_SHOWN], from[MANIFEST_SHOWN];
	const struct record *r;
	char *path;

	name->subject = strdup(src->o->manifest);
	if (!node)
		return;
	r = manifest_record(m, node);
	path = tree_path(src->tree, dir, node, true);
	if (asprintf(&name->detail, "line %u: /%s%s%s: ", r->line,
		     msg_escape(shown, sizeof(shown), path ? path : ""),
		     r->origin ? ": " : "",
		     msg_escape(from, sizeof(from), r->origin ? r->origin->path : "")) < 0)
		name->detail = NULL;
	free(path);
}

static void manifest_free(struct source *src)
{
	struct manifest *m = (struct manifest *)src;

	for (size_t i = 0; i < m->dirs.n; i++)
		free(manifest_dir_at(m, i)->dir->nodes);
	array_free(&m->dirs);
	array_free(&m->records);
	entry_free(&m->entry);
	free(m->set);
	hash_free(&m->dir_numbers);
	free(m->last);
	if (m->dirfd >= 0)
		close(m->dirfd);
}

static int manifest_init(struct source *src)
{
	struct manifest *m = (struct manifest *)src;

	m->dirfd = open(src->o->source, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->dirfd < 0) {
		int ret = -errno;

		msg_error(src->o->source, "cannot open: %s", msg_why(-ret));
		return ret;
	}
	return 0;
}

const struct source_ops manifest_ops = {
	.bytes = sizeof(struct manifest),
	.init = manifest_init,
	.list = manifest_read,
	.input_new = manifest_input_new,
	.input_free = manifest_input_free,
	.open = manifest_open,
	.read = file_read,
	.next_data = file_next_data,
	.unchanged = file_unchanged,
	.close = manifest_close,
	.recheck = manifest_recheck,
	.name = manifest_name,
	.free = manifest_free,
};
