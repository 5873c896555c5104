// SPDX-License-Identifier: GPL-2.0
/*
 * The operations that failnth tries: each way into the file system once, over
 * what tests/tools/mktree puts into an image.
 */
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/stat.h>

#include "failnth.h"

#define PAGE	4096

/* Touched before the first fault, so that none is spent on them. */
static unsigned char *buf;
static char path[4096];
static const struct fail_op *op;	/* that is tried */
static int mount_fd = -1;
static struct {
	struct file_handle h;
	unsigned char bytes[MAX_HANDLE_SZ];
} handle;

void fail_ops_init(void)
{
	if (buf)
		return;
	if (posix_memalign((void **)&buf, PAGE, ROOM))
		t_die("memory", "set-up");
	memset(buf, 1, ROOM);
	memset(path, 1, sizeof(path));
}

int fail_before(const struct fail_op *now)
{
	op = now;
	snprintf(path, sizeof(path), "%s/%s", fail_dir, op->arg);
	return op->before ? op->before() : 0;
}

/* An open file, 0, or an errno: zero is never a file's number here. */
static int opened(int flags, int *fd)
{
	*fd = open(path, flags | O_CLOEXEC);
	return *fd < 0 ? errno : 0;
}

static int closed(int fd, int err)
{
	close(fd);
	return err;
}

/* What a call gave, of which so many bytes are in buf */
static int summed(ssize_t n)
{
	if (n < 0)
		return errno;
	fail_sum(buf, n);
	return 0;
}

/* --- names and attributes ----------------------------------------------------- */

static int run_stat(void)
{
	struct stat st;

	if (lstat(path, &st))
		return errno;
	fail_sum(&st.st_ino, sizeof(st.st_ino));
	fail_sum(&st.st_size, sizeof(st.st_size));
	fail_sum(&st.st_mtim, sizeof(st.st_mtim));
	return 0;
}

static int run_missing(void)
{
	int err = run_stat();

	return err == ENOENT ? 0 : err ? err : EEXIST;
}

static int run_statx(void)
{
	struct statx stx;

	if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_DIOALIGN, &stx))
		return errno;
	fail_sum(&stx.stx_dio_mem_align, sizeof(stx.stx_dio_mem_align));
	return 0;
}

static int run_readdir(void)
{
	int fd, err = opened(O_RDONLY | O_DIRECTORY, &fd);
	const struct dirent64 *d;
	long n, at;

	if (err)
		return err;
	/* What lies between a name's end and the next entry is nobody's. */
	while ((n = syscall(SYS_getdents64, fd, buf, 32768)) > 0) {
		for (at = 0; at < n; at += d->d_reclen) {
			d = (const struct dirent64 *)(buf + at);
			fail_sum(&d->d_ino, sizeof(d->d_ino));
			fail_sum(d->d_name, strlen(d->d_name));
		}
	}
	return closed(fd, n < 0 ? errno : 0);
}

static int run_readlink(void)
{
	return summed(readlink(path, (char *)buf, ROOM));
}

static int run_statfs(void)
{
	struct statfs st;

	if (statfs(path, &st))
		return errno;
	fail_sum(&st.f_files, sizeof(st.f_files));
	return 0;
}

/* arg is PATH:ATTRIBUTE */
static int before_getxattr(void)
{
	*strchr(path, ':') = 0;
	return 0;
}

static int run_getxattr(void)
{
	return summed(lgetxattr(path, strchr(op->arg, ':') + 1, buf, ROOM));
}

static int run_listxattr(void)
{
	return summed(llistxattr(path, (char *)buf, ROOM));
}

static int run_label(void)
{
	int fd, err = opened(O_RDONLY, &fd);

	if (err)
		return err;
	if (ioctl(fd, FS_IOC_GETFSLABEL, buf))
		return closed(fd, errno);
	fail_sum(buf, 16);
	return closed(fd, 0);
}

static int before_sysfs(void)
{
	snprintf(path, sizeof(path), "/sys/fs/dsfs/%s/%s", strrchr(fail_dev, '/') + 1, op->arg);
	return 0;
}

/* --- handles ------------------------------------------------------------------- */

static int before_handle(void)
{
	int id;

	mount_fd = open(fail_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (mount_fd < 0)
		return errno;
	handle.h.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &id, 0))
		return errno;
	/* Nobody knows the way there any more. */
	sync();
	return 0;
}

static int run_handle(void)
{
	struct stat st;
	int fd = open_by_handle_at(mount_fd, &handle.h, O_RDONLY);

	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		return closed(fd, errno);
	fail_sum(&st.st_ino, sizeof(st.st_ino));
	return closed(fd, 0);
}

static int after_handle(int err)
{
	(void)err;
	close(mount_fd);
	return 0;
}

/* --- data ----------------------------------------------------------------------- */

int fail_read(void)
{
	int fd, err = opened(O_RDONLY | op->flags, &fd);
	size_t len = op->first ? op->first : ROOM;
	uint64_t pos = 0;
	ssize_t n;

	if (err)
		return err;
	while ((n = op->way(fd, buf, len, pos)) > 0) {
		fail_sum(buf, n);
		pos += n;
		len = op->first ? 65536 : ROOM;
	}
	return closed(fd, n < 0 ? errno : 0);
}

static int run_fiemap(void)
{
	struct fiemap *map = (struct fiemap *)buf;
	int fd, err = opened(O_RDONLY, &fd);

	if (err)
		return err;
	memset(map, 0, sizeof(*map));
	map->fm_length = ~0ULL;
	map->fm_extent_count = 200;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		return closed(fd, errno);
	fail_sum(map->fm_extents, map->fm_mapped_extents * sizeof(struct fiemap_extent));
	return closed(fd, 0);
}

static int run_seek(void)
{
	int fd, err = opened(O_RDONLY, &fd);
	off_t at = 0;

	if (err)
		return err;
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0) {
		fail_sum(&at, sizeof(at));
		at = lseek(fd, at, SEEK_HOLE);
		if (at < 0)
			break;
		fail_sum(&at, sizeof(at));
	}
	return closed(fd, errno == ENXIO ? 0 : errno);
}

/* --- mounts ---------------------------------------------------------------------- */

static int run_mount(void)
{
	return fail_mount(fail_options);
}

/* A mount that came about is one that can be read. */
static int after_mount(int err)
{
	struct stat st;

	if (err)
		return 0;
	if (stat(path, &st))
		return errno;
	return umount(fail_dir) ? errno : 0;
}

static int before_umount(void)
{
	return fail_mount(fail_options);
}

static int run_umount(void)
{
	return umount(fail_dir) ? errno : 0;
}

static int after_umount(int err)
{
	return err ? run_umount() : 0;
}

static int run_remount(void)
{
	return mount("none", fail_dir, NULL, MS_REMOUNT | MS_RDONLY, op->arg) ? errno : 0;
}

#define MOUNT(path)	\
	{ .name = "mount", .arg = path, .run = run_mount, .after = after_mount, \
	  .unmounted = true }
#define UMOUNT		\
	{ .name = "umount", .arg = "", .run = run_umount, .before = before_umount, \
	  .after = after_umount, .unmounted = true }
#define XATTR(what, at)	\
	{ .name = what, .arg = at, .run = run_getxattr, .before = before_getxattr }
#define HANDLE(what, path)	\
	{ .name = what, .arg = path, .run = run_handle, .before = before_handle, \
	  .after = after_handle }
#define READ(what, path, by, ...)	\
	{ .name = what, .arg = path, .way = by, __VA_ARGS__ }

const struct fail_op fail_ops[] = {
	MOUNT("sizes/100000"),
	UMOUNT,
	{ .name = "remount", .arg = "wholefile=1M", .run = run_remount },
	{ .name = "stat", .arg = "dirs/5000/entry-004321", .run = run_stat },
	{ .name = "stat of a hard-link entry", .arg = "links/sub/fourth", .run = run_stat },
	{ .name = "stat of an extra record", .arg = "many-links/0", .run = run_stat },
	{ .name = "stat of no name", .arg = "dirs/300/not-there", .run = run_missing },
	{ .name = "statx", .arg = "sizes/65536", .run = run_statx },
	{ .name = "statfs", .arg = "", .run = run_statfs },
	{ .name = "readdir", .arg = "dirs/300", .run = run_readdir },
	{ .name = "readdir of names in blocks", .arg = "dirs/5000", .run = run_readdir },
	{ .name = "readlink", .arg = "types/symlink-4094", .run = run_readlink },
	XATTR("getxattr", "xattrs/one:user.comment"),
	XATTR("getxattr of a long set", "xattrs/several-large:user.b"),
	{ .name = "listxattr", .arg = "xattrs/many", .run = run_listxattr },
	{ .name = "listxattr of a long set", .arg = "xattrs/several-large", .run = run_listxattr },
	XATTR("ACL", "acls/user-1001:system.posix_acl_access"),
	XATTR("default ACL", "acls/dir-default:system.posix_acl_default"),
	{ .name = "label", .arg = "", .run = run_label },
	READ("sysfs", "uuid", way_pread, .before = before_sysfs),
	HANDLE("handle of a file", "sizes/4096"),
	HANDLE("handle of a directory", "dirs/300"),
	{ .name = "FIEMAP", .arg = "sparse/many", .run = run_fiemap },
	{ .name = "SEEK_DATA and SEEK_HOLE", .arg = "sparse/holes-between", .run = run_seek },
	READ("read of a whole file", "sizes/262145", way_pread),
	READ("read in pieces", "sizes/262143", way_pread, .first = PAGE),
	READ("read of a large file", "sizes/1048577", way_pread),
	READ("read of a file in a shared block", "secrets/007-secret", way_pread),
	READ("read of a file with holes", "sparse/edges", way_pread),
	READ("read after WILLNEED", "sizes/100000", way_willneed),
	READ("O_DIRECT", "sizes/262144", way_pread, .flags = O_DIRECT, .first = 65536),
	READ("mmap", "sizes/131073", way_mmap),
	READ("mmap of a file with holes", "sparse/unaligned", way_mmap),
	READ("splice", "sizes/131072", way_splice),
	{ }
};

/*
 * Compressed files: of one unit, and of 8 and more, of which `mixed` stores some as they are and
 * more than the pool has a buffer for.
 */
const struct fail_op fail_packed_ops[] = {
	MOUNT("text110000"),
	UMOUNT,
	READ("read of one unit", "text110000", way_pread),
	READ("read of a unit in pieces", "text131072", way_pread, .first = PAGE),
	READ("read of units", "text1000000", way_pread),
	READ("read of more than a buffer", "mixed", way_pread),
	READ("read after WILLNEED", "mixed", way_willneed),
	READ("O_DIRECT", "text262144", way_pread, .flags = O_DIRECT, .first = 65536),
	READ("mmap", "text262145", way_mmap),
	READ("splice", "text262144", way_splice),
	{ .name = "FIEMAP", .arg = "mixed", .run = run_fiemap },
	{ }
};
