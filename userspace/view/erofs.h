/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a view has of EROFS' format, as kernels since 5.16 read it: blocks of 4096 bytes, one extra
 * device, inodes of two sizes, data in one piece, at its inode or by a map of chunks.
 *
 * The kernel's fs/erofs/erofs_fs.h is what defines it; the names of members are this project's.
 * Numbers of blocks have 32 bits.  Block n of the extra device is also block @base + n of the file
 * system, so an inode tells where its data is by one number, as if there were one device.
 */
#ifndef VIEW_EROFS_H
#define VIEW_EROFS_H

#include "dsfs_platform.h"

#define EROFS_MAGIC		0xe0f5e1e2
#define EROFS_BLOCK_BITS	12
#define EROFS_BLOCK		(1u << EROFS_BLOCK_BITS)
#define EROFS_SUPER_AT		1024
#define EROFS_DEVICE_AT		1152	/* the entry of the extra device: */
#define EROFS_DEVICE_SLOT	128	/* ... its place is told in units of this */
#define EROFS_INODES_AT		1280
#define EROFS_NID_BITS		5	/* an inode's number is its place, in units of 32 bytes */
#define EROFS_NO_BLOCK		0xffffffffu	/* a hole in a map; also no data at all */

#define EROFS_COMPAT_SUM	1	/* the superblock has a checksum */
#define EROFS_COMPAT_MTIME	2	/* times are those of modification */
#define EROFS_INCOMPAT_CHUNKS	4
#define EROFS_INCOMPAT_DEVICES	8

struct erofs_super {
	__le32	magic;
	__le32	checksum;	/* of the first block, from here on */
	__le32	compat;
	__u8	block_bits;
	__u8	slots;		/* of 16 bytes, behind this structure */
	__le16	root;
	__le64	inodes;
	__le64	time;		/* of small inodes */
	__le32	time_nsec;
	__le32	blocks;		/* of this device */
	__le32	inodes_block;
	__le32	xattrs_block;
	__u8	uuid[16];
	__u8	label[16];
	__le32	incompat;
	__le16	codecs;
	__le16	devices;
	__le16	device_slot;
	__u8	dir_bits;
	__u8	prefixes;
	__le32	prefixes_at;
	__le64	packed;
	__u8	zero[24];
};

_Static_assert(sizeof(struct erofs_super) == 128, "size of struct erofs_super");

struct erofs_device {
	__u8	tag[64];
	__le32	blocks;
	__le32	base;
	__u8	zero[56];
};

_Static_assert(sizeof(struct erofs_device) == 128, "size of struct erofs_device");

/* What is in @format: whether the inode is a large one, and where its data is */
#define EROFS_LARGE		1
#define EROFS_LAYOUT_SHIFT	1
enum erofs_layout {
	EROFS_PLAIN = 0,	/* in one piece, from a block on */
	EROFS_INLINE = 2,	/* the same, but the last block's bytes are behind the inode */
	EROFS_CHUNKS = 4,	/* where a map behind the inode says */
};

struct erofs_small {
	__le16	format;
	__le16	xattrs;		/* 0, or 1 + what struct erofs_xattrs has behind it, in 4 bytes */
	__le16	mode;
	__le16	nlink;
	__le32	size;
	__le32	zero;
	__le32	place;		/* first block, device number, or the size of chunks */
	__le32	ino;
	__le16	uid;
	__le16	gid;
	__le32	zero2;
};

_Static_assert(sizeof(struct erofs_small) == 32, "size of struct erofs_small");

struct erofs_large {
	__le16	format;
	__le16	xattrs;
	__le16	mode;
	__le16	zero;
	__le64	size;
	__le32	place;
	__le32	ino;
	__le32	uid;
	__le32	gid;
	__le64	time;
	__le32	time_nsec;
	__le32	nlink;
	__u8	zero2[16];
};

_Static_assert(sizeof(struct erofs_large) == 64, "size of struct erofs_large");

/* Behind an inode that has xattrs; numbers of shared ones follow, 4 bytes each. */
struct erofs_xattrs {
	__le32	filter;
	__u8	shared;
	__u8	zero[7];
};

_Static_assert(sizeof(struct erofs_xattrs) == 12, "size of struct erofs_xattrs");

#define EROFS_SHARED_MAX	255
#define EROFS_VALUE_MAX		65535

/* Of name and value, which follow; all of it is padded to 4 bytes. */
struct erofs_xattr {
	__u8	name_len;
	__u8	prefix;
	__le16	value_len;
};

_Static_assert(sizeof(struct erofs_xattr) == 4, "size of struct erofs_xattr");

/* In a block of a directory: entries, sorted, then their names */
struct erofs_dirent {
	__le32	nid;
	__le32	nid_high;
	__le16	name_at;
	__u8	type;
	__u8	zero;
};

_Static_assert(sizeof(struct erofs_dirent) == 12, "size of struct erofs_dirent");

#endif /* VIEW_EROFS_H */
