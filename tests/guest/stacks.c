// SPDX-License-Identifier: GPL-2.0
/*
 * stacks - a mounted zoo through an idmapped mount.
 *
 *   stacks DIR SCRATCH	DIR: the mounted zoo; SCRATCH: a directory on a tmpfs
 */
#include <sys/mount.h>
#include <linux/mount.h>

#include "lib.h"

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE	1
#endif

#define SHIFT	100000
#define RANGE	65536

T_CASE(idmap, "idmapped mount shifts owners")
T_CASE(idmap_acl, "idmapped mount shifts ACLs")

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
	ok = t_works(&idmap, "/",
		     syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)));
	ok = ok && t_works(&idmap, "/", syscall(SYS_move_mount, tree, "", AT_FDCWD, dir, 4));
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

static void check_idmapped(void)
{
	static const char * const names[] = { ".", "root-file", "owners/1000-1",
					      "owners/65535-65536", "owners/65536-1",
					      "owners/4294967294-1", "owners/symlink" };
	const char *dir = strdup(at(scratch, "idmapped"));
	size_t i;

	if (mkdir(dir, 0755))
		t_die(dir, "mkdir");
	if (!mount_idmapped(dir))
		return;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		check_owner(dir, names[i]);
	t_check(&idmap_acl, !t_open_as(at(dir, "acls/user-1001"), SHIFT + 1001, 500),
		"acls/user-1001", "the shifted user may not read");
	t_check(&idmap_acl, t_open_as(at(dir, "acls/user-1001"), 1001, 500) == EACCES,
		"acls/user-1001", "the user's own id may still read");
	t_check(&idmap_acl, t_open_as(at(dir, "acls/user-1001"), SHIFT + 1002, 500) == EACCES,
		"acls/user-1001", "a shifted user may read that may not");
	if (umount(dir))
		t_die(dir, "umount");
}

int main(int argc, char **argv)
{
	t_init("stacks");
	if (argc != 3)
		t_usage("DIR SCRATCH");
	if (!realpath(argv[1], lower) || !realpath(argv[2], scratch))
		t_die(argv[1], "realpath");
	t_strict = true;
	check_idmapped();
	return t_report_all();
}
