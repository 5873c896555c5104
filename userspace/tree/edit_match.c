// SPDX-License-Identifier: GPL-2.0
/* Patterns of an edit: a name is compared with a part of one at a time, as the other verbs do. */
#include <fnmatch.h>

#include "edit.h"

/* What is being expanded: one name of the pattern after the other */
struct expansion {
	const struct tree *tree;
	struct array dirs;	/* struct dir *: the next name is looked for in these */
	struct array *paths;
	size_t found;
};

/* A name matches: it is found, or the next name of the pattern is looked for in it. */
static int take(struct expansion *m, struct array *next, const struct dir *d, struct node *n,
		bool last)
{
	char *path;

	if (!last)
		return S_ISDIR(n->mode) ? array_append(next, &n->u.dir) : 0;
	path = tree_path(m->tree, d, n, true);
	if (!path)
		return -ENOMEM;
	m->found++;
	if (!array_append(m->paths, &path))
		return 0;
	free(path);
	return -ENOMEM;
}

static int match_name(struct expansion *m, const char *name, bool last)
{
	struct array next = { .size = sizeof(struct dir *) };
	int ret = 0;

	for (size_t i = 0; !ret && i < m->dirs.n; i++) {
		struct dir *d = ((struct dir **)m->dirs.p)[i];

		for (u32 k = 0; !ret && k < d->count; k++) {
			if (!fnmatch(name, node_name(&d->nodes[k]), 0))
				ret = take(m, &next, d, &d->nodes[k], last);
		}
	}
	array_free(&m->dirs);
	m->dirs = next;
	return ret;
}

static int match(struct expansion *m, const char *pattern)
{
	char name[DSFS_NAME_MAX * 4 + 1];
	const char *at = pattern;
	int ret = array_append(&m->dirs, &m->tree->root_dir);
	size_t len;

	while (!ret && (len = path_next(&at))) {
		snprintf(name, sizeof(name), "%.*s", (int)len, at);
		at += len;
		ret = match_name(m, name, !at[strspn(at, "/")]);
	}
	return ret;
}

int edit_match(struct edit *e, const char *pattern, struct array *paths)
{
	struct expansion m = {
		.tree = e->tree, .dirs.size = sizeof(struct dir *), .paths = paths,
	};
	char *path;
	int ret;

	if (!pattern[strcspn(pattern, "*?[\\")]) {
		path = strdup(pattern);
		ret = path ? array_append(paths, &path) : -ENOMEM;
		if (ret)
			free(path);
		return ret;
	}
	ret = match(&m, pattern);
	array_free(&m.dirs);
	if (!ret && !m.found)
		edit_say(e, pattern, "matches nothing");
	return ret;
}
