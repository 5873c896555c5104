// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the metadata: inode numbers, and the places of symlink targets and xattr sets.
 * Inodes refer to these places, and the regions are written in their order, so they are decided
 * once, after the data phase has shown which files can be read.
 */
#include "layout.h"

static void number_inodes(struct tree *t)
{
	u32 next = DSFS_ROOT_INO + 1;

	t->root_dir->ino = DSFS_ROOT_INO;
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = tree_dir(t, i);

		d->first = next;
		next += d->count;
		for (u32 k = 0; k < d->count; k++) {
			struct node *n = &d->nodes[k];

			if (n->flags & NODE_HARDLINK)
				continue;
			if (n->flags & NODE_LINK)
				n->u.link->number = d->first + k;
			else if (S_ISDIR(n->mode))
				n->u.dir->ino = d->first + k;
		}
	}
}

static int number_owner(struct layout *l, struct tree *t, const struct node *n)
{
	struct owner *o = owners_at(&t->owners, n->owner);

	if (o->final)
		return 0;
	if (array_append(&l->owners, &n->owner))
		return -ENOMEM;
	o->final = l->owners.n;
	return 0;
}

/* What has up to a block crosses no block; what is longer begins with one. */
static u64 place_behind(u64 end, u64 bytes)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1;

	if (bytes > DSFS_BLOCK_SIZE || (end & mask) + bytes > DSFS_BLOCK_SIZE)
		return (end + mask) & ~mask;
	return end;
}

static int place_xset(struct layout *l, struct tree *t, const struct node *n)
{
	struct xset *set = n->xattrs ? xsets_at(&t->xsets, n->xattrs) : NULL;

	if (!set || set->placed)
		return 0;
	if (array_append(&l->xsets, &n->xattrs))
		return -ENOMEM;
	set->off = place_behind(l->xattrs_end, set->bytes);
	set->placed = true;
	l->xattrs_end = set->off + set->bytes;
	return 0;
}

static void place_symlink(struct layout *l, struct node *n)
{
	struct symlink *s = node_data(n)->symlink;

	s->start = place_behind(l->symlinks_end, n->size);
	l->symlinks_end = s->start + n->size;
}

static int place_node(struct layout *l, struct tree *t, struct node *n)
{
	if (n->flags & NODE_HARDLINK)
		return 0;
	if (S_ISLNK(n->mode))
		place_symlink(l, n);
	return number_owner(l, t, n) ?: place_xset(l, t, n);
}

/* Forget what another layout has decided. */
static void begin(struct tree *t)
{
	for (u32 i = 0; i < t->owners.table.list.n; i++)
		owners_at(&t->owners, i)->final = 0;
	for (u32 i = 1; i <= t->xsets.list.n; i++)
		xsets_at(&t->xsets, i)->placed = false;
}

int layout_make(struct layout *l, struct tree *t)
{
	struct tree_walk walk = { 0 };
	struct node *n;
	int ret;

	begin(t);
	*l = (struct layout){ .owners.size = sizeof(u32), .xsets.size = sizeof(u32) };
	number_inodes(t);
	ret = place_node(l, t, &t->root);
	while (!ret && (n = tree_next(t, &walk)))
		ret = place_node(l, t, n);
	return ret;
}

void layout_free(struct layout *l)
{
	array_free(&l->owners);
	array_free(&l->xsets);
}
