// SPDX-License-Identifier: GPL-2.0
/*
 * Checks that archives have not changed.  An archive that is replaced while it is read can
 * still look complete: one half is old, the other half is new.  So each archive is checked
 * after its last byte has been read, and all are checked again at the end of the run, as
 * the files of a directory are.  Pipes and devices cannot be checked.
 */
#include <unistd.h>

#include "../file.h"
#include "msg.h"
#include "tar.h"

/**
 * struct seen - an archive that was read
 * @path: of the command line
 * @check: file_check() of it when it was opened
 */
struct seen {
	const char *path;
	u32 check;
};

static int fail(const char *path)
{
	msg_error(path, "changed during the run: no image is made");
	return -EAGAIN;
}

int tar_watch(struct tar_watch *w, int fd)
{
	struct stat st;
	int ret = file_stat(fd, "", AT_EMPTY_PATH, &st);

	*w = (struct tar_watch){ .fd = fd };
	if (ret)
		return ret;
	w->regular = S_ISREG(st.st_mode);
	w->check = file_check(&st);
	return 0;
}

int tar_watched(const struct tar_watch *w, const char *path)
{
	struct stat st;
	int ret = w->regular ? file_stat(w->fd, "", AT_EMPTY_PATH, &st) : 0;

	if (!w->regular || (!ret && file_check(&st) == w->check))
		return 0;
	return fail(path);
}

int tar_watch_end(struct tar *t, const struct tar_watch *w, const char *path)
{
	struct seen *s;
	int ret = tar_watched(w, t->bytes.path);

	if (ret || !w->regular)
		return ret;
	t->seen.size = sizeof(*s);
	s = array_add(&t->seen);
	if (!s)
		return tar_no_memory();
	*s = (struct seen){ path, w->check };
	return 0;
}

int tar_recheck(struct source *src)
{
	const struct tar *t = (const struct tar *)src;
	const struct seen *s = (const struct seen *)t->seen.p;

	for (size_t i = 0; i < t->seen.n; i++, s++) {
		const bool std = !strcmp(s->path, "-");
		struct stat st;
		int ret = std ? file_stat(STDIN_FILENO, "", AT_EMPTY_PATH, &st) :
				file_stat(AT_FDCWD, s->path, 0, &st);

		if (ret)
			source_changed(src, s->path, "vanished during the run", ret);
		else if (file_check(&st) != s->check)
			source_changed(src, std ? "standard input" : s->path,
				       "changed during the run", 0);
	}
	return 0;
}
