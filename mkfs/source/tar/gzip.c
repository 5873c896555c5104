// SPDX-License-Identifier: GPL-2.0
/*
 * Archives by gzip.  libarchive does not look at the checksums there, so zlib decompresses,
 * which does: a damaged archive is not to become an image.
 */
#ifndef DSFS_NO_ZLIB
#include <zlib.h>

#include "tar_bytes.h"

#define OUT_BYTES	(128 << 10)
#define GZIP_WINDOW	31	/* the largest, and gzip's frame around it */

/**
 * struct tar_gzip - the state of a file
 * @between: behind a member; there may be another one
 */
struct tar_gzip {
	z_stream z;
	bool between;
	bool end;
	char out[OUT_BYTES];
};

int tar_gzip_open(struct tar_bytes *b)
{
	b->gzip = calloc(1, sizeof(*b->gzip));
	if (!b->gzip || inflateInit2(&b->gzip->z, GZIP_WINDOW) != Z_OK)
		return tar_bytes_bad(b, "cannot decompress", -ENOMEM);
	return 0;
}

/* More of the file.  Return: 1; 0 at its end; -errno. */
static int more(struct tar_bytes *b, z_stream *z)
{
	const char *p;
	ssize_t n;

	if (z->avail_in)
		return 1;
	n = tar_bytes_raw(b, &p);
	z->next_in = (void *)p;
	z->avail_in = n > 0 ? n : 0;
	return n < 0 ? n : !!n;
}

/* Zeros may fill the rest of a tape's block. */
static int skip_zeros(struct tar_bytes *b, struct tar_gzip *g)
{
	int ret = more(b, &g->z);

	for (; ret == 1 && !*g->z.next_in; ret = more(b, &g->z)) {
		g->z.next_in++;
		g->z.avail_in--;
		g->end = true;
	}
	if (ret == 1 && (g->end || *g->z.next_in != 0x1f))
		return tar_bytes_bad(b, "gzip: more than zeros behind its end", -EINVAL);
	return ret;
}

ssize_t tar_gzip_read(struct tar_bytes *b, const char **p)
{
	struct tar_gzip *g = b->gzip;
	int ret;

	g->z.next_out = (void *)g->out;
	g->z.avail_out = sizeof(g->out);
	while (g->z.avail_out == sizeof(g->out)) {
		ret = g->between ? skip_zeros(b, g) : more(b, &g->z);
		if (ret < 0 || (!ret && g->between))
			return ret;
		if (!ret)
			return tar_bytes_bad(b, "truncated gzip input", -EINVAL);
		g->between = false;
		ret = inflate(&g->z, Z_NO_FLUSH);
		if (ret == Z_STREAM_END) {
			g->between = true;
			inflateReset(&g->z);
		} else if (ret != Z_OK) {
			return tar_bytes_bad(b, g->z.msg ? g->z.msg : "gzip: wrong data", -EINVAL);
		}
	}
	*p = g->out;
	return sizeof(g->out) - g->z.avail_out;
}

void tar_gzip_close(struct tar_bytes *b)
{
	if (b->gzip)
		inflateEnd(&b->gzip->z);
	free(b->gzip);
}
#endif
