// SPDX-License-Identifier: GPL-2.0
/*
 * mktree - make a tree that has one of everything.
 *
 * Why not shell: names of any bytes, device numbers of 32 bits, times outside
 * of 1901..2446 and binary ACLs, each exactly, on any machine, in a second.
 *
 * The tree depends only on the options: no clock, no random numbers.  Contents
 * are computed from a key of the file's path, so bytes of another file are wrong
 * bytes wherever they show up.
 *
 * It works by chdir(), since paths of the tree are longer than PATH_MAX.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "mktree.h"

#define DEPTH_MAX	1200

struct mktree_opts opts;

static uint64_t keys[DEPTH_MAX];
static int depth;

void die(const char *name, const char *what)
{
	fprintf(stderr, "mktree: %s: %s: %s\n", name, what, strerror(errno));
	exit(1);
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint64_t name_key(const char *name)
{
	uint64_t h = keys[depth];

	while (*name)
		h = mix(h ^ (unsigned char)*name++);
	return h;
}

/* No byte is ever zero: zeros mean a hole or a place behind the end of a file. */
void fill_pattern(void *buf, size_t len, uint64_t key, uint64_t pos)
{
	unsigned char *p = buf;
	uint64_t word = 0;
	size_t i;

	for (i = 0; i < len; i++, pos++) {
		if (i == 0 || pos % 8 == 0)
			word = mix(key + pos / 8) | 0x0101010101010101ULL;
		p[i] = word >> (pos % 8 * 8);
	}
}

/* Distinct, plausible and reproducible: somewhere in 2020..2023. */
static void default_mtime(const char *name, uint64_t key)
{
	set_mtime(name, 1600000000 + key % 100000000, key % 1000000000);
}

void enter(const char *name, mode_t mode)
{
	uint64_t key = name_key(name);

	if (mkdir(name, 0700) || chdir(name))
		die(name, "mkdir");
	if (chmod(".", mode))
		die(name, "chmod");
	if (++depth == DEPTH_MAX) {
		errno = ELOOP;
		die(name, "tree too deep");
	}
	keys[depth] = key;
}

/* The time of a directory is set when nothing can change it any more. */
void leave(void)
{
	default_mtime(".", keys[depth]);
	if (chdir(".."))
		die("..", "chdir");
	depth--;
}

static int create(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644);

	if (fd < 0 || fchmod(fd, 0644))
		die(name, "create");
	return fd;
}

static void write_at(int fd, const char *name, const void *buf, size_t len, uint64_t pos)
{
	ssize_t n;

	while (len) {
		n = pwrite(fd, buf, len, pos);
		if (n <= 0)
			die(name, "write");
		buf = (const char *)buf + n;
		len -= n;
		pos += n;
	}
}

static void write_pattern(int fd, const char *name, uint64_t key, uint64_t pos, uint64_t len)
{
	static unsigned char buf[65536];
	size_t n;

	for (; len; len -= n, pos += n) {
		n = len < sizeof(buf) ? len : sizeof(buf);
		fill_pattern(buf, n, key, pos);
		write_at(fd, name, buf, n, pos);
	}
}

void put_sparse(const char *name, uint64_t size, const uint64_t (*runs)[2], int count)
{
	uint64_t key = name_key(name);
	int fd = create(name);

	if (ftruncate(fd, size))
		die(name, "truncate");
	while (count--) {
		write_pattern(fd, name, key, (*runs)[0], (*runs)[1]);
		runs++;
	}
	if (close(fd))
		die(name, "close");
	default_mtime(name, key);
}

void put_file(const char *name, uint64_t size)
{
	const uint64_t all[1][2] = { { 0, size } };

	put_sparse(name, size, all, 1);
}

/* @text over and over, for content that a human or grep recognises. */
void put_text(const char *name, const char *text, uint64_t size)
{
	size_t len = strlen(text), i;
	int fd = create(name);
	char *buf;

	buf = malloc(size ? size : 1);
	if (!buf)
		die(name, "malloc");
	for (i = 0; i < size; i++)
		buf[i] = text[i % len];
	write_at(fd, name, buf, size, 0);
	free(buf);
	if (close(fd))
		die(name, "close");
	default_mtime(name, name_key(name));
}

/* A target of exactly @len bytes; long ones are paths that lead nowhere. */
void put_symlink(const char *name, size_t len)
{
	char target[4096];
	size_t i;

	for (i = 0; i < len; i++)
		target[i] = i % 200 == 199 ? '/' : 'a' + (name_key(name) + i) % 26;
	target[len] = 0;
	if (symlink(target, name))
		die(name, "symlink");
	default_mtime(name, name_key(name));
}

void put_node(const char *name, mode_t type, unsigned int maj, unsigned int min)
{
	if (type != S_IFIFO && !opts.root)
		return;
	if (mknod(name, type | 0600, makedev(maj, min)))
		die(name, "mknod");
	if (chmod(name, 0660))
		die(name, "chmod");
	default_mtime(name, name_key(name));
}

void put_socket(const char *name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strncpy(addr.sun_path, name, sizeof(addr.sun_path) - 1);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(name, "bind");
	close(fd);
	if (chmod(name, 0755))
		die(name, "chmod");
	default_mtime(name, name_key(name));
}

void put_link(const char *old, const char *name)
{
	if (linkat(AT_FDCWD, old, AT_FDCWD, name, 0))
		die(name, "link");
}

void set_mode(const char *name, mode_t mode)
{
	if (chmod(name, mode))
		die(name, "chmod");
}

/* Takes set-id bits off: call set_mode() afterwards. */
void set_owner(const char *name, uid_t uid, gid_t gid)
{
	if (opts.root && lchown(name, uid, gid))
		die(name, "chown");
}

void set_mtime(const char *name, int64_t sec, long nsec)
{
	struct timespec ts[2] = {
		{ .tv_sec = sec, .tv_nsec = opts.ext4 ? 0 : nsec },
		{ .tv_sec = sec, .tv_nsec = opts.ext4 ? 0 : nsec },
	};

	if (utimensat(AT_FDCWD, name, ts, AT_SYMLINK_NOFOLLOW))
		die(name, "utimensat");
}

void set_xattr(const char *path, const char *name, const void *value, size_t len)
{
	if (!opts.root && strncmp(name, "user.", 5))
		return;
	if (!lsetxattr(path, name, value, len, 0))
		return;
	/* Not the tree's fault; whoever compares sees the same on both sides. */
	if (errno != EOPNOTSUPP && errno != ENOSPC && errno != E2BIG)
		die(path, name);
	fprintf(stderr, "mktree: %s: %s: %zu bytes: %s: left out\n",
		path, name, len, strerror(errno));
}

void set_acl(const char *path, bool def, const struct posix_acl *acl, int count)
{
	unsigned char buf[4 + 8 * 32] = { 2 };	/* version, little-endian */
	unsigned char *p = buf + 4;

	for (; count; count--, acl++, p += 8) {
		p[0] = acl->tag;
		p[2] = acl->perm;
		p[4] = acl->id;
		p[5] = acl->id >> 8;
		p[6] = acl->id >> 16;
		p[7] = acl->id >> 24;
	}
	if (lsetxattr(path, def ? "system.posix_acl_default" : "system.posix_acl_access",
		      buf, p - buf, 0))
		die(path, "set ACL");
}

static int usage(void)
{
	fputs("usage: mktree [--for=ext4] [--no-root] [--big] [--wide] [--many] DIR\n"
	      "\n"
	      "Makes DIR, which must not exist, with one of everything in it.\n"
	      "  --for=ext4  leave out what an image of mke2fs -d does not carry\n"
	      "  --no-root   leave out devices, owners and attributes that need root\n"
	      "  --big       sparse files over 4 GiB as well\n"
	      "  --wide      nothing but 65,600 owners, and 65,600 names of one file\n"
	      "  --many      nothing but a file of 16,384 pieces, and as many directories\n",
	      stderr);
	return 2;
}

static int wide, many, no_root, big;

static const struct option options[] = {
	{ "for", required_argument, NULL, 'f' },
	{ "no-root", no_argument, &no_root, 1 },
	{ "big", no_argument, &big, 1 },
	{ "wide", no_argument, &wide, 1 },
	{ "many", no_argument, &many, 1 },
	{ }
};

int main(int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (!c)
			continue;
		if (c == 'f')
			opts.ext4 = !strcmp(optarg, "ext4");
		if (c != 'f' || !opts.ext4)
			return usage();
	}
	opts.root = !no_root;
	opts.big = big;
	if (optind != argc - 1)
		return usage();
	if (opts.root && geteuid()) {
		fprintf(stderr, "mktree: %s: needs root, or --no-root\n", argv[optind]);
		return 1;
	}
	umask(022);
	if (mkdir(argv[optind], 0755) || chdir(argv[optind]))
		die(argv[optind], "mkdir");
	if (wide)
		make_wide();
	else if (many)
		make_many();
	else
		make_zoo();
	set_mtime(".", 1234567890, 987654321);
	return 0;
}
