// SPDX-License-Identifier: GPL-2.0
/*
 * mkfs.dsfs makes an image from a source.  dsfs(8) runs it for verbs that need a source, too: it is
 * called as "dsfs update" then.  Its folders, in the order in which data passes them:
 *
 *   options/ what is asked for, and the parameters that follow
 *   build/   the recipes: for each verb its options, and the steps that make what it makes
 *   source/  lists names and attributes, and reads contents: a directory, a
 *            manifest, archives
 *   digest/  the digest of a source, of which no image is made
 *   data/    reader threads and one writer: checksums, holes, deduplication
 *
 * The tree in memory, the image that gets a new generation, and what writes it are in
 * userspace/tree and userspace/write, which dsfs links, too.
 */
#include <malloc.h>

#include "build/build.h"
#include "msg.h"
#include "progress.h"

/*
 * What is large is mapped by itself: it grows without a copy, and goes back to the system when it
 * is freed.  malloc(3) would raise this limit to the size of what is freed.
 */
#define MAPPED_FROM	(512 << 10)

/* What dsfs runs is a verb of its own; so is a link of that name, for debuggers. */
static const struct recipe *recipe_of(const char *name)
{
	static const struct recipe *const verbs[] = {
		&recipe_update, &recipe_add, &recipe_edit, &recipe_compact, &recipe_digest, NULL
	};
	const char *slash = name ? strrchr(name, '/') : NULL;

	name = slash ? slash + 1 : name;
	for (size_t i = 0; name && verbs[i]; i++) {
		if (!strcmp(name, verbs[i]->name))
			return verbs[i];
	}
	return &recipe_new;
}

int main(int argc, char **argv)
{
	const struct recipe *recipe = recipe_of(argv[0]);
	struct options o;
	int ret;

	msg_init(recipe->name, 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	ret = options_parse(&o, recipe->args, recipe->settle, argc, argv);
	if (ret < 0) {
		progress_enable(!o.quiet && !o.json);
		ret = signals_init() ? 1 : build_run(recipe, &o);
	}
	options_free(&o);
	return ret;
}
