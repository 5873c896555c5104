// SPDX-License-Identifier: GPL-2.0
/* Every call that would change something says EROFS. */
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <linux/fs.h>

#include "attrs.h"

T_CASE(changes, "changes give EROFS")
T_CASE(opens, "opens for writing give EROFS")
T_CASE(exists, "what exists gives EEXIST")
T_CASE(allowed, "what is no change is allowed")

#define FILE_NAME	"root-file"
#define DIR_NAME	"zz-empty-dir"

#define refused(c, call)	t_fails(c, EROFS, "/", call)

/* Some calls need no writable descriptor, only one that is open. */
static void check_descriptor(int root)
{
	int fd = openat(root, FILE_NAME, O_RDONLY | O_CLOEXEC);
	int flags = FS_IMMUTABLE_FL;
	struct fsxattr fsx = { };

	if (fd < 0)
		t_die("/" FILE_NAME, "open");
	refused(&changes, fchmod(fd, 0600));
	refused(&changes, fchown(fd, 1, 1));
	refused(&changes, futimens(fd, NULL));
	refused(&changes, fsetxattr(fd, "user.new", "x", 1, 0));
	refused(&changes, fremovexattr(fd, "security.new"));
	refused(&changes, linkat(fd, "", root, "new", AT_EMPTY_PATH));
	refused(&changes, ioctl(fd, FS_IOC_SETFLAGS, &flags));
	refused(&changes, ioctl(fd, FS_IOC_FSSETXATTR, &fsx));
	refused(&changes, fchmod(root, 0700));
	close(fd);
}

static void check_changes(int root)
{
	static const struct timespec now[2] = { };
	char proc[64];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d/" FILE_NAME, root);
	refused(&changes, unlinkat(root, FILE_NAME, 0));
	refused(&changes, unlinkat(root, DIR_NAME, AT_REMOVEDIR));
	refused(&changes, mkdirat(root, "new", 0755));
	refused(&changes, mknodat(root, "new", S_IFREG | 0644, 0));
	refused(&changes, mknodat(root, "new", S_IFCHR | 0644, makedev(1, 3)));
	refused(&changes, symlinkat("x", root, "new"));
	refused(&changes, linkat(root, FILE_NAME, root, "new", 0));
	refused(&changes, renameat(root, FILE_NAME, root, "new"));
	refused(&changes, syscall(SYS_renameat2, root, FILE_NAME, root, DIR_NAME, 2));
	refused(&changes, fchmodat(root, FILE_NAME, 0600, 0));
	refused(&changes, fchownat(root, FILE_NAME, 1, 1, AT_SYMLINK_NOFOLLOW));
	refused(&changes, utimensat(root, FILE_NAME, now, 0));
	refused(&changes, utimensat(root, "types/symlink-1", now, AT_SYMLINK_NOFOLLOW));
	refused(&changes, truncate(proc, 0));
	refused(&changes, setxattr(proc, "user.new", "x", 1, 0));
	refused(&changes, removexattr(proc, "user.new"));
	refused(&changes, faccessat(root, FILE_NAME, W_OK, 0));
}

static void check_opens(int root)
{
	refused(&opens, openat(root, FILE_NAME, O_WRONLY));
	refused(&opens, openat(root, FILE_NAME, O_RDWR));
	refused(&opens, openat(root, FILE_NAME, O_RDONLY | O_TRUNC));
	refused(&opens, openat(root, FILE_NAME, O_WRONLY | O_APPEND | O_DIRECT));
	refused(&opens, openat(root, "new", O_WRONLY | O_CREAT, 0644));
	refused(&opens, openat(root, "new", O_RDONLY | O_CREAT, 0644));
	refused(&opens, openat(root, ".", O_RDWR | O_TMPFILE, 0600));
}

/* That it exists is more to the point than that nothing can be made. */
static void check_exists(int root)
{
	static const char * const names[] = { FILE_NAME, DIR_NAME, "types" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		t_fails(&exists, EEXIST, names[i], mkdirat(root, names[i], 0755));
		t_fails(&exists, EEXIST, names[i], mknodat(root, names[i], S_IFREG | 0644, 0));
		t_fails(&exists, EEXIST, names[i], symlinkat("x", root, names[i]));
		t_fails(&exists, EEXIST, names[i], linkat(root, FILE_NAME, root, names[i], 0));
	}
}

static void check_allowed(int root)
{
	int fd = openat(root, FILE_NAME, O_RDONLY | O_CREAT);

	t_check(&allowed, fd >= 0, "/" FILE_NAME, "O_CREAT of what exists: %s", strerror(errno));
	t_fails(&allowed, EBADF, "/" FILE_NAME, write(fd, "x", 1));
	t_check(&allowed, ftruncate(fd, 0) < 0 && (errno == EINVAL || errno == EBADF),
		"/" FILE_NAME, "ftruncate: %s", strerror(errno));
	/* File systems that are always read-only do not bother to know it. */
	t_check(&allowed, (!fsync(fd) && !fdatasync(fd)) || errno == EINVAL, "/" FILE_NAME,
		"fsync: %s", strerror(errno));
	t_works(&allowed, "/", syncfs(root));
	t_works(&allowed, "/" FILE_NAME, faccessat(root, FILE_NAME, R_OK, 0));
	t_fails(&allowed, EEXIST, "/" FILE_NAME,
		openat(root, FILE_NAME, O_RDONLY | O_CREAT | O_EXCL));
	close(fd);
	/* A device is no part of the file system it lies in. */
	fd = openat(root, "types/char-1-3", O_WRONLY);
	if (fd >= 0 || errno != ENOENT)
		t_check(&allowed, fd >= 0 && write(fd, "x", 1) == 1, "/types/char-1-3",
			"write to a device: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

void attrs_readonly(int root, bool dsfs)
{
	struct statvfs fs;

	if (fstatvfs(root, &fs))
		t_die("/", "statvfs");
	if (!(fs.f_flag & ST_RDONLY) && !dsfs) {
		changes.skip = "mounted for writing";
		opens.skip = changes.skip;
		exists.skip = changes.skip;
		allowed.skip = changes.skip;
		return;
	}
	t_check(&changes, fs.f_flag & ST_RDONLY, "/", "the mount is not read-only");
	check_changes(root);
	check_descriptor(root);
	check_opens(root);
	check_exists(root);
	check_allowed(root);
}
