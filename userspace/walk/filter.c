// SPDX-License-Identifier: GPL-2.0
/*
 * Selection by patterns.  A pattern is compared component by component,
 * and a directory that no pattern can match below is not read, so a part of a
 * large image costs no more than that part.
 */
#include <fnmatch.h>

#include "filter.h"
#include "msg.h"
#include "walk.h"

/**
 * struct filter_pattern - one of them
 * @given: as on the command line
 * @used: it has matched
 */
struct filter_pattern {
	const char *given;
	bool used;
};

int filter_take(struct filter *f, char **texts)
{
	while (texts[f->count])
		f->count++;
	f->patterns = calloc(f->count + 1, sizeof(*f->patterns));
	if (!f->patterns)
		return no_memory();
	for (size_t i = 0; i < f->count; i++)
		f->patterns[i].given = texts[i];
	return 0;
}

void filter_free(struct filter *f)
{
	free(f->patterns);
	*f = (struct filter){ 0 };
}

/*
 * Get the next component of a path or pattern, and the rest; NULL: none.  A component that is
 * longer than any name of an image is cut in @buf, and matches none.
 */
static const char *next_name(const char *path, char buf[DSFS_NAME_MAX * 4])
{
	size_t len;

	path += strspn(path, "/");
	len = strcspn(path, "/");
	if (!len)
		return NULL;
	snprintf(buf, DSFS_NAME_MAX * 4, "%.*s", (int)len, path);
	return path + len;
}

static enum filter_match match_one(const char *pattern, const char *path)
{
	char want[DSFS_NAME_MAX * 4], name[DSFS_NAME_MAX * 4];

	for (;;) {
		do
			pattern = next_name(pattern, want);
		while (pattern && !strcmp(want, "."));
		if (!pattern)
			return FILTER_INSIDE;
		path = next_name(path, name);
		if (!path)
			return FILTER_ABOVE;
		if (fnmatch(want, name, 0))
			return FILTER_OUTSIDE;
	}
}

enum filter_match filter_match(struct filter *f, const char *path)
{
	enum filter_match best = FILTER_OUTSIDE, m;

	if (!f || !f->count)
		return FILTER_INSIDE;
	for (size_t i = 0; i < f->count; i++) {
		m = match_one(f->patterns[i].given, path);
		if (m == FILTER_INSIDE)
			f->patterns[i].used = true;
		if (m > best)
			best = m;
	}
	return best;
}

void filter_check(struct view *v, const struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->patterns[i].used)
			continue;
		v->errors->count++;
		msg_error(f->patterns[i].given, "matches nothing");
	}
}
