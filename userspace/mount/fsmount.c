// SPDX-License-Identifier: GPL-2.0
/*
 * The mount.  The system calls of the new mount API are used, because they
 * return messages; where a sandbox or an old kernel lacks them, mount(2) is
 * used.
 */
#include <argz.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mount.h"
#include "msg.h"

static int sys_fsopen(const char *type)
{
	return syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static int sys_fsconfig(int fd, unsigned int cmd, const char *key, const char *value)
{
	return syscall(SYS_fsconfig, fd, cmd, key, value, 0);
}

/* Print messages of the kernel: "e text" is an error, "w" a warning, "i" information. */
static bool show_log(int fd, const char *spec)
{
	bool error = false;
	char text[1024];
	ssize_t n;

	while ((n = read(fd, text, sizeof(text) - 1)) > 0) {
		if (text[n - 1] == '\n')
			n--;
		text[n] = '\0';
		if (n > 2 && text[1] == ' ' && text[0] == 'e') {
			msg_error(spec, "%s", text + 2);
			error = true;
		} else if (n > 2 && text[1] == ' ' && text[0] == 'w') {
			msg_warn(spec, "%s", text + 2);
		}
	}
	return error;
}

static int set_option(int fd, const char *opt)
{
	const char *eq = strchr(opt, '=');
	char *key;
	int ret;

	if (!eq)
		return sys_fsconfig(fd, FSCONFIG_SET_FLAG, opt, NULL);
	key = strndup(opt, eq - opt);
	if (!key)
		return -1;
	ret = sys_fsconfig(fd, FSCONFIG_SET_STRING, key, eq + 1);
	free(key);
	return ret;
}

/*
 * Give the options of the file system, and have them take effect by @cmd.
 * Return: 0, or a negative errno after a message.
 */
static int settle(int fd, const char *name, const char *what, unsigned int cmd,
		  const struct mount_opts *o)
{
	const char *opt = NULL;
	int err = 0;

	while ((opt = argz_next(o->fs, o->fs_len, opt))) {
		if (!set_option(fd, opt))
			continue;
		err = -errno;
		show_log(fd, name);
		return msg_fail(err, name, "option %s: %s", opt, msg_why(-err));
	}
	if (sys_fsconfig(fd, cmd, NULL, NULL))
		err = -errno;
	show_log(fd, name);
	if (err)
		msg_error(name, "%s: %s", what, msg_why(-err));
	return err;
}

/* Make the superblock.  Return: 0, or a negative errno after a message. */
static int configure(int fd, const char *spec, const char *dev, const struct mount_opts *o)
{
	int err;

	if (!sys_fsconfig(fd, FSCONFIG_SET_STRING, "source", dev) &&
	    !sys_fsconfig(fd, FSCONFIG_SET_FLAG, "ro", NULL))
		return settle(fd, spec, "mount", FSCONFIG_CMD_CREATE, o);
	err = -errno;
	if (!show_log(fd, spec))
		msg_error(spec, "mount: %s", msg_why(-err));
	return err;
}

/*
 * Whether the same file system is on top of @dir already.  mount(2) refuses that, as its only
 * check that move_mount(2) does not make.
 */
static bool is_there(int mnt, const char *dir)
{
	struct statx top;
	struct stat st;

	return !fstat(mnt, &st) && !statx(AT_FDCWD, dir, 0, STATX_INO, &top) &&
	       top.stx_attributes & STATX_ATTR_MOUNT_ROOT &&
	       makedev(top.stx_dev_major, top.stx_dev_minor) == st.st_dev;
}

static int attach(int fd, const char *spec, const char *dir, const struct mount_opts *o)
{
	int mnt = syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC, o->attrs), err = 0;

	if (mnt >= 0 && is_there(mnt, dir)) {
		err = -EBUSY;
		msg_error(spec, "already mounted on %s", dir);
	} else if (mnt < 0 || syscall(SYS_move_mount, mnt, "", AT_FDCWD, dir,
			       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_SYMLINKS |
			       MOVE_MOUNT_T_AUTOMOUNTS)) {
		err = -errno;
		msg_error(dir, "mount: %s", msg_why(-err));
	}
	if (mnt >= 0)
		close(mnt);
	return err;
}

/* Flags of mount(2) for attributes of a mount. */
static unsigned long old_flags(u64 attrs)
{
	static const struct {
		u64 attr;
		unsigned long flag;
	} table[] = {
		{ MOUNT_ATTR_NOSUID, MS_NOSUID },
		{ MOUNT_ATTR_NODEV, MS_NODEV },
		{ MOUNT_ATTR_NOEXEC, MS_NOEXEC },
		{ MOUNT_ATTR_NOATIME, MS_NOATIME },
		{ MOUNT_ATTR_STRICTATIME, MS_STRICTATIME },
		{ MOUNT_ATTR_NODIRATIME, MS_NODIRATIME },
		{ MOUNT_ATTR_NOSYMFOLLOW, MS_NOSYMFOLLOW },
	};
	unsigned long flags = MS_RDONLY;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (attrs & table[i].attr)
			flags |= table[i].flag;
	return flags;
}

/* Return: 0, or a negative errno without a message. */
static int old_mount(const char *type, const char *dev, const char *dir, unsigned long flags,
		     const struct mount_opts *o)
{
	char *list = NULL;
	size_t len = 0;
	int err = 0;

	/* Without options there is no list: argz_append() would leave one that has no end. */
	if (o->fs_len && argz_append(&list, &len, o->fs, o->fs_len))
		return -ENOMEM;
	argz_stringify(list, len, ',');
	if (syscall(SYS_mount, dev, dir, type, flags, list))
		err = -errno;
	free(list);
	return err;
}

int do_mount(const char *spec, const char *dev, const char *dir, const struct mount_opts *o)
{
	const char *type = o->driver == DRIVER_MODULE ? "dsfs" : "erofs";
	int fd = sys_fsopen(type), err;

	nodes_spread();
	if (fd < 0 && errno == ENODEV)
		return msg_fail(-ENODEV, spec,
				"mount: the kernel does not know %s: is the module there? Without it: driver=erofs, or dsfs-fuse(8)",
				type);
	if (fd < 0) {	/* refused, or an old kernel */
		err = old_mount(type, dev, dir, old_flags(o->attrs), o);
		if (err == -EBUSY)
			msg_error(spec, "already mounted on %s, or in use", dir);
		else if (err)
			msg_error(spec, "mount: %s", msg_why(-err));
		return err;
	}
	err = configure(fd, spec, dev, o);
	if (!err)
		err = attach(fd, spec, dir, o);
	close(fd);
	return err;
}

/* Remount again as far as it is refused, by the calls that return messages. */
static bool tell_refusal(const char *dir, const struct mount_opts *o)
{
	int fd = syscall(SYS_fspick, AT_FDCWD, dir, FSPICK_CLOEXEC), err;

	if (fd < 0)
		return false;
	err = settle(fd, dir, "remount", FSCONFIG_CMD_RECONFIGURE, o);
	close(fd);
	return err;
}

int do_remount(const char *dir, const struct mount_opts *o)
{
	int err = old_mount("dsfs", "none", dir, old_flags(o->attrs) | MS_REMOUNT, o);

	/* EPERM and EBUSY are of the VFS, which has no messages, and are not about options */
	if (err && (err == -EPERM || err == -EBUSY || !tell_refusal(dir, o)))
		msg_error(dir, "remount: %s", msg_why(-err));
	return err;
}
