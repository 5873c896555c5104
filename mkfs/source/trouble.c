// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of a source that cannot be packed, or that have changed during the run: the
 * messages, and the decision whether the run goes on.
 */
#include "msg.h"
#include "source.h"

#define CHANGED_MAX	10	/* names in messages */

bool source_own_trouble(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE;
}

int source_unreadable(struct source *src, const struct dir *dir,
		      const struct node *node, const char *why, int err)
{
	struct source_name name = { 0 };
	const char *hint = "";
	/* leaving out the source itself would give an empty image */
	bool all = !node && !dir->parent;
	const bool may = !source_own_trouble(err) && !all && !src->ops->end;
	const bool skip = src->o->allow.unreadable && may;

	if (src->ops->name)
		src->ops->name(src, dir, node, &name);
	else
		name.subject = tree_path(src->tree, dir, node, src->ops->end);
	/* attributes have advice of their own */
	if (may && !skip && !strstr(why, ": --"))
		hint = ": --allow=unreadable leaves it out";
	(skip ? msg_warn : msg_error)(name.subject ? name.subject : src->o->source,
				      "%s%s%s%s%s%s",
				      name.detail ? name.detail : "", why,
				      err ? ": " : "", err ? msg_why(-err) : "",
				      hint, skip ? ": left out" : "");
	free(name.subject);
	free(name.detail);
	return skip ? 0 : err ? err : -EIO;
}

int source_leave_out(struct source *src, const struct dir *dir, struct node *node,
		     const char *why, int err)
{
	int ret = source_unreadable(src, dir, node, why, err);

	if (ret)
		return ret;
	if (node->flags & NODE_LINK)
		node->u.link->gone = true;
	node->flags |= NODE_GONE;
	src->tree->gone++;
	src->skipped++;
	return 0;
}

void source_changed(struct source *src, const char *subject, const char *why, int err)
{
	if (__atomic_fetch_add(&src->changed, 1, __ATOMIC_RELAXED) >= CHANGED_MAX)
		return;
	(src->o->allow.unreadable ? msg_warn : msg_error)(subject ? subject : src->o->source,
			"%s%s%s", why, err ? ": " : "", err ? msg_why(-err) : "");
}

int source_changes(const struct source *src)
{
	const bool skip = src->o->allow.unreadable;

	if (!src->changed)
		return 0;
	(skip ? msg_warn : msg_error)(*src->o->source ? src->o->source : NULL,
			"changes during the run: %llu%s: %s", src->changed,
			src->changed > CHANGED_MAX ? ", the first 10 of them listed" : "",
			skip ? "the image has what was read" :
			"no image is made: --allow=changing does not look");
	return skip ? 0 : -EAGAIN;
}
