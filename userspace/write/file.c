// SPDX-License-Identifier: GPL-2.0
/*
 * Names of an image file.  An image must not appear under its name before it is complete.
 */
#include <fcntl.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"

/* The name of the parent directory; NULL: out of memory. */
static char *parent_of(const struct output *out)
{
	const char *slash = strrchr(out->path, '/');

	return strndup(out->path, slash == out->path ? 1 : slash - out->path);
}

static void drop_temp(struct output *out)
{
	free(out->temp);
	out->temp = NULL;
}

/* Mode until the image is complete; a file that replaces another one gets its mode then. */
static mode_t first_mode(const struct output *out)
{
	return out->replace ? 0600 : 0666;
}

/* Make the file, where the file system has no unnamed files, or give one that has none a name. */
static int make_temp(struct output *out, const char *unnamed)
{
	if (unnamed)
		return linkat(AT_FDCWD, unnamed, AT_FDCWD, out->temp, AT_SYMLINK_FOLLOW);
	signals_hold();
	out->fd = open(out->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(out));
	signals_release(out->fd < 0 ? NULL : out->temp);
	return out->fd < 0 ? -1 : 0;
}

/*
 * Find a temporary name that nobody has.
 * @unnamed: the file in /proc; NULL: there is none yet
 */
static int name_temp(struct output *out, const char *unnamed)
{
	const char *base = strrchr(out->path, '/') + 1;

	for (unsigned int n = 0; n < 100; n++) {
		if (asprintf(&out->temp, "%.*s.%.200s.%d-%u", (int)(base - out->path), out->path,
			     base, (int)getpid(), n) < 0) {
			out->temp = NULL;
			return no_memory();
		}
		if (!make_temp(out, unnamed))
			return 0;
		drop_temp(out);
		if (errno != EEXIST)
			break;
	}
	return output_fail(out, "cannot make");
}

int file_open(struct output *out)
{
	char *dir = parent_of(out);
	struct stat st;
	int ret;

	if (!dir)
		return no_memory();
	out->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, first_mode(out));
	free(dir);
	if (out->fd < 0) {
		ret = name_temp(out, NULL);
		if (ret)
			return ret;
	}
	if (fstat(out->fd, &st))
		return output_fail(out, "cannot read attributes");
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
	drop_temp(out);
	return 0;
}

/*
 * The name has to be on the disk, too.  A directory that may be written and not read cannot
 * be flushed alone.  The image is complete and has its name, so an error is a warning.
 */
static void sync_parent(const struct output *out)
{
	char *dir = parent_of(out);
	int fd;

	if (!dir)
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
		if (!out->temp)
			ret = name_temp(out, proc);
		if (out->temp)
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
	drop_temp(out);
}
