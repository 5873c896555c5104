// SPDX-License-Identifier: GPL-2.0
/*
 * Target: the texts that mkfs.dsfs reads: a manifest and an order of it, a list of patterns, and
 * the command line.  An image is made of a manifest that is accepted, and fsck.dsfs must call
 * it clean.
 *
 *   byte 0	bits 0-1: which; bits 3-5: options of the image
 *   1-2	bytes of the first text; the rest is the second one: the order
 */
#include <stdio.h>
#include <stdlib.h>

#include "build/build.h"
#include "plan.h"
#include "source/source.h"
#include "engine.h"
#include "packed.h"

#define WORDS_MAX	16
#define HEAD		3
#define IMAGE_MAX	(256 << 10)	/* bytes of contents */

/* Make a text the standard input, where every list can come from. */
static void feed(const u8 *text, size_t size)
{
	static FILE *before;

	if (before)
		fclose(before);
	before = fmemopen(size ? (void *)text : (void *)"\n", size ? size : 1, "r");
	stdin = before;
}

/* Whether it is accepted, and its image is small. */
static bool read_manifest(const u8 *text, size_t size, const u8 *order,
			  size_t order_size)
{
	struct options o = {
		.manifest = "-", .order = "-", .source = ".",
	};
	struct tree tree;
	struct source *source = NULL;
	struct order list;
	struct plan plan;
	bool good = false;

	feed(text, size);
	if (!tree_init(&tree, "-", UINT64_MAX) &&
	    !source_open(&source, &manifest_ops, &o, &tree, 1) &&
	    !source->ops->list(source) && !tree_order(&tree)) {
		plan_make(&plan, &tree);
		good = plan.bytes <= IMAGE_MAX;
		feed(order, order_size);
		order_init(&list, &tree, &o);
		order_free(&list);
	}
	source_free(source);
	tree_free(&tree);
	return good;
}

static void pack_manifest(const u8 *text, size_t size, u8 options)
{
	const char *args[PACKED_ARGS + 1] = {
		"mkfs.dsfs", "-q", "-U", "clear", "--threads=1", "--manifest=-",
	};
	int n = 6;

	if (options & 8)
		args[n++] = "--digest=full";
	if (options & 16)
		args[n++] = "--chunk-size=4K";
	if (options & 32)
		args[n++] = "--align=512";
	feed(text, size);
	packed_check(args, ".");
}

static void read_options(const u8 *text, size_t size)
{
	char *copy = malloc(size + 1), *argv[WORDS_MAX + 1], *at;
	struct options o;
	int argc = 1;

	if (!copy)
		return;
	memcpy(copy, text, size);
	copy[size] = '\0';
	argv[0] = (char *)"mkfs.dsfs";
	for (at = copy; at < copy + size && argc < WORDS_MAX; at += strlen(at) + 1) {
		/* that would open any file */
		if (strchr(at, '@'))
			goto out;
		argv[argc++] = at;
	}
	argv[argc] = NULL;
	options_parse(&o, recipe_new.args, recipe_new.settle, argc, argv);
	options_free(&o);
out:
	free(copy);
}

static void read_patterns(const u8 *text, size_t size)
{
	char *argv[] = {
		(char *)"mkfs.dsfs", (char *)"-e@-", (char *)"image",
		(char *)"source", NULL
	};
	struct options o;

	feed(text, size);
	if (options_parse(&o, recipe_new.args, recipe_new.settle, 4, argv) < 0) {
		char path[] = "train/n01440764/y.jpg";

		patterns_match_below(&o.exclude, "", "a.jpg", false);
		patterns_match_below(&o.exclude, "train/n01440764", "x.jpg", false);
		patterns_match_below(&o.exclude, "train", "n01440764", true);
		patterns_match_any(&o.exclude, path);
	}
	options_free(&o);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t first;

	if (size < HEAD)
		return 0;
	first = data[1] | data[2] << 8;
	if (first > size - HEAD)
		first = size - HEAD;
	switch (data[0] & 3) {
	case 0:
	case 1:
		if (read_manifest(data + HEAD, first, data + HEAD + first, size - HEAD - first))
			pack_manifest(data + HEAD, first, data[0]);
		break;
	case 2:
		read_patterns(data + HEAD, size - HEAD);
		break;
	default:
		read_options(data + HEAD, size - HEAD);
	}
	return 0;
}
