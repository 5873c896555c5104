// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs-fuse: mount an image without the kernel module and without privileges.
 */
#include <malloc.h>
#include <mntent.h>

#include "args.h"
#include "held.h"
#include "msg.h"

/* mount(8) */
#define EXIT_OK		0
#define EXIT_USAGE	1
#define EXIT_SYSTEM	2
#define EXIT_MOUNT	32

/* Free memory that stays in the process */
#define SPARE_MAX	(32 << 20)

/* Requests to the image at a time; the user's own -o max_threads=, which is later, wins. */
#define THREADS		"-omax_threads=64"

static const char usage_text[] =
"Usage: dsfs-fuse [-fds] [-o OPTIONS] IMAGE DIR\n"
"       mount -t fuse.dsfs-fuse [-o OPTIONS] IMAGE DIR\n"
"Mount a DSFS image, a file, a block device or an address, by FUSE.  Unmount: fusermount3 -u DIR.\n"
"\n"
"  -f                  stay in the foreground\n"
"  -d                  the same, and print what the kernel asks for\n"
"  -s                  one thread\n"
"  -h, --help          this text\n"
"  -V, --version       the version\n"
"\n"
"  -o generation=N     an older generation\n"
"  -o offset=SIZE      where the image begins in its file\n"
"  -o sizelimit=SIZE   how long it is\n"
"  -o meta=lazy        read metadata when it is needed, not at the mount\n"
"  -o verify=off       do not check data\n"
"  -o wholefile=SIZE   read files of up to that size as a whole (1M)\n"
"  -o hold=SIZE        memory for files that are read as a whole (64M)\n"
"  -o imagecache=keep  leave what was read of the image in the page cache\n"
"  -o header-file=FILE, connections=N, ...\n"
"                      how to reach an image on a server: dsfs-source(7)\n"
"  -o uid=N, gid=N     whom everything belongs to\n"
"  -o max_threads=N    requests at a time (64)\n"
"  -o max_read=N       bytes that the kernel may ask for at once\n"
"  -o allow_other      let other users in; more options of FUSE: mount.fuse3(8)\n";

static int serve(struct fuse_session *se, const struct fuse_cmdline_opts *cmd)
{
	struct fuse_loop_config *config;
	int ret;

	if (cmd->singlethread)
		return fuse_session_loop(se);
	config = fuse_loop_cfg_create();
	if (!config)
		return -ENOMEM;
	fuse_loop_cfg_set_clone_fd(config, cmd->clone_fd);
	fuse_loop_cfg_set_max_threads(config, cmd->max_threads);
	if (cmd->max_idle_threads != UINT_MAX)
		fuse_loop_cfg_set_idle_threads(config, cmd->max_idle_threads);
	ret = fuse_session_loop_mt(se, config);
	fuse_loop_cfg_destroy(config);
	return ret;
}

/* Answer the first request, INIT, by which kernel and libfuse agree or do not. */
static int answer_init(struct fuse_session *se)
{
	struct fuse_buf buf = { };
	int ret;

	do {
		ret = fuse_session_receive_buf(se, &buf);
	} while (ret == -EINTR && !fuse_session_exited(se));
	if (ret > 0)
		fuse_session_process_buf(se, &buf);
	free(buf.mem);
	return ret > 0 && !fuse_session_exited(se) ? 0 : -1;
}

/*
 * Mount, and then end the first process, so that who waits for its end finds the mount, and what
 * can fail before there is one is its exit code.
 */
static int run_session(struct fuse_session *se, const struct fuse_cmdline_opts *cmd)
{
	int ret;

	if (fuse_session_mount(se, cmd->mountpoint))
		return EXIT_MOUNT;
	if (answer_init(se)) {
		fuse_session_unmount(se);
		return EXIT_MOUNT;
	}
	if (fuse_daemonize(cmd->foreground)) {
		fuse_session_unmount(se);
		return EXIT_SYSTEM;
	}
	if (!cmd->foreground)
		report_background();
	ret = serve(se, cmd);
	fuse_session_unmount(se);
	/* A signal that ended it is no failure. */
	return ret < 0 ? EXIT_SYSTEM : EXIT_OK;
}

static int mount_image(struct fuse_fs *fs, struct fuse_args *args,
		       const struct fuse_cmdline_opts *cmd)
{
	struct fuse_session *se;
	int ret = EXIT_SYSTEM;

	fs->held = held_new(fs->opt.hold);
	se = fs->held ? fuse_session_new(args, &fuse_ops, sizeof(fuse_ops), fs) : NULL;
	if (!se) {
		ret = fs->held ? EXIT_USAGE : EXIT_SYSTEM;
	} else if (!fuse_set_signal_handlers(se)) {
		image_end_waits(fs, se);
		ret = run_session(se, cmd);
		fuse_remove_signal_handlers(se);
	}
	if (se)
		fuse_session_destroy(se);
	held_free(fs->held);
	return ret;
}

/* As mount(2) refuses a file system twice on a directory; for it each of FUSE's is another. */
static bool is_there(const char *source, const char *dir)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	bool there = false;
	struct mntent *m;

	/* the last one is on top */
	while (f && (m = getmntent(f))) {
		if (!strcmp(m->mnt_dir, dir))
			there = !strcmp(m->mnt_type, "fuse.dsfs-fuse") &&
				!strcmp(m->mnt_fsname, source);
	}
	if (f)
		endmntent(f);
	if (there)
		msg_error(source, "already mounted on %s", dir);
	return there;
}

/* Add options: ro and default_permissions always hold, fsname= is a default. */
static int add_options(struct fuse_args *args, const char *source)
{
	char *opts = NULL, *name = NULL;
	int ret = -1;

	if (asprintf(&name, "fsname=%s", source) > 0 &&
	    !fuse_opt_add_opt_escaped(&opts, name) && !fuse_opt_insert_arg(args, 1, opts) &&
	    !fuse_opt_insert_arg(args, 1, "-o"))
		ret = fuse_opt_add_arg(args, "-oro,default_permissions");
	free(opts);
	free(name);
	return ret;
}

static int mount_source(struct fuse_fs *fs, struct fuse_args *args,
			const struct fuse_cmdline_opts *cmd)
{
	char fd[32], *path = NULL;
	const char *source;
	int ret;

	/* a file by its whole path, without a digest behind it */
	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", fs->fd);
	if (fs->fd >= 0)
		path = realpath(fd, NULL);
	source = path ? path : image_name(fs);
	if (is_there(source, cmd->mountpoint))
		ret = EXIT_MOUNT;
	else
		ret = add_options(args, source) ? EXIT_SYSTEM : mount_image(fs, args, cmd);
	free(path);
	return ret;
}

static int run(struct fuse_args *args, struct fuse_fs *fs, const struct fuse_cmdline_opts *cmd)
{
	int ret;

	if (cmd->show_help) {
		fputs(usage_text, stdout);
		return EXIT_OK;
	}
	if (cmd->show_version) {
		printf("dsfs-fuse %s, libfuse %s\n", DSFS_VERSION_STRING, fuse_pkgversion());
		return EXIT_OK;
	}
	if (!fs->opt.image || !cmd->mountpoint)
		return args_wrong(EXIT_USAGE, "an image and a directory are needed");
	if (image_attach(fs))
		return EXIT_MOUNT;
	ret = mount_source(fs, args, cmd);
	image_detach(fs);
	return ret;
}

/*
 * Buffers for contents are used again, by the same pages: new ones for each file would cost more
 * than the copy.  All threads have one heap, because the kernel wakes threads in turn.
 */
static void keep_memory(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, SPARE_MAX);
	mallopt(M_TRIM_THRESHOLD, SPARE_MAX);
}

int main(int argc, char **argv)
{
	struct fuse_args args = FUSE_ARGS_INIT(argc, argv);
	struct fuse_cmdline_opts cmd = { 0 };
	struct fuse_fs fs = { .fd = -1 };
	int ret = EXIT_USAGE;

	msg_init("dsfs-fuse", EXIT_SYSTEM);
	keep_memory();
	if (report_init())
		ret = EXIT_SYSTEM;
	else if (!options_parse(&args, &fs.opt) && !fuse_opt_insert_arg(&args, 1, THREADS) &&
		 !fuse_parse_cmdline(&args, &cmd))
		ret = run(&args, &fs, &cmd);
	free(cmd.mountpoint);
	options_free(&fs.opt);
	fuse_opt_free_args(&args);
	return ret;
}
