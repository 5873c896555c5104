// SPDX-License-Identifier: GPL-2.0
/* What the file system says of itself: statfs, label, UUID. */
#include <sys/statfs.h>
#include <linux/fs.h>

#include "attrs.h"

#ifndef FS_IOC_GETFSUUID	/* since 6.9 */
struct fsuuid2 {
	__u8 len;
	__u8 uuid[16];
};

#define FS_IOC_GETFSUUID	_IOR(0x15, 0, struct fsuuid2)
#endif

T_CASE(stat_fs, "statfs")
T_CASE(get_label, "FS_IOC_GETFSLABEL")
T_CASE(uuid, "FS_IOC_GETFSUUID")
T_CASE(flags, "FS_IOC_GETFLAGS")
T_CASE(unknown, "unknown ioctls")

static void check_statfs(int root)
{
	struct statfs a, b;

	if (!t_check(&stat_fs, !fstatfs(root, &a) && !fstatfs(root, &b), "/", "%s",
		     strerror(errno)))
		return;
	t_check(&stat_fs, a.f_type == b.f_type && a.f_type, "/", "type 0x%lx", (long)a.f_type);
	t_check(&stat_fs, a.f_bsize >= 512 && !(a.f_bsize & (a.f_bsize - 1)), "/",
		"blocks of %ld bytes", (long)a.f_bsize);
	t_check(&stat_fs, a.f_blocks && a.f_bfree <= a.f_blocks && a.f_bavail <= a.f_bfree, "/",
		"%lu blocks, %lu free, %lu available", (unsigned long)a.f_blocks,
		(unsigned long)a.f_bfree, (unsigned long)a.f_bavail);
	t_check(&stat_fs, a.f_files > 1000 && a.f_ffree <= a.f_files, "/", "%lu files, %lu free",
		(unsigned long)a.f_files, (unsigned long)a.f_ffree);
	t_check(&stat_fs, a.f_namelen == 255, "/", "names of %ld bytes", (long)a.f_namelen);
	t_check(&stat_fs, a.f_fsid.__val[0] || a.f_fsid.__val[1], "/", "no fsid");
}

static void check_ids(int root, const char *label)
{
	char have[FSLABEL_MAX + 1] = "";
	static const struct fsuuid2 zero;
	struct fsuuid2 u = { };

	if (!label)
		get_label.skip = "no --label";
	else if (t_check(&get_label, !ioctl(root, FS_IOC_GETFSLABEL, have), "/", "%s",
			 strerror(errno)))
		t_check(&get_label, !strcmp(have, label) &&
			ioctl(root, FS_IOC_GETFSLABEL, NULL) && errno == EFAULT, "/",
			"%s instead of %s, or no EFAULT", have, label);
	if (t_kernel_before(6, 9))
		uuid.skip = "the kernel does not know it";
	else if (t_check(&uuid, !ioctl(root, FS_IOC_GETFSUUID, &u), "/", "%s", strerror(errno)))
		t_check(&uuid, u.len == 16 && memcmp(u.uuid, zero.uuid, 16), "/",
			"%u bytes, or zero", u.len);
}

/* None: a copy that takes flags along must not become immutable. */
static void check_flags(int root)
{
	int have = -1;

	if (t_check(&flags, !ioctl(root, FS_IOC_GETFLAGS, &have), "/", "%s", strerror(errno)))
		t_check(&flags, !have, "/", "flags 0x%x", have);
	have = 0;
	t_fails(&flags, EROFS, "/", ioctl(root, FS_IOC_SETFLAGS, &have));
}

void attrs_super(int root, const char *label)
{
	check_statfs(root);
	check_ids(root, label);
	check_flags(root);
	t_fails(&unknown, ENOTTY, "/", ioctl(root, _IO('Z', 99)));
}
