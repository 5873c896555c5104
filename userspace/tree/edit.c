// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the tree of an image.  The nodes of a directory are a sorted array, in which a name
 * is found without any index.  So that stays as it is up to the end: what goes is marked, and what
 * comes is in a list of its own, which is searched first.  A directory that is moved takes along
 * what is below it, whose nodes know nothing of that: up to the end no directory knows a new
 * parent.  So a source can be read meanwhile by its own paths, of which names were taken.
 */
#include <stdarg.h>

#include "edit_names.h"
#include "format.h"
#include "list.h"
#include "msg.h"

int edit_say(struct edit *e, const char *path, const char *fmt, ...)
{
	char text[512], shown[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (e->lenient || ++e->errors > EDIT_TOLD)
		return 0;
	if (!path)
		msg_error(e->list, "line %u: %s", e->line, text);
	else if (e->list)
		msg_error(e->list, "line %u: %s: %s", e->line,
			  msg_escape(shown, sizeof(shown), path), text);
	else
		msg_error(path, "%s", text);
	return 0;
}

int edit_begin(struct edit *e, struct tree *t)
{
	*e = (struct edit){ .tree = t, .added.size = sizeof(struct edit_name *), .line = 1 };
	xattr_list_init(&e->items);
	return hash_init(&e->names, 0) ?:
	       table_init(&e->linked, sizeof(struct edit_linked), sizeof(struct edit_file));
}

void edit_free(struct edit *e)
{
	array_free(&e->added);
	hash_free(&e->names);
	table_free(&e->linked);
	array_free(&e->items.items);
	free(e->set);
}

static u64 hash_of(const struct dir *d, const char *name, size_t len)
{
	return xxh64(name, len, (uintptr_t)d);
}

struct node *edit_find_name(const struct edit *e, const struct dir *d, const char *name,
			    size_t len, const struct node **gone)
{
	size_t cursor = 0;
	struct node *n;
	u32 number;

	*gone = NULL;
	while (e->added.n && (number = hash_next(&e->names, hash_of(d, name, len), &cursor))) {
		struct edit_name *a = added_at(e, number - 1);

		if (a->dir != d || node_len(&a->node) != len ||
		    memcmp(node_name(&a->node), name, len))
			continue;
		if (!(a->node.flags & NODE_AWAY))
			return &a->node;
		*gone = &a->node;
	}
	n = dir_find(d, name, len);
	if (!n || !(n->flags & NODE_AWAY))
		return n;
	*gone = *gone ? *gone : n;
	return NULL;
}

/* Whether the next name of a path can be looked for in @n.  What is wrong with it is said. */
static bool can_go(struct edit *e, const char *path, const struct node *n, const struct node *gone,
		   const char *name, size_t len)
{
	if (len > DSFS_NAME_MAX)
		edit_say(e, path, "a name of %zu bytes: the limit is %d", len, DSFS_NAME_MAX);
	else if (len == 2 && !memcmp(name, "..", 2))
		edit_say(e, path, "has ..");
	else if (!n)
		edit_say(e, path, "its directory is not there%s",
			 gone ? ": it was removed or moved before" : "");
	else if (!S_ISDIR(n->mode))
		edit_say(e, path, "leads through what is no directory");
	else
		return true;
	return false;
}

struct edit_name *edit_put(struct edit *e, const struct node *n, const struct edit_at *to)
{
	struct edit_name *a = arena_zalloc(&e->tree->arena, sizeof(*a));

	if (a) {
		a->node = *n;
		a->node.flags &= ~NODE_AWAY;
		a->dir = to->dir;
		a->line = e->line;
	}
	if (a && !node_set_name(&e->tree->arena, &a->node, to->name, to->len) &&
	    !array_append(&e->added, &a) &&
	    !hash_add(&e->names, hash_of(to->dir, to->name, to->len), e->added.n)) {
		if (e->touch)
			to->above->mtime = e->now;
		return a;
	}
	e->errors++;
	no_memory();
	return NULL;
}

/* Make a directory that is missing. */
static bool make_dir(struct edit *e, struct edit_at *at)
{
	struct node n = {
		.mode = S_IFDIR | 0755, .mtime = e->now, .owner = e->tree->root.owner,
	};
	struct edit_name *a = node_new_dir(&e->tree->arena, &n, at->dir) ? edit_put(e, &n, at) :
			      NULL;

	if (!a)
		return false;
	at->node = &a->node;
	e->put++;
	return true;
}

bool edit_find(struct edit *e, const char *path, struct edit_at *at, bool make)
{
	const struct node *gone = NULL;
	const char *next = path;
	size_t len;

	*at = (struct edit_at){ .node = &e->tree->root };
	for (; (len = path_next(&next)); next += len) {
		if (make && !at->node && !make_dir(e, at))
			return false;
		if (!can_go(e, path, at->node, gone, next, len))
			return false;
		at->above = at->node;
		at->dir = at->node->u.dir;
		at->node = edit_find_name(e, at->dir, next, len, &gone);
		at->name = next;
		at->len = len;
	}
	return true;
}

/* The same of a name that has to be there. */
static bool find_there(struct edit *e, const char *path, struct edit_at *at)
{
	const struct node *gone = NULL;

	if (!edit_find(e, path, at, false))
		return false;
	if (at->node)
		return true;
	if (at->name)
		edit_find_name(e, at->dir, at->name, at->len, &gone);
	if (gone && e->list)
		edit_say(e, path, "is not there: line %u removed or moved it", gone->xattrs);
	else
		edit_say(e, path, gone ? "is named twice" : "is not there%s", list_hint(path));
	return false;
}

bool edit_is_dir(struct edit *e, const char *path)
{
	const struct node *n = &e->tree->root, *gone;
	size_t len;

	for (; n && S_ISDIR(n->mode) && (len = path_next(&path)); path += len)
		n = len > DSFS_NAME_MAX ? NULL : edit_find_name(e, n->u.dir, path, len, &gone);
	return n && S_ISDIR(n->mode);
}

void edit_take(struct edit *e, const struct edit_at *at, bool moved)
{
	/* of a source it may be read later, for this name or for others of its file */
	at->node->flags |= moved || at->node->flags & NODE_LINK ? NODE_LEFT : NODE_GONE;
	/* its attributes are of no use any more */
	at->node->xattrs = e->line;
	e->taken++;
	if (e->touch)
		at->above->mtime = e->now;
}

int edit_remove(struct edit *e, const char *path, bool recursive)
{
	struct edit_at at;

	if (!find_there(e, path, &at))
		return 0;
	if (!at.dir)
		return edit_say(e, path, "is the root, which stays");
	if (S_ISDIR(at.node->mode) && !recursive)
		return edit_say(e, path, "is a directory: see -r, or \"recursive\" of a batch");
	edit_take(e, &at, false);
	e->removed++;
	return 0;
}

/* What was put in the place of a name; NULL: it was there. */
static struct edit_name *put_of(const struct edit_at *at)
{
	const struct dir *d = at->dir;

	return at->node >= d->nodes && at->node < d->nodes + d->count ? NULL :
	       (struct edit_name *)at->node;
}

/* Whether a path leads through a directory, as it is now */
static bool leads_through(const struct edit *e, const char *path, const struct dir *d)
{
	const struct node *n = &e->tree->root, *gone;
	size_t len;

	for (; n && S_ISDIR(n->mode) && n->u.dir != d && (len = path_next(&path)); path += len)
		n = edit_find_name(e, n->u.dir, path, len, &gone);
	return n && S_ISDIR(n->mode) && n->u.dir == d;
}

int edit_move(struct edit *e, const char *from, const char *to)
{
	struct edit_at old, new;
	struct edit_name *a, *was;

	if (!find_there(e, from, &old) || !edit_find(e, to, &new, false))
		return 0;
	if (!old.dir)
		return edit_say(e, from, "is the root, which stays");
	if (new.node)
		return edit_say(e, to, "is there already");
	if (S_ISDIR(old.node->mode) && leads_through(e, to, old.node->u.dir))
		return edit_say(e, from, "cannot be moved below itself");
	a = edit_put(e, old.node, &new);
	if (!a)
		return 0;
	was = put_of(&old);
	a->from = was ? was->from : S_ISDIR(old.node->mode) ? NULL : old.node;
	edit_take(e, &old, true);
	e->moved++;
	return 0;
}

/* Which prefix of the format a name has; 0: none that can be set. */
static u8 split_name(struct xattr_item *it)
{
	for (u8 i = DSFS_XATTR_USER; i < DSFS_XATTR_ACL_ACCESS; i++) {
		const char *prefix = dsfs_xattr_prefix(i);
		const size_t len = strlen(prefix);

		if (strncmp(it->name, prefix, len) || !it->name[len])
			continue;
		it->name += len;
		it->len = strlen(it->name);
		it->prefix = i;
		return i;
	}
	return 0;
}

static struct xattr_item *find_item(const struct array *items, const struct xattr_item *like)
{
	struct xattr_item *it = (struct xattr_item *)items->p;

	for (size_t i = 0; i < items->n; i++, it++) {
		if (it->prefix == like->prefix && it->len == like->len &&
		    !memcmp(it->name, like->name, like->len))
			return it;
	}
	return NULL;
}

/* List the attributes that a node has. */
static int list_items(struct edit *e, const struct node *n)
{
	const struct xset *set = n->xattrs ? xsets_at(&e->tree->xsets, n->xattrs) : NULL;
	struct dsfs_xattr_info info;
	struct dsfs_err err;
	u32 count, cursor;
	int ret;

	xattr_list_clear(&e->items);
	if (!set)
		return 0;
	ret = dsfs_xattr_first(set->p, set->bytes, &count, &cursor, &err);
	while (!ret && (ret = dsfs_xattr_next(set->p, set->bytes, &cursor, &info, &err)) == 1) {
		const struct xattr_item it = {
			.prefix = info.prefix, .name = info.name, .len = info.name_len,
			.value = info.value, .value_len = info.value_len,
		};

		ret = array_append(&e->items.items, &it);
	}
	return ret;
}

static int set_item(struct edit *e, const char *path, struct xattr_item it)
{
	struct array *items = &e->items.items;
	struct xattr_item *have;
	char shown[DSFS_NAME_MAX];

	msg_escape(shown, sizeof(shown), it.name);
	if (!split_name(&it))
		return edit_say(e, path, "%s: not an extended attribute that can be set", shown);
	have = find_item(items, &it);
	if (it.value && !have)
		return array_append(items, &it);
	if (it.value)
		*have = it;
	else if (have)
		*have = ((struct xattr_item *)items->p)[--items->n];
	else
		edit_say(e, path, "%s: has no such extended attribute", shown);
	return 0;
}

static int set_xattrs(struct edit *e, const char *path, struct node *n, const struct array *xattrs)
{
	const struct xattr_item *it = (const struct xattr_item *)xattrs->p;
	char why[XATTR_WHY];
	int ret = list_items(e, n);

	for (size_t i = 0; !ret && i < xattrs->n; i++)
		ret = set_item(e, path, it[i]);
	n->xattrs = 0;
	n->flags &= ~NODE_ACL;
	ret = ret ?: xattr_set_make(&e->tree->xsets, &e->items, &e->set, n, why);
	return ret == -EINVAL || ret == -E2BIG ? edit_say(e, path, "%s", why) : ret;
}

/* The permissions of a file with an access ACL are those of the ACL. */
static int set_mode(struct edit *e, const char *path, struct node *n, u32 mode)
{
	const struct xattr_item acl = { .prefix = DSFS_XATTR_ACL_ACCESS, .name = "" };
	int ret = n->flags & NODE_ACL ? list_items(e, n) : 0;

	if (ret)
		return ret;
	if (S_ISLNK(n->mode))
		return edit_say(e, path, "is a symlink, whose mode cannot be set");
	if (n->flags & NODE_ACL && find_item(&e->items.items, &acl))
		return edit_say(e, path, "has an ACL, which says the mode");
	n->mode = (n->mode & S_IFMT) | mode;
	return 0;
}

/* The node whose attributes count: all names of a file have the same. */
static struct node *attrs_of(struct edit *e, struct node *n)
{
	struct edit_file key;
	struct edit_linked *l;

	if (!(n->flags & NODE_LINK))
		return n;
	key = edit_file_of(n);
	l = table_find(&e->linked, &key);
	if (l)
		return &l->node;
	l = table_add(&e->linked, &key);
	if (!l)
		return NULL;
	l->node = *n;
	return &l->node;
}

int edit_set(struct edit *e, const char *path, const struct edit_attrs *a)
{
	struct edit_at at;
	struct node *n;
	int ret = 0;

	if (!find_there(e, path, &at))
		return 0;
	n = attrs_of(e, at.node);
	if (!n)
		return -ENOMEM;
	if (a->set_uid || a->set_gid) {
		const struct owner was = *owners_at(&e->tree->owners, n->owner);
		const s64 owner = owners_get(&e->tree->owners, a->set_uid ? a->uid : was.uid,
					     a->set_gid ? a->gid : was.gid);

		if (owner < 0)
			return owner;
		n->owner = owner;
	}
	if (a->set_mtime)
		n->mtime = a->mtime;
	if (a->set_mode)
		ret = set_mode(e, path, n, a->mode);
	if (!ret && a->xattrs.n)
		ret = set_xattrs(e, path, n, &a->xattrs);
	e->changed++;
	return ret;
}

int edit_keep(struct edit *e, const char *path)
{
	struct edit_at at;

	e->subset = true;
	if (!find_there(e, path, &at))
		return 0;
	at.node->flags |= NODE_WANTED;
	for (struct dir *d = at.dir; d && !(d->self->flags & NODE_ABOVE); d = d->parent)
		d->self->flags |= NODE_ABOVE;
	return 0;
}
