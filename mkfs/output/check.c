// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the target.  A mistyped device name must not destroy a file system.  With
 * --dry-run the target is only read.
 */
#include <blkid/blkid.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "inuse.h"
#include "msg.h"
#include "output.h"

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

/* Look for a signature of DSFS, which current libblkid does not know. */
static int own_signature(const struct output *out)
{
	__le32 magic;

	for (unsigned int slot = 0; slot < DSFS_SB_SLOTS; slot++) {
		ssize_t n = pread(out->fd, &magic, sizeof(magic), DSFS_SB_POS(slot));

		if (n == sizeof(magic) && le32_to_cpu(magic) == DSFS_SUPER_MAGIC)
			return 1;
	}
	return 0;
}

static int check_signature(struct output *out)
{
	char what[64];
	int ret = own_signature(out);

	if (ret)
		snprintf(what, sizeof(what), "dsfs");
	else
		ret = known_signature(out->path, what, sizeof(what));
	if (ret < 0) {
		msg_error(out->path, "cannot look for signatures: %s: use -f to overwrite",
			  strerror(-ret));
		return ret;
	}
	if (ret) {
		msg_error(out->path, "contains a signature: %s: use -f to overwrite", what);
		return -EEXIST;
	}
	return 0;
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
	if (out->fd < 0 && errno == EBUSY) {
		msg_error(out->path, "is mounted or in use: %s", in_use);
		return -EBUSY;
	}
	if (out->fd < 0)
		return output_fail(out, "cannot open");
	if (ioctl(out->fd, BLKGETSIZE64, &out->limit))
		return output_fail(out, "cannot get the size");
	out->zeros = UINT64_MAX;
	out->object_bits = object_bits(out->fd);
	return 0;
}

static int check_device(struct output *out, const struct target *t)
{
	int sector = 0, ret = open_device(out, !t->force, "use -f to overwrite");

	if (ret)
		return ret;
	if (ioctl(out->fd, BLKSSZGET, &sector))
		return output_fail(out, "cannot get the size");
	if (1 << t->align_bits < sector) {
		msg_error(out->path,
			  "%s: %d bytes: less than the device's logical block size of %d",
			  t->aligned_by,
			  1 << t->align_bits, sector);
		return -EINVAL;
	}
	return t->force || out->read_only ? 0 : check_signature(out);
}

/* Lock the image: two updates at the same time would write to the same place. */
static int lock_image(struct output *out)
{
	if (out->read_only || !flock(out->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return output_fail(out, "cannot lock");
	msg_error(out->path, "is being updated by another process");
	return -EBUSY;
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

static int not_a_target(const struct output *out)
{
	if (out->read_only)
		return 0;
	msg_error(out->path, "is neither a regular file nor a block device");
	return -EINVAL;
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
	return resolve_new(out, image, slash ? slash + 1 : image);
}

/* Resolve the path, and look at what is there.  Return: 1: nothing; 0; -errno. */
static int look(struct output *out, const struct target *t, struct stat *st)
{
	int ret;

	memset(out, 0, sizeof(*out));
	out->fd = -1;
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
	return S_ISBLK(st.st_mode) ? 1 : not_a_target(out);
}

int output_check_update(struct output *out, const struct target *t)
{
	int ret = open_existing(out, t);

	out->ops = &image_target_ops;
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
	if (ret == 1)
		return check_device(out, t) ?: lock_image(out);
	return ret || t->force ? ret : check_signature(out);
}

int output_check_new(struct output *out, const struct target *t, const char *source)
{
	struct stat st;
	bool itself;
	int ret = look(out, t, &st);

	out->ops = &file_target_ops;
	if (ret)
		return ret < 0 ? ret : 0;
	itself = source && path_leads_to(source, &st);
	if (S_ISBLK(st.st_mode)) {
		out->ops = &device_target_ops;
		if (!itself)
			return check_device(out, t);
		msg_error(out->path, "is a device: pack it to another TARGET");
		return -EINVAL;
	}
	if (!S_ISREG(st.st_mode))
		return not_a_target(out);
	out->replace = true;
	if (t->force || out->read_only || itself)
		return 0;
	msg_error(out->path, "exists: use -f to overwrite");
	return -EEXIST;
}
