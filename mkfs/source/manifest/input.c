// SPDX-License-Identifier: GPL-2.0
/*
 * Contents of the files of a manifest: other files, and parts of them.
 */
#include <stdlib.h>
#include <unistd.h>

#include "../file.h"
#include "manifest.h"

/**
 * struct manifest_input - an open content of a thread
 * @origin: file that is open as @file.fd; it stays open, as the next content is often
 *	in the same file; NULL: none
 */
struct manifest_input {
	struct file_input file;
	const struct origin *origin;
};

struct input *manifest_input_new(struct source *src)
{
	struct manifest_input *mi = calloc(1, sizeof(*mi));

	if (!mi)
		return NULL;
	mi->file.in.src = src;
	mi->file.fd = -1;
	return &mi->file.in;
}

static void close_origin(struct manifest_input *mi)
{
	if (mi->origin)
		close(mi->file.fd);
	mi->origin = NULL;
}

void manifest_input_free(struct input *in)
{
	struct manifest_input *mi = (struct manifest_input *)in;

	if (!mi)
		return;
	close_origin(mi);
	free(mi);
}

static bool open_origin(struct manifest_input *mi, const struct origin *o)
{
	struct input *in = &mi->file.in;

	if (mi->origin == o)
		return true;
	close_origin(mi);
	mi->file.fd = openat(((struct manifest *)in->src)->dirfd, o->path,
			     FILE_FLAGS);
	if (mi->file.fd < 0)
		return input_fail(in, "cannot open", -errno);
	mi->origin = o;
	mi->file.size = o->size;
	mi->file.check = o->check;
	return true;
}

bool manifest_open(struct input *in, struct dir *dir, struct node *n)
{
	struct manifest_input *mi = (struct manifest_input *)in;
	const struct record *r = manifest_record((struct manifest *)in->src, n);

	in->dir = dir;
	in->node = n;
	in->why = NULL;
	mi->file.base = r->offset;
	mi->file.asked = false;
	return open_origin(mi, r->origin);
}

/* Close a content; its file stays open for the next one. */
void manifest_close(struct input *in)
{
	in->node = NULL;
}
