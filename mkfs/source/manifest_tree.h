/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A manifest while it is read: what its lines, its directories and the end of
 * it share.
 */
#ifndef MKFS_MANIFEST_TREE_H
#define MKFS_MANIFEST_TREE_H

#include "manifest.h"
#include "progress.h"

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
 * @dirs: struct mdir *; @slots finds them: index plus one
 * @last: path of @last_dir: lines of a directory come together
 * @origin: of the line before
 * @links: lines with type=link
 * @errors: found so far, those that were not listed among them
 */
struct manifest {
	struct source src;
	int dirfd;
	struct progress progress;
	struct array dirs;
	u32 *slots;
	size_t mask;
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

/* What a node keeps of its line until its data is stored. */
static inline u32 manifest_line(const struct manifest *m)
{
	return m->line < U32_MAX ? m->line : U32_MAX;
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

#endif /* MKFS_MANIFEST_TREE_H */
