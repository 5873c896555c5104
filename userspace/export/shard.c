// SPDX-License-Identifier: GPL-2.0
/*
 * Writing a shard.  Readers of WebDataset take regular files and pass over all else, so a
 * file of several names is stored under each, holes are zeros, and attributes are those
 * of a plain header: a training program reads none, and records of pax would add two
 * blocks a file.  They are written where a header has no room: long names, large numbers.
 *
 * A shard is a file that can be truncated, so a bad sample is taken out again.
 */
#include <unistd.h>

#include "io.h"
#include "shard.h"

#define OUT_BYTES	1048576

/* Seconds rounded down as by stat(2), but not below the first second that @ns can hold */
static s64 whole_seconds(s64 ns)
{
	const s64 first = INT64_MIN / NSEC_PER_SEC, sec = nsec_split(ns).sec;

	return (sec < first ? first : sec) * NSEC_PER_SEC;
}

static struct pax_member member_of(const char *path, const struct image_node *node)
{
	return (struct pax_member){
		.path = path, .type = '0', .mode = node->attr.mode,
		.uid = node->uid, .gid = node->gid, .size = node->attr.size,
		.mtime = whole_seconds(node->attr.mtime),
	};
}

static u64 padded(u64 bytes)
{
	return (bytes + PAX_BLOCK - 1) / PAX_BLOCK * PAX_BLOCK;
}

int shard_measure(struct shard *s, const char *path, const struct image_node *node, u64 *bytes)
{
	const struct pax_member m = member_of(path, node);

	if (!s->scratch)
		s->scratch = open_memstream(&s->scratch_text, &s->scratch_len);
	if (!s->scratch)
		return -ENOMEM;
	rewind(s->scratch);
	if (pax_header(s->scratch, &s->records, &m) || ferror(s->scratch))
		return -ENOMEM;
	*bytes = ftello(s->scratch) + padded(m.size);
	return 0;
}

const char *shard_open(struct shard *s, int dir)
{
	int fd;

	s->bytes = 0;
	if (newfile_open_masked(&s->file, dir))
		return "create";
	/* fclose() closes this copy; newfile_publish() needs the descriptor after it */
	fd = dup(s->file.fd);
	s->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!s->out) {
		newfile_drop(&s->file);
		if (fd >= 0)
			close(fd);
		return "create";
	}
	if (!s->buf)
		s->buf = malloc(OUT_BYTES);
	if (s->buf)
		setvbuf(s->out, s->buf, _IOFBF, OUT_BYTES);
	return NULL;
}

/* Why a write to a stream failed, which need not set errno. */
static int lost_errno(void)
{
	return errno ? errno : EIO;
}

static int put_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct shard *s = arg;

	s->written += len;
	return io_fwrite(s->out, data, len);
}

int shard_put(struct shard *s, struct dsfs_source *src, const char *path,
	      const struct image_node *node, struct dsfs_err *err)
{
	const struct pax_member m = member_of(path, node);
	int ret = pax_header(s->out, &s->records, &m);

	s->written = 0;
	if (!ret)
		ret = image_stream(src, &node->attr, &node->extra, true, put_piece, s, err);
	if (!ret && s->written != m.size)
		ret = dsfs_broken(err, "bytes of a file", s->written, m.size);
	if (ret)
		return ret;
	errno = 0;
	pax_pad(s->out, m.size);
	if (ferror(s->out))
		return -lost_errno();
	s->bytes = ftello(s->out);
	return 0;
}

int shard_cut(struct shard *s, u64 bytes)
{
	s->bytes = bytes;
	if (fflush(s->out) || ftruncate(fileno(s->out), bytes) || fseeko(s->out, bytes, SEEK_SET))
		return -errno;
	return 0;
}

const char *shard_publish(struct shard *s, const char *name)
{
	FILE *out = s->out;
	int lost;

	s->out = NULL;
	errno = 0;
	pax_end(out);
	lost = ferror(out);
	/* fclose() reports what it cannot write itself, not what was lost before */
	if (fclose(out) || lost) {
		errno = lost_errno();
		newfile_drop(&s->file);
		return "write";
	}
	s->bytes += SHARD_END_BYTES;
	return newfile_publish(&s->file, name);
}

void shard_free(struct shard *s)
{
	if (s->out) {
		fclose(s->out);
		newfile_drop(&s->file);
	}
	if (s->scratch)
		fclose(s->scratch);
	free(s->scratch_text);
	free(s->buf);
	pax_free(&s->records);
}
