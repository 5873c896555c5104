/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dsfs-fuse: what its files share.
 *
 * It answers the requests of the kernel by the public functions of the library
 * (userspace/lib/dsfs.h), and asks image.h beside it for what these leave out: reads past
 * the page cache.  It uses libfuse 3, and is called by nobody else.
 */
#ifndef DSFS_FUSE_H
#define DSFS_FUSE_H

#define FUSE_USE_VERSION 312

#include <fuse3/fuse_lowlevel.h>

#include "dsfs.h"
#include "dsfs_platform.h"

struct held_files;

/**
 * struct fuse_options - the command line
 * @image: path of the image, or an address of a server
 * @source: options of the way there, or NULL
 * @generation: the one to show; 0 is the newest
 * @offset: of the image in its file
 * @sizelimit: bytes of the file that are the image; 0: up to its end
 * @wholefile: files of up to that many bytes are read as a whole
 * @hold: bytes of files that may wait in memory to be asked for
 * @max_read: bytes that the kernel may ask for at once; 0: as it likes
 * @uid: owner of everything, or -1: as the image says; @gid likewise
 * @lazy: metadata is read when it is needed
 * @check: compare data with its checksums
 * @keep_image: leave what was read of the image in the page cache
 */
struct fuse_options {
	char *image;
	char *source;
	u64 generation;
	u64 offset;
	u64 sizelimit;
	u64 wholefile;
	u64 hold;
	u64 max_read;
	s64 uid;
	s64 gid;
	bool lazy;
	bool check;
	bool keep_image;
};

/**
 * struct fuse_fs - a mount
 * @fd: the image's file, which the library closes; -1: it is on a server
 * @has_xattrs: some inode has extended attributes
 * @no_open: the kernel need not tell of open() and close(); @no_opendir likewise
 * @held: files that are being read
 */
struct fuse_fs {
	struct fuse_options opt;
	struct dsfs_image *image;
	struct dsfs_info info;
	int fd;
	bool has_xattrs;
	bool no_open;
	bool no_opendir;
	struct held_files *held;
};

/**
 * options_parse - take our options out of a command line
 * @args: libfuse's are left in it
 * @opt: filled in; @opt->image is NULL if there is none; to be freed with options_free()
 *
 * Return: 0, or -1 after a message.
 */
int options_parse(struct fuse_args *args, struct fuse_options *opt);
void options_free(struct fuse_options *opt);

/**
 * image_attach - open the image that the options name
 * @fs: with options; @fs->image, @info and @fd are filled in
 *
 * The kernel keeps the files of the mount.  To keep the image as well would halve what memory
 * holds, so what was read of the image is dropped, unless options ask for it.
 *
 * Return: 0, or -1 after a message.
 */
int image_attach(struct fuse_fs *fs);
void image_detach(struct fuse_fs *fs);

/** image_name - what messages and the list of mounts call the image */
const char *image_name(const struct fuse_fs *fs);

/**
 * fs_of - the mount that a request is for
 *
 * The waits of this thread end with -EINTR from now on, once its reader is killed.
 */
struct fuse_fs *fs_of(fuse_req_t req);

/** image_end_waits - have all waits end with -EINTR once the session has ended */
void image_end_waits(struct fuse_fs *fs, struct fuse_session *se);

/* dir.c: what the kernel is told of an inode, and of one with its name */
void attr_fill(const struct fuse_fs *fs, const struct dsfs_stat *st, struct stat *attr);
void attr_entry(const struct fuse_fs *fs, const struct dsfs_stat *st, struct fuse_entry_param *e);

/** CACHE_FOREVER - seconds for which a read-only image stays as it is */
#define CACHE_FOREVER	((double)(1ULL << 40))

extern const struct fuse_lowlevel_ops fuse_ops;

/* What ops.c does not do itself; as struct fuse_lowlevel_ops declares them. */
void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi);
void op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi);
void op_lseek(fuse_req_t req, fuse_ino_t ino, off_t off, int whence, struct fuse_file_info *fi);

/** report_init - before anything is reported; 0 or -ENOMEM */
int report_init(void);

/**
 * report_background - from now on, nobody sees standard error: use the system log
 */
void report_background(void);

/**
 * report_once - say what is wrong with an inode, unless it was said before
 * @ino: the inode
 * @pos: offset in the file, or REPORT_INODE
 * @len: bytes from there on that cannot be had
 * @error: why
 */
void report_once(u64 ino, u64 pos, u64 len, const struct dsfs_error *error);
#define REPORT_INODE	UINT64_MAX

/**
 * reply_failed - report an error of the image, and answer a request with it
 * @ret: the negative errno that the library returned
 *
 * What is no fault of the image, such as a name that is not there, is not reported.
 */
void reply_failed(fuse_req_t req, u64 ino, int ret, const struct dsfs_error *error);

#endif /* DSFS_FUSE_H */
