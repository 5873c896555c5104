// SPDX-License-Identifier: GPL-2.0
/*
 * What a generation alone has in an image: the bytes that the image would be shorter by
 * without it, padding apart.  Generations share data, so this is not what each of them added.
 */
#include "alone.h"
#include "msg.h"
#include "placemap.h"

/**
 * struct user - stored data, and whose it is
 * @from: place of the data
 * @first: index of the first generation that was found to have it
 * @shared: another one has it, too
 */
struct user {
	struct placemap_key from;
	u32 first;
	bool shared;
};

struct measure {
	struct placemap map;
	struct array *list;
};

static struct alone *last(const struct measure *m)
{
	return (struct alone *)m->list->p + m->list->n - 1;
}

/* Count data for the generation that is last in the list. */
static int count_data(struct measure *m, u64 start, u64 stored)
{
	const u32 now = m->list->n - 1;
	struct user *u = placemap_find(&m->map, start, stored);

	if (!u) {
		u = placemap_add(&m->map, start, stored);
		if (!u)
			return -ENOMEM;
		u->first = now;
		last(m)->bytes += stored;
	} else if (u->first != now && !u->shared) {
		((struct alone *)m->list->p)[u->first].bytes -= stored;
		u->shared = true;
	}
	return 0;
}

/* Count all data of a generation.  Return: 0, -ENOMEM, -ECANCELED after a message. */
static int count_inodes(struct dump *d, struct measure *m, struct dsfs_source *src)
{
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	char text[256];
	int ret = 0;
	u64 stored;

	for (u64 ino = DSFS_ROOT_INO; !ret && ino < src->geo.inodes; ino++) {
		ret = image_stored_get(src, ino, &attr, &stored, &err);
		if (ret && ret != -ENOMEM) {
			image_err_text(&err, ret, text, sizeof(text));
			if (dump_count(d, "inode"))
				msg_error(d->img.path, "generation %llu: inode %llu: %s",
					  src->geo.generation, ino, text);
			return -ECANCELED;
		}
		if (!ret && stored)
			ret = count_data(m, attr.start, stored);
	}
	return ret;
}

static int measure_one(struct dump *d, struct measure *m, const struct dsfs_geo *geo)
{
	struct image img = d->img;
	struct alone *one = array_add(m->list);
	struct dsfs_source *src;
	int ret;

	if (!one)
		return -ENOMEM;
	one->generation = geo->generation;
	one->bytes = geo->meta_bytes;
	img.geo = geo;
	src = image_source(&img, 0);
	if (!src)
		return -ENOMEM;
	ret = count_inodes(d, m, src);
	image_source_free(src);
	return ret;
}

int alone_measure(struct dump *d, struct array *list)
{
	struct dsfs_slot now = d->img.slots[d->img.use];
	struct measure m = { .list = list };
	int ret = placemap_init(&m.map, sizeof(struct user));

	*list = (struct array){ .size = sizeof(struct alone) };
	while (!ret) {
		ret = measure_one(d, &m, &now.geo);
		/* dump_generations() says what is wrong with the history */
		if (!ret && image_older(&d->img, &now.geo, &now) != 1)
			break;
	}
	placemap_free(&m.map);
	/* others may share what was not counted */
	if (ret)
		array_free(list);
	if (ret == -ENOMEM)
		msg_error(NULL, "%s", strerror(ENOMEM));
	return ret == -ENOMEM ? ret : 0;
}
