// SPDX-License-Identifier: GPL-2.0
/*
 * Statistics of mounts.  The kernel shows a directory for each in /sys/fs/dsfs,
 * named after the device.  Mount points are in /proc/self/mountinfo, by device
 * number, and /sys/dev/block has the name of a number.
 */
#include <argz.h>
#include <fcntl.h>
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
	[FIG_IO_ERRORS] = COUNTER("io_errors", "dsfs_io_errors", "Reads that the device failed."),
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
	[FIG_CACHE_TRANSIENT] = COUNTER("stats/cache_transient", "dsfs_cache_transient_files",
		"Files that the epoch cache did not admit for lack of room."),
	[FIG_CACHE_LOST] = COUNTER("stats/cache_lost_pages", "dsfs_cache_lost_pages",
		"Pages of the epoch cache that memory reclaim took."),
	[FIG_CACHE_HELD] = { "cache_held", "dsfs_cache_held_bytes", NULL, false,
		"Bytes in the page cache that the epoch cache admitted." },
	[FIG_CACHE_TARGET] = { "cache_target", "dsfs_cache_target_bytes", NULL, false,
		"Bytes that the epoch cache admits files up to." },
	[FIG_PREFETCH_ISSUED] = COUNTER("stats/prefetch_issued", "dsfs_prefetch_issued_files",
		"Files that were read because a hint asked for it."),
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
 * Read a file of sysfs, without its newline.  Return: 0; -ENOENT if there is none, or the mount
 * is going away; or a negative errno after a message.
 */
static int read_text(const char *dir, const char *file, char *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	ret = n < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (ret == -ENOENT || ret == -ENODEV)
		return -ENOENT;
	if (ret)
		return msg_fail(ret, dir, "%s: %s", file, strerror(-ret));
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return 0;
}

static int read_number(const char *dir, const char *file, u64 *v)
{
	char buf[64];
	int ret = read_text(dir, file, buf, sizeof(buf));

	if (ret || !parse_u64(buf, v))
		return ret;
	return msg_fail(-EINVAL, dir, "%s: not a number: %s", file, buf);
}

/* Read the figures of a mount.  Return: as read_text(). */
static int read_mount(const struct figures_source *src, const char *device, struct mount_info *m)
{
	char dir[PATH_MAX];
	int i, ret;

	*m = (struct mount_info){ };
	snprintf(m->device, sizeof(m->device), "%s", device);
	snprintf(dir, sizeof(dir), "%s/fs/dsfs/%s", src->sysfs, device);
	ret = read_text(dir, "uuid", m->uuid, sizeof(m->uuid)) ?:
	      read_text(dir, "label", m->label, sizeof(m->label)) ?:
	      read_number(dir, "generation", &m->generation);
	for (i = 0; !ret && i < FIGURES; i++) {
		ret = read_number(dir, figures[i].file, &m->value[i]);
		m->there[i] = !ret;
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

void figures_free(struct mount_set *set)
{
	while (set->nr)
		free(set->v[--set->nr].points);
	free(set->v);
	set->v = NULL;
}

static int add_mount(const struct figures_source *src, struct mount_set *set, const char *device)
{
	struct mount_info *v = reallocarray(set->v, set->nr + 1, sizeof(*v));
	int ret;

	if (!v)
		return no_memory();
	set->v = v;
	ret = read_mount(src, device, &v[set->nr]);
	if (!ret)
		set->nr++;
	return ret == -ENOENT ? 0 : ret;
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
	char link[512], path[PATH_MAX];
	const char *base;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/dev/block/%s", src->sysfs, number);
	n = readlink(path, link, sizeof(link) - 1);
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

/* "36 35 98:0 /root /mount/point options [optional]... - type source options" */
static int mountinfo_line(const struct figures_source *src, struct mount_set *set, char *line)
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
		if (m && argz_add(&m->points, &m->points_len, point))
			ret = no_memory();
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

	if (!f)
		return msg_fail(-errno, src->mountinfo, "%s", strerror(errno));
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
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/fs/dsfs", src->sysfs);
	dir = opendir(path);
	if (!dir) {
		/* without the module there are no mounts */
		if (errno == ENOENT)
			return 0;
		return msg_fail(-errno, path, "%s", strerror(errno));
	}
	while (!ret && (e = readdir(dir))) {
		if (e->d_name[0] != '.')
			ret = add_mount(src, set, e->d_name);
	}
	closedir(dir);
	if (ret || !set->nr)
		return ret;
	qsort(set->v, set->nr, sizeof(*set->v), by_device);
	return read_points(src, set);
}

static bool is_mounted_at(const struct mount_info *m, const char *point)
{
	const char *p = NULL;

	while ((p = argz_next(m->points, m->points_len, p))) {
		if (!strcmp(p, point))
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

/* Remove the mounts that none of the names means. */
static int choose(const struct figures_source *src, char *const *names, struct mount_set *set)
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
			free(set->v[i].points);
	}
	set->nr = kept;
	return 0;
}

int figures_read(const struct figures_source *src, char *const *names, struct mount_set *set)
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
