// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of the stored bytes of a file.  They are contiguous in the image, whatever holes the file
 * has, so several extents are one range of them: it is brought in by one call and scattered over
 * the buffer.  A checksum covers a whole chunk, so what is missing at the ends of the
 * range is read into memory aside.
 */
#include "stored.h"

#define ASIDE	65536	/* on the stack: twice the chunk size that mkfs takes */

void batch_init(struct batch *b, const struct stored *of, bool check, unsigned int flags)
{
	b->of = *of;
	b->check = check && of->src->geo.chunk_bits;
	b->flags = flags;
	b->n = 0;
	b->len = 0;
}

/* Compare the bytes that were read into @b->iov, from @at on, with their checksums. */
static int batch_check(const struct batch *b, u64 at, u64 end, struct dsfs_err *err)
{
	const unsigned int chunk_bits = dsfs_chunk_bits(&b->of.src->geo, b->of.bytes);
	const struct iovec *v = b->iov;
	size_t used = 0, n;
	struct dsfs_datasum sum;
	u64 next;
	u32 have, want;
	int ret;

	while (at < end) {
		next = ((at >> chunk_bits) + 1) << chunk_bits;
		if (next > end)
			next = end;
		ret = dsfs_chunk_sum(b->of.src, b->of.attr, b->of.bytes, at >> chunk_bits,
				     &want, err);
		if (ret)
			return ret;
		for (dsfs_datasum_begin(&sum); at < next; at += n, used += n) {
			for (; used == v->iov_len; v++)
				used = 0;
			n = v->iov_len - used;
			if (n > next - at)
				n = next - at;
			dsfs_datasum_add(&sum, (u8 *)v->iov_base + used, n);
		}
		have = dsfs_datasum_end(&sum);
		if (have != want)
			return dsfs_bad(err, "data checksum", have, want, -EBADMSG);
	}
	return 0;
}

static int batch_try(struct batch *b, u64 from, u64 end, unsigned int flags, struct dsfs_err *err)
{
	const u64 pos = b->of.attr->start + from;
	const int ret = image_preadv(b->of.src->img, b->iov, b->n + 2, end - from, pos,
				     b->check ? flags | READ_CHECKED : flags);

	if (ret)
		return dsfs_bad(err, "data at", pos, pos + (end - from), ret);
	return b->check ? batch_check(b, from, end, err) : 0;
}

/* Read @from to @end; @aside has room for what is not in the batch. */
static int batch_read(struct batch *b, u64 from, u64 end, u8 *aside, struct dsfs_err *err)
{
	int ret;

	b->iov[0] = (struct iovec){ aside, b->from - from };
	b->iov[b->n + 1] = (struct iovec){ aside + (b->from - from),
					   end - (b->from + b->len) };
	ret = batch_try(b, from, end, b->flags, err);
	if (ret == -EBADMSG && image_again(b->of.src->img))
		ret = batch_try(b, from, end, b->flags | READ_AGAIN, err);
	return ret;
}

static int batch_read_chunks(struct batch *b, u64 from, u64 end, struct dsfs_err *err)
{
	const u64 aside = end - from - b->len;
	u8 small[ASIDE], *large;
	int ret;

	if (aside <= sizeof(small))
		return batch_read(b, from, end, small, err);
	large = malloc(aside);
	if (!large)
		return dsfs_bad(err, "memory for a chunk", aside, 0, -ENOMEM);
	ret = batch_read(b, from, end, large, err);
	free(large);
	return ret;
}

void batch_round(const struct stored *of, bool check, u64 *from, u64 *end)
{
	const u64 chunk = 1ULL << dsfs_chunk_bits(&of->src->geo, of->bytes);

	if (!check || !of->src->geo.chunk_bits)
		return;
	*from &= ~(chunk - 1);
	*end = (*end + chunk - 1) & ~(chunk - 1);
	if (*end > of->bytes)
		*end = of->bytes;
}

int batch_flush(struct batch *b, struct dsfs_err *err)
{
	u64 from = b->from, end = b->from + b->len;
	int ret;

	if (!b->len)
		return 0;
	batch_round(&b->of, b->check, &from, &end);
	ret = batch_read_chunks(b, from, end, err);
	b->n = 0;
	b->len = 0;
	return ret;
}

ssize_t batch_add(struct batch *b, u64 at, u8 *buf, u64 len, struct dsfs_err *err)
{
	u64 step;
	int ret;

	if (b->n == STORED_BUFFERS || (b->len && !((b->from + b->len) % STORED_STEP))) {
		ret = batch_flush(b, err);
		if (ret)
			return ret;
	}
	if (!b->len)
		b->from = at;
	step = STORED_STEP - at % STORED_STEP;
	if (len > step)
		len = step;
	b->iov[++b->n] = (struct iovec){ buf, len };
	b->len += len;
	return len;
}
