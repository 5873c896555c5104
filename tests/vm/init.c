// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of a test guest: loads modules, runs one command, reports, powers off.
 *
 * Why not a shell script: the verdict has to come from a process that a broken
 * command cannot kill, that distinguishes a signal from an exit, and that starts
 * in a few milliseconds of emulated time.  The run is described in /lab:
 *
 *   modules   one a line: '!' (must load) or '?' (may be refused by its own
 *             init, as soft dependencies are), a blank, the path
 *   unload    names, one a line, in the order in which they are to go at the
 *             end; one that can't go fails the run
 *   mounts    9p shares: "TAG DIR" a line
 *   cmd       the command, its arguments each ended by a NUL
 *
 * Each stream has a virtio-serial port of its own: dsfs.stdout, dsfs.files (a
 * tar of /out), dsfs.dmesg and dsfs.verdict, which says "exit N" and comes
 * last.  The host believes nothing but that line.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LAB		"/lab/"
#define PORT_WAIT_MS	60000
#define KLOG_READ_ALL	3
#define KLOG_SIZE	10

static int verdict_fd = -1;
static int kmsg_fd = -1;

/* Into the kernel log: it is what the host keeps in any case. */
static void say(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n, m;

	n = snprintf(line, sizeof(line), "lab-init: ");
	va_start(ap, fmt);
	m = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	n += m < 0 ? 0 : m;
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	if (write(kmsg_fd, line, n) < 0)
		return;
}

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* The set-up failed: say so where the host looks first. */
static void give_up(const char *what, const char *name, int err)
{
	say("FATAL: %s: %s: %s", name, what, strerror(err));
	if (verdict_fd >= 0)
		dprintf(verdict_fd, "setup %s: %s: %s\n", name, what, strerror(err));
	power_off();
}

static void make_dirs(const char *path)
{
	char buf[4096], *p;

	snprintf(buf, sizeof(buf), "%s", path);
	for (p = buf + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(buf, 0755);
		*p = '/';
	}
	mkdir(buf, 0755);
}

struct mount_point {
	const char *type, *dir, *opts;
	int required;
};

static void mount_all(const struct mount_point *m, size_t n)
{
	for (; n--; m++) {
		make_dirs(m->dir);
		if (mount(m->type, m->dir, m->type, 0, m->opts) && m->required)
			give_up("mount", m->dir, errno);
	}
}

/* What every program expects; /dev first, for the log. */
static void mount_early(void)
{
	static const struct mount_point early[] = {
		{ "devtmpfs", "/dev", "", 1 },
		{ "proc", "/proc", "", 1 },
		{ "sysfs", "/sys", "", 1 },
		{ "tmpfs", "/tmp", "mode=1777", 1 },
		{ "tmpfs", "/run", "mode=755", 1 },
		{ "tmpfs", "/dev/shm", "mode=1777", 1 },
		{ "devpts", "/dev/pts", "", 0 },
		{ "cgroup2", "/sys/fs/cgroup", "", 0 },
		{ "debugfs", "/sys/kernel/debug", "", 0 },
		{ "tracefs", "/sys/kernel/tracing", "", 0 },
	};

	mount_all(early, 1);
	kmsg_fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	mount_all(early + 1, sizeof(early) / sizeof(early[0]) - 1);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	make_dirs("/out");
	make_dirs("/mnt");
	make_dirs("/root");
}

/* Calls fn for every line of a file of /lab; a missing file has none. */
static void each_line(const char *file, void (*fn)(char *line))
{
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	FILE *f;

	f = fopen(file, "re");
	if (!f)
		return;
	while ((n = getline(&line, &size, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (*line)
			fn(line);
	}
	free(line);
	fclose(f);
}

static void load_module(char *line)
{
	const char *path = line + 2;
	int fd, err = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		give_up("open", path, errno);
	if (syscall(SYS_finit_module, fd, "", 0))
		err = errno;
	close(fd);
	if (err && err != EEXIST && *line == '!')
		give_up("does not load", path, err);
}

static void mount_share(char *line)
{
	char *dir = strchr(line, ' ');

	if (!dir)
		give_up("no directory", line, EINVAL);
	*dir++ = '\0';
	make_dirs(dir);
	if (mount(line, dir, "9p", MS_RDONLY,
		  "trans=virtio,version=9p2000.L,msize=524288,cache=loose"))
		give_up("mount of a 9p share", dir, errno);
}

static int port_has_name(const char *port, const char *name)
{
	char path[300], buf[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", port);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return !strcmp(buf, name);
}

static int try_port(const char *name)
{
	char path[300];
	struct dirent *d;
	int fd = -1;
	DIR *dir;

	dir = opendir("/sys/class/virtio-ports");
	if (!dir)
		return -1;
	while (fd < 0 && (d = readdir(dir))) {
		if (*d->d_name == '.' || !port_has_name(d->d_name, name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", d->d_name);
		fd = open(path, O_WRONLY | O_CLOEXEC);
	}
	closedir(dir);
	return fd;
}

/* The driver names its ports from a work queue, so they come a bit later. */
static int open_port(const char *name)
{
	const struct timespec tick = { .tv_nsec = 1000000 };
	int fd, i;

	for (i = 0; i < PORT_WAIT_MS; i++) {
		fd = try_port(name);
		if (fd >= 0)
			return fd;
		nanosleep(&tick, NULL);
	}
	give_up("no such virtio-serial port", name, ENODEV);
	return -1;
}

static void write_all(int fd, const char *buf, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, buf, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf += n;
		len -= n;
	}
}

/* Drives by serial number, since letters follow the order of probing. */
static void link_drives(void)
{
	char path[600], serial[64], target[300];
	struct dirent *d;
	ssize_t n;
	DIR *dir;
	int fd;

	mkdir("/dev/drive", 0755);
	dir = opendir("/sys/block");
	while (dir && (d = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/block/%s/serial", d->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = read(fd, serial, sizeof(serial) - 1);
		close(fd);
		if (n <= 0)
			continue;
		serial[n] = '\0';
		serial[strcspn(serial, "\n")] = '\0';
		snprintf(path, sizeof(path), "/dev/drive/%s", serial);
		snprintf(target, sizeof(target), "/dev/%s", d->d_name);
		symlink(target, path);
	}
	if (dir)
		closedir(dir);
}

static char **read_command(void)
{
	static char buf[1 << 20];
	static char *argv[4096];
	size_t n, i, argc = 0;
	FILE *f;

	f = fopen(LAB "cmd", "re");
	if (!f)
		give_up("open", LAB "cmd", errno);
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	for (i = 0; i < n && argc < 4095; i += strlen(buf + i) + 1)
		argv[argc++] = buf + i;
	if (!argc)
		give_up("no command", LAB "cmd", EINVAL);
	return argv;
}

static void exec_command(char **argv, int out)
{
	static char *env[] = {
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "TERM=dumb", "LC_ALL=C", "OUT=/out", NULL
	};
	sigset_t none;
	int in;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	in = open("/dev/null", O_RDONLY);
	dup2(in, 0);
	dup2(out, 1);
	dup2(out, 2);
	if (in > 2)
		close(in);
	environ = env;
	if (chdir("/root"))
		_exit(127);
	execvp(argv[0], argv);
	dprintf(2, "%s: does not start: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Returns 1 when the command is among the dead, with its status. */
static int reap(pid_t cmd, int *status)
{
	int st, done = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &st, WNOHANG)) > 0) {
		if (pid == cmd) {
			*status = st;
			done = 1;
		}
	}
	return done;
}

/*
 * The pipe between command and port lets the command open /dev/stdout, which
 * a port allows one process only.  When the command is gone, what it left in
 * the pipe is still its output, even if a child of its holds the other end.
 */
static int pump(pid_t cmd, int from, int port, int sigfd)
{
	struct pollfd fds[2] = { { .fd = from, .events = POLLIN },
				 { .fd = sigfd, .events = POLLIN } };
	struct signalfd_siginfo si;
	static char buf[65536];
	int status = 0, done = 0;
	ssize_t n;

	for (;;) {
		if (poll(fds, 2, done ? 0 : -1) < 0 && errno != EINTR)
			break;
		if (fds[1].revents && read(sigfd, &si, sizeof(si)) > 0)
			done |= reap(cmd, &status);
		if (!(fds[0].revents & (POLLIN | POLLHUP))) {
			if (done)
				break;
			continue;
		}
		n = read(from, buf, sizeof(buf));
		if (n > 0)
			write_all(port, buf, n);
		else if (done)
			break;
		else
			fds[0].fd = -1;
	}
	return status;
}

static int run_command(char **argv, int port)
{
	int ends[2], sigfd, status;
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sigfd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigfd < 0 || pipe2(ends, O_CLOEXEC))
		give_up("pipe", argv[0], errno);
	pid = fork();
	if (pid < 0)
		give_up("fork", argv[0], errno);
	if (!pid)
		exec_command(argv, ends[1]);
	close(ends[1]);
	status = pump(pid, ends[0], port, sigfd);
	close(ends[0]);
	close(sigfd);
	sigprocmask(SIG_UNBLOCK, &chld, NULL);
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

static void send_files(void)
{
	static char *tar[] = { "busybox", "tar", "c", "-f", "-", "-C", "/out", ".", NULL };
	int port = open_port("dsfs.files");
	int status = 0;
	pid_t pid;

	pid = fork();
	if (!pid)
		exec_command(tar, port);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		give_up("tar", "/out", EIO);
	close(port);
}

static void send_dmesg(void)
{
	int port = open_port("dsfs.dmesg");
	int size = klogctl(KLOG_SIZE, NULL, 0);
	char *buf;
	int n;

	buf = size > 0 ? malloc(size) : NULL;
	if (!buf)
		give_up("malloc", "dmesg", ENOMEM);
	n = klogctl(KLOG_READ_ALL, buf, size);
	if (n > 0)
		write_all(port, buf, n);
	free(buf);
	close(port);
}

/* Deepest first, which is the reverse of the order of mounting. */
static void unmount_tests(void)
{
	char *dirs[4096], *line = NULL, dir[4096], type[64];
	size_t size = 0, n = 0;
	FILE *f;

	f = fopen("/proc/self/mounts", "re");
	while (f && n < 4096 && getline(&line, &size, f) > 0) {
		if (sscanf(line, "%*s %4095s %63s", dir, type) != 2)
			continue;
		if (!strncmp(dir, "/proc", 5) || !strncmp(dir, "/sys", 4) ||
		    !strncmp(dir, "/dev", 4) || !strcmp(dir, "/") ||
		    !strcmp(type, "9p") || !strcmp(dir, "/tmp") || !strcmp(dir, "/run"))
			continue;
		dirs[n++] = strdup(dir);
	}
	if (f)
		fclose(f);
	free(line);
	while (n--) {
		if (umount(dirs[n]))
			say("%s: umount: %s", dirs[n], strerror(errno));
		free(dirs[n]);
	}
}

static void unload_module(char *name)
{
	if (syscall(SYS_delete_module, name, O_NONBLOCK) && errno != ENOENT)
		say("LEFT BEHIND: module %s: does not unload: %s", name, strerror(errno));
}

static void kill_others(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

int main(void)
{
	int out, status;
	char **argv;

	mount_early();
	say("up");
	each_line(LAB "modules", load_module);
	verdict_fd = open_port("dsfs.verdict");
	out = open_port("dsfs.stdout");
	mount("configfs", "/sys/kernel/config", "configfs", 0, NULL);
	each_line(LAB "mounts", mount_share);
	link_drives();
	each_line(LAB "under-test", load_module);
	argv = read_command();
	status = run_command(argv, out);
	kill_others();
	close(out);
	send_files();
	if (access(LAB "unload", F_OK) == 0) {
		unmount_tests();
		each_line(LAB "unload", unload_module);
	}
	send_dmesg();
	dprintf(verdict_fd, "exit %d\n", status);
	close(verdict_fd);
	power_off();
	return 0;
}
