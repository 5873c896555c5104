// SPDX-License-Identifier: GPL-2.0
/*
 * A tree from a list.  A data set may lie in an object store, in archives or
 * in files of another layout; with a list it is packed without a directory
 * tree ever being made of it.
 *
 * Lines come in any order.  A directory's nodes are collected in an array of
 * its own that grows, and are sorted when all lines are read, so memory is
 * what the tree itself needs.  Until its data is stored, a file's checksum
 * field holds the number of its line, for messages.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "libdsfs.h"
#include "manifest.h"
#include "msg.h"
#include "progress.h"

#define PROGRESS_LINES	4096

/* Attributes of what does not say its own. */
struct attrs {
	u32 uid;
	u32 gid;
	u16 mode;
	u16 dirmode;
	s64 mtime;
};

/**
 * struct mdir - a directory being filled
 * @self: its node, to be put into its parent's array at the end
 * @line: that gave it its attributes; 0: none yet
 * @first_line: that mentioned it
 */
struct mdir {
	struct mdir *parent;
	struct dir *dir;
	struct node self;
	u32 cap;
	u32 line;
	u32 first_line;
};

/**
 * struct manifest - a list being read
 * @dirs: struct mdir *; @slots finds them: index plus one
 * @last: path of @last_dir: lines of a directory come together
 * @origin: of the line before
 * @links: lines with type=link
 */
struct manifest {
	struct source *src;
	struct progress progress;
	struct array dirs;
	u32 *slots;
	size_t mask;
	struct mdir *root;
	char *last;
	size_t last_len;
	struct mdir *last_dir;
	struct origin *origin;
	struct attrs defaults;
	u64 line;
	u64 links;
	struct entry entry;
};

static u32 line_of(const struct manifest *m)
{
	return m->line < U32_MAX ? m->line : U32_MAX;
}

__printf(3, 4)
static int fail(struct manifest *m, u64 line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg_error(m->src->o->manifest, "line %llu: %s", line, text);
	return -EINVAL;
}

static void *keep(struct manifest *m, size_t bytes, size_t align)
{
	void *p = arena_alloc(&m->src->tree.arena, bytes, align);

	if (p)
		memset(p, 0, bytes);
	return p;
}

static char *keep_name(struct manifest *m, const char *name, size_t len)
{
	char *p = keep(m, len + 2, 1);

	if (p) {
		p[0] = len;
		memcpy(p + 1, name, len);
	}
	return p;
}

/* --- directories */

static size_t dir_hash(const struct mdir *parent, const char *name, size_t len)
{
	return xxh64(name, len, (uintptr_t)parent);
}

static struct mdir *dir_at(const struct manifest *m, size_t i)
{
	return ((struct mdir **)m->dirs.p)[i];
}

/* The slot of a directory, or the free one where it belongs. */
static u32 *dir_slot(struct manifest *m, const struct mdir *parent,
		     const char *name, size_t len)
{
	size_t i = dir_hash(parent, name, len) & m->mask;

	for (; m->slots[i]; i = (i + 1) & m->mask) {
		const struct mdir *d = dir_at(m, m->slots[i] - 1);

		if (d->parent == parent && node_len(&d->self) == len &&
		    !memcmp(node_name(&d->self), name, len))
			break;
	}
	return &m->slots[i];
}

static int grow_slots(struct manifest *m)
{
	size_t size = m->slots ? (m->mask + 1) * 2 : 1024;

	free(m->slots);
	m->slots = calloc(size, sizeof(*m->slots));
	if (!m->slots)
		return -ENOMEM;
	m->mask = size - 1;
	for (size_t i = 1; i < m->dirs.n; i++) {
		const struct mdir *d = dir_at(m, i);

		*dir_slot(m, d->parent, node_name(&d->self),
			  node_len(&d->self)) = i + 1;
	}
	return 0;
}

static struct mdir *new_dir(struct manifest *m, struct mdir *parent,
			    const char *name, size_t len)
{
	struct mdir *d = keep(m, sizeof(*d), 8), **slot;

	if (!d)
		return NULL;
	d->parent = parent;
	d->first_line = line_of(m);
	d->self.name = keep_name(m, name, len);
	d->dir = parent ? keep(m, sizeof(*d->dir), 8) : m->src->tree.root_dir;
	slot = d->self.name && d->dir ? array_add(&m->dirs) : NULL;
	if (!slot)
		return NULL;
	*slot = d;
	if (parent) {
		d->dir->parent = parent->dir;
		d->dir->slot = -1;
	}
	return d;
}

static struct mdir *get_dir(struct manifest *m, struct mdir *parent,
			    const char *name, size_t len)
{
	u32 *slot;
	struct mdir *d;

	if (m->dirs.n * 2 > m->mask && grow_slots(m))
		return NULL;
	slot = dir_slot(m, parent, name, len);
	if (*slot)
		return dir_at(m, *slot - 1);
	d = new_dir(m, parent, name, len);
	if (d)
		*slot = m->dirs.n;
	return d;
}

/* The directory of a path, made if it is new; @path has no slash at its end. */
static struct mdir *dir_by_path(struct manifest *m, const char *path, size_t len)
{
	struct mdir *d = m->root;
	size_t at = 0;
	char *last;

	if (m->last_dir && len == m->last_len && !memcmp(path, m->last, len))
		return m->last_dir;
	while (d && at < len) {
		const char *name = path + at + 1;
		size_t n = strchrnul(name, '/') - name;

		if (n > len - at - 1)
			n = len - at - 1;
		d = get_dir(m, d, name, n);
		at += n + 1;
	}
	last = d ? realloc(m->last, len + 1) : NULL;
	if (!last)
		return NULL;
	memcpy(last, path, len);
	m->last = last;
	m->last_len = len;
	m->last_dir = d;
	return d;
}

/* --- nodes */

static struct node *add_node(struct mdir *d)
{
	struct dir *dir = d->dir;
	struct node *n;

	if (dir->count == d->cap) {
		u64 cap = d->cap ? d->cap + d->cap / 2 : 8;

		if (cap > DSFS_MAX_INODES)
			return NULL;
		n = realloc(dir->nodes, cap * sizeof(*n));
		if (!n)
			return NULL;
		dir->nodes = n;
		d->cap = cap;
	}
	n = &dir->nodes[dir->count++];
	memset(n, 0, sizeof(*n));
	return n;
}

static int set_attrs(struct manifest *m, struct node *n, const struct entry *e)
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
	if (o->fixed_time)
		n->mtime = o->build_time;
	n->sum = line_of(m);
	return 0;
}

/* The file that a content comes from; often that of the line before. */
static struct origin *get_origin(struct manifest *m, const char *path)
{
	int dirfd = m->src->dirs.slots[0].fd;
	struct origin *o = m->origin;
	struct stat st;

	if (o && !strcmp(o->path, path))
		return o;
	if (fstatat(dirfd, path, &st, 0)) {
		fail(m, m->line, "source: %s: %s", path, strerror(errno));
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		fail(m, m->line, "source: %s: not a regular file", path);
		return NULL;
	}
	if (st.st_dev == m->src->image_dev && st.st_ino == m->src->image_ino) {
		fail(m, m->line, "source: %s: is the image itself", path);
		return NULL;
	}
	o = keep(m, sizeof(*o) + strlen(path) + 1, 8);
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
	struct part *part = o ? keep(m, sizeof(*part), 8) : NULL;

	if (!part)
		return o ? -ENOMEM : -EINVAL;
	if (e->offset > o->size)
		return fail(m, m->line, "offset: %llu: %s has %llu bytes",
			    e->offset, o->path, o->size);
	n->size = entry_has(e, ENTRY_SIZE) ? e->size : o->size - e->offset;
	if (n->size > o->size - e->offset)
		return fail(m, m->line, "size: %llu from %llu on: %s has %llu bytes",
			    n->size, e->offset, o->path, o->size);
	if (n->size >= DSFS_MAX_OFFSET)
		return fail(m, m->line, "size: %llu: the limit is %llu",
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

	n->u.target = keep(m, len + 1, 1);
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
	struct mdir *d = dir_by_path(m, e->path, len > 1 ? len : 0);

	if (!d)
		return -ENOMEM;
	if (d->line)
		return fail(m, m->line, "%s: already in line %u", e->path,
			    d->line);
	d->line = line_of(m);
	return set_attrs(m, &d->self, e);
}

static int add_other(struct manifest *m, const struct entry *e)
{
	const char *name = strrchr(e->path, '/') + 1;
	struct mdir *d = dir_by_path(m, e->path, name - e->path - 1);
	struct node *n = d ? add_node(d) : NULL;
	int ret;

	if (!n)
		return -ENOMEM;
	n->name = keep_name(m, name, strlen(name));
	if (!n->name)
		return -ENOMEM;
	ret = set_attrs(m, n, e);
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
		return fail(m, number, "%s", e->why);
	if (!ret)
		return 0;
	if (!e->path) {
		set_defaults(m, e);
		return 0;
	}
	return e->type == S_IFDIR ? add_dir(m, e) : add_other(m, e);
}

/* --- when all lines are read */

/* A directory that no line gave attributes to has the defaults. */
static int end_dir(struct manifest *m, struct mdir *d)
{
	struct entry none = { .type = S_IFDIR };
	int ret = d->line ? 0 : set_attrs(m, &d->self, &none);
	struct node *n;

	if (ret)
		return ret;
	d->self.sum = d->line ? d->line : d->first_line;
	if (!d->parent) {
		struct node *root = &m->src->tree.root;

		root->mode = d->self.mode;
		root->owner = d->self.owner;
		root->mtime = d->self.mtime;
		return 0;
	}
	d->self.u.dir = d->dir;
	n = add_node(d->parent);
	if (n)
		*n = d->self;
	return n ? 0 : -ENOMEM;
}

static int node_cmp(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return dsfs_name_cmp(node_name(x), node_len(x), node_name(y),
			     node_len(y));
}

static bool is_sorted(const struct dir *dir)
{
	for (u32 i = 1; i < dir->count; i++) {
		if (node_cmp(&dir->nodes[i - 1], &dir->nodes[i]) >= 0)
			return false;
	}
	return true;
}

static int sort_dir(struct manifest *m, struct mdir *d)
{
	struct dir *dir = d->dir;
	struct node *less;

	if (!is_sorted(dir))
		qsort(dir->nodes, dir->count, sizeof(*dir->nodes), node_cmp);
	for (u32 i = 1; i < dir->count; i++) {
		const struct node *a = &dir->nodes[i - 1], *b = a + 1;
		char *path;

		if (node_cmp(a, b))
			continue;
		path = tree_path(&m->src->tree, dir, a, true);
		fail(m, a->sum > b->sum ? a->sum : b->sum,
		     "/%s: already in line %u", path ? path : "",
		     a->sum > b->sum ? b->sum : a->sum);
		free(path);
		return -EINVAL;
	}
	less = dir->count ? realloc(dir->nodes, dir->count * sizeof(*less)) :
			    NULL;
	if (less)
		dir->nodes = less;
	for (u32 i = 0; i < dir->count; i++) {
		if (S_ISDIR(dir->nodes[i].mode))
			dir->nodes[i].u.dir->self = &dir->nodes[i];
	}
	return 0;
}

/* A file gets a second name, or one more. */
static struct hlink *make_link(struct manifest *m, struct node *n,
			       const struct hlink *as)
{
	struct hlink *l = keep(m, sizeof(*l), 8);

	if (!l)
		return NULL;
	l->ino = as ? as->ino : m->src->tree.nlinks + 1;
	l->data = as ? as->data : n->u;
	n->u.link = l;
	n->flags |= NODE_LINK;
	m->src->tree.nlinks++;
	return l;
}

/* A line with type=link and the file that it names. */
struct link {
	struct node *node;
	struct node *to;
};

static int find_link(struct manifest *m, struct node *n, struct link *link)
{
	const char *target = n->u.target;
	struct node *to = NULL;
	struct dir *dir;

	if (*target == '/')
		to = tree_find(&m->src->tree, target, &dir);
	if (!to)
		return fail(m, n->sum, "target: %s: not in the manifest",
			    target);
	if (!to->mode || S_ISDIR(to->mode))
		return fail(m, n->sum, "target: %s: is itself type=%s", target,
			    to->mode ? "dir" : "link");
	*link = (struct link){ n, to };
	return 0;
}

static int end_link(struct manifest *m, const struct link *link)
{
	struct node *n = link->node, *to = link->to, was = *n;

	if (!(to->flags & NODE_LINK) && !make_link(m, to, NULL))
		return -ENOMEM;
	*n = *to;
	n->name = was.name;
	n->sum = was.sum;
	return make_link(m, n, to->u.link) ? 0 : -ENOMEM;
}

/* All are found before any is made: a link to a link must be seen as one. */
static int end_links(struct manifest *m)
{
	struct array found = { .size = sizeof(struct link) };
	struct link *link;
	int ret = 0;

	for (size_t i = 0; !ret && m->links && i < m->dirs.n; i++) {
		struct dir *dir = dir_at(m, i)->dir;

		for (u32 k = 0; !ret && k < dir->count; k++) {
			if (dir->nodes[k].mode)
				continue;
			link = array_add(&found);
			ret = link ? find_link(m, &dir->nodes[k], link) :
				     -ENOMEM;
		}
	}
	for (size_t i = 0; !ret && i < found.n; i++)
		ret = end_link(m, (struct link *)found.p + i);
	array_free(&found);
	return ret;
}

/* What stores nothing must look like what a scan makes of it. */
static void forget_lines(struct manifest *m)
{
	for (size_t i = 0; i < m->dirs.n; i++) {
		struct dir *dir = dir_at(m, i)->dir;

		for (u32 k = 0; k < dir->count; k++) {
			struct node *n = &dir->nodes[k];

			if (S_ISREG(n->mode) && n->size)
				continue;
			n->sum = 0;
			if (S_ISREG(n->mode))
				node_data(n)->start = 0;
		}
	}
}

static int finish(struct manifest *m)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		ret = end_dir(m, dir_at(m, i));
	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		ret = sort_dir(m, dir_at(m, i));
	if (!ret)
		ret = end_links(m);
	if (!ret)
		forget_lines(m);
	free(m->slots);
	free(m->last);
	m->slots = NULL;
	m->last = NULL;
	return ret;
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
	m->root = new_dir(m, NULL, "", 0);
	if (!m->root)
		goto out;
	progress_start_count(&m->progress, "reading the manifest", 0);
	ret = options_list(src->o->manifest, src->o->null_lists, add_line, m);
	progress_end(&m->progress);
	if (!ret)
		ret = finish(m);
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
		free(dir_at(m, i)->dir->nodes);
	array_free(&m->dirs);
	free(m->slots);
	free(m->last);
	free(m);
}
