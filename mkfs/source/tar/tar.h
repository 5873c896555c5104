/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tar archives as a source: what reading them, their headers, and the tree that is
 * made of them share.
 */
#ifndef MKFS_TAR_H
#define MKFS_TAR_H

#include "msg.h"
#include "tar_bytes.h"
#include "grow.h"
#include "../source.h"
#include "../xattr.h"

#define TAR_BLOCK	512
#define TAR_SHARDS	"shards"	/* --tar-index: the directory of the archives as files */
#define TAR_ID_MAX	4294967294U	/* the last one means "no id" */

/* A range of a file with holes that has data. */
struct tar_range {
	u64 start;
	u64 bytes;
};

/**
 * struct tar_text - bytes that grow: a long name, records of pax
 * @p: @len of them, and a NUL
 */
struct tar_text {
	char *p;
	size_t len;
	size_t room;
};

/* Numbers that a record of pax has given; the header's own do not count then. */
enum tar_given {
	TAR_SIZE	= 1 << 0,
	TAR_UID		= 1 << 1,
	TAR_GID		= 1 << 2,
	TAR_MTIME	= 1 << 3,
	TAR_MAJOR	= 1 << 4,
	TAR_MINOR	= 1 << 5,
};

/**
 * struct tar_member - what a header, and what stands in front of it, says
 * @path, @link: valid until the next header is read
 * @pax_path, @pax_link: the same of records; NULL: none
 * @sparse_path: of a record of a file with holes, which overrides all others; NULL: none
 * @acl: text of the access and the default ACL; NULL: none
 * @given: bits of enum tar_given
 * @type: of the header; S_IFMT bits are in @mode; 0 there: a hard link
 * @size: bytes that follow
 * @real_size: of the file, holes included
 * @sparse_size: the same of a record; valid if @has_sparse_size is set
 * @map: struct tar_range, of a file with holes
 * @map_first: the map is in front of the data (GNU.sparse 1.0)
 * @offset: the last GNU.sparse.offset
 * @ace: text of an ACL of NFSv4; NULL: none
 * @attrs: struct tar_attr
 * @own: file whose attributes it has; NULL: those of its records
 */
struct tar_member {
	const char *path;
	const char *link;
	const char *pax_path;
	const char *pax_link;
	const char *sparse_path;
	const char *acl[2];
	u32 given;
	char type;
	u32 mode;
	u64 uid;
	u64 gid;
	u64 major;
	u64 minor;
	s64 mtime;
	bool clamped;
	u64 size;
	u64 real_size;
	u64 sparse_size;
	struct array map;
	u64 offset;
	bool has_sparse_size;
	bool sparse;
	bool map_first;
	const char *ace;
	struct array attrs;
	const char *own;
};

/**
 * struct tar_attr - a record of an extended attribute
 * @form: which one it is in; see attrs.c
 * @name: as it is written, with %3D for "="
 */
struct tar_attr {
	int form;
	char *name;
	char *value;
	size_t len;
};

/**
 * struct tar_file - a file that members are names of
 *
 * Its node has its first name, or none if that is another file's now.  Each other name has a node
 * of its own, without a mode, whose @own is the file.
 * @names: of the tree
 */
struct tar_file {
	struct stream_node file;
	u32 names;
};

/* Kinds of notes, which are counted and printed at the end (say.c) */
enum tar_note_kind {
	TAR_REPLACED,
	TAR_DIR_AGAIN,
	TAR_CLAMPED,
	TAR_BEHIND,
	TAR_NOTES
};

/* The number of notes of a kind, and the first names, for the message */
struct tar_note {
	u64 count;
	char names[768];
};

/**
 * struct tar_watch - an archive that must not change while it is read
 * @path: of the command line
 * @check: file_check() of it at the beginning
 * @regular: it is a file; a pipe or a device cannot be checked
 */
struct tar_watch {
	const char *path;
	int fd;
	u32 check;
	bool regular;
};

/**
 * struct tar - archives, one after the other
 * @files: memory of struct tar_file and of nodes of names, up to end()
 * @in_order: each file has one name, and names are in the order of files
 * @grow: the tree; node.source there is the number of the archive that had the name first
 * @base: directory that the archive's paths begin in
 * @shards: --tar-index: the directory of the archives as files; NULL: there is none yet
 * @seen: struct tar_watch: each archive that was a file
 * @whole: what is behind the end of the archive is the rest of its file
 * @resolved: the path of the member, if it leads through symlinks; NULL: it does not
 * @place: --tar-index: where the archive begins in the file that has it; 0: elsewhere
 * @global: records that all members have
 * @local: those of the next member alone
 * @records: both
 * @pending: something was read that belongs to the next member
 * @list: attributes of the member
 * @shown: the last name of tar_shown()
 */
struct tar {
	struct source src;
	struct tar_bytes bytes;
	struct arena files;
	bool in_order;
	struct grow grow;
	struct grow_dir *base;
	struct grow_dir *shards;
	struct array seen;
	bool whole;
	char *resolved;
	u64 place;
	struct tar_text global;
	struct tar_text local;
	struct tar_text records;
	bool pending;
	struct tar_text long_path;
	struct tar_text long_link;
	char path[TAR_BLOCK];
	char linkpath[TAR_BLOCK];
	struct tar_member m;
	struct xattr_list list;
	struct tar_note notes[TAR_NOTES];
	char shown[1024];
	char *set;
};

/* say.c: messages */

/* Print an error of the member that is being read.  Return: -EINVAL. */
__printf(2, 3)
int tar_fail(struct tar *t, const char *fmt, ...);
/* Print the error that a function of tar_bytes.h returned.  Return: 0 for 0, or -errno. */
int tar_bytes_fail(struct tar *t, int ret);
/* Escape a name of the archive for a message.  Valid up to the next call. */
const char *tar_shown(struct tar *t, const char *name);
/* Count a note about @what. */
void tar_note(struct tar *t, enum tar_note_kind kind, const char *what);
/* Count an archive that has more than zeros behind its end, from byte @other on; 0: it has not. */
void tar_note_behind(struct tar *t, u64 other);
void tar_notes_say(const struct tar *t);

/* All functions from here on print what is wrong, and return 0 or -errno, or NULL. */

/* member.c */

/* Put all members of an archive into the tree, and their contents into the sink. */
int tar_members(struct tar *t);
/* Make a file with the attributes and the name of t->m. */
struct tar_file *tar_put_file(struct tar *t);

/* header.c */

/* Read up to the next member, which becomes t->m.  Return: 1; 0: there is none. */
int tar_next(struct tar *t);

/* field.c: whether a block is one of zeros, or a header; the number in a field, at most @max */
bool tar_is_zero(const char *block);
bool tar_is_header(const char *block);

bool tar_parse_number(const char *field, size_t len, s64 *v);
int tar_number(struct tar *t, const char *what, const char *field, size_t len, u64 max, u64 *n);

/* pax.c: set what records give, with its bit in @given */
int tar_pax(struct tar *t);

/* attrs.c: extended attributes and ACLs */

/* A record that may be one of an attribute.  Return: 1; 0: it is another one; -errno. */
int tar_attr_record(struct tar *t, char *key, char *value, size_t len);
/* Set the mode and the attributes of a node. */
int tar_set_attrs(struct tar *t, struct node *n);

/* sparse.c: maps of files with holes */

int tar_sparse_old(struct tar *t, const char *header);
/* A map of a record; a range of one. */
int tar_sparse_map(struct tar *t, char *text);
int tar_sparse_add(struct tar *t, u64 start, u64 bytes);
/* Read a map in front of the data; check the map. */
int tar_sparse_end(struct tar *t);
/* Check that extents can refer to the ranges where they are. */
int tar_sparse_place(struct tar *t);

/* tar.c */

/* Begin to watch an archive.  Nothing is printed. */
int tar_watch(struct tar_watch *w, int fd);
/* Check that it has not changed.  @path: for the message */
int tar_watched(const struct tar_watch *w, const char *path);
/* The same, and it is checked again at the end of the run, by its path. */
int tar_watch_end(struct tar *t, const struct tar_watch *w);

/* tree.c: names */

int tar_tree_init(struct tar *t);
/* Find or make a directory below the root. */
struct grow_dir *tar_dir_make(struct tar *t, const char *name);
/* Whether --compress=none: has the path that the member gets. */
bool tar_as_is(const struct tar *t);
/* Set t->base to a directory that is named as the archive, and that no other one has. */
int tar_shard_base(struct tar *t, const char *path);
/* The last part of a path. */
const char *tar_last_name(const char *path);
/* Find a name in a directory.  NULL: there is none; nothing is printed. */
struct node *tar_find(const struct tar *t, const struct grow_dir *d, const char *name);
/* Give a directory the attributes of the member: the last one of its name counts. */
int tar_put_dir(struct tar *t, struct node *attrs);
/* Give a file the name of the member.  A file that had the name loses it. */
int tar_put(struct tar *t, struct tar_file *f);
/* Find the file that the member, a hard link, leads to. */
struct tar_file *tar_target(struct tar *t);
/* All archives have been read: make the nodes. */
int tar_end(struct source *src);

#endif /* MKFS_TAR_H */
