// SPDX-License-Identifier: GPL-2.0
/*
 * Shell patterns of --exclude and --compress=none:.  Those of --exclude are matched by name
 * before anything is read, so excluded files cost nothing and may be unreadable.
 */
#include <fnmatch.h>

#include "list.h"
#include "msg.h"
#include "options.h"

#define UNUSED_MAX	5

int patterns_add(struct patterns *set, const char *text, size_t len)
{
	const char *given = text;
	const size_t all = len;
	struct pattern *p, *more;

	more = realloc(set->p, (set->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	set->p = more;
	p = &more[set->n];
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
	p->text = calloc(1, len + 1 + all + 1 + sizeof(*p->used));
	if (!p->text)
		return -ENOMEM;
	memcpy(p->text, text, len);
	p->given = memcpy(p->text + len + 1, given, all);
	p->used = (bool *)(p->given + all + 1);
	set->any_path |= p->path;
	set->n++;
	return 0;
}

void patterns_free(struct patterns *set)
{
	for (unsigned int i = 0; i < set->n; i++)
		free(set->p[i].text);
	free(set->p);
}

static bool is_used(const struct pattern *p)
{
	return __atomic_load_n(p->used, __ATOMIC_RELAXED);
}

/* Many threads say so, so only the first one writes. */
static void set_used(const struct pattern *p)
{
	if (!is_used(p))
		__atomic_store_n(p->used, true, __ATOMIC_RELAXED);
}

bool patterns_match(const struct patterns *set, const char *path, const char *name, bool is_dir)
{
	bool hit = false;

	for (unsigned int i = 0; i < set->n; i++) {
		const struct pattern *p = &set->p[i];

		/* the name is matched; only whether this pattern matches, too, is of interest */
		if ((hit && is_used(p)) || (p->dirs && !is_dir))
			continue;
		if (p->path ? fnmatch(p->text, path, FNM_PATHNAME) : fnmatch(p->text, name, 0))
			continue;
		set_used(p);
		hit = true;
	}
	return hit;
}

bool patterns_match_below(const struct patterns *set, const char *dirpath, const char *name,
			  bool is_dir)
{
	char *path = NULL;
	bool hit;

	if (set->any_path && asprintf(&path, "%s%s%s", dirpath, *dirpath ? "/" : "", name) < 0)
		return false;
	hit = patterns_match(set, path, name, is_dir);
	free(path);
	return hit;
}

bool patterns_match_any(const struct patterns *set, char *path)
{
	char *name = path, *end;
	bool hit = false, is_dir = true;

	for (; is_dir && !hit; name = end + 1) {
		end = strchrnul(name, '/');
		is_dir = *end;
		*end = '\0';
		hit = patterns_match(set, path, name, is_dir);
		if (is_dir)
			*end = '/';
	}
	return hit;
}

void patterns_unused(const struct patterns *set, const char *option)
{
	unsigned int unused = 0;

	for (unsigned int i = 0; i < set->n; i++) {
		const struct pattern *p = &set->p[i];

		if (!is_used(p) && unused++ < UNUSED_MAX)
			msg_warn(NULL, "--%s: %s: matches nothing that was looked at%s", option,
				 p->given, list_hint(p->given));
	}
	if (unused > UNUSED_MAX)
		msg_warn(NULL, "--%s: %u patterns match nothing that was looked at", option,
			 unused);
}
