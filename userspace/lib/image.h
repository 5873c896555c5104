/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An image as the project's own tools see it: what dsfs.h leaves out for programs of others.
 *
 * A tool looks at broken images: at slots of superblocks that no kernel would take, at all
 * generations, at bytes that no checksum vouches for, at records of the format.  dsfs.h is made
 * of these functions, so that a tool and a program of others read by the same code.  The
 * shared library does not export them.  They use the decoders of fs/format and a reader
 * (reader.h), and print nothing: what is wrong is returned.
 */
#ifndef DSFS_IMAGE_H
#define DSFS_IMAGE_H

#include "format.h"
#include "nsec.h"
#include "reader.h"

/**
 * struct expected - the digest that an image is to keep
 * @any: whether there is one
 * @kind: DSFS_DIGEST_*; NONE: of either kind
 * @sum: the digest
 */
struct expected {
	bool any;
	u8 kind;
	u8 sum[DSFS_DIGEST_BYTES];
};

/**
 * struct image - an open image
 * @path: of the file or device; NULL if it was opened by somebody else
 * @reader: its bytes, and maybe others around it
 * @start: where the image begins among them
 * @bytes: length of the image
 * @use: the slot that counts: the valid one with the higher generation; -1
 *	if there is none
 * @ret: what dsfs_super_choose() returned, with @err: 0 or why a kernel would not mount it
 * @geo: of the generation that is looked at: that slot's, or @older's; NULL if
 *	there is none
 * @older: an older generation that was asked for
 * @expected: the digest that is to be kept in it, for image_as_expected() of the tools
 *
 * Constant once it is open and a generation is chosen, so threads share it.
 */
struct image {
	const char *path;
	struct dsfs_reader *reader;
	u64 start;
	u64 bytes;
	int use;
	int ret;
	struct dsfs_err err;
	const struct dsfs_geo *geo;
	struct dsfs_slot slots[DSFS_SB_SLOTS];
	struct dsfs_slot older;
	struct expected expected;
};

/**
 * image_load - judge the slots of an image
 * @img: with @reader, @start and @bytes; the rest is filled in
 *
 * An image without a valid slot loads too: @img->geo is NULL then.
 */
void image_load(struct image *img);

/** image_close - close its reader */
void image_close(struct image *img);

/**
 * image_older - the generation before one
 * @geo: the one
 * @older: filled in; @geo may be its own
 *
 * Return: 1, 0 if there is none before it, or a negative errno; @older->err
 * says what is wrong.
 */
int image_older(const struct image *img, const struct dsfs_geo *geo, struct dsfs_slot *older);

/**
 * image_use_generation - look at a generation that the image keeps
 * @img: with a valid slot; what was made of it before is void
 *
 * Return: 0, -ENOENT if it is not kept, or a negative errno; @img->older.err says what is
 * wrong.
 */
int image_use_generation(struct image *img, u64 generation);

/** image_is_foreign - whether no slot has the magic number: it is something else */
bool image_is_foreign(const struct image *img);
/** image_is_short - whether all slots say that its end is missing, and nothing else */
bool image_is_short(const struct image *img);

/** err_why - a negative errno in words, those of the format's errors included */
const char *err_why(int ret);

/* Bytes of the text of a thread's last error of a far reader */
#define ERR_FAR	208

/**
 * err_far - that text, in words which err_why() gives for -EREMOTEIO
 *
 * A number cannot say which server refused what; it is for whoever sets the error.
 */
char *err_far(void);

/** err_text - a struct dsfs_err and a negative errno as a line of text */
void err_text(const struct dsfs_err *err, int ret, char *buf, size_t size);

/*
 * Bytes of the image, which nothing vouches for.  These are the reader's functions, with offsets
 * in the image.
 */

/** image_pread - read bytes into one buffer; 0, or -EIO, where the image ends too, or ... */
int image_pread(const struct image *img, void *buf, size_t len, u64 pos);

/** image_preadv - read @len bytes into buffers that have room for as many; READ_* */
int image_preadv(const struct image *img, const struct iovec *iov, int n, size_t len,
		 u64 pos, unsigned int flags);

/**
 * image_again - whether bytes that a checksum refused are worth a second read
 *
 * A file would say the same.  A server, or what is on the way to it, may not: READ_AGAIN.
 */
static inline bool image_again(const struct image *img)
{
	return img->reader->far;
}

/** image_ahead - begin to read a range that will be asked for */
void image_ahead(const struct image *img, u64 pos, u64 len);

/** image_drop - forget a range that was read, whoever reads it */
void image_drop(const struct image *img, u64 pos, u64 len);

/** image_has - whether what begins at @pos is in memory, as far as can be told */
bool image_has(const struct image *img, u64 pos);

/**
 * image_next_data - skip bytes that are zero since nothing is stored there
 * Return: @pos or above it, UINT64_MAX: nothing is stored from there on.
 */
u64 image_next_data(const struct image *img, u64 pos);

/** region_name - "inodes", or "unknown", as format.rst has it */
const char *region_name(unsigned int id);
/** region_record - bytes of a record; 1 for regions without a fixed size */
unsigned int region_record(unsigned int id);

/**
 * image_sums - the checksum of the blocks of BLOCKSUMS
 *
 * The superblock has it, too: struct dsfs_geo.sums_checksum.
 *
 * Return: 0, -ENOMEM or an error of image_pread().
 */
int image_sums(const struct image *img, u32 *sum);

/*
 * Metadata of a generation: one cache (meta.c), which fs/format's decoders read by
 * dsfs_meta_get().
 */

/** struct dsfs_source - metadata of a generation, for any threads */
struct dsfs_source {
	const struct image *img;
	struct dsfs_geo geo;
};

/**
 * image_source - make a cache of metadata
 * @img: with a valid slot; the source stays with the generation that is looked
 *	at now
 * @limit: bytes kept in memory, about; 0: a sensible value; UINT64_MAX: all that is read
 *
 * Each block is compared with its checksum in BLOCKSUMS, but BLOCKSUMS with nothing unless
 * source_check_sums() is called: a broken image can be looked at.
 *
 * Return: a source, to be freed with image_source_free(), or NULL.
 */
struct dsfs_source *image_source(const struct image *img, u64 limit);
void image_source_free(struct dsfs_source *src);

/**
 * source_limit - change the limit of a source, and give back what is above it
 *
 * One that was made with a limit that is sufficient for all of its metadata keeps all.
 */
void source_limit(struct dsfs_source *src, u64 limit);

/**
 * source_check_sums - compare BLOCKSUMS, which vouches for all other metadata
 * @src: new
 * @err: filled in on failure
 *
 * Return: 0, -EBADMSG or -EIO.
 */
int source_check_sums(struct dsfs_source *src, struct dsfs_err *err);

/** source_block - a block of the metadata area, as dsfs_meta_get() */
int source_block(struct dsfs_source *src, u64 block, struct dsfs_mref *ref);

/** source_load - read and check all metadata; @err: filled in on failure */
int source_load(struct dsfs_source *src, struct dsfs_err *err);

/**
 * image_note - the note of a source's generation
 * @note: gets it; zero if there is none
 * @err: filled in on failure
 *
 * Return: 1, 0 if there is none, or a negative errno.
 */
int image_note(struct dsfs_source *src, struct dsfs_note *note, struct dsfs_err *err);

/* Bytes of a digest as digest.rst writes it, terminated */
#define DIGEST_TEXT	(16 + 2 * DSFS_DIGEST_BYTES)

/**
 * digest_text - as digest.rst writes it; "sha256:..." if the kind is DSFS_DIGEST_NONE
 * @buf: DIGEST_TEXT bytes
 *
 * Return: @buf.
 */
char *digest_text(u8 kind, const u8 *sum, char *buf);

/**
 * expected_parse - "sha256:", "dsfs1-data:" or "dsfs1-full:", and 64 hexadecimal digits
 * @e: filled in, or left alone
 *
 * Return: 0 or -EINVAL.
 */
int expected_parse(const char *text, struct expected *e);

/** expected_is_begun - whether a text begins as a digest does: with one of these words */
bool expected_is_begun(const char *text);

/* Bytes of what expected_check() says, terminated */
#define EXPECTED_TEXT	(32 + 2 * DIGEST_TEXT)

/**
 * expected_check - whether a generation keeps the digest that was expected
 * @img: with the generation that is looked at
 * @src: its metadata; NULL: read what is needed
 * @e: if nothing is expected, everything is right
 * @text: gets what is wrong, EXPECTED_TEXT bytes, for a message with err_why()
 *
 * Return: 0; -EMEDIUMTYPE if it keeps another one or none; or a negative errno.
 */
int expected_check(const struct image *img, struct dsfs_source *src, const struct expected *e,
		   char *text);

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
 * @extra: its extra record
 * @verify: check data checksums, where the image has them
 * @fn: called for each piece in order; nothing unverified gets to it; NULL: pass over all
 * @err: filled in on failure, but not when @fn fails
 *
 * Return: 0, -EBADMSG for a wrong checksum, -EIO, or what @fn returned.
 */
int image_stream(struct dsfs_source *src, const struct dsfs_attr *attr,
		 const struct dsfs_extra_info *extra, bool verify, image_data_fn fn,
		 void *arg, struct dsfs_err *err);

/** image_stored_bytes - bytes that a regular file stores */
static inline u64 image_stored_bytes(const struct dsfs_attr *attr,
				     const struct dsfs_extra_info *extra)
{
	if (attr->flags & DSFS_INODE_COMPRESSED)
		return attr->stored;
	return attr->flags & DSFS_INODE_HOLES ? extra->stored : attr->size;
}

/**
 * image_stored_get - where the stored data of an inode lies
 * @attr: filled in; its start is that of the data
 * @stored: number of bytes; 0: a hard-link entry, no regular file, or one without stored data
 * @err: filled in on failure
 *
 * Return: 0 or a negative errno.
 */
int image_stored_get(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr, u64 *stored,
		     struct dsfs_err *err);

/**
 * struct image_node - everything a stat shows
 * @attr: never a hard-link entry
 * @nlink: from record or extra record
 */
struct image_node {
	struct dsfs_attr attr;
	struct dsfs_extra_info extra;
	u32 uid;
	u32 gid;
	u32 nlink;
};

/**
 * image_node_get - read an inode with what belongs to it
 * @ino: of an inode or of a hard-link entry, which is followed
 */
int image_node_get(struct dsfs_source *src, u32 ino, struct image_node *node, struct dsfs_err *err);
/** image_node_at - the same, without a search where it is known: see dsfs_inode_at() */
int image_node_at(struct dsfs_source *src, u32 ino, u64 place, struct image_node *node,
		  struct dsfs_err *err);

/*
 * xattr.c
 */

/**
 * image_xattr_set - read an inode's set of xattrs
 * @set: gets memory to be freed; NULL if it has none
 * @bytes: gets its length
 */
int image_xattr_set(struct dsfs_source *src, const struct dsfs_extra_info *extra,
		    void **set, u32 *bytes, struct dsfs_err *err);

/**
 * struct node_xattr - an extended attribute
 * @name: whole name, terminated
 */
struct node_xattr {
	const char *name;
	const void *value;
	size_t len;
};

/**
 * struct node_xattrs - extended attributes of an inode, with whole names
 * @set: memory that the values point to, if it is the list's own
 */
struct node_xattrs {
	struct node_xattr *v;
	size_t count;
	void *set;
};

/** xattr_list_decode - the attributes of a set; @list: zeros, or with @set alone */
int xattr_list_decode(const void *set, u32 bytes, struct node_xattrs *list, struct dsfs_err *err);
/** xattr_list_get - those of an inode; empty if it has none, and after an error */
int xattr_list_get(struct dsfs_source *src, const struct image_node *node,
		   struct node_xattrs *list, struct dsfs_err *err);
void xattr_list_free(struct node_xattrs *list);

/**
 * image_entry_check - whether an inode is what a directory says of it
 * @dir: inode number of the directory
 * @ino: number that the entry's position gives
 * @type: type of the entry
 * @node: what image_node_get() read of @ino
 * @err: filled in on failure
 *
 * A subdirectory has a higher number than what holds it, so no way down is endless.
 *
 * Return: 0 or -EUCLEAN.
 */
int image_entry_check(u32 dir, u32 ino, u8 type, const struct image_node *node,
		      struct dsfs_err *err);

/**
 * image_step - find a name in a directory
 * @at: the directory; gets the object
 * @name: @len bytes, 1 to DSFS_NAME_MAX
 *
 * Return: 0, -ENOENT, -ENOTDIR, or an error of reading (then @err.what is set).
 */
int image_step(struct dsfs_source *src, struct image_node *at, const char *name, size_t len,
	       struct dsfs_err *err);

/**
 * image_lookup - find an object by path
 * @path: "/a/b" or "a/b"; "/" or "" is the root; symlinks are not followed
 *
 * Return: as image_step().
 */
int image_lookup(struct dsfs_source *src, const char *path,
		 struct image_node *node, struct dsfs_err *err);

/*
 * The inside of what dsfs.h hands out.
 */
struct dsfs_error;
struct dsfs_file;
struct dsfs_image;

/** image_of - the slots and bytes of an image that dsfs_open() opened */
const struct image *image_of(const struct dsfs_image *image);

/** file_extent_at - number of the first extent that ends behind @pos; without one, of them all */
size_t file_extent_at(const struct dsfs_file *file, u64 pos);

/**
 * file_pread - dsfs_pread() with flags
 * @flags: READ_*
 * @buf: best aligned to READ_ALIGN with READ_ONCE
 */
ssize_t file_pread(const struct dsfs_file *file, unsigned int flags, void *buf, size_t len,
		   u64 pos, struct dsfs_error *error);

#endif /* DSFS_IMAGE_H */
