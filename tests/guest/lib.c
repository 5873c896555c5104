// SPDX-License-Identifier: GPL-2.0
/*
 * Cases and the walk, see lib.h.  The walk keeps one descriptor a level open,
 * since paths may be longer than PATH_MAX.
 */
#include <grp.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "lib.h"

#define TELL_MAX	10	/* failures of a case that are told one by one */

bool t_strict;

static char *path;
static size_t path_room;

static void print_path(FILE *f, const char *s)
{
	size_t len = strlen(s), i;

	for (i = 0; i < len; i++) {
		/* The middle of a monster is of no use to anybody. */
		if (len > 300 && i == 100) {
			fputs("[...]", f);
			i = len - 100;
		}
		if ((unsigned char)s[i] <= ' ' || (unsigned char)s[i] >= 0x7f || s[i] == '\\')
			fprintf(f, "\\%03o", (unsigned char)s[i]);
		else
			putc(s[i], f);
	}
}

void t_init(const char *program)
{
	struct rlimit fds = { 65536, 65536 };

	tc_prefix = program;
	setrlimit(RLIMIT_NOFILE, &fds);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

void t_failed(struct t_case *c, const char *at, const char *fmt, ...)
{
	va_list ap;

	if (c->failures++ >= TELL_MAX)
		return;
	printf("# %s: %s: ", tc_prefix, c->name);
	print_path(stdout, at);
	printf(": ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

int t_report(struct t_case **cases, size_t count)
{
	for (; count; count--, cases++) {
		struct t_case *c = *cases;
		bool empty = !c->checks && !c->skip;
		bool bad = c->failures || (empty && t_strict);

		if (c->failures)
			tc_result(!bad, "%s # %lu of %lu checks failed", c->name,
				  c->failures, c->checks);
		else if (empty)
			tc_result(!bad, "%s # nothing to check", c->name);
		else if (c->skip)
			tc_result(!bad, "%s # skip: %s", c->name, c->skip);
		else
			tc_result(!bad, "%s", c->name);
	}
	return tc_failed ? 1 : 0;
}

static struct t_case *all_cases[64];
static size_t case_count;

void t_will_tell(struct t_case *c)
{
	all_cases[case_count++] = c;
}

int t_report_all(void)
{
	return t_report(all_cases, case_count);
}

void t_die(const char *at, const char *what)
{
	fflush(stdout);
	printf("# %s: ", tc_prefix);
	print_path(stdout, at);
	printf(": %s: %s\n", what, strerror(errno));
	tc_result(false, "died");
	exit(1);
}

bool t_kernel_before(int major, int minor)
{
	int have_major, have_minor;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%d.%d", &have_major, &have_minor) != 2)
		t_die("uname", "no release");
	return have_major < major || (have_major == major && have_minor < minor);
}

void *t_alloc(size_t len)
{
	void *p = calloc(1, len ? len : 1);

	if (!p)
		t_die("memory", "calloc");
	return p;
}

int t_open_as(const char *file, uid_t uid, gid_t gid)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		t_die(file, "fork");
	if (!pid) {
		if (setgroups(0, NULL) || setgid(gid) || setuid(uid))
			_exit(255);
		_exit(open(file, O_RDONLY) < 0 ? errno : 0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

struct file_handle *t_handle(struct t_case *c, const struct t_object *o, int flags)
{
	struct file_handle *h = t_alloc(sizeof(*h) + MAX_HANDLE_SZ);
	int mount;

	h->handle_bytes = MAX_HANDLE_SZ;
	if (t_check(c, !name_to_handle_at(o->dir, o->name, h, &mount, flags), o->path, "%s",
		    strerror(errno)))
		return h;
	free(h);
	return NULL;
}

void t_stale(struct t_case *c, int root, struct file_handle *h, const char *at,
	     const char *what, uint32_t number)
{
	int fd = open_by_handle_at(root, h, O_PATH | O_CLOEXEC);

	t_check(c, fd < 0 && errno == ESTALE, at, "%s %u: %s", what, number,
		fd < 0 ? strerror(errno) : "opened");
	if (fd >= 0)
		close(fd);
}

static size_t path_push(const char *name)
{
	size_t len = strlen(path), need = len + strlen(name) + 2;

	if (need > path_room) {
		path_room = need * 2;
		path = realloc(path, path_room);
		if (!path)
			t_die(name, "realloc");
	}
	snprintf(path + len, path_room - len, "%s%s", len > 1 ? "/" : "", name);
	return len;
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

size_t t_names(int fd, const char *at, char ***names)
{
	DIR *d = fdopendir(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	size_t count = 0, room = 16;
	struct dirent *e;

	if (!d)
		t_die(at, "opendir");
	*names = t_alloc(room * sizeof(**names));
	for (errno = 0; (e = readdir(d)); errno = 0) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (count == room) {
			room *= 2;
			*names = realloc(*names, room * sizeof(**names));
			if (!*names)
				t_die(at, "realloc");
		}
		(*names)[count] = strdup(e->d_name);
		if (!(*names)[count++])
			t_die(at, "strdup");
	}
	if (errno)
		t_die(at, "readdir");
	closedir(d);
	qsort(*names, count, sizeof(**names), name_cmp);
	return count;
}

void t_free_names(char **names, size_t count)
{
	while (count)
		free(names[--count]);
	free(names);
}

static int open_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		t_die(path, "open");
	return fd;
}

static void walk(const struct t_walk *w, struct t_object *o)
{
	struct t_object sub;
	size_t count, step, i, cut;
	char **names;

	if (fstatat(o->dir, o->name, &o->st, AT_SYMLINK_NOFOLLOW))
		t_die(path, "lstat");
	if (o->ref_dir >= 0 &&
	    fstatat(o->ref_dir, o->name, &o->ref_st, AT_SYMLINK_NOFOLLOW))
		t_die(path, "lstat of the reference");
	o->path = path;
	w->visit(o);
	if (!S_ISDIR(o->st.st_mode))
		return;
	sub.dir = open_dir(o->dir, o->name);
	sub.ref_dir = o->ref_dir < 0 ? -1 : open_dir(o->ref_dir, o->name);
	count = t_names(sub.dir, path, &names);
	step = w->sample && count > w->sample ? count / w->sample : 1;
	for (i = 0; i < count; i += step) {
		/* mke2fs' own; nothing else has it. */
		if (!strcmp(path, "/") && !strcmp(names[i], "lost+found"))
			continue;
		cut = path_push(names[i]);
		sub.name = names[i];
		walk(w, &sub);
		path[cut] = 0;
	}
	t_free_names(names, count);
	close(sub.dir);
	if (sub.ref_dir >= 0)
		close(sub.ref_dir);
}

void t_walk(const struct t_walk *w)
{
	struct t_object root = { .name = "." };

	path_room = 4096;
	path = t_alloc(path_room);
	strcpy(path, "/");
	root.dir = open_dir(AT_FDCWD, w->root);
	root.ref_dir = w->ref ? open_dir(AT_FDCWD, w->ref) : -1;
	walk(w, &root);
	close(root.dir);
	if (w->ref)
		close(root.ref_dir);
	free(path);
}

void t_usage(const char *usage)
{
	fprintf(stderr, "usage: %s %s\n", tc_prefix, usage);
	exit(2);
}

static bool take_option(const struct t_option *o, const char *arg)
{
	const size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : NULL;
	char *end = "";

	for (; o->name; o++) {
		if (strlen(o->name) != len || memcmp(o->name, arg, len))
			continue;
		if (o->flag)
			*o->flag = true;
		else if (o->text)
			*o->text = value;
		else if (value)
			*o->number = strtoull(value, &end, 0);
		return !o->flag == !!value && !*end;
	}
	return false;
}

char **t_options(int argc, char **argv, const struct t_option *options, int operands,
		 const char *usage)
{
	for (argv++, argc--; argc && !strncmp(*argv, "--", 2); argv++, argc--) {
		if (!take_option(options, *argv + 2))
			t_usage(usage);
	}
	if (operands < 0 ? !argc : argc != operands)
		t_usage(usage);
	return argv;
}

void t_write(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		t_die(file, "write");
	close(fd);
}

uint64_t t_kib(const char *file, const char *key)
{
	char line[256];
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) || line[strlen(key)] != ':')
			continue;
		fclose(f);
		return strtoull(line + strlen(key) + 1, NULL, 10) << 10;
	}
	t_die(file, key);
}

void t_drop_caches(const char *what)
{
	sync();
	t_write("/proc/sys/vm/drop_caches", what);
}

uint64_t t_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

uint64_t t_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

void t_add_file(struct t_files *f, const char *file)
{
	if (!(f->count & (f->count - 1)))
		f->paths = realloc(f->paths, (2 * f->count + 1) * sizeof(*f->paths));
	if (f->paths)
		f->paths[f->count] = strdup(file);
	if (!f->paths || !f->paths[f->count++])
		t_die("memory", "list of files");
}

void t_read_list(struct t_files *f, const char *tree, const char *list)
{
	char line[4096], file[8192];
	FILE *lines = fopen(list, "r");

	if (!lines)
		t_die(list, "open");
	while (fgets(line, sizeof(line), lines)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(file, sizeof(file), "%s/%s", tree, line);
		t_add_file(f, file);
	}
	fclose(lines);
}

/* Fisher-Yates */
void t_shuffle(struct t_files *f, uint64_t seed)
{
	size_t i, j;
	char *tmp;

	for (i = f->count; i > 1; i--) {
		j = t_random(&seed) % i;
		tmp = f->paths[i - 1];
		f->paths[i - 1] = f->paths[j];
		f->paths[j] = tmp;
	}
}

/* Every line of /sys/dev/block/MAJOR:MINOR/stat begins with reads. */
struct t_counts t_device_counts(const char *at)
{
	struct t_counts c = { };
	struct stat st;
	char file[64];
	FILE *f;

	if (stat(at, &st))
		t_die(at, "stat");
	snprintf(file, sizeof(file), "/sys/dev/block/%u:%u/stat", major(st.st_dev),
		 minor(st.st_dev));
	f = fopen(file, "r");
	if (!f && !major(st.st_dev))
		return c;
	if (!f || fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &c.requests, &c.merges,
			 &c.sectors) != 3)
		t_die(file, "read");
	fclose(f);
	return c;
}
