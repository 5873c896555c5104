// SPDX-License-Identifier: GPL-2.0
/*
 * Files that the user named, with their places on the device.  Reading in the
 * order of places is the fastest.
 */
#include <fcntl.h>
#include <fts.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "array.h"
#include "fileset.h"
#include "list.h"
#include "msg.h"
#include "stop.h"
#include "work.h"

static int add_file(struct fileset *set, const char *path, const struct stat *st)
{
	struct fileset_file *f;

	if (set->nr == set->room) {
		const size_t room = set->room ? set->room * 2 : 1024;

		f = reallocarray(set->v, room, sizeof(*f));
		if (!f)
			goto nomem;
		set->v = f;
		set->room = room;
	}
	f = &set->v[set->nr];
	*f = (struct fileset_file){
		.path = strdup(path),
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = st->st_size,
		.start = NOWHERE,
		.given = set->nr,
	};
	if (!f->path)
		goto nomem;
	set->nr++;
	set->bytes += f->size;
	return 0;
nomem:
	return no_memory();
}

static int add_entry(struct fileset *set, const FTSENT *e)
{
	switch (e->fts_info) {
	case FTS_DP:
		return 0;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		set->errors++;
		msg_error(e->fts_path, "%s", strerror(e->fts_errno));
		return 0;
	}
	if (e->fts_info != FTS_F || !S_ISREG(e->fts_statp->st_mode))
		return 0;
	return add_file(set, e->fts_path, e->fts_statp);
}

static int add_path(struct fileset *set, const char *path)
{
	char *roots[2];
	int ret = 0;
	FTSENT *e;
	FTS *fts;

	roots[0] = (char *)path;
	roots[1] = NULL;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	if (!fts) {
		set->errors++;
		msg_error(path, "%s", strerror(errno));
		return errno == ENOMEM ? -ENOMEM : 0;
	}
	while (!ret && !stop_asked()) {
		errno = 0;
		e = fts_read(fts);
		if (e) {
			ret = add_entry(set, e);
			continue;
		}
		if (errno) {
			set->errors++;
			msg_error(path, "%s", strerror(errno));
		}
		break;
	}
	fts_close(fts);
	return ret;
}

/* Add the object of a line of a list; most lines name a file, which needs no fts(3). */
static int add_line(void *ctx, char *line, size_t len, u64 number)
{
	struct fileset *set = ctx;
	struct stat st;

	if (strlen(line) != len) {
		set->errors++;
		msg_error(NULL, "entry %llu: not a path", number);
		return 0;
	}
	if (stop_asked())
		return -EINTR;
	if (*list_hint(line) && lstat(line, &st) && errno == ENOENT) {
		set->errors++;
		msg_error(line, "%s: entry %llu%s", strerror(errno), number, list_hint(line));
		return 0;
	}
	if (stat(line, &st) || !S_ISREG(st.st_mode))
		return add_path(set, line);
	return add_file(set, line, &st);
}

static int add_list(struct fileset *set, const char *list, bool null)
{
	int ret = list_read(list, null, add_line, set);

	if (!ret || stop_asked() || ret == -ENOMEM)
		return ret == -ENOMEM ? ret : 0;
	set->errors++;
	return 0;
}

int fileset_add(struct fileset *set, const char *list, bool null, char *const *paths)
{
	int ret = list ? add_list(set, list, null) : 0;

	for (; !ret && *paths && !stop_asked(); paths++)
		ret = add_path(set, *paths);
	return ret;
}

/*
 * Find the place of a file by its first extent, which is enough for contiguous
 * files.
 */
static u64 start_of(int fd)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + sizeof(struct fiemap_extent)];
	} u = { .map = { .fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = 1 } };
	const struct fiemap_extent *e = u.map.fm_extents;

	if (ioctl(fd, FS_IOC_FIEMAP, &u.map) || !u.map.fm_mapped_extents ||
	    e->fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC))
		return NOWHERE;
	return e->fe_physical;
}

static void place_file(void *ctx, size_t i)
{
	struct fileset_file *f = &((struct fileset *)ctx)->v[i];
	int fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	/* errors are reported when the file is read */
	if (fd < 0)
		return;
	f->start = start_of(fd);
	close(fd);
}

static int by_place(const void *p, const void *q)
{
	const struct fileset_file *a = p, *b = q;

	return array_order(a->dev, b->dev) ?: array_order(a->start, b->start) ?:
	       array_order(a->given, b->given);
}

static int by_inode(const void *p, const void *q)
{
	const struct fileset_file *a = p, *b = q;

	return array_order(a->dev, b->dev) ?: array_order(a->ino, b->ino) ?:
	       array_order(a->given, b->given);
}

static void drop_links(struct fileset *set)
{
	struct fileset_file *v = set->v;
	size_t kept = 0;

	qsort(v, set->nr, sizeof(*v), by_inode);
	for (size_t i = 0; i < set->nr; i++) {
		if (kept && v[kept - 1].dev == v[i].dev && v[kept - 1].ino == v[i].ino) {
			set->bytes -= v[i].size;
			free(v[i].path);
			continue;
		}
		v[kept++] = v[i];
	}
	set->nr = kept;
}

u64 fileset_place(struct fileset *set, unsigned int jobs)
{
	u64 known = 0;

	if (!set->nr)
		return 0;
	drop_links(set);
	work_run(jobs, set->nr, place_file, set);
	qsort(set->v, set->nr, sizeof(*set->v), by_place);
	for (size_t i = 0; i < set->nr; i++)
		known += set->v[i].start != NOWHERE;
	return known;
}

void fileset_free(struct fileset *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free(set->v[i].path);
	free(set->v);
	*set = (struct fileset){ };
}
