// SPDX-License-Identifier: GPL-2.0
/*
 * Trees that are built from paths.
 */
#include "grow.h"
#include "mkfs.h"

#define NAMES	1000
#define DIRS	3000
#define MANY	40000	/* more than are copied for nothing */

static struct tree t;
static struct grow g;
static unsigned int plain, doubles, taken;
static u32 first, second;

static int count_plain(void *source, struct node *n)
{
	plain += n->u.dir && source == &t;
	return 0;
}

static void count_double(void *source, const struct dir *dir, const struct node *a,
			 const struct node *b)
{
	doubles++;
	first = a->source;
	second = b->source;
}

static int take(void *source, struct node *n, struct node *from)
{
	n->mode = from->mode;
	taken += n->name == from->name && n->source == from->source;
	return 0;
}

static const struct grow_rules finds = { .find_files = true, .plain = count_plain, .take = take },
	sorts = { .plain = count_plain, .twice = count_double };

static void begin_limited(const struct grow_rules *rules, u64 memory)
{
	plain = 0;
	doubles = 0;
	taken = 0;
	OK(!tree_init(&t, "source", memory) && !grow_init(&g, &t, rules, &t), "grow: a root");
}

static void begin(const struct grow_rules *rules)
{
	begin_limited(rules, UINT64_MAX);
}

static void end(void)
{
	grow_free(&g);
	tree_free(&t);
}

static struct node *add(struct grow_dir *d, const char *name, size_t len)
{
	struct node *n;

	if (!g.rules->find_files)
		return grow_add(&g, d, name, len);
	n = arena_zalloc(&t.arena, sizeof(*n));
	return n && !grow_put(&g, d, n, name, len) ? n : NULL;
}

/* Add a file.  Return: its directory; NULL: errno says why not. */
static struct grow_dir *file(struct grow_dir *base, const char *path)
{
	const char *name;
	size_t len;
	struct grow_dir *d = grow_walk(&g, base, path, &name, &len);

	return d && add(d, name, len) ? d : NULL;
}

static bool fails(const char *path, int err)
{
	return !file(grow_dir_at(&g, 0), path) && errno == err;
}

static void test_walk(void)
{
	char name300[301];
	struct grow_dir *root, *d, *e;

	begin(&finds);
	memset(name300, 'n', 300);
	name300[300] = '\0';
	root = grow_dir_at(&g, 0);
	d = file(root, "a/b/x");
	e = file(root, "c/x");
	OK(d && file(root, "/a/b/y") == d && file(root, "./a//./b/z") == d &&
	   file(root, "a/b/w") == d && d->dir.count == 4, "grow: one directory, by all its paths");
	OK(e && e != d && file(root, "/c/y") == e && file(root, "cc/x") != e &&
	   file(root, "b/x") != d, "grow: others, of like paths");
	OK(file(e, "a/b/x") != d && file(root, "c/a/b/y") == file(e, "a/b/z"),
	   "grow: paths below another directory");
	OK(fails("a/b/x/y", ENOTDIR) && fails("a/../x", EINVAL) && fails("a/b/..", EINVAL) &&
	   fails(name300, ENAMETOOLONG), "grow: what is no path");
	OK(fails("a/b/x/y/z", ENOTDIR) && file(root, "a/b/v") == d, "grow: and on it goes");
	end();
}

static void test_find(void)
{
	struct grow_dir *root, *d = NULL;
	unsigned int found = 0;
	char path[16];

	begin(&finds);
	root = grow_dir_at(&g, 0);
	for (unsigned int i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "%s/%u", i & 1 ? "odd" : "even", i);
		d = file(root, path);
		if (i == NAMES / 2)
			root->said = d;
	}
	for (unsigned int i = 0; d && i < NAMES; i++) {
		snprintf(path, sizeof(path), "%u", i);
		found += !!grow_find(&g, d, path, strlen(path));
	}
	OK(found == NAMES / 2, "grow: files are found where they are");
	OK(!grow_end(&g) && plain == 2 && t.root_dir->count == 2 && !tree_order(&t) &&
	   taken == NAMES && t.inodes == 1 + 1 + 2 + NAMES && dir_find(t.dirs[1], "998", 3) &&
	   !dir_find(t.dirs[1], "997", 3), "grow: an ordered tree");
	end();
}

/* Directories are left, with few and with many names, and come back to. */
static void test_again(const struct grow_rules *rules, u64 memory)
{
	static const unsigned int bursts[] = { MANY, 5, 100, 1, MANY, 20 };
	unsigned int n = 0, lost = 0;
	char path[32];

	begin_limited(rules, memory);
	for (unsigned int i = 0; i < ARRAY_SIZE(bursts); i++) {
		for (unsigned int k = 0; k < bursts[i]; k++, n++) {
			g.now = n;
			snprintf(path, sizeof(path), "%c/%u", "abcabd"[i], n);
			lost += !file(grow_dir_at(&g, 0), path);
		}
	}
	OK(!lost && !grow_end(&g) && !tree_order(&t) && t.ndirs == 5 && t.inodes == 6 + n,
	   "grow: directories that come again");
	n = 0;
	for (unsigned int i = 0; i < ARRAY_SIZE(bursts); i++) {
		for (unsigned int k = 0; k < bursts[i]; k++, n++) {
			const struct node *node;
			struct dir *d;

			snprintf(path, sizeof(path), "%c/%u", "abcabd"[i], n);
			node = tree_find(&t, path, &d);
			lost += !node || node->source != n;
		}
	}
	OK(!lost, "grow: with all their names");
	end();
}

/* The root is come back to for each directory, as by lists that have lines of directories. */
static void test_root(void)
{
	unsigned int lost = 0;
	char path[32];

	begin_limited(&sorts, 0);
	for (unsigned int i = 0; i < DIRS; i++) {
		snprintf(path, sizeof(path), "%u/x", i);
		lost += !file(grow_dir_at(&g, 0), path + strlen(path) - 1);
		lost += !file(grow_dir_at(&g, 0), path);
	}
	OK(!lost && !grow_end(&g) && !tree_order(&t) && t.ndirs == DIRS + 1,
	   "grow: a directory after the other, and the root in between");
	/* directories have a segment of their own */
	OK(t.overflow->segments.n == 2, "grow: which is copied once");
	end();
}

/* A name becomes another file's. */
static void test_replace(void)
{
	struct node *was, *now;
	struct grow_dir *d;
	const char *name;
	size_t len;

	begin(&finds);
	g.now = 7;
	d = grow_walk(&g, grow_dir_at(&g, 0), "a/x", &name, &len);
	was = add(d, "x", 1);
	add(d, "y", 1);
	g.now = 8;
	now = arena_zalloc(&t.arena, sizeof(*now));
	grow_replace(&g, d, was, now);
	was->name = NULL;
	OK(grow_find(&g, d, "x", 1) == now && now->source == 7, "grow: a node comes in place");
	now->mode = S_IFREG;
	OK(!grow_end(&g) && dir_find(&d->dir, "x", 1)->mode == S_IFREG && d->dir.count == 2,
	   "grow: and stays");
	end();
}

static void test_twice(void)
{
	unsigned int added = 0;

	begin(&sorts);
	/* from the last line to the first one */
	for (g.now = 6; g.now; g.now--)
		added += !!grow_add(&g, grow_dir_at(&g, 0), &"abbdcd"[g.now - 1], 1);
	OK(added == 6 && !grow_end(&g) && doubles == 2 && first == 4 && second == 6,
	   "grow: a name again is told, the later one as such");
	end();
}

TESTS(grow)
{
	test_walk();
	test_find();
	test_again(&sorts, UINT64_MAX);
	test_again(&sorts, 0);
	test_again(&finds, UINT64_MAX);
	test_again(&finds, 0);
	test_root();
	test_twice();
	test_replace();
}
