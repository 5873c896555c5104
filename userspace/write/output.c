// SPDX-License-Identifier: GPL-2.0
/*
 * The target, from the first write to the last one.
 *
 * A file has no name until it is complete, or a temporary one where the file
 * system has no unnamed files, so an interrupted run leaves nothing.  A device
 * loses its superblocks before anything else is written.
 *
 * An update writes behind the image and changes nothing of it until the new data is on the disk.
 * Signals end the run in front of the first superblock, and not behind it.
 */
#include <unistd.h>

#include "format.h"
#include "msg.h"
#include "output.h"

int output_open(struct output *out, u64 start)
{
	int ret = output_guard_open(out, start) ?: out->ops->open(out);

	if (ret)
		return ret;
	out->open = true;
	out->written = start;
	out->base = start;
	out->head = start;
	out->high = start;
	ret = window_init(&out->window, out->narrow ? WINDOW_BYTES / 2 : WINDOW_BYTES) ?:
	      writer_start(&out->writer, out);
	if (ret)
		msg_error(NULL, "cannot start writing: %s", strerror(-ret));
	return ret;
}

/* Extend a file. */
static int set_length(const struct output *out, u64 bytes)
{
	int ret = 0;

	signals_write_begin();
	if (ftruncate(out->fd, out->at + bytes))
		ret = output_fail(out, "cannot set the length");
	signals_write_end();
	return ret;
}

int output_finish(struct output *out, struct dsfs_super *super)
{
	const u64 bytes = le64_to_cpu(super->image_bytes);
	int ret = output_settle(out);

	if (!ret && !out->limit && bytes > out->length)
		ret = set_length(out, bytes);
	if (!ret && out->replace)
		keep_attrs(out);
	if (!ret)
		ret = output_sync(out);
	super->checksum = cpu_to_le32(dsfs_super_sum(super));
	return ret ? ret : out->ops->commit(out, super);
}

void output_abort(struct output *out)
{
	writer_end(&out->writer);
	if (out->ops)
		out->ops->abort(out);
	out->open = false;
}

void output_free(struct output *out)
{
	writer_end(&out->writer);
	if (out->fd >= 0)
		close(out->fd);
	if (out->replace && out->old >= 0)
		close(out->old);
	listed_free(out);
	window_free(&out->window);
	free(out->path);
	free(out->temp);
}
