// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the node's cache.  The origin is a fake that counts requests, so the requests of
 * each read are a number; every byte that is read is compared with the origin's.
 */
#include <ftw.h>

#include "../http/hash.h"
#include "unit_cache.h"

char work_dir[PATH_MAX];
char cache_path[PATH_MAX];

void work_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(work_dir, sizeof(work_dir), "%.200s/dsfs-cache.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(work_dir))
		exit(1);
	snprintf(cache_path, sizeof(cache_path), "%.300s/cache", work_dir);
}

void work_end(void)
{
	tap_remove(work_dir);
}

u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

static u8 origin_byte(const struct origin *o, u64 pos)
{
	return ((pos / 4096 + o->salt) * 2654435761u + pos * 40503u) >> 8;
}

static int origin_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		       unsigned int flags)
{
	struct origin *o = container_of(r, struct origin, r);
	void (*hook)(struct origin *o) = o->hook;
	const u8 change = o->wrong ? 0x40 : 0;

	__atomic_fetch_add(&o->requests, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&o->asked, len, __ATOMIC_RELAXED);
	__atomic_store_n(&o->pos, pos, __ATOMIC_RELAXED);
	__atomic_store_n(&o->len, len, __ATOMIC_RELAXED);
	__atomic_store_n(&o->flags, flags, __ATOMIC_RELAXED);
	if (o->wrong)
		o->wrong--;
	if (hook) {
		o->hook = NULL;
		hook(o);
	}
	if (o->error)
		return o->error;
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < iov[i].iov_len; k++, pos++)
			((u8 *)iov[i].iov_base)[k] = origin_byte(o, pos) ^ change;
	return 0;
}

static void origin_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	struct origin *o = container_of(r, struct origin, r);

	o->ahead_pos = pos;
	o->ahead_len = len;
}

static void origin_close(struct dsfs_reader *r)
{
}

static const struct dsfs_reader_ops ops = {
	.read = origin_read,
	.ahead = origin_ahead,
	.close = origin_close,
};

void origin_init(struct origin *o, u64 bytes, const char *identity)
{
	*o = (struct origin){
		.r = { .ops = &ops, .bytes = bytes, .identity = identity, .far = true },
	};
	for (; identity && *identity; identity++)
		o->salt = o->salt * 31 + *identity;
}

void origin_whole(struct origin *o)
{
	u8 *all = malloc(o->r.bytes);

	for (u64 i = 0; all && i < o->r.bytes; i++)
		all[i] = origin_byte(o, i);
	hash_sha256(all, o->r.bytes, o->sum);
	o->r.sum = o->sum;
	free(all);
}

struct dsfs_reader *must_cache(struct origin *o, u64 limit, bool lru)
{
	const struct cache_options opt = { cache_path, limit, lru, o->r.sum };
	struct dsfs_reader *r;
	const char *what;
	int ret = reader_cache(&o->r, &opt, &r, &what);

	/* The first block: a server's answer to the open has it. */
	o->requests = 0;
	o->asked = 0;
	if (!ret)
		return r;
	tap_note("%s: %s", what, strerror(-ret));
	exit(1);
}

void close_reader(struct dsfs_reader *r)
{
	r->ops->close(r);
}

bool is_right(const struct origin *o, const u8 *p, size_t len, u64 pos)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] != origin_byte(o, pos + i))
			return false;
	return true;
}

int get(struct dsfs_reader *r, const struct origin *o, u64 pos, size_t len, unsigned int flags)
{
	u8 *p = calloc(1, len);
	struct iovec iov[] = { { p, len / 3 }, { p, 0 }, { p + len / 3, len - len / 3 } };
	int ret;

	if (!p)
		exit(1);
	ret = r->ops->read(r, iov, ARRAY_SIZE(iov), len, pos, flags);
	if (!ret && !is_right(o, p, len, pos))
		ret = -EBADMSG;
	free(p);
	return ret;
}

int get_as_library(struct dsfs_reader *r, const struct origin *o, u64 pos, size_t len)
{
	int ret = get(r, o, pos, len, READ_CHECKED);

	return ret == -EBADMSG ? get(r, o, pos, len, READ_CHECKED | READ_AGAIN) : ret;
}

unsigned int get_samples(struct dsfs_reader *r, const struct origin *o, unsigned int n)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < n; i++)
		wrong += !!get(r, o, 512 + (u64)i * SAMPLE, SAMPLE, 0);
	return wrong;
}

unsigned int cache_names(char *first)
{
	DIR *d = opendir(cache_path);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (cache_is_name(e->d_name) && !n++ && first)
			snprintf(first, PATH_MAX, "%.400s/%s", cache_path, e->d_name);
	if (d)
		closedir(d);
	return n;
}

static u64 used;

static int add_used(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_F)
		used += st->st_blocks * 512ULL;
	return 0;
}

u64 cache_used(void)
{
	used = 0;
	nftw(cache_path, add_used, 16, FTW_PHYS);
	return used;
}

int main(int argc, char **argv)
{
	setbuf(stdout, NULL);	/* children write nothing, and print nothing twice */
	alarm(1200);		/* a test that hangs has failed */
	return tap_main(argc, argv);
}
