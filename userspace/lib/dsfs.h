/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libdsfs: read a DSFS image, a file or a block device, without mounting it.
 *
 * The library prints nothing, never exits, and keeps no state but in the objects
 * that it hands out.  A function returns 0 (some: a count) or a negative errno, and
 * fills in a struct dsfs_error if the caller gives one.
 *
 * Threads: an image and a file may be used by any number of threads at once, until one
 * of them closes it.  A directory stream is for one thread at a time.
 *
 * Trust: nothing of an image is believed.  Metadata is checked against its checksums
 * and the rules of the format before it is used, and data against its checksums before
 * it is handed out.  Errors that an image can cause:
 *
 *   EBADMSG      a checksum is wrong
 *   EUCLEAN      a rule of the format is broken
 *   EIO          it could not be read, or ends too early
 *   EMEDIUMTYPE  it does not keep the digest that the option digest= asks for
 *   EREMOTEIO    the same of an image on a server; the message says what went wrong there
 *
 * Memory: metadata is read when it is first needed and kept until dsfs_close().
 */
#ifndef DSFS_H
#define DSFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DSFS_ROOT_INO		1	/* inode number of the root directory */
#define DSFS_NAME_MAX		255	/* bytes in a name */
#define DSFS_SYMLINK_MAX	4095	/* bytes in the target of a symbolic link */

struct dsfs_image;
struct dsfs_file;
struct dsfs_dirstream;

/**
 * struct dsfs_error - why a call failed
 * @code: an errno, positive; 0 until a call fails
 * @message: what is wrong: the object, the value and the limit, as far as they are
 *	known; one line, terminated.  Names are cut to 100 bytes, and controls in them
 *	become question marks; other bytes stay, UTF-8 or not.
 *
 * A pointer to one may be NULL wherever it is asked for.  A call that succeeds leaves it
 * alone.
 */
struct dsfs_error {
	int code;
	char message[252];
};

/** dsfs_version - the version of the library, "0.1.0" */
const char *dsfs_version(void);

/*
 * Images
 */

/**
 * struct dsfs_open_options - how to open an image
 * @size: sizeof(struct dsfs_open_options)
 * @flags: 0
 * @offset: where the image begins in its file, in bytes
 * @length: its bytes; 0: up to the end of the file
 * @generation: the generation to look at; 0: the newest
 * @source: options of the way to an image on a server, "name=value,...", or NULL: see
 *	dsfs-source(7).  A program that was built without it goes on working.
 */
struct dsfs_open_options {
	uint32_t size;
	uint32_t flags;
	uint64_t offset;
	uint64_t length;
	uint64_t generation;
	const char *source;
};

/**
 * dsfs_open - open an image
 * @path: a file or a block device, or an address: http://, https://, s3://bucket/key or
 *	oci://registry/name:tag; maybe with a digest behind it, "@sha256:HEX", which is the
 *	option digest= of @options
 * @options: or NULL
 * @image: gets the image, to be closed with dsfs_close()
 * @error: filled in on failure, or NULL
 *
 * Return: 0, -EINVAL (not a DSFS image, or an option that is not known), -EOPNOTSUPP (a
 * newer format), -EFBIG (cut short), -ENOENT (no such file or generation), -EBADMSG,
 * -EUCLEAN, -EIO, -ENOMEM, or what open(2) says.
 */
int dsfs_open(const char *path, const struct dsfs_open_options *options,
	      struct dsfs_image **image, struct dsfs_error *error);

/** dsfs_open_fd - the same for an open descriptor, which stays the caller's */
int dsfs_open_fd(int fd, const struct dsfs_open_options *options,
		 struct dsfs_image **image, struct dsfs_error *error);

/** dsfs_close - close an image, or NULL; its files and streams are closed before */
void dsfs_close(struct dsfs_image *image);

/**
 * dsfs_source_note - what a source was asked for and cannot do, though the image can be read
 *
 * That is, so far: why nothing is kept in cache-dir.
 *
 * Return: a text that lives as long as the image, for people; NULL: there is nothing to say.
 */
const char *dsfs_source_note(const struct dsfs_image *image);

/**
 * struct dsfs_info - an image as a whole
 * @generation: 1 for a new image; each update adds 1
 * @build_time: nanoseconds since 1970
 * @image_bytes: length of this generation
 * @metadata_bytes: how much of it is metadata, older generations' not counted
 * @files: regular files, hard links counted once
 * @content_bytes: sum of their sizes
 * @stored_bytes: bytes stored for them, shared ones counted once
 * @inodes: inode numbers are 1 to @inodes
 * @directories: how many of them are directories
 * @inode_generation: tells the inodes of this generation from those of any other, as
 *	i_generation of a mount does
 * @chunk_bytes: a data checksum covers that many bytes, or fewer in a large file, or all of a
 *	small one; 0: there are none
 * @align_bytes: data that shares no block begins at a multiple of it
 * @label: terminated
 */
struct dsfs_info {
	uint64_t generation;
	int64_t build_time;
	uint64_t image_bytes;
	uint64_t metadata_bytes;
	uint64_t files;
	uint64_t content_bytes;
	uint64_t stored_bytes;
	uint64_t inodes;
	uint64_t directories;
	uint32_t inode_generation;
	uint32_t chunk_bytes;
	uint32_t align_bytes;
	uint8_t uuid[16];
	char label[68];
	uint64_t spare[8];
};

/** dsfs_get_info - describe an image; cannot fail */
void dsfs_get_info(const struct dsfs_image *image, struct dsfs_info *info);

/**
 * dsfs_generations - which generations the image keeps
 * @image: one that shows any generation
 * @list: gets their numbers, the newest first, as many as there is @room for
 * @room: numbers that fit
 * @error: filled in on failure, or NULL
 *
 * Return: how many there are, or a negative errno.
 */
ssize_t dsfs_generations(struct dsfs_image *image, uint64_t *list, size_t room,
			 struct dsfs_error *error);

#define DSFS_VERIFY_DATA	1u	/* the contents of all files, too */

/**
 * dsfs_verify - check all metadata of a generation against its checksums
 * @image: the image; what is read is kept, so this also loads all of it
 * @flags: 0 or DSFS_VERIFY_DATA
 * @error: the first thing that is wrong, or NULL
 *
 * Whether the rules that concern the image as a whole hold, fsck.dsfs(8) tells.
 *
 * Return: 0 or a negative errno.
 */
int dsfs_verify(struct dsfs_image *image, unsigned int flags, struct dsfs_error *error);

/*
 * Inodes and names.  Inode numbers stay the same as long as a generation does.
 */

/**
 * struct dsfs_stat - an inode
 * @size: bytes of a regular file, or of a symbolic link's target; else 0
 * @stored: bytes that are stored for a regular file: less than @size if it has holes
 * @mtime_sec: seconds since 1970, rounded down
 * @mtime_nsec: 0 to 999,999,999
 * @mode: type and permissions, as st_mode
 * @nlink: names; of a directory as in stat(2)
 * @rdev_major: of a device, with @rdev_minor
 * @has_acl: it has a POSIX ACL, which @mode alone does not tell
 */
struct dsfs_stat {
	uint64_t ino;
	uint64_t size;
	uint64_t stored;
	int64_t mtime_sec;
	uint32_t mtime_nsec;
	uint32_t mode;
	uint32_t nlink;
	uint32_t uid;
	uint32_t gid;
	uint32_t rdev_major;
	uint32_t rdev_minor;
	uint32_t has_acl;
	uint64_t spare[4];
};

/**
 * dsfs_stat - the attributes of an inode
 * @image: the image
 * @ino: any number
 * @st: filled in
 * @error: filled in on failure, or NULL
 *
 * Return: 0, -ESTALE for a number that no inode has, or an error of the image.
 */
int dsfs_stat(struct dsfs_image *image, uint64_t ino, struct dsfs_stat *st,
	      struct dsfs_error *error);

/**
 * dsfs_lookup - find a name in a directory
 * @image: the image
 * @dir: inode number of the directory
 * @name: bytes, not terminated; "." and ".." are the directory and its parent
 * @len: how many
 * @st: filled in: the object, not what a symbolic link leads to
 * @error: filled in on failure, or NULL
 *
 * Return: 0, -ENOENT, -ENOTDIR, -ENAMETOOLONG, -EINVAL for a name that is empty or holds
 * NUL or a slash, -ESTALE, or an error of the image.
 */
int dsfs_lookup(struct dsfs_image *image, uint64_t dir, const char *name,
		size_t len, struct dsfs_stat *st, struct dsfs_error *error);

#define DSFS_FOLLOW		1u	/* the last part of a path, too */

/**
 * dsfs_lookup_path - find an object by its path
 * @image: the image
 * @path: parts with slashes between them, from the root, whether or not it begins with
 *	a slash; "" is the root
 * @flags: 0 or DSFS_FOLLOW
 * @st: filled in
 * @error: filled in on failure, or NULL
 *
 * Symbolic links on the way are followed as after chroot(2) into the image: an absolute
 * target begins at the root of the image, and ".." there stays there.
 *
 * Return: as dsfs_lookup(); -ELOOP after 40 links.
 */
int dsfs_lookup_path(struct dsfs_image *image, const char *path, unsigned int flags,
		     struct dsfs_stat *st, struct dsfs_error *error);

/**
 * dsfs_readlink - the target of a symbolic link
 * @image: the image
 * @ino: the link
 * @buf: gets the target, terminated
 * @size: of @buf; DSFS_SYMLINK_MAX + 1 is always enough
 * @error: filled in on failure, or NULL
 *
 * Return: length of the target, -EINVAL for no link, -ERANGE if @buf is too small,
 * -ESTALE, or an error of the image.
 */
ssize_t dsfs_readlink(struct dsfs_image *image, uint64_t ino, char *buf,
		      size_t size, struct dsfs_error *error);

/**
 * dsfs_getxattr - the value of an extended attribute
 * @image: the image
 * @ino: any inode
 * @name: with its prefix, "user.title"
 * @buf: gets the value; may be NULL if @size is 0
 * @size: of @buf; 0 asks for the length
 * @error: filled in on failure, or NULL
 *
 * Return: length of the value, -ENODATA for no such attribute, -ERANGE if @buf is too
 * small, -ESTALE, or an error of the image.
 */
ssize_t dsfs_getxattr(struct dsfs_image *image, uint64_t ino, const char *name,
		      void *buf, size_t size, struct dsfs_error *error);

/**
 * dsfs_listxattr - the names of an inode's extended attributes
 * @buf: gets them, each terminated
 * @size: of @buf; 0 asks for the length
 *
 * Return: length of all, or as dsfs_getxattr().
 */
ssize_t dsfs_listxattr(struct dsfs_image *image, uint64_t ino, char *buf,
		       size_t size, struct dsfs_error *error);

/*
 * Directories
 */

/**
 * struct dsfs_dirent - a name in a directory
 * @ino: of the inode
 * @next: position behind this name, for dsfs_seekdir()
 * @name: terminated; valid up to the next call on the stream
 * @name_len: its bytes
 * @type: DT_REG, DT_DIR, ... of <dirent.h>
 */
struct dsfs_dirent {
	uint64_t ino;
	uint64_t next;
	const char *name;
	uint16_t name_len;
	uint8_t type;
	uint8_t spare[5];
};

/**
 * dsfs_opendir - begin to read a directory
 * @image: the image
 * @ino: the directory
 * @stream: gets a stream, to be closed with dsfs_closedir()
 * @error: filled in on failure, or NULL
 *
 * Return: 0, -ENOTDIR, -ESTALE, -ENOMEM, or an error of the image.
 */
int dsfs_opendir(struct dsfs_image *image, uint64_t ino,
		 struct dsfs_dirstream **stream, struct dsfs_error *error);

/**
 * dsfs_readdir - the next name, in the order of their bytes
 * @stream: the stream
 * @entry: filled in; "." and ".." are left out
 * @error: filled in on failure, or NULL
 *
 * Return: 1 for a name, 0 at the end, or an error of the image.
 */
int dsfs_readdir(struct dsfs_dirstream *stream, struct dsfs_dirent *entry,
		 struct dsfs_error *error);

/** dsfs_seekdir - go to a position that dsfs_readdir() gave; 0 is the first name */
void dsfs_seekdir(struct dsfs_dirstream *stream, uint64_t pos);

/** dsfs_closedir - close a stream, or NULL */
void dsfs_closedir(struct dsfs_dirstream *stream);

/*
 * Contents of regular files
 */

#define DSFS_UNCHECKED		1u	/* do not compare data with its checksums */

/**
 * dsfs_file_open - open a regular file
 * @image: the image
 * @ino: the file
 * @flags: 0 or DSFS_UNCHECKED
 * @file: gets the file, to be closed with dsfs_file_close()
 * @error: filled in on failure, or NULL
 *
 * The inode and its extents are decoded here, once.
 *
 * Return: 0, -EISDIR, -EINVAL for anything else that is no regular file or a flag that
 * is not known, -ESTALE, -ENOMEM, or an error of the image.
 */
int dsfs_file_open(struct dsfs_image *image, uint64_t ino, unsigned int flags,
		   struct dsfs_file **file, struct dsfs_error *error);

/** dsfs_file_close - close a file, or NULL */
void dsfs_file_close(struct dsfs_file *file);

/** dsfs_file_size - the size of an open file in bytes */
uint64_t dsfs_file_size(const struct dsfs_file *file);

/**
 * dsfs_pread - read from an open file
 * @file: the file
 * @buf: gets the bytes
 * @len: how many
 * @pos: offset in the file
 * @error: filled in on failure, or NULL
 *
 * A checksum covers a chunk (struct dsfs_info.chunk_bytes), so a read that begins or ends
 * within one reads all of it: whole files, or whole chunks, cost least.
 *
 * Return: bytes read: fewer than @len only where the file ends, 0 behind it; or an error
 * of the image, and then @buf is undefined.
 */
ssize_t dsfs_pread(const struct dsfs_file *file, void *buf, size_t len,
		   uint64_t pos, struct dsfs_error *error);

/**
 * struct dsfs_read - one of several reads
 * @file: an open file
 * @buf: gets the bytes
 * @len: how many
 * @pos: offset in the file
 * @result: gets what dsfs_pread() returns
 */
struct dsfs_read {
	const struct dsfs_file *file;
	void *buf;
	size_t len;
	uint64_t pos;
	ssize_t result;
};

/**
 * dsfs_pread_many - read from several files, of one image or more, at once
 * @reads: what is to be read; @result of each is filled in
 * @count: how many; there is no limit
 * @error: filled in for the first of them that fails, or NULL
 *
 * The device gets the requests of all, or of a few hundred, before one is waited for, so
 * that a batch of samples takes about as long as one.
 *
 * Return: 0, or the result of the first that failed; the others are read all the same.
 */
int dsfs_pread_many(struct dsfs_read *reads, size_t count, struct dsfs_error *error);

/**
 * dsfs_readahead - begin to bring in bytes that will be read
 * @file: an open file
 * @pos: the first
 * @len: how many; more than 16 MiB are not brought in, as a read of them does that well enough
 *
 * Does not wait, and is an advice: a read afterwards returns what it would have returned.
 */
void dsfs_readahead(const struct dsfs_file *file, uint64_t pos, uint64_t len);

/** dsfs_file_verify - compare all contents of a file with their checksums, unasked or not */
int dsfs_file_verify(const struct dsfs_file *file, struct dsfs_error *error);

#define DSFS_EXTENT_SHARED	1u	/* a block of it holds another file's data, too */
#define DSFS_EXTENT_ENCODED	2u	/* compressed: not to be read there */

/**
 * struct dsfs_extent - where bytes of a file are stored
 * @logical: offset in the file
 * @physical: offset in the image
 * @length: bytes
 * @flags: DSFS_EXTENT_*
 */
struct dsfs_extent {
	uint64_t logical;
	uint64_t physical;
	uint64_t length;
	uint64_t flags;
};

/**
 * dsfs_file_extents - all extents of an open file, in order; between them are holes
 * @file: the file
 * @count: gets how many there are
 *
 * Return: an array, valid until the file is closed.
 */
const struct dsfs_extent *dsfs_file_extents(const struct dsfs_file *file, size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* DSFS_H */
