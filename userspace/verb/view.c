// SPDX-License-Identifier: GPL-2.0
/* dsfs view: the image as an EROFS that the kernel mounts without a module. */
#include <fcntl.h>
#include <unistd.h>

#include "msg.h"
#include "newfile.h"
#include "open.h"
#include "status.h"
#include "verb.h"
#include "view.h"

struct view_file {
	struct view_options view;
	bool force;
};

static const struct arg option_table[] = {
	{ 'f', "force", NULL, "replace FILE", ARG_FLAG(struct view_file, force) },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs view [options] IMAGE FILE\n"
	"Write into FILE an EROFS of the image's names, whose data is in the image: its device.\n",
	.examples =
	"  dsfs view train.dsfs train.view\n"
	"  dsfs view --generation=1 train.dsfs before.view\n",
	.words = "IMAGE and FILE", .low = 2, .high = 2,
	.table = option_table,
};

/* Give the file its name, or that of one which is there. */
static const char *publish(struct newfile *new, const char *name, bool force)
{
	char temp[64];
	const char *what;

	if (!force)
		return newfile_publish(new, name);
	snprintf(temp, sizeof(temp), ".dsfs-view.%d", (int)getpid());
	what = newfile_publish(new, temp);
	if (what || !renameat(new->dir, temp, new->dir, name))
		return what;
	unlinkat(new->dir, temp, 0);
	return "replace";
}

/* Whether FILE is the image: replaced by its own view, it would be gone. */
static bool is_image(const struct view *v, const char *file)
{
	struct stat image, there;

	return !stat(v->img.path, &image) && !stat(file, &there) &&
	       image.st_dev == there.st_dev && image.st_ino == there.st_ino;
}

static int write_view(struct view *v, int dir, const struct view_file *o)
{
	const char *file = o->view.words[0], *slash = strrchr(file, '/'), *what = NULL;
	struct newfile new = { 0 };
	struct view_made made;

	if (newfile_open_masked(&new, dir))
		return msg_error(file, "create: %s", msg_why(errno));
	if (view_make(v->src, v->img.path, new.fd, &made)) {
		newfile_drop(&new);
		return -1;
	}
	what = publish(&new, slash ? slash + 1 : file, o->force);
	if (what)
		return msg_error(file, "%s: %s", what, msg_why(errno));
	printf("%llu inodes, %llu bytes, %llu of them copied from files\n", made.inodes, made.bytes,
	       made.copied);
	return 0;
}

static int run(struct view *v, struct json *j, void *arg)
{
	const struct view_file *o = arg;
	const char *file = o->view.words[0], *slash = strrchr(file, '/');
	char *name = slash ? strndup(file, slash - file + 1) : strdup(".");
	int dir = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int ret = -1;

	if (dir < 0)
		msg_error(file, "directory: %s", msg_why(errno));
	else if (v->errors->count)
		msg_error(v->img.path, "no view is made of a damaged image");
	else if (!o->force && !faccessat(AT_FDCWD, file, F_OK, AT_SYMLINK_NOFOLLOW))
		msg_error(file, "exists: -f replaces it");
	else if (is_image(v, file))
		msg_error(file, "is the image");
	else
		ret = write_view(v, dir, o);
	if (dir >= 0)
		close(dir);
	free(name);
	return ret;
}

int verb_view(int argc, char **argv)
{
	struct view_file o = { .view.bounded = true };

	return view_verb(&command_line, &o.view, argc, argv, run);
}
