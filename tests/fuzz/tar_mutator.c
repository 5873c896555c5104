// SPDX-License-Identifier: GPL-2.0
/*
 * Mutator of archives, which knows headers and records.  A third of the inputs
 * is mutated by the engine as plain bytes.
 */
#include <stdlib.h>

#include "engine.h"
#include "tar_input.h"

#define BLOCK		TAR_INPUT_BLOCK
#define MEMBERS_MAX	64

static const char *const records[] = {
	"SCHILY.acl.access=user::rwx,group::r-x,other::r--,mask::rwx,user:7:rwx",
	"SCHILY.acl.default=user::rwx,group::r-x,other::r--,mask::rwx,group:7:rwx",
	"SCHILY.acl.access=user::rw-,group::r--,other::---",
	"SCHILY.xattr.user.a=value", "SCHILY.xattr.security.selinux=,v", "SCHILY.xattr.trusted.=x",
	"SCHILY.xattr.system.posix_acl_access=x", "path=dir/", "path=a/b", "path=", "path=,n",
	"path=,n/", "linkpath=,t", "linkpath=a", "size=512", "size=0", "size=-1", "size=",
	"mtime=1e-09", "mtime=-9223372036.9", "mtime=1e40", "uid=5", "uid=", "gid=4294967295",
	"GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.realsize=8192",
	"GNU.sparse.size=8192", "GNU.sparse.name=real", "GNU.sparse.map=0,512,1024,512",
	"GNU.sparse.offset=512", "GNU.sparse.numbytes=512", "SCHILY.devmajor=9",
	"hdrcharset=BINARY", "comment=,c",
};

static u32 next(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Where the headers are; their number. */
static unsigned int find_members(const u8 *data, size_t size, size_t *at)
{
	unsigned int n = 0;

	for (size_t pos = 0; pos + BLOCK <= size && n < MEMBERS_MAX; pos += BLOCK) {
		if (!data[pos])
			continue;
		at[n++] = pos;
		pos += tar_input_data(data + pos, size - pos - BLOCK);
	}
	return n;
}

/* Put @n bytes at @at.  Return: the new size. */
static size_t insert(u8 *data, size_t size, size_t max, size_t at, const u8 *p, size_t n)
{
	if (n > max || size > max - n)
		return size;
	memmove(data + at + n, data + at, size - at);
	memcpy(data + at, p, n);
	return size + n;
}

/* How long, or how many: often one, seldom as many as there can be. */
static void set_again(u8 *h, u64 *state)
{
	static const u8 hows[] = { TAR_INPUT_REPEAT, TAR_INPUT_REPEAT, TAR_INPUT_MANY,
				   TAR_INPUT_RAW };
	u32 times = 1U << next(state) % 16;

	h[TAR_INPUT_HOW] = hows[next(state) % 4];
	h[TAR_INPUT_AGAIN] = times;
	h[TAR_INPUT_AGAIN + 1] = times >> 8;
}

static void put_line(u8 *block, size_t *n, const char *record)
{
	const size_t len = strlen(record);

	if (*n + len + 1 > BLOCK)
		return;
	memcpy(block + *n, record, len);
	block[*n + len] = '\n';
	*n += len + 1;
}

/* A record about as long as the limits of the format are, and of the memory behind them */
static void put_long(u8 *h, u64 *state)
{
	static const char *const longs[] = {
		"SCHILY.acl.access=user::rwx,group::r-x,other::r--,mask::rwx,user:7:rwx",
		"SCHILY.acl.default=user::rwx,group::r-x,other::r--,mask::rwx,group:7:rwx",
		"SCHILY.xattr.user.a=,v", "GNU.sparse.map=0,512", "path=a,n", "path=a,/n",
		"linkpath=a,n",
	};
	const u32 times = 1U << (10 + next(state) % 6);
	size_t n = 0;

	put_line(h + BLOCK, &n, longs[next(state) % (sizeof(longs) / sizeof(*longs))]);
	h[TAR_INPUT_HOW] = TAR_INPUT_REPEAT;
	h[TAR_INPUT_AGAIN] = times;
	h[TAR_INPUT_AGAIN + 1] = times >> 8;
}

/* Records in front of a member */
static size_t add_records(u8 *data, size_t size, size_t max, size_t at, u64 *state)
{
	u8 block[2 * BLOCK] = "records";
	size_t n = 0;

	memcpy(block + 100, "0000644", 7);
	memcpy(block + 108, "0000000", 7);
	memcpy(block + 116, "0000000", 7);
	memcpy(block + 124, "00000001000", 11);
	block[156] = next(state) % 8 ? 'x' : 'g';
	memcpy(block + 257, "ustar\00000", 8);
	if (!(next(state) % 4)) {
		put_long(block, state);
		return insert(data, size, max, at, block, sizeof(block));
	}
	for (unsigned int i = 1 + next(state) % 4; i; i--)
		put_line(block + BLOCK, &n,
			 records[next(state) % (sizeof(records) / sizeof(*records))]);
	if (!(next(state) % 4))
		set_again(block, state);
	return insert(data, size, max, at, block, sizeof(block));
}

static void change_number(u8 *h, u64 *state)
{
	static const struct {
		u16 at;
		u16 len;
	} fields[] = { { 100, 8 }, { 108, 8 }, { 116, 8 }, { 124, 12 }, { 136, 12 }, { 329, 8 },
		       { 337, 8 }, { 386, 12 }, { 398, 12 }, { 483, 12 } };
	static const char *const values[] = {
		"0", "1", "777", "1000", "20000", "77777777777", " 12 ", "-1", "", "\x80\1",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe", "\xbf\xff\xff\xff", "zz",
	};
	const unsigned int f = next(state) % (sizeof(fields) / sizeof(*fields));
	const char *v = values[next(state) % (sizeof(values) / sizeof(*values))];

	memset(h + fields[f].at, 0, fields[f].len);
	memcpy(h + fields[f].at, v, strlen(v) < fields[f].len ? strlen(v) : fields[f].len);
}

static void change_name(u8 *h, u64 *state)
{
	static const char *const names[] = { "a", "a/", "b", "a/b", ".", "./", "", "..", "/a" };
	const char *name = names[next(state) % 9];
	u8 *to = h + (next(state) % 3 ? 0 : 157);

	memset(to, 0, 100);
	if (next(state) % 4)
		memcpy(to, name, strlen(name));
	else
		memset(to, 'n', 99 + next(state) % 2);
	if (!(next(state) % 8))
		to[99] = '/';
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	static const char types[] = "0123456701235xgLKSDVXM";
	u64 state = seed * 0x9e3779b97f4a7c15ULL + 1;
	size_t at[MEMBERS_MAX], pos, n;
	unsigned int members = find_members(data, size, at);
	u8 copy[4 * BLOCK];

	if (!members || !(next(&state) % 3))
		return LLVMFuzzerMutate(data, size, max);
	pos = at[next(&state) % members];
	switch (next(&state) % 6) {
	case 0:
		data[pos + 156] = types[next(&state) % (sizeof(types) - 1)];
		return size;
	case 1:
		change_number(data + pos, &state);
		return size;
	case 2:
		change_name(data + pos, &state);
		return size;
	case 3:
		set_again(data + pos, &state);
		return size;
	case 4:		/* a member again, elsewhere */
		n = BLOCK + tar_input_data(data + pos, size - pos - BLOCK);
		n = n < sizeof(copy) ? n : sizeof(copy);
		memcpy(copy, data + pos, n);
		return insert(data, size, max, at[next(&state) % members], copy, n);
	}
	return add_records(data, size, max, pos, &state);
}

size_t LLVMFuzzerCustomCrossOver(const u8 *a, size_t a_size, const u8 *b, size_t b_size, u8 *out,
				 size_t max, unsigned int seed)
{
	u64 state = seed * 0x9e3779b97f4a7c15ULL + 1;
	size_t at[MEMBERS_MAX], head, tail;
	unsigned int n = find_members(a, a_size, at);

	head = n ? at[next(&state) % n] : 0;
	n = find_members(b, b_size, at);
	tail = n ? at[next(&state) % n] : 0;
	if (head > max || b_size - tail > max - head)
		return 0;
	memcpy(out, a, head);
	memcpy(out + head, b + tail, b_size - tail);
	return head + b_size - tail;
}
