// SPDX-License-Identifier: GPL-2.0
/*
 * A directory of which only some paths are wanted, as files that are added to an image: what is
 * above them is not listed, and its names are those that lead there.
 */
#include "directory.h"

/* The first path that is not less than @below and a slash; @len of these bytes are compared. */
static size_t first_below(const struct options *o, const char *below, size_t len)
{
	size_t lo = 0, hi = o->add.nonly;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		const int cmp = strncmp(o->add.only[mid], below, len);

		if (cmp < 0 || (!cmp && len && (u8)o->add.only[mid][len] < '/'))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The part of a path behind that of a directory; NULL: it is not below that. */
static const char *part_below(const struct options *o, size_t i, const char *below, size_t len)
{
	const char *path = i < o->add.nonly ? o->add.only[i] : "";

	if (!*path || strncmp(path, below, len) || (len && path[len] != '/'))
		return NULL;
	return path + len + !!len;
}

bool only_above(const struct options *o, const char *below)
{
	const size_t len = o->add.nonly ? strlen(below) : 0;

	return o->add.nonly && part_below(o, first_below(o, below, len), below, len);
}

/* How long a path is up to the end of a part */
static size_t part_end(const char *path, const char *part)
{
	return part - path + strcspn(part, "/");
}

bool only_next(const struct options *o, const char *below, size_t *at, char *name)
{
	const size_t len = strlen(below), i = *at ? *at : first_below(o, below, len);
	const char *part = part_below(o, i, below, len);
	size_t end;

	if (!part)
		return false;
	end = part_end(o->add.only[i], part);
	snprintf(name, DSFS_NAME_MAX + 1, "%.*s", (int)strcspn(part, "/"), part);
	/* others may lead through the same name */
	for (*at = i + 1; *at < o->add.nonly; ++*at) {
		const char *next = o->add.only[*at];

		if (strncmp(next, o->add.only[i], end) || (next[end] && next[end] != '/'))
			break;
	}
	return true;
}
