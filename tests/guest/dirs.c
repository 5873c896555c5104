// SPDX-License-Identifier: GPL-2.0
/*
 * dirs - directories: what getdents64 says in which order, where one can seek
 * to, and which names are found.
 *
 * The system call is used bare, with buffers of any size: libc's readdir would
 * read ahead and hide at which entry a position points.
 *
 * Beyond POSIX, DSFS promises names in byte order, the same at every reading, and positions that
 * grow.
 */
#include "lib.h"

#define SMALLEST	280	/* a buffer that takes the longest name */
#define LARGE		65536
#define SEEKS		200	/* positions of a directory to seek to */
#define LOOKUPS		300
#define JUMPS		50	/* of the position, by another process */

struct entry {
	char *name;
	uint64_t ino;
	int64_t next;		/* d_off: the position behind it */
	unsigned char type;
};

struct listing {
	struct entry *e;
	size_t count;
};

T_CASE(order, "getdents64 gives every entry once")
T_CASE(sorted, "names in byte order, positions grow")
T_CASE(types, "d_type and d_ino are those of stat")
T_CASE(dots, "dot and dot-dot")
T_CASE(small, "small buffers")
T_CASE(seeks, "seeks to every position")
T_CASE(rewinds, "rewind, two descriptors")
T_CASE(shared, "a descriptor that somebody else seeks")
T_CASE(odd, "odd positions")
T_CASE(lookups, "names that are there")
T_CASE(missing, "names that are not there")
T_CASE(toolong, "names too long, wrong types")

static long getdents(int fd, void *buf, size_t len)
{
	return syscall(SYS_getdents64, fd, buf, len);
}

static void add(struct listing *l, const struct dirent64 *d)
{
	struct entry *e;

	if (!(l->count & (l->count - 1))) {
		l->e = realloc(l->e, (l->count ? l->count * 2 : 1) * sizeof(*l->e));
		if (!l->e)
			t_die("memory", "realloc");
	}
	e = l->e + l->count++;
	e->name = strdup(d->d_name);
	e->ino = d->d_ino;
	e->next = d->d_off;
	e->type = d->d_type;
}

static void free_listing(struct listing *l)
{
	while (l->count)
		free(l->e[--l->count].name);
	free(l->e);
	l->e = NULL;
}

/* From @fd's position on, @room bytes a call, @max entries at most. */
static int read_entries(int fd, size_t room, size_t max, struct listing *l)
{
	static char buf[LARGE] __attribute__((aligned(8)));
	struct dirent64 *d;
	long n, at;

	l->e = NULL;
	l->count = 0;
	while (l->count < max) {
		n = getdents(fd, buf, room);
		if (n <= 0)
			return n;
		for (at = 0; at < n && l->count < max; at += d->d_reclen) {
			d = (struct dirent64 *)(buf + at);
			add(l, d);
		}
	}
	return 0;
}

static bool is_dot(const struct entry *e)
{
	return !strcmp(e->name, ".") || !strcmp(e->name, "..");
}

static int entry_cmp(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Against the reference's names; the first two entries are the dots. */
static void check_names(const char *path, const struct listing *l, int ref)
{
	size_t count, n = 0, e = 2;
	char **names;

	count = t_names(ref, path, &names);
	for (; n < count; n++) {
		/* mke2fs' own */
		if (!strcmp(names[n], "lost+found"))
			continue;
		if (!t_check(&order, e < l->count && !strcmp(l->e[e].name, names[n]), path,
			     "%s, the reference has %s", e < l->count ? l->e[e].name : "no more",
			     names[n]))
			break;
		e++;
	}
	t_check(&order, e == l->count || n < count, path, "%zu names too many", l->count - e);
	t_free_names(names, count);
}

static void check_sorted(const char *path, const struct listing *l)
{
	size_t i;

	for (i = 3; i < l->count; i++)
		t_check(&sorted, strcmp(l->e[i - 1].name, l->e[i].name) < 0, path,
			"%s before %s", l->e[i - 1].name, l->e[i].name);
	for (i = 0; i < l->count; i++)
		t_check(&sorted, l->e[i].next > (i ? l->e[i - 1].next : 0), path,
			"position %lld behind %s", (long long)l->e[i].next, l->e[i].name);
}

static void check_types(const char *path, int fd, const struct listing *l)
{
	struct stat st;
	size_t i, step = l->count > LOOKUPS ? l->count / LOOKUPS : 1;

	for (i = 2; i < l->count; i += step) {
		const struct entry *e = l->e + i;

		if (is_dot(e))
			continue;
		if (fstatat(fd, e->name, &st, AT_SYMLINK_NOFOLLOW)) {
			t_check(&lookups, false, path, "%s: %s", e->name, strerror(errno));
			continue;
		}
		lookups.checks++;
		t_check(&types, st.st_ino == e->ino, path, "%s: d_ino %llu, st_ino %llu", e->name,
			(unsigned long long)e->ino, (unsigned long long)st.st_ino);
		t_check(&types, e->type == IFTODT(st.st_mode), path,
			"%s: d_type %u, mode %o", e->name, e->type, st.st_mode);
	}
}

static void check_dots(const char *path, int fd, const struct listing *l)
{
	struct stat self, parent;
	size_t i, found = 0;

	if (fstat(fd, &self) || fstatat(fd, "..", &parent, 0))
		t_die(path, "stat");
	for (i = 0; i < l->count; i++) {
		const struct entry *e = l->e + i;

		if (!is_dot(e))
			continue;
		found++;
		t_check(&dots, i < 2 && strlen(e->name) == i + 1 && e->type == DT_DIR, path,
			"%s is number %zu, d_type %u", e->name, i, e->type);
		if (!strcmp(e->name, "."))
			t_check(&dots, e->ino == self.st_ino, path, ".: d_ino %llu, st_ino %llu",
				(unsigned long long)e->ino, (unsigned long long)self.st_ino);
		else if (strcmp(path, "/"))
			t_check(&dots, e->ino == parent.st_ino, path, "..: d_ino %llu, st_ino %llu",
				(unsigned long long)e->ino, (unsigned long long)parent.st_ino);
		else
			t_check(&dots, e->ino == self.st_ino, path, "..: d_ino of the root is %llu",
				(unsigned long long)e->ino);
	}
	t_check(&dots, found == 2, path, "%zu of them", found);
}

static bool same(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->name, b->name) && a->ino == b->ino && a->type == b->type &&
	       a->next == b->next;
}

static void check_small(const char *path, int fd, const struct listing *l)
{
	struct listing s;
	char tiny[32];
	size_t i;

	lseek(fd, 0, SEEK_SET);
	if (!t_check(&small, !read_entries(fd, SMALLEST, SIZE_MAX, &s), path, "%s",
		     strerror(errno)))
		return;
	t_check(&small, s.count == l->count, path, "%zu entries instead of %zu", s.count, l->count);
	for (i = 0; i < s.count && i < l->count; i++)
		t_check(&small, same(s.e + i, l->e + i), path, "entry %zu differs: %s, %s", i,
			s.e[i].name, l->e[i].name);
	free_listing(&s);
	lseek(fd, 0, SEEK_SET);
	t_fails(&small, EINVAL, path, getdents(fd, tiny, 8));
	/* And nothing was lost by that. */
	if (!read_entries(fd, LARGE, 1, &s) && s.count)
		t_check(&small, same(s.e, l->e), path, "after EINVAL the first entry is %s",
			s.e->name);
	free_listing(&s);
}

/* From the last to the first, so that no position follows from the one before. */
static void check_seeks(const char *path, int fd, const struct listing *l)
{
	size_t step = l->count > SEEKS ? l->count / SEEKS : 1, i;
	struct listing s;

	for (i = l->count; i-- > 0; i = i > step ? i - step + 1 : 0) {
		int64_t to = l->e[i].next;

		if (!t_check(&seeks, lseek(fd, to, SEEK_SET) == to, path,
			     "to %lld, behind %s: %s", (long long)to, l->e[i].name,
			     strerror(errno)))
			continue;
		if (!t_check(&seeks, !read_entries(fd, SMALLEST, 1, &s), path,
			     "read at %lld: %s", (long long)to, strerror(errno)))
			continue;
		if (i + 1 == l->count)
			t_check(&seeks, !s.count, path, "%s behind the last entry",
				s.count ? s.e->name : "");
		else
			t_check(&seeks, s.count && same(s.e, l->e + i + 1), path,
				"at %lld there is %s instead of %s", (long long)to,
				s.count ? s.e->name : "nothing", l->e[i + 1].name);
		free_listing(&s);
		if (!i)
			break;
	}
}

static void check_rewind(const char *path, int fd, const struct listing *l)
{
	int other = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct listing a, b, rest;

	if (other < 0)
		t_die(path, "open");
	lseek(fd, 0, SEEK_SET);
	if (read_entries(fd, SMALLEST, 1, &a) || read_entries(other, LARGE, SIZE_MAX, &b) ||
	    lseek(fd, a.e[0].next, SEEK_SET) < 0 || read_entries(fd, SMALLEST, SIZE_MAX, &rest))
		t_die(path, "getdents64");
	t_check(&rewinds, b.count == l->count, path, "another descriptor: %zu of %zu entries",
		b.count, l->count);
	t_check(&rewinds, rest.count + 1 == l->count, path,
		"%zu of %zu entries behind the first, after another descriptor was read",
		rest.count, l->count);
	free_listing(&a);
	free_listing(&rest);
	t_check(&rewinds, lseek(fd, 0, SEEK_SET) == 0, path, "rewind: %s", strerror(errno));
	if (read_entries(fd, LARGE, 1, &a))
		t_die(path, "getdents64");
	t_check(&rewinds, a.count && same(a.e, l->e), path, "after a rewind: another first entry");
	free_listing(&a);
	free_listing(&b);
	close(other);
}

static void check_odd(const char *path, int fd, const struct listing *l)
{
	static const int64_t at[] = { INT64_MAX, INT64_MAX - 1, 1LL << 32, (1LL << 32) + 1 };
	struct listing s;
	size_t i;

	t_fails(&odd, EINVAL, path, lseek(fd, -1, SEEK_SET));
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		if (lseek(fd, at[i], SEEK_SET) < 0) {
			t_check(&odd, errno == EINVAL, path, "to %lld: %s", (long long)at[i],
				strerror(errno));
			continue;
		}
		t_check(&odd, !read_entries(fd, LARGE, SIZE_MAX, &s), path, "read at %lld: %s",
			(long long)at[i], strerror(errno));
		if (l->count < 1000000)
			t_check(&odd, !s.count, path, "at %lld there are %zu entries",
				(long long)at[i], s.count);
		free_listing(&s);
	}
}

static const struct entry *listed(const struct listing *l, const char *name)
{
	const struct entry key = { .name = (char *)name };

	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return l->e + strlen(name) - 1;
	return bsearch(&key, l->e + 2, l->count - 2, sizeof(key), entry_cmp);
}

/* Wherever the position is just then: what is read there is an entry as it is. */
static void check_shared(const char *path, int fd, const struct listing *l)
{
	const struct entry *e;
	struct listing s;
	pid_t pid = fork();
	size_t i;

	if (pid < 0)
		t_die(path, "fork");
	for (i = 0; !pid && i < JUMPS; i++)
		lseek(fd, l->e[i * 7919 % l->count].next, SEEK_SET);
	if (!pid)
		_exit(0);
	do {
		if (t_check(&shared, !read_entries(fd, SMALLEST, 1, &s), path, "%s",
			    strerror(errno)) && s.count) {
			e = listed(l, s.e->name);
			t_check(&shared, e && same(e, s.e), path, "%s is no entry", s.e->name);
		}
		free_listing(&s);
	} while (!waitpid(pid, NULL, WNOHANG));
}

/* Names beside those that exist: the places where a search could slip. */
static void check_missing(const char *path, int fd, const struct listing *l)
{
	size_t step = l->count > LOOKUPS ? l->count / LOOKUPS : 1, i, len;
	char name[300];
	struct stat st;
	int kind;

	for (i = 0; i < l->count; i += step) {
		for (kind = 0; kind < 4; kind++) {
			strcpy(name, l->e[i].name);
			len = strlen(name);
			if (is_dot(l->e + i) || len > 250)
				strcpy(name, "zzz"), len = 3;
			if (kind == 0)
				strcat(name, "x");
			else if (kind == 1)
				name[len - 1] = 0;
			else if (kind == 2)
				name[len - 1] ^= 1;
			else
				name[0] ^= 0x20;
			if (!*name || strchr(name, '/') || listed(l, name))
				continue;
			t_check(&missing, fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
				errno == ENOENT, path, "%s is found, or: %s", name,
				strerror(errno));
		}
	}
}

static void check_toolong(const char *path, int fd, const struct listing *l)
{
	char name[600];
	struct stat st;
	size_t i;

	memset(name, 'n', sizeof(name));
	name[256] = 0;
	t_fails(&toolong, ENAMETOOLONG, path, fstatat(fd, name, &st, 0));
	for (i = 0; i < l->count; i++) {
		if (l->e[i].type != DT_REG)
			continue;
		snprintf(name, sizeof(name), "%s/below", l->e[i].name);
		t_fails(&toolong, ENOTDIR, path, fstatat(fd, name, &st, 0));
		break;
	}
	lseek(fd, 0, SEEK_SET);
	t_fails(&toolong, EISDIR, path, read(fd, name, 10));
}

static void visit(const struct t_object *o)
{
	struct listing l;
	int fd, ref = -1;

	if (!S_ISDIR(o->st.st_mode))
		return;
	fd = openat(o->dir, o->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		t_die(o->path, "open");
	if (o->ref_dir >= 0)
		ref = openat(o->ref_dir, o->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!t_check(&order, !read_entries(fd, LARGE, SIZE_MAX, &l), o->path, "%s",
		     strerror(errno)))
		goto out;
	check_dots(o->path, fd, &l);
	check_sorted(o->path, &l);
	if (l.count < 2 || dots.failures || sorted.failures)
		goto unsorted;
	if (ref >= 0)
		check_names(o->path, &l, ref);
	check_types(o->path, fd, &l);
	check_seeks(o->path, fd, &l);
	check_small(o->path, fd, &l);
	check_rewind(o->path, fd, &l);
	check_shared(o->path, fd, &l);
	check_odd(o->path, fd, &l);
	check_missing(o->path, fd, &l);
	check_toolong(o->path, fd, &l);
unsorted:
	free_listing(&l);
out:
	close(fd);
	if (ref >= 0)
		close(ref);
}

/* One huge directory: what takes time in proportion to it once, no walk. */
static int huge(const char *dir, size_t entries)
{
	struct t_object o = { .path = "/", .dir = AT_FDCWD, .name = dir, .ref_dir = -1 };
	struct listing l;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &o.st))
		t_die(dir, "open");
	t_check(&order, !read_entries(fd, LARGE, SIZE_MAX, &l) && l.count == entries + 2, dir,
		"%zu instead of %zu", l.count - 2, entries);
	free_listing(&l);
	close(fd);
	visit(&o);
	return t_report_all();
}

int main(int argc, char **argv)
{
	struct t_walk w = { .visit = visit };
	uint64_t entries = 0;
	const struct t_option options[] = {
		{ "ref", .text = &w.ref }, { "entries", .number = &entries }, { }
	};

	t_init("dirs");
	w.root = *t_options(argc, argv, options, 1, "[--ref=DIR] [--entries=N] DIR\n"
			    "  --entries=N  DIR is one directory of N entries; do not walk");
	if (entries)
		return huge(w.root, entries);
	t_walk(&w);
	return t_report_all();
}
