// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs readahead: prefetch of files in the order of a list, for another program
 * that reads them.
 *
 * A prefetch is posix_fadvise(2), which does not wait for data, so one small
 * process keeps many requests at the device for a reader that sends one at a
 * time.  The position of the reader is unknown.  So the list sets the pace:
 * names from a pipe are prefetched as they come; those of a file all at once,
 * up to a budget of bytes.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "args.h"
#include "mounted.h"
#include "status.h"
#include "json.h"
#include "list.h"
#include "msg.h"
#include "stop.h"
#include "work.h"

#define JOBS_DEFAULT	4
#define U64_UNSET	UINT64_MAX	/* of --limit: not given */

struct readahead_options {
	const char *list;
	u64 jobs;
	u64 limit;
	bool null;
	bool quiet;
	bool json;
};

/**
 * struct name_list - a list that may be a pipe
 * @in: reads it; signals end a wait for more
 * @waiting: signals that are blocked during that wait
 */
struct name_list {
	FILE *in;
	int fd;
	sigset_t waiting;
};

/**
 * struct hinter - what the threads share
 * @reading: held by the one that waits for a name, which may take for ever
 * @lock: of all counts
 */
struct hinter {
	const struct readahead_options *o;
	struct name_list list;
	pthread_mutex_t reading;
	pthread_mutex_t lock;
	u64 files;
	u64 bytes;
	u64 errors;
	bool full;
	bool broken;
};

/* Memory that is available to the page cache; 0: unknown. */
static u64 memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib = 0;
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	}
	fclose(f);
	return kib << 10;
}

/* The read function of the stream of a list.  A signal that asks to stop ends its wait. */
static ssize_t read_list(void *cookie, char *buf, size_t size)
{
	const struct name_list *l = cookie;
	struct pollfd pfd = { .fd = l->fd, .events = POLLIN };

	if (stop_asked() || ppoll(&pfd, 1, NULL, &l->waiting) < 0)
		return -1;
	return read(l->fd, buf, size);
}

/* Get the next entry.  Return: NULL at the end, or if it was asked to stop. */
static char *next_entry(struct name_list *l, char end)
{
	char *s = NULL;
	size_t room = 0;
	ssize_t len;

	while (!stop_asked()) {
		len = getdelim(&s, &room, end, l->in);
		/* the last entry may have no end, unless a signal cut it off */
		if (len < 0 || ferror(l->in))
			break;
		if (s[len - 1] == end)
			s[--len] = '\0';
		if (len)
			return s;
	}
	free(s);
	return NULL;
}

/* Get the next name, for one thread at a time.  NULL at the end. */
static char *next_name(struct hinter *a)
{
	char *name = NULL;
	sigset_t blocked;

	pthread_mutex_lock(&a->reading);
	/* a signal that was sent meanwhile arrives here */
	pthread_sigmask(SIG_SETMASK, &a->list.waiting, &blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	if (!__atomic_load_n(&a->full, __ATOMIC_RELAXED) && !a->broken) {
		name = next_entry(&a->list, a->o->null ? '\0' : '\n');
		if (!name && !feof(a->list.in) && !stop_asked()) {
			a->broken = true;
			msg_error(a->o->list, "cannot read: %s", strerror(errno));
		}
	}
	pthread_mutex_unlock(&a->reading);
	return name;
}

/* Take bytes of the budget.  Return: false if fewer are left. */
static bool take(struct hinter *a, u64 bytes)
{
	bool ok;

	pthread_mutex_lock(&a->lock);
	ok = !a->full && (!a->o->limit || a->bytes + bytes <= a->o->limit);
	if (ok) {
		a->files++;
		a->bytes += bytes;
	} else {
		__atomic_store_n(&a->full, true, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&a->lock);
	return ok;
}

static int ask(struct hinter *a, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int ret = 0;

	if (fd < 0)
		return errno;
	if (fstat(fd, &st))
		ret = errno;
	else if (!S_ISREG(st.st_mode))
		ret = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	else if (take(a, st.st_size))
		/* 0: up to the end */
		ret = posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	close(fd);
	return ret;
}

static void ask_for_all(void *ctx, size_t i)
{
	struct hinter *a = ctx;
	char *name;
	int ret;

	while ((name = next_name(a))) {
		ret = ask(a, name);
		if (ret) {
			msg_error(name, "%s%s", strerror(ret),
				  ret == ENOENT ? list_hint(name) : "");
			pthread_mutex_lock(&a->lock);
			a->errors++;
			pthread_mutex_unlock(&a->lock);
		}
		free(name);
	}
}

static void report(const struct hinter *a)
{
	struct json json, *j = json_report(&json, a->o->json);

	if (!j && a->o->quiet)
		return;
	json_show_u64(j, "files", "asked for %llu file", a->files);
	json_say(j, "%s", msg_s(a->files));
	json_show_size(j, "bytes", ", %s", a->bytes);
	json_show_size(j, "limit", a->full ? ": the limit is %s" : NULL, a->o->limit);
	json_bool(j, "limit_reached", a->full);
	json_u64(j, "errors", a->errors);
	json_bool(j, "interrupted", stop_asked());
	json_say(j, "%s\n", stop_asked() ? ": stopped" : "");
	json_end(j);
}

static int open_list(struct name_list *l, const char *path)
{
	static const cookie_io_functions_t io = { .read = read_list };

	l->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	l->in = l->fd < 0 ? NULL : fopencookie(l, "r", io);
	if (l->in)
		return 0;
	return msg_error(path, "cannot open: %s", strerror(errno));
}

static int run(const struct readahead_options *o)
{
	struct hinter a = { .o = o };
	sigset_t all;

	if (open_list(&a.list, o->list))
		return EXIT_ERROR;
	pthread_mutex_init(&a.reading, NULL);
	pthread_mutex_init(&a.lock, NULL);
	/* signals go to the thread that waits for a name, to end the wait */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &a.list.waiting);
	work_run(o->jobs, o->jobs, ask_for_all, &a);
	pthread_sigmask(SIG_SETMASK, &a.list.waiting, NULL);
	report(&a);
	fclose(a.list.in);
	if (a.list.fd != STDIN_FILENO)
		close(a.list.fd);
	return a.errors || a.broken ? EXIT_ERROR : EXIT_OK;
}

static const struct arg option_table[] = {
	{ 0, "filelist", "FILE",
	  "paths, one a line; - is standard input",
	  ARG_TEXT(struct readahead_options, list, 0) },
	{ '0', "null", NULL, "entries of FILE end with NUL, not newline",
	  ARG_FLAG(struct readahead_options, null) },
	{ 'j', "jobs", "N", "threads that ask, 1 to 1024 (default: 4)",
	  ARG_NUMBER(struct readahead_options, jobs, 1, WORK_JOBS_MAX) },
	{ 0, "limit", "SIZE",
	  "ask for no more bytes, or none (default: available memory)",
	  ARG_SIZE(struct readahead_options, limit), .word = "none" },
	{ 'q', "quiet", NULL, "no report", ARG_FLAG(struct readahead_options, quiet) },
	{ 0, "json", NULL, "report in JSON on standard output",
	  ARG_FLAG(struct readahead_options, json) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs readahead [options] --filelist=FILE\n"
	"Ask for files that are about to be read, in the order of a list.  Does not wait for\n"
	"them: whoever reads them does.\n",
	.examples =
	"  dsfs readahead --filelist=epoch.list\n"
	"  dsfs readahead --limit=4G --filelist=epoch.list\n",
	.table = option_table,
};

int verb_readahead(int argc, char **argv)
{
	struct readahead_options o = { .jobs = JOBS_DEFAULT, .limit = U64_UNSET };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	if (!o.list || argc)
		return args_wrong(EXIT_USAGE, o.list ? "files are named by --filelist" :
				  "no --filelist given");
	if (o.limit == U64_UNSET)
		o.limit = strcmp(o.list, "-") ? memory_available() : 0;
	stop_init(0);
	ret = run(&o);
	stop_end();
	return ret;
}
