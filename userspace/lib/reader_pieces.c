// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of an image that lies in pieces, which a list names.  Nothing above it knows of pieces.
 *
 * Pieces of a server are ranges of the object that the list was read by, so that they share its
 * connections, its limits and its keys; of each the node keeps a cache of its own.  A piece is
 * opened with its first byte and stays open, up to KEPT of them; further ones are opened for each
 * read.  No lock is held, so that a fork leaves none behind.
 *
 * The first piece has the superblocks.  It is read when the image is opened, compared with its
 * SHA-256, and kept in memory: a list never goes with superblocks of another generation.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../http/hash.h"
#include "cache.h"
#include "origin.h"
#include "pieces.h"

#define KEPT	256	/* pieces that stay open */

/**
 * struct pieces_reader - the reader
 * @text: the list itself, of @len bytes
 * @dir: folder of the list, open, wherever the process goes; -1: pieces are no files
 * @far: of the object of a server; NULL: pieces are files
 * @cache: options of the cache, if its dir is not NULL
 * @head: bytes of the first piece; NULL: not kept
 * @kept: how many of @open are there
 */
struct pieces_reader {
	struct dsfs_reader r;
	struct pieces list;
	char *text;
	size_t len;
	int dir;
	struct dsfs_reader *far;
	struct cache_options cache;
	u8 *head;
	unsigned int kept;
	struct dsfs_reader **open;
};

/**
 * struct use - a piece that is read
 * @r: of the piece
 * @once: it is closed behind the read
 */
struct use {
	struct dsfs_reader *r;
	bool once;
};

static struct pieces_reader *pieces_of(struct dsfs_reader *r)
{
	return container_of(r, struct pieces_reader, r);
}

/* Why a piece cannot be read is said in words, as by a server. */
static int failed(const struct piece *p, const char *what, const char *why)
{
	char text[ERR_FAR];

	/* @why may be what is written to */
	snprintf(text, sizeof(text), "piece %.70s: %.50s%s%.70s", p->name, what, *what ? ": " : "",
		 why);
	memcpy(err_far(), text, sizeof(text));
	return -EREMOTEIO;
}

static int open_near(const struct pieces_reader *pr, const struct piece *p,
		     struct dsfs_reader **out)
{
	const char *what;
	const int ret = reader_file_at(pr->dir, p->name, out, &what);
	char text[64];

	if (ret)
		return failed(p, what, strerror(-ret));
	if ((*out)->bytes == p->bytes)
		return 0;
	snprintf(text, sizeof(text), "%llu bytes, the list says %llu", (*out)->bytes, p->bytes);
	(*out)->ops->close(*out);
	return failed(p, "", text);
}

static int open_far(const struct pieces_reader *pr, const struct piece *p,
		    struct dsfs_reader **out)
{
	const char *what;
	int ret = reader_http_piece(pr->far, p, out);

	if (ret || !pr->cache.dir)
		return ret;
	ret = reader_cache(*out, &pr->cache, out, &what);
	if (!ret)
		return 0;
	(*out)->ops->close(*out);
	return failed(p, what, strerror(-ret));
}

/* Another thread may have opened the piece meanwhile: then that one is taken. */
static void keep(struct pieces_reader *pr, size_t i, struct use *u)
{
	struct dsfs_reader *other = NULL;

	u->once = __atomic_fetch_add(&pr->kept, 1, __ATOMIC_RELAXED) >= KEPT;
	if (!u->once && __atomic_compare_exchange_n(&pr->open[i], &other, u->r, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	__atomic_fetch_sub(&pr->kept, 1, __ATOMIC_RELAXED);
	if (u->once)
		return;
	u->r->ops->close(u->r);
	u->r = other;
}

static int begin(struct pieces_reader *pr, size_t i, struct use *u)
{
	int ret = 0;

	*u = (struct use){ .r = __atomic_load_n(&pr->open[i], __ATOMIC_ACQUIRE) };
	if (!u->r) {
		ret = pr->far ? open_far(pr, &pr->list.v[i], &u->r) :
				open_near(pr, &pr->list.v[i], &u->r);
		if (!ret)
			keep(pr, i, u);
	}
	if (!ret)
		__atomic_store_n(&u->r->stop, __atomic_load_n(&pr->r.stop, __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
	return ret;
}

static void end(const struct use *u)
{
	if (u->once)
		u->r->ops->close(u->r);
}

/**
 * struct step - a range of one piece
 * @i: the piece; @at: offset in it; @len: bytes
 */
struct step {
	size_t i;
	u64 at;
	u64 len;
};

static struct step step_of(const struct pieces_reader *pr, u64 pos, u64 len)
{
	const size_t i = piece_find(pr->list.v, pr->list.n, pos);
	const struct piece *p = &pr->list.v[i];
	const u64 at = pos - p->start;

	return (struct step){ i, at, len < p->bytes - at ? len : p->bytes - at };
}

static bool is_inside(const struct dsfs_reader *r, u64 pos, u64 len)
{
	return pos <= r->bytes && len <= r->bytes - pos;
}

static void pieces_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	struct pieces_reader *pr = pieces_of(r);
	struct step s;
	struct use u;

	if (!is_inside(r, pos, len))
		return;
	for (; len; pos += s.len, len -= s.len) {
		s = step_of(pr, pos, len);
		if (begin(pr, s.i, &u))
			return;
		if (u.r->ops->ahead)
			u.r->ops->ahead(u.r, s.at, s.len);
		end(&u);
	}
}

static bool pieces_has(struct dsfs_reader *r, u64 pos)
{
	struct pieces_reader *pr = pieces_of(r);
	struct step s;
	struct use u;
	bool has;

	if (pos >= r->bytes)
		return false;
	s = step_of(pr, pos, 1);
	if (begin(pr, s.i, &u))
		return false;
	has = u.r->ops->has && u.r->ops->has(u.r, s.at);
	end(&u);
	return has;
}

/* A place in the buffers of a read, which goes forward */
struct taken {
	const struct iovec *iov;
	size_t used;
};

/* Go over @len bytes, and have @out list them.  Return: how many entries; @out: NULL: count. */
static int take(struct taken *p, u64 len, struct iovec *out)
{
	size_t n;
	int used = 0;

	for (; len; len -= n, p->used += n) {
		for (; p->used == p->iov->iov_len; p->iov++)
			p->used = 0;
		n = p->iov->iov_len - p->used;
		if (n > len)
			n = len;
		if (out)
			out[used] = (struct iovec){ (u8 *)p->iov->iov_base + p->used, n };
		used++;
	}
	return used;
}

static void copy_head(const struct pieces_reader *pr, const struct iovec *iov, int n, u64 pos)
{
	for (int i = 0; i < n; pos += iov[i++].iov_len)
		if (iov[i].iov_len)
			memcpy(iov[i].iov_base, pr->head + pos, iov[i].iov_len);
}

static int read_step(struct pieces_reader *pr, const struct step *s, const struct iovec *iov, int n,
		     unsigned int flags)
{
	struct use u;
	int ret;

	if (pr->head && !s->i && !(flags & READ_AGAIN)) {
		copy_head(pr, iov, n, s->at);
		return 0;
	}
	ret = begin(pr, s->i, &u);
	if (ret)
		return ret;
	ret = u.r->ops->read(u.r, iov, n, s->len, s->at, flags);
	end(&u);
	if (ret != -EBADMSG && ret != -ENOSPC)
		return ret;
	return failed(&pr->list.v[s->i], "verify=pieces", ret == -ENOSPC ?
		      "no room for all of it in cache-dir" : "its SHA-256 is not that of the list");
}

/* A range over several pieces: all are asked for before the first one is waited for. */
static int read_over(struct pieces_reader *pr, const struct iovec *iov, u64 len, u64 pos,
		     unsigned int flags)
{
	struct taken from = { iov, 0 }, counted;
	struct iovec *some;
	struct step s;
	int ret = 0, n;

	if (pr->far && !(flags & READ_AGAIN))
		pieces_ahead(&pr->r, pos, len);
	for (; !ret && len; pos += s.len, len -= s.len) {
		s = step_of(pr, pos, len);
		counted = from;
		n = take(&counted, s.len, NULL);
		some = malloc(n * sizeof(*some));
		if (!some)
			return -ENOMEM;
		take(&from, s.len, some);
		ret = read_step(pr, &s, some, n, flags);
		free(some);
	}
	return ret;
}

static int pieces_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		       unsigned int flags)
{
	struct pieces_reader *pr = pieces_of(r);
	struct step s;

	if (!is_inside(r, pos, len))
		return -EIO;
	if (!len)
		return 0;
	s = step_of(pr, pos, len);
	return s.len == len ? read_step(pr, &s, iov, n, flags) :
			      read_over(pr, iov, len, pos, flags);
}

static void pieces_close(struct dsfs_reader *r)
{
	struct pieces_reader *pr = pieces_of(r);

	for (size_t i = 0; pr->open && i < pr->list.n; i++)
		if (pr->open[i])
			pr->open[i]->ops->close(pr->open[i]);
	if (pr->far)
		pr->far->ops->close(pr->far);
	free((char *)pr->cache.dir);
	free((char *)pr->r.name);
	free(pr->open);
	free(pr->head);
	if (pr->dir >= 0)
		close(pr->dir);
	pieces_free(&pr->list);
	free(pr->text);
	free(pr);
}

static const struct dsfs_reader_ops ops = {
	.read = pieces_read,
	.ahead = pieces_ahead,
	.has = pieces_has,
	.close = pieces_close,
};

/* Read the first piece, which is compared and kept. */
static int load_head(struct pieces_reader *pr)
{
	const struct piece *p = pr->list.v;
	char have[HASH_HEX], want[HASH_HEX], text[64];
	u8 sum[HASH_BYTES], *head;
	struct iovec iov;
	int ret;

	if (p->bytes > PIECES_HEAD_MAX)
		return 0;
	head = malloc(p->bytes);
	if (!head)
		return -ENOMEM;
	iov = (struct iovec){ head, p->bytes };
	ret = pieces_read(&pr->r, &iov, 1, p->bytes, 0, 0);
	hash_sha256(head, ret ? 0 : p->bytes, sum);
	if (!ret && memcmp(sum, p->sum, sizeof(sum)) && pr->far)
		ret = pieces_read(&pr->r, &iov, 1, p->bytes, 0, READ_AGAIN);
	pr->head = head;
	if (ret)
		return ret;
	hash_sha256(head, p->bytes, sum);
	if (!memcmp(sum, p->sum, sizeof(sum)))
		return 0;
	hash_hex(sum, have);
	hash_hex(p->sum, want);
	snprintf(text, sizeof(text), "%.12s..., the list says %.12s...", have, want);
	return failed(p, "its SHA-256 is", text);
}

/* The text of a list, of which @head was read */
static int read_text(struct dsfs_reader *list, char **text)
{
	struct iovec iov;
	int ret;

	if (list->bytes > PIECES_TEXT_MAX) {
		snprintf(err_far(), ERR_FAR, "list: %llu bytes, at most %d are read", list->bytes,
			 PIECES_TEXT_MAX);
		return -EINVAL;
	}
	*text = malloc(list->bytes);
	if (!*text)
		return -ENOMEM;
	iov = (struct iovec){ *text, list->bytes };
	ret = list->ops->read(list, &iov, 1, list->bytes, 0, 0);
	return ret;
}

static bool is_list(struct dsfs_reader *r)
{
	char head[sizeof(PIECES_BEGIN) - 1];
	const struct iovec iov = { head, sizeof(head) };

	return r->bytes >= sizeof(head) && !r->ops->read(r, &iov, 1, sizeof(head), 0, 0) &&
	       !memcmp(head, PIECES_BEGIN, sizeof(head));
}

static int open_folder(struct pieces_reader *pr, const char *list)
{
	const char *slash = strrchr(list, '/');
	char *folder = slash ? strndup(list, slash - list + 1) : strdup(".");

	if (!folder)
		return -ENOMEM;
	pr->dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return pr->dir < 0 ? -errno : 0;
}

/* Set up the reader but for @far. */
static int set_up(struct pieces_reader *pr, const struct dsfs_reader *list,
		  const struct pieces_way *way)
{
	pr->r = (struct dsfs_reader){
		.ops = &ops, .bytes = pr->list.bytes, .far = list->far,
		.name = list->name ? strdup(list->name) : NULL,
	};
	pr->open = calloc(pr->list.n, sizeof(struct dsfs_reader *));
	if (list->far && way->cache && way->cache->dir) {
		pr->cache = *way->cache;
		pr->cache.dir = strdup(way->cache->dir);
		pr->r.keeps = true;
		if (!pr->cache.dir)
			return -ENOMEM;
	}
	if (!pr->open || (!pr->r.name && list->name))
		return -ENOMEM;
	return list->far ? 0 : open_folder(pr, way->address);
}

static int open_pieces(struct pieces_reader *pr, struct dsfs_reader **list,
		       const struct pieces_way *way, struct expected *e)
{
	int ret = read_text(*list, &pr->text);

	pr->len = (*list)->bytes;
	if (!ret)
		ret = pieces_parse(pr->text, pr->len, &pr->list, err_far());
	if (!ret)
		ret = set_up(pr, *list, way);
	if (!ret && (*list)->far)
		ret = reader_http_pieces(*list, &pr->list);
	if (ret)
		return ret;
	if (e->any && !e->kind && !memcmp(e->sum, pr->list.sum, sizeof(e->sum)))
		e->any = false;
	if ((*list)->far)
		pr->far = *list;
	else
		(*list)->ops->close(*list);
	*list = NULL;
	return load_head(pr);
}

int reader_pieces(struct dsfs_reader **reader, const struct pieces_way *way, struct expected *e,
		  const char **what)
{
	struct dsfs_reader *list = *reader;
	struct pieces_reader *pr;
	int ret = -ENOMEM;

	if (!is_list(list))
		return 0;
	*err_far() = '\0';
	*reader = NULL;
	pr = calloc(1, sizeof(*pr));
	if (pr) {
		pr->dir = -1;
		ret = open_pieces(pr, &list, way, e);
	}
	if (!ret) {
		*reader = &pr->r;
		return 1;
	}
	if (list)
		list->ops->close(list);
	if (pr)
		pieces_close(&pr->r);
	*what = ret == -EINVAL ? err_far() : "list";
	return ret;
}

const struct pieces *reader_list(struct dsfs_reader *r, const char **text, size_t *len)
{
	if (r->ops != &ops)
		return NULL;
	*text = pieces_of(r)->text;
	*len = pieces_of(r)->len;
	return &pieces_of(r)->list;
}
