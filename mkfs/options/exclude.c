// SPDX-License-Identifier: GPL-2.0
/*
 * --exclude: shell patterns.  They are matched by name before anything is read,
 * so excluded files cost nothing and may be unreadable.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "list.h"
#include "msg.h"
#include "options.h"

#define UNUSED_MAX	5

int exclude_add(struct options *o, const char *text, size_t len)
{
	const char *given = text;
	const size_t all = len;
	struct pattern *p, *more;

	more = realloc(o->patterns, (o->npatterns + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	o->patterns = more;
	p = &more[o->npatterns];
	*p = (struct pattern){ 0 };
	if (len >= 2 && text[0] == '.' && text[1] == '/') {
		p->path = true;
		text += 1;
		len -= 1;
	}
	for (; len && *text == '/'; text++, len--)
		p->path = true;
	for (; len && text[len - 1] == '/'; len--)
		p->dirs = true;
	if (!len)
		return -EINVAL;
	if (memchr(text, '/', len))
		p->path = true;
	p->text = calloc(1, len + 1 + all + 1);
	if (!p->text)
		return -ENOMEM;
	memcpy(p->text, text, len);
	p->given = memcpy(p->text + len + 1, given, all);
	o->any_path |= p->path;
	o->npatterns++;
	return 0;
}

bool exclude_match(const struct options *o, bool *used, const char *dirpath,
		   const char *name, bool is_dir)
{
	char *path = NULL;
	bool hit = false;

	for (unsigned int i = 0; i < o->npatterns; i++) {
		const struct pattern *p = &o->patterns[i];
		bool match;

		/* the name is excluded; only whether this pattern matches, too, is of interest */
		if (hit && __atomic_load_n(&used[i], __ATOMIC_RELAXED))
			continue;
		if (p->dirs && !is_dir)
			continue;
		if (p->path && !path && asprintf(&path, "%s%s%s", dirpath,
						 *dirpath ? "/" : "", name) < 0)
			return hit;
		match = p->path ? !fnmatch(p->text, path, FNM_PATHNAME) :
				  !fnmatch(p->text, name, 0);
		/* many threads do so, so only the first one writes */
		if (match && !__atomic_load_n(&used[i], __ATOMIC_RELAXED))
			__atomic_store_n(&used[i], true, __ATOMIC_RELAXED);
		hit |= match;
	}
	free(path);
	return hit;
}

void exclude_unused(const struct options *o, const bool *used)
{
	unsigned int unused = 0;

	for (unsigned int i = 0; i < o->npatterns; i++) {
		const struct pattern *p = &o->patterns[i];

		if (!used[i] && unused++ < UNUSED_MAX)
			msg_warn(NULL, "--exclude: %s: matches nothing that was looked at%s",
				 p->given, list_hint(p->given));
	}
	if (unused > UNUSED_MAX)
		msg_warn(NULL, "--exclude: %u patterns match nothing that was looked at", unused);
}
