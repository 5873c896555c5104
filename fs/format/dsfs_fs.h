/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * DSFS on-disk format.
 *
 * The only definition in code: kernel, tools, tests and fuzzers include this
 * file. Documentation/format.rst is the normative text; a test compares its
 * tables with the assertions at the end of this file.
 *
 * All integers are little-endian. A block is 4 KiB, independent of the device,
 * the page size and the data alignment. Reserved bytes are zero, and readers
 * check that.
 */
#ifndef DSFS_FS_H
#define DSFS_FS_H

#include <linux/types.h>

#define DSFS_SUPER_MAGIC	0x53465344	/* "DSFS" as bytes on disk */
#define DSFS_VERSION		1

#define DSFS_BLOCK_BITS		12
#define DSFS_BLOCK_SIZE		(1 << DSFS_BLOCK_BITS)

/* Two superblock slots, each inside one 512-byte sector. */
#define DSFS_SB_SIZE		512
#define DSFS_SB_SLOTS		2
#define DSFS_SB_OFFSET		1024		/* slot 0, after boot sectors */
#define DSFS_SB_STRIDE		65536		/* from slot 0 to slot 1 */
#define DSFS_SB_POS(slot)	(DSFS_SB_OFFSET + (__u64)(slot) * DSFS_SB_STRIDE)
#define DSFS_DATA_START_MIN	(17 * DSFS_BLOCK_SIZE)	/* first block after slot 1 */

#define DSFS_ALIGN_BITS_MIN	9		/* --align=512 */
#define DSFS_ALIGN_BITS_MAX	21		/* --align=2M */
#define DSFS_CHUNK_BITS_MIN	12
#define DSFS_CHUNK_BITS_MAX	20
#define DSFS_LARGE_BITS		20		/* a file that stores more is large */
#define DSFS_OBJECT_BITS_MIN	16
#define DSFS_OBJECT_BITS_MAX	30
#define DSFS_UNIT_BITS		17		/* of a compressed file */
#define DSFS_UNIT_SIZE		(1 << DSFS_UNIT_BITS)
#define DSFS_RATIO_MAX		256		/* bytes of a unit for each of its frame */

#define DSFS_MAX_OFFSET		(1ULL << 48)	/* exclusive limit of files and images */
#define DSFS_MAX_INODES		0xfffffffeULL	/* largest inode number; the smallest is 1 */
#define DSFS_NAME_MAX		255
#define DSFS_SYMLINK_MAX	4095
#define DSFS_XATTR_VALUE_MAX	65536
#define DSFS_XATTR_SET_MAX	(1U << 20)
#define DSFS_XATTR_LIST_MAX	65536	/* names with prefixes and NULs: XATTR_LIST_MAX */
#define DSFS_LABEL_MAX		64		/* bytes; zero-filled, not terminated */
#define DSFS_MESSAGE_MAX	1024		/* bytes */
#define DSFS_META_MAX		(1ULL << 44)	/* bytes of metadata in a generation */

#define DSFS_ROOT_INO		1
#define DSFS_IGEN_BITS		12		/* bits of the generation in i_generation */

/* Compatible features: readers may ignore unknown ones. */
#define DSFS_COMPAT_ARCHIVES	(1ULL << 0)	/* files may lie in the data of others */
#define DSFS_COMPAT_ERASING	(1ULL << 1)	/* older generations are being overwritten */
#define DSFS_COMPAT_KNOWN	(DSFS_COMPAT_ARCHIVES | DSFS_COMPAT_ERASING)

/* Incompatible features: readers reject unknown ones. */
#define DSFS_INCOMPAT_COMPRESSED	(1ULL << 0)	/* files may be compressed */
#define DSFS_INCOMPAT_KNOWN	DSFS_INCOMPAT_COMPRESSED

enum dsfs_region_id {
	DSFS_REGION_BLOCKSUMS	= 0,	/* __le32, by metadata block */
	DSFS_REGION_DIRS	= 1,	/* struct dsfs_dir */
	DSFS_REGION_NAMES	= 2,	/* struct dsfs_names and what follows */
	DSFS_REGION_INDEX	= 3,	/* struct dsfs_bucket */
	DSFS_REGION_OWNERS	= 4,	/* struct dsfs_owner */
	DSFS_REGION_EXTRAS	= 5,	/* struct dsfs_extra */
	DSFS_REGION_SYMLINKS	= 6,	/* bytes */
	DSFS_REGION_XATTRS	= 7,	/* struct dsfs_xattr_set and what follows */
	DSFS_REGION_EXTENTS	= 8,	/* struct dsfs_extent_record */
	DSFS_REGION_CHUNKSUMS	= 9,	/* __le32 */
	DSFS_REGION_UNITS	= 10,	/* __le32 */
	DSFS_REGION_HISTORY	= 11,	/* struct dsfs_super of the previous generation */
	DSFS_REGION_NUMBERS	= 12,	/* __le32, by block of NAMES: its first inode number */
	DSFS_REGION_NOTE	= 13,	/* struct dsfs_note */
	DSFS_REGIONS_USED	= 14,
	DSFS_REGIONS		= 16,
};

/**
 * struct dsfs_region - place of a region
 * @start: byte offset in the metadata area, a multiple of 4096
 * @bytes: length; the rest of the last block is zero. 0: no such region, and
 *	@start is zero too
 */
struct dsfs_region {
	__le64	start;
	__le64	bytes;
};

/**
 * struct dsfs_root - the inode of the root directory, which has no name and so no row
 *
 * The fields are those of struct dsfs_rows. Those that it lacks are 0.
 */
struct dsfs_root {
	__le16	mode;
	__le16	flags;
	__le32	nlink;
	__le32	owner;
	__le32	extra;
	__le64	mtime;
};

/**
 * struct dsfs_super - a superblock slot; both slots have the same bytes
 * @checksum: crc32c of the 512 bytes with this field as zero
 * @align_bits: log2 of the alignment of file data outside shared blocks
 * @chunk_bits: log2 of the chunk size of data checksums; 0: no data checksums
 * @small_bits: log2 of the stored bytes up to which a file is one chunk; 0: as @chunk_bits
 * @large_bits: log2 of the chunk size of files that store more than 2^DSFS_LARGE_BITS bytes;
 *	0: that of @chunk_bits
 * @object_bits: log2 of the object size that the layout was made for; 0: none
 * @build_time: signed nanoseconds since 1970
 * @image_bytes: minimum length of the device
 * @data_start: file data lies in [@data_start, @data_end), @data_end <=
 *	@meta_start
 * @meta_start: all metadata lies in [@meta_start, @meta_start + @meta_bytes)
 * @content_bytes: sum of the sizes of regular files, hard links counted once
 * @stored_bytes: bytes of stored data, shared data counted once
 * @files: regular files, hard links counted once
 * @inodes: inode numbers, 0 counted
 * @root: the root directory
 * @sums_checksum: crc32c of the blocks of BLOCKSUMS
 */
struct dsfs_super {
	__le32	magic;
	__le32	checksum;
	__le16	version;
	__u8	align_bits;
	__u8	chunk_bits;
	__u8	small_bits;
	__u8	object_bits;
	__u8	large_bits;
	__u8	reserved1;
	__le64	compat;
	__le64	incompat;
	__le64	generation;
	__le64	build_time;
	__u8	uuid[16];
	__u8	label[DSFS_LABEL_MAX];
	__le64	image_bytes;
	__le64	data_start;
	__le64	data_end;
	__le64	meta_start;
	__le64	meta_bytes;
	__le64	content_bytes;
	__le64	stored_bytes;
	__le64	files;
	__le64	inodes;
	struct dsfs_root root;
	__le32	sums_checksum;
	__u8	reserved[28];
	struct dsfs_region regions[DSFS_REGIONS];
};

/* Flags of an inode */
#define DSFS_INODE_HARDLINK	0x0001	/* hard-link entry: start is the inode number of the file */
#define DSFS_INODE_HOLES	0x0002	/* extra record: extents, stored */
#define DSFS_INODE_XATTRS	0x0004	/* extra record: xattrs */
#define DSFS_INODE_ACL		0x0008	/* the xattr set has a POSIX ACL */
#define DSFS_INODE_SHARED	0x0010	/* data in a shared block */
#define DSFS_INODE_ZSTD		0x0020	/* compressed: zstd frames with their content size */
#define DSFS_INODE_LZ4		0x0040	/* compressed: lz4 blocks */
#define DSFS_INODE_COMPRESSED	(DSFS_INODE_ZSTD | DSFS_INODE_LZ4)
#define DSFS_INODE_KNOWN	0x007f
#define DSFS_INODE_NEEDS_EXTRA	(DSFS_INODE_HOLES | DSFS_INODE_XATTRS)

/**
 * struct dsfs_dir - a directory record
 * @self: inode number of the directory
 * @parent: inode number of its parent; of the root, its own
 * @first: inode number of its first entry; the others follow in sorted order; 0 of an
 *	empty directory
 * @count: entries, without "." and ".."
 * @names: byte offset of its first name block in NAMES
 * @name_blocks: number of name blocks; each but the first begins with a block of NAMES
 * @buckets: buckets of the name index; 0: no index, lookup is a binary search
 * @first_bucket: index of its first bucket in INDEX
 * @slot_bits: bits of an index entry that hold the slot plus one
 * @block_bits: bits of an index entry that hold the name block
 */
struct dsfs_dir {
	__le32	self;
	__le32	parent;
	__le32	first;
	__le32	count;
	__le64	names;
	__le32	name_blocks;
	__le32	buckets;
	__le64	first_bucket;
	__u8	slot_bits;
	__u8	block_bits;
	__u8	reserved[22];
};

/**
 * struct dsfs_names - a name block
 * @first: position in the directory of its first name
 * @count: number of names
 * @end: end of the names, in bytes from this header
 * @form: bits 4-7: DSFS_NAMES_*; bits 0-3: DT_* of all entries, or DSFS_DT_HARDLINK; zero
 *	with slots
 * @prefix: number of bytes that all names begin with
 * @suffix: number of bytes that all names end with
 * @width: number of bytes of each middle; zero with slots
 * @slots: DSFS_NAMES_SLOTS: for each name, bits 0-11: start of its middle, in bytes from this
 *	header; bits 12-15: DT_* of the entry, or DSFS_DT_HARDLINK
 *
 * Starts at a multiple of 4 and crosses no 4 KiB boundary. Behind the header are the slots, or
 * the DSFS_SYMBOLS bytes that symbols stand for, or neither; then the prefix, the suffix, and the
 * middle of each name, without separators. A name is prefix, middle, suffix.
 */
struct dsfs_names {
	__le32	first;
	__le16	count;
	__le16	end;
	__u8	form;
	__u8	prefix;
	__u8	suffix;
	__u8	width;
	__le16	slots[];
};

/* dsfs_names.form */
#define DSFS_NAMES_SLOTS	0	/* a middle ends where the next begins, the last at @end */
#define DSFS_NAMES_EQUAL	1	/* middles of @width bytes */
#define DSFS_NAMES_PACKED	2	/* middles of two symbols a byte, low bits first */

#define DSFS_NAMES_FORM_SHIFT	4
#define DSFS_NAMES_TYPE		0x0f
#define DSFS_SYMBOLS		16

/* Columns of struct dsfs_rows: the fields of an inode */
enum dsfs_column {
	DSFS_COLUMN_KIND	= 0,	/* mode, from bit 16 on flags, from 32 on nlink */
	DSFS_COLUMN_OWNER	= 1,	/* owner, from bit 32 on extra */
	DSFS_COLUMN_SIZE	= 2,
	DSFS_COLUMN_START	= 3,
	DSFS_COLUMN_MTIME	= 4,
	DSFS_COLUMN_SUM		= 5,
	DSFS_COLUMN_STORED	= 6,
	DSFS_COLUMN_UNITS	= 7,
};

#define DSFS_COLUMNS		8

/**
 * struct dsfs_rows - inodes of the names of a name block
 * @width: by column: bytes of a row that it has: 0 to 8
 * @shift: bits by which these are shifted to the left; the two high bits of that of
 *	DSFS_COLUMN_MTIME are the unit of times: 1 ns, 1 us, 1 ms, 1 s
 * @base: what is added to that
 *
 * Begins at dsfs_names.end. A row for each name follows; it has the columns in their
 * order, without padding. The values are
 *
 * - mode: as st_mode; of a hard-link entry, only the type of the file
 * - owner: index into OWNERS
 * - nlink: link count
 * - flags: DSFS_INODE_*
 * - extra: index of the inode extra record in EXTRAS plus one; 0: none
 * - size: bytes; of a device file, the device number (major << 20 | minor)
 * - start: byte offset in the image of the data (regular file), byte offset in SYMLINKS of the
 *   target (symlink), index into DIRS (directory), inode number of the file (hard-link entry);
 *   zero for other types and for a file without stored data
 * - mtime: signed nanoseconds since 1970
 * - sum: of a file of one chunk its checksum, of one of several the index of the first one's in
 *   CHUNKSUMS; zero without stored data
 * - stored: bytes of stored data of a compressed file: of all frames; otherwise zero
 * - units: index in UNITS of the end of the first frame of a compressed file of several units;
 *   otherwise zero
 */
struct dsfs_rows {
	__u8	width[DSFS_COLUMNS];
	__u8	shift[DSFS_COLUMNS];
	__le64	base[DSFS_COLUMNS];
};

#define DSFS_COLUMN_MAX		8	/* bytes of a value in a row */
#define DSFS_COLUMN_SHIFT_MAX		63
#define DSFS_MTIME_UNIT_SHIFT		6
#define DSFS_MTIME_UNITS		4

#define DSFS_SLOT_OFFSET	0x0fff
#define DSFS_SLOT_TYPE_SHIFT	12
#define DSFS_DT_HARDLINK	15	/* hard-link entry: its row has the type */

/**
 * struct dsfs_bucket - a bucket of a name index
 * @entries: 0: empty; otherwise, from the low bits: slot plus one, name block,
 *	fingerprint
 */
#define DSFS_BUCKET_ENTRIES	16
struct dsfs_bucket {
	__le32	entries[DSFS_BUCKET_ENTRIES];
};

#define DSFS_INDEX_FP_MIN	4	/* minimum fingerprint bits of an index */
#define DSFS_INDEX_MIN_NAMES	17	/* smaller directories have no index */

struct dsfs_owner {
	__le32	uid;
	__le32	gid;
};

/**
 * struct dsfs_extra - an inode extra record; a field is zero unless its inode
 * flag is set
 * @xattrs: byte offset of the xattr set in XATTRS
 * @stored: length of the stored data of a file with holes
 * @first_extent: index of its first extent record in EXTENTS
 * @extents: number of its extent records
 */
struct dsfs_extra {
	__le64	xattrs;
	__le64	stored;
	__le32	first_extent;
	__le32	extents;
	__le64	reserved;
};

/**
 * struct dsfs_extent_record - an extent record of a file with holes
 * @logical: offset in the file, a multiple of 4096
 * @stored: offset in the stored data, a multiple of 4096; the extent ends where
 *	the next one starts, the last one at extra.stored
 */
struct dsfs_extent_record {
	__le64	logical;
	__le64	stored;
};

/* dsfs_note.codec: a flag of an inode, shifted to the right by DSFS_CODEC_SHIFT */
#define DSFS_CODEC_ZSTD		1
#define DSFS_CODEC_LZ4		2
#define DSFS_CODEC_SHIFT	5

/* dsfs_xattr.prefix */
#define DSFS_XATTR_USER			1
#define DSFS_XATTR_TRUSTED		2
#define DSFS_XATTR_SECURITY		3
#define DSFS_XATTR_ACL_ACCESS		4	/* no name: system.posix_acl_access */
#define DSFS_XATTR_ACL_DEFAULT		5	/* no name: system.posix_acl_default */

/**
 * struct dsfs_xattr_set - an xattr set: all extended attributes of an inode,
 * sorted
 * @bytes: length of header and attributes; at most DSFS_XATTR_SET_MAX
 * @count: number of attributes
 *
 * Starts at a multiple of 4. A set of up to 4096 bytes crosses no block; a
 * longer one starts at a multiple of 4096.
 */
struct dsfs_xattr_set {
	__le32	bytes;
	__le16	count;
	__le16	reserved;
};

/*
 * An attribute; the name without prefix, the value and padding to 4 bytes
 * follow
 */
struct dsfs_xattr {
	__u8	prefix;
	__u8	name_len;
	__le16	reserved;
	__le32	value_len;
};

/* dsfs_note.digest_kind */
#define DSFS_DIGEST_NONE	0
#define DSFS_DIGEST_DATA	1	/* dsfs1-data of digest.rst */
#define DSFS_DIGEST_FULL	2	/* dsfs1-full */

#define DSFS_DIGEST_BYTES	32	/* SHA-256 */

/**
 * struct dsfs_note - what a generation says of itself
 * @digest_kind: DSFS_DIGEST_*
 * @digest_bytes: length of @digest: 0 or DSFS_DIGEST_BYTES
 * @message_bytes: length of @message; 0: none
 * @codec: DSFS_CODEC_* that files were compressed by last; 0: unknown. This field and
 *	the next three are for writers
 * @codec_level: level of it
 * @codec_auto: 1: contents were not tried that a quick test found random
 * @codec_version: of its library, major * 10000 + minor * 100 + release
 * @digest: digest of the tree; zero if there is none
 * @message: text of whoever made the generation, not terminated, zero-filled
 */
struct dsfs_note {
	__u8	digest_kind;
	__u8	digest_bytes;
	__le16	message_bytes;
	__u8	codec;
	__u8	codec_level;
	__u8	codec_auto;
	__u8	reserved;
	__le32	codec_version;
	__u8	digest[DSFS_DIGEST_BYTES];
	__u8	message[DSFS_MESSAGE_MAX];
};

#define DSFS_AT(s, f, o) \
	_Static_assert(__builtin_offsetof(struct s, f) == (o), #s "." #f)
#define DSFS_SIZE(s, n) \
	_Static_assert(sizeof(struct s) == (n), #s)

DSFS_SIZE(dsfs_region, 16);
DSFS_AT(dsfs_region, start, 0);
DSFS_AT(dsfs_region, bytes, 8);

DSFS_SIZE(dsfs_root, 24);
DSFS_AT(dsfs_root, mode, 0);
DSFS_AT(dsfs_root, flags, 2);
DSFS_AT(dsfs_root, nlink, 4);
DSFS_AT(dsfs_root, owner, 8);
DSFS_AT(dsfs_root, extra, 12);
DSFS_AT(dsfs_root, mtime, 16);

DSFS_SIZE(dsfs_super, DSFS_SB_SIZE);
DSFS_AT(dsfs_super, magic, 0);
DSFS_AT(dsfs_super, checksum, 4);
DSFS_AT(dsfs_super, version, 8);
DSFS_AT(dsfs_super, align_bits, 10);
DSFS_AT(dsfs_super, chunk_bits, 11);
DSFS_AT(dsfs_super, small_bits, 12);
DSFS_AT(dsfs_super, object_bits, 13);
DSFS_AT(dsfs_super, large_bits, 14);
DSFS_AT(dsfs_super, reserved1, 15);
DSFS_AT(dsfs_super, compat, 16);
DSFS_AT(dsfs_super, incompat, 24);
DSFS_AT(dsfs_super, generation, 32);
DSFS_AT(dsfs_super, build_time, 40);
DSFS_AT(dsfs_super, uuid, 48);
DSFS_AT(dsfs_super, label, 64);
DSFS_AT(dsfs_super, image_bytes, 128);
DSFS_AT(dsfs_super, data_start, 136);
DSFS_AT(dsfs_super, data_end, 144);
DSFS_AT(dsfs_super, meta_start, 152);
DSFS_AT(dsfs_super, meta_bytes, 160);
DSFS_AT(dsfs_super, content_bytes, 168);
DSFS_AT(dsfs_super, stored_bytes, 176);
DSFS_AT(dsfs_super, files, 184);
DSFS_AT(dsfs_super, inodes, 192);
DSFS_AT(dsfs_super, root, 200);
DSFS_AT(dsfs_super, sums_checksum, 224);
DSFS_AT(dsfs_super, reserved, 228);
DSFS_AT(dsfs_super, regions, 256);

DSFS_SIZE(dsfs_dir, 64);
DSFS_AT(dsfs_dir, self, 0);
DSFS_AT(dsfs_dir, parent, 4);
DSFS_AT(dsfs_dir, first, 8);
DSFS_AT(dsfs_dir, count, 12);
DSFS_AT(dsfs_dir, names, 16);
DSFS_AT(dsfs_dir, name_blocks, 24);
DSFS_AT(dsfs_dir, buckets, 28);
DSFS_AT(dsfs_dir, first_bucket, 32);
DSFS_AT(dsfs_dir, slot_bits, 40);
DSFS_AT(dsfs_dir, block_bits, 41);
DSFS_AT(dsfs_dir, reserved, 42);

DSFS_SIZE(dsfs_names, 12);
DSFS_AT(dsfs_names, first, 0);
DSFS_AT(dsfs_names, count, 4);
DSFS_AT(dsfs_names, end, 6);
DSFS_AT(dsfs_names, form, 8);
DSFS_AT(dsfs_names, prefix, 9);
DSFS_AT(dsfs_names, suffix, 10);
DSFS_AT(dsfs_names, width, 11);
DSFS_AT(dsfs_names, slots, 12);

DSFS_SIZE(dsfs_rows, 80);
DSFS_AT(dsfs_rows, width, 0);
DSFS_AT(dsfs_rows, shift, 8);
DSFS_AT(dsfs_rows, base, 16);

DSFS_SIZE(dsfs_bucket, 64);
DSFS_AT(dsfs_bucket, entries, 0);

DSFS_SIZE(dsfs_owner, 8);
DSFS_AT(dsfs_owner, uid, 0);
DSFS_AT(dsfs_owner, gid, 4);

DSFS_SIZE(dsfs_extra, 32);
DSFS_AT(dsfs_extra, xattrs, 0);
DSFS_AT(dsfs_extra, stored, 8);
DSFS_AT(dsfs_extra, first_extent, 16);
DSFS_AT(dsfs_extra, extents, 20);
DSFS_AT(dsfs_extra, reserved, 24);

DSFS_SIZE(dsfs_extent_record, 16);
DSFS_AT(dsfs_extent_record, logical, 0);
DSFS_AT(dsfs_extent_record, stored, 8);

DSFS_SIZE(dsfs_xattr_set, 8);
DSFS_AT(dsfs_xattr_set, bytes, 0);
DSFS_AT(dsfs_xattr_set, count, 4);
DSFS_AT(dsfs_xattr_set, reserved, 6);

DSFS_SIZE(dsfs_xattr, 8);
DSFS_AT(dsfs_xattr, prefix, 0);
DSFS_AT(dsfs_xattr, name_len, 1);
DSFS_AT(dsfs_xattr, reserved, 2);
DSFS_AT(dsfs_xattr, value_len, 4);

DSFS_SIZE(dsfs_note, 1068);
DSFS_AT(dsfs_note, digest_kind, 0);
DSFS_AT(dsfs_note, digest_bytes, 1);
DSFS_AT(dsfs_note, message_bytes, 2);
DSFS_AT(dsfs_note, codec, 4);
DSFS_AT(dsfs_note, codec_level, 5);
DSFS_AT(dsfs_note, codec_auto, 6);
DSFS_AT(dsfs_note, reserved, 7);
DSFS_AT(dsfs_note, codec_version, 8);
DSFS_AT(dsfs_note, digest, 12);
DSFS_AT(dsfs_note, message, 44);

#undef DSFS_AT
#undef DSFS_SIZE

#endif /* DSFS_FS_H */
