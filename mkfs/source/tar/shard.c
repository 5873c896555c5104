// SPDX-License-Identifier: GPL-2.0
/*
 * The directories that the paths of archives begin in: one for all of them, or each has
 * one of its own.
 */
#include <stdlib.h>

#include "format.h"
#include "tar.h"

/* A shard is named as its file, without the endings. */
int tar_shard_base(struct tar *t, const char *path)
{
	static const char *const ends[] = { ".tar", ".tgz", ".txz", ".tzst", NULL };
	const char *slash = strrchr(path, '/');
	char *name = strdup(slash ? slash + 1 : path);

	t->base = NULL;
	if (!name)
		return tar_no_memory();
	for (unsigned int i = 0; ends[i]; i++) {
		char *end = strstr(name, ends[i]);

		if (end && end != name)
			*end = '\0';
	}
	if (!*name || !dsfs_name_valid(name, strlen(name)))
		tar_fail(t, "%s: not a name for a directory: %s",
			 t->src.o->tar_index ? "--tar-index" : "--wds", tar_shown(t, name));
	else
		t->base = tar_dir_alone(t, name);
	free(name);
	return t->base ? 0 : -EINVAL;
}

int tar_note_begin(struct tar *t)
{
	struct tar_name **begin = array_add(&t->begins);

	if (!begin)
		return tar_no_memory();
	*begin = t->newest;
	return 0;
}
