// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest become a tree.  Where the content of a node is, and where its line is, are
 * in a record beside it: a tree has no room for what one kind of source needs.  Names with
 * type=link become names of their files at the end, as a target may come in a later line.
 */
#include "format.h"
#include "hash.h"
#include "manifest.h"
#include "../xattr.h"

/* Set the attributes of a node, by a line that says them. */
static int set_attrs(struct manifest *m, struct node *n, const struct entry *e)
{
	const struct entry_attrs *a = &e->attrs;
	const u16 mode = e->type == S_IFDIR ? a->dirmode : e->type == S_IFLNK ? 0777 : a->mode;

	n->mode = e->type | (entry_has(e, ENTRY_MODE) ? a->mode : mode);
	n->mtime = source_time(&m->src, a->mtime);
	n->flags |= entry_has(e, ENTRY_MTIME) ? 0 : NODE_NO_TIME;
	return source_set_owner(&m->src, n, a->uid, a->gid);
}

/* The type of a link is that of its target, which may come in a later line. */
static int set_link(struct manifest *m, struct node *n, const struct entry *e)
{
	const size_t bytes = strlen(e->target) + 1;
	char *target = arena_alloc(&m->src.tree->arena, bytes, 1);

	if (!target)
		return -ENOMEM;
	memcpy(target, e->target, bytes);
	n->u.own = target;
	manifest_record(m, n)->origin = RECORD_LINK;
	m->links++;
	n->mode = 0;
	return 0;
}

static int set_type(struct manifest *m, struct node *n, const struct entry *e)
{
	switch (e->type) {
	case S_IFREG:
		return e->source ? manifest_set_origin(m, n, e) : 0;
	case ENTRY_LINK:
		return set_link(m, n, e);
	case S_IFLNK:
		return node_set_target(&m->src.tree->arena, n, e->target, strlen(e->target));
	case S_IFCHR:
	case S_IFBLK:
		n->size = e->major << 20 | e->minor;
		break;
	}
	return 0;
}

static int set_xattrs(struct manifest *m, struct node *n, const struct entry *e)
{
	const struct xattr_item *it = e->xattrs.p;
	char why[XATTR_WHY];
	int ret = 0, perm;

	xattr_list_clear(&m->list);
	for (size_t i = 0; !ret && i < e->xattrs.n; i++, it++)
		ret = xattr_list_add(&m->list, m->src.o, it->name, it->value, it->value_len, why);
	perm = ret ? -1 : xattr_acl_mode(&m->list, n->mode);
	if (perm >= 0 && entry_has(e, ENTRY_MODE) && (n->mode & 0777) != perm)
		return manifest_fail(m, m->line, "mode: %04o: its permissions by the ACL are %04o",
				     n->mode & 07777, perm);
	if (perm >= 0)
		n->mode = (n->mode & ~0777) | perm;
	ret = ret ?: xattr_set_make(&m->src.tree->xsets, &m->list, &m->set, n, why);
	if (ret == -EINVAL || ret == -E2BIG)
		return manifest_fail(m, m->line, "xattrs: %s", why);
	return ret;
}

/* The node of a new line.  A directory may be there already, without a line of its own. */
static int get_node(struct manifest *m, struct grow_dir *d, const char *name, size_t len,
		    struct node **n)
{
	const struct entry *e = &m->entry;
	struct grow *g = &m->grow;

	if (e->type != S_IFDIR) {
		*n = grow_add(g, d, name, len);
		return *n ? 0 : -ENOMEM;
	}
	d = len ? grow_dir(g, d, name, len) : d;
	if (!d)
		return -ENOMEM;
	*n = grow_node(d);
	if (d->said)
		return manifest_fail(m, m->line, "%s: already in line %u",
				     manifest_show(m, e->path), manifest_record(m, *n)->line);
	d->said = true;
	(*n)->source = g->now;
	return 0;
}

static int add(struct manifest *m, struct grow_dir *d, const char *name, size_t len)
{
	struct record *r = blocks_add(&m->records, &m->src.tree->arena);
	struct entry *e = &m->entry;
	struct node *n;

	if (!r)
		return -ENOMEM;
	r->line = m->line;
	/* a node of a wrong line stays in the tree, and its record tells the line */
	return get_node(m, d, name, len, &n) ?: set_attrs(m, n, e) ?: set_xattrs(m, n, e) ?:
	       set_type(m, n, e);
}

/*
 * Whether a line is put off.  The nodes and names of a directory have to lie together once they are
 * in the overflow, and those of one that is come back to would not.  So these lines are sorted by
 * directory first.  Once begun, it is for all of them: of two lines with one name the first one
 * is to be added first.
 */
static bool is_later(const struct manifest *m, const struct grow_dir *d)
{
	return d->left && m->entry.type != S_IFDIR && !m->grow.sorted &&
	       (m->later.n || overflow_begun(m->src.tree->overflow));
}

/* struct late_line - a line that was put off, and which defaults it has */
struct late_line {
	u32 line;
	u32 defaults;
	u64 len;
	char text[];
};

static int put_off(struct manifest *m, const struct grow_dir *d, const char *line, size_t len)
{
	const struct entry_attrs *now = &m->entry.defaults, *last = m->defaults.p;
	struct late_line late = { .line = m->line, .len = len };

	if ((!last || memcmp(&last[m->defaults.n - 1], now, sizeof(*now))) &&
	    array_append(&m->defaults, now))
		return -ENOMEM;
	late.defaults = m->defaults.n - 1;
	return sorter_add(&m->later, d->number, &late, sizeof(late), line, len + 1);
}

/* All shares have all directories, and that of a file has all of its names. */
static bool in_share(const struct manifest *m)
{
	const struct entry *e = &m->entry;
	const char *path = e->type == ENTRY_LINK ? e->target : e->path;
	u64 hash = 0;
	size_t len;

	if (!m->src.o->share.of || e->type == S_IFDIR)
		return true;
	for (; (len = path_next(&path)); path += len)
		hash = xxh64(path, len, hash);
	return share_has(&m->src.o->share, hash);
}

int manifest_add(struct manifest *m, const char *line, size_t len)
{
	struct grow *g = &m->grow;
	const char *name;
	struct grow_dir *d;
	size_t name_len;

	if (!in_share(m))
		return 0;
	g->now = m->records.n + 1;
	d = grow_walk(g, grow_dir_at(g, 0), m->entry.path, &name, &name_len);
	if (!d)
		return -ENOMEM;
	return is_later(m, d) ? put_off(m, d, line, len) : add(m, d, name, name_len);
}

/* It was parsed before, so there is nothing wrong with it by itself. */
static int add_late(void *manifest, void *p)
{
	struct manifest *m = manifest;
	struct late_line *late = p;
	int ret;

	m->line = late->line;
	m->entry.defaults = ((struct entry_attrs *)m->defaults.p)[late->defaults];
	ret = entry_parse(&m->entry, late->text, late->len);
	if (ret < 0)
		return manifest_fail(m, m->line, "%s", m->entry.why);
	ret = manifest_add(m, late->text, late->len);
	return ret == -EINVAL ? 0 : ret;
}

static int add_later(struct manifest *m)
{
	const struct entry_attrs defaults = m->entry.defaults;
	int ret;

	m->grow.sorted = true;
	ret = sorter_each(&m->later, add_late, m);
	m->entry.defaults = defaults;
	return ret;
}

static int plain_dir(void *manifest, struct node *n)
{
	struct manifest *m = manifest;
	const struct entry none = { .type = S_IFDIR, .attrs = m->entry.defaults };

	return set_attrs(m, n, &none);
}

/* Records are in the order of lines: the error is that of the later line. */
static void twice(void *manifest, const struct dir *dir, const struct node *a,
		  const struct node *b)
{
	struct manifest *m = manifest;
	char *path = tree_path(m->src.tree, dir, a, true);

	manifest_fail(m, manifest_record(m, b)->line, "/%s: already in line %u",
		      manifest_show(m, path ? path : ""), manifest_record(m, a)->line);
	free(path);
}

const struct grow_rules manifest_rules = { .plain = plain_dir, .twice = twice };

/* Find the file that a link names.  NULL: the link is wrong or left out. */
static struct node *find_target(struct manifest *m, struct node *n, const struct record *r)
{
	const char *target = n->u.own;
	struct node *to = NULL;
	struct dir *dir;

	if (*target == '/')
		to = tree_find(m->src.tree, target, &dir);
	if (!to)
		manifest_fail(m, r->line, "target: %s: not in the manifest",
			      manifest_show(m, target));
	else if (S_ISDIR(to->mode) || manifest_record(m, to)->origin & RECORD_LINK)
		manifest_fail(m, r->line, "target: %s: is itself type=%s",
			      manifest_show(m, target), S_ISDIR(to->mode) ? "dir" : "link");
	else if (to->flags & NODE_GONE)
		manifest_leave_out(m, n, r->line, "target: %s: cannot be read",
				   manifest_show(m, target));
	else
		return to;
	return NULL;
}

/* Make the node a name of its file; it keeps the record of its own line. */
static int end_link(struct manifest *m, struct node *n)
{
	struct record *r = manifest_record(m, n);
	const struct record *file;
	struct node *to = find_target(m, n, r);

	if (!to)
		return 0;
	file = manifest_record(m, to);
	r->origin |= file->origin;
	r->offset = file->offset;
	return node_join(m->src.tree, n, to);
}

static int end_links(struct manifest *m, struct dir *dir)
{
	int ret = 0;

	tree_pass(m->src.tree, dir);
	for (u32 i = 0; !ret && i < dir->count; i++) {
		if (!dir->nodes[i].mode)
			ret = end_link(m, &dir->nodes[i]);
	}
	return ret;
}

int manifest_finish(struct manifest *m)
{
	const struct grow *g = &m->grow;
	int ret = add_later(m) ?: grow_end(&m->grow);
	/* after errors, links may have no target just because of these */
	const bool wrong = m->errors;

	for (size_t i = 0; !ret && !wrong && m->links && i < g->dirs.n; i++)
		ret = end_links(m, &grow_dir_at(g, i)->dir);
	if (!ret && m->errors)
		ret = -EINVAL;
	return ret || !m->src.tree->gone ? ret : tree_prune(m->src.tree);
}
