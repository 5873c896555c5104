// SPDX-License-Identifier: GPL-2.0
/*
 * The target.  Writing goes front to back through a window, so that small
 * files can still be put into the last few MiB without going back on disk.
 *
 * A file has no name until it is whole (or a temporary one where the file
 * system cannot do that), so a run that ends in the middle leaves nothing; a
 * device loses its superblocks before anything else is written to it.
 */
#include <blkid/blkid.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"
#include "parse.h"
#include "place.h"

#define UNIT		(1 << 20)	/* bytes a write */
#define SYNC_UNIT	(16 << 20)	/* bytes after which the disk gets to work */
#define SKIP_MIN	(1 << 20)	/* zeros that are left out of a file */

static int fail(const struct output *out, const char *what)
{
	int ret = -errno;

	msg_error(out->path, "%s: %s", what, strerror(errno));
	return ret;
}

static int pwrite_all(const struct output *out, const char *p, size_t bytes,
		      u64 pos)
{
	while (bytes) {
		ssize_t n = pwrite(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = ENOSPC;
		if (n <= 0) {
			int ret = -errno;

			msg_error(out->path, "cannot write %zu bytes at %llu: %s",
				  bytes, (unsigned long long)pos,
				  strerror(errno));
			return ret;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

static int pread_all(const struct output *out, char *p, size_t bytes, u64 pos)
{
	while (bytes) {
		ssize_t n = pread(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			msg_error(out->path, "cannot read back %zu bytes at %llu: %s",
				  bytes, (unsigned long long)pos,
				  n ? strerror(errno) : "end of file");
			return n ? -errno : -EIO;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

/* What libblkid sees on the device; 1: something, 0: nothing, -errno. */
static int known_signature(const char *path, char *what, size_t size)
{
	blkid_probe pr = blkid_new_probe_from_filename(path);
	const char *type = NULL;
	int ret;

	if (!pr)
		return errno ? -errno : -EIO;
	blkid_probe_enable_superblocks(pr, 1);
	blkid_probe_enable_partitions(pr, 1);
	ret = blkid_do_fullprobe(pr);
	if (!ret && blkid_probe_lookup_value(pr, "TYPE", &type, NULL))
		blkid_probe_lookup_value(pr, "PTTYPE", &type, NULL);
	snprintf(what, size, "%s", type ? type : "an unknown kind");
	blkid_free_probe(pr);
	return ret < 0 ? (ret == -2 ? 1 : -EIO) : !ret;
}

/* libblkid of today does not know this file system. */
static int own_signature(const struct output *out)
{
	__le32 magic;

	for (unsigned int slot = 0; slot < DSFS_SB_SLOTS; slot++) {
		ssize_t n = pread(out->fd, &magic, sizeof(magic),
				  DSFS_SB_POS(slot));

		if (n == sizeof(magic) &&
		    le32_to_cpu(magic) == DSFS_SUPER_MAGIC)
			return 1;
	}
	return 0;
}

static int check_signature(struct output *out)
{
	char what[64];
	int ret = own_signature(out);

	if (ret)
		strcpy(what, "dsfs");
	else
		ret = known_signature(out->path, what, sizeof(what));
	if (ret < 0) {
		msg_error(out->path, "cannot look for signatures: %s: use -f to overwrite",
			  strerror(-ret));
		return ret;
	}
	if (ret) {
		msg_error(out->path, "contains a signature: %s: use -f to overwrite",
			  what);
		return -EEXIST;
	}
	return 0;
}

static int check_device(struct output *out, const struct options *o)
{
	bool free = !o->force && !o->plan_only;
	int sector = 0;

	out->device = true;
	out->fd = open(out->path, (o->plan_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
		       (free ? O_EXCL : 0));
	if (out->fd < 0 && errno == EBUSY) {
		msg_error(out->path, "is mounted or in use: use -f to overwrite");
		return -EBUSY;
	}
	if (out->fd < 0)
		return fail(out, "cannot open");
	if (ioctl(out->fd, BLKGETSIZE64, &out->limit) ||
	    ioctl(out->fd, BLKSSZGET, &sector))
		return fail(out, "cannot get the size");
	if (1 << o->align_bits < sector) {
		msg_error(out->path, "--align: %d: less than the device's logical block size of %d",
			  1 << o->align_bits, sector);
		return -EINVAL;
	}
	return free ? check_signature(out) : 0;
}

/* The absolute name; symlinks are followed, the last part need not exist. */
static int resolve(struct output *out, const char *image)
{
	char *copy, *slash, *dir;

	out->path = realpath(image, NULL);
	if (out->path)
		return 0;
	out->path = strdup(image);
	if (errno != ENOENT || !out->path)
		return out->path ? fail(out, "cannot resolve") : -ENOMEM;
	copy = strdup(image);
	slash = copy ? strrchr(copy, '/') : NULL;
	if (slash)
		slash[slash == copy] = '\0';
	dir = realpath(slash ? copy : ".", NULL);
	if (dir && asprintf(&slash, "%s/%s", strcmp(dir, "/") ? dir : "",
			    strrchr(image, '/') ? strrchr(image, '/') + 1 :
			    image) > 0) {
		free(out->path);
		out->path = slash;
	}
	free(copy);
	if (!dir)
		return fail(out, "cannot make");
	free(dir);
	return 0;
}

int output_check(struct output *out, const struct options *o)
{
	struct stat st;
	int ret;

	memset(out, 0, sizeof(*out));
	out->fd = -1;
	ret = resolve(out, o->image);
	if (ret)
		return ret;
	if (stat(out->path, &st)) {
		if (errno != ENOENT)
			return fail(out, "cannot read attributes");
		return 0;
	}
	out->dev = st.st_dev;
	out->ino = st.st_ino;
	if (S_ISBLK(st.st_mode)) {
		out->ino = 0;
		return check_device(out, o);
	}
	if (!S_ISREG(st.st_mode) && o->plan_only)
		return 0;
	if (!S_ISREG(st.st_mode)) {
		msg_error(out->path, "is neither a regular file nor a block device");
		return -EINVAL;
	}
	out->replace = true;
	if (!o->force && !o->plan_only) {
		msg_error(out->path, "exists: use -f to overwrite");
		return -EEXIST;
	}
	return 0;
}

/* Where the parent directory's name ends. */
static int parent_of(const struct output *out, char **dir)
{
	const char *slash = strrchr(out->path, '/');

	*dir = strndup(out->path, slash == out->path ? 1 : slash - out->path);
	return *dir ? 0 : -ENOMEM;
}

static int temp_name(struct output *out, unsigned int n)
{
	const char *base = strrchr(out->path, '/') + 1;

	free(out->temp);
	if (asprintf(&out->temp, "%.*s.%.200s.%d-%u", (int)(base - out->path),
		     out->path, base, (int)getpid(), n) < 0) {
		out->temp = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* A file with a name, where there are none without. */
static int open_named(struct output *out)
{
	for (unsigned int n = 0; n < 100; n++) {
		int ret = temp_name(out, n);

		if (ret)
			return ret;
		out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			       0666);
		if (out->fd >= 0) {
			signals_guard(out->temp);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	free(out->temp);
	out->temp = NULL;
	return fail(out, "cannot make");
}

static int open_file(struct output *out)
{
	struct stat st;
	char *dir;
	int ret = parent_of(out, &dir);

	if (ret)
		return ret;
	out->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	free(dir);
	if (out->fd < 0) {
		ret = open_named(out);
		if (ret)
			return ret;
	}
	if (fstat(out->fd, &st))
		return fail(out, "cannot read attributes");
	return 0;
}

/* Both slots, and what other signatures lie at the front. */
static int wipe_device(struct output *out)
{
	u64 bytes = DSFS_DATA_START_MIN;
	char *zero;
	int ret;

	if (out->limit < bytes + DSFS_BLOCK_SIZE) {
		msg_error(out->path, "device too small: %llu bytes",
			  (unsigned long long)out->limit);
		return -ENOSPC;
	}
	zero = calloc(1, bytes);
	if (!zero)
		return -ENOMEM;
	ret = pwrite_all(out, zero, bytes, 0);
	free(zero);
	if (!ret && fsync(out->fd))
		ret = fail(out, "cannot write");
	return ret;
}

int output_open(struct output *out, u64 start)
{
	int ret = out->device ? wipe_device(out) : open_file(out);

	if (ret)
		return ret;
	out->ring = calloc(1, OUTPUT_WINDOW);
	out->base = start;
	out->head = start;
	out->high = start;
	out->synced = start;
	return out->ring ? 0 : -ENOMEM;
}

/* Write the first @bytes of the window; the ring may wrap within them. */
static int flush_some(struct output *out, u64 bytes)
{
	while (bytes) {
		u64 at = out->base % OUTPUT_WINDOW;
		u64 n = OUTPUT_WINDOW - at < bytes ? OUTPUT_WINDOW - at : bytes;
		int ret = pwrite_all(out, out->ring + at, n, out->base);

		if (ret)
			return ret;
		out->base += n;
		bytes -= n;
	}
	if (out->high < out->base)
		out->high = out->base;
	/* Only asks: without it the fsync at the end waits for everything. */
	if (out->base >= out->synced + SYNC_UNIT) {
		sync_file_range(out->fd, out->synced, out->base - out->synced,
				SYNC_FILE_RANGE_WRITE);
		out->synced = out->base;
	}
	return 0;
}

/* Room in the ring for bytes up to @end. */
static int make_room(struct output *out, u64 end)
{
	while (end > out->base + OUTPUT_WINDOW) {
		u64 unit = UNIT - out->base % UNIT;
		int ret;

		if (unit > out->head - out->base)
			unit = out->head - out->base;
		ret = flush_some(out, unit);
		if (ret)
			return ret;
	}
	return 0;
}

/* Zeros up to @pos; many of them become a hole of a new file. */
static int skip_to(struct output *out, u64 pos)
{
	int ret;

	if (!out->device && pos >= out->head + SKIP_MIN &&
	    out->high <= out->head) {
		ret = flush_some(out, out->head - out->base);
		if (ret)
			return ret;
		out->base = pos;
		out->head = pos;
		return 0;
	}
	while (out->head < pos) {
		u64 n = pos - out->head;
		u64 at = out->head % OUTPUT_WINDOW;

		if (n > OUTPUT_WINDOW - at)
			n = OUTPUT_WINDOW - at;
		if (n > UNIT)
			n = UNIT;
		ret = make_room(out, out->head + n);
		if (ret)
			return ret;
		memset(out->ring + at, 0, n);
		out->head += n;
	}
	return 0;
}

/* Where a piece at @pos may go without leaving @limit; splits at the wrap. */
static u64 ring_piece(u64 pos, u64 bytes)
{
	u64 left = OUTPUT_WINDOW - pos % OUTPUT_WINDOW;

	if (bytes > UNIT)
		bytes = UNIT;
	return bytes < left ? bytes : left;
}

int output_write(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *from = p;
	int ret;

	if (out->limit && pos + bytes > out->limit) {
		msg_error(out->path, "device too small: %llu bytes: no room for %zu bytes at %llu",
			  (unsigned long long)out->limit, bytes,
			  (unsigned long long)pos);
		return -ENOSPC;
	}
	if (pos < out->base)		/* a gap that has left the window */
		return pwrite_all(out, p, bytes, pos);
	ret = pos > out->head ? skip_to(out, pos) : 0;
	while (!ret && bytes) {
		u64 n = ring_piece(pos, bytes);

		ret = make_room(out, pos + n);
		if (ret)
			break;
		memcpy(out->ring + pos % OUTPUT_WINDOW, from, n);
		from += n;
		pos += n;
		bytes -= n;
		if (pos > out->head)
			out->head = pos;
	}
	return ret;
}

void output_cut(struct output *out, u64 pos)
{
	if (pos < out->head)
		out->head = pos;
	if (pos < out->base)
		out->base = pos;
	if (out->synced > out->base)
		out->synced = out->base;
}

int output_compare(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *with = p;
	char buf[65536];
	int ret;

	while (bytes) {
		u64 n = ring_piece(pos, bytes);
		const char *have = out->ring + pos % OUTPUT_WINDOW;

		if (pos < out->base) {
			if (n > out->base - pos)
				n = out->base - pos;
			if (n > sizeof(buf))
				n = sizeof(buf);
			ret = pread_all(out, buf, n, pos);
			if (ret)
				return ret;
			have = buf;
		}
		if (memcmp(have, with, n))
			return 0;
		with += n;
		pos += n;
		bytes -= n;
	}
	return 1;
}

int output_compare_ranges(struct output *out, u64 a, u64 b, u64 bytes)
{
	char buf[65536];
	int ret = 1;

	while (ret == 1 && bytes) {
		u64 n = bytes < sizeof(buf) ? bytes : sizeof(buf);

		if (b < out->base) {
			if (n > out->base - b)
				n = out->base - b;
			ret = pread_all(out, buf, n, b);
			if (ret)
				return ret;
		} else {
			n = ring_piece(b, n);
			memcpy(buf, out->ring + b % OUTPUT_WINDOW, n);
		}
		ret = output_compare(out, a, buf, n);
		a += n;
		b += n;
		bytes -= n;
	}
	return ret;
}

/* Give a file without a name one, or the temporary one its own. */
static int name_file(struct output *out)
{
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", out->fd);
	if (!out->temp && !out->replace) {
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, out->path,
			    AT_SYMLINK_FOLLOW))
			return 0;
		return fail(out, "cannot make");
	}
	for (unsigned int n = 0; !out->temp; n++) {
		if (temp_name(out, n))
			return -ENOMEM;
		signals_guard(out->temp);
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, out->temp,
			    AT_SYMLINK_FOLLOW))
			break;
		signals_unguard();
		free(out->temp);
		out->temp = NULL;
		if (errno != EEXIST || n > 100)
			return fail(out, "cannot make");
	}
	if (out->replace ? rename(out->temp, out->path) :
	    renameat2(AT_FDCWD, out->temp, AT_FDCWD, out->path,
		      RENAME_NOREPLACE)) {
		/* not every file system can refuse to replace */
		if (out->replace || errno != EINVAL ||
		    link(out->temp, out->path) || unlink(out->temp))
			return fail(out, "cannot rename to");
	}
	signals_unguard();
	free(out->temp);
	out->temp = NULL;
	return 0;
}

static int sync_parent(struct output *out)
{
	char *dir;
	int fd, ret = parent_of(out, &dir);

	if (ret)
		return ret;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	if (fd < 0)
		return 0;	/* a directory that may be written, not read */
	fsync(fd);
	close(fd);
	return 0;
}

int output_finish(struct output *out, const void *const slots[2], u64 bytes)
{
	int ret = flush_some(out, out->head - out->base);

	if (!ret && !out->device && ftruncate(out->fd, bytes))
		ret = fail(out, "cannot set the length");
	if (!ret && fsync(out->fd))
		ret = fail(out, "cannot write");
	for (unsigned int i = 0; !ret && i < DSFS_SB_SLOTS; i++)
		ret = pwrite_all(out, slots[i], DSFS_SB_SIZE, DSFS_SB_POS(i));
	if (!ret && fsync(out->fd))
		ret = fail(out, "cannot write");
	if (!ret && !out->device) {
		ret = name_file(out);
		if (!ret)
			ret = sync_parent(out);
	}
	return ret;
}

void output_abort(struct output *out)
{
	char zero[DSFS_SB_SIZE] = { 0 };

	if (out->device && out->ring) {
		/* a superblock may have been written before the error came */
		for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++) {
			if (pwrite(out->fd, zero, sizeof(zero),
				   DSFS_SB_POS(i)) < 0)
				break;
		}
		fsync(out->fd);
	}
	if (out->temp) {
		unlink(out->temp);
		signals_unguard();
	}
}

void output_free(struct output *out)
{
	if (out->fd >= 0)
		close(out->fd);
	free(out->ring);
	free(out->path);
	free(out->temp);
}
