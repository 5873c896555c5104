// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of problems.  A problem is named by path, and by inode number and
 * image offset for a closer look.  One defect can break a rule a million times,
 * so each kind is printed a few times and counted from then on.
 */
#include <stdarg.h>
#include <unistd.h>

#include "fsck.h"
#include "msg.h"

#define PER_KIND	16
#define DEPTH_MAX	65536

int report_init(struct fsck *f)
{
	pthread_mutex_init(&f->report.lock, NULL);
	f->report.per_kind = f->verbose ? UINT64_MAX : PER_KIND;
	if (f->json) {
		json_report(&f->j, true);
		json_str(&f->j, "image", f->img.path);
		json_begin_array(&f->j, "problems");
	}
	return 0;
}

/* Get the directory that an inode number belongs to. */
static bool get_holder(struct fsck *f, u32 ino, struct dsfs_dir_info *dir)
{
	const struct fdir *d = f->dirs.p;
	size_t lo = 0, hi = f->dirs.n, mid;
	struct dsfs_attr attr;
	struct dsfs_err err;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ino < d[mid].first)
			hi = mid;
		else
			lo = mid + 1;
	}
	/* lo: number of directories whose entries begin at or before it */
	return lo && d[lo - 1].self < ino &&
	       !dsfs_inode_get(f->src, d[lo - 1].self, &attr, &err) && S_ISDIR(attr.mode) &&
	       !dsfs_dir_get(f->src, &attr, dir, &err) && ino - d[lo - 1].first < dir->count;
}

/* Write the last component of the path of an inode before @at. */
static char *prepend_name(struct fsck *f, const struct dsfs_dir_info *dir, u32 ino, char *begin,
			  char *at)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct dsfs_err err;

	dsfs_dir_iter_init(&it, f->src, dir, ino - dir->first);
	if (dsfs_dir_iter_next(&it, &name, &err) == 1 && at - begin > name.len) {
		at -= name.len;
		memcpy(at, name.name, name.len);
		*--at = '/';
	} else {
		at = NULL;
	}
	dsfs_dir_iter_end(&it);
	return at;
}

/*
 * Build a path backwards in @buf; an inode without a name appears as its
 * number.  The number of a directory is lower than those of its entries, so the
 * loop ends.
 */
static const char *path_of(struct fsck *f, u32 ino, char *buf, size_t size)
{
	char *at = buf + size - 1, *to;
	struct dsfs_dir_info dir;

	*at = '\0';
	if (ino == DSFS_ROOT_INO)
		return "/";
	while (ino != DSFS_ROOT_INO) {
		to = f->src && get_holder(f, ino, &dir) ?
		     prepend_name(f, &dir, ino, buf, at) : NULL;
		if (!to) {
			char lost[24];
			int len = snprintf(lost, sizeof(lost), "<%u>", ino);

			if (at - buf >= len) {
				at -= len;
				memcpy(at, lost, len);
			}
			break;
		}
		at = to;
		ino = dir.self;
	}
	return at;
}

static struct problem_kind *kind_of(struct problems *r, const char *what, bool warn)
{
	size_t i;

	for (i = 0; i < r->nr_kinds; i++)
		if (!strcmp(r->kinds[i].what, what))
			return &r->kinds[i];
	if (i == KINDS_MAX)
		return &r->kinds[i - 1];
	r->kinds[r->nr_kinds++] = (struct problem_kind){ .what = what, .warning = warn };
	return &r->kinds[i];
}

static void show_json(struct fsck *f, const char *what, u32 ino, u64 pos,
		      const char *path, const char *text, bool warn)
{
	json_begin_object(&f->j, NULL);
	json_str(&f->j, "severity", warn ? "warning" : "error");
	json_str(&f->j, "kind", what);
	if (f->generations)
		json_u64(&f->j, "generation", f->geo->generation);
	if (ino != NO_INO) {
		json_str(&f->j, "path", path);
		json_u64(&f->j, "inode", ino);
	}
	if (pos != NO_POS)
		json_u64(&f->j, "offset", pos);
	json_str(&f->j, "text", text);
	json_end(&f->j);
}

static void show_text(struct fsck *f, const char *what, u32 ino, u64 pos,
		      const char *path, const char *text, bool warn)
{
	char where[96] = "";
	int n = 0;

	if (ino != NO_INO)
		n = snprintf(where, sizeof(where), "inode %u: ", ino);
	if (f->generations)
		n += snprintf(where + n, sizeof(where) - n,
			      "generation %llu: ", f->geo->generation);
	if (pos != NO_POS)
		snprintf(where + n, sizeof(where) - n, "offset %llu: ", pos);
	(warn ? msg_warn : msg_error)(ino != NO_INO ? path : f->img.path, "%s%s%s%s", where, what,
				      *text ? ": " : "", text);
}

void report_problem(struct fsck *f, bool warn, const char *what, u32 ino, u64 pos,
		    const char *fmt, ...)
{
	struct problems *r = &f->report;
	const char *path = "";
	struct problem_kind *kind;
	char text[256];
	va_list ap;
	char *buf;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&r->lock);
	kind = kind_of(r, what, warn);
	if (warn)
		r->warnings++;
	else
		r->errors++;
	if (kind->count++ < r->per_kind) {
		buf = ino != NO_INO ? malloc(DEPTH_MAX) : NULL;
		if (buf)
			path = path_of(f, ino, buf, DEPTH_MAX);
		if (f->json)
			show_json(f, what, ino, pos, path, text, warn);
		else if (!warn || !f->quiet)
			show_text(f, what, ino, pos, path, text, warn);
		free(buf);
	}
	pthread_mutex_unlock(&r->lock);
}

void problem_err(struct fsck *f, u32 ino, u64 pos, const struct dsfs_err *err, int ret)
{
	const char *what = err->what ? err->what : "error";

	__atomic_store_n(&f->incomplete, true, __ATOMIC_RELAXED);
	if (ret == -EBADMSG)
		problem(f, what, ino, pos, "%#llx, expected %#llx: %s", err->value, err->limit,
			msg_why(-ret));
	else
		problem(f, what, ino, pos, "%llu (%#llx), limit %llu (%#llx): %s", err->value,
			err->value, err->limit, err->limit, msg_why(-ret));
}

static void end_json(struct fsck *f, bool failed)
{
	struct problems *r = &f->report;

	json_end(&f->j);
	json_u64(&f->j, "errors", r->errors);
	json_u64(&f->j, "warnings", r->warnings);
	json_bool(&f->j, "cancelled", stop_asked());
	json_bool(&f->j, "failed", failed);
	json_begin_object(&f->j, "kinds");
	for (size_t i = 0; i < r->nr_kinds; i++)
		json_u64(&f->j, r->kinds[i].what, r->kinds[i].count);
	json_end(&f->j);
	if (f->generations) {
		json_u64(&f->j, "generation", f->newest.generation);
		json_u64(&f->j, "generations", f->generations);
		json_u64(&f->j, "inodes", f->newest.inodes - 1);
		json_u64(&f->j, "dirs", f->newest.dirs);
		json_u64(&f->j, "files", f->all_files);
		json_u64(&f->j, "content_bytes", f->all_content);
	}
	json_end(&f->j);
}

void report_end(struct fsck *f, bool failed)
{
	struct problems *r = &f->report;

	if (f->json) {
		end_json(f, failed);
		return;
	}
	for (size_t i = 0; i < r->nr_kinds; i++) {
		const struct problem_kind *k = &r->kinds[i];

		if (k->count > r->per_kind && (!k->warning || !f->quiet))
			msg_error(f->img.path, "%s: %llu more of this kind", k->what,
				  k->count - r->per_kind);
	}
	if (f->quiet || failed)
		return;
	printf("%s: ", f->img.path);
	if (stop_asked())
		printf("cancelled, ");
	if (r->errors)
		printf("%llu error%s", r->errors, msg_s(r->errors));
	else
		printf(stop_asked() ? "no errors so far" : "clean");
	if (r->warnings)
		printf(", %llu warning%s", r->warnings, msg_s(r->warnings));
	if (f->generations)
		printf(", %llu inode%s, %u director%s, %llu byte%s of files",
		       f->newest.inodes - 1, msg_s(f->newest.inodes - 1), f->newest.dirs,
		       msg_ies(f->newest.dirs), f->all_content, msg_s(f->all_content));
	if (f->generations > 1)
		printf(", %llu generations", f->generations);
	putchar('\n');
}

/* Print a line of progress as e2fsck(8) does for fsck(8): pass, done, total, device. */
static void pass_line(struct fsck *f, u64 done)
{
	dprintf(f->progress_fd, "%d %llu %llu %s\n", f->pass, done, f->pass_total, f->img.path);
}

void pass_begin(struct fsck *f, const char *label, u64 total, bool bytes)
{
	f->pass++;
	f->pass_done = 0;
	f->pass_total = total;
	if (f->verbose && !f->json)
		printf("Pass %d: %s\n", f->pass, label);
	if (f->progress_fd > 0)
		pass_line(f, 0);
	if (bytes)
		progress_start(&f->bar, label, total);
	else
		progress_start_count(&f->bar, label, total);
}

void pass_add(struct fsck *f, u64 n)
{
	u64 done, step = f->pass_total / 100 + 1;

	progress_add(&f->bar, n);
	if (f->progress_fd <= 0)
		return;
	done = __atomic_add_fetch(&f->pass_done, n, __ATOMIC_RELAXED);
	if (done / step != (done - n) / step)
		pass_line(f, done);
}

void pass_end(struct fsck *f)
{
	if (f->progress_fd > 0)
		pass_line(f, f->pass_total);
	progress_end(&f->bar);
}
