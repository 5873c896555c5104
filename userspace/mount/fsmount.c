// SPDX-License-Identifier: GPL-2.0
/*
 * The mount.  The system calls of the new mount API are used, because they
 * return messages; where a sandbox or an old kernel lacks them, mount(2) is
 * used.
 */
#include <argz.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

/* Make the superblock.  Return: 0, or a negative errno after a message. */
static int configure(int fd, const char *spec, const char *dev, const struct mount_opts *o)
{
	const char *opt = NULL;
	int err = 0;

	if (sys_fsconfig(fd, FSCONFIG_SET_STRING, "source", dev) ||
	    sys_fsconfig(fd, FSCONFIG_SET_FLAG, "ro", NULL)) {
		err = -errno;
		if (!show_log(fd, spec))
			msg_error(spec, "mount: %s", msg_why(-err));
		return err;
	}
	while ((opt = argz_next(o->fs, o->fs_len, opt))) {
		if (!set_option(fd, opt))
			continue;
		err = -errno;
		show_log(fd, spec);
		msg_error(spec, "option %s: %s", opt, msg_why(-err));
		return err;
	}
	if (sys_fsconfig(fd, FSCONFIG_CMD_CREATE, NULL, NULL))
		err = -errno;
	show_log(fd, spec);
	if (err)
		msg_error(spec, "mount: %s", msg_why(-err));
	return err;
}

static int attach(int fd, const char *dir, const struct mount_opts *o)
{
	int mnt = syscall(SYS_fsmount, fd, FSMOUNT_CLOEXEC, o->attrs), err = 0;

	if (mnt < 0 || syscall(SYS_move_mount, mnt, "", AT_FDCWD, dir,
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
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (attrs & table[i].attr)
			flags |= table[i].flag;
	return flags;
}

static int old_mount(const char *name, const char *dev, const char *dir,
		     unsigned long flags, struct mount_opts *o)
{
	int err = 0;

	argz_stringify(o->fs, o->fs_len, ',');
	if (syscall(SYS_mount, dev, dir, "dsfs", flags, o->fs)) {
		err = -errno;
		msg_error(name, "mount: %s", msg_why(-err));
	}
	return err;
}

int do_mount(const char *spec, const char *dev, const char *dir, struct mount_opts *o)
{
	int fd = sys_fsopen("dsfs"), err;

	nodes_spread();
	if (fd < 0 && errno == ENODEV) {
		msg_error(spec, "mount: the kernel does not know dsfs: is the module there?");
		return -ENODEV;
	}
	if (fd < 0)	/* refused, or an old kernel */
		return old_mount(spec, dev, dir, old_flags(o->attrs), o);
	err = configure(fd, spec, dev, o);
	if (!err)
		err = attach(fd, dir, o);
	close(fd);
	return err;
}

int do_remount(const char *dir, struct mount_opts *o)
{
	return old_mount(dir, "none", dir, old_flags(o->attrs) | MS_REMOUNT, o);
}
