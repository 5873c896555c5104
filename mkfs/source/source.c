// SPDX-License-Identifier: GPL-2.0
/*
 * Sources for those who read them: which kind one is, its beginning and its end.  The
 * kinds do not know each other, and call nothing here; what they share are trouble.c,
 * file.c and xattr.c.
 */
#include "msg.h"
#include "source.h"

int source_open(struct source **src, const struct source_ops *ops, const struct options *o,
		struct tree *t, unsigned int threads)
{
	*src = calloc(1, ops->bytes);
	if (!*src)
		return no_memory();
	**src = (struct source){ .ops = ops, .o = o, .tree = t, .threads = threads };
	return ops->init ? ops->init(*src) : 0;
}

void source_free(struct source *src)
{
	if (src && src->ops->free)
		src->ops->free(src);
	free(src);
}

int source_recheck(struct source *src)
{
	if (!src->ops->recheck || src->o->allow.changing)
		return 0;
	return src->ops->recheck(src) ?: source_changes(src);
}

int source_set_owner(const struct source *src, struct node *n, u32 uid, u32 gid)
{
	const bool root = src->o->all_root;
	s64 owner = owners_get(&src->tree->owners, root ? 0 : uid, root ? 0 : gid);

	n->owner = owner;
	return owner < 0 ? owner : 0;
}

struct input *input_new(struct source *src)
{
	struct input *in = calloc(1, src->ops->input_bytes);

	if (in)
		in->src = src;
	return in;
}

void input_free(struct input *in)
{
	if (in && in->src->ops->leave)
		in->src->ops->leave(in);
	free(in);
}

bool input_open(struct input *in, struct dir *dir, struct node *n)
{
	in->dir = dir;
	in->node = n;
	in->why = NULL;
	return in->src->ops->open(in);
}

bool input_unchanged(struct input *in)
{
	return !in->src->ops->unchanged || in->src->ops->unchanged(in);
}

void input_close(struct input *in)
{
	if (in->src->ops->close)
		in->src->ops->close(in);
}

int input_pass(struct input *in, char *buf, size_t room,
	       int (*emit)(void *ctx, const char *p, u64 bytes), void *ctx)
{
	const struct source_ops *ops = in->src->ops;
	const u64 size = in->node->size;
	u64 pos = 0, end = size <= room ? size : 0;
	int ret = 0;

	while (!ret && pos < size) {
		u64 from = pos, want;

		if (pos >= end) {
			end = ops->next_data(in, &pos);
			if (pos > from)
				ret = emit(ctx, NULL, pos - from);
			continue;
		}
		want = end - pos < room ? end - pos : room;
		if (!ops->read(in, buf, want, pos))
			return -EIO;
		ret = emit(ctx, buf, want);
		pos += want;
	}
	return ret;
}

bool source_as_is(const struct source *src, char *path)
{
	return patterns_match_any(&src->o->pack.except, path);
}
