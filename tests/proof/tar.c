// SPDX-License-Identifier: GPL-2.0
/* Headers of tar archives: numbers, the checksum, maps of files with holes */
#include "proof.h"

/* What messages are made of is not proven. */
#define __printf(...)
#include <field.c>
#include <sparse.c>

int tar_fail(struct tar *t, const char *fmt, ...)
{
	return -EINVAL;
}

int tar_bytes_fail(struct tar *t, int ret)
{
	return ret;
}

int no_memory(void)
{
	return -ENOMEM;
}

/* A block of any bytes, or the end of the archive: behind PROOF_SIZE of them at last */
int tar_bytes_get(struct tar_bytes *b, void *to, size_t bytes)
{
	const bool end = any(bool);

	assert(__CPROVER_w_ok(to, bytes));
	__CPROVER_havoc_object(to);
	return b->taken++ == PROOF_SIZE || end ? -ENODATA : 0;
}

int parse_decimal(const char *s, u64 *v)
{
	const bool bad = any(bool);

	*v = any(u64);
	return bad ? -EINVAL : 0;
}

/* How many there are is all that is kept. */
int array_append(struct array *a, const void *one)
{
	const bool full = any(bool);

	assert(__CPROVER_r_ok(one, sizeof(struct tar_range)) && a->n < RANGES_MAX);
	a->n++;
	return full ? -ENOMEM : 0;
}

/* A field of any bytes: an octal number is not negative, a binary one is what its bytes say. */
void proof_tar_number(void)
{
	const size_t len = any(size_t);
	const u8 *field;
	__int128 want;
	s64 v;

	assume(len && len <= PROOF_SIZE);
	field = bytes_any(len);
	if (!tar_parse_number((const char *)field, len, &v))
		return;
	if (!(field[0] & 0x80)) {
		assert(v >= 0);
		return;
	}
	want = (field[0] & 0x7f) - (field[0] & 0x40) * 2;
	for (size_t i = 1; i < len; i++)
		want = want * 256 + field[i];
	assert(v == want);
}

int memcmp(const void *a, const void *b, size_t len)
{
	assert(__CPROVER_r_ok(a, len) && __CPROVER_r_ok(b, len));
	return any(int);
}

int stub_tar_number(struct tar *t, const char *what, const char *field, size_t len, u64 max, u64 *n)
{
	const bool bad = any(bool);

	assert(len && len <= 12 && __CPROVER_r_ok(field, len));
	*n = any(u64);
	return bad || *n > max ? -EINVAL : 0;
}

bool stub_tar_parse_number(const char *field, size_t len, s64 *v)
{
	assert(len == 8 && __CPROVER_r_ok(field, len));
	*v = any(s64);
	return any(bool);
}

/* A block of any bytes */
void proof_tar_header(void)
{
	struct ustar h;

	tar_is_header((const char *)&h);
}

/* A map in the header, and in blocks behind it, of which nothing is kept but that more follow */
void proof_tar_map_old(void)
{
	static struct tar t;

	t.m.map.n = any(size_t);
	assume(t.m.map.n <= RANGES_MAX);
	t.m.sparse = any(bool);
	if (!tar_sparse_old(&t, bytes_any(TAR_BLOCK)))
		assert(t.m.sparse && t.m.real_size <= INT64_MAX);
}

/*
 * What is accepted is in order, in the file, and has as many bytes as follow.  A range is a turn of
 * one loop, which keeps the end of the last one and the sum: three meet each path of it.
 */
void proof_tar_sparse(void)
{
	const size_t n = any(size_t), a = any(size_t), b = any(size_t);
	static struct tar t;
	struct tar_range *r;
	__int128 sum = 0;

	assume(n <= PROOF_SIZE);
	r = bytes_any(n * sizeof(*r));
	t.m.map = (struct array){ .p = (void *)r, .n = n };
	t.m.size = any(u64);
	t.m.real_size = any(u64);
	if (tar_sparse_end(&t))
		return;
	for (size_t i = 0; i < n; i++)
		sum += r[i].bytes;
	assert(sum == t.m.size);
	assume(a < b && b < n);
	assert((__int128)r[a].start + r[a].bytes <= r[b].start);
	assert((__int128)r[b].start + r[b].bytes <= t.m.real_size);
}
