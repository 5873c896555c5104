// SPDX-License-Identifier: GPL-2.0
/*
 * A tree from a list.  A data set may lie in an object store, in archives or
 * in files of another layout; with a list it is packed without a directory
 * tree ever being made of it.
 *
 * Memory is what the tree itself needs.  Until its data is stored, a file's
 * checksum field holds the number of its line, for messages.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libdsfs.h"
#include "list.h"
#include "manifest_tree.h"
#include "msg.h"

#define PROGRESS_LINES	4096

int manifest_fail(struct manifest *m, u64 line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg_error(m->src->o->manifest, "line %llu: %s", line, text);
	return -EINVAL;
}

int manifest_set_attrs(struct manifest *m, struct node *n, const struct entry *e)
{
	const struct options *o = m->src->o;
	const struct attrs *a = &m->defaults;
	u32 uid = entry_has(e, ENTRY_UID) ? e->uid : a->uid;
	u32 gid = entry_has(e, ENTRY_GID) ? e->gid : a->gid;
	u16 mode = e->type == S_IFDIR ? a->dirmode :
		   e->type == S_IFLNK ? 0777 : a->mode;
	s64 owner = owners_get(&m->src->owners, o->all_root ? 0 : uid,
			       o->all_root ? 0 : gid);

	if (owner < 0)
		return owner;
	n->owner = owner;
	n->mode = e->type | (entry_has(e, ENTRY_MODE) ? e->mode : mode);
	n->mtime = entry_has(e, ENTRY_MTIME) ? e->mtime : a->mtime;
	if (!entry_has(e, ENTRY_MTIME))
		n->flags |= NODE_NO_TIME;
	if (o->fixed_time)
		n->mtime = o->build_time;
	n->sum = manifest_line(m);
	return 0;
}

/* The file that a content comes from; often that of the line before. */
static struct origin *get_origin(struct manifest *m, const char *path)
{
	int dirfd = m->src->dirs.slots[0].fd, err;
	struct origin *o = m->origin;
	const char *why;
	struct stat st;

	if (o && !strcmp(o->path, path))
		return o;
	if (fstatat(dirfd, path, &st, 0)) {
		manifest_fail(m, m->line, "source: %s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		manifest_fail(m, m->line, "source: %s: not a regular file", path);
		return NULL;
	}
	if (st.st_dev == m->src->image_dev && st.st_ino == m->src->image_ino) {
		manifest_fail(m, m->line, "source: %s: is the image itself", path);
		return NULL;
	}
	why = empty_check(m->src, dirfd, path, &st, &err);
	if (why) {
		manifest_fail(m, m->line, "source: %s: %s%s%s", path, why,
			      err ? ": " : "", err ? strerror(-err) : "");
		return NULL;
	}
	o = manifest_keep(m, sizeof(*o) + strlen(path) + 1, 8);
	if (!o)
		return NULL;
	o->size = st.st_size;
	o->check = scan_check(&st);
	memcpy(o->path, path, strlen(path));
	m->origin = o;
	return o;
}

static int set_source(struct manifest *m, struct node *n, const struct entry *e)
{
	struct origin *o = get_origin(m, e->source);
	struct part *part = o ? manifest_keep(m, sizeof(*part), 8) : NULL;

	if (!part)
		return o ? -ENOMEM : -EINVAL;
	if (e->offset > o->size)
		return manifest_fail(m, m->line, "offset: %llu: %s has %llu bytes",
			    e->offset, o->path, o->size);
	n->size = entry_has(e, ENTRY_SIZE) ? e->size : o->size - e->offset;
	if (n->size > o->size - e->offset)
		return manifest_fail(m, m->line, "size: %llu from %llu on: %s has %llu bytes",
			    n->size, e->offset, o->path, o->size);
	if (n->size >= DSFS_MAX_OFFSET)
		return manifest_fail(m, m->line, "size: %llu: the limit is %llu",
			    n->size, DSFS_MAX_OFFSET - 1);
	part->origin = o;
	part->offset = e->offset;
	n->u.part = part;
	n->check = o->check;
	return 0;
}

static int set_fill(struct node *n, const struct entry *e)
{
	n->size = e->size;
	n->flags |= e->zero ? NODE_ZERO : NODE_PATTERN;
	n->u.seed = e->seed;
	return 0;
}

static int set_target(struct manifest *m, struct node *n, const struct entry *e)
{
	size_t len = strlen(e->target);

	n->u.target = manifest_keep(m, len + 1, 1);
	if (!n->u.target)
		return -ENOMEM;
	memcpy(n->u.target, e->target, len);
	n->size = len;
	return 0;
}

static int set_type(struct manifest *m, struct node *n, const struct entry *e)
{
	switch (e->type) {
	case S_IFREG:
		if (e->source)
			return set_source(m, n, e);
		return entry_has(e, ENTRY_FILL) ? set_fill(n, e) : 0;
	case ENTRY_LINK:
		m->links++;
		n->mode = 0;
		return set_target(m, n, e);
	case S_IFLNK:
		return set_target(m, n, e);
	case S_IFCHR:
	case S_IFBLK:
		n->size = e->major << 20 | e->minor;
		break;
	}
	return 0;
}

static int add_dir(struct manifest *m, const struct entry *e)
{
	size_t len = strlen(e->path);
	struct mdir *d = manifest_dir(m, e->path, len > 1 ? len : 0);

	if (!d)
		return -ENOMEM;
	if (d->line)
		return manifest_fail(m, m->line, "%s: already in line %u", e->path,
			    d->line);
	d->line = manifest_line(m);
	return manifest_set_attrs(m, &d->self, e);
}

static int add_other(struct manifest *m, const struct entry *e)
{
	const char *name = strrchr(e->path, '/') + 1;
	struct mdir *d = manifest_dir(m, e->path, name - e->path - 1);
	struct node *n = d ? manifest_add_node(d) : NULL;
	int ret;

	if (!n)
		return -ENOMEM;
	n->name = manifest_keep_name(m, name, strlen(name));
	if (!n->name)
		return -ENOMEM;
	ret = manifest_set_attrs(m, n, e);
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

static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	struct manifest *m = ctx;
	struct entry *e = &m->entry;
	int ret;

	m->line = number;
	if (number % PROGRESS_LINES == 0)
		progress_add(&m->progress, PROGRESS_LINES);
	ret = entry_parse(e, line, len);
	if (ret < 0)
		return manifest_fail(m, number, "%s", e->why);
	if (!ret)
		return 0;
	if (!e->path) {
		set_defaults(m, e);
		return 0;
	}
	return e->type == S_IFDIR ? add_dir(m, e) : add_other(m, e);
}

int manifest_read(struct source *src)
{
	struct manifest *m = calloc(1, sizeof(*m));
	int ret = -ENOMEM;

	if (!m)
		goto out;
	src->manifest = m;
	m->src = src;
	m->dirs.size = sizeof(struct mdir *);
	m->defaults = (struct attrs){ .mode = 0644, .dirmode = 0755 };
	m->root = manifest_new_dir(m, NULL, "", 0);
	if (!m->root)
		goto out;
	progress_start_count(&m->progress, "reading the manifest", 0);
	ret = list_read(src->o->manifest, src->o->null_lists, add_line, m);
	progress_end(&m->progress);
	if (!ret)
		ret = manifest_finish(m);
out:
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	return ret;
}

void manifest_free(struct manifest *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->dirs.n; i++)
		free(manifest_dir_at(m, i)->dir->nodes);
	array_free(&m->dirs);
	free(m->slots);
	free(m->last);
	free(m);
}
