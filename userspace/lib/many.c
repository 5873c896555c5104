// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs_pread_many(): all reads are asked for before the first is waited for.
 *
 * The reader begins to bring in what it is told of ahead and does not wait, so that the
 * device has all requests at once.  Of a file or device, posix_fadvise(POSIX_FADV_WILLNEED)
 * does that wherever there is readahead.  Threads would need a switch for each read and be
 * lost by a fork.  io_uring hands reads of network file systems to a few threads of the
 * kernel, four a processor, and is forbidden to many containers.
 *
 * A server is not told again of what somebody asked for before, by dsfs_readahead(): what was
 * asked for twice is kept for two reads.
 *
 * What is done ahead is advice: where it has no effect, the reads wait one by one.
 */
#include "api.h"

/* Reads that are asked for ahead of the one that is waited for */
#define AHEAD		256
/* A larger one is read ahead well enough while it is read. */
#define READ_MAX	(16 << 20)

void dsfs_readahead(const struct dsfs_file *file, uint64_t pos, uint64_t len)
{
	const u64 size = dsfs_file_size(file);

	if (pos >= size)
		return;
	if (len > size - pos)
		len = size - pos;
	if (len && len <= READ_MAX)
		file_ahead(file, pos, pos + len);
}

static void advise_read(const struct dsfs_read *r)
{
	dsfs_readahead(r->file, r->pos, r->len);
}

/* All are looked at first: two of them may be of the same bytes. */
static void advise_first(const struct dsfs_read *reads, size_t n)
{
	bool coming[AHEAD];

	for (size_t i = 0; i < n; i++)
		coming[i] = file_is_coming(reads[i].file, reads[i].pos);
	for (size_t i = 0; i < n; i++)
		if (!coming[i])
			advise_read(&reads[i]);
}

int dsfs_pread_many(struct dsfs_read *reads, size_t count, struct dsfs_error *error)
{
	struct dsfs_read *r;
	size_t i;
	int ret = 0;

	advise_first(reads, count < AHEAD ? count : AHEAD);
	for (i = 0; i < count; i++) {
		r = &reads[i];
		r->result = dsfs_pread(r->file, r->buf, r->len, r->pos, ret ? NULL : error);
		if (r->result < 0 && !ret)
			ret = r->result;
		if (count - i > AHEAD &&
		    !file_is_coming(reads[i + AHEAD].file, reads[i + AHEAD].pos))
			advise_read(&reads[i + AHEAD]);
	}
	return ret;
}
