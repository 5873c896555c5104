/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A manifest as a source: what its lines, its directories, the end of it and
 * reading share.
 */
#ifndef MKFS_MANIFEST_H
#define MKFS_MANIFEST_H

#include "entry.h"
#include "progress.h"
#include "source.h"

/**
 * struct origin - a file that contents come from
 * @check: tells whether it is still what it was
 */
struct origin {
	u64 size;
	u32 check;
	char path[];
};

/* What a line says of a content, or that it is none. */
enum record_kind {
	RECORD_NONE,
	RECORD_PART,	/* of another file */
	RECORD_ZERO,	/* fill=zero */
	RECORD_PATTERN,	/* fill=NUMBER */
	RECORD_LINK,	/* type=link: a name of the file that another line defines */
};

/**
 * struct record - what a line says of a node besides its attributes;
 *	node.source is its number plus one
 * @origin, @offset: of a part
 * @seed: of a pattern
 * @target: of a link
 * @line: number, U32_MAX for any that is larger
 */
struct record {
	union {
		const struct origin *origin;
		const char *target;
		u64 seed;
	};
	u64 offset;
	u32 line;
	enum record_kind kind;
};

/* Attributes of what does not say its own. */
struct attrs {
	u32 uid;
	u32 gid;
	u16 mode;
	u16 dirmode;
	s64 mtime;
};

/**
 * struct mdir - a directory being filled
 * @self: its node, to be put into its parent's array at the end
 * @line: that gave it its attributes; 0: none yet
 * @first_line: that mentioned it
 */
struct mdir {
	struct mdir *parent;
	struct dir *dir;
	struct node self;
	u32 cap;
	u32 line;
	u32 first_line;
};

/**
 * struct manifest - a list
 * @dirfd: where relative paths begin
 * @records: struct record
 * @dirs: struct mdir *; @dir_numbers finds them: index plus one
 * @last: path of @last_dir: lines of a directory come together
 * @origin: of the line before
 * @links: lines with type=link
 * @errors: found so far, those that were not listed among them
 */
struct manifest {
	struct source src;
	int dirfd;
	struct progress progress;
	struct array records;
	struct array dirs;
	struct hash dir_numbers;
	struct mdir *root;
	char *last;
	size_t last_len;
	struct mdir *last_dir;
	struct origin *origin;
	struct attrs defaults;
	u64 line;
	u64 links;
	u64 errors;
	struct entry entry;
};

static inline u32 manifest_line(const struct manifest *m)
{
	return m->line < U32_MAX ? m->line : U32_MAX;
}

static inline struct record *manifest_record(const struct manifest *m,
					     const struct node *n)
{
	return (struct record *)m->records.p + n->source - 1;
}

static inline struct mdir *manifest_dir_at(const struct manifest *m, size_t i)
{
	return ((struct mdir **)m->dirs.p)[i];
}

/**
 * manifest_fail - say what is wrong with a line; of many lines, of the first ones
 *
 * Return: -EINVAL.
 */
__printf(3, 4)
int manifest_fail(struct manifest *m, u64 line, const char *fmt, ...);

/**
 * manifest_leave_out - the content of a line cannot be read
 *
 * Return: 0 with --skip-unreadable, the node is marked; else -EINVAL.
 */
__printf(4, 5)
int manifest_leave_out(struct manifest *m, struct node *n, u64 line, const char *fmt, ...);

/* Give a node a record of a line.  Return: 0 or -ENOMEM. */
int manifest_add_record(struct manifest *m, struct node *n, u32 line);

/**
 * manifest_set_attrs - what a line, or the defaults, say of a node
 *
 * Return: 0 or -errno.
 */
int manifest_set_attrs(struct manifest *m, struct node *n,
		       const struct entry *e);

/*
 * Memory that lives as long as the tree, zeroed; and a name in it, its length
 * before it.  NULL: out of memory.
 */
void *manifest_keep(struct manifest *m, size_t bytes, size_t align);
char *manifest_keep_name(struct manifest *m, const char *name, size_t len);

/* The root, and no other directory yet.  Return: 0 or -ENOMEM. */
int manifest_dirs_init(struct manifest *m);

/* A directory of a parent that has none of this name; NULL: out of memory. */
struct mdir *manifest_new_dir(struct manifest *m, struct mdir *parent,
			      const char *name, size_t len);

/**
 * manifest_dir - the directory of a path, made if it is new
 * @path: from the root, with no slash at its end
 * @len: of @path
 *
 * Return: NULL: out of memory.
 */
struct mdir *manifest_dir(struct manifest *m, const char *path, size_t len);

/* One more node in a directory; NULL: out of memory. */
struct node *manifest_add_node(struct mdir *d);

/**
 * manifest_finish - make of what was read the tree that a scan makes
 *
 * Directories get their attributes and their order, links their files.
 * Return: 0 or -errno.
 */
int manifest_finish(struct manifest *m);

/* Of struct source_ops: manifest.c and manifest_input.c */
int manifest_read(struct source *src);
struct input *manifest_input_new(struct source *src);
void manifest_input_free(struct input *in);
bool manifest_open(struct input *in, struct dir *dir, struct node *n);
bool manifest_input_read(struct input *in, char *p, size_t bytes, u64 pos);
u64 manifest_next_data(struct input *in, u64 *pos);
bool manifest_unchanged(struct input *in);
void manifest_close(struct input *in);

#endif /* MKFS_MANIFEST_H */
