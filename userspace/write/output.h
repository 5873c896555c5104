/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target: the file or block device that the image is written to.
 */
#ifndef DSFS_OUTPUT_H
#define DSFS_OUTPUT_H

#include <pthread.h>

#include "dsfs_platform.h"
#include "dsfs_fs.h"

#define OUTPUT_LEND_MIN	DSFS_BLOCK_SIZE	/* less is copied */

#define PART_UNIT	(1024 * 1024)	/* a part begins at a multiple of it */

struct iovec;
struct output;

/* window.c: the part of the image that is in memory, block by block */

/* Half of them are not written yet; the others a write in hand has, and one that is being made. */
#define WINDOW_BYTES	(16 << 20)

/**
 * struct frame - a block of the window
 * @lent: count of borrowed blocks of the lender; NULL: the memory is the window's own
 */
struct frame {
	char *p;
	unsigned int *lent;
};

/**
 * struct window - blocks by their number in the image modulo @blocks
 * @own: memory of the blocks that are not borrowed
 */
struct window {
	char *own;
	struct frame *frames;
	u64 blocks;
};

int window_init(struct window *w, u64 bytes);
void window_free(struct window *w);

/* writer.c: a thread that writes to the target while another one fills the window */

#define WRITER_BYTES	(4 << 20)	/* a piece at most */
#define WRITER_PARTS	(WRITER_BYTES / 4096 + 1)

/**
 * struct writer - a thread that writes one piece at a time
 * @direct: the target, opened with O_DIRECT; -1: not possible
 * @parts: memory of the piece, @nparts ranges of WRITER_PARTS; all but the first begin with a block
 *	of the image and are aligned to one
 * @bytes: length of the piece that is written; 0: idle
 * @err: first error of a piece
 */
struct writer {
	const struct output *out;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct iovec *parts;
	unsigned int nparts;
	size_t bytes;
	u64 pos;
	int direct;
	int err;
	bool running;
	bool stop;
};

/* Return: 0 or -errno. */
int writer_start(struct writer *w, const struct output *out);
void writer_end(struct writer *w);

/**
 * writer_wait - wait until the piece is written
 *
 * Messages are written.  Return: 0 or the error of any piece so far.
 */
int writer_wait(struct writer *w);

/**
 * writer_put - write the piece in w->parts, whose memory must not change meanwhile
 *
 * Called after a writer_wait() that returned 0.
 */
void writer_put(struct writer *w, unsigned int nparts, size_t bytes, u64 pos);

/**
 * struct target_ops - what a kind of target does
 * @open: before the first write
 * @commit: all but the superblocks is on the disk: write them; the image gets its name
 * @abort: remove what is incomplete, once; nothing may have been written yet
 * @refused: of an update: what became of it if no superblock could be written
 */
struct target_ops {
	int (*open)(struct output *out);
	int (*commit)(struct output *out, const struct dsfs_super *super);
	void (*abort)(struct output *out);
	const char *refused;
};

/**
 * struct target - what is asked of the target
 * @path: as given
 * @force: it is overwritten, whatever it has
 * @read_only: it is only looked at
 * @align_bits: log2 of the alignment of data, which may be too small for a device
 * @aligned_by: who says so
 */
struct target {
	const char *path;
	bool force;
	bool read_only;
	u8 align_bits;
	const char *aligned_by;
};

/*
 * commit.c: a new file, a new device, an image, one that erases, archives that become one, a list
 * of pieces
 */
extern const struct target_ops file_target_ops, device_target_ops, image_target_ops,
	erased_target_ops, archives_target_ops, list_target_ops;

/**
 * struct output - the target, and the part of the image that is in memory
 * @path: as given, symlinks resolved
 * @temp: temporary name of the file; NULL: none
 * @replace: the image replaces an existing file
 * @read_only: it is only looked at
 * @boot_signature: the first sector is not empty: bootsector.h
 * @open: output_open() was called
 * @committed: a superblock of the new generation is, or may be, on the disk
 * @first_slot: update: the superblock slot that is written first
 * @length: old length of a file that gets more behind its end
 * @zeros: everything from this offset on is zero
 * @at: where the image begins in the target: not 0 for a part.  It wraps for what is written behind
 *	an image in pieces, which begins a file of its own.
 * @listed: the target is a list of pieces; else NULL
 * @list_name: of the list that is made of that one, without suffix; NULL: it is replaced
 * @limit: length of a device, or the room of a part; 0 for a file
 * @object_bits: log2 of the objects of the store below a device; 0: unknown
 * @guard: what to do about a part of others in the way; NULL: it is overwritten
 * @old: of a file that is replaced: keeps others from changing it; -1: none
 * @narrow: a smaller window, as no data is written, whose gaps are filled
 * @window: bytes [@base, @head), and [@written, @base), which the writer writes now
 * @high: end of everything that was ever written
 */
struct output {
	const struct target_ops *ops;
	char *path;
	char *temp;
	int fd;
	bool replace;
	bool read_only;
	bool boot_signature;
	const char *guard;
	int old;
	bool narrow;
	bool committed;
	unsigned int first_slot;
	u64 length;
	u64 zeros;
	struct list_target *listed;
	const char *list_name;
	u64 at;
	u64 limit;
	u8 object_bits;
	u64 dev;
	u64 ino;
	bool open;
	struct window window;
	u64 written;
	u64 base;
	u64 head;
	u64 high;
	struct writer writer;
};

/*
 * check.c: check that a target may become a new image, or get a part, that an image may be updated,
 * and that archives may become an image where they lie.
 * @source: a file that the new image may replace without --force; NULL: none
 *
 * Nothing is changed, but that the file of a part is made.  Messages are written.
 * Return: 0 or -errno.
 */
int output_check_new(struct output *out, const struct target *t, const char *source);
int output_check_update(struct output *out, const struct target *t);
int output_check_archives(struct output *out, const struct target *t);

/**
 * output_open - make the file, or wipe the superblocks of the device
 * @start: offset of the first write
 *
 * From now on the image does not mount until output_finish() has returned.  An image
 * that is updated mounts at any time, in its old or in its new generation.
 */
int output_open(struct output *out, u64 start);

/* What has a length that it cannot exceed */
static inline const char *output_what(const struct output *out)
{
	return out->at ? "room of the part" : "device";
}

/* The length of the target: what may be there to read. */
static inline u64 output_end(const struct output *out)
{
	return out->limit ? out->limit : out->length;
}

/*
 * guard.c: say if a part of others begins in a range that would be written: of an open target in
 * front of the first write, of a range, of any file; and if a byte lies in a finished part.  What
 * has the superblock of an image counts as one.  Return: 0 or -errno.
 */
int output_guard_open(const struct output *out, u64 start);
int output_guard(const struct output *out, u64 from, u64 to);
int guard_range(int fd, const char *path, const char *advice, u64 from, u64 to);
int guard_inside(int fd, const char *path, u64 pos);
/* Whether there is a superblock of an image that begins at @at. */
bool guard_signature(int fd, u64 at);

/* Say if the target is too small for these bytes.  Return: whether it is not. */
bool output_fits(const struct output *out, u64 pos, u64 bytes);

/* Before any other write, from @pos on: what is before it is in the target already. */
int output_begin(struct output *out, u64 pos);

/* Make zeros of [@from, @to), less than a block, past the window. */
int output_pad(const struct output *out, u64 from, u64 to);

/**
 * output_clone - clone.c: let the target have the bytes of a file, past the window
 * @path: of the file, for messages
 * @shared: grows by what is not copied but has the blocks of the file
 */
int output_clone(const struct output *out, u64 pos, int fd, const char *path, u64 bytes,
		 u64 *shared);
/* clone.c: give whole blocks back to the file system or the device, if that is possible. */
void output_discard(const struct output *out, u64 pos, u64 bytes);

/* Write bytes at @pos; a gap before them becomes zeros. */
int output_write(struct output *out, u64 pos, const void *p, size_t bytes);

/**
 * output_lend - write bytes, if possible without copying them
 * @p: memory; while *@lent is not 0, its blocks must not be touched, and the rest of
 *	the last block is overwritten
 * @lent: number of borrowed blocks: grows by this call, shrinks by later ones
 */
int output_lend(struct output *out, u64 pos, char *p, size_t bytes, unsigned int *lent);

/* Write some borrowed blocks.  Return: 1; 0 if there are none; -errno. */
int output_flush(struct output *out);

/* Write all that is in the window, so that the target can be read. */
int output_settle(struct output *out);

/* Zeros in the place of bytes that were written. */
int output_zero(struct output *out, u64 pos, u64 bytes);

/* Undo all writes from @pos on. */
void output_cut(struct output *out, u64 pos);
/* Compare with the bytes at @pos.  Return: 1: equal; 0: not; -errno. */
int output_compare(struct output *out, u64 pos, const void *p, size_t bytes);
int output_compare_ranges(struct output *out, u64 a, u64 b, u64 bytes);

/**
 * output_finish - complete the image
 * @super: for both slots
 * @bytes: length of the image
 *
 * Everything is on the disk before the first superblock is written; in an update, the
 * first superblock is on the disk before the second one is written.  From the first one
 * on, or from the final name of a file on, signals are ignored.  If the first superblock of
 * an update cannot be written, its slot gets its old bytes back.
 *
 * Messages are written; they say what an image that existed before holds then.
 * Return: 0 or -errno.
 */
int output_finish(struct output *out, struct dsfs_super *super);

/*
 * Remove an incomplete image, once.  An image that was to be updated gets its old length
 * back, unless a superblock of the new generation is on the disk.
 */
void output_abort(struct output *out);
void output_free(struct output *out);

/* writer.c: print that a call failed.  Return: -errno. */
int output_fail(const struct output *out, const char *what);
/* Write directly, not through the window. */
int output_pwrite(const struct output *out, const char *p, size_t bytes, u64 pos);

int output_pread(const struct output *out, char *p, size_t bytes, u64 pos);
int output_sync(const struct output *out);

/*
 * listed.c: whether a target is a list; take it in the place of an image, of which nothing but a
 * part behind its end is written; read the image that has the part with these superblocks
 */
#define LISTED_NOT \
	"is a list: %s needs the image in one file, of which dsfs pieces makes a list"
bool listed_is(int fd);
int listed_open(struct output *out);
int listed_commit(struct output *out, const struct dsfs_super *super);
int listed_pread(const struct output *out, char *p, size_t bytes, u64 pos);
void listed_free(struct output *out);

/* file.c: make a file without a name; remove what has a temporary one */
int file_open(struct output *out);
void file_abort(struct output *out);
/* The final name.  Signals are ignored from here on.  Messages are written. */
int file_name(struct output *out);

/*
 * keep.c: give the file owner, mode, ACL and extended attributes of the file that it
 * replaces, or fewer rights.  Messages are written.
 */
void keep_attrs(const struct output *out);

/**
 * device_object_bits - object size of the store below a device
 * @dir: directory of the device in sysfs
 *
 * Return: log2 of the size; 0: none that is useful.
 */
unsigned int device_object_bits(const char *dir);

/*
 * signals.c: when a signal ends the run, remove a file or restore its length.  Messages are
 * written.  Return: 0 or -errno.
 */
int signals_init(void);

/**
 * signals_hold - delay signals that end the run
 *
 * A file is made while they are delayed: before, there is no file; after
 * signals_release(), its name is known.  A file that existed before is not removed.
 */
void signals_hold(void);

/**
 * signals_release - let signals end the run again
 * @path: the file that a signal removes; not copied; NULL: none
 */
void signals_release(const char *path);

/**
 * signals_ignore - let no signal end the run any more
 *
 * Called in front of the first change that a run cannot take back, and before main() returns: the
 * exit status is decided.  If a signal ends the run already, this function does not return.
 */
void signals_ignore(void);

/* The length that a file gets back; until signals_unguard(). */
void signals_guard_length(int fd, u64 bytes);
void signals_unguard(void);

/**
 * signals_write_begin - begin a write of the target, up to signals_write_end()
 *
 * A signal restores the length of a file when no write is under way, and lets no
 * further write begin.  So this function may not return.  It does not nest.
 */
void signals_write_begin(void);
void signals_write_end(void);

#endif /* DSFS_OUTPUT_H */
