// SPDX-License-Identifier: GPL-2.0
/*
 * Superblocks: how they come onto each kind of target, and what a run that fails leaves.
 *
 * A new image has none before all else is on the disk.  An update writes one superblock and,
 * when that is on the disk, the other.  After a loss of power at any time, one superblock is
 * valid and all that it refers to is there.
 */
#include <unistd.h>

#include "bootsector.h"
#include "io.h"
#include "msg.h"
#include "output.h"

/* Clear both slots and all other signatures at the front. */
static int wipe(struct output *out)
{
	u64 bytes = DSFS_DATA_START_MIN;
	char *zero;
	int ret;

	if (out->limit && out->limit < bytes + DSFS_BLOCK_SIZE)
		return msg_fail(-ENOSPC, out->path,
				"%s too small: %llu bytes: at least %llu needed", output_what(out),
				out->limit, (bytes + DSFS_BLOCK_SIZE));
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

static int put(const struct output *out, const void *slot, unsigned int n)
{
	return write_slot(out, slot, n) ?: output_sync(out);
}

/*
 * The first superblock could not be written, or nobody knows whether it was.  If its slot does not
 * get the bytes of before, either, all that the new generation refers to has to stay.
 */
static bool restore(const struct output *out, const void *old)
{
	const int ret = put(out, old, out->first_slot);

	if (!ret)
		msg_error(out->path, "%s", out->ops->refused);
	else
		msg_error(out->path,
			  "superblock slot %u may be damaged: the other one is as it was: run fsck.dsfs",
			  out->first_slot);
	return ret;
}

/*
 * Overwrite superblocks of an image that has another generation behind its end.  The first one, of
 * the slot that is not in use, is on the disk before the second one is written.
 */
static int replace_slots(struct output *out, const struct dsfs_super *super)
{
	const unsigned int first = out->first_slot;
	char old[DSFS_SB_SIZE];
	int ret;

	errno = EIO;
	if (io_pread(out->fd, old, sizeof(old), DSFS_SB_POS(first)) < sizeof(old)) {
		ret = errno ? -errno : -EIO;
		return msg_fail(ret, out->path, "cannot read superblock slot %u: %s", first,
				msg_why(-ret));
	}
	ret = put(out, super, first);
	out->committed = ret ? restore(out, old) : true;
	if (ret)
		return ret;
	ret = put(out, super, !first);
	if (ret)
		msg_error(out->path,
			  "has the new generation, but superblock slot %u may be damaged: the next update writes both",
			  !first);
	return ret;
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
	return write_bootsector(out) ?: replace_slots(out, super);
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
	.refused = "is as it was: nothing of the new generation is in it",
};

const struct target_ops erased_target_ops = {
	.commit = commit_update, .abort = abort_update,
	.refused = "names are gone, and their bytes may be there: run dsfs erase again",
};

/* What was written behind the image is in pieces, or not wanted. */
static int commit_list(struct output *out, const struct dsfs_super *super)
{
	const int ret = listed_commit(out, super);

	file_abort(out);
	return ret;
}

const struct target_ops list_target_ops = {
	.open = file_open, .commit = commit_list, .abort = file_abort,
};

const struct target_ops archives_target_ops = {
	.open = open_archives, .commit = commit_update, .abort = abort_update,
	.refused = "there is no image",
};
