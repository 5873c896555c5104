// SPDX-License-Identifier: GPL-2.0
/*
 * Whether packing an image anew is worth it.
 *
 * The result has a generation of its own, since inodes keep their numbers but the
 * bytes that a handle leads to lie elsewhere, and no history.
 */
#include <stdio.h>

#include "compact.h"
#include "msg.h"
#include "parse.h"

int compact_worth(struct stream *s)
{
	const struct options *o = s->mkfs->o;
	struct base *base = s->mkfs->base;
	char dead[32], all[32];
	u64 percent;
	int ret = base_adopt(s);

	s->stored = base->stored;
	if (ret)
		return ret;
	percent = base_dead(base, &base_super(base)->raw) * 100 /
		  base->img.geo->image_bytes;
	if (o->force || percent >= BASE_DEAD_PERCENT)
		return 1;
	parse_format_size(dead, sizeof(dead),
			  base_dead(base, &base_super(base)->raw));
	parse_format_size(all, sizeof(all), base->img.geo->image_bytes);
	if (!o->quiet && !o->json)
		printf("%s of %s are of no use, %llu %%: left as it is (-f: pack anew)\n",
		       dead, all, percent);
	return 0;
}
