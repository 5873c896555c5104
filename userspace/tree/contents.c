// SPDX-License-Identifier: GPL-2.0
/*
 * What a tree knows of its contents besides their places: holes, frames and checksums.  Both
 * grow with the bytes of a data set, so they are kept as the image will have them, in spools.
 */
#include "msg.h"
#include "tree.h"

int tree_add_holes(struct tree *t, struct node *n, u64 stored, u32 extents)
{
	const u64 first = t->extents.len / sizeof(struct dsfs_extent_record);
	struct sparse *sp = array_add(&t->sparse);

	if (!sp)
		return -ENOMEM;
	*sp = (struct sparse){ stored, extents ? first : 0, extents };
	n->sparse = t->sparse.n;
	if (first + extents <= U32_MAX)
		return 0;
	return msg_fail(-EFBIG, NULL, "extents of files with holes: over the limit of 2^32");
}

int tree_add_packed(struct tree *t, struct node *n, const struct packed *packed, u64 units)
{
	const u64 first = t->units.len / sizeof(__le32);
	struct packed *p;

	if (units > 1 && first + units > 1ULL << 32)
		return msg_fail(-EFBIG, NULL, "units of compressed files: over the limit of 2^32");
	p = array_add(&t->packed);
	if (!p)
		return -ENOMEM;
	*p = *packed;
	p->units = units > 1 ? first : 0;
	n->sparse = t->packed.n;
	n->flags |= NODE_PACKED;
	return 0;
}

/* Compare the last @bytes of a spool with those at @at. */
static int same_as_last(struct spool *s, u64 at, u64 bytes, bool *same)
{
	const u64 last = s->len - bytes;
	char a[4096], b[4096];
	int ret = 0;

	*same = true;
	for (u64 done = 0, n; !ret && *same && done < bytes; done += n) {
		n = bytes - done < sizeof(a) ? bytes - done : sizeof(a);
		ret = spool_read(s, at + done, a, n) ?: spool_read(s, last + done, b, n);
		*same = !ret && !memcmp(a, b, n);
	}
	return ret;
}

int tree_share_units(struct tree *t, struct node *n, const struct node *of)
{
	const struct packed *p = node_packed(t, n), *have = node_packed(t, of);
	const u64 bytes = p ? packed_units(n->size) * sizeof(__le32) : 0;
	bool same;
	int ret;

	if (bytes <= sizeof(__le32) || !have || n->size != of->size || p->codec != have->codec ||
	    p->units * sizeof(__le32) + bytes != t->units.len || p->units == have->units)
		return 0;
	ret = same_as_last(&t->units, have->units * sizeof(__le32), bytes, &same);
	if (ret || !same)
		return ret;
	spool_cut(&t->units, t->units.len - bytes);
	((struct packed *)t->packed.p)[n->sparse - 1].units = have->units;
	return 0;
}

int tree_add_sums(struct tree *t, const u32 *sums, u32 count)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < count; i++) {
		__le32 sum = cpu_to_le32(sums[i]);

		ret = spool_add(&t->chunks, &sum, sizeof(sum));
	}
	if (!ret && t->chunks.len / sizeof(__le32) > 1ULL << 32) {
		msg_error(NULL,
			  "chunk checksums: over the limit of 2^32: use a larger --chunk-size");
		ret = -EFBIG;
	}
	return ret;
}

int tree_set_sums(struct tree *t, struct node *n, const u32 *sums, u32 count)
{
	n->sum = count == 1 ? sums[0] : 0;
	if (count <= 1)
		return 0;
	n->sum = t->chunks.len / sizeof(__le32);
	return tree_add_sums(t, sums, count);
}
