// SPDX-License-Identifier: GPL-2.0
/*
 * Order, numbers, hard links, paths and pruning.
 */
#include "plan/layout.h"
#include "tree/tree.h"
#include "mkfs.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * /a (dir: x, y), /b (link to x), /c (dir: d (dir: z, a link to y), e)
 */
static struct tree t;
static struct dir root, a, c, d;
static struct node rn[3], an[2], cn[2], dn[1];
static struct hlink lx, lx2, ly, ly2;

static void dir_init(struct dir *dir, struct dir *parent, struct node *nodes,
		     u32 count)
{
	memset(dir, 0, sizeof(*dir));
	dir->parent = parent;
	dir->nodes = nodes;
	dir->count = count;
	memset(nodes, 0, count * sizeof(*nodes));
}

static void file(struct node *n, const char *name, struct hlink *l, u64 ino)
{
	unit_name(&t.arena, n, name);
	n->mode = S_IFREG;
	if (!l)
		return;
	memset(l, 0, sizeof(*l));
	l->dev = 1;
	l->ino = ino;
	n->flags |= NODE_LINK;
	n->u.link = l;
	t.nlinks++;
}

static void subdir(struct node *n, const char *name, struct dir *dir)
{
	unit_name(&t.arena, n, name);
	n->mode = S_IFDIR;
	n->u.dir = dir;
	dir->self = n;
}

static void tree_make(void)
{
	memset(&t, 0, sizeof(t));
	t.source = "/src/tree/";
	t.root_dir = &root;
	t.root.mode = S_IFDIR;
	t.root.u.dir = &root;
	dir_init(&root, NULL, rn, 3);
	dir_init(&a, &root, an, 2);
	dir_init(&c, &root, cn, 2);
	dir_init(&d, &c, dn, 1);
	root.self = &t.root;
	subdir(&rn[0], "a", &a);
	file(&rn[1], "b", &lx, 10);
	subdir(&rn[2], "c", &c);
	file(&an[0], "x", &lx2, 10);
	file(&an[1], "y", &ly, 11);
	subdir(&cn[0], "d", &d);
	file(&cn[1], "e", NULL, 0);
	file(&dn[0], "z", &ly2, 11);
}

/* Everything belongs to one owner. */
static int lay_out(void)
{
	struct layout layout = { 0 };
	int ret = owners_init(&t.owners);

	if (!ret)
		ret = owners_get(&t.owners, 0, 0) ? -EINVAL : layout_make(&layout, &t);
	layout_free(&layout);
	return ret;
}

static void test_numbers(void)
{
	tree_make();
	OK(!tree_order(&t) && !lay_out(), "tree: ordered and numbered");
	OK(root.ino == 1 && root.first == 2 && a.ino == 2 && c.ino == 4 &&
	   a.first == 5 && c.first == 7 && d.ino == 7 && d.first == 9,
	   "tree: breadth first");
	OK(t.inodes == 10 && t.ndirs == 4 && t.dirs[0] == &root &&
	   t.dirs[1] == &a && t.dirs[2] == &c && t.dirs[3] == &d,
	   "tree: records");
	OK(root.subdirs == 2 && c.subdirs == 1 && !a.subdirs && !d.subdirs,
	   "tree: subdirectories");
	OK(!(rn[1].flags & NODE_HARDLINK) && an[0].flags & NODE_HARDLINK &&
	   rn[1].u.link == an[0].u.link && rn[1].u.link->number == 3 &&
	   rn[1].u.link->names == 2 && rn[1].u.link->first == &rn[1],
	   "tree: the first name is the inode, whatever its depth");
	OK(!(an[1].flags & NODE_HARDLINK) && dn[0].flags & NODE_HARDLINK &&
	   dn[0].u.link->number == 6, "tree: and the other is a hard-link entry");
	OK(!tree_order(&t) && rn[1].u.link->names == 2 && t.inodes == 10,
	   "tree: ordered twice");
	tree_free(&t);
}

static void test_prune(void)
{
	tree_make();
	rn[1].flags |= NODE_GONE;
	cn[0].flags |= NODE_GONE;
	tree_prune(&t);
	OK(!tree_order(&t) && root.count == 2 && c.count == 1 &&
	   t.inodes == 1 + 1 + 2 + 2 + 1 && t.ndirs == 3, "tree: pruned");
	OK(rn[1].u.dir == &c && c.self == &rn[1], "tree: a directory that moved");
	OK(!(an[0].flags & NODE_HARDLINK) && an[0].u.link->names == 1,
	   "tree: a link whose first name is gone");
	tree_free(&t);
}

static void test_too_many(void)
{
	tree_make();
	root.count = 0;
	t.root_dir->count = 0xffffffff;
	OK(tree_order(&t) == -EFBIG, "tree: 2^32-1 names in the root");
	tree_free(&t);
}

static void test_paths(void)
{
	struct dir *dir = NULL;
	char *p;

	tree_make();
	p = tree_path(&t, &d, &dn[0], false);
	OK(p && !strcmp(p, "/src/tree/c/d/z"), "path: whole");
	free(p);
	p = tree_path(&t, &d, &dn[0], true);
	OK(p && !strcmp(p, "c/d/z"), "path: below the source");
	free(p);
	p = tree_path(&t, &c, NULL, true);
	OK(p && !strcmp(p, "c"), "path: of a directory");
	free(p);
	p = tree_path(&t, &root, NULL, true);
	OK(p && !*p, "path: of the source, below itself");
	free(p);
	p = tree_path(&t, &root, NULL, false);
	OK(p && !strcmp(p, "/src/tree"), "path: of the source");
	free(p);
	OK(tree_find(&t, "c/d/z", &dir) == &dn[0] && dir == &d, "find: c/d/z");
	OK(tree_find(&t, "./c//d/z", &dir) == &dn[0], "find: ./c//d/z");
	OK(tree_find(&t, "/c/d/", &dir) == &cn[0] && dir == &c, "find: /c/d/");
	OK(!tree_find(&t, "c/d/y", &dir), "find: what is not there");
	OK(!tree_find(&t, "b/x", &dir), "find: below a file");
	OK(!tree_find(&t, "", &dir), "find: the source itself");
	tree_free(&t);
}

static void test_links(void)
{
	struct dir dir = { .subdirs = 65533 };

	OK(dir_nlink(&dir) == 65535, "links: 65,533 subdirectories");
	dir.subdirs++;
	OK(dir_nlink(&dir) == 1, "links: one more");
	dir.subdirs = 0;
	OK(dir_nlink(&dir) == 2, "links: none");
}

static void test_arena(void)
{
	struct arena one = { 0 }, two = { 0 };
	unsigned int i, bad = 0;
	char *p;

	for (i = 1; i < 5000; i++) {
		p = arena_alloc(i & 1 ? &one : &two, i, 1 << (i % 5));
		if (!p)
			exit(1);
		bad += (uintptr_t)p % (1 << (i % 5)) != 0;
		memset(p, i, i);	/* the sanitizer looks on */
	}
	arena_join(&one, &two);
	OK(!bad && !two.chunks, "arena: aligned pieces of any size");
	arena_free(&one);
}

TESTS(tree)
{
	test_numbers();
	test_prune();
	test_too_many();
	test_paths();
	test_links();
	test_arena();
}
