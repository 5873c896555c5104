/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The image being written: a file or a block device.
 */
#ifndef MKFS_OUTPUT_H
#define MKFS_OUTPUT_H

#include <sys/stat.h>

#include "../options.h"
#include "window.h"
#include "writer.h"

/* With a write in hand and one being made they are what a window holds. */
#define OUTPUT_WINDOW	(8 << 20)
#define OUTPUT_UNIT	WRITER_BYTES
#define OUTPUT_LEND_MIN	(4 * DSFS_BLOCK_SIZE)	/* less is copied */

/**
 * struct output - the target and the part of it still in memory
 * @path: as given, symlinks resolved
 * @temp: name it has until it is finished; NULL: none
 * @replace: a file is there, in whose place this one comes
 * @update: the image is there and gets a new generation
 * @boot_signature: the first sector is not empty: bootsector.h
 * @open: output_open() has been here
 * @committed: a superblock of the new generation may be on the disk
 * @first_slot: of an update: the superblock to be written first
 * @length: of an update: of the file, as it was
 * @zeros: from here on there is nothing yet but zeros
 * @limit: length of a device; 0 for a file
 * @object_bits: log2 of the objects of the store below a device; 0: unknown
 * @window: bytes [@base, @head), and [@written, @base), which the writer has in hand
 * @high: end of all that was ever written
 */
struct output {
	char *path;
	char *temp;
	int fd;
	bool device;
	bool replace;
	bool update;
	bool boot_signature;
	bool committed;
	unsigned int first_slot;
	u64 length;
	u64 zeros;
	u64 limit;
	u8 object_bits;
	u64 dev;
	u64 ino;
	bool open;
	struct window window;
	u64 written;
	u64 base;
	u64 head;
	u64 high;
	struct writer writer;
};

/**
 * output_check - whether the target may be written
 *
 * Nothing is changed.  Messages are written.
 * Return: 0 or -errno.
 */
int output_check(struct output *out, const struct options *o);

/**
 * output_open - make the file, or wipe the device's superblocks
 * @start: where writing begins
 *
 * From here on the image does not mount until output_finish() is through; one
 * that is updated mounts at any time, as it was or as it will be.
 */
int output_open(struct output *out, u64 start);

/* Bytes at @pos; what was left out in front of it is zero. */
int output_write(struct output *out, u64 pos, const void *p, size_t bytes);

/**
 * output_lend - the same; the bytes may be written from where they are
 * @p: not a byte of its blocks is the caller's while *@lent is not 0, and what
 *	follows @bytes in the last one gets lost
 * @lent: is more than it was if so; goes down behind further calls
 */
int output_lend(struct output *out, u64 pos, char *p, size_t bytes,
		unsigned int *lent);

/* Have done with some of what has been lent: 1; 0: there is no more of it; -errno. */
int output_flush(struct output *out);

/* Undo all writes from @pos on. */
void output_cut(struct output *out, u64 pos);
/* 1: the same bytes are at @pos; 0: not; -errno. */
int output_compare(struct output *out, u64 pos, const void *p, size_t bytes);
int output_compare_ranges(struct output *out, u64 a, u64 b, u64 bytes);

/**
 * output_finish - make the image whole
 * @slots: the superblocks
 * @bytes: length of the image
 *
 * Everything reaches the disk before the first superblock is written, and that
 * of an update before the second one.
 */
int output_finish(struct output *out, const void *const slots[2], u64 bytes);

/* Remove what was made; nothing is left that mounts but what did before. */
void output_abort(struct output *out);
void output_free(struct output *out);

/* Say that a call failed. Return: -errno. */
int output_fail(const struct output *out, const char *what);
/* Write past the window. */
int output_pwrite(const struct output *out, const char *p, size_t bytes,
		  u64 pos);

/* target.c: a file without a name; the front of a device; the final name */
int target_open_file(struct output *out);
int target_open_update(struct output *out);
int target_wipe(struct output *out);
int target_name(struct output *out);
void target_sync_parent(struct output *out);

/*
 * keep.c: give the file the owner, mode, ACL and extended attributes of the one it
 * will replace, or fewer rights; messages are written
 */
void keep_attrs(const struct output *out);

/* inuse.c: whether an image file is attached to a loop device; says which */
int inuse_check(const char *path, const struct stat *st);

/* device.c */

/**
 * device_object_bits - what a device says of the objects of the store below it
 * @dir: its directory in sysfs
 *
 * Return: log2 of their size; 0: it says nothing that is of use.
 */
unsigned int device_object_bits(const char *dir);

/*
 * signals.c: when a signal ends the run, remove a file, or give one back its
 * length
 */
int signals_init(void);

/**
 * signals_hold - let no signal end the run for a moment
 *
 * A file is made in that moment: a signal before finds none, and one behind
 * signals_release() knows its name.  A name that was taken is nobody's to
 * remove.
 */
void signals_hold(void);

/**
 * signals_release - signals end the run again
 * @path: the file to be removed then, kept and not copied; NULL: none
 */
void signals_release(const char *path);
void signals_guard_length(int fd, u64 bytes);
void signals_unguard(void);

/**
 * signals_write_begin - the target is being written up to signals_write_end()
 *
 * A signal gives a file its length back when no write is under way, and none
 * begins any more.  So this may not return; it does not nest.
 */
void signals_write_begin(void);
void signals_write_end(void);

#endif /* MKFS_OUTPUT_H */
