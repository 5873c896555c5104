// SPDX-License-Identifier: GPL-2.0
/*
 * The note of a generation, as it lies in its region.
 */
#include "image.h"

int image_note(struct dsfs_source *src, struct dsfs_note *note, struct dsfs_err *err)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_NOTE];
	struct dsfs_mref ref;
	int ret;

	memset(note, 0, sizeof(*note));
	if (!r->bytes)
		return 0;
	ret = dsfs_meta_get(src, DSFS_REGION_NOTE, 0, sizeof(*note), &ref);
	if (ret)
		return dsfs_bad(err, "note at", r->pos, src->geo.meta_start + src->geo.meta_bytes,
				ret);
	ret = dsfs_note_check(ref.p, err);
	if (!ret)
		memcpy(note, ref.p, sizeof(*note));
	dsfs_meta_put(&ref);
	return ret ? ret : 1;
}
