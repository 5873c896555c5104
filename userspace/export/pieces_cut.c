// SPDX-License-Identifier: GPL-2.0
/*
 * Where pieces end.  It follows from the image alone: superblocks, then of each generation that it
 * keeps its data and its metadata; data is cut where a file begins, if one does near enough to a
 * multiple of the size.  What a list of this image has stays cut as it is.  So pieces of a
 * generation are pieces of the next one, too.
 *
 * What a list has is not even read: an update writes behind the end of an image.  That the list
 * is of this image is shown by the metadata of its generation, which is compared, and which has
 * the checksums of the data.
 */
#include "imagemsg.h"
#include "msg.h"
#include "pieces_put.h"
#include "stop.h"

/* How far before a multiple of the size a file may begin to be cut there: this part of it */
#define NEAR	8

/* @sum: of its bytes, if it is known */
static int add_cut(struct putter *m, u64 end, bool meta, const u8 *sum)
{
	const struct cut *last = m->cuts.n ? cut_at(m, m->cuts.n - 1) : NULL;
	struct cut c = { .start = last ? last->start + last->bytes : 0, .meta = meta };

	c.bytes = end - c.start;
	if (!c.bytes)
		return 0;
	if (sum)
		memcpy(c.sum, sum, sizeof(c.sum));
	if (m->cuts.n == PIECES_MAX)
		return msg_error(m->v->img.path, "more than %d pieces: a larger --size makes fewer",
				 PIECES_MAX);
	return array_append(&m->cuts, &c) ? no_memory() : 0;
}

/* The place to cut at, for each line that a file lies across and begins near enough to */
static void move_lines(const struct image *img, struct dsfs_source *src, u64 from, u64 step,
		       u64 near, struct array *lines)
{
	u64 *at = lines->p, stored, line;
	struct dsfs_attr attr;
	struct dsfs_err err;

	for (u64 ino = DSFS_ROOT_INO; ino < img->geo->inodes && !stop_asked(); ino++) {
		/* whatever is wrong: it is only not cut in front of */
		if (image_stored_get(src, ino, &attr, &stored, &err) || !stored ||
		    attr.start < from)
			continue;
		line = (attr.start - from) / step;
		if (line >= lines->n || from + (line + 1) * step - attr.start > near ||
		    attr.start + stored <= from + (line + 1) * step)
			continue;
		if (attr.start < at[line])
			at[line] = attr.start;
	}
}

/* Cut data of a generation from where the last piece ends, up to @end. */
static int cut_data(struct putter *m, const struct image *img, u64 end)
{
	const struct cut *last = cut_at(m, m->cuts.n - 1);
	const u64 from = last->start + last->bytes, near = m->r->size / NEAR;
	const u64 step = m->r->size - near;
	struct array lines = { .size = sizeof(u64) };
	struct dsfs_source *src;
	int ret = 0;

	for (u64 line = from + step; !ret && line < end && lines.n <= PIECES_MAX; line += step)
		ret = array_append(&lines, &line);
	src = lines.n && !ret ? image_source(img, 0) : NULL;
	if (ret || (lines.n && !src))
		ret = no_memory();
	if (src)
		move_lines(img, src, from, step, near, &lines);
	image_source_free(src);
	for (size_t i = 0; !ret && i < lines.n; i++)
		ret = add_cut(m, ((u64 *)lines.p)[i], false, NULL);
	array_free(&lines);
	return ret ?: add_cut(m, end, false, NULL);
}

static int cut_meta(struct putter *m, u64 end)
{
	const struct cut *last = cut_at(m, m->cuts.n - 1);
	int ret = 0;

	for (u64 at = last->start + last->bytes; !ret && end - at > m->r->size; ) {
		at += m->r->size;
		ret = add_cut(m, at, true, NULL);
	}
	return ret ?: add_cut(m, end, true, NULL);
}

/* Cut what a generation has behind the pieces that there are. */
static int cut_generation(struct putter *m, u64 generation)
{
	const struct cut *last = cut_at(m, m->cuts.n - 1);
	struct image img = m->v->img;
	u64 meta;

	if (image_use_generation(&img, generation))
		return msg_error(img.path, "generation %llu: not readable", generation);
	if (img.geo->image_bytes <= last->start + last->bytes)
		return 0;
	meta = img.geo->meta_start;
	if (meta > last->start + last->bytes && cut_data(m, &img, meta))
		return -1;
	return cut_meta(m, img.geo->image_bytes);
}

/* The generations that the image keeps up to @last, the newest first */
static int list_generations(const struct putter *m, struct array *list)
{
	const struct image *img = &m->v->img;
	struct dsfs_slot now = img->slots[img->use];
	int ret;

	do {
		if (now.geo.generation <= img->geo->generation &&
		    array_append(list, &now.geo.generation))
			return no_memory();
		ret = image_older(img, &now.geo, &now);
	} while (ret == 1);
	return ret ? msg_error(img->path, "generation before %llu: not readable",
			       now.geo.generation) : 0;
}

int pieces_cut_rest(struct putter *m)
{
	struct array list = { .size = sizeof(u64) };
	int ret = list_generations(m, &list);

	if (!ret && !m->cuts.n)
		ret = add_cut(m, DSFS_DATA_START_MIN, true, NULL);
	while (!ret && list.n)
		ret = cut_generation(m, ((u64 *)list.p)[--list.n]);
	array_free(&list);
	return ret;
}

/* The generation that the list is of, if the image keeps it; @img: gets that one */
static bool keeps_old(const struct putter *m, struct image *img)
{
	*img = m->v->img;
	return m->old.n && m->old.generation <= img->geo->generation &&
	       !image_use_generation(img, m->old.generation) &&
	       !memcmp(m->old.uuid, img->geo->uuid, sizeof(m->old.uuid)) &&
	       img->geo->image_bytes == m->old.bytes && m->old.v[0].bytes == DSFS_DATA_START_MIN;
}

/*
 * Take over the cuts of the list, and its sums, if it is of this image: if the last metadata that
 * it has is that of the image.  Of the superblocks nothing is taken, as they are written anew.
 */
int pieces_cut_old(struct putter *m)
{
	bool same = true;
	struct image img;
	struct cut *c;
	u8 sum[PIECES_SUM];

	if (!keeps_old(m, &img))
		return 0;
	for (size_t i = 0; i < m->old.n; i++) {
		const struct piece *p = &m->old.v[i];
		const struct cut was = {
			.start = p->start, .bytes = p->bytes,
			.meta = !i || p->start >= img.geo->meta_start,
		};

		if (add_cut(m, p->start + p->bytes, was.meta, p->sum))
			return -1;
		if (i && was.meta && same) {
			if (pieces_sum(m, &was, sum))
				return -1;
			same = !memcmp(sum, p->sum, sizeof(sum));
		}
	}
	for (size_t i = 1; same && i < m->cuts.n; i++) {
		c = cut_at(m, i);
		c->done = pieces_has(m, c->sum, c->bytes);
	}
	return 0;
}
