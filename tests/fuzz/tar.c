// SPDX-License-Identifier: GPL-2.0
/*
 * Target: archives that mkfs.dsfs --tar reads, up to the plan.  No image is written:
 * contents are counted, and each file must get the bytes that its size says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mkfs.h"
#include "plan/plan.h"
#include "source/source.h"
#include "engine.h"
#include "tar_input.h"

/* Takes contents. */
struct counter {
	struct source_sink sink;
	struct node *node;
	u64 bytes;
};

static void __attribute__((noreturn)) finding(const char *what)
{
	fprintf(stderr, "finding: %s\n", what);
	abort();
}

static int count_begin(struct source_sink *sink, struct stream_node *file)
{
	struct counter *c = (struct counter *)sink;

	if (c->node)
		finding("a content in another one");
	if (!S_ISREG(file->node.mode) || !file->node.size)
		finding("a content of nothing");
	c->node = &file->node;
	c->bytes = 0;
	return 0;
}

static int count_zeros(struct source_sink *sink, u64 bytes)
{
	struct counter *c = (struct counter *)sink;

	if (!c->node || bytes > c->node->size - c->bytes)
		finding("more bytes than the file has");
	c->bytes += bytes;
	return 0;
}

static int count_data(struct source_sink *sink, const char *p, u64 bytes)
{
	static volatile char all;

	for (u64 i = 0; i < bytes; i += 512)
		all = p[i];
	(void)all;
	return count_zeros(sink, bytes);
}

static int count_end(struct source_sink *sink)
{
	struct counter *c = (struct counter *)sink;

	if (c->bytes != c->node->size)
		finding("less bytes than the file has");
	c->node = NULL;
	return 0;
}

static void read_archive(const char *path, enum wds wds)
{
	struct counter c = {
		.sink = { count_begin, count_data, count_zeros, count_end, -1 },
	};
	const char *tars[] = { path, path };
	struct options o = {
		.source = "", .threads = 1, .align_bits = 12, .chunk_bits = 15,
		.tars = tars, .ntars = 2, .wds = wds,
	};
	struct mkfs mkfs = { .o = &o };
	struct plan plan;

	params_decide(&mkfs.params, &o, NULL, 0);
	if (!tree_init(&mkfs.tree, "") && !source_open(&mkfs.source, &o, &mkfs.tree, 1)) {
		mkfs.source->sink = &c.sink;
		if (!mkfs.source->ops->list(mkfs.source) &&
		    !mkfs.source->ops->end(mkfs.source) && !tree_order(&mkfs.tree))
			plan_make(&plan, &mkfs.tree, &o, &mkfs.params, DSFS_DATA_START_MIN);
	}
	source_free(mkfs.source);
	tree_free(&mkfs.tree);
}

/* The archive is read twice: all that it has comes again. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 archive[TAR_INPUT_MAX];
	static int fd = -1;
	char path[64];

	if (size > TAR_INPUT_MAX / 2)
		return 0;
	size = tar_input_make(data, size, archive);
	if (fd < 0)
		fd = memfd_create("archive", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, archive, size, 0) != size)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_archive(path, size % 3);
	return 0;
}
