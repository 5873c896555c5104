// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the target, and the names of files.  A mistyped device name must
 * not destroy a file system, and an image must not appear under its name before
 * it is complete.
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

#include "msg.h"
#include "output.h"

static int no_memory(void)
{
	msg_error(NULL, "out of memory");
	return -ENOMEM;
}

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
		snprintf(what, sizeof(what), "dsfs");
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

static unsigned int object_bits(int fd)
{
	char dir[64], path[PATH_MAX];
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	/* the last component is the kernel name of the device */
	snprintf(dir, sizeof(dir), "/sys/dev/block/%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	return realpath(dir, path) ? device_object_bits(path) : 0;
}

/* @alone: fail if the device is in use; @in_use: advice for that message */
static int open_device(struct output *out, const struct options *o, bool alone,
		       const char *in_use)
{
	out->device = true;
	out->fd = open(out->path, (o->plan_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
		       (alone && !o->plan_only ? O_EXCL : 0));
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

static int check_device(struct output *out, const struct options *o)
{
	int sector = 0, ret = open_device(out, o, !o->force, "use -f to overwrite");

	if (ret)
		return ret;
	if (ioctl(out->fd, BLKSSZGET, &sector))
		return output_fail(out, "cannot get the size");
	if (1 << o->align_bits < sector) {
		msg_error(out->path,
			  "%s: %d bytes: less than the device's logical block size of %d",
			  o->tar_index ? "--tar-index: alignment" : "--align",
			  1 << o->align_bits, sector);
		return -EINVAL;
	}
	return o->force || o->plan_only ? 0 : check_signature(out);
}

/* Lock the image: two updates at the same time would write to the same place. */
static int lock_update(struct output *out, const struct options *o)
{
	if (o->plan_only || !flock(out->fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return output_fail(out, "cannot lock");
	msg_error(out->path, "is being updated by another process");
	return -EBUSY;
}

static int check_update_device(struct output *out, const struct options *o)
{
	int ret = open_device(out, o, true, "an update needs it alone");

	if (ret)
		return ret;
	/* drop cached blocks, which another node may have written since */
	if (!o->plan_only)
		ioctl(out->fd, BLKFLSBUF, 0);
	return lock_update(out, o);
}

/* Check that an image file is in use nowhere else, and lock it. */
static int check_update_file(struct output *out, const struct options *o,
			     const struct stat *st)
{
	int ret = o->plan_only ? 0 : inuse_check(out->path, st);

	if (ret)
		return ret;
	out->fd = open(out->path, (o->plan_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (out->fd < 0)
		return output_fail(out, "cannot open");
	out->length = st->st_size;
	out->zeros = st->st_size;
	return lock_update(out, o);
}

/* Check a target that archives lie in. */
static int check_in_place(struct output *out, const struct options *o,
			  const struct stat *st)
{
	int ret;

	out->update = true;
	out->in_place = true;
	if (S_ISBLK(st->st_mode)) {
		ret = check_device(out, o);
		return ret ? ret : lock_update(out, o);
	}
	ret = check_update_file(out, o, st);
	return ret || o->force ? ret : check_signature(out);
}

static int not_a_target(const struct output *out)
{
	msg_error(out->path, "is neither a regular file nor a block device");
	return -EINVAL;
}

/* Check the target of an update, which is an existing image. */
static int check_update(struct output *out, const struct options *o,
			const struct stat *st)
{
	out->update = true;
	if (S_ISBLK(st->st_mode))
		return check_update_device(out, o);
	if (S_ISREG(st->st_mode))
		return check_update_file(out, o, st);
	return o->plan_only ? 0 : not_a_target(out);
}

/* Make the name absolute and resolve symlinks; the last component need not exist. */
static int resolve(struct output *out, const char *image)
{
	char *copy, *slash, *dir;

	out->path = realpath(image, NULL);
	if (out->path)
		return 0;
	out->path = strdup(image);
	if (errno != ENOENT || !out->path)
		return out->path ? output_fail(out, "cannot follow the path") :
				   no_memory();
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
		return output_fail(out, "cannot make");
	free(dir);
	return 0;
}

/* Whether the target is the image that is packed anew. */
static bool is_source(const struct options *o, const struct stat *st)
{
	struct stat other;

	return o->build == BUILD_COMPACT && !stat(o->source, &other) &&
	       other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* Check the target of a new image, which may replace a file. */
static int check_new(struct output *out, const struct options *o,
		     const struct stat *st)
{
	const bool itself = is_source(o, st);

	if (S_ISBLK(st->st_mode) && itself) {
		msg_error(out->path, "is a device: pack it to another TARGET");
		return -EINVAL;
	}
	if (S_ISBLK(st->st_mode))
		return check_device(out, o);
	if (!S_ISREG(st->st_mode))
		return o->plan_only ? 0 : not_a_target(out);
	out->replace = true;
	if (!o->force && !o->plan_only && !itself) {
		msg_error(out->path, "exists: use -f to overwrite");
		return -EEXIST;
	}
	return 0;
}

int output_check(struct output *out, const struct options *o)
{
	const bool update = o->build == BUILD_UPDATE;
	const bool in_place = options_in_place(o);
	struct stat st;
	int ret;

	memset(out, 0, sizeof(*out));
	out->fd = -1;
	ret = resolve(out, o->image);
	if (ret)
		return ret;
	if (stat(out->path, &st)) {
		if (errno != ENOENT || update || in_place)
			return output_fail(out, "cannot read attributes");
		return 0;
	}
	out->dev = st.st_dev;
	out->ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	if (in_place && !update && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)))
		return check_in_place(out, o, &st);
	return update ? check_update(out, o, &st) : check_new(out, o, &st);
}

/* Make the name of the parent directory. */
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

/*
 * Mode until the image is complete; a file that replaces another one gets its
 * mode then.
 */
static mode_t first_mode(const struct output *out)
{
	return out->replace ? 0600 : 0666;
}

/* Make a file with a temporary name, where the file system has no unnamed files. */
static int open_named(struct output *out)
{
	for (unsigned int n = 0; n < 100; n++) {
		if (temp_name(out, n))
			return no_memory();
		signals_hold();
		out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			       first_mode(out));
		signals_release(out->fd < 0 ? NULL : out->temp);
		if (out->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	free(out->temp);
	out->temp = NULL;
	return output_fail(out, "cannot make");
}

int target_open_file(struct output *out)
{
	struct stat st;
	char *dir;
	int ret = parent_of(out, &dir);

	if (ret)
		return no_memory();
	out->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(out));
	free(dir);
	if (out->fd < 0) {
		ret = open_named(out);
		if (ret)
			return ret;
	}
	if (fstat(out->fd, &st))
		return output_fail(out, "cannot read attributes");
	return 0;
}

int target_open_update(struct output *out)
{
	if (!out->device)
		signals_guard_length(out->fd, out->length);
	return out->in_place ? target_wipe(out) : 0;
}

/* Clear both slots and all other signatures at the front. */
int target_wipe(struct output *out)
{
	u64 bytes = DSFS_DATA_START_MIN;
	char *zero;
	int ret;

	if (out->device && out->limit < bytes + DSFS_BLOCK_SIZE) {
		msg_error(out->path, "device too small: %llu bytes: at least %llu needed",
			  (unsigned long long)out->limit,
			  (unsigned long long)(bytes + DSFS_BLOCK_SIZE));
		return -ENOSPC;
	}
	zero = calloc(1, bytes);
	if (!zero)
		return no_memory();
	ret = output_pwrite(out, zero, bytes, 0);
	free(zero);
	if (!ret && fsync(out->fd))
		ret = output_fail(out, "cannot write");
	return ret;
}

/* Give the file a temporary name, to replace another one by. */
static int name_temp(struct output *out, const char *proc)
{
	int ret;

	for (unsigned int n = 0; !out->temp; n++) {
		if (temp_name(out, n))
			return no_memory();
		if (!linkat(AT_FDCWD, proc, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW))
			return 0;
		ret = errno;
		free(out->temp);
		out->temp = NULL;
		if (ret != EEXIST || n > 100) {
			errno = ret;
			return output_fail(out, "cannot make");
		}
	}
	return 0;
}

static int rename_temp(struct output *out)
{
	int ret = out->replace ? rename(out->temp, out->path) :
		  renameat2(AT_FDCWD, out->temp, AT_FDCWD, out->path, RENAME_NOREPLACE);

	if (ret) {
		/* some file systems do not support RENAME_NOREPLACE */
		if (out->replace || errno != EINVAL || link(out->temp, out->path))
			return output_fail(out, "cannot rename to");
		unlink(out->temp);
	}
	signals_unguard();
	free(out->temp);
	out->temp = NULL;
	return 0;
}

/*
 * The name has to be on the disk, too.  A directory that may be written and not read cannot
 * be flushed alone.  The image is complete and has its name, so an error is a warning.
 */
static void sync_parent(const struct output *out)
{
	char *dir;
	int fd;

	if (parent_of(out, &dir))
		return;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	/* EINVAL: a file system whose names need no flush, or have none */
	if ((fd < 0 ? syncfs(out->fd) : fsync(fd)) && errno != EINVAL)
		msg_warn(out->path, "a loss of power may undo its name: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

int target_name(struct output *out)
{
	char proc[64];
	int ret = 0;

	/* from here on, either there is the image, or the run says why not */
	signals_ignore();
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", out->fd);
	if (!out->temp && !out->replace) {
		if (linkat(AT_FDCWD, proc, AT_FDCWD, out->path, AT_SYMLINK_FOLLOW))
			ret = output_fail(out, "cannot make");
	} else {
		ret = name_temp(out, proc);
		if (!ret && !out->temp)	/* for the analyzer: there is one */
			ret = -ENOMEM;
		if (!ret)
			ret = rename_temp(out);
	}
	if (!ret)
		sync_parent(out);
	return ret;
}
