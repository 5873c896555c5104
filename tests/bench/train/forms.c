// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a data set is stored, and how loaders read it.
 *
 *   pil	a file a sample: 4,096, then 61,440, then 65,536 bytes each, which is what
 *		PIL's Image.open() and load() do
 *   whole	a file a sample: open, fstat, a read of size + 1, one that finds the end:
 *		Python's open().read()
 *   pack	one file of all samples, and an index: a pread of each, anywhere
 *   shards	archives of tar, each read from begin to end; samples are shuffled in a
 *		buffer of 100 on their way
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader.h"

#define TAR_BLOCK	512
#define SHARD_PIECE	(64 << 10)
#define SHARD_STEP	(1 << 20)
#define SHUFFLE		100

/* --- a file a sample ------------------------------------------------------ */

static void need_file(const struct sample *s)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	close(fd);
}

static uint64_t pieces_of_pil(struct reader *r, int fd)
{
	uint64_t pos = 0;
	size_t want = 4096;
	ssize_t got;

	while ((got = read(fd, r->buf, want)) > 0) {
		pos += got;
		want = pos == 4096 ? 61440 : 65536;
	}
	return pos;
}

static uint64_t at_once(struct reader *r, int fd, uint64_t size)
{
	uint64_t pos = 0, room;
	ssize_t got;

	while (pos < PIECE_MAX) {
		room = PIECE_MAX - pos;
		got = read(fd, r->buf + pos, size + 1 - pos < room ? size + 1 - pos : room);
		if (got <= 0)
			break;
		pos += got;
	}
	return pos;
}

static void read_file(struct reader *r, const struct sample *s, bool pil)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = -1 };
	uint64_t got = 0;

	if (fd >= 0 && !fstat(fd, &st))
		got = pil ? pieces_of_pil(r, fd) : at_once(r, fd, st.st_size);
	if (fd < 0 || got != st.st_size)
		r->errors++;
	r->bytes += got;
	if (fd >= 0)
		close(fd);
}

static void read_pil(struct reader *r, const struct sample *s)
{
	read_file(r, s, true);
}

static void read_whole(struct reader *r, const struct sample *s)
{
	read_file(r, s, false);
}

/* --- one file and an index ------------------------------------------------ */

/* no readahead, which would read neighbours that are not needed */
static int open_pack(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(path);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

static void need_record(const struct sample *s)
{
	static int fd = -1;

	if (fd < 0)
		fd = open_pack(s->path);
	posix_fadvise(fd, s->offset, s->length, POSIX_FADV_WILLNEED);
}

static void read_record(struct reader *r, const struct sample *s)
{
	ssize_t got;

	if (r->fd < 0)
		r->fd = open_pack(s->path);
	got = pread(r->fd, r->buf, s->length, s->offset);
	if (got != s->length)
		r->errors++;
	r->bytes += got > 0 ? got : 0;
}

/* --- shards --------------------------------------------------------------- */

struct shuffle {
	uint64_t random;
	unsigned int count;
	void *samples[SHUFFLE];
};

/* Put a sample into the shuffle buffer; if that is full, a random one leaves it. */
static void through_shuffle(struct reader *r, void *sample)
{
	struct shuffle *s = r->shuffle;
	unsigned int i;

	if (!s) {
		s = allocate(sizeof(*s));
		r->shuffle = s;
		s->random = 88172645463325252ULL;
	}
	if (s->count < SHUFFLE) {
		s->samples[s->count++] = sample;
		return;
	}
	i = next_random(&s->random) % SHUFFLE;
	free(s->samples[i]);
	s->samples[i] = sample;
}

void shuffle_free(struct shuffle *s)
{
	while (s && s->count)
		free(s->samples[--s->count]);
	free(s);
}

/* State of reading a shard */
struct shard {
	int fd;
	uint64_t pos, ahead_pos;	/* in the file: read, asked for */
	size_t at, have;		/* in the buffer */
};

static bool refill(struct reader *r, struct shard *sh)
{
	ssize_t got;

	for (; r->ahead && sh->ahead_pos < sh->pos + r->ahead; sh->ahead_pos += SHARD_STEP)
		posix_fadvise(sh->fd, sh->ahead_pos, SHARD_STEP, POSIX_FADV_WILLNEED);
	got = read(sh->fd, r->buf, SHARD_PIECE);
	sh->at = 0;
	sh->have = got > 0 ? got : 0;
	sh->pos += sh->have;
	return sh->have;
}

/* Read the next @len bytes; @to is NULL: discard them. */
static bool take(struct reader *r, struct shard *sh, char *to, size_t len)
{
	size_t part;

	for (; len; len -= part) {
		if (sh->at == sh->have && !refill(r, sh))
			return false;
		part = sh->have - sh->at < len ? sh->have - sh->at : len;
		if (to) {
			memcpy(to, r->buf + sh->at, part);
			to += part;
		}
		sh->at += part;
	}
	return true;
}

static void read_shard(struct reader *r, const struct sample *s)
{
	struct shard sh = { .fd = open(s->path, O_RDONLY | O_CLOEXEC) };
	char header[TAR_BLOCK];
	uint64_t size;
	char *sample;

	if (sh.fd < 0)
		die(s->path);
	posix_fadvise(sh.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	while (take(r, &sh, header, sizeof(header)) && *header) {
		size = strtoull(header + 124, NULL, 8);
		if (header[156] != '0')
			continue;
		sample = allocate(size + 1);
		if (!take(r, &sh, sample, size) ||
		    !take(r, &sh, NULL, -size % TAR_BLOCK))
			r->errors++;
		r->bytes += size;
		through_shuffle(r, sample);
		r->deliver(r);
	}
	close(sh.fd);
}

const struct form forms[] = {
	{ "pil",	read_pil,	need_file },
	{ "whole",	read_whole,	need_file },
	{ "pack",	read_record,	need_record },
	{ "shards",	read_shard,	NULL },
	{ }
};

const struct form *find_form(const char *name)
{
	const struct form *f;

	for (f = forms; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}
