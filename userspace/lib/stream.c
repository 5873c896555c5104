// SPDX-License-Identifier: GPL-2.0
/*
 * The contents of a file from begin to end.  They are handed on only after their
 * checksums were compared, so a copy made by a tool is never silently wrong.
 */
#include "stored.h"

/**
 * struct stream_buffer - the part of a file's stored bytes that is in memory
 * @from: first of them, a multiple of STORED_STEP
 * @len: how many
 */
struct stream_buffer {
	struct stored of;
	u64 from;
	u64 len;
	bool verify;
	u8 *buf;
};

/* Bring in the stored bytes around @at. */
static int stream_fill(struct stream_buffer *s, u64 at, struct dsfs_err *err)
{
	struct batch b;
	int ret;

	s->from = at & ~(u64)(STORED_STEP - 1);
	s->len = s->of.bytes - s->from;
	if (s->len > STORED_STEP)
		s->len = STORED_STEP;
	batch_init(&b, &s->of, s->verify, 0);
	ret = batch_add(&b, s->from, s->buf, s->len, err);
	return ret < 0 ? ret : batch_flush(&b, err);
}

static int stream_mapping(struct stream_buffer *s, const struct dsfs_mapping *map,
			  image_data_fn fn, void *arg, struct dsfs_err *err)
{
	u64 done, at, n;
	int ret;

	for (done = 0; done < map->len; done += n) {
		at = map->stored + done;
		if (!s->len || at < s->from || at >= s->from + s->len) {
			ret = stream_fill(s, at, err);
			if (ret)
				return ret;
		}
		n = s->from + s->len - at;
		if (n > map->len - done)
			n = map->len - done;
		ret = fn(arg, map->logical + done, s->buf + (at - s->from), n);
		if (ret)
			return ret;
	}
	return 0;
}

/* The same of a compressed file: a step of content at a time. */
static int stream_units(const struct units *u, image_data_fn fn, void *arg, struct dsfs_err *err)
{
	const u64 size = u->of.attr->size;
	const u64 room = size < STORED_STEP ? size : STORED_STEP;
	u8 *buf = malloc(room);
	int ret = 0;
	u64 pos, n;

	if (!buf)
		return dsfs_bad(err, "memory", room, 0, -ENOMEM);
	for (pos = 0; !ret && pos < size; pos += n) {
		n = size - pos < room ? size - pos : room;
		ret = units_read(u, buf, n, pos, err) ?: fn(arg, pos, buf, n);
	}
	free(buf);
	return ret;
}

static int pass_over(void *arg, u64 pos, const void *data, u64 len)
{
	return 0;
}

int image_stream(struct dsfs_source *src, const struct dsfs_attr *attr,
		 const struct dsfs_extra_info *extra, bool verify, image_data_fn fn,
		 void *arg, struct dsfs_err *err)
{
	struct stream_buffer s = {
		.of = { src, attr, image_stored_bytes(attr, extra) },
		.verify = verify,
	};
	const struct units u = { .of = s.of, .check = verify };
	struct dsfs_mapping map;
	int ret = 0;

	if (!fn)
		fn = pass_over;
	if (attr->flags & DSFS_INODE_COMPRESSED)
		return stream_units(&u, fn, arg, err);
	s.buf = malloc(s.of.bytes < STORED_STEP ? s.of.bytes + 1 : STORED_STEP);
	if (!s.buf)
		return dsfs_bad(err, "memory", STORED_STEP, 0, -ENOMEM);
	for (u64 pos = 0; !ret && pos < attr->size; pos += map.len) {
		ret = dsfs_map(src, attr, extra, pos, &map, err);
		if (ret)
			break;
		if (map.hole)
			ret = fn(arg, pos, NULL, map.len);
		else
			ret = stream_mapping(&s, &map, fn, arg, err);
	}
	free(s.buf);
	return ret;
}
