// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs warmup --metadata-only: names and inodes.
 *
 * A mount with meta=resident has all of its metadata in memory since it was mounted.
 * Walking it would read nothing and fill memory with inodes and dentries, a kilobyte
 * a file, that looking up makes from that metadata at no cost worth this.  Elsewhere
 * everything is looked up once, which is what a job does that lists its files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>

#include "dsfs.h"
#include "dsfs_fs.h"
#include "figures.h"
#include "fileset.h"
#include "json.h"
#include "msg.h"
#include "stop.h"
#include "warmup.h"

static bool is_resident(const char *path)
{
	static const struct figures_source src = FIGURES_SOURCE;
	char *const names[] = { (char *)path, NULL };
	struct mount_set set;
	struct statfs sfs;
	bool resident;

	if (statfs(path, &sfs) || sfs.f_type != DSFS_SUPER_MAGIC ||
	    figures_read(&src, names, &set))
		return false;
	resident = set.v[0].resident;
	figures_free(&set);
	return resident;
}

static void report(const struct warmup_options *o, const struct fileset *set,
		   u64 resident)
{
	struct json j;

	if (o->json) {
		json_init(&j, stdout);
		json_begin_object(&j, NULL);
		json_u64(&j, "resident_paths", resident);
		json_u64(&j, "objects", set->objects);
		json_u64(&j, "files", set->nr);
		json_u64(&j, "errors", set->errors);
		json_bool(&j, "interrupted", stop_asked());
		json_end(&j);
	} else if (!o->quiet) {
		if (resident)
			printf("%llu path%s of a mount with meta=resident: nothing to read\n",
			       resident, msg_s(resident));
		if (set->objects || !resident)
			printf("%llu object%s looked up, %zu file%s%s\n",
			       set->objects, msg_s(set->objects), set->nr, msg_s(set->nr),
			       stop_asked() ? ": stopped" : "");
	}
}

int warmup_metadata(const struct warmup_options *o)
{
	struct fileset set = { };
	u64 resident = 0;
	char **rest;
	size_t n;
	int ret;

	for (n = 0; o->paths[n]; n++)
		;
	rest = calloc(n + 1, sizeof(*rest));
	if (!rest) {
		no_memory();
		return EXIT_ERROR;
	}
	n = 0;
	for (char **p = o->paths; *p; p++) {
		if (is_resident(*p))
			resident++;
		else
			rest[n++] = *p;
	}
	ret = fileset_add(&set, o->list, o->null, rest);
	if (!ret)
		report(o, &set, resident);
	if (set.errors)
		ret = -EIO;
	fileset_free(&set);
	free(rest);
	return ret ? EXIT_ERROR : EXIT_OK;
}
