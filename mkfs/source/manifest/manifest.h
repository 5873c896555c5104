/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A manifest as a source: declarations for its source files.
 */
#ifndef MKFS_MANIFEST_H
#define MKFS_MANIFEST_H

#include "entry.h"
#include "progress.h"
#include "../source.h"

#define MANIFEST_SHOWN	2048	/* bytes of a name in a message */
#define MANIFEST_TEXT	(MANIFEST_SHOWN + 1024)

/**
 * struct origin - a file that contents are read from
 * @check: file_check() when it was first seen
 */
struct origin {
	u64 size;
	u32 check;
	char path[];
};

/**
 * struct record - what a line says besides attributes; node.source is its number plus one
 * @origin, @offset: where a file's content is; NULL: it has none
 * @target: of a link, in the place of @origin: a path
 * @line: line number, at most U32_MAX
 * @link: the name is one of the file of another line, up to manifest_finish()
 */
struct record {
	union {
		const struct origin *origin;
		const char *target;
	};
	u64 offset;
	u32 line;
	bool link;
};

/* Default attributes */
struct attrs {
	u32 uid;
	u32 gid;
	u16 mode;
	u16 dirmode;
	s64 mtime;
};

/**
 * struct mdir - a directory while lines are read
 * @self: its node, which is copied to the array of its parent at the end
 * @line: number of the line with its attributes; 0: none yet
 * @first_line: number of the first line that mentions it
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
 * struct manifest - a manifest
 * @dirfd: directory of relative paths
 * @records: struct record
 * @dirs: struct mdir *; @dir_numbers finds them: index plus one
 * @last: path of @last_dir: lines of a directory come together
 * @origin: of the line before
 * @links: lines with type=link
 * @set: memory to make sets of attributes in
 * @shown: a name for a message
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
	char *set;
	struct entry entry;
	char shown[MANIFEST_SHOWN];
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

/* Escape a name for a message.  Valid up to the next call. */
const char *manifest_show(struct manifest *m, const char *name);

/* say.c: print the error of a line; only the first ones are printed.  Return: -EINVAL. */
__printf(3, 4)
int manifest_fail(struct manifest *m, u64 line, const char *fmt, ...);

/*
 * Handle a line whose content cannot be read.  Return: 0 with --skip-unreadable, after
 * marking the node; otherwise -EINVAL.
 */
__printf(4, 5)
int manifest_leave_out(struct manifest *m, struct node *n, u64 line, const char *fmt, ...);

/* Say how many errors there were. */
void manifest_count_errors(const struct manifest *m);

/* Add a record for a node.  Return: 0 or -ENOMEM. */
int manifest_add_record(struct manifest *m, struct node *n, u32 line);

/* Set the attributes of a node, from a line and the defaults.  Return: 0 or -errno. */
int manifest_set_attrs(struct manifest *m, struct node *n,
		       const struct entry *e);

/* Allocate zeroed memory that lives as long as the tree.  NULL: out of memory. */
void *manifest_keep(struct manifest *m, size_t bytes, size_t align);

/* Make the root directory.  Return: 0 or -ENOMEM. */
int manifest_dirs_init(struct manifest *m);

/* Make a directory, which must not exist.  NULL: out of memory. */
struct mdir *manifest_new_dir(struct manifest *m, struct mdir *parent,
			      const char *name, size_t len);

/**
 * manifest_dir - find or make the directory of a path
 * @path: from the root, with no slash at its end
 * @len: length of @path
 *
 * Return: the directory; NULL: out of memory.
 */
struct mdir *manifest_dir(struct manifest *m, const char *path, size_t len);

/* Add a node to a directory.  NULL: out of memory. */
struct node *manifest_add_node(struct mdir *d);

/**
 * manifest_finish - make a tree like that of a scan from the lines
 *
 * Directories get attributes and order, links their files.
 * Return: 0 or -errno.
 */
int manifest_finish(struct manifest *m);

/* Of struct source_ops: manifest.c, manifest_input.c and manifest_recheck.c */
int manifest_read(struct source *src);
struct input *manifest_input_new(struct source *src);
void manifest_input_free(struct input *in);
bool manifest_open(struct input *in, struct dir *dir, struct node *n);
void manifest_close(struct input *in);
int manifest_recheck(struct source *src);

#endif /* MKFS_MANIFEST_H */
