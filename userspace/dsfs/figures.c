// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of mounts.  The kernel shows a directory for each in /sys/fs/dsfs,
 * named after the device.  Mount points are in /proc/self/mountinfo, by device
 * number, and /sys/dev/block has the name of a number.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "figures.h"
#include "msg.h"
#include "parse.h"

#define REQUEST(file, kind)						\
	{ file, "dsfs_requests_total", kind, true,			\
	  "Requests sent to the device, by what for." }
#define BYTES(file, kind)						\
	{ file, "dsfs_request_bytes_total", kind, true,			\
	  "Bytes asked of the device, by what for." }
#define COUNTER(file, metric, help)					\
	{ file, metric "_total", NULL, true, help }

const struct figure figures[FIGURES] = {
	[FIG_METADATA] = { "metadata_bytes", "dsfs_metadata_bytes", NULL, false,
		"Metadata in the image, in bytes." },
	[FIG_RESIDENT] = { "metadata_resident_bytes", "dsfs_metadata_resident_bytes",
		NULL, false, "Metadata that the mount keeps in memory, in bytes." },
	[FIG_BAD_BLOCKS] = { "metadata_bad_blocks", "dsfs_metadata_bad_blocks", NULL,
		false, "Metadata blocks that were unreadable or damaged at mount." },
	[FIG_CHECKSUM_ERRORS] = COUNTER("checksum_errors", "dsfs_checksum_errors",
		"Checksums that were wrong."),
	[FIG_IO_ERRORS] = COUNTER("io_errors", "dsfs_io_errors",
		"Reads that the device failed."),
	[FIG_STRUCTURE_ERRORS] = COUNTER("structure_errors", "dsfs_structure_errors",
		"Structures met that broke a rule of the format."),
	[FIG_OPENS] = COUNTER("stats/opens", "dsfs_opens", "Regular files opened."),
	[FIG_WHOLE_READS] = COUNTER("stats/whole_reads", "dsfs_whole_reads",
		"First reads that brought in a file whole."),
	[FIG_REQUESTS] = REQUEST("stats/requests_whole", "whole"),
	REQUEST("stats/requests_ahead", "ahead"),
	REQUEST("stats/requests_page", "page"),
	REQUEST("stats/requests_direct", "direct"),
	REQUEST("stats/requests_metadata", "metadata"),
	[FIG_BYTES] = BYTES("stats/bytes_whole", "whole"),
	BYTES("stats/bytes_ahead", "ahead"),
	BYTES("stats/bytes_page", "page"),
	BYTES("stats/bytes_direct", "direct"),
	BYTES("stats/bytes_metadata", "metadata"),
	[FIG_CACHE_ADMITTED] = COUNTER("stats/cache_admitted", "dsfs_cache_admitted_files",
		"Files that the epoch cache admitted."),
	[FIG_CACHE_TRANSIENT] = COUNTER("stats/cache_transient",
		"dsfs_cache_transient_files",
		"Files that the epoch cache did not admit for lack of room."),
	[FIG_CACHE_LOST] = COUNTER("stats/cache_lost_pages", "dsfs_cache_lost_pages",
		"Pages of the epoch cache that memory reclaim took."),
	[FIG_CACHE_HELD] = { "cache_held", "dsfs_cache_held_bytes", NULL, false,
		"Bytes in the page cache that the epoch cache admitted." },
	[FIG_CACHE_TARGET] = { "cache_target", "dsfs_cache_target_bytes", NULL, false,
		"Bytes that the epoch cache admits files up to." },
	[FIG_PREFETCH_ISSUED] = COUNTER("stats/prefetch_issued", "dsfs_prefetch_issued_files",
		"Files that were read because a hint asked for it."),
	[FIG_PREFETCH_USED] = COUNTER("stats/prefetch_used", "dsfs_prefetch_used_files",
		"Files of these that were then read."),
	[FIG_PREFETCH_DROPPED] = COUNTER("stats/prefetch_dropped",
		"dsfs_prefetch_dropped_files", "Hints that did nothing."),
};

u64 figures_sum(const struct mount_info *m, enum figure_id first)
{
	u64 sum = 0;

	for (int i = 0; i < FIG_KINDS; i++)
		sum += m->value[first + i];
	return sum;
}

u64 figures_errors(const struct mount_info *m)
{
	return m->value[FIG_BAD_BLOCKS] + m->value[FIG_CHECKSUM_ERRORS] +
	       m->value[FIG_IO_ERRORS] + m->value[FIG_STRUCTURE_ERRORS];
}

/*
 * Read a file of sysfs, without its newline.  Return: 0 or a negative errno;
 * -ENODEV if the mount is going away.
 */
static int read_file(const char *dir, const char *file, char *buf, size_t size)
{
	char *path;
	FILE *f;
	int ret = 0;

	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return -ENOMEM;
	f = fopen(path, "re");
	free(path);
	if (!f)
		return -errno;
	if (!fgets(buf, size, f)) {
		ret = ferror(f) ? -errno : 0;
		buf[0] = '\0';
	}
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return ret;
}

static bool gone(int ret)
{
	return ret == -ENOENT || ret == -ENODEV;
}

static int bad_value(const char *dir, const char *file, const char *value)
{
	msg_error(dir, "%s: not a number: %s", file, value);
	return -EINVAL;
}

static int read_values(const char *dir, struct mount_info *m)
{
	char buf[64];
	int i, ret;

	for (i = 0; i < FIGURES; i++) {
		ret = read_file(dir, figures[i].file, buf, sizeof(buf));
		if (gone(ret))
			continue;
		if (!ret && parse_u64(buf, &m->value[i]))
			return bad_value(dir, figures[i].file, buf);
		if (ret) {
			msg_error(dir, "%s: %s", figures[i].file, strerror(-ret));
			return ret;
		}
		m->there[i] = true;
	}
	return 0;
}

/* Copy a line of a text. */
static int read_text(const char *dir, const char *file, char **text)
{
	char buf[512];
	int ret = read_file(dir, file, buf, sizeof(buf));

	if (ret)
		return ret;
	*text = strdup(buf);
	return *text ? 0 : -ENOMEM;
}

/* Read the figures of a mount.  Return: -ENOENT, without a message, if it is gone. */
static int read_mount(const struct figures_source *src, const char *device,
		      struct mount_info *m)
{
	char buf[64], *dir;
	int ret;

	m->device = strdup(device);
	if (!m->device || asprintf(&dir, "%s/fs/dsfs/%s", src->sysfs, device) < 0)
		return no_memory();
	ret = read_text(dir, "uuid", &m->uuid);
	if (!ret)
		ret = read_text(dir, "label", &m->label);
	if (!ret)
		ret = read_file(dir, "generation", buf, sizeof(buf));
	if (gone(ret))
		ret = -ENOENT;
	else if (ret)
		msg_error(dir, "%s", strerror(-ret));
	else if (parse_u64(buf, &m->generation))
		ret = bad_value(dir, "generation", buf);
	else
		ret = read_values(dir, m);
	free(dir);
	return ret;
}

static void free_mount(struct mount_info *m)
{
	free(m->device);
	free(m->uuid);
	free(m->label);
	for (size_t i = 0; i < m->nr_points; i++)
		free(m->points[i]);
	free(m->points);
}

void figures_free(struct mount_set *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free_mount(&set->v[i]);
	free(set->v);
	*set = (struct mount_set){ };
}

static int add_mount(const struct figures_source *src, struct mount_set *set,
		     const char *device)
{
	struct mount_info *v, m = { };
	int ret;

	ret = read_mount(src, device, &m);
	if (!ret) {
		v = realloc(set->v, (set->nr + 1) * sizeof(*v));
		if (v) {
			set->v = v;
			v[set->nr++] = m;
			return 0;
		}
		ret = no_memory();
	}
	free_mount(&m);
	return ret;
}

/* --- where it is mounted ------------------------------------------------------ */

/* Decode \ooo, which mountinfo writes for white space and backslashes. */
static void unescape(char *s)
{
	char *to = s;
	int n;

	for (; *s; s += n) {
		n = 1;
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*to++ = (s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0');
			n = 4;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Get the name of device number MAJOR:MINOR.  Return: false if it has none. */
static bool device_name(const struct figures_source *src, const char *number,
			char *name, size_t size)
{
	char link[512], *path;
	const char *base;
	ssize_t n;

	if (asprintf(&path, "%s/dev/block/%s", src->sysfs, number) < 0)
		return false;
	n = readlink(path, link, sizeof(link) - 1);
	free(path);
	if (n < 0)
		return false;
	link[n] = '\0';
	base = strrchr(link, '/');
	base = base ? base + 1 : link;
	return (size_t)snprintf(name, size, "%s", base) < size;
}

static struct mount_info *find(struct mount_set *set, const char *device)
{
	for (size_t i = 0; i < set->nr; i++) {
		if (!strcmp(set->v[i].device, device))
			return &set->v[i];
	}
	return NULL;
}

static int add_point(struct mount_info *m, const char *point)
{
	char **points = realloc(m->points, (m->nr_points + 1) * sizeof(*points));

	if (!points)
		return no_memory();
	m->points = points;
	points[m->nr_points] = strdup(point);
	if (!points[m->nr_points])
		return no_memory();
	m->nr_points++;
	return 0;
}

/* "36 35 98:0 /root /mount/point options [optional]... - type source options" */
static int mountinfo_line(const struct figures_source *src, struct mount_set *set,
			  char *line)
{
	char number[32], name[256], *type = strstr(line, " - "), *point = NULL;
	struct mount_info *m;
	int ret = 0;

	if (!type || strncmp(type, " - dsfs ", 8))
		return 0;
	if (sscanf(line, "%*s %*s %31s %*s %ms", number, &point) == 2 &&
	    device_name(src, number, name, sizeof(name))) {
		m = find(set, name);
		unescape(point);
		if (m)
			ret = add_point(m, point);
	}
	free(point);
	return ret;
}

static int read_points(const struct figures_source *src, struct mount_set *set)
{
	FILE *f = fopen(src->mountinfo, "re");
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (!f) {
		ret = -errno;
		msg_error(src->mountinfo, "%s", strerror(errno));
		return ret;
	}
	while (!ret && getline(&line, &size, f) >= 0)
		ret = mountinfo_line(src, set, line);
	free(line);
	fclose(f);
	return ret;
}

/* --- which ones ---------------------------------------------------------------- */

static int by_device(const void *a, const void *b)
{
	const struct mount_info *x = a, *y = b;

	return strcmp(x->device, y->device);
}

static int read_all(const struct figures_source *src, struct mount_set *set)
{
	struct dirent *e;
	char *path;
	DIR *dir;
	int ret = 0;

	if (asprintf(&path, "%s/fs/dsfs", src->sysfs) < 0)
		return no_memory();
	dir = opendir(path);
	/* without the module there are no mounts */
	if (!dir && errno != ENOENT) {
		ret = -errno;
		msg_error(path, "%s", strerror(errno));
	}
	while (dir && !ret && (e = readdir(dir))) {
		if (e->d_name[0] != '.')
			ret = add_mount(src, set, e->d_name);
		if (ret == -ENOENT)
			ret = 0;
	}
	if (dir)
		closedir(dir);
	free(path);
	if (ret)
		return ret;
	if (set->nr)
		qsort(set->v, set->nr, sizeof(*set->v), by_device);
	return set->nr ? read_points(src, set) : 0;
}

static bool is_mounted_at(const struct mount_info *m, const char *point)
{
	for (size_t i = 0; i < m->nr_points; i++) {
		if (!strcmp(m->points[i], point))
			return true;
	}
	return false;
}

/* Find the mount of a NAME of the user; NULL after a message. */
static struct mount_info *resolve(const struct figures_source *src,
				  struct mount_set *all, const char *name)
{
	char number[32], device[256];
	struct mount_info *m;
	struct stat st;
	dev_t dev;

	for (size_t i = 0; i < all->nr; i++) {
		if (!strcmp(all->v[i].device, name) || is_mounted_at(&all->v[i], name))
			return &all->v[i];
	}
	if (stat(name, &st)) {
		msg_error(name, "%s", strerror(errno));
		return NULL;
	}
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	snprintf(number, sizeof(number), "%u:%u", major(dev), minor(dev));
	m = NULL;
	if (device_name(src, number, device, sizeof(device)))
		m = find(all, device);
	if (!m)
		msg_error(name, S_ISBLK(st.st_mode) ? "not mounted as dsfs" :
			  "not on a mounted dsfs");
	return m;
}

/* Remove mounts that no name stands for. */
static int choose(const struct figures_source *src, char *const *names,
		  struct mount_set *set)
{
	struct mount_info *m;
	size_t kept = 0;

	for (; *names; names++) {
		m = resolve(src, set, *names);
		if (!m)
			return -ENOENT;
		m->chosen = true;
	}
	for (size_t i = 0; i < set->nr; i++) {
		if (set->v[i].chosen)
			set->v[kept++] = set->v[i];
		else
			free_mount(&set->v[i]);
	}
	set->nr = kept;
	return 0;
}

int figures_read(const struct figures_source *src, char *const *names,
		 struct mount_set *set)
{
	int ret;

	*set = (struct mount_set){ };
	ret = read_all(src, set);
	if (!ret && names && *names)
		ret = choose(src, names, set);
	if (ret)
		figures_free(set);
	return ret;
}
