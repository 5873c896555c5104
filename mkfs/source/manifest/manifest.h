/* SPDX-License-Identifier: GPL-2.0 */
/* A manifest as a source: what its files share. */
#ifndef MKFS_MANIFEST_H
#define MKFS_MANIFEST_H

#include "entry.h"
#include "../xattr.h"
#include "progress.h"
#include "arena.h"
#include "grow.h"
#include "spool.h"
#include "../file.h"

#define MANIFEST_SHOWN	2048	/* bytes of a name in a message */

/**
 * struct holder - a file that contents are in
 * @check: file_check() when it was first seen
 */
struct holder {
	u64 size;
	u32 check;
	char path[];
};

/**
 * struct manifest_input - an open content of a thread
 * @origin: file that is open as @file.fd; it stays open, as the next content is often
 *	in the same file; NULL: none
 */
struct manifest_input {
	struct file_input file;
	const struct holder *origin;
};

/**
 * struct record - what a line says besides attributes; node.source is its number plus one.  A
 *	directory has that of the line with its attributes, or the first one that mentions it
 * @origin, @offset: where a file's content is: number of an origin plus one; 0: it has none
 * @line: line number, at most U32_MAX
 */
struct record {
	u64 offset;
	u32 line;
	u32 origin;
};

/* Of record.origin: the name is one of the file of another line */
#define RECORD_LINK	0x80000000
#define RECORD_ORIGIN	(RECORD_LINK - 1)

/**
 * struct manifest - a manifest
 * @dirfd: directory of relative paths
 * @grow: the tree
 * @records: struct record
 * @origins: struct holder *
 * @links: those with type=link, whose nodes have the target as @own up to manifest_finish()
 * @later: lines that are added when all are read, of directories that were left before
 * @defaults: struct entry_attrs, those that such lines have
 * @origin: of the line before, the last one of @origins
 * @list, @set: memory to make sets of attributes in
 * @shown: a name for a message
 * @errors: found so far, those that were not listed among them
 */
struct manifest {
	struct source src;
	int dirfd;
	struct progress progress;
	struct grow grow;
	struct blocks records;
	struct blocks origins;
	u64 links;
	struct sorter later;
	struct array defaults;
	const struct holder *origin;
	u32 line;
	u64 errors;
	struct xattr_list list;
	char *set;
	struct entry entry;
	char shown[MANIFEST_SHOWN];
};

static inline struct record *manifest_record(const struct manifest *m, const struct node *n)
{
	return blocks_at(&m->records, n->source - 1);
}

/* The file that the content of a line is in; NULL: none. */
static inline const struct holder *manifest_origin(const struct manifest *m,
						   const struct record *r)
{
	const u32 number = r->origin & RECORD_ORIGIN;

	return number ? *(const struct holder **)blocks_at(&m->origins, number - 1) : NULL;
}

/* say.c: messages */

/* Escape a name for a message.  Valid up to the next call. */
const char *manifest_show(struct manifest *m, const char *name);
/* Say what is wrong with a line, if it is one of the first.  Return: -EINVAL. */
#define manifest_fail(m, line, ...)	manifest_leave_out(m, NULL, line, __VA_ARGS__)
/*
 * Say it of a line whose content cannot be read.  Return: 0 with --allow=unreadable: the node
 * is marked; otherwise -EINVAL.
 */
__printf(4, 5)
int manifest_leave_out(struct manifest *m, struct node *n, u32 line, const char *fmt, ...);

/* Say how many errors there were. */
void manifest_count_errors(const struct manifest *m);

/* tree.c: lines become a tree */

/*
 * Make the node of m->entry, which is @line, or put it off.  Return: 0, -EINVAL, or another -errno,
 * which ends the run.
 */
int manifest_add(struct manifest *m, const char *line, size_t len);
/* For directories without a line, and names with two. */
extern const struct grow_rules manifest_rules;
/* All lines were added: the tree is like that of a scan.  Return: 0 or -errno. */
int manifest_finish(struct manifest *m);

/* origin.c: the files that contents are in */

/* Let a node have the content that a line says.  Return: as manifest_add() does. */
int manifest_set_origin(struct manifest *m, struct node *n, const struct entry *e);
void manifest_leave(struct input *in);
bool manifest_open(struct input *in);
int manifest_recheck(struct source *src);

#endif /* MKFS_MANIFEST_H */
