/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the tree and its contents come from: a directory, a manifest, archives.
 * What differs between them lies behind struct source_ops; nobody who lists a
 * source or reads contents asks which one it is.
 *
 * A source is used in two steps.  First one thread calls list(), which makes the whole
 * tree.  Then many threads, each with an input of its own, open files in the order of
 * data, read ranges of them, and check that a file is still the one that was listed.
 *
 * Sources that can be read only once, as a tar on standard input, have each
 * content right behind its name:
 *
 *  - open() to close() are NULL.  list() hands over each content while it lists: it
 *    runs in a thread that takes the place of the readers and fills the jobs of the
 *    data phase through src->sink (data/feed.c), in the order of the stream; the
 *    writer takes jobs out as ever.  So a byte is copied once, into the job's
 *    buffer, and written from there; nothing is spooled.
 *  - The data phase then comes before the plan.  It leaves behind nothing but
 *    fields of nodes, CHUNKSUMS and EXTENTS, and needs no inode number and no
 *    order of directories: write/layout.c gives those when all names are known.
 *  - Deduplication, placement and the list of duplicates refer to nodes by
 *    address until the data phase is over, so such a source makes its nodes in an
 *    arena, and end() moves them into their directories.
 *  - What is known before data is read is known too late: --order and --dry-run are
 *    not for it, nor is an update, but to add archives that stay as they are
 *    (edit_add()), and that a device is too small shows at the write.
 */
#ifndef MKFS_SOURCE_H
#define MKFS_SOURCE_H

#include <pthread.h>

#include "../options/options.h"
#include "tree.h"

struct source;

/**
 * struct stream_node - a file of a source that is read once
 * @as_is: --compress=none: has its path
 */
struct stream_node {
	struct node node;
	bool as_is;
};

/**
 * struct source_sink - takes the contents of a source that is read once
 * @begin: of a regular file that is not empty, whose size is in its node
 * @data: more bytes of it
 * @zeros: the same, of a hole
 * @end: all of its bytes were given
 * @stop: a descriptor that can be read from once nothing more is wanted
 * @raw: of archives that stay as they are: all bytes, as they are read, those of
 *	members among them
 * @archive: the raw bytes since the last call are those of @file
 *
 * The functions return 0, or -errno: -ECANCELED if nothing more is wanted.
 */
struct source_sink {
	int (*begin)(struct source_sink *sink, struct stream_node *file);
	int (*data)(struct source_sink *sink, const char *p, u64 bytes);
	int (*zeros)(struct source_sink *sink, u64 bytes);
	int (*end)(struct source_sink *sink);
	int stop;
	void (*raw)(struct source_sink *sink, const char *p, u64 bytes);
	int (*archive)(struct source_sink *sink, struct stream_node *file);
};

/**
 * struct input - what one thread has open of a source
 * @node: the open file, whose directory is @dir
 * @why: error message, such as "cannot open"; NULL: no error
 * @err: -errno for that message; 0: none
 */
struct input {
	struct source *src;
	struct dir *dir;
	struct node *node;
	const char *why;
	int err;
};

/**
 * struct source_name - name of an object of the source in a message
 * @subject: first part of the message: a path, or the manifest; malloc'ed
 * @detail: text before the error; malloc'ed; NULL: none
 */
struct source_name {
	char *subject;
	char *detail;
};

/**
 * struct source_ops - what a kind of source does
 * @bytes: of its structure, which begins with struct source
 * @input_bytes: of its inputs, which begin with struct input
 * @init: open it; messages are written; 0 or -errno
 * @list: make src->tree; messages are written; 0 or -errno
 * @open: open @in->node, a regular file that is not empty; false: @in->why says why not
 * @read: read exactly @bytes from @pos on, or false
 * @next_data: where the data ends that begins at or before @pos; moves @pos over
 *	a hole.  The end of the file ends the last data, known or unknown.
 * @unchanged: after reading: whether it is still what was listed; NULL: it cannot change
 * @close: the file; NULL: it stays open, as the next one may be in it
 * @leave: close what is open besides; NULL: nothing
 * @recheck: at the end of the run: whether all of it is still what was listed; what
 *	is not goes to source_changed(); 0 or -errno.  NULL: nothing can change
 * @name: how a message names @node; @node NULL: the directory @dir; @name NULL: by its path
 * @end: of a source that is read once: make src->tree of what was listed
 * @free: what @init and @list have made; NULL: nothing
 */
struct source_ops {
	size_t bytes;
	size_t input_bytes;
	int (*init)(struct source *src);
	int (*list)(struct source *src);
	bool (*open)(struct input *in);
	bool (*read)(struct input *in, char *p, size_t bytes, u64 pos);
	u64 (*next_data)(struct input *in, u64 *pos);
	bool (*unchanged)(struct input *in);
	void (*close)(struct input *in);
	void (*leave)(struct input *in);
	int (*recheck)(struct source *src);
	void (*name)(const struct source *src, const struct dir *dir,
		     const struct node *node, struct source_name *name);
	int (*end)(struct source *src);
	void (*free)(struct source *src);
};

extern const struct source_ops directory_ops, manifest_ops, tar_ops;

/**
 * struct source_index - what archives are indexed in
 * @fd: a file that has them
 * @before: the root of the tree that it has already; NULL: none
 */
struct source_index {
	int fd;
	const struct dir *before;
};

/**
 * struct source - a source, the beginning of each kind's own
 * @sink: where one that is read once hands contents to
 * @index: of archives that stay where they are
 * @threads: that read it
 * @lists_only: contents are not read
 * @shard_by: the option by which archives are directories
 * @image_dev, @image_ino: what must not be packed into itself; 0: nothing
 * @skipped: objects left out by --allow=unreadable
 * @changed: objects that recheck() found changed
 * @clamped: times that did not fit
 * @xattrs_ignored: extended attributes left out by options
 * @xattrs_told: the first one that cannot be read, or packed, was said
 * @replaced: struct node *, files with contents that no name is left of: a later one
 *	came in their place
 */
struct source {
	const struct source_ops *ops;
	const struct options *o;
	struct tree *tree;
	struct source_sink *sink;
	struct source_index index;
	unsigned int threads;
	bool lists_only;
	const char *shard_by;
	u64 image_dev;
	u64 image_ino;
	u64 skipped;
	u64 changed;
	u64 clamped;
	u64 xattrs_ignored;
	bool xattrs_told;
	struct array replaced;
};

/**
 * source_open - open a source
 * @src: set even after an error, and to be freed
 * @ops: the kind that it is, of those above
 *
 * Messages are written.  Return: 0 or -errno.
 */
int source_open(struct source **src, const struct source_ops *ops, const struct options *o,
		struct tree *t, unsigned int threads);
void source_free(struct source *src);

/* Whether it can be read only once, so that contents come with names. */
static inline bool source_once(const struct source *src)
{
	return src->ops->end;
}

/* Whether --compress=none: has a path of the image.  @path is cut and mended. */
bool source_as_is(const struct source *src, char *path);

/* Number of threads that descriptors suffice for, at most @threads. */
unsigned int source_threads(unsigned int threads);

/**
 * source_recheck - whether the source is still what was listed, once all is read
 *
 * With --allow=unreadable a change is a warning.  Messages are written.
 * Return: 0 or -errno.
 */
int source_recheck(struct source *src);

/* An input for one thread; NULL: out of memory. */
struct input *input_new(struct source *src);
void input_free(struct input *in);
/* Open a file; unless false is returned, it is to be closed. */
bool input_open(struct input *in, struct dir *dir, struct node *n);
bool input_unchanged(struct input *in);
void input_close(struct input *in);

/**
 * input_pass - pass on the bytes of the open file, in order
 * @buf: @room bytes to read into; what fits into it is not searched for holes
 * @emit: gets the next bytes; NULL stands for zeros.  It returns 0, or an error
 *
 * Return: 0, -EIO after @in->why has been set, or the error of @emit.
 */
int input_pass(struct input *in, char *buf, size_t room,
	       int (*emit)(void *ctx, const char *p, u64 bytes), void *ctx);

/* tar/index.c: --tar-index, archives that stay where they are */

/**
 * struct source_archive - an archive to be copied, and then indexed where it lies
 * @path: of the file that is copied; NULL: it was never elsewhere
 * @fd: that file, and @st of it before it was copied
 * @bytes: of it; 0: it shows itself where it ends
 * @pos: where it begins among what is indexed
 */
struct source_archive {
	const char *path;
	struct stat st;
	int fd;
	u64 bytes;
	u64 pos;
};

/**
 * source_archive_open - open an archive that is to be copied
 *
 * Messages are written.  Return: 0, @a->fd is to be closed; -errno.
 */
int source_archive_open(struct source *src, const char *path, struct source_archive *a);

/*
 * The archive that was opened last has been copied to @a->pos: give its members to the
 * sink.  Messages are written.  Return: 0 or -errno.
 */
int source_archive_index(struct source *src, const struct source_archive *a);

/* The same of archives that nobody has listed, one behind the other from @pos to @end. */
int source_archives_find(struct source *src, u64 pos, u64 end);

/* trouble.c: what cannot be packed, and what has changed */

/* Whether an error is one of this process and not of the file. */
bool source_own_trouble(int err);

/**
 * source_unreadable - report an object that cannot be packed
 * @node: NULL for the directory itself
 * @why: "cannot open: ..."
 *
 * Return: 0 with --allow=unreadable, after a warning: the object is left out; otherwise
 * -errno.
 */
int source_unreadable(struct source *src, const struct dir *dir,
		      const struct node *node, const char *why, int err);

/* The same of an object of the tree, which is marked to be taken out by tree_prune(). */
int source_leave_out(struct source *src, const struct dir *dir, struct node *node,
		     const char *why, int err);

/**
 * source_changed - say that something is not what it was when it was listed
 * @subject: what the message is about
 * @why: "vanished during the run"
 * @err: -errno for the same message; 0: @why says it all
 *
 * The first ones are listed.  Any thread may call it.
 */
void source_changed(struct source *src, const char *subject, const char *why, int err);
/* Say how many there were.  Return: 0 or -EAGAIN. */
int source_changes(const struct source *src);

/* Set the owner; --all-root: root.  Return: 0 or -ENOMEM. */
int source_set_owner(const struct source *src, struct node *n, u32 uid, u32 gid);
/* The time that a node gets: its own, or that of -T. */
static inline s64 source_time(const struct source *src, s64 mtime)
{
	return src->o->fixed_time ? src->o->build_time : mtime;
}

/* Whether a file is the image that is being made. */
static inline bool source_is_image(const struct source *src, const struct stat *st)
{
	return src->image_ino && st->st_dev == src->image_dev && st->st_ino == src->image_ino;
}

/* An open file cannot be read.  Return: false. */
static inline bool input_fail(struct input *in, const char *why, int err)
{
	in->why = why;
	in->err = err;
	return false;
}

#endif /* MKFS_SOURCE_H */
