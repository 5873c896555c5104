// SPDX-License-Identifier: GPL-2.0
/*
 * Pieces of an image, and texts, that are put: into a folder, where a file has its name when it is
 * complete, or into the pipe of a command for each.
 */
#include <fcntl.h>
#include <unistd.h>

#include "imagemsg.h"
#include "io.h"
#include "msg.h"
#include "newfile.h"
#include "pieces_put.h"
#include "stop.h"

#define STEP	(4 << 20)	/* bytes that are read at a time */

const char *pieces_hex(const u8 *sum, char text[PIECES_HEX])
{
	char digest[DIGEST_TEXT];

	return memcpy(text, digest_text(DSFS_DIGEST_NONE, sum, digest) + 7, PIECES_HEX);
}

bool pieces_has(const struct putter *m, const u8 *sum, u64 bytes)
{
	char name[PIECES_HEX];
	struct stat st;

	return m->r->each ||
	       (!fstatat(m->dir, pieces_hex(sum, name), &st, 0) && st.st_size == bytes);
}

/* Sum bytes of the image, and have them put; what fails is said, but for what a pipe refuses. */
static int read_range(const struct putter *m, const struct cut *c, struct sha256 *hash,
		      int (*put)(void *arg, const void *data, size_t len, u64 pos), void *arg)
{
	const struct image *img = &m->v->img;
	char *buf = malloc(STEP);
	int ret = buf ? 0 : no_memory();
	size_t len;

	for (u64 at = 0; !ret && at < c->bytes; at += len) {
		len = c->bytes - at < STEP ? c->bytes - at : STEP;
		if (stop_asked()) {
			ret = -EINTR;
			break;
		}
		ret = image_pread(img, buf, len, c->start + at);
		if (ret) {
			msg_error(img->path, "bytes from %llu on: %s", c->start + at, err_why(ret));
			break;
		}
		if (hash)
			sha256_put(hash, buf, len);
		if (put)
			ret = put(arg, buf, len, at);
	}
	free(buf);
	return ret;
}

int pieces_sum(const struct putter *m, const struct cut *c, u8 *sum)
{
	struct sha256 hash;
	int ret = sha256_init(&hash) ? no_memory() : read_range(m, c, &hash, NULL, NULL);

	if (hash.md && !ret)
		sha256_end(&hash, sum);
	sha256_free(&hash);
	return ret;
}

/* Bytes go from the file of the image to that of the piece, and by that may share blocks. */
struct to_file {
	const char *dir;
	int fd;
	int from;
	u64 start;
};

static int put_file(void *arg, const void *data, size_t len, u64 pos)
{
	const struct to_file *f = arg;
	loff_t from = f->start + pos, to = pos;
	ssize_t n = f->from < 0 ? 0 : copy_file_range(f->from, &from, f->fd, &to, len, 0);

	if (n < 0)
		n = 0;
	if (io_pwrite(f->fd, (const char *)data + n, len - n, pos + n) == len - n)
		return 0;
	return msg_error(f->dir, "write: %s", msg_why(errno));
}

/* Return: 1: put; 0: it was there; negative: it failed, which was said */
static int to_folder(const struct putter *m, struct cut *c)
{
	const struct image *img = &m->v->img;
	char name[PIECES_HEX];
	struct newfile file = { };
	struct to_file to = {
		.dir = m->r->dir, .from = reader_descriptor(img->reader),
		.start = img->start + c->start,
	};
	struct sha256 hash;
	const char *what;
	int ret;

	if (newfile_open_masked(&file, m->dir))
		return msg_error(m->r->dir, "create: %s", msg_why(errno));
	to.fd = file.fd;
	ret = sha256_init(&hash) ? no_memory() : read_range(m, c, &hash, put_file, &to);
	if (ret) {
		newfile_drop(&file);
		sha256_free(&hash);
		return ret;
	}
	sha256_end(&hash, c->sum);
	sha256_free(&hash);
	pieces_hex(c->sum, name);
	if (pieces_has(m, c->sum, c->bytes)) {
		newfile_drop(&file);
		return 0;
	}
	what = newfile_publish(&file, name);
	if (!what)
		return 1;
	/* another thread may have had the same bytes */
	if (errno == EEXIST && pieces_has(m, c->sum, c->bytes))
		return 0;
	return msg_error(m->r->dir, "%s: %s: %s", name, what, msg_why(errno));
}

static int put_pipe(void *arg, const void *data, size_t len, u64 pos)
{
	return fwrite(data, 1, len, arg) == len ? 0 : -EPIPE;
}

/* The command with the name of what it gets in the place of each %n */
static char *command_of(const char *each, const char *name)
{
	char *text = NULL, *at;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	while ((at = strstr(each, "%n"))) {
		fwrite(each, 1, at - each, out);
		fputs(name, out);
		each = at + 2;
	}
	fputs(each, out);
	return fclose(out) ? NULL : text;
}

static int end_command(const char *name, const char *command, int status, int ret)
{
	if (WIFSIGNALED(status))
		return msg_error(name, "%s: ended by signal %d", command, WTERMSIG(status));
	if (status)
		return msg_error(name, "%s: exit status %d", command, WEXITSTATUS(status));
	if (ret == -EPIPE)
		msg_error(name, "%s: it did not read all", command);
	return ret;
}

/* Run the command for one piece, or for the list in @text. */
static int run_command(const struct putter *m, const char *name, const struct cut *c,
		       const char *text, size_t len)
{
	char *command = command_of(m->r->each, name);
	FILE *pipe = command ? popen(command, "we") : NULL;
	int ret;

	if (!pipe) {
		free(command);
		return msg_error(name, "%s: %s", m->r->each, msg_why(errno));
	}
	ret = c ? read_range(m, c, NULL, put_pipe, pipe) : put_pipe(pipe, text, len, 0);
	if (!ret && fflush(pipe))
		ret = -EPIPE;
	ret = end_command(name, command, pclose(pipe), ret);
	free(command);
	return ret;
}

static bool old_has(const struct putter *m, const u8 *sum)
{
	for (size_t i = 0; i < m->old.n; i++)
		if (!memcmp(m->old.v[i].sum, sum, PIECES_SUM))
			return true;
	return false;
}

static int to_command(const struct putter *m, struct cut *c)
{
	char name[PIECES_HEX];
	int ret = pieces_sum(m, c, c->sum);

	if (ret || old_has(m, c->sum))
		return ret;
	return run_command(m, pieces_hex(c->sum, name), c, NULL, 0) ?: 1;
}

int pieces_put(const struct putter *m, struct cut *c)
{
	return m->r->each ? to_command(m, c) : to_folder(m, c);
}

int pieces_pipe(const struct putter *m, const char *name, const char *text, size_t len)
{
	return run_command(m, name, NULL, text, len);
}

int pieces_replace(const struct putter *m, const char *name, const char *text, size_t len)
{
	struct newfile file = { };
	char temp[64];
	const char *what = "create";

	snprintf(temp, sizeof(temp), ".dsfs-pieces.%d", (int)getpid());
	if (!newfile_open_masked(&file, m->dir)) {
		what = NULL;
		if (io_pwrite(file.fd, text, len, 0) != len || fsync(file.fd)) {
			what = "write";
			newfile_drop(&file);
		}
		if (!what)
			what = newfile_publish(&file, temp);
		if (!what && renameat(m->dir, temp, m->dir, name)) {
			what = "rename";
			unlinkat(m->dir, temp, 0);
		}
	}
	return what ? msg_error(m->r->dir, "%s: %s: %s", name, what, msg_why(errno)) : 0;
}
