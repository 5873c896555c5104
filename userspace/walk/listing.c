// SPDX-License-Identifier: GPL-2.0
/*
 * What all texts of trees have: one formatter decides everything that could differ by accident:
 * escapes, order of attributes, which name is the first.
 */
#include <search.h>
#include <stdlib.h>

#include "listing.h"

char listing_type(u32 mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return 'f';
	case S_IFDIR:
		return 'd';
	case S_IFLNK:
		return 'l';
	case S_IFCHR:
		return 'c';
	case S_IFBLK:
		return 'b';
	case S_IFIFO:
		return 'p';
	case S_IFSOCK:
		return 's';
	}
	return '?';
}

void listing_escape(FILE *out, const char *s, size_t len)
{
	const char *plain = s;	/* written in one piece: a deep tree has long paths */

	for (; len; s++, len--) {
		unsigned char c = *s;

		if (c > 0x20 && c < 0x7f && c != '\\')
			continue;
		fwrite(plain, 1, s - plain, out);
		fprintf(out, "\\%03o", c);
		plain = s + 1;
	}
	fwrite(plain, 1, s - plain, out);
}

void listing_hex(FILE *out, const void *v, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (const u8 *p = v; len; p++, len--) {
		putc(digits[*p >> 4], out);
		putc(digits[*p & 15], out);
	}
}

static int xattr_cmp(const void *a, const void *b)
{
	const struct listing_xattr *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void listing_sort(struct listing_xattr *xattrs, size_t count)
{
	if (count)
		qsort(xattrs, count, sizeof(*xattrs), xattr_cmp);
}

/* An object with several names, and its first name in the listing; @lost: left out */
struct link_first {
	u64 dev;
	u64 ino;
	bool lost;
	const struct path_part *path;
};

static int link_cmp(const void *a, const void *b)
{
	const struct link_first *x = a, *y = b;

	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static struct link_first *find_link(const struct listing_links *links, u64 dev, u64 ino)
{
	struct link_first key = { .dev = dev, .ino = ino }, **found;

	found = tfind(&key, &links->tree, link_cmp);
	return found ? *found : NULL;
}

const char *listing_first(const struct listing_links *links, u64 dev, u64 ino)
{
	const struct link_first *l = find_link(links, dev, ino);

	return l ? paths_text(&links->paths, l->path, 0) : NULL;
}

int listing_link(struct listing_links *links, u64 dev, u64 ino, u64 nlink,
		 const char *path, const char **first)
{
	struct link_first *l;

	*first = NULL;
	if (nlink < 2)
		return 0;
	*first = listing_first(links, dev, ino);
	if (*first)
		return 0;
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	*l = (struct link_first){ .dev = dev, .ino = ino };
	l->path = paths_add(&links->paths, path);
	if (!l->path || !tsearch(l, &links->tree, link_cmp)) {
		free(l);
		return -ENOMEM;
	}
	return 0;
}

void listing_lose(struct listing_links *links, u64 dev, u64 ino)
{
	struct link_first *l = find_link(links, dev, ino);

	if (l)
		l->lost = true;
}

bool listing_is_lost(const struct listing_links *links, u64 dev, u64 ino)
{
	const struct link_first *l = find_link(links, dev, ino);

	return l && l->lost;
}

void listing_links_free(struct listing_links *links)
{
	tdestroy(links->tree, free);
	links->tree = NULL;
	paths_free(&links->paths);
}
