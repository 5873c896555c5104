// SPDX-License-Identifier: GPL-2.0
/*
 * try - what the kernel makes of each corruption in a list.
 *
 *   try [-o OPTIONS] DIR CASES [NAME...]
 *
 * Makes each case's image from one in DIR, by mkcorrupt (of this program's own
 * directory), mounts it over a loop device, and makes the calls of the case, each
 * twice: an error must not turn into success because something was cached.
 * Prints "ok - case" and "not ok - case"; exits 1 if one failed.
 *
 * What can be tried: stat, ls, read, readlink, listxattr PATH; readat and mmap
 * PATH:OFFSET (4 KiB from there on; mmap may end in SIGBUS); getxattr
 * PATH:NAME; rest (things that no case breaks unless it says so).
 */
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/xattr.h>

#include "../harness/cases.h"

#define COLUMNS		6
#define PIECE		4096

static char dir[] = "/tmp/try.XXXXXX";
static char image[64];
static char mkcorrupt[512];
static const char *options = "";

static const char rest[] =
	"read /dir/sub/leaf OK, ls /mid OK, stat /mid/file-20 OK, read /tail OK";

static void die(const char *what)
{
	fprintf(stderr, "try: %s: %s\n", what, strerror(errno));
	exit(125);
}

static const char *err_name(int err)
{
	const char *name = err ? strerrorname_np(err) : "OK";

	return name ? name : "?";
}

/* --- what can be tried: each returns an errno, or minus a signal ------------- */

static int try_stat(const char *path, const char *arg)
{
	struct stat st;

	(void)arg;
	return lstat(path, &st) ? errno : 0;
}

static int try_ls(const char *path, const char *arg)
{
	struct dirent *e;
	DIR *d = opendir(path);
	int err;

	(void)arg;
	if (!d)
		return errno;
	errno = 0;
	while ((e = readdir(d)))
		if (strchr(e->d_name, '/') || !*e->d_name)
			errno = EPROTO;		/* must never be seen */
	err = errno;
	closedir(d);
	return err;
}

static int try_read(const char *path, const char *arg)
{
	char buf[PIECE];
	int fd = open(path, O_RDONLY), err = 0;
	ssize_t n;

	(void)arg;
	if (fd < 0)
		return errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	if (n < 0)
		err = errno;
	close(fd);
	return err;
}

static int try_readat(const char *path, const char *arg)
{
	int fd = open(path, O_RDONLY), err = 0;
	char buf[PIECE];
	ssize_t n;

	if (fd < 0)
		return errno;
	n = pread(fd, buf, sizeof(buf), strtoll(arg, NULL, 0));
	if (n < 0)
		err = errno;
	else if (!n)
		err = ENODATA;
	close(fd);
	return err;
}

static int try_mmap(const char *path, const char *arg)
{
	int fd = open(path, O_RDONLY), status;
	volatile char *p;
	pid_t pid;

	if (fd < 0)
		return errno;
	p = mmap(NULL, PIECE, PROT_READ, MAP_SHARED, fd, strtoll(arg, NULL, 0));
	close(fd);
	if (p == MAP_FAILED)
		return errno;
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		(void)*p;
		_exit(0);
	}
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	munmap((void *)p, PIECE);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : 0;
}

static int try_readlink(const char *path, const char *arg)
{
	char buf[PIECE];

	(void)arg;
	return readlink(path, buf, sizeof(buf)) < 0 ? errno : 0;
}

static int try_listxattr(const char *path, const char *arg)
{
	char buf[PIECE];

	(void)arg;
	return llistxattr(path, buf, sizeof(buf)) < 0 ? errno : 0;
}

static int try_getxattr(const char *path, const char *arg)
{
	char buf[PIECE];

	return lgetxattr(path, arg, buf, sizeof(buf)) < 0 ? errno : 0;
}

static const struct {
	const char *name;
	int (*fn)(const char *path, const char *arg);
} probes[] = {
	{ "stat", try_stat }, { "ls", try_ls }, { "read", try_read },
	{ "readat", try_readat }, { "mmap", try_mmap },
	{ "readlink", try_readlink }, { "listxattr", try_listxattr },
	{ "getxattr", try_getxattr },
};

/* One of them against what has to come: true if it did. */
static bool probe(char *text)
{
	char cmd[16], where[256], want[32], path[512], *arg;
	const char *got;
	unsigned int i;
	int ret;

	if (sscanf(text, " %15s %255s %31s", cmd, where, want) != 3) {
		printf("# cannot read: %s\n", text);
		return false;
	}
	arg = strchr(where, ':');
	if (arg)
		*arg++ = 0;
	snprintf(path, sizeof(path), "%s/mnt%s", dir, where);
	for (i = 0; i < sizeof(probes) / sizeof(*probes); i++)
		if (!strcmp(probes[i].name, cmd))
			break;
	if (i == sizeof(probes) / sizeof(*probes)) {
		printf("# cannot do: %s\n", text);
		return false;
	}
	ret = probes[i].fn(path, arg ? arg : "0");
	got = ret == -SIGBUS ? "SIGBUS" : err_name(ret);
	if (!strcmp(got, want))
		return true;
	printf("# %s %s%s%s: %s, expected %s\n", cmd, where, arg ? ":" : "",
	       arg ? arg : "", got, want);
	return false;
}

static bool probe_list(const char *list)
{
	char text[1024], *s, *save;
	bool good = true;

	snprintf(text, sizeof(text), "%s", list);
	for (s = strtok_r(text, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		s += strspn(s, " \t");
		if (!strncmp(s, "rest", 4))
			good &= probe_list(rest);
		else if (*s)
			good &= probe(s);
	}
	return good;
}

/* --- images ------------------------------------------------------------------ */

static bool make_image(const char *base, const char *change)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		execl(mkcorrupt, "mkcorrupt", base, change, image, NULL);
		die(mkcorrupt);
	}
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	return !status;
}

/* A read-only loop device over the image; it goes when it is closed. */
static int open_loop(char *name, size_t size)
{
	struct loop_config config = {
		.info.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR,
	};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), n, loop, file;

	if (control < 0)
		die("/dev/loop-control");
	n = ioctl(control, LOOP_CTL_GET_FREE);
	if (n < 0)
		die("LOOP_CTL_GET_FREE");
	close(control);
	snprintf(name, size, "/dev/loop%d", n);
	loop = open(name, O_RDONLY | O_CLOEXEC);
	file = open(image, O_RDONLY | O_CLOEXEC);
	if (loop < 0 || file < 0)
		die(name);
	config.fd = file;
	if (ioctl(loop, LOOP_CONFIGURE, &config))
		die("LOOP_CONFIGURE");
	close(file);
	return loop;
}

static char *trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && strchr(" \t\n", end[-1]))
		*--end = 0;
	return s + strspn(s, " \t");
}

static bool try_mounted(const char *tries)
{
	char mnt[64];
	bool good;

	good = probe_list(tries);
	if (good && !probe_list(tries)) {
		printf("# the second time\n");
		good = false;
	}
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	if (umount(mnt)) {
		printf("# umount: %s\n", err_name(errno));
		umount2(mnt, MNT_DETACH);
		return false;
	}
	return good;
}

static bool try_case(const char *base, char **column)
{
	char name[32], mnt[64];
	const char *got;
	bool good;
	int loop;

	if (!make_image(base, column[1]))
		return false;
	loop = open_loop(name, sizeof(name));
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	got = err_name(mount(name, mnt, "dsfs", MS_RDONLY, options) ? errno : 0);
	good = !strcmp(got, column[2]);
	if (!good)
		printf("# mount: %s, expected %s\n", got, column[2]);
	if (!strcmp(got, "OK"))
		good &= try_mounted(good ? column[3] : "");
	close(loop);
	unlink(image);
	return good;
}

static bool wanted(const char *name, char **names)
{
	if (!*names)
		return true;
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static void try_line(const char *base, char *line, char **names)
{
	char *column[COLUMNS], *at = line;
	bool good;
	int i;

	for (i = 0; i < COLUMNS; i++) {
		column[i] = at ? trim(strsep(&at, "|")) : NULL;
		if (!column[i]) {
			tc_result(false, "a line with %d columns: %s", i, line);
			return;
		}
	}
	if (!wanted(column[0], names))
		return;
	good = try_case(base, column);
	if (!good)
		tc_comment("%s", column[1] ? column[1] : "");
	tc_result(good, "%s%s%s", options, *options ? ": " : "", column[0]);
}

static void set_up(const char *self)
{
	const char *slash = strrchr(self, '/');
	char mnt[64];

	snprintf(mkcorrupt, sizeof(mkcorrupt), "%.*s%s",
		 slash ? (int)(slash + 1 - self) : 0, self, "mkcorrupt");
	if (!mkdtemp(dir))
		die(dir);
	snprintf(image, sizeof(image), "%s/image", dir);
	snprintf(mnt, sizeof(mnt), "%s/mnt", dir);
	if (mkdir(mnt, 0755))
		die(mnt);
}

/* The images of the cases that follow; false: the line is something else. */
static bool choose_base(char *base, size_t size, const char *images, char *line)
{
	if (strncmp(line, "base ", 5))
		return false;
	snprintf(base, size, "%s/%s.img", images, trim(line + 5));
	return true;
}

int main(int argc, char **argv)
{
	const char *self = argv[0];
	char line[2048], base[512];
	FILE *f;

	if (argc > 2 && !strcmp(argv[1], "-o")) {
		options = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 3) {
		fputs("usage: try [-o OPTIONS] DIR CASES [NAME...]\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	tc_prefix = "corrupt";
	set_up(self);
	f = fopen(argv[2], "r");
	if (!f)
		die(argv[2]);
	snprintf(base, sizeof(base), "%s/base.img", argv[1]);
	while (fgets(line, sizeof(line), f))
		if (*line != '#' && *trim(line) &&
		    !choose_base(base, sizeof(base), argv[1], line))
			try_line(base, line, argv + 3);
	fclose(f);
	return tc_exit();
}
