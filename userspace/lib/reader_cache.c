// SPDX-License-Identifier: GPL-2.0
/*
 * A reader in front of a far one, which keeps what it read in the cache of the node (cache.h).
 *
 * Blocks have their own checksums, so what is asked for is widened to whole blocks: the ends go
 * into memory aside.  What is missing of a range is asked for at once, from the first missing
 * block to the last, so a sample is one request as without a cache.  A caller that compares what
 * it gets with checksums of its own (READ_CHECKED) gets the bytes of a hit without a check here,
 * and asks again (READ_AGAIN) if they are wrong.  So such a hit costs one small read, of the
 * entries, more than an image on the node.
 *
 * Of a piece that is compared as a whole (verify=pieces) nothing is given before all of it has
 * come in and has its SHA-256.  Its entries are in memory until then, so blocks of a run that was
 * cut off, or of another sum, are not there for anybody.
 */
#include <fcntl.h>
#include <gcrypt.h>

#include "cache.h"
#include "dsfs_fs.h"
#include "../http/hash.h"
#include "../http/sleep.h"

#define BUFFERS	64	/* in a read */
#define SMALL	256	/* entries on the stack: 1 MiB */
#define IDENTITY_MAX	3000	/* bytes of an identity in the head of a file */
#define STEP		(8 << 20)	/* bytes of a whole piece that come in at a time */
#define AHEAD		(8 * STEP)	/* and are asked for before */

/**
 * struct cache_reader - the reader
 * @inner: the reader that it asks
 * @bad: what came in as a whole had another sum
 */
struct cache_reader {
	struct dsfs_reader r;
	struct dsfs_reader *inner;
	struct cache c;
	bool bad;
};

/**
 * struct span - whole blocks around what is asked for
 * @first, @blocks: the first block, and how many; @pos, @len: the same in bytes
 * @iov: buffers of the blocks, up to the end of the image
 * @head, @tail: bytes of the first and the last block that nobody asked for
 */
struct span {
	u64 first;
	u64 blocks;
	u64 pos;
	size_t len;
	int n;
	struct iovec iov[BUFFERS + 2];
	struct cache_entry *entry;
	u8 head[CACHE_BLOCK];
	u8 tail[CACHE_BLOCK];
};

/** struct missing - blocks of a span, by their numbers in it; none: @first == @end */
struct missing {
	u64 first;
	u64 end;
};

static struct cache_reader *cache_of(struct dsfs_reader *r)
{
	return container_of(r, struct cache_reader, r);
}

/* Find the blocks that a range lies in, up to the end of the image. */
static void round_out(const struct cache *c, u64 pos, u64 len, struct span *s)
{
	const u64 end = cache_blocks(pos + len) * CACHE_BLOCK;

	s->first = pos / CACHE_BLOCK;
	s->pos = s->first * CACHE_BLOCK;
	s->len = (end < c->bytes ? end : c->bytes) - s->pos;
	s->blocks = cache_blocks(s->len);
}

static void add_iov(struct span *s, void *p, size_t len)
{
	if (len)
		s->iov[s->n++] = (struct iovec){ p, len };
}

static void make_span(const struct cache *c, const struct iovec *iov, int n, size_t len, u64 pos,
		      struct span *s)
{
	round_out(c, pos, len, s);
	s->n = 0;
	add_iov(s, s->head, pos - s->pos);
	for (int i = 0; i < n; i++)
		add_iov(s, iov[i].iov_base, iov[i].iov_len);
	add_iov(s, s->tail, s->pos + s->len - (pos + len));
}

/* Cut @len bytes, from byte @from on, out of @n buffers.  Return: how many @out has. */
static int cut(const struct iovec *iov, int n, size_t from, size_t len, struct iovec *out)
{
	int used = 0;
	size_t some;

	for (int i = 0; i < n && len; i++) {
		if (from >= iov[i].iov_len) {
			from -= iov[i].iov_len;
			continue;
		}
		some = iov[i].iov_len - from;
		if (some > len)
			some = len;
		out[used++] = (struct iovec){ (u8 *)iov[i].iov_base + from, some };
		from = 0;
		len -= some;
	}
	return used;
}

static size_t block_len(const struct span *s, u64 block)
{
	const size_t left = s->len - block * CACHE_BLOCK;

	return left < CACHE_BLOCK ? left : CACHE_BLOCK;
}

static u64 end_of(const struct span *s, const struct missing *m)
{
	return m->end < s->blocks ? m->end * CACHE_BLOCK : s->len;
}

/**
 * struct cursor - a place in the buffers of a span, which goes forward
 */
struct cursor {
	const struct iovec *v;
	size_t used;
};

/* Take up to @len contiguous bytes, and go behind them. */
static u8 *step(struct cursor *p, size_t len, size_t *n)
{
	u8 *at;

	for (; p->used == p->v->iov_len; p->v++)
		p->used = 0;
	*n = p->v->iov_len - p->used;
	if (*n > len)
		*n = len;
	at = (u8 *)p->v->iov_base + p->used;
	p->used += *n;
	return at;
}

static u32 sum_block(struct cursor *p, u64 seed, size_t len)
{
	struct xxh64_state state;
	const u8 *at;
	size_t n;

	xxh64_reset(&state, seed);
	for (; len; len -= n) {
		at = step(p, len, &n);
		xxh64_update(&state, at, n);
	}
	return (u32)xxh64_digest(&state);
}

static void skip_block(struct cursor *p, size_t len)
{
	size_t n;

	for (; len; len -= n)
		step(p, len, &n);
}

/* Clear the entries of blocks with a wrong checksum; @got bytes were read. */
static void check(const struct cache *c, struct span *s, size_t got)
{
	struct cursor p = { s->iov, 0 };
	size_t at = 0, n;

	for (u64 i = 0; i < s->blocks; i++, at += n) {
		struct cache_entry *e = &s->entry[i];

		n = block_len(s, i);
		if (at + n > got)
			e->state = cpu_to_le32(0);
		if (!cache_is_there(e))
			skip_block(&p, n);
		else if (sum_block(&p, cache_seed(c, s->first + i), n) != le32_to_cpu(e->sum))
			e->state = cpu_to_le32(0);
	}
}

static struct missing find_missing(const struct span *s)
{
	struct missing m = { 0, s->blocks };

	while (m.first < m.end && cache_is_there(&s->entry[m.first]))
		m.first++;
	while (m.first < m.end && cache_is_there(&s->entry[m.end - 1]))
		m.end--;
	return m;
}

/* Policy lru: say that the blocks are used, once for each time that the hand passes. */
static void say_used(const struct cache *c, struct span *s)
{
	u64 i = 0;

	if (!c->lru)
		return;
	while (i < s->blocks && le32_to_cpu(s->entry[i].state) == CACHE_USED)
		i++;
	if (i < s->blocks)
		cache_mark(c, s->first, s->blocks, s->entry, CACHE_USED);
}

/* Read the blocks of a span that the cache has, and check them.  Return: the missing ones. */
static struct missing look_up(const struct cache *c, struct span *s)
{
	struct missing m;

	cache_entries(c, s->first, s->blocks, s->entry);
	m = find_missing(s);
	if (!m.first && m.end == s->blocks)
		return m;
	check(c, s, cache_get(c, s->iov, s->n, s->pos));
	m = find_missing(s);
	if (m.first == m.end)
		say_used(c, s);
	return m;
}

static void keep(struct cache *c, struct span *s, const struct missing *m)
{
	const size_t from = m->first * CACHE_BLOCK, end = end_of(s, m);
	struct iovec iov[BUFFERS + 2] = { };
	const int n = cut(s->iov, s->n, from, end - from, iov);
	struct cursor p = { iov, 0 };

	if (!cache_admit(c, m->end - m->first))
		return;
	for (u64 i = m->first; i < m->end; i++)
		s->entry[i] = (struct cache_entry){
			cpu_to_le32(sum_block(&p, cache_seed(c, s->first + i), block_len(s, i))),
			cpu_to_le32(CACHE_PRESENT),
		};
	if (!cache_put(c, iov, n, end - from, s->first + m->first, s->entry + m->first))
		cache_full(c);
}

/* Pass on @stop, which is set after the open: the inner reader is the one that waits. */
static void pass_stop(struct cache_reader *cr)
{
	__typeof__(cr->r.stop) stop = __atomic_load_n(&cr->r.stop, __ATOMIC_RELAXED);

	if (__atomic_load_n(&cr->inner->stop, __ATOMIC_RELAXED) != stop)
		__atomic_store_n(&cr->inner->stop, stop, __ATOMIC_RELAXED);
}

static int ask(struct cache_reader *cr, struct span *s, const struct missing *m,
	       unsigned int flags)
{
	const size_t from = m->first * CACHE_BLOCK, len = end_of(s, m) - from;
	struct iovec iov[BUFFERS + 2];
	const int n = cut(s->iov, s->n, from, len, iov);
	int ret;

	pass_stop(cr);
	ret = cr->inner->ops->read(cr->inner, iov, n, len, s->pos + from, flags & ~READ_CHECKED);
	if (!ret)
		keep(&cr->c, s, m);
	return ret;
}

/*
 * Ranges that threads of this process are bringing in, so that another one that wants the same
 * waits for it instead of asking again.  A thread waits only for a range that holds all of its own:
 * threads that read neighbours share a block with each other, and would else go one behind the
 * other.
 *
 * A child of fork(2) has none of the threads that would end what is under way, so its list is
 * empty.
 */

/**
 * struct flight - a range of blocks that one thread brings in
 * @of: the reader
 * @first, @end: the range
 * @number: of this flight, in the order in which they began; the first is 1
 */
struct flight {
	LIST_ENTRY(flight) link;
	const struct cache_reader *of;
	u64 first;
	u64 end;
	u64 number;
};

static LIST_HEAD(, flight) flights;	/* zeros are an empty one */
static struct waiters waiters;
static pthread_mutex_t lock;
static u64 numbers;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void begin_anew(void)
{
	LIST_INIT(&flights);
	SLIST_INIT(&waiters);
	pthread_mutex_init(&lock, NULL);
}

static void begin_once(void)
{
	begin_anew();
	pthread_atfork(before_fork, after_fork, begin_anew);
}

/* Whether one of the first @last flights still brings in all of @f's range. */
static bool is_under_way(const struct flight *f, u64 last)
{
	const struct flight *other;

	LIST_FOREACH(other, &flights, link)
		if (other->number <= last && !strcmp(other->of->c.name, f->of->c.name) &&
		    other->first <= f->first && other->end >= f->end)
			return true;
	return false;
}

/*
 * Say that a range is about to be brought in, once those under way that hold all of it have ended:
 * so who comes back looks once more whether the range is there.  Only flights that began before
 * this call are waited for.  If such a one fails, all who waited for it go on at the same time, and
 * none of them waits for another.  Return: 0, or -EINTR after a signal or @stop: nothing has begun.
 */
static int flight_begin(struct flight *f, int (*stop)(void))
{
	bool stopped = false;
	u64 last;

	pthread_once(&once, begin_once);
	pthread_mutex_lock(&lock);
	last = numbers;
	while (!stopped && is_under_way(f, last))
		stopped = wait_in(&waiters, &lock, stop);
	if (!stopped) {
		f->number = ++numbers;
		LIST_INSERT_HEAD(&flights, f, link);
	}
	pthread_mutex_unlock(&lock);
	return stopped ? -EINTR : 0;
}

static void flight_end(struct flight *f)
{
	pthread_mutex_lock(&lock);
	LIST_REMOVE(f, link);
	wake_all(&waiters);
	pthread_mutex_unlock(&lock);
}

/*
 * Read the missing blocks of a span from the origin.  Blocks that another thread of this process
 * is bringing in are waited for, and the second look finds those that one has just brought in.
 */
static int fill(struct cache_reader *cr, struct span *s, unsigned int flags)
{
	struct missing m = look_up(&cr->c, s);
	struct flight f = { .of = cr };
	int ret = 0;

	if (m.first == m.end)
		return 0;
	if (cr->c.whole)
		return -EAGAIN;
	f.first = s->first + m.first;
	f.end = s->first + m.end;
	ret = flight_begin(&f, __atomic_load_n(&cr->r.stop, __ATOMIC_RELAXED));
	if (ret)
		return ret;
	m = look_up(&cr->c, s);
	if (m.first < m.end)
		ret = ask(cr, s, &m, flags);
	flight_end(&f);
	return ret;
}

/* Drop blocks and read them anew: a checksum of the caller says that they are wrong. */
static int replace(struct cache_reader *cr, struct span *s, unsigned int flags)
{
	const struct missing all = { 0, s->blocks };

	memset(s->entry, 0, s->blocks * sizeof(*s->entry));
	cache_mark(&cr->c, s->first, s->blocks, s->entry, 0);
	return ask(cr, s, &all, flags);
}

/* Read into the caller's buffers, without a check, if the cache has the whole range. */
static bool read_there(const struct cache *c, struct span *s, const struct iovec *iov, int n,
		       size_t len, u64 pos)
{
	struct missing m;

	cache_entries(c, s->first, s->blocks, s->entry);
	m = find_missing(s);
	if (m.first < m.end || cache_get(c, iov, n, pos) != len)
		return false;
	say_used(c, s);
	return true;
}

static int read_span(struct cache_reader *cr, struct span *s, const struct iovec *iov, int n,
		     size_t len, u64 pos, unsigned int flags)
{
	if (flags & READ_AGAIN) {
		make_span(&cr->c, iov, n, len, pos, s);
		return replace(cr, s, flags);
	}
	if (flags & READ_CHECKED) {
		round_out(&cr->c, pos, len, s);
		if (read_there(&cr->c, s, iov, n, len, pos))
			return 0;
	}
	make_span(&cr->c, iov, n, len, pos, s);
	return fill(cr, s, flags);
}

static int read_some(struct cache_reader *cr, const struct iovec *iov, int n, size_t len,
		     u64 pos, unsigned int flags)
{
	struct cache_entry small[SMALL];
	const u64 blocks = cache_blocks(len) + 1;
	struct span s;
	int ret;

	s.entry = small;
	if (blocks > SMALL)
		s.entry = malloc(blocks * sizeof(*s.entry));
	if (!s.entry)
		return -ENOMEM;
	ret = read_span(cr, &s, iov, n, len, pos, flags);
	if (s.entry != small)
		free(s.entry);
	return ret;
}

static int read_all(struct cache_reader *cr, const struct iovec *iov, int n, size_t len, u64 pos,
		    unsigned int flags)
{
	size_t some;
	int ret = 0, i;

	for (; !ret && len; iov += i, n -= i, pos += some, len -= some) {
		for (i = 0, some = 0; i < n && i < BUFFERS; i++)
			some += iov[i].iov_len;
		if (some)
			ret = read_some(cr, iov, i, some, pos, flags);
	}
	return ret;
}

/* Only entries are looked at: a block that turns out to be wrong costs its reader a request. */
static void bring_ahead(struct cache_reader *cr, u64 pos, u64 len)
{
	const struct dsfs_reader_ops *ops = cr->inner->ops;
	struct cache_entry small[SMALL];
	struct missing m;
	struct span s;

	if (!ops->ahead || !len || pos >= cr->r.bytes)
		return;
	s.entry = small;
	round_out(&cr->c, pos, len < cr->r.bytes - pos ? len : cr->r.bytes - pos, &s);
	if (s.blocks > SMALL)
		s.entry = malloc(s.blocks * sizeof(*s.entry));
	if (!s.entry)
		return;
	cache_entries(&cr->c, s.first, s.blocks, s.entry);
	m = find_missing(&s);
	if (m.first < m.end)
		ops->ahead(cr->inner, s.pos + m.first * CACHE_BLOCK,
			   end_of(&s, &m) - m.first * CACHE_BLOCK);
	if (s.entry != small)
		free(s.entry);
}

static void cache_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	if (!cache_of(r)->c.whole)
		bring_ahead(cache_of(r), pos, len);
}

/* Bring in all that is missing of a piece, and sum up all of it.  @entry: gets all entries. */
static int sum_all(struct cache_reader *cr, struct cache_entry *entry, u8 *buf, gcry_md_hd_t md)
{
	struct iovec iov = { .iov_base = buf };
	struct missing m;
	struct span s;
	int ret = 0;

	for (u64 at = 0; at < AHEAD; at += STEP)
		bring_ahead(cr, at, STEP);
	for (u64 at = 0; !ret && at < cr->c.bytes; at += STEP) {
		bring_ahead(cr, at + AHEAD, STEP);
		iov.iov_len = cr->c.bytes - at < STEP ? cr->c.bytes - at : STEP;
		make_span(&cr->c, &iov, 1, iov.iov_len, at, &s);
		s.entry = entry + s.first;
		m = look_up(&cr->c, &s);
		if (m.first < m.end)
			ret = ask(cr, &s, &m, 0);
		m = find_missing(&s);
		if (!ret && m.first < m.end)
			ret = -ENOSPC;
		gcry_md_write(md, buf, iov.iov_len);
	}
	return ret;
}

/* Return: 0: all of the piece is in the cache, and right; else nothing of it is. */
static int bring_whole(struct cache_reader *cr)
{
	struct cache_entry *entry = cr->c.blocks > U32_MAX ? NULL :
				    calloc(cr->c.blocks, sizeof(*entry));
	u8 *buf = malloc(STEP);
	gcry_md_hd_t md = NULL;
	int ret = -ENOMEM;

	if (entry && buf && !gcry_md_open(&md, GCRY_MD_SHA256, 0))
		ret = sum_all(cr, entry, buf, md);
	if (!ret && memcmp(gcry_md_read(md, 0), cr->inner->sum, HASH_BYTES)) {
		cr->bad = true;
		ret = -EBADMSG;
	}
	if (!ret)
		cache_mark(&cr->c, 0, cr->c.blocks, entry, CACHE_PRESENT);
	else if (entry)
		cache_drop(&cr->c, 0, cr->c.blocks, entry);
	gcry_md_close(md);
	free(buf);
	free(entry);
	return ret;
}

/* Of a piece that lacks a block, or has one that a checksum refuses: one process brings it in. */
static int read_whole(struct cache_reader *cr, const struct iovec *iov, int n, size_t len, u64 pos,
		      unsigned int flags)
{
	struct flight f = { .of = cr, .end = cr->c.blocks };
	struct flock range = { .l_type = F_WRLCK };
	int ret = flight_begin(&f, __atomic_load_n(&cr->r.stop, __ATOMIC_RELAXED));

	if (ret)
		return ret;
	/* that of this process: children have the descriptor, too; without one both bring it in */
	ret = fcntl(cr->c.fd, F_SETLKW, &range) && errno == EINTR ? -EINTR : -EAGAIN;
	if (ret == -EAGAIN && !(flags & READ_AGAIN))
		ret = read_all(cr, iov, n, len, pos, flags);
	if (ret == -EAGAIN)
		ret = cr->bad ? -EBADMSG :
		      bring_whole(cr) ?: read_all(cr, iov, n, len, pos, flags & ~READ_AGAIN);
	range.l_type = F_UNLCK;
	fcntl(cr->c.fd, F_SETLK, &range);
	flight_end(&f);
	return ret == -EAGAIN ? -ENOSPC : ret;
}

static int cache_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		      unsigned int flags)
{
	struct cache_reader *cr = cache_of(r);
	int ret = -EAGAIN;

	if (pos > r->bytes || len > r->bytes - pos)
		return -EIO;
	if (!cr->c.whole || !(flags & READ_AGAIN))
		ret = read_all(cr, iov, n, len, pos, flags);
	return cr->c.whole && ret == -EAGAIN ? read_whole(cr, iov, n, len, pos, flags) : ret;
}

static bool cache_has(struct dsfs_reader *r, u64 pos)
{
	struct cache_reader *cr = cache_of(r);
	const struct dsfs_reader_ops *ops = cr->inner->ops;
	struct cache_entry e;

	if (pos >= r->bytes)
		return false;
	cache_entries(&cr->c, pos / CACHE_BLOCK, 1, &e);
	return cache_is_there(&e) || (ops->has && ops->has(cr->inner, pos));
}

static u64 cache_next_data(struct dsfs_reader *r, u64 pos)
{
	struct dsfs_reader *inner = cache_of(r)->inner;

	return inner->ops->next_data ? inner->ops->next_data(inner, pos) : pos;
}

static void cache_reader_close(struct dsfs_reader *r)
{
	struct cache_reader *cr = cache_of(r);

	cache_close(&cr->c);
	cr->inner->ops->close(cr->inner);
	free(cr);
}

static const struct dsfs_reader_ops ops = {
	.read = cache_read,
	.ahead = cache_ahead,
	.has = cache_has,
	.next_data = cache_next_data,
	.close = cache_reader_close,
};

/* Give the inner reader to the caller: without a file there is no cache. */
static void give_inner(struct cache_reader *cr, const char *warning)
{
	cr->inner->warning = warning;
	cache_close(&cr->c);
	free(cr);
}

/*
 * The identity of a reader and, unless it has a sum, the SHA-256 of what is before the data, both
 * superblocks, which the open has read.  So a cache never answers for another image, or generation,
 * whatever a server says of it.  The identity has an address, which may be longer than the head of
 * a file: then its SHA-256 stands for it.  Return: 0 or an error.
 */
static int name_file(struct dsfs_reader *inner, bool whole, char **name)
{
	const size_t len = inner->bytes < DSFS_DATA_START_MIN ? inner->bytes : DSFS_DATA_START_MIN;
	u8 first[DSFS_DATA_START_MIN];
	const struct iovec iov = { first, len };
	char text[HASH_HEX], identity[HASH_HEX];
	int ret;

	if (whole) {
		hash_hex(inner->sum, text);
		return asprintf(name, "%llu sha256:%s", inner->bytes, text) < 0 ? -ENOMEM : 0;
	}
	if (inner->sum) {
		*name = strdup(inner->identity);
		return *name ? 0 : -ENOMEM;
	}
	ret = inner->ops->read(inner, &iov, 1, len, 0, 0);
	if (ret)
		return ret;
	hash_text(first, len, text);
	hash_text(inner->identity, strlen(inner->identity), identity);
	return asprintf(name, "%s %s", strlen(inner->identity) > IDENTITY_MAX ? identity :
			inner->identity, text) < 0 ? -ENOMEM : 0;
}

int reader_cache(struct dsfs_reader *inner, const struct cache_options *o,
		 struct dsfs_reader **out, const char **what)
{
	struct cache_reader *cr = calloc(1, sizeof(*cr));
	char *name;
	int ret;

	*what = "cache";
	*out = inner;
	if (!cr)
		return -ENOMEM;
	cr->inner = inner;
	cr->c = (struct cache){
		.fd = -1, .limit = o->bytes, .lru = o->lru, .bytes = inner->bytes,
		.whole = o->whole,
	};
	if (!inner->identity) {
		give_inner(cr, "nothing is kept in cache-dir: the server tells no version");
		return 0;
	}
	ret = name_file(inner, o->whole, &name);
	if (ret) {
		free(cr);
		return ret;
	}
	ret = cache_open(&cr->c, o->dir, name, what);
	free(name);
	if (ret || cr->c.fd < 0) {
		give_inner(cr, "nothing is kept in cache-dir, which cannot be written to");
		return ret ?: o->whole ? -EROFS : 0;
	}
	cr->r = *inner;
	cr->r.ops = &ops;
	cr->r.keeps = cr->c.writable;
	if (!cr->c.writable)
		cr->r.warning = "nothing more is kept in cache-dir, which cannot be written to";
	*out = &cr->r;
	return 0;
}
