/* SPDX-License-Identifier: GPL-2.0 */
/* What dump.dsfs is asked for, by its command line. */
#ifndef DUMP_REQUEST_H
#define DUMP_REQUEST_H

#include "diff.h"
#include "digest.h"
#include "export.h"

/**
 * struct request - options of the command line
 * @inode: value of --inode; NULL: not given.  The other texts are alike
 * @digest: kind of --digest, DSFS_DIGEST_*; @digest_how has it, too
 * @wds: --wds and what goes with it
 * @paths: of --path, all of them; @path: the one that is to be shown
 * @what: an option asks for something other than superblocks
 * @one: --generation was given: @generation
 */
struct request {
	const char *inode, *path, *dir, *extents, *extract, *cat, *oci;
	const char *source;
	u64 generation;
	unsigned int digest;
	struct digest_request digest_how;
	struct diff_request diff_of;
	struct wds_request wds;
	struct filter paths;
	bool regions;
	bool tar;
	bool resume;
	bool diff;
	bool list;
	bool manifest;
	bool generations;
	bool json;
	bool no_data;
	bool what;
	bool one;
	bool verbose;
};

/* Whether the tree, or the part of it that --path says, is to be written. */
static inline bool request_is_export(const struct request *r)
{
	return r->extract || r->tar || r->wds.prefix;
}

/**
 * request_parse - parse the command line
 * @r: filled in; to be freed with request_free() in any case
 * @image: gets the image
 *
 * Return: -1 to go on, or the exit status.
 */
int request_parse(struct request *r, const char **image, int argc, char **argv);
void request_free(struct request *r);

#endif /* DUMP_REQUEST_H */
