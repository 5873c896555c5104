// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of a tree.  Files that share a key lie side by side in a directory only as
 * far as no other name sorts between them ("a.cls", "a.d/x", "a.jpg"), so the paths of all
 * files are collected and sorted by key.  A file is its path and its inode number here; the
 * rest is read again when it is written.
 */
#include "list.h"
#include "msg.h"
#include "samples.h"

/* Entries of a list that are named if the image lacks them */
#define NAMED_MAX	5

/*
 * Length of the key at the start of a path: up to the first dot of the last name, as for readers of
 * WebDataset; a path without one is a key as a whole.
 */
static size_t key_len(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strchr(name, '.');

	return dot ? (size_t)(dot - path) : strlen(path);
}

static int key_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return memcmp(a, b, a_len < b_len ? a_len : b_len) ?: array_order(a_len, b_len);
}

static int path_cmp(const char *x, const char *y)
{
	return key_cmp(x, key_len(x), y, key_len(y)) ?: strcmp(x, y);
}

static int file_cmp(const void *a, const void *b, void *arg)
{
	const struct sample_file *f = a, *g = b;
	const struct samples *s = arg;

	return path_cmp(paths_text(&s->paths, f->path, 0), paths_text(&s->paths, g->path, 1));
}

static int rank_cmp(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return array_order(x->rank, y->rank) ?: array_order(x->first, y->first);
}

static int add_file(void *arg, const struct walk_entry *e)
{
	struct samples *s = arg;
	struct sample_file *f;

	if (S_ISDIR(e->node.attr.mode))
		return 0;
	if (!S_ISREG(e->node.attr.mode)) {
		s->others++;
		return 0;
	}
	f = array_add(&s->files);
	if (!f)
		return -ENOMEM;
	f->ino = e->ino;
	f->path = paths_add(&s->paths, e->path);
	return f->path ? 0 : -ENOMEM;
}

static bool same_key(const struct samples *s, const struct sample_file *a,
		     const struct sample_file *b)
{
	const char *x = paths_text(&s->paths, a->path, 0), *y = paths_text(&s->paths, b->path, 1);

	return !key_cmp(x, key_len(x), y, key_len(y));
}

/* Whether the order of the walk is that of keys, as it mostly is. */
static bool in_order(const struct samples *s)
{
	const struct sample_file *f = (const struct sample_file *)s->files.p;

	for (u64 i = 1; i < s->files.n; i++)
		if (file_cmp(&f[i - 1], &f[i], (void *)s) > 0)
			return false;
	return true;
}

/* Make samples of the files, which are in order. */
static int group(struct samples *s)
{
	const struct sample_file *f = (const struct sample_file *)s->files.p;
	struct sample *last = NULL;

	for (u64 i = 0; i < s->files.n; i++) {
		if (!last || !same_key(s, &f[i - 1], &f[i])) {
			last = array_add(&s->list);
			if (!last)
				return -ENOMEM;
			last->first = i;
			last->rank = UINT64_MAX;
		}
		last->count++;
	}
	return 0;
}

int samples_collect(struct samples *s, struct view *v, struct filter *f)
{
	static const struct walk_ops ops = { .enter = add_file };
	int ret;

	s->files.size = sizeof(struct sample_file);
	s->list.size = sizeof(struct sample);
	ret = view_walk(v, f, &ops, s);
	if (ret)
		return ret;
	filter_check(v, f);
	if (!in_order(s))
		qsort_r(s->files.p, s->files.n, s->files.size, file_cmp, s);
	return group(s);
}

/*
 * Find the sample of a key, which has no slash in front, by binary search: samples are in
 * the order of keys.
 */
static struct sample *find_sample(const struct samples *s, const char *key, size_t len)
{
	struct sample *list = (struct sample *)s->list.p;
	u64 from = 0, to = s->list.n;

	while (from < to) {
		const u64 mid = from + (to - from) / 2;
		const char *path = samples_path(s, samples_file(s, &list[mid], 0)) + 1;
		const int ret = key_cmp(key, len, path, key_len(path));

		if (!ret)
			return &list[mid];
		if (ret < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return NULL;
}

struct ranks {
	struct samples *s;
	const char *list;
	u64 missing;
};

static int order_line(void *ctx, char *line, size_t len, u64 number)
{
	struct ranks *o = ctx;
	struct sample *found = NULL;
	const char *path = line;

	while (*path == '/' || (path[0] == '.' && path[1] == '/'))
		path++;
	if (!memchr(line, 0, len))
		found = find_sample(o->s, path, key_len(path));
	if (found && number < found->rank)
		found->rank = number;
	if (!found && o->missing++ < NAMED_MAX)
		msg_warn(o->list, "entry %llu: %s: no sample of the image%s", number, line,
			 list_hint(line));
	return 0;
}

int samples_order(struct samples *s, const char *list, bool null)
{
	struct ranks o = { .s = s, .list = list };
	int ret = list_read(list, null, order_line, &o);

	if (ret)
		return ret;
	if (o.missing > NAMED_MAX)
		msg_warn(list, "%llu entr%s: no sample of the image", o.missing,
			 msg_ies(o.missing));
	if (s->list.n)
		qsort(s->list.p, s->list.n, s->list.size, rank_cmp);
	return 0;
}

void samples_free(struct samples *s)
{
	array_free(&s->files);
	array_free(&s->list);
	paths_free(&s->paths);
}
