// SPDX-License-Identifier: GPL-2.0
/*
 * Files that hold a list, as the tools' --order, --filelist and the like take them.  Names of
 * files may have newlines, so lists of find -print0 end entries with NUL.  No name has a NUL, so
 * one tells which list it is.
 */
#include "list.h"
#include "msg.h"

#define HEAD_BYTES	(64 << 10)

/**
 * struct list - a list that is being read
 * @text: bytes [@at, @end) are to be looked at; it has room for a NUL behind @room
 */
struct list {
	const char *path;
	FILE *f;
	char *text;
	size_t at;
	size_t end;
	size_t room;
};

static int fail(const struct list *l, const char *what, int err)
{
	if (err == EISDIR)
		msg_error(l->path, "is a directory, where a list is expected");
	else if (err == ENOENT && strstr(l->path, "://"))
		msg_error(l->path, "is an address, where a list is expected");
	else if (err != EINTR)
		msg_error(l->path, "cannot %s: %s", what, strerror(err));
	return -err;
}

/* Read more behind what is left.  Return: 1; 0: there is no more; -errno, said. */
static int read_more(struct list *l)
{
	const size_t left = l->end - l->at, room = left + HEAD_BYTES;
	char *text;
	size_t n;

	if (left)
		memmove(l->text, l->text + l->at, left);
	l->at = 0;
	l->end = left;
	if (l->room < room) {
		text = realloc(l->text, 2 * room + 1);
		if (!text)
			return no_memory();
		l->text = text;
		l->room = 2 * room;
	}
	errno = 0;
	n = fread(l->text + left, 1, HEAD_BYTES, l->f);
	l->end += n;
	return n ? 1 : ferror(l->f) ? fail(l, "read", errno ? errno : EIO) : 0;
}

/* The next entry, terminated.  Return: 1; 0: there is none; -errno, said. */
static int next(struct list *l, char delim, char **line, size_t *len)
{
	size_t seen = 0;
	char *end = NULL;
	int ret = 1;

	while (ret > 0) {
		if (l->at < l->end)
			end = memchr(l->text + l->at + seen, delim, l->end - l->at - seen);
		if (end)
			break;
		seen = l->end - l->at;
		ret = read_more(l);
	}
	if (ret < 0 || (!end && !seen))
		return ret;
	*line = l->text + l->at;
	*len = end ? end - *line : seen;
	(*line)[*len] = '\0';
	l->at += *len + !!end;
	return 1;
}

int list_read(const char *path, bool null, int (*fn)(void *ctx, char *line, size_t len, u64 number),
	      void *ctx)
{
	struct list l = { .path = path, .f = strcmp(path, "-") ? fopen(path, "re") : stdin };
	u64 number = 0;
	char *line = NULL;
	size_t len = 0;
	int ret;

	if (!l.f)
		return fail(&l, "open", errno);
	ret = read_more(&l);
	if (ret > 0 && l.text && memchr(l.text, 0, l.end))
		null = true;
	while (ret >= 0) {
		ret = next(&l, null ? '\0' : '\n', &line, &len);
		if (ret <= 0)
			break;
		number++;
		ret = len ? fn(ctx, line, len, number) : 0;
		if (ret)
			break;
	}
	free(l.text);
	if (l.f != stdin)
		fclose(l.f);
	return ret;
}
