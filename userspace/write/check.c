// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the target.  A mistyped device name must not destroy a file system.  With
 * --dry-run the target is only read.
 */
#include <blkid/blkid.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "imagemsg.h"
#include "msg.h"
#include "output.h"
#include "part.h"

/* Ask libblkid for a signature.  Return: 1: there is one; 0: none; -errno. */
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

/* Current libblkid does not know the signature of DSFS. */
static int check_signature(struct output *out)
{
	char what[64];
	int ret = guard_signature(out->fd, out->at);

	if (ret)
		snprintf(what, sizeof(what), "dsfs");
	else
		ret = known_signature(out->path, what, sizeof(what));
	if (ret < 0)
		return msg_fail(ret, out->path,
				"cannot look for signatures: %s: use -f to overwrite",
				strerror(-ret));
	if (ret)
		return msg_fail(-EEXIST, out->path, "contains a signature: %s: use -f to overwrite",
				what);
	return 0;
}

static bool path_leads_to(const char *path, const struct stat *st)
{
	struct stat other;

	return !stat(path, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* Ask a loop device.  Return: 1: it has the file; 0: it has not; -errno. */
static int loop_has(const char *name, const struct stat *st)
{
	struct loop_info64 info = { 0 };	/* valgrind does not know the ioctl */
	char path[300];
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = ioctl(fd, LOOP_GET_STATUS64, &info) ? -errno :
	      info.lo_device == st->st_dev && info.lo_inode == st->st_ino;
	close(fd);
	return ret == -ENXIO ? 0 : ret;
}

/* Compare the name in sysfs, for a user who may not open the loop device. */
static bool loop_names(const char *name, const struct stat *st)
{
	char path[300], file[PATH_MAX];
	bool same = false;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(file, sizeof(file), f)) {
		file[strcspn(file, "\n")] = '\0';
		same = path_leads_to(file, st);
	}
	fclose(f);
	return same;
}

/*
 * Whether the file is mounted: a mounted device cannot be opened exclusively, a mounted file is
 * attached to a loop device.  Says so.  Return: 0 or -EBUSY.
 */
static int inuse_check(const char *path, const struct stat *st)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *d;
	int ret = 0;

	while (!ret && dir && (d = readdir(dir))) {
		if (strncmp(d->d_name, "loop", 4))
			continue;
		ret = loop_has(d->d_name, st);
		if (ret < 0)
			ret = loop_names(d->d_name, st);
		if (ret)
			msg_error(path, "is in use by /dev/%s: unmount it first", d->d_name);
	}
	if (dir)
		closedir(dir);
	return ret ? -EBUSY : 0;
}

static unsigned int object_bits(int fd)
{
	char dir[64], path[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	/* the last component is the kernel name of the device */
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major(st.st_rdev), minor(st.st_rdev));
	return realpath(dir, path) ? device_object_bits(path) : 0;
}

/* @alone: fail if the device is in use; @in_use: advice for that message */
static int open_device(struct output *out, bool alone, const char *in_use)
{
	out->fd = open(out->path, (out->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
		       (alone && !out->read_only ? O_EXCL : 0));
	if (out->fd < 0 && errno == EBUSY)
		return msg_fail(-EBUSY, out->path, "is mounted or in use: %s", in_use);
	if (out->fd < 0)
		return output_fail(out, "cannot open");
	if (ioctl(out->fd, BLKGETSIZE64, &out->limit))
		return output_fail(out, "cannot get the size");
	out->zeros = UINT64_MAX;
	out->object_bits = object_bits(out->fd);
	return 0;
}

/* Parts of others may be anywhere; what is asked for by --force is to overwrite them. */
static void guard_new(struct output *out, const struct target *t)
{
	out->guard = t->force ? NULL : "use -f to overwrite";
}

static int check_device(struct output *out, const struct target *t)
{
	int sector = 0, ret = open_device(out, !t->force, "use -f to overwrite");

	guard_new(out, t);
	if (ret)
		return ret;
	if (ioctl(out->fd, BLKSSZGET, &sector))
		return output_fail(out, "cannot get the size");
	if (1 << t->align_bits < sector)
		return msg_fail(-EINVAL, out->path,
				"%s: %d bytes: less than the device's logical block size of %d",
				t->aligned_by, 1 << t->align_bits, sector);
	return t->force || out->read_only ? 0 : check_signature(out);
}

/*
 * Keep others from the range, up to the end if @bytes are 0.  A second attempt of a part may begin
 * while the first one hangs, and a join or a change of the image while a part is written behind it.
 * Where the file system has no such locks nobody is kept from it.
 */
static int lock_range(const struct output *out, int fd, short type, u64 from, u64 bytes)
{
	struct flock range = { .l_type = type, .l_start = from, .l_len = bytes };
	struct stat st;

	if (out->read_only)
		return 0;
	if (fcntl(fd, F_OFD_SETLK, &range) && (errno == EAGAIN || errno == EACCES))
		return msg_fail(-EBUSY, out->path, "is being written by another process");
	/* whoever had the lock may have replaced it: what is written now would be lost */
	if (!fstat(fd, &st) && path_leads_to(out->path, &st))
		return 0;
	return msg_fail(-EBUSY, out->path, "was replaced by another process");
}

/* Lock the image: two updates at the same time would write to the same place. */
static int lock_image(struct output *out)
{
	if (out->read_only || !flock(out->fd, LOCK_EX | LOCK_NB))
		return lock_range(out, out->fd, F_WRLCK, 0, 0);
	if (errno != EWOULDBLOCK)
		return output_fail(out, "cannot lock");
	return msg_fail(-EBUSY, out->path, "is being updated by another process");
}

/*
 * Keep others from a file that is to be replaced: what they write behind its end would go with it.
 * One that may not be read, or has no such locks, is replaced as it is.
 */
static int lock_replaced(struct output *out)
{
	out->old = open(out->path, O_RDONLY | O_CLOEXEC);
	if (out->old < 0)
		return 0;
	if (flock(out->old, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return msg_fail(-EBUSY, out->path, "is being updated by another process");
	return lock_range(out, out->old, F_RDLCK, 0, 0);
}

/* Open a file that is written behind its end; it must be in use nowhere else. */
static int open_file(struct output *out, struct stat *st)
{
	int ret = out->read_only ? 0 : inuse_check(out->path, st);

	if (ret)
		return ret;
	out->fd = open(out->path, (out->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (out->fd < 0)
		return output_fail(out, "cannot open");
	ret = lock_image(out);
	if (ret)
		return ret;
	/* the length that another update has left: it is what this one may give it back */
	if (fstat(out->fd, st))
		return output_fail(out, "cannot read attributes");
	out->length = st->st_size;
	out->zeros = st->st_size;
	return 0;
}

static int not_a_target(const struct output *out, const struct stat *st)
{
	if (out->read_only)
		return 0;
	return msg_fail(-EINVAL, out->path, S_ISDIR(st->st_mode) ?
			"is a directory, where the image is expected" :
			"is neither a regular file nor a block device");
}

/* Name BASE in the directory of IMAGE, or in the current one, by an absolute path. */
static int resolve_new(struct output *out, const char *image, const char *base)
{
	char *above = base > image ? strndup(image, base - image) : strdup(".");
	char *dir, *path;
	int ret;

	if (!above)
		return no_memory();
	dir = realpath(above, NULL);
	free(above);
	if (!dir)
		return output_fail(out, "cannot make");
	ret = asprintf(&path, "%s/%s", strcmp(dir, "/") ? dir : "", base);
	free(dir);
	if (ret < 0)
		return no_memory();
	free(out->path);
	out->path = path;
	return 0;
}

/* Make the name absolute and resolve symlinks; the last component need not exist. */
static int resolve(struct output *out, const char *image)
{
	const char *slash = strrchr(image, '/');
	int err;

	out->path = realpath(image, NULL);
	if (out->path)
		return 0;
	err = errno;
	out->path = strdup(image);
	if (!out->path)
		return no_memory();
	errno = err;
	if (err != ENOENT)
		return output_fail(out, "cannot follow the path");
	if (strstr(image, "://"))
		return msg_fail(-EINVAL, image,
				"is an address, where a file or a block device is expected");
	return resolve_new(out, image, slash ? slash + 1 : image);
}

/* Resolve the path, and look at what is there.  Return: 1: nothing; 0; -errno. */
static int look(struct output *out, const struct target *t, struct stat *st)
{
	int ret;

	memset(out, 0, sizeof(*out));
	out->fd = -1;
	out->old = -1;
	out->read_only = t->read_only;
	ret = resolve(out, t->path);
	if (ret)
		return ret;
	if (stat(out->path, st))
		return errno == ENOENT ? 1 : output_fail(out, "cannot read attributes");
	out->dev = st->st_dev;
	out->ino = S_ISBLK(st->st_mode) ? 0 : st->st_ino;
	return 0;
}

/* Open and lock a file that has to be there.  Return: 1: it is a device, which is not opened. */
static int open_existing(struct output *out, const struct target *t)
{
	struct stat st;
	int ret = look(out, t, &st);

	if (ret)
		return ret == 1 ? output_fail(out, "cannot read attributes") : ret;
	if (S_ISREG(st.st_mode))
		return open_file(out, &st);
	return S_ISBLK(st.st_mode) ? 1 : not_a_target(out, &st);
}

int output_check_update(struct output *out, const struct target *t)
{
	int ret = open_existing(out, t);

	out->ops = &image_target_ops;
	out->guard = "join it, or compact the image to another TARGET";
	if (!ret && listed_is(out->fd)) {
		out->ops = &list_target_ops;
		return listed_open(out);
	}
	if (ret < 1)
		return ret;
	ret = open_device(out, true, "an update needs it alone");
	if (ret)
		return ret;
	/* drop cached blocks, which another node may have written since */
	if (!out->read_only)
		ioctl(out->fd, BLKFLSBUF, 0);
	return lock_image(out);
}

int output_check_archives(struct output *out, const struct target *t)
{
	int ret = open_existing(out, t);

	out->ops = &archives_target_ops;
	guard_new(out, t);
	if (ret == 1)
		return check_device(out, t) ?: lock_image(out);
	return ret || t->force ? ret : check_signature(out);
}

/*
 * Whether parts were joined already: a late attempt of one must not touch what files have.
 * Return: 0; 1: those before this part; -errno.
 */
static int check_joined(const struct output *out)
{
	struct image img;
	u64 end;
	int ret = image_open_fd(&img, out->fd, out->path);

	end = !ret && img.geo ? img.geo->image_bytes : 0;
	image_close(&img);
	if (end <= out->at)
		return ret ? ret : !!end;
	return msg_fail(-EEXIST, out->path, "lies in an image of %llu bytes at byte 0", end);
}

/* A part may be made again with --force, but what is no DSFS image is never overwritten. */
static int check_range(struct output *out, const struct target *t, const char *path)
{
	char what[64];
	int ret = check_joined(out);

	if (ret < 0)
		return ret;
	if (!t->force && guard_signature(out->fd, out->at))
		return msg_fail(-EEXIST, out->path, "contains a part: use -f to overwrite");
	if (!ret && known_signature(path, what, sizeof(what)) == 1)
		return msg_fail(-EEXIST, path, "contains a signature: %s: it is no target of parts",
				what);
	return t->force ? 0 : guard_inside(out->fd, path, out->at);
}

/* The target has others, who write to it at the same time: it is made, but never cut or renamed. */
static int open_target(struct output *out)
{
	struct stat st;
	u64 bytes;

	out->fd = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (out->fd < 0 || fstat(out->fd, &st))
		return output_fail(out, "cannot open");
	out->dev = st.st_dev;
	out->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	if (!S_ISBLK(st.st_mode))
		return 0;
	out->object_bits = object_bits(out->fd);
	if (ioctl(out->fd, BLKGETSIZE64, &bytes))
		return output_fail(out, "cannot get the size");
	if (out->at + out->limit <= bytes)
		return 0;
	return msg_fail(-ENOSPC, out->path, "device too small: %llu bytes: the part ends at %llu",
			bytes, out->at + out->limit);
}

/* Where a part begins, in units of what is aligned in it */
static int check_start(const struct target *t, u64 at)
{
	const unsigned int bits = t->align_bits;
	const u64 unit = 1ULL << bits > PART_UNIT ? 1ULL << bits : PART_UNIT;

	if (!(at & (unit - 1)))
		return 0;
	return msg_fail(-EINVAL, t->path, "begins at byte %llu: not a multiple of %llu", at, unit);
}

static int open_part(struct output *out, const struct target *t, const char *path)
{
	char *name;
	int ret = out->read_only ? 0 :
		  open_target(out) ?: lock_range(out, out->fd, F_WRLCK, out->at, out->limit);

	if (ret)
		return ret;
	if (asprintf(&name, "%s@%llu", out->path, out->at) < 0)
		return no_memory();
	free(out->path);
	out->path = name;
	return out->read_only ? 0 : check_range(out, t, path);
}

static int check_part(struct output *out, const struct target *t, size_t len, u64 at, u64 room)
{
	char *path = strndup(t->path, len);
	struct target whole = *t;
	struct stat st;
	int ret;

	if (!path)
		return no_memory();
	whole.path = path;
	ret = look(out, &whole, &st);
	out->ops = &device_target_ops;
	out->at = at;
	out->limit = room;
	out->zeros = UINT64_MAX;
	guard_new(out, t);
	if (!ret && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		ret = not_a_target(out, &st) ?: -EINVAL;
	if (ret >= 0)
		ret = check_start(t, at) ?: open_part(out, t, path);
	free(path);
	return ret;
}

int output_check_new(struct output *out, const struct target *t, const char *source)
{
	u64 at, room = 0;
	const size_t part = part_parse(t->path, &at, &room);
	struct stat st;
	bool itself;
	int ret;

	if (room)
		return check_part(out, t, part, at, room);
	/* a file of such a name would be made, and read as one from then on */
	if (part)
		return msg_fail(-EINVAL, t->path,
				"of a part is TARGET@OFFSET+SIZE: SIZE is missing");
	ret = look(out, t, &st);
	out->ops = &file_target_ops;
	if (ret)
		return ret < 0 ? ret : 0;
	itself = source && path_leads_to(source, &st);
	if (S_ISBLK(st.st_mode)) {
		out->ops = &device_target_ops;
		if (!itself)
			return check_device(out, t);
		return msg_fail(-EINVAL, out->path, "is a device: pack it to another TARGET");
	}
	if (!S_ISREG(st.st_mode))
		return not_a_target(out, &st);
	out->replace = true;
	if (!t->force && !out->read_only && !itself)
		return msg_fail(-EEXIST, out->path, "exists: use -f to overwrite");
	return out->read_only ? 0 : lock_replaced(out);
}
