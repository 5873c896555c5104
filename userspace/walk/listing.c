// SPDX-License-Identifier: GPL-2.0
/*
 * What all texts of trees have: one formatter decides everything that could differ by accident:
 * escapes, order of attributes, which name is the first.
 */
#include "listing.h"

const struct object_type *listing_type(u32 mode)
{
	static const struct object_type types[] = {
		{ S_IFREG, 'f', '0', "file" },
		{ S_IFDIR, 'd', '5', "dir" },
		{ S_IFLNK, 'l', '2', "symlink" },
		{ S_IFCHR, 'c', '3', "char" },
		{ S_IFBLK, 'b', '4', "block" },
		{ S_IFIFO, 'p', '6', "fifo" },
		{ S_IFSOCK, 's', '0', "socket" },
		{ 0, '?', '0', "file" },
	};
	const struct object_type *t = types;

	while (t->mode && t->mode != (mode & S_IFMT))
		t++;
	return t;
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
	const struct node_xattr *x = a, *y = b;

	return strcmp(x->name, y->name);
}

void listing_sort(struct node_xattr *xattrs, size_t count)
{
	if (count)
		qsort(xattrs, count, sizeof(*xattrs), xattr_cmp);
}

/* An object with several names, and its first name in the listing; @lost: left out */
struct link_first {
	u64 key[2];
	const struct path_part *path;
	bool lost;
};

static struct link_first *find_link(const struct listing_links *links, u64 dev, u64 ino)
{
	const u64 key[] = { dev, ino };

	return table_find(&links->table, key);
}

const char *listing_first(const struct listing_links *links, u64 dev, u64 ino)
{
	const struct link_first *l = find_link(links, dev, ino);

	return l ? paths_text(&links->paths, l->path, 0) : NULL;
}

int listing_link(struct listing_links *links, u64 dev, u64 ino, u64 nlink,
		 const char *path, const char **first)
{
	const u64 key[] = { dev, ino };
	struct link_first *l = NULL;
	int ret = 0;

	*first = NULL;
	if (nlink < 2)
		return 0;
	*first = listing_first(links, dev, ino);
	if (*first)
		return 0;
	if (!links->table.key)
		ret = table_init(&links->table, sizeof(*l), sizeof(key));
	if (!ret)
		l = table_add(&links->table, key);
	if (l)
		l->path = paths_add(&links->paths, path);
	return l && l->path ? 0 : -ENOMEM;
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
	table_free(&links->table);
	links->table.key = 0;
	paths_free(&links->paths);
}
