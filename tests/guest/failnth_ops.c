// SPDX-License-Identifier: GPL-2.0
/*
 * The operations that failnth tries: each way into the file system once, over
 * what tests/tools/zoo.c puts into an image.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/stat.h>

#include "failnth.h"

#define PAGE	4096

/* Touched before the first fault, so that none is spent on them. */
static unsigned char *buf;
static char path[4096];
static int pipes[2];
static int mount_fd = -1;
static sigjmp_buf back;
static struct {
	struct file_handle h;
	unsigned char bytes[MAX_HANDLE_SZ];
} handle;

static void on_sigbus(int sig)
{
	siglongjmp(back, sig);
}

void fail_ops_init(void)
{
	struct sigaction sa = { .sa_handler = on_sigbus };

	if (buf)
		return;
	if (posix_memalign((void **)&buf, PAGE, ROOM) || pipe(pipes))
		t_die("memory", "set-up");
	memset(buf, 1, ROOM);
	memset(path, 1, sizeof(path));
	sigaction(SIGBUS, &sa, NULL);
}

static int in_mount(const struct fail_op *op)
{
	snprintf(path, sizeof(path), "%s/%s", fail_dir, op->arg);
	return 0;
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

/* --- names and attributes ----------------------------------------------------- */

static int run_stat(const struct fail_op *op)
{
	struct stat st;

	(void)op;
	if (lstat(path, &st))
		return errno;
	fail_sum(&st.st_ino, sizeof(st.st_ino));
	fail_sum(&st.st_size, sizeof(st.st_size));
	fail_sum(&st.st_mtim, sizeof(st.st_mtim));
	return 0;
}

static int run_missing(const struct fail_op *op)
{
	int err = run_stat(op);

	return err == ENOENT ? 0 : err ? err : EEXIST;
}

static int run_statx(const struct fail_op *op)
{
	struct statx stx;

	(void)op;
	if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS | STATX_DIOALIGN, &stx))
		return errno;
	fail_sum(&stx.stx_dio_mem_align, sizeof(stx.stx_dio_mem_align));
	return 0;
}

static int run_readdir(const struct fail_op *op)
{
	int fd, err = opened(O_RDONLY | O_DIRECTORY, &fd);
	const struct dirent64 *d;
	long n, at;

	(void)op;
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

static int run_readlink(const struct fail_op *op)
{
	ssize_t n = readlink(path, (char *)buf, ROOM);

	(void)op;
	if (n < 0)
		return errno;
	fail_sum(buf, n);
	return 0;
}

static int run_statfs(const struct fail_op *op)
{
	struct statfs st;

	(void)op;
	if (statfs(path, &st))
		return errno;
	fail_sum(&st.f_files, sizeof(st.f_files));
	return 0;
}

/* arg is PATH:ATTRIBUTE */
static int name_attribute(const struct fail_op *op)
{
	in_mount(op);
	*strchr(path, ':') = 0;
	return 0;
}

static int run_getxattr(const struct fail_op *op)
{
	ssize_t n = lgetxattr(path, strchr(op->arg, ':') + 1, buf, ROOM);

	if (n < 0)
		return errno;
	fail_sum(buf, n);
	return 0;
}

static int run_listxattr(const struct fail_op *op)
{
	ssize_t n = llistxattr(path, (char *)buf, ROOM);

	(void)op;
	if (n < 0)
		return errno;
	fail_sum(buf, n);
	return 0;
}

static int run_label(const struct fail_op *op)
{
	int fd, err = opened(O_RDONLY, &fd);

	(void)op;
	if (err)
		return err;
	if (ioctl(fd, FS_IOC_GETFSLABEL, buf))
		return closed(fd, errno);
	fail_sum(buf, 16);
	return closed(fd, 0);
}

static int name_sysfs(const struct fail_op *op)
{
	snprintf(path, sizeof(path), "/sys/fs/dsfs/%s/%s", strrchr(fail_dev, '/') + 1, op->arg);
	return 0;
}

/* --- handles ------------------------------------------------------------------- */

static int before_handle(const struct fail_op *op)
{
	int id;

	in_mount(op);
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

static int run_handle(const struct fail_op *op)
{
	struct stat st;
	int fd = open_by_handle_at(mount_fd, &handle.h, O_RDONLY);

	(void)op;
	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		return closed(fd, errno);
	fail_sum(&st.st_ino, sizeof(st.st_ino));
	return closed(fd, 0);
}

static int after_handle(const struct fail_op *op, int err)
{
	(void)op;
	(void)err;
	close(mount_fd);
	return 0;
}

/* --- data ----------------------------------------------------------------------- */

static int read_pieces(int flags, const size_t *pieces, size_t count)
{
	int fd, err = opened(O_RDONLY | flags, &fd);
	size_t i = 0;
	ssize_t n;

	if (err)
		return err;
	while ((n = read(fd, buf, pieces[i])) > 0) {
		fail_sum(buf, n);
		i += i + 1 < count;
	}
	return closed(fd, n < 0 ? errno : 0);
}

static int run_read(const struct fail_op *op)
{
	static const size_t whole[] = { ROOM };

	(void)op;
	return read_pieces(0, whole, 1);
}

static int run_read_pieces(const struct fail_op *op)
{
	static const size_t pil[] = { 4096, 61440, 65536 };

	(void)op;
	return read_pieces(0, pil, 3);
}

static int run_direct(const struct fail_op *op)
{
	static const size_t piece[] = { 65536 };

	(void)op;
	return read_pieces(O_DIRECT, piece, 1);
}

static int run_willneed(const struct fail_op *op)
{
	int fd, err = opened(O_RDONLY, &fd);
	ssize_t n;

	(void)op;
	if (err)
		return err;
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	while ((n = read(fd, buf, ROOM)) > 0)
		fail_sum(buf, n);
	return closed(fd, n < 0 ? errno : 0);
}

/* SIGBUS is how a fault says EIO. */
static int run_mmap(const struct fail_op *op)
{
	static volatile unsigned char *p;
	static volatile int err;
	static struct stat st;
	static off_t at;
	int fd;

	(void)op;
	err = opened(O_RDONLY, &fd);
	if (err)
		return err;
	if (fstat(fd, &st))
		return closed(fd, errno);
	p = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	err = p == MAP_FAILED ? errno : 0;
	close(fd);
	if (err)
		return err;
	if (sigsetjmp(back, 1))
		err = EIO;
	else
		for (at = 0; at < st.st_size; at += PAGE)
			fail_sum((const void *)(p + at), st.st_size - at < PAGE ? 1 : PAGE);
	munmap((void *)p, st.st_size);
	return err;
}

static int run_splice(const struct fail_op *op)
{
	int fd, err = opened(O_RDONLY, &fd);
	ssize_t n, m;

	(void)op;
	if (err)
		return err;
	while ((n = splice(fd, NULL, pipes[1], NULL, 65536, 0)) > 0) {
		/* An error comes when the pipe is read, if the page was not ready. */
		for (; n; n -= m) {
			m = read(pipes[0], buf, n);
			if (m <= 0) {
				err = m ? errno : EPROTO;
				break;
			}
			fail_sum(buf, m);
		}
		if (err)
			return closed(fd, err);
	}
	return closed(fd, n < 0 ? errno : 0);
}

/* Pages of a read that failed are still in the pipe. */
static int after_splice(const struct fail_op *op, int err)
{
	(void)op;
	(void)err;
	close(pipes[0]);
	close(pipes[1]);
	return pipe(pipes) ? errno : 0;
}

static int run_fiemap(const struct fail_op *op)
{
	struct fiemap *map = (struct fiemap *)buf;
	int fd, err = opened(O_RDONLY, &fd);

	(void)op;
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

static int run_seek(const struct fail_op *op)
{
	int fd, err = opened(O_RDONLY, &fd);
	off_t at = 0;

	(void)op;
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

static int run_mount(const struct fail_op *op)
{
	(void)op;
	return fail_mount(fail_options);
}

/* A mount that came about is one that can be read. */
static int after_mount(const struct fail_op *op, int err)
{
	struct stat st;

	if (err)
		return 0;
	in_mount(op);
	if (stat(path, &st))
		return errno;
	return umount(fail_dir) ? errno : 0;
}

static int before_umount(const struct fail_op *op)
{
	(void)op;
	return fail_mount(fail_options);
}

static int run_umount(const struct fail_op *op)
{
	(void)op;
	return umount(fail_dir) ? errno : 0;
}

static int after_umount(const struct fail_op *op, int err)
{
	return err ? run_umount(op) : 0;
}

static int run_remount(const struct fail_op *op)
{
	return mount("none", fail_dir, NULL, MS_REMOUNT | MS_RDONLY, op->arg) ? errno : 0;
}

const struct fail_op fail_ops[] = {
	{ .name = "mount", .arg = "sizes/100000",
	  .run = run_mount, .after = after_mount, .unmounted = true },
	{ .name = "umount", .arg = "",
	  .before = before_umount, .run = run_umount, .after = after_umount, .unmounted = true },
	{ .name = "remount", .arg = "wholefile=1M", .run = run_remount },
	{ .name = "stat", .arg = "dirs/5000/entry-004321",
	  .before = in_mount, .run = run_stat },
	{ .name = "stat of a hard-link entry", .arg = "links/sub/fourth",
	  .before = in_mount, .run = run_stat },
	{ .name = "stat of an extra record", .arg = "many-links/0",
	  .before = in_mount, .run = run_stat },
	{ .name = "stat of no name", .arg = "dirs/300/not-there",
	  .before = in_mount, .run = run_missing },
	{ .name = "statx", .arg = "sizes/65536", .before = in_mount, .run = run_statx },
	{ .name = "statfs", .arg = "", .before = in_mount, .run = run_statfs },
	{ .name = "readdir", .arg = "dirs/300", .before = in_mount, .run = run_readdir },
	{ .name = "readdir of names in blocks", .arg = "dirs/5000",
	  .before = in_mount, .run = run_readdir },
	{ .name = "readlink", .arg = "types/symlink-4094",
	  .before = in_mount, .run = run_readlink },
	{ .name = "getxattr", .arg = "xattrs/one:user.comment",
	  .before = name_attribute, .run = run_getxattr },
	{ .name = "getxattr of a long set", .arg = "xattrs/several-large:user.b",
	  .before = name_attribute, .run = run_getxattr },
	{ .name = "listxattr", .arg = "xattrs/many", .before = in_mount, .run = run_listxattr },
	{ .name = "listxattr of a long set", .arg = "xattrs/several-large",
	  .before = in_mount, .run = run_listxattr },
	{ .name = "ACL", .arg = "acls/user-1001:system.posix_acl_access",
	  .before = name_attribute, .run = run_getxattr },
	{ .name = "default ACL", .arg = "acls/dir-default:system.posix_acl_default",
	  .before = name_attribute, .run = run_getxattr },
	{ .name = "label", .arg = "", .before = in_mount, .run = run_label },
	{ .name = "sysfs", .arg = "uuid", .before = name_sysfs, .run = run_read },
	{ .name = "handle of a file", .arg = "sizes/4096",
	  .before = before_handle, .run = run_handle, .after = after_handle },
	{ .name = "handle of a directory", .arg = "dirs/300",
	  .before = before_handle, .run = run_handle, .after = after_handle },
	{ .name = "FIEMAP", .arg = "sparse/many", .before = in_mount, .run = run_fiemap },
	{ .name = "SEEK_DATA and SEEK_HOLE", .arg = "sparse/holes-between",
	  .before = in_mount, .run = run_seek },
	{ .name = "read of a whole file", .arg = "sizes/262145",
	  .before = in_mount, .run = run_read },
	{ .name = "read in pieces", .arg = "sizes/262143",
	  .before = in_mount, .run = run_read_pieces },
	{ .name = "read of a large file", .arg = "sizes/1048577",
	  .before = in_mount, .run = run_read },
	{ .name = "read of a file in a shared block", .arg = "secrets/007-secret",
	  .before = in_mount, .run = run_read },
	{ .name = "read of a file with holes", .arg = "sparse/edges",
	  .before = in_mount, .run = run_read },
	{ .name = "read after WILLNEED", .arg = "sizes/100000",
	  .before = in_mount, .run = run_willneed },
	{ .name = "O_DIRECT", .arg = "sizes/262144", .before = in_mount, .run = run_direct },
	{ .name = "mmap", .arg = "sizes/131073", .before = in_mount, .run = run_mmap },
	{ .name = "mmap of a file with holes", .arg = "sparse/unaligned",
	  .before = in_mount, .run = run_mmap },
	{ .name = "splice", .arg = "sizes/131072",
	  .before = in_mount, .run = run_splice, .after = after_splice },
	{ }
};

/*
 * Compressed files: of one unit, and of 8 and more, of which `mixed` stores some as they are and
 * more than the pool has a buffer for.
 */
const struct fail_op fail_packed_ops[] = {
	{ .name = "mount", .arg = "text110000",
	  .run = run_mount, .after = after_mount, .unmounted = true },
	{ .name = "umount", .arg = "",
	  .before = before_umount, .run = run_umount, .after = after_umount, .unmounted = true },
	{ .name = "read of one unit", .arg = "text110000", .before = in_mount, .run = run_read },
	{ .name = "read of a unit in pieces", .arg = "text131072",
	  .before = in_mount, .run = run_read_pieces },
	{ .name = "read of units", .arg = "text1000000", .before = in_mount, .run = run_read },
	{ .name = "read of more than a buffer", .arg = "mixed",
	  .before = in_mount, .run = run_read },
	{ .name = "read after WILLNEED", .arg = "mixed", .before = in_mount, .run = run_willneed },
	{ .name = "O_DIRECT", .arg = "text262144", .before = in_mount, .run = run_direct },
	{ .name = "mmap", .arg = "text262145", .before = in_mount, .run = run_mmap },
	{ .name = "splice", .arg = "text262144",
	  .before = in_mount, .run = run_splice, .after = after_splice },
	{ .name = "FIEMAP", .arg = "mixed", .before = in_mount, .run = run_fiemap },
	{ }
};
