// SPDX-License-Identifier: GPL-2.0
/*
 * Target: archives that mkfs.dsfs --tar reads.  Contents are counted first, and each file must
 * get as many bytes as its size.  An image is made of an archive that is accepted, and
 * fsck.dsfs must call it clean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/options.h"
#include "plan.h"
#include "source/source.h"
#include "engine.h"
#include "packed.h"
#include "tar_input.h"

/* Takes contents. */
struct counter {
	struct source_sink sink;
	struct node *node;
	u64 bytes;
};

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

/* Return: whether it was accepted. */
static bool read_archive(const char *path, enum wds wds)
{
	struct counter c = {
		.sink = {
			.begin = count_begin, .data = count_data, .zeros = count_zeros,
			.end = count_end, .stop = -1,
		},
	};
	const char *tars[] = { path, path };
	bool accepted = false;
	struct options o = {
		.source = "", .tars = tars, .ntars = wds == WDS_NONE ? 2 : 1, .wds = wds,
	};
	struct source *source = NULL;
	struct plan plan;
	struct tree tree;

	if (!tree_init(&tree, "", UINT64_MAX) && !source_open(&source, &tar_ops, &o, &tree, 1)) {
		source->sink = &c.sink;
		accepted = !source->ops->list(source) && !source->ops->end(source) &&
			   !tree_order(&tree);
		if (accepted)
			plan_make(&plan, &tree);
	}
	source_free(source);
	tree_free(&tree);
	return accepted;
}

/* As a user has it: it and what it has again, left as it is, or a shard */
static void pack_archive(const char *path, enum wds wds, bool index)
{
	const char *how = wds == WDS_SHARD ? "--wds" : wds == WDS_PREFIX ? "--wds=prefix" :
			  index ? "--tar-index" : "--no-dedup";
	char tar[80];
	const char *args[] = { "mkfs.dsfs", "-q", "-f", "--threads=1", how, tar,
			       wds == WDS_NONE && !index ? tar : NULL, NULL };

	snprintf(tar, sizeof(tar), "--tar=%s", path);
	packed_check(args, NULL);
}

/* What is no shard is read twice: all that it has comes again. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u8 archive[TAR_INPUT_MAX];
	static int fd = -1;
	enum wds wds;
	char path[64];
	size_t made;

	if (!size || size > TAR_INPUT_MAX / 2)
		return 0;
	made = tar_input_make(data, size, archive);
	if (fd < 0)
		fd = memfd_create("archive", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, archive, made, 0) != made)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	wds = data[size / 2] % 3;
	if (read_archive(path, wds))
		pack_archive(path, wds, data[size / 2] & 4);
	return 0;
}
