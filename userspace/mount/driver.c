// SPDX-License-Identifier: GPL-2.0
/*
 * Option driver=: which part of the kernel reads the image.  Without the module it can be the
 * kernel's EROFS, by a view (userspace/view), which is made in memory and goes with the mount:
 * a sealed memfd has no name, and the loop device over it is cleared with the last user.
 */
#include <argz.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "imagemsg.h"
#include "io.h"
#include "mount.h"
#include "msg.h"
#include "view.h"

/* Options that any file system has: those of security modules */
static bool is_general(const char *opt)
{
	return !strncmp(opt, "context=", 8) || !strncmp(opt, "fscontext=", 10) ||
	       !strncmp(opt, "defcontext=", 11) || !strncmp(opt, "rootcontext=", 12);
}

/* Whether the kernel has a file system, or may: it is loaded if it is a module. */
static bool has(const char *type)
{
	const int fd = syscall(SYS_fsopen, type, 1 /* close on exec */);

	if (fd < 0)
		return errno != ENODEV;
	close(fd);
	return true;
}

int driver_settle(const char *spec, struct mount_opts *o)
{
	if (o->driver == DRIVER_AUTO && has("dsfs"))
		o->driver = DRIVER_MODULE;
	if (o->driver == DRIVER_MODULE || has("erofs"))
		return 0;
	return msg_error(spec,
			 "mount: the kernel has neither dsfs nor erofs: dsfs-fuse(8) needs none");
}

/* Options of EROFS in the place of those of DSFS, which are refused, or left out with AUTO. */
static int set_options(const char *spec, struct mount_opts *o, const char *device)
{
	const char *opt = NULL;
	char *fs = NULL, *text;
	size_t len = 0;

	while ((opt = argz_next(o->fs, o->fs_len, opt))) {
		if (!strncmp(opt, "generation=", 11))
			continue;
		if (is_general(opt)) {
			if (argz_add(&fs, &len, opt))
				return no_memory();
			continue;
		}
		if (o->driver == DRIVER_EROFS) {
			msg_error(spec, "option %s: driver=erofs has none of the module's", opt);
			free(fs);
			return -1;
		}
		msg_warn(spec, "option %s: left out, as driver=auto found no module", opt);
	}
	if (asprintf(&text, "device=%s", device) < 0 || argz_add(&fs, &len, text))
		return no_memory();
	free(text);
	free(o->fs);
	o->fs = fs;
	o->fs_len = len;
	return 0;
}

/* Write the view of the generation that is asked for.  Return: 0, or -1 after a message. */
static int write_view(struct image *img, const struct mount_opts *o, int fd)
{
	struct dsfs_err err = img->err;
	struct dsfs_source *src = NULL;
	struct view_made made;
	int ret = img->ret;

	if (!ret && o->generation)
		ret = image_use_generation(img, o->generation);
	if (!ret)
		src = image_source(img, 0);
	if (!ret && !src)
		ret = -ENOMEM;
	if (!ret)
		ret = source_check_sums(src, &err);
	if (ret)
		msg_error(img->path, "view: %s", image_why(&err, ret));
	else
		ret = view_make(src, img->path, fd, &made);
	image_source_free(src);
	return ret ? -1 : 0;
}

/* Whether the same view is on top of @dir already, which no other check finds. */
static bool is_there(int view, const char *dir)
{
	u8 ours[VIEW_UUID_AT + 16], theirs[VIEW_UUID_AT + 16];
	char device[80];
	struct stat st;
	int fd;

	if (stat(dir, &st) || device_path(st.st_dev, device, sizeof(device)))
		return false;
	fd = open(device, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	st.st_mode = io_pread(view, ours, sizeof(ours), 0) == sizeof(ours) &&
		     io_pread(fd, theirs, sizeof(theirs), 0) == sizeof(theirs) &&
		     !memcmp(ours + VIEW_MAGIC_AT, theirs + VIEW_MAGIC_AT, 4) &&
		     !memcmp(ours + VIEW_UUID_AT, theirs + VIEW_UUID_AT, 16);
	close(fd);
	return st.st_mode;
}

/* Make a view in memory that nobody can change.  Return: a descriptor, or -1 after a message. */
static int make_view(const char *spec, const struct mount_opts *o)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
	int fd = memfd_create("dsfs-view", MFD_CLOEXEC | MFD_ALLOW_SEALING), ret;
	struct image img;

	if (fd < 0 || image_open_part(spec, o, &img)) {
		msg_error(spec, "view: %s", msg_why(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	ret = write_view(&img, o, fd);
	image_close(&img);
	if (!ret && fcntl(fd, F_ADD_SEALS, seals)) {
		msg_error(spec, "view: %s", msg_why(errno));
		ret = -1;
	}
	if (ret)
		close(fd);
	return ret ? -1 : fd;
}

int driver_view(const char *spec, const char *dir, struct mount_opts *o, const char *device,
		char name[64])
{
	int fd = make_view(spec, o), loop = -1;

	if (fd < 0)
		return -1;
	if (is_there(fd, dir))
		msg_error(spec, "already mounted on %s", dir);
	else if (!set_options(spec, o, device))
		loop = loop_attach_fd(fd, spec, name);
	close(fd);
	return loop;
}

void driver_say(const char *spec)
{
	msg_warn(spec, "mounted by EROFS: data is not compared with its checksums, no epoch cache");
}
