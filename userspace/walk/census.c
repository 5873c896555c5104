// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of a tree: files by the ending of their names, and by size.  No content is read, and
 * memory does not grow with the tree: endings beyond a number of different ones, which nobody's
 * data has, are not told apart.
 */
#include <ctype.h>

#include "census.h"
#include "table.h"

#define ENDINGS_MAX	65536

/**
 * struct taker - state of a walk
 * @endings: those so far: struct census_ending
 */
struct taker {
	struct census *c;
	struct table endings;
};

static void add(struct census_sum *s, u64 bytes)
{
	s->files++;
	s->bytes += bytes;
}

/* "jpg" of "a.b.JPG".  Return: false if there is none, or one that looks like no word. */
static bool ending_of(const char *name, char ending[CENSUS_ENDING])
{
	const char *dot = strrchr(name, '.');
	size_t n = 0;

	if (!dot || dot == name || !dot[1])
		return false;
	for (dot++; dot[n]; n++) {
		if (n == CENSUS_ENDING - 1 || !isalnum((unsigned char)dot[n]))
			return false;
		ending[n] = tolower((unsigned char)dot[n]);
	}
	ending[n] = '\0';
	return true;
}

static int count_ending(struct taker *t, const char *name, u64 bytes)
{
	struct census_ending key = { 0 }, *e = NULL;

	if (ending_of(name, key.name)) {
		e = table_find(&t->endings, key.name);
		if (!e && t->endings.list.n < ENDINGS_MAX) {
			e = table_add(&t->endings, key.name);
			if (!e)
				return -ENOMEM;
		}
	}
	add(e ? &e->sum : &t->c->rest, bytes);
	return 0;
}

static unsigned int size_class(u64 bytes)
{
	unsigned int n = 0;

	for (; bytes; bytes >>= 2)
		n++;
	return n < CENSUS_SIZES ? n : CENSUS_SIZES - 1;
}

static int enter(void *arg, const struct walk_entry *e)
{
	const struct dsfs_attr *a = &e->node.attr;
	struct taker *t = arg;
	struct census *c = t->c;

	if (e->first)
		return 0;
	if (!S_ISREG(a->mode)) {
		*(S_ISDIR(a->mode) ? &c->dirs : S_ISLNK(a->mode) ? &c->symlinks : &c->others) += 1;
		return 0;
	}
	add(&c->files, a->size);
	add(&c->sizes[size_class(a->size)], a->size);
	return count_ending(t, e->name, a->size);
}

/* Put an ending in its place among those of most bytes; the one that falls out is the rest's. */
static void rank(struct census *c, struct census_ending e)
{
	struct census_ending out;

	for (unsigned int i = 0; i < c->nr; i++) {
		if (e.sum.bytes <= c->endings[i].sum.bytes)
			continue;
		out = c->endings[i];
		c->endings[i] = e;
		e = out;
	}
	if (c->nr < CENSUS_TOP) {
		c->endings[c->nr++] = e;
		return;
	}
	c->rest.files += e.sum.files;
	c->rest.bytes += e.sum.bytes;
}

int census_take(struct view *v, struct census *c)
{
	static const struct walk_ops ops = { .enter = enter };
	struct taker t = { .c = c };
	const struct census_ending *e;
	int ret;

	*c = (struct census){ 0 };
	ret = table_init(&t.endings, sizeof(*e), CENSUS_ENDING) ?: view_walk(v, NULL, &ops, &t);
	if (ret == -ENOMEM)
		view_error(v, v->img.path, "walk", ret, NULL);
	e = t.endings.list.p;
	for (size_t i = 0; i < t.endings.list.n; i++)
		rank(c, e[i]);
	table_free(&t.endings);
	return ret ? -1 : 0;
}
