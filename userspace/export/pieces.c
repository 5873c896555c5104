// SPDX-License-Identifier: GPL-2.0
/*
 * An image as pieces and a list (Documentation/lists.rst), in a folder or by a command for each.
 *
 * The list is put last.  What was done until then is in a journal, for a run that goes on.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "imagemsg.h"
#include "msg.h"
#include "note.h"
#include "pieces_put.h"
#include "stop.h"
#include "work.h"

/*
 * Keep others from a file of the folder, as verbs keep them from the list that they change.  Where
 * there are no such locks nobody is kept from it.
 */
static int lock(const struct putter *m, int fd, const char *name)
{
	struct stat st;

	if ((!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) &&
	    (fstat(fd, &st) || st.st_nlink))
		return 0;
	return msg_error(m->r->dir, "%s: is being updated by another process", name);
}

/*
 * The journal: a line for the image, then one for each piece that was put: where it begins, its
 * length and SHA-256.  One of another image, which its metadata tells, or of other cuts, is begun
 * anew.
 */

static void journal_name(const struct putter *m, char *name, size_t size)
{
	snprintf(name, size, ".%s.done", m->name);
}

static void journal_head(const struct putter *m, char *text, size_t size)
{
	const struct dsfs_geo *geo = m->v->img.geo;
	char uuid[UUID_STR_LEN];

	uuid_unparse_lower(geo->uuid, uuid);
	snprintf(text, size, "%s %llu %llu %lld %08x %zu %s\n", uuid, geo->generation,
		 geo->image_bytes, (long long)geo->build_time, geo->sums_checksum, m->cuts.n,
		 m->r->each ? "each" : "folder");
}

static void journal_take(struct putter *m, const char *line)
{
	struct expected e;
	char text[8 + PIECES_HEX] = "sha256:";
	u64 start, bytes;

	/* a line that was cut off has fewer digits */
	if (sscanf(line, "%llu %llu %64[0-9a-f]", &start, &bytes, text + 7) != 3 ||
	    expected_parse(text, &e))
		return;
	for (size_t i = 0; i < m->cuts.n; i++) {
		struct cut *c = cut_at(m, i);

		if (c->start != start || c->bytes != bytes || !pieces_has(m, e.sum, bytes))
			continue;
		memcpy(c->sum, e.sum, sizeof(c->sum));
		c->done = true;
	}
}

static int journal_open(struct putter *m)
{
	char name[PIECES_NAME_MAX], head[160], line[160] = "";
	int fd;

	journal_name(m, name, sizeof(name));
	journal_head(m, head, sizeof(head));
	fd = openat(m->dir, name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	m->journal = fd < 0 ? NULL : fdopen(fd, "a+");
	if (!m->journal)
		return msg_error(m->r->dir, "%s: %s", name, msg_why(errno));
	if (lock(m, fd, name))
		return -1;
	rewind(m->journal);
	if (fgets(line, sizeof(line), m->journal) && !strcmp(line, head)) {
		while (fgets(line, sizeof(line), m->journal))
			journal_take(m, line);
		/* behind a line that was cut off */
		return fputs("\n", m->journal) < 0 ? -1 : 0;
	}
	if (ftruncate(fd, 0) || fputs(head, m->journal) < 0 || fflush(m->journal))
		return msg_error(m->r->dir, "%s: %s", name, msg_why(errno));
	return 0;
}

static void journal_add(struct putter *m, struct cut *c, bool put)
{
	char text[PIECES_HEX];

	pthread_mutex_lock(&m->lock);
	fprintf(m->journal, "%llu %llu %s\n", c->start, c->bytes, pieces_hex(c->sum, text));
	fflush(m->journal);
	m->put += put;
	m->put_bytes += put ? c->bytes : 0;
	c->done = true;
	pthread_mutex_unlock(&m->lock);
}

static void put_piece(void *ctx, size_t i)
{
	struct putter *m = ctx;
	struct cut *c = cut_at(m, i);
	int ret;

	if (c->done || __atomic_load_n(&m->failed, __ATOMIC_RELAXED))
		return;
	ret = pieces_put(m, c);
	if (ret < 0)
		__atomic_store_n(&m->failed, true, __ATOMIC_RELAXED);
	else
		journal_add(m, c, ret);
}

/*
 * The list
 */

static void write_list(const struct putter *m, const struct note_text *note, struct json *j)
{
	const struct dsfs_geo *geo = m->v->img.geo;
	char text[PIECES_HEX], uuid[UUID_STR_LEN];

	uuid_unparse_lower(geo->uuid, uuid);
	json_begin_object(j, NULL);
	json_u64(j, "dsfs-list", 1);
	json_u64(j, "bytes", geo->image_bytes);
	json_u64(j, "generation", geo->generation);
	json_str(j, "uuid", uuid);
	if (*note->digest)
		json_str(j, "digest", note->digest);
	json_begin_array(j, "pieces");
	for (size_t i = 0; i < m->cuts.n; i++) {
		json_begin_object(j, NULL);
		json_str(j, "name", pieces_hex(cut_at(m, i)->sum, text));
		json_u64(j, "bytes", cut_at(m, i)->bytes);
		json_str(j, "sha256", text);
		json_end(j);
	}
	json_end(j);
	json_end(j);
}

/*
 * The list of the generation, and then the one whose name stays: whoever reads that one has the
 * generation.  In the folder it stands behind what the command has put, which may fail.
 */
static int put_list(const struct putter *m, const char *text, size_t len)
{
	char name[PIECES_NAME_MAX], last[PIECES_NAME_MAX];

	snprintf(name, sizeof(name), "%s-%llu%s", m->name, m->v->img.geo->generation,
		 PIECES_SUFFIX);
	snprintf(last, sizeof(last), "%s%s", m->name, PIECES_SUFFIX);
	if (syncfs(m->dir))
		return msg_error(m->r->dir, "sync: %s", msg_why(errno));
	if (m->r->each && (pieces_pipe(m, name, text, len) || pieces_pipe(m, last, text, len)))
		return -1;
	return pieces_replace(m, name, text, len) ?: pieces_replace(m, last, text, len);
}

static int make_list(struct putter *m)
{
	struct note_text note;
	char *text = NULL, journal[PIECES_NAME_MAX];
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct json j;
	int ret;

	note_text(m->v, m->v->img.geo, &note);
	if (out) {
		json_init(&j, out);
		j.lines = true;
		write_list(m, &note, &j);
	}
	ret = out && !fclose(out) ? 0 : no_memory();
	if (!ret && len > PIECES_TEXT_MAX)
		ret = msg_error(m->name, "a list of %zu bytes: at most %d are read", len,
				PIECES_TEXT_MAX);
	if (!ret && m->r->last)
		m->r->last();
	m->listed = m->cuts.n;
	ret = ret ?: put_list(m, text, len);
	free(text);
	journal_name(m, journal, sizeof(journal));
	if (!ret)
		unlinkat(m->dir, journal, 0);
	return ret;
}

/* The list has the name of the image, without .dsfs, unless another one is asked for. */
static int take_list_name(struct putter *m)
{
	const char *path = m->r->name ?: m->v->img.path, *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path, *end = strrchr(base, '.');
	size_t len = strlen(base);

	if (!m->r->name && end && (!strcmp(end, ".dsfs") || !strcmp(end, PIECES_SUFFIX)))
		len = end - base;
	snprintf(m->name, sizeof(m->name), "%.*s", (int)len, base);
	if (len < sizeof(m->name) && pieces_is_name(m->name))
		return 0;
	return msg_error(m->v->img.path, "name of the list: %.100s: not up to %zu of A-Za-z0-9._-",
			 m->name, sizeof(m->name) - 1);
}

static int make(struct putter *m)
{
	char name[PIECES_NAME_MAX];
	int ret = take_list_name(m);

	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%s%s", m->name, PIECES_SUFFIX);
	m->locked = m->r->of ? -1 : openat(m->dir, name, O_RDWR | O_CLOEXEC);
	if (m->locked >= 0 && lock(m, m->locked, name))
		return -1;
	if (m->r->of && strcmp(m->r->of, name) && !faccessat(m->dir, name, F_OK, 0))
		return msg_error(m->r->dir, "%s: is there already", name);
	ret = list_read_pieces(m->dir, m->r->of ?: name, &m->old);
	if (ret && ret != -ENOENT)
		return ret;
	ret = pieces_cut_old(m) ?: pieces_cut_rest(m) ?: journal_open(m);
	if (ret)
		return ret;
	work_run(m->r->jobs, m->cuts.n, put_piece, m);
	return m->failed || stop_asked() ? -1 : make_list(m);
}

static void report(const struct putter *m, struct json *j)
{
	char name[PIECES_NAME_MAX];

	snprintf(name, sizeof(name), "%s%s", m->name, PIECES_SUFFIX);
	show_text(j, "list", "list:    ", name);
	json_show_u64(j, "pieces", "pieces:  %llu\n", m->listed);
	json_show_u64(j, "new", "new:     %llu\n", m->put);
	json_show_u64(j, "new_bytes", "bytes:   %llu of them new\n", m->put_bytes);
}

/* Return: 0 with @m as it was used, or a negative number. */
static int run(struct putter *m, struct view *v, const struct pieces_request *r)
{
	int ret;

	*m = (struct putter){ .v = v, .r = r, .locked = -1,
			      .cuts = { .size = sizeof(struct cut) } };
	pthread_mutex_init(&m->lock, NULL);
	if (v->errors->count || sha256_library_init())
		return -1;
	m->dir = open(r->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->dir < 0)
		return msg_error(r->dir, "%s", msg_why(errno));
	ret = make(m);
	if (m->journal)
		fclose(m->journal);
	if (m->locked >= 0)
		close(m->locked);
	close(m->dir);
	array_free(&m->cuts);
	pieces_free(&m->old);
	return ret;
}

int export_generation(struct view *v, const struct pieces_request *r)
{
	struct putter m;

	return run(&m, v, r);
}

int export_pieces(struct view *v, struct json *j, const struct pieces_request *r)
{
	struct putter m;
	int ret;

	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	stop_init(SA_RESETHAND);
	if (mkdir(r->dir, 0777) && errno != EEXIST)
		return msg_error(r->dir, "create: %s", msg_why(errno));
	ret = run(&m, v, r);
	if (!ret)
		report(&m, j);
	stop_end();
	return ret;
}
