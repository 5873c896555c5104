// SPDX-License-Identifier: GPL-2.0
/*
 * An image in pieces becomes one device: dm-linear over the pieces, and a loop device for each that
 * is a file.  All are read-only, and go with the mount: the device is removed when nobody has it
 * open any more, which loop devices wait for.
 *
 * The requests are those of <linux/dm-ioctl.h>.  dmsetup(8) shows the device as dsfs-PID.
 */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "imagemsg.h"
#include "mount.h"
#include "msg.h"
#include "pieces.h"

#define CONTROL		"/dev/mapper/control"
#define SECTOR		512
#define LOOPS_MAX	256	/* pieces of a mount */
#define TRIES		64	/* names of a device */
/* A row of the table: where a piece is, as "MAJOR:MINOR 0" */
#define ROW		(sizeof(struct dm_target_spec) + 32)

/**
 * struct piece_device - the device
 * @control: open, of the device mapper
 * @files: what each piece was opened as, up to when the device has it
 * @made: it is there, and has to be removed
 */
struct piece_device {
	const char *spec;
	struct pieces list;
	int control;
	int files[LOOPS_MAX];
	char name[DM_NAME_LEN];
	bool made;
	dev_t dev;
};

bool list_is(const char *spec)
{
	char head[sizeof(PIECES_BEGIN) - 1];
	const int fd = open(spec, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is = fd >= 0 && pread(fd, head, sizeof(head), 0) == sizeof(head) &&
			!memcmp(head, PIECES_BEGIN, sizeof(head));

	if (fd >= 0)
		close(fd);
	return is;
}

/* A request of the device mapper; @dm has room for @bytes. */
static int request(const struct piece_device *j, unsigned long what, struct dm_ioctl *dm,
		   size_t bytes, unsigned int flags)
{
	dm->version[0] = DM_VERSION_MAJOR;
	dm->data_size = bytes;
	dm->data_start = sizeof(*dm);
	dm->flags = flags;
	snprintf(dm->name, sizeof(dm->name), "%s", j->name);
	return ioctl(j->control, what, dm) ? -errno : 0;
}

/* Another mount may have had this process id: in another namespace, or long ago. */
static int make_device(struct piece_device *j)
{
	struct dm_ioctl dm;
	int ret = -EBUSY;

	for (int i = 0; i < TRIES && ret == -EBUSY; i++) {
		dm = (struct dm_ioctl){ 0 };
		snprintf(j->name, sizeof(j->name), i ? "dsfs-%d-%d" : "dsfs-%d", getpid(), i);
		ret = request(j, DM_DEV_CREATE, &dm, sizeof(dm), 0);
	}
	j->made = !ret;
	j->dev = makedev(dm.dev >> 8 & 0xfff, (dm.dev & 0xff) | (dm.dev >> 12 & 0xfff00));
	return ret ? msg_error(j->spec, "device mapper: %s", msg_why(-ret)) : 0;
}

/* Fill in the row of a piece.  Return: the device that it is read from, or 0 after a message. */
static dev_t open_piece(struct piece_device *j, int dir, size_t i)
{
	const struct piece *p = &j->list.v[i];
	char name[64];
	struct stat st;
	const int fd = openat(dir, p->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	j->files[i] = fd;
	if (fd < 0 || fstat(fd, &st)) {
		msg_error(j->spec, "piece %s: %s", p->name, msg_why(errno));
		return 0;
	}
	if (S_ISBLK(st.st_mode))
		return st.st_rdev;
	if (st.st_size != p->bytes) {
		msg_error(j->spec, "piece %s: %llu bytes, the list says %llu", p->name,
			  (u64)st.st_size, p->bytes);
		return 0;
	}
	j->files[i] = loop_attach_fd(fd, p->name, name);
	close(fd);
	return j->files[i] >= 0 && !fstat(j->files[i], &st) ? st.st_rdev : 0;
}

static int load_table(struct piece_device *j, int dir)
{
	const size_t bytes = sizeof(struct dm_ioctl) + j->list.n * ROW;
	struct dm_ioctl *dm = calloc(1, bytes);
	struct dm_target_spec *row = (struct dm_target_spec *)(dm + 1);
	dev_t dev;
	int ret;

	if (!dm)
		return no_memory();
	dm->target_count = j->list.n;
	for (size_t i = 0; i < j->list.n; i++) {
		dev = open_piece(j, dir, i);
		if (!dev) {
			free(dm);
			return -1;
		}
		row->sector_start = j->list.v[i].start / SECTOR;
		row->length = j->list.v[i].bytes / SECTOR;
		row->next = ROW;
		memcpy(row->target_type, "linear", sizeof("linear"));
		snprintf((char *)(row + 1), ROW - sizeof(*row), "%u:%u 0", major(dev), minor(dev));
		row = (struct dm_target_spec *)((char *)row + ROW);
	}
	ret = request(j, DM_TABLE_LOAD, dm, bytes, DM_READONLY_FLAG);
	free(dm);
	return ret ? msg_error(j->spec, "dm-linear: %s", msg_why(-ret)) : 0;
}

/* Begin to take requests; from here on it is removed when it is closed. */
static int start(struct piece_device *j, char *path, size_t size)
{
	struct dm_ioctl dm = { 0 };
	int ret = request(j, DM_DEV_SUSPEND, &dm, sizeof(dm), DM_READONLY_FLAG);
	int fd = -1;

	if (!ret && !device_path(j->dev, path, size))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return msg_error(j->spec, "device of the pieces: %s", msg_why(ret ? -ret : errno));
	memset(&dm, 0, sizeof(dm));
	ret = request(j, DM_DEV_REMOVE, &dm, sizeof(dm), DM_DEFERRED_REMOVE);
	j->made = ret;
	return fd;
}

/* The list, and the superblocks by it */
static int check_list(struct piece_device *j)
{
	struct image img;
	int ret = list_read_pieces(AT_FDCWD, j->spec, &j->list);

	if (ret)
		return ret == -ENOENT ? msg_error(j->spec, "%s", msg_why(ENOENT)) : ret;
	if (j->list.n > LOOPS_MAX)
		return msg_error(j->spec, "%zu pieces: at most %d are mounted", j->list.n,
				 LOOPS_MAX);
	for (size_t i = 0; i < j->list.n; i++)
		if (j->list.v[i].bytes % SECTOR)
			return msg_error(j->spec, "piece %s: %llu bytes: no multiple of %d",
					 j->list.v[i].name, j->list.v[i].bytes, SECTOR);
	ret = image_open(&img, j->spec);
	if (!ret)
		image_close(&img);
	return ret;
}

static int join_pieces(struct piece_device *j, char *path, size_t size)
{
	const char *slash = strrchr(j->spec, '/');
	char *folder = slash ? strndup(j->spec, slash - j->spec + 1) : strdup(".");
	const int dir = folder ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int ret = -1;

	free(folder);
	j->control = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (dir < 0 || j->control < 0)
		msg_error(dir < 0 ? j->spec : CONTROL, "%s", msg_why(errno));
	else
		ret = make_device(j) ?: load_table(j, dir) ?: start(j, path, size);
	if (dir >= 0)
		close(dir);
	return ret;
}

int list_attach(const char *spec, char *path, size_t size)
{
	struct piece_device j = { .spec = spec, .control = -1 };
	struct dm_ioctl dm = { 0 };
	int ret;

	memset(j.files, -1, sizeof(j.files));
	ret = check_list(&j) ?: join_pieces(&j, path, size);
	if (j.made)
		request(&j, DM_DEV_REMOVE, &dm, sizeof(dm), 0);
	for (size_t i = 0; i < LOOPS_MAX; i++)
		if (j.files[i] >= 0)
			close(j.files[i]);
	if (j.control >= 0)
		close(j.control);
	pieces_free(&j.list);
	return ret;
}
