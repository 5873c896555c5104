// SPDX-License-Identifier: GPL-2.0
/*
 * -n --digest: the digest of a source.  The tree is listed and read as for an image, and
 * nothing is written.
 */
#include "../digest/digest.h"
#include "build.h"

/* Of a source that is read once the tree is known when all contents are summed. */
static int sum_once(struct run *r, struct contents *c)
{
	return contents_feed(c) ?: step_end_source(r) ?: step_order_tree(r);
}

static int sum_listed(struct run *r, struct contents *c)
{
	int ret = step_list(r);
	u64 gone = r->tree.gone;

	if (!ret)
		ret = contents_read(c);
	return ret || r->tree.gone == gone ? ret : step_prune_tree(r);
}

int build_digest(struct run *r)
{
	struct digest_result result;
	struct contents c = { 0 };
	int ret = step_open_source(r) ?: contents_init(&c, r->source);

	if (!ret)
		ret = source_once(r->source) ? sum_once(r, &c) : sum_listed(r, &c);
	if (!ret)
		ret = source_recheck(r->source) ?:
		      digest_tree(&c, &r->tree, r->o->digest, &result);
	if (!ret)
		report_digest(r, &result);
	contents_free(&c);
	return ret;
}
