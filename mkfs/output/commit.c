// SPDX-License-Identifier: GPL-2.0
/*
 * Superblocks: how they come onto each kind of target, and what a run that fails leaves.
 *
 * A new image has none before all else is on the disk.  An update writes one superblock and,
 * when that is on the disk, the other.  After a loss of power at any time, one superblock is
 * valid and all that it refers to is there.
 */
#include <stdlib.h>
#include <unistd.h>

#include "bootsector.h"
#include "msg.h"
#include "output.h"
#include "slots.h"

/* Clear both slots and all other signatures at the front. */
static int wipe(struct output *out)
{
	u64 bytes = DSFS_DATA_START_MIN;
	char *zero;
	int ret;

	if (out->limit && out->limit < bytes + DSFS_BLOCK_SIZE) {
		msg_error(out->path, "device too small: %llu bytes: at least %llu needed",
			  out->limit, (bytes + DSFS_BLOCK_SIZE));
		return -ENOSPC;
	}
	zero = calloc(1, bytes);
	if (!zero)
		return no_memory();
	ret = output_pwrite(out, zero, bytes, 0);
	free(zero);
	return ret ? ret : output_sync(out);
}

static int open_image(struct output *out)
{
	if (!out->limit)
		signals_guard_length(out->fd, out->length);
	return 0;
}

static int open_archives(struct output *out)
{
	return open_image(out) ?: wipe(out);
}

/* It comes with the superblocks: what was not finished must not look like a disk. */
static int write_bootsector(const struct output *out)
{
	u8 sector[BOOTSECTOR_BYTES];

	if (!out->boot_signature)
		return 0;
	bootsector_fill(sector);
	return output_pwrite(out, (const char *)sector, sizeof(sector), 0);
}

static int write_slot(const struct output *out, const void *slot, unsigned int n)
{
	return output_pwrite(out, slot, DSFS_SB_SIZE, DSFS_SB_POS(n));
}

/* Both have to be on the disk, in any order: the target is no image yet. */
static int write_slots(struct output *out, const struct dsfs_super *super)
{
	int ret = write_bootsector(out);

	for (unsigned int i = 0; !ret && i < DSFS_SB_SLOTS; i++)
		ret = write_slot(out, super, i);
	return ret ? ret : output_sync(out);
}

static int commit_device(struct output *out, const struct dsfs_super *super)
{
	signals_ignore();
	return write_slots(out, super);
}

static int commit_file(struct output *out, const struct dsfs_super *super)
{
	return write_slots(out, super) ?: file_name(out);
}

static int commit_update(struct output *out, const struct dsfs_super *super)
{
	signals_ignore();
	return write_bootsector(out) ?: slots_replace(out->fd, out->path, super, out->first_slot,
						      out->ops->refused, &out->committed);
}

/* A superblock may have been written before the error. */
static void abort_device(struct output *out)
{
	static const char zero[DSFS_SB_SIZE];
	int ret = 0;

	if (!out->open)
		return;
	for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++)
		ret |= write_slot(out, zero, i);
	if (out->boot_signature)
		ret |= output_pwrite(out, zero, BOOTSECTOR_BYTES, 0);
	if (output_sync(out) || ret)
		msg_error(out->path,
			  "superblocks of the new image may be on it: run wipefs before it is used");
}

/* An update that no superblock refers to. */
static void take_back(const struct output *out)
{
	static const char zero[BOOTSECTOR_BYTES];

	/* a program that finds one would not take the target for empty */
	if (out->boot_signature)
		output_pwrite(out, zero, sizeof(zero), 0);
	if (!out->limit && ftruncate(out->fd, out->length))
		msg_warn(out->path, "cannot set the length: %s: unused bytes are behind the image",
			 strerror(errno));
}

static void abort_update(struct output *out)
{
	if (out->open && !out->committed)
		take_back(out);
	signals_unguard();
}

const struct target_ops file_target_ops = {
	.open = file_open, .commit = commit_file, .abort = file_abort,
};

const struct target_ops device_target_ops = {
	.open = wipe, .commit = commit_device, .abort = abort_device,
};

const struct target_ops image_target_ops = {
	.open = open_image, .commit = commit_update, .abort = abort_update,
	.refused = "is as it was: nothing of the update is in it",
};

const struct target_ops archives_target_ops = {
	.open = open_archives, .commit = commit_update, .abort = abort_update,
	.refused = "there is no image",
};
