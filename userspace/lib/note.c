// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation, as it lies in its block.
 */
#include "image.h"

int image_note(struct dsfs_source *src, struct dsfs_note *note, struct dsfs_err *err)
{
	const u64 last = (src->geo.meta_bytes >> DSFS_BLOCK_BITS) - 1;
	struct dsfs_mref ref;
	int ret;

	memset(note, 0, sizeof(*note));
	if (!(src->geo.compat & DSFS_COMPAT_NOTE))
		return 0;
	ret = source_block(src, last, &ref);
	if (ret)
		return dsfs_bad(err, "note at", dsfs_note_pos(&src->geo),
				src->geo.meta_start + src->geo.meta_bytes, ret);
	ret = dsfs_note_check(ref.p, err);
	if (!ret)
		memcpy(note, ref.p, sizeof(*note));
	dsfs_meta_put(&ref);
	return ret ? ret : 1;
}
