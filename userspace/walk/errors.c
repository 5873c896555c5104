// SPDX-License-Identifier: GPL-2.0
/* Errors: each is counted, and the first ones of each kind are printed. */
#include "msg.h"
#include "walk.h"

bool view_count(struct view *v, const char *what)
{
	struct errors *e = v->errors;
	unsigned int i;

	e->count++;
	for (i = 0; i < ERRORS_KINDS - 1 && e->kinds[i].what; i++)
		if (!strcmp(e->kinds[i].what, what))
			break;
	e->kinds[i].what = what;
	if (!e->per_kind || e->kinds[i].count++ < e->per_kind)
		return true;
	e->hidden++;
	return false;
}

void view_error(struct view *v, const char *path, const char *what, int ret,
		const struct dsfs_err *err)
{
	static const struct dsfs_err none;
	char text[256];

	if (!view_count(v, what))
		return;
	err_text(err ? err : &none, ret, text, sizeof(text));
	if (v->one_of_two)
		msg_error(path, "generation %llu: %s: %s", v->img.geo->generation, what, text);
	else
		msg_error(path, "%s: %s", what, text);
}

bool view_is_lost(struct view *v, const struct walk_entry *e)
{
	if (!listing_is_lost(&v->links, 0, e->node.attr.ino))
		return false;
	if (view_count(v, "link"))
		msg_error(e->path, "link: %s was left out", e->first);
	return true;
}

void view_hidden(const struct view *v, const char *path)
{
	const struct errors *e = v->errors;

	if (e->hidden)
		msg_error(path, "%llu error%s, %llu of them not named: --verbose names all",
			  e->count, msg_s(e->count), e->hidden);
}
