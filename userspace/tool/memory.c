// SPDX-License-Identifier: GPL-2.0
/*
 * Counted memory.  A container is killed for what its processes have in memory, not for pages of a
 * file, so a table that exceeds the limit is mapped from a temporary file.  That is slow for one
 * that is used at random and larger than the page cache; the run goes on.
 *
 * Room in the file is allocated before it is mapped: on a full disk there would be a signal.  The
 * kernel is told how it is used: else it reads around each page, megabytes on disks with a large
 * read-ahead, and keeps what was passed in order longer than pages of tables.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "msg.h"
#include "tempfile.h"

#define MAPPED_MIN	((size_t)64 << 10)
#define UNIT		((size_t)64 << 10)	/* of mappings: pages of any machine */

enum kind {
	KIND_HEAP,
	KIND_MAPPED,
	KIND_FILE,
};

/* What is in front of each piece of memory; @bytes: with this */
struct block_head {
	size_t bytes;
	enum kind kind;
} __aligned(16);

/**
 * struct memory - that of the process
 * @used: bytes that are counted, at most @limit but for those that had to be
 * @lock: of what follows
 * @fd: the temporary file, of @file_bytes; -1: none yet
 * @full: it could not be made, or made longer
 */
static struct {
	u64 limit;
	u64 used;
	pthread_mutex_t lock;
	int fd;
	u64 file_bytes;
	bool full;
} memory = { .limit = UINT64_MAX, .fd = -1 };

static void __attribute__((constructor)) memory_init(void)
{
	pthread_mutex_init(&memory.lock, NULL);
}

void memory_limit(u64 bytes)
{
	if (memory.fd >= 0)
		close(memory.fd);
	memory.fd = -1;
	memory.file_bytes = 0;
	memory.full = false;
	memory.limit = bytes;
}

bool memory_take(u64 bytes)
{
	if (__atomic_add_fetch(&memory.used, bytes, __ATOMIC_RELAXED) <= memory.limit)
		return true;
	memory_give(bytes);
	return false;
}

void memory_force(u64 bytes)
{
	__atomic_add_fetch(&memory.used, bytes, __ATOMIC_RELAXED);
}

void memory_give(u64 bytes)
{
	__atomic_sub_fetch(&memory.used, bytes, __ATOMIC_RELAXED);
}

bool memory_has_file(void)
{
	return !__atomic_load_n(&memory.full, __ATOMIC_RELAXED);
}

static size_t whole_units(size_t bytes)
{
	return (bytes + UNIT - 1) / UNIT * UNIT;
}

/* Make the file longer, and map that; lock held.  Return: 0 or an error number. */
static int map_more(size_t bytes, int advice, void **p)
{
	int ret;

	if (memory.fd < 0)
		memory.fd = tempfile_open();
	if (memory.fd < 0)
		return -memory.fd;
	ret = posix_fallocate(memory.fd, memory.file_bytes, bytes);
	if (ret)
		return ret;
	*p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd, memory.file_bytes);
	if (*p == MAP_FAILED)
		return errno;
	memory.file_bytes += bytes;
	madvise(*p, bytes, advice);
	return 0;
}

void *memory_map(size_t bytes, bool in_order)
{
	const int advice = in_order ? MADV_SEQUENTIAL : MADV_RANDOM;
	void *p = NULL;
	int ret = 0;

	pthread_mutex_lock(&memory.lock);
	if (!memory.full)
		ret = map_more(whole_units(bytes), advice, &p);
	if (ret) {
		__atomic_store_n(&memory.full, true, __ATOMIC_RELAXED);
		msg_warn(tempfile_dir(),
			 "cannot make a temporary file longer: %s: more memory is used",
			 msg_why(ret));
		p = NULL;
	}
	pthread_mutex_unlock(&memory.lock);
	return p;
}

/* The blocks of the file are free with the mapping. */
void memory_unmap(void *p, size_t bytes)
{
	madvise(p, whole_units(bytes), MADV_REMOVE);
	munmap(p, whole_units(bytes));
}

void memory_pass(void *p, size_t bytes)
{
	madvise(p, whole_units(bytes), MADV_DONTNEED);
}

static void *head_end(struct block_head *h, size_t bytes, enum kind kind)
{
	if (!h)
		return NULL;
	*h = (struct block_head){ bytes, kind };
	return h + 1;
}

static struct block_head *map_anonymous(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *memory_alloc(size_t bytes)
{
	const bool fits = memory_take(bytes += sizeof(struct block_head));
	struct block_head *h = NULL;

	if (!fits && bytes >= MAPPED_MIN)
		h = memory_map(bytes, false);
	if (h)
		return head_end(h, bytes, KIND_FILE);
	if (!fits)
		memory_force(bytes);
	if (bytes < MAPPED_MIN)
		h = head_end(calloc(1, bytes), bytes, KIND_HEAP);
	else
		h = head_end(map_anonymous(bytes), bytes, KIND_MAPPED);
	if (!h)
		memory_give(bytes);
	return h;
}

void memory_free(void *p)
{
	struct block_head *h = p ? (struct block_head *)p - 1 : NULL;
	const size_t bytes = h ? h->bytes : 0;

	if (!h)
		return;
	if (h->kind == KIND_FILE) {
		memory_unmap(h, bytes);
		return;
	}
	memory_give(bytes);
	if (h->kind == KIND_HEAP)
		free(h);
	else
		munmap(h, bytes);
}

/* Make a large table in memory longer where it is, or where the system moves it to. */
static void *move_mapping(struct block_head *h, size_t bytes)
{
	const u64 more = bytes > h->bytes ? bytes - h->bytes : 0;
	struct block_head *to;

	if (!memory_take(more))
		return NULL;
	to = mremap(h, h->bytes, bytes, MREMAP_MAYMOVE);
	if (to == MAP_FAILED) {
		memory_give(more);
		return NULL;
	}
	if (!more)
		memory_give(to->bytes - bytes);
	to->bytes = bytes;
	return to + 1;
}

void *memory_resize(void *p, size_t bytes)
{
	struct block_head *h = p ? (struct block_head *)p - 1 : NULL;
	const size_t all = bytes + sizeof(*h);
	void *to;

	if (h && h->kind == KIND_MAPPED && all >= MAPPED_MIN) {
		to = move_mapping(h, all);
		if (to)
			return to;
	}
	to = memory_alloc(bytes);
	if (!to || !h)
		return to;
	memcpy(to, p, (h->bytes < all ? h->bytes : all) - sizeof(*h));
	memory_free(p);
	return to;
}
