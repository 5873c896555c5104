// SPDX-License-Identifier: GPL-2.0
/*
 * The canonical listing.  Nearly every test compares listings, so there is one
 * formatter, which decides everything that could differ by accident: escapes,
 * rounding of times, order of attributes, which name is the first.
 */
#include <search.h>
#include <stdlib.h>

#include "listing.h"

/* x^0 is the top bit, as crc32c is defined */
#define CRC32C_POLY	0x82f63b78U

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

static void escape(FILE *out, const char *s, size_t len, const char *also)
{
	const char *plain = s;	/* written in one piece: a deep tree has long paths */

	for (; len; s++, len--) {
		unsigned char c = *s;

		if (c > 0x20 && c < 0x7f && c != '\\' && !(*also && strchr(also, c)))
			continue;
		fwrite(plain, 1, s - plain, out);
		fprintf(out, "\\%03o", c);
		plain = s + 1;
	}
	fwrite(plain, 1, s - plain, out);
}

void listing_escape(FILE *out, const char *s, size_t len)
{
	escape(out, s, len, "");
}

void listing_hex(FILE *out, const void *v, size_t len)
{
	static const char digits[] = "0123456789abcdef";

	for (const u8 *p = v; len; p++, len--) {
		putc(digits[*p >> 4], out);
		putc(digits[*p & 15], out);
	}
}

static void column(FILE *out, const char *s)
{
	putc('\t', out);
	escape(out, s, strlen(s), "");
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

static void print_xattrs(FILE *out, const struct listing_entry *e)
{
	putc('\t', out);
	if (e->xattrs_error)
		fprintf(out, "!%d", e->xattrs_error);
	else if (!e->nr_xattrs)
		putc('-', out);
	listing_sort(e->xattrs, e->nr_xattrs);
	for (size_t i = 0; i < e->nr_xattrs; i++) {
		if (i)
			putc(',', out);
		escape(out, e->xattrs[i].name, strlen(e->xattrs[i].name), ",=");
		putc('=', out);
		listing_hex(out, e->xattrs[i].value, e->xattrs[i].len);
	}
}

static void print_mtime(FILE *out, const struct listing_entry *e)
{
	fprintf(out, "\t%lld.%09u", e->mtime_sec, e->mtime_nsec);
}

static void print_content(FILE *out, const struct listing_entry *e)
{
	if (S_ISLNK(e->mode) && e->target_error)
		fprintf(out, "\t!%d", e->target_error);
	else if (S_ISLNK(e->mode))
		column(out, e->target);
	else if (!S_ISREG(e->mode))
		fputs("\t-", out);
	else if (e->sum_error < 0)
		fputs("\t-", out);
	else if (e->sum_error)
		fprintf(out, "\t!%d", e->sum_error);
	else
		fprintf(out, "\t%08x", e->sum);
}

void listing_print(FILE *out, const struct listing_entry *e)
{
	u64 size = S_ISREG(e->mode) || S_ISLNK(e->mode) ? e->size : 0;

	escape(out, e->path, strlen(e->path), "");
	fprintf(out, "\t%c\t%04o\t%u\t%u\t%llu\t%llu", listing_type(e->mode), e->mode & 07777,
		e->uid, e->gid, e->nlink, size);
	print_mtime(out, e);
	if (S_ISCHR(e->mode) || S_ISBLK(e->mode))
		fprintf(out, "\t%u:%u", e->rdev_major, e->rdev_minor);
	else
		fputs("\t-", out);
	column(out, e->link ? e->link : "-");
	print_content(out, e);
	print_xattrs(out, e);
	putc('\n', out);
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

/* Multiply two polynomials modulo that of crc32c. */
static u32 crc_mul(u32 a, u32 b)
{
	u32 p = 0, bit;

	for (bit = 1U << 31; bit; bit >>= 1) {
		if (a & bit)
			p ^= b;
		b = b & 1 ? b >> 1 ^ CRC32C_POLY : b >> 1;
	}
	return p;
}

u32 listing_crc_zeros(u32 sum, u64 len)
{
	u32 power = 1U << 23;	/* x^8: a byte of zeros multiplies by it */
	u32 state = ~sum;

	for (; len; len >>= 1) {
		if (len & 1)
			state = crc_mul(power, state);
		power = crc_mul(power, power);
	}
	return ~state;
}
