// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of a walk.  A whole path for each object takes memory of the square of the depth:
 * a few hundred bytes of a compressed archive become gigabytes.  So a path is a chain of
 * names, and directories are shared.
 */
#include <stdlib.h>
#include <string.h>

#include "paths.h"

/*
 * Find the innermost directory that @path and the last path have in common.  The chain is compared
 * from its end; a name that differs rules out all directories below it.
 */
static struct path_part *common_dir(struct path_part *last, const char *path, size_t len)
{
	struct path_part *found = NULL, *dir;

	for (dir = last; dir; dir = dir->above) {
		const char *name = path + dir->len - dir->name_len;

		if (len <= dir->len || path[dir->len] != '/' || name[-1] != '/' ||
		    memcmp(name, dir->name, dir->name_len))
			found = NULL;
		else if (!found)
			found = dir;
	}
	return found;
}

static struct path_part *add_part(struct paths *p, struct path_part *above,
				  const char *name, size_t len)
{
	struct path_part *part = malloc(sizeof(*part) + len);

	if (!part)
		return NULL;
	*part = (struct path_part){
		.above = above, .older = p->newest, .name_len = len,
		.len = (above ? above->len : 0) + 1 + len,
	};
	memcpy(part->name, name, len);
	p->newest = part;
	return part;
}

/* Allocate the room of paths_text() early: in a comparison, memory must not run out. */
static int make_room(struct paths *p, size_t len)
{
	const size_t room = len * 2 + 64;
	char *texts;

	if (len < p->room)
		return 0;
	texts = realloc(p->texts, room * PATHS_TEXTS);
	if (!texts)
		return -1;
	p->texts = texts;
	p->room = room;
	return 0;
}

const struct path_part *paths_add(struct paths *p, const char *path)
{
	const size_t len = strlen(path);
	const char *name, *slash;

	if (make_room(p, len))
		return NULL;
	p->dir = common_dir(p->dir, path, len);
	name = path + (p->dir ? p->dir->len : 0) + 1;
	for (; (slash = strchr(name, '/')); name = slash + 1) {
		struct path_part *dir = add_part(p, p->dir, name, slash - name);

		if (!dir)
			return NULL;
		p->dir = dir;
	}
	return add_part(p, p->dir, name, strlen(name));
}

const char *paths_text(const struct paths *p, const struct path_part *part, unsigned int n)
{
	char *text = p->texts + n * p->room, *at = text + part->len;

	*at = '\0';
	for (; part; part = part->above) {
		at -= part->name_len;
		memcpy(at, part->name, part->name_len);
		*--at = '/';
	}
	return text;
}

void paths_free(struct paths *p)
{
	struct path_part *older;

	for (; p->newest; p->newest = older) {
		older = p->newest->older;
		free(p->newest);
	}
	free(p->texts);
	*p = (struct paths){ 0 };
}
