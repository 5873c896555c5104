/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An image, read: superblock slots, verified metadata and file data.
 */
#ifndef DSFS_IMAGE_H
#define DSFS_IMAGE_H

#include "libdsfs.h"

/**
 * struct image - an open image
 * @bytes: length of the file or device
 * @use: the slot that counts: the valid one with the higher generation; -1
 *	if there is none
 * @geo: of the generation that is looked at: that slot's, or @past's; NULL if
 *	there is none
 * @past: an older generation that was asked for
 *
 * Constant once it is open and a generation is chosen, so threads share it.
 */
struct image {
	const char *path;
	int fd;
	u64 bytes;
	int use;
	const struct dsfs_geo *geo;
	struct dsfs_slot slots[DSFS_SB_SLOTS];
	struct dsfs_slot past;
};

/**
 * image_open - open an image and judge its slots
 * @img: filled in; close it after success only
 * @path: a file or block device; kept, not copied
 *
 * Says on stderr what stops it.  An image without a valid slot opens too:
 * @img->geo is NULL then.
 *
 * Return: 0 or a negative errno.
 */
int image_open(struct image *img, const char *path);
void image_close(struct image *img);

/**
 * image_older - the generation before one
 * @geo: the one
 * @older: filled in; @geo may be its own
 *
 * Return: 1, 0 if there is none before it, or a negative errno; @older->err
 * says what is wrong.
 */
int image_older(const struct image *img, const struct dsfs_geo *geo,
		struct dsfs_slot *older);

/**
 * image_generation - look at a generation that the image keeps
 * @img: with a valid slot; what was made of it before is void
 *
 * Says on stderr what is wrong.  Return: 0 or a negative errno.
 */
int image_generation(struct image *img, u64 generation);

/** image_is_foreign - whether no slot has the magic number: it is something else */
bool image_is_foreign(const struct image *img);

/** image_slot_text - what is wrong with a slot, in a line of text */
void image_slot_text(const struct dsfs_slot *slot, char *buf, size_t size);

/**
 * image_report_slots - say on stderr what is wrong with the slots
 *
 * Return: slots that are bad or lag behind the other one.
 */
int image_report_slots(const struct image *img);

/** image_err_text - a struct dsfs_err and an errno as a line of text */
void image_err_text(const struct dsfs_err *err, int ret, char *buf, size_t size);

/**
 * image_pread - read bytes of the image, unverified
 * Return: 0, -EIO where the image ends, or what pread(2) said.
 */
int image_pread(const struct image *img, void *buf, size_t len, u64 pos);

/**
 * image_next_data - skip bytes that are zero since nothing is stored there
 * Return: @pos or above it, UINT64_MAX: nothing is stored from there on.
 */
u64 image_next_data(const struct image *img, u64 pos);

/**
 * image_region_sum - the checksum that a region should carry
 * @img: with a valid slot
 * @id: a region that is not empty
 * @sum: filled in
 *
 * Reads BLOCKSUMS, or the slice of it that covers the region.
 */
int image_region_sum(const struct image *img, enum dsfs_region_id id, u32 *sum);

/**
 * image_source - metadata access for one thread
 * @img: with a valid slot; the source stays with the generation that is looked
 *	at now
 * @cache_bytes: metadata kept in memory, rounded up; 0 for a sensible value
 *
 * Return: a source, to be freed with image_source_free(), or NULL.
 */
struct dsfs_source *image_source(const struct image *img, u64 cache_bytes);
void image_source_free(struct dsfs_source *src);
const struct image *image_source_image(const struct dsfs_source *src);

/**
 * image_xattr_set - read an inode's set of xattrs
 * @set: gets memory to be freed; NULL if it has none
 * @bytes: gets its length
 */
int image_xattr_set(struct dsfs_source *src, const struct dsfs_ext_info *ext,
		    void **set, u32 *bytes, struct dsfs_err *err);

/** image_symlink - an inode's target, terminated; @buf: DSFS_SYMLINK_MAX + 1 bytes */
int image_symlink(struct dsfs_source *src, const struct dsfs_attr *attr,
		  char *buf, struct dsfs_err *err);

/**
 * image_data_fn - gets a piece of a file
 * @arg: the caller's
 * @pos: offset in the file
 * @data: bytes; NULL for a hole
 * @len: bytes or length of the hole
 *
 * Return: 0, or a negative errno to stop.
 */
typedef int (*image_data_fn)(void *arg, u64 pos, const void *data, u64 len);

/**
 * image_stream - read a regular file from begin to end
 * @src: the image
 * @attr: the file
 * @ext: its side record
 * @verify: check data checksums, where the image has them
 * @fn: called for each piece in order; nothing unverified gets to it
 * @err: filled in on failure, but not when @fn fails
 *
 * Return: 0, -EBADMSG for a wrong checksum, -EIO, or what @fn returned.
 */
int image_stream(struct dsfs_source *src, const struct dsfs_attr *attr,
		 const struct dsfs_ext_info *ext, bool verify, image_data_fn fn,
		 void *arg, struct dsfs_err *err);

/** image_stored_bytes - bytes that a regular file stores */
static inline u64 image_stored_bytes(const struct dsfs_attr *attr,
				     const struct dsfs_ext_info *ext)
{
	return attr->flags & DSFS_INODE_HOLES ? ext->stored : attr->size;
}

/**
 * struct image_node - everything a stat shows
 * @attr: never a stub
 * @nlink: from record or side record
 */
struct image_node {
	struct dsfs_attr attr;
	struct dsfs_ext_info ext;
	u32 uid;
	u32 gid;
	u32 nlink;
};

/**
 * image_node_get - read an inode with what belongs to it
 * @ino: of an inode or of a stub, which is followed
 */
int image_node_get(struct dsfs_source *src, u32 ino, struct image_node *node,
		   struct dsfs_err *err);

/**
 * image_lookup - find an object by path
 * @path: "/a/b" or "a/b"; "/" or "" is the root; symlinks are not followed
 *
 * Return: 0, -ENOENT, -ENOTDIR, or an error of reading (then @err.what is set).
 */
int image_lookup(struct dsfs_source *src, const char *path,
		 struct image_node *node, struct dsfs_err *err);

#endif /* DSFS_IMAGE_H */
