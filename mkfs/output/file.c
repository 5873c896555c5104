// SPDX-License-Identifier: GPL-2.0
/*
 * Names of an image file.  An image must not appear under its name before it is complete.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"

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

/* Mode until the image is complete; a file that replaces another one gets its mode then. */
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
		out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(out));
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

int file_open(struct output *out)
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

int file_name(struct output *out)
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

void file_abort(struct output *out)
{
	if (!out->temp)
		return;
	if (unlink(out->temp))
		msg_warn(out->temp, "cannot be removed: %s", strerror(errno));
	signals_unguard();
	free(out->temp);
	out->temp = NULL;
}
