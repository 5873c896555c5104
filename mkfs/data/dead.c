// SPDX-License-Identifier: GPL-2.0
/*
 * Contents that no name is left of.  A source that is read once may give a name
 * again, and then the first content has its place already.  It stays there, and
 * what is said of the others is as if it was not.
 */
#include "../base/places.h"
#include "msg.h"
#include "stream.h"

int stream_bury(struct stream *s)
{
	struct tree *t = &s->mkfs->tree;
	const struct place_of *p;
	struct array places;
	u64 stored = 0;
	size_t n;
	int ret;

	if (!s->mkfs->source->replaced)
		return 0;
	ret = places_collect(&places, NULL, t, NULL, NULL);
	if (ret)
		msg_error(NULL, "out of memory");
	p = (const struct place_of *)places.p;
	for (size_t i = 0; !ret && i < places.n; i += n) {
		n = places_alike(&places, i);
		places_set_shared(&places, i, n);
		stored += p[i].stored;
	}
	s->dead = s->place.stored - stored;
	array_free(&places);
	return ret;
}
