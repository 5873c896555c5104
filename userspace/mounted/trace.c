// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs trace: the order in which the files of a file system are opened, by any program.
 *
 * fanotify(7) reports of the whole file system, by the handle of a directory and a
 * name: a container has the file system mounted elsewhere, so that a path of its own
 * would say nothing here.
 */
#include <fcntl.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "args.h"
#include "mounted.h"
#include "status.h"
#include "msg.h"
#include "stop.h"

struct trace_options {
	const char *mount;
	const char *output;
	bool null;
	bool quiet;
};

/**
 * struct trace - what is being recorded
 * @dir: the mount point
 * @base: its path, to be cut off; "": the root
 * @seen: a tree of paths that were written
 * @lost: opens of which no path is known
 */
struct trace {
	const struct trace_options *o;
	FILE *out;
	int fan;
	int dir;
	char base[PATH_MAX];
	void *seen;
	u64 opens;
	u64 written;
	u64 lost;
};

/* The path of an open directory, without a slash at its end.  Return: 0 or a negative errno. */
static int path_of_fd(int fd, char *buf)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	buf[n > 1 ? n : 0] = '\0';
	return 0;
}

/*
 * The path below the mount point of a name in a directory, in @buf; NULL if it is not there.  The
 * kernel is asked each time: it answers in microseconds, and a directory may have been moved.
 */
static const char *path_below(const struct trace *t, const struct file_handle *dir,
			      const char *name, char buf[PATH_MAX + NAME_MAX + 2])
{
	const size_t base = strlen(t->base);
	int fd, ret;

	fd = open_by_handle_at(t->dir, (struct file_handle *)dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	ret = path_of_fd(fd, buf);
	close(fd);
	if (ret)
		return NULL;
	snprintf(buf + strlen(buf), NAME_MAX + 2, "/%s", name);
	return !strncmp(buf, t->base, base) && buf[base] == '/' ? buf + base + 1 : NULL;
}

static int path_cmp(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Remember a path.  Return: 1; 0: it was met before; or -ENOMEM. */
static int remember(struct trace *t, const char *path)
{
	char *copy;

	if (tfind(path, &t->seen, path_cmp))
		return 0;
	copy = strdup(path);
	if (copy && tsearch(copy, &t->seen, path_cmp))
		return 1;
	free(copy);
	return -ENOMEM;
}

static int record(struct trace *t, const char *path)
{
	int ret = remember(t, path);

	if (ret <= 0)
		return ret;
	t->written++;
	fputs(path, t->out);
	putc(t->o->null ? '\0' : '\n', t->out);
	return 0;
}

static int one_event(struct trace *t, const struct fanotify_event_metadata *e)
{
	const struct fanotify_event_info_fid *info = (const void *)(e + 1);
	const struct file_handle *dir = (const void *)info->handle;
	char buf[PATH_MAX + NAME_MAX + 2];
	const char *path = NULL;

	t->opens++;
	if (!(e->mask & FAN_Q_OVERFLOW) && e->event_len >= sizeof(*e) + sizeof(*info) &&
	    info->hdr.info_type == FAN_EVENT_INFO_TYPE_DFID_NAME)
		path = path_below(t, dir, (const char *)dir->f_handle + dir->handle_bytes, buf);
	if (path)
		return record(t, path);
	t->lost++;
	return 0;
}

/* Read the events that were reported so far.  Return: bytes of them, or a negative errno. */
static int read_events(struct trace *t)
{
	union {
		struct fanotify_event_metadata first;
		char room[65536];
	} u;
	const struct fanotify_event_metadata *e = &u.first;
	ssize_t n = read(t->fan, &u, sizeof(u));
	int ret = 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (; !ret && FAN_EVENT_OK(e, n); e = FAN_EVENT_NEXT(e, n))
		ret = one_event(t, e);
	return ret ? ret : n;
}

/* Record until ^C.  Signals are taken while waiting only; events reported by then count. */
static int record_all(struct trace *t)
{
	struct pollfd pfd = { .fd = t->fan, .events = POLLIN };
	sigset_t all, before;
	int ret = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	while (ret >= 0 && !stop_asked()) {
		if (ppoll(&pfd, 1, NULL, &before) > 0)
			ret = read_events(t);
		/* a reader of the file sees whole entries meanwhile */
		if (fflush(t->out))
			ret = -errno;
	}
	while (ret >= 0) {
		ret = read_events(t);
		if (!ret)
			break;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret < 0 ? ret : 0;
}

static int open_mount(struct trace *t)
{
	t->dir = open(t->o->mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t->dir < 0 || path_of_fd(t->dir, t->base))
		return msg_error(t->o->mount, "%s", strerror(errno));
	t->fan = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK |
			       FAN_UNLIMITED_QUEUE | FAN_REPORT_DFID_NAME,
			       O_RDONLY);
	if (t->fan < 0)
		return msg_error(NULL, "fanotify: %s%s", strerror(errno),
				 errno == EPERM ? ": CAP_SYS_ADMIN is needed" : "");
	if (fanotify_mark(t->fan, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN, t->dir, NULL))
		return msg_error(t->o->mount, "fanotify: %s", strerror(errno));
	return 0;
}

static int open_output(struct trace *t)
{
	t->out = stdout;
	if (!t->o->output)
		return 0;
	t->out = fopen(t->o->output, "we");
	if (t->out)
		return 0;
	return msg_error(t->o->output, "%s", strerror(errno));
}

static void report(const struct trace *t)
{
	if (!t->o->quiet)
		fprintf(stderr, "%llu open%s, %llu path%s written\n", t->opens,
			msg_s(t->opens), t->written, msg_s(t->written));
	if (t->lost)
		msg_warn(t->o->mount, "%llu open%s of files whose path is not known",
			 t->lost, msg_s(t->lost));
}

static int run(const struct trace_options *o)
{
	struct trace t = { .o = o, .fan = -1, .dir = -1 };
	int ret = -1;

	if (!open_mount(&t) && !open_output(&t)) {
		if (!o->quiet)
			fputs("recording; ^C ends\n", stderr);
		ret = record_all(&t);
		if (t.out != stdout && fclose(t.out) && !ret)
			ret = -errno;
		if (ret)
			msg_error(o->output, "%s", strerror(-ret));
		report(&t);
	}
	tdestroy(t.seen, free);
	if (t.fan >= 0)
		close(t.fan);
	if (t.dir >= 0)
		close(t.dir);
	return ret ? EXIT_ERROR : EXIT_OK;
}

static const struct arg option_table[] = {
	{ 'o', "output", "FILE", "write there, not to standard output",
	  ARG_TEXT(struct trace_options, output, 0) },
	{ '0', "null", NULL, "entries end with NUL, not newline",
	  ARG_FLAG(struct trace_options, null) },
	{ 'q', "quiet", NULL, "say nothing at the beginning and at the end",
	  ARG_FLAG(struct trace_options, quiet) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs trace [options] MOUNTPOINT\n"
	"Record which files of a mounted file system are opened, in which order, until ^C.\n"
	"mkfs.dsfs --order lays data out by such a list.\n",
	.examples =
	"  dsfs trace --output=train.order /data\n"
	"  dsfs trace --quiet /data >train.order\n",
	.words = "MOUNTPOINT", .low = 1, .high = 1,
	.table = option_table,
};

int verb_trace(int argc, char **argv)
{
	struct trace_options o = { };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	o.mount = argv[0];
	stop_init(0);
	/* ^C is how a recording ends, and no failure. */
	return run(&o);
}
