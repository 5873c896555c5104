// SPDX-License-Identifier: GPL-2.0
/*
 * --exclude: shell patterns, decided by name before anything is read, so that
 * what is left out costs nothing and may be unreadable.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "options.h"

int exclude_add(struct options *o, const char *text, size_t len)
{
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
	p->text = strndup(text, len);
	if (!p->text)
		return -ENOMEM;
	o->any_path |= p->path;
	o->npatterns++;
	return 0;
}

bool exclude_match(const struct options *o, const char *dirpath,
		   const char *name, bool is_dir)
{
	char *path = NULL;
	bool hit = false;

	for (unsigned int i = 0; i < o->npatterns && !hit; i++) {
		const struct pattern *p = &o->patterns[i];

		if (p->dirs && !is_dir)
			continue;
		if (!p->path) {
			hit = !fnmatch(p->text, name, 0);
			continue;
		}
		if (!path && asprintf(&path, "%s%s%s", dirpath,
				      *dirpath ? "/" : "", name) < 0)
			return false;
		hit = !fnmatch(p->text, path, FNM_PATHNAME);
	}
	free(path);
	return hit;
}
