// SPDX-License-Identifier: GPL-2.0
/*
 * Contents that no name is left of.  A source that is read once may give a name again, when the
 * first content has been written already.  The data behind it is not moved: the content becomes
 * zeros, like the gaps between files.  The other files do not share blocks with it any more.
 */
#include "../base/places.h"
#include "msg.h"
#include "stream.h"

/* Collect the contents of the nodes that were replaced, sorted by place. */
static int collect_dead(const struct store *s, struct array *dead)
{
	const struct array *replaced = &s->source->replaced;

	*dead = (struct array){ .size = sizeof(struct place_of) };
	for (size_t i = 0; i < replaced->n; i++) {
		struct node *n = ((struct node **)replaced->p)[i];
		const struct place_of p = {
			.start = n->u.start, .stored = node_stored(s->tree, n), .node = n,
		};

		if (p.stored && array_append(dead, &p))
			return -ENOMEM;
	}
	places_sort(dead);
	return 0;
}

/* Make zeros of contents, unless a file has the same one, which is at the same place. */
static int bury(struct store *s, const struct array *dead, const struct array *places)
{
	const struct place_of *p = (const struct place_of *)dead->p;
	const struct place_of *alive = (const struct place_of *)places->p;
	size_t k = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < dead->n; i += places_alike(dead, i)) {
		while (k < places->n && alive[k].start < p[i].start)
			k++;
		if (k < places->n && alive[k].start == p[i].start)
			continue;
		s->figures.dead += p[i].stored;
		ret = output_zero(s->out, p[i].start, p[i].stored);
	}
	return ret;
}

int dead_data(struct store *s)
{
	struct array places, dead = { 0 };
	int ret;

	if (!s->source->replaced.n)
		return 0;
	ret = places_collect(&places, NULL, s->tree) ?: collect_dead(s, &dead);
	if (!ret) {
		places_share(&places);
		ret = bury(s, &dead, &places);
	} else {
		no_memory();
	}
	array_free(&places);
	array_free(&dead);
	return ret;
}
