// SPDX-License-Identifier: GPL-2.0
/*
 * mount.dsfs: helper that mount(8) runs for `mount -t dsfs`.  It is needed
 * because mount(8) sets up loop devices only for types that libblkid knows.
 */
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "args.h"
#include "mount.h"
#include "msg.h"
#include "parse.h"

/* mount(8) */
#define EXIT_OK		0
#define EXIT_USAGE	1
#define EXIT_SYSTEM	2
#define EXIT_MOUNT	32

/**
 * struct call - the command line
 * @ns: mount namespace, or NULL
 */
struct call {
	const char *spec;
	const char *dir;
	const char *ns;
	char *options;
	bool fake;
	bool verbose;
};

static int enter_namespace(const char *ns)
{
	char path[64];
	u64 pid;
	int fd, ret;

	if (!parse_u64(ns, &pid)) {
		snprintf(path, sizeof(path), "/proc/%llu/ns/mnt", pid);
		ns = path;
	}
	fd = open(ns, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -1 : setns(fd, CLONE_NEWNS);
	if (ret)
		msg_error(ns, "namespace: %s", msg_why(errno));
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Whether a block device needs a loop device, as another generation, or driver, has it. */
static bool needs_own_device(dev_t dev, const struct mount_opts *o)
{
	u64 mounted = generation_mounted(dev);

	return mounted && (o->driver != DRIVER_MODULE ||
			   (o->generation && mounted != o->generation));
}

static int check_dir(const struct call *c)
{
	struct stat st;

	if (stat(c->dir, &st))
		return msg_fail(EXIT_MOUNT, c->dir, "mount point: %s", msg_why(errno));
	if (S_ISDIR(st.st_mode))
		return EXIT_OK;
	return msg_fail(EXIT_MOUNT, c->dir, "mount point: not a directory");
}

/* Read the superblocks of an image; false if that fails, which the kernel will say, too. */
static bool image_look(const char *path, const struct mount_opts *o, struct image *img)
{
	if (image_open_part(path, o, img))
		return false;
	image_close(img);
	return true;
}

/*
 * Get the device to mount: @spec itself, or a loop device.  @fd keeps that
 * alive up to the mount; -1: no loop device.
 */
static int find_device(const struct call *c, struct mount_opts *o, char name[64], int *fd)
{
	struct image img;
	struct stat st;

	*fd = -1;
	if (stat(c->spec, &st))
		return msg_fail(EXIT_MOUNT, c->spec, "image: %s", msg_why(errno));
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return msg_fail(EXIT_MOUNT, c->spec, "neither a file nor a block device");
	/* with a better message than the kernel's */
	if (image_look(c->spec, o, &img) && image_is_foreign(&img))
		return msg_fail(EXIT_MOUNT, c->spec, "not a DSFS image");
	if (digest_check(c->spec, o))
		return EXIT_MOUNT;
	/* the path is resolved in the other namespace, after entering it */
	if (!c->fake && !c->ns && check_dir(c))
		return EXIT_MOUNT;
	if (S_ISBLK(st.st_mode) && !o->offset && !o->sizelimit && !needs_own_device(st.st_rdev, o))
		return EXIT_OK;
	if (c->fake)
		return EXIT_OK;
	*fd = loop_attach(&img, o, name);
	return *fd < 0 ? EXIT_SYSTEM : EXIT_OK;
}

static void say_mounting(const struct call *c, const char *dev)
{
	char spec[4096], name[4096], dir[4096];

	printf("mount.dsfs: %s: mounting %s on %s\n", msg_escape(spec, sizeof(spec), c->spec),
	       msg_escape(name, sizeof(name), dev), msg_escape(dir, sizeof(dir), c->dir));
}

static void close_both(int fd, int view)
{
	if (fd >= 0)
		close(fd);
	if (view >= 0)
		close(view);
}

static int mount_image(const struct call *c, struct mount_opts *o)
{
	char name[64] = "", view_name[64] = "";
	const char *dev;
	int fd, view = -1, ret;

	ret = driver_settle(c->spec, o) ? EXIT_MOUNT : find_device(c, o, name, &fd);
	if (ret)
		return ret;
	dev = fd < 0 ? c->spec : name;
	if (o->driver != DRIVER_MODULE && !c->fake) {
		view = driver_view(c->spec, c->dir, o, dev, view_name);
		if (view < 0) {
			close_both(fd, view);
			return EXIT_MOUNT;
		}
		dev = view_name;
	}
	if (c->verbose) {
		memory_say(c->spec, o);
		say_mounting(c, dev);
	}
	/* an error after the mount would mean that there is no mount */
	if (msg_flush_stdout())
		ret = EXIT_SYSTEM;
	else if (c->ns && (enter_namespace(c->ns) || (!c->fake && check_dir(c))))
		ret = EXIT_MOUNT;
	else if (!c->fake)
		ret = do_mount(c->spec, dev, c->dir, o);
	close_both(fd, view);
	if (!ret && view >= 0)
		driver_say(c->spec);
	if (ret == -EPERM)
		return EXIT_USAGE;
	return ret < 0 ? EXIT_MOUNT : ret;
}

/* A list is mounted as the device that its pieces become. */
static int mount_list(const struct call *c, struct mount_opts *o)
{
	struct call of_device = *c;
	char path[80];
	int fd, ret;

	if (!list_is(c->spec))
		return mount_image(c, o);
	fd = list_attach(c->spec, path, sizeof(path));
	if (fd < 0)
		return EXIT_SYSTEM;
	of_device.spec = path;
	ret = mount_image(&of_device, o);
	close(fd);
	return ret;
}

static int run(const struct call *c)
{
	struct mount_opts o;
	int ret = options_parse(c->options, &o) ? EXIT_USAGE : EXIT_OK;

	if (!ret && o.remount) {
		if (c->ns && enter_namespace(c->ns))
			ret = EXIT_MOUNT;
		else if (digest_check_mounted(c->dir, &o))
			ret = EXIT_MOUNT;
		else if (!c->fake && do_remount(c->dir, &o))
			ret = EXIT_MOUNT;
	} else if (!ret) {
		ret = mount_list(c, &o);
	}
	free(o.fs);
	return ret;
}

/* Several -o options are joined, as in mount(8). */
static int append_options(const struct arg *a, void *ctx, const char *more)
{
	struct call *c = ctx;
	size_t len = c->options ? strlen(c->options) : 0;
	char *p = realloc(c->options, len + strlen(more) + 2);

	if (!p) {
		no_memory();
		return EXIT_SYSTEM;
	}
	sprintf(p + len, "%s%s", len ? "," : "", more);
	c->options = p;
	return 0;
}

static const struct arg option_table[] = {
	{ 'o', NULL, "OPTIONS", "mount options, separated by commas", .set = append_options },
	{ 'f', "fake", NULL, "do all but the mount", ARG_FLAG(struct call, fake) },
	{ 'v', "verbose", NULL, "say what is done", ARG_FLAG(struct call, verbose) },
	{ 'N', NULL, "NAMESPACE", "mount namespace: a process id or a file",
	  ARG_TEXT(struct call, ns, 0) },
	{ .letter = 's' },
	{ 'n', NULL, NULL, "accepted", ARG_IGNORED },
	{ 't', NULL, "TYPE", "accepted; there is one type", ARG_IGNORED },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: mount -t dsfs [-o OPTIONS] IMAGE DIR\n"
	"       mount.dsfs IMAGE DIR [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE]\n"
	"Mount a DSFS image, a file or a block device.  mount(8) runs this.\n",
	.wrong = EXIT_USAGE,
	.words = "an image and a directory", .low = 2, .high = 2,
	.table = option_table,
};

int main(int argc, char **argv)
{
	struct call c = { 0 };
	int ret;

	msg_init("mount.dsfs", EXIT_SYSTEM);
	ret = args_parse(&command_line, &c, &argc, argv);
	if (ret < 0) {
		c.spec = argv[0];
		c.dir = argv[1];
		ret = run(&c);
	}
	free(c.options);
	return ret;
}
