// SPDX-License-Identifier: GPL-2.0
/*
 * stacks - a mounted zoo under other layers of the VFS: through an idmapped
 * mount, and as the lower layer of an overlay.
 *
 *   stacks DIR SCRATCH	DIR: the mounted zoo; SCRATCH: a directory on a tmpfs
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/mount.h>
#include <unistd.h>

#include "lib.h"

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE	1
#endif

#define SHIFT	100000
#define RANGE	65536

static struct t_case idmap = { .name = "idmapped mount shifts owners" };
static struct t_case idmap_acl = { .name = "idmapped mount shifts ACLs" };
static struct t_case overlay = { .name = "overlay shows the lower layer" };
static struct t_case copy_up = { .name = "overlay copies up" };
static struct t_case whiteout = { .name = "overlay removes and renames" };
static struct t_case untouched = { .name = "the lower layer stays as it is" };
static struct t_case nfs = { .name = "overlay takes handles of the lower layer" };

static struct t_case *cases[] = { &idmap, &idmap_acl, &overlay, &copy_up, &whiteout,
				  &untouched, &nfs };

static char lower[2048], scratch[2048];

static const char *at(const char *dir, const char *name)
{
	static char buf[4][4096];
	static int which;
	char *p = buf[which++ & 3];

	snprintf(p, sizeof(buf[0]), "%s/%s", dir, name);
	return p;
}

/* A user namespace that maps 0.. to SHIFT.., held by a child while it is opened. */
static int make_userns(void)
{
	char path[64], map[64];
	int up[2], down[2], fd;
	char byte;
	pid_t pid;

	if (pipe(up) || pipe(down))
		t_die("pipe", "pipe");
	pid = fork();
	if (!pid) {
		close(down[1]);
		if (unshare(CLONE_NEWUSER) || write(up[1], "x", 1) != 1)
			_exit(1);
		_exit(read(down[0], &byte, 1) < 0);
	}
	if (pid < 0 || read(up[0], &byte, 1) != 1)
		t_die("userns", "unshare");
	snprintf(map, sizeof(map), "0 %d %d\n", SHIFT, RANGE);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
	t_write(path, map);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", pid);
	t_write(path, map);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		t_die(path, "open");
	close(down[1]);
	waitpid(pid, NULL, 0);
	return fd;
}

static bool mount_idmapped(const char *dir)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP, .userns_fd = make_userns() };
	int tree = syscall(SYS_open_tree, AT_FDCWD, lower, OPEN_TREE_CLONE);
	bool ok;

	if (tree < 0)
		t_die(lower, "open_tree");
	ok = t_check(&idmap, !syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr,
				      sizeof(attr)), "/", "mount_setattr: %s", strerror(errno));
	ok = ok && t_check(&idmap, !syscall(SYS_move_mount, tree, "", AT_FDCWD, dir, 4), "/",
			   "move_mount: %s", strerror(errno));
	close(tree);
	close(attr.userns_fd);
	return ok;
}

static void check_owner(const char *dir, const char *name)
{
	struct stat a, b;
	uid_t uid;
	gid_t gid;

	if (lstat(at(lower, name), &a)) {
		t_check(&idmap, false, name, "%s", strerror(errno));
		return;
	}
	uid = a.st_uid < RANGE ? a.st_uid + SHIFT : 65534;
	gid = a.st_gid < RANGE ? a.st_gid + SHIFT : 65534;
	t_check(&idmap, !lstat(at(dir, name), &b) && b.st_uid == uid && b.st_gid == gid, name,
		"%u:%u is shown as %u:%u", a.st_uid, a.st_gid, b.st_uid, b.st_gid);
}

static int open_as(const char *path, uid_t uid)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(0, NULL) || setgid(500) || setuid(uid))
			_exit(255);
		_exit(open(path, O_RDONLY) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void check_idmapped(void)
{
	const char *dir = strdup(at(scratch, "idmapped"));

	if (mkdir(dir, 0755))
		t_die(dir, "mkdir");
	if (!mount_idmapped(dir))
		return;
	check_owner(dir, ".");
	check_owner(dir, "root-file");
	check_owner(dir, "owners/1000-1");
	check_owner(dir, "owners/65535-65536");
	check_owner(dir, "owners/65536-1");
	check_owner(dir, "owners/4294967294-1");
	check_owner(dir, "owners/symlink");
	t_check(&idmap_acl, !open_as(at(dir, "acls/user-1001"), SHIFT + 1001), "acls/user-1001",
		"the shifted user may not read");
	t_check(&idmap_acl, open_as(at(dir, "acls/user-1001"), 1001) == EACCES, "acls/user-1001",
		"the user's own id may still read");
	t_check(&idmap_acl, open_as(at(dir, "acls/user-1001"), SHIFT + 1002) == EACCES,
		"acls/user-1001", "a shifted user may read that may not");
	if (umount(dir))
		t_die(dir, "umount");
}

static char *slurp(const char *path, size_t *len)
{
	struct stat st;
	char *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	*len = st.st_size;
	p = t_alloc(*len + 1);
	if (read(fd, p, *len) != (ssize_t)*len)
		t_die(path, "read");
	close(fd);
	return p;
}

/* The same contents, and in @dir @more behind them. */
static void compare_files(struct t_case *c, const char *dir, const char *name, const char *more)
{
	size_t a_len = 0, b_len = 0, add = strlen(more);
	char *a = slurp(at(lower, name), &a_len), *b = slurp(at(dir, name), &b_len);

	t_check(c, a && b && b_len == a_len + add && !memcmp(a, b, a_len) &&
		!memcmp(b + a_len, more, add), name, "differs: %zu bytes below, %zu above", a_len,
		b_len);
	free(a);
	free(b);
}

static void check_copy_up(const char *dir, const char *name)
{
	struct stat a, b;
	int fd;

	if (lstat(at(lower, name), &a))
		t_die(name, "stat");
	fd = open(at(dir, name), O_WRONLY | O_APPEND);
	if (!t_check(&copy_up, fd >= 0 && write(fd, "more", 4) == 4, name, "append: %s",
		     strerror(errno)))
		return;
	close(fd);
	compare_files(&copy_up, dir, name, "more");
	t_check(&copy_up, !lstat(at(dir, name), &b) && a.st_mode == b.st_mode &&
		a.st_uid == b.st_uid && a.st_gid == b.st_gid, name, "mode or owner changed");
	t_check(&untouched, !lstat(at(lower, name), &b) && a.st_size == b.st_size, name,
		"the lower file changed");
}

static void check_changes(const char *dir)
{
	struct stat a, b;

	t_check(&copy_up, !chmod(at(dir, "sizes/4097"), 0600) &&
		!lstat(at(dir, "sizes/4097"), &b) && (b.st_mode & 07777) == 0600, "sizes/4097",
		"chmod: %s", strerror(errno));
	compare_files(&copy_up, dir, "sizes/4097", "");
	t_check(&whiteout, !unlink(at(dir, "sizes/511")) && lstat(at(dir, "sizes/511"), &b) &&
		errno == ENOENT, "sizes/511", "unlink: %s", strerror(errno));
	t_check(&whiteout, !rename(at(dir, "sizes/512"), at(dir, "renamed")) &&
		!lstat(at(dir, "renamed"), &b) && !lstat(at(lower, "sizes/512"), &a) &&
		a.st_size == b.st_size, "sizes/512", "rename: %s", strerror(errno));
	t_check(&whiteout, !rmdir(at(dir, "zz-empty-dir")), "zz-empty-dir", "rmdir: %s",
		strerror(errno));
	t_check(&untouched, !lstat(at(lower, "sizes/511"), &a) &&
		!lstat(at(lower, "sizes/512"), &a) && !lstat(at(lower, "zz-empty-dir"), &a) &&
		!lstat(at(lower, "sizes/4097"), &a) && (a.st_mode & 07777) == 0644, "sizes",
		"something of the lower layer changed");
}

static bool mount_overlay(const char *dir, const char *more)
{
	char options[8192];

	snprintf(options, sizeof(options), "lowerdir=%s,upperdir=%s,workdir=%s%s", lower,
		 at(scratch, "upper"), at(scratch, "work"), more);
	return !mount("overlay", dir, "overlay", 0, options);
}

static bool mounted_with(const char *dir, const char *option)
{
	char line[8192];
	FILE *f = fopen("/proc/mounts", "r");
	bool found = false;

	if (!f)
		t_die("/proc/mounts", "open");
	while (fgets(line, sizeof(line), f))
		found |= strstr(line, dir) && strstr(line, option);
	fclose(f);
	return found;
}

static void check_overlay(void)
{
	const char *dir = strdup(at(scratch, "merged"));

	if (mkdir(dir, 0755) || mkdir(at(scratch, "upper"), 0755) ||
	    mkdir(at(scratch, "work"), 0755))
		t_die(scratch, "mkdir");
	if (!mount_overlay(dir, ",index=on,nfs_export=on")) {
		if (errno == ENODEV) {
			struct t_case *c[] = { &overlay, &copy_up, &whiteout, &untouched, &nfs };
			size_t i;

			for (i = 0; i < ARRAY_SIZE(c); i++)
				c[i]->skip = "no overlay here";
			return;
		}
		t_check(&overlay, false, "/", "mount: %s", strerror(errno));
		return;
	}
	/* The overlay turns it off when a layer has no handles. */
	t_check(&nfs, mounted_with(dir, "nfs_export=on"), "/", "nfs_export is off");
	compare_files(&overlay, dir, "root-file", "");
	compare_files(&overlay, dir, "sizes/1048577", "");
	compare_files(&overlay, dir, "sparse/holes-between", "");
	check_copy_up(dir, "root-file");
	check_copy_up(dir, "sizes/0");
	check_copy_up(dir, "sizes/1");
	check_copy_up(dir, "sizes/65535");
	check_copy_up(dir, "sizes/3000001");
	check_copy_up(dir, "secrets/001-secret");
	check_copy_up(dir, "sparse/holes-between");
	check_copy_up(dir, "sparse/hole-last");
	check_copy_up(dir, "links/a-first");
	check_copy_up(dir, "owners/1000-1");
	check_changes(dir);
	if (umount(dir))
		t_check(&overlay, false, "/", "umount: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	t_init("stacks");
	if (argc != 3) {
		fprintf(stderr, "usage: stacks DIR SCRATCH\n");
		return 2;
	}
	if (!realpath(argv[1], lower) || !realpath(argv[2], scratch))
		t_die(argv[1], "realpath");
	t_strict = true;
	check_idmapped();
	check_overlay();
	return t_report(cases, ARRAY_SIZE(cases));
}
