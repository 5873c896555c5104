// SPDX-License-Identifier: GPL-2.0
/*
 * mkfs.dsfs: makes an image from a source.  Its folders, in the order in which
 * data passes them:
 *
 *   options/ what is asked for, and the parameters that follow
 *   build/   the recipes: for each kind of image, the steps that make it
 *   source/  lists names and attributes, and reads contents: a directory, a
 *            manifest, archives, an image
 *   tree/    the tree in memory that the source makes and all others use
 *   base/    the base image, which gets a new generation or is packed anew, and
 *            the files that keep their data
 *   plan/    numbers, names, places, bounds of the size: no I/O
 *   digest/  the digest of a source, of which no image is made
 *   data/    reader threads and one writer: checksums, holes, deduplication
 *   meta/    the metadata, which is written behind the data: names and
 *            inodes, indexes and so on
 *   output/  the target, a file or a device; its superblocks are written last
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

int main(int argc, char **argv)
{
	struct options o;
	int ret;

	msg_init("mkfs.dsfs", 1);
	mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
	ret = options_parse(&o, argc, argv);
	if (ret < 0) {
		progress_enable(!o.quiet && !o.json);
		ret = signals_init() ? 1 : build_run(&o);
	}
	options_free(&o);
	return ret;
}
