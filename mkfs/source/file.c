// SPDX-License-Identifier: GPL-2.0
/*
 * Reading of files, for directories and manifests.  A file must be the one that was listed,
 * and unchanged: its size is in the plan, and an image must not have half of an old and
 * half of a new content.  An fstat() after the read checks both.
 */
#include <linux/magic.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "file.h"

static struct file_input *file_of(struct input *in)
{
	return (struct file_input *)in;
}

int file_open_read(int dirfd, const char *name, int flags)
{
	int fd = openat(dirfd, name, flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)	/* not its owner */
		fd = openat(dirfd, name, flags);
	return fd < 0 ? -errno : fd;
}

/* The last bits are of the identity alone, so that the others can be compared without it. */
#define IDENTITY	0xffU

u32 file_check(const struct stat *st)
{
	/* Some file systems make a directory's size of what lies further below. */
	const u64 size = S_ISDIR(st->st_mode) ? 0 : st->st_size;
	u64 key[4] = { st->st_ctim.tv_sec, st->st_ctim.tv_nsec, st->st_mode, size };
	u64 identity[2] = { st->st_dev, st->st_ino };

	return (XXH3_64bits(key, sizeof(key)) & ~IDENTITY) |
	       (XXH3_64bits(identity, sizeof(identity)) & IDENTITY);
}

/*
 * Whether a file's inode number says which file it is.  Some file systems make numbers anew for
 * what they have forgotten, and some servers make one for each look.
 */
static bool has_number(int dirfd, const char *path, int flags, u64 ino)
{
	static const u32 forgetful[] = { FUSE_SUPER_MAGIC, V9FS_MAGIC, CIFS_SUPER_MAGIC,
					 SMB2_SUPER_MAGIC };
	const int follow = flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0;
	const int fd = *path ? openat(dirfd, path, O_PATH | O_CLOEXEC | follow) : dirfd;
	struct stat st = {};
	struct statfs fs;
	bool has = fd < 0 || (!file_stat(fd, "", AT_EMPTY_PATH, &st) && st.st_ino == ino &&
			      !fstatfs(fd, &fs));

	for (unsigned int i = 0; has && fd >= 0 && i < sizeof(forgetful) / sizeof(*forgetful); i++)
		has = (u32)fs.f_type != forgetful[i];
	if (*path && fd >= 0)
		close(fd);
	return has;
}

bool file_same(u32 check, const struct stat *st, int dirfd, const char *path, int flags)
{
	const u32 differs = file_check(st) ^ check;

	return !differs ||
	       (!(differs & ~IDENTITY) && !has_number(dirfd, path, flags, st->st_ino));
}

int file_stat(int dirfd, const char *path, int flags, struct stat *st)
{
	struct statx x;

	if (statx(dirfd, path, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &x))
		return -errno;
	*st = (struct stat){
		.st_dev = makedev(x.stx_dev_major, x.stx_dev_minor),
		.st_ino = x.stx_ino,
		.st_mode = x.stx_mode,
		.st_uid = x.stx_uid,
		.st_gid = x.stx_gid,
		.st_size = x.stx_size,
		.st_mtim = { x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec },
		.st_ctim = { x.stx_ctime.tv_sec, x.stx_ctime.tv_nsec },
	};
	return 0;
}

bool file_read(struct input *in, char *p, size_t bytes, u64 pos)
{
	const struct file_input *f = file_of(in);
	size_t done = 0;

	pos += f->base;
	while (done < bytes) {
		ssize_t got = pread(f->fd, p + done, bytes - done, pos + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return input_fail(in, "cannot read", -errno);
		if (!got)
			return input_fail(in, "shrank during the run", 0);
		done += got;
	}
	return true;
}

/* Whether SEEK_DATA can save reads: the file has fewer blocks than its size needs. */
static bool has_holes(const struct file_input *f)
{
	u64 size = f->in.node->size;
	struct stat st;

	if (f->base || f->size != size)
		return false;
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return !fstat(f->fd, &st) && st.st_blocks < size / 512;
}

u64 file_next_data(struct input *in, u64 *pos)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1, size = in->node->size;
	struct file_input *f = file_of(in);
	off_t data, hole;

	if (!f->asked) {
		f->holes = has_holes(f);
		f->asked = true;
	}
	if (!f->holes)
		return size;
	data = lseek(f->fd, *pos, SEEK_DATA);
	if (data < 0) {
		if (errno == ENXIO)
			*pos = size;
		return size;
	}
	if ((data & ~mask) > *pos)
		*pos = (data & ~mask) < size ? data & ~mask : size;
	hole = lseek(f->fd, data, SEEK_HOLE);
	if (hole < 0 || hole > size)
		return size;
	hole = (hole + mask) & ~mask;
	return hole < size ? hole : size;
}

bool file_unchanged(struct input *in)
{
	const struct file_input *f = file_of(in);
	struct stat st;

	if (fstat(f->fd, &st))
		return input_fail(in, "cannot read attributes", -errno);
	if (!S_ISREG(st.st_mode))
		return input_fail(in, "was replaced during the run", 0);
	if (st.st_size < f->size)
		return input_fail(in, "shrank during the run", 0);
	if (st.st_size > f->size)
		return input_fail(in, "grew during the run", 0);
	if (!file_same(f->check, &st, f->fd, "", AT_EMPTY_PATH))
		return input_fail(in, "changed during the run", 0);
	return true;
}

/*
 * Files with a size of 0 may have content: those of procfs, and of FUSE file systems that
 * learn a size by reading.  The plan needs the size of each file, and a change between two
 * reads of such a file could not be noticed, so they are refused.  Packed as empty files
 * they would lose their content.
 */
const char *empty_check(const struct source *src, int dirfd, const char *path,
			bool follow, const struct stat *st, int *err)
{
	const int flags = FILE_FLAGS | (follow ? 0 : O_NOFOLLOW);
	const char *why = NULL;
	ssize_t n;
	char c;
	int fd;

	*err = 0;
	/* a file system on a device knows its sizes; who reads no contents says nothing of them */
	if (!S_ISREG(st->st_mode) || st->st_size || major(st->st_dev) ||
	    src->lists_only)
		return NULL;
	fd = file_open_read(dirfd, path, flags);
	if (fd < 0) {
		*err = fd;
		return "cannot open";
	}
	do {
		n = read(fd, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		*err = -errno;
		why = "cannot read";
	} else if (n) {
		why = "has content and says that its size is 0: pack a copy of it";
	}
	close(fd);
	return why;
}
