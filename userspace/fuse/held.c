// SPDX-License-Identifier: GPL-2.0
/*
 * Held files: contents that wait in memory until the kernel asks for them.
 *
 * The kernel asks for a file in pieces of its readahead, 128 KiB as a rule.  On far storage each
 * piece would be a request of its own, and a request costs more than its bytes.  So a
 * file is read as a whole at its first piece, and held until the others are asked for.
 * Files are found by inode number, because the kernel does not tell the daemon of open() and
 * close() (op_open()).
 *
 * A held file that nobody uses is dropped when others need its memory, the least recently
 * used one first.  A file that does not fit beside those in use is not held.
 */
#include <pthread.h>
#include <stdlib.h>

#include "buffers.h"
#include "held.h"
#include "image.h"

#define BUCKETS		1024	/* a power of two */
#define FILES_MAX	1024	/* open at a time, those in use not counted */

enum held_state { HELD_EMPTY, HELD_READING, HELD_READY, HELD_FAILED };

/**
 * struct held - a file
 * @next: in its bucket
 * @newer: used after it; it is in the list while nobody uses it
 * @older: used before it
 * @waiting: requests that came while @state is HELD_READING; @last_waiting: where the next goes
 * @data: its contents if @state is HELD_READY
 * @handed: bytes of @data that readers got
 * @refs: users
 * @hashed: it can be found
 */
struct held {
	struct held *next;
	struct held *newer;
	struct held *older;
	struct held_wait *waiting;
	struct held_wait **last_waiting;
	struct dsfs_file *file;
	u8 *data;
	u64 ino;
	u64 size;
	u64 handed;
	unsigned int refs;
	enum held_state state;
	bool hashed;
};

/**
 * struct held_files - all of them
 * @lock: of everything here, and of all fields of files that change
 * @newest: of those that nobody uses
 * @bytes: of data, also of what is being read; at most @limit
 */
struct held_files {
	pthread_mutex_t lock;
	struct held *buckets[BUCKETS];
	struct held *newest;
	struct held *oldest;
	u64 bytes;
	u64 limit;
	unsigned int unused;
};

struct held_files *held_new(u64 bytes)
{
	struct held_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->limit = bytes;
	pthread_mutex_init(&files->lock, NULL);
	return files;
}

static struct held **bucket_of(struct held_files *files, u64 ino)
{
	return &files->buckets[ino % BUCKETS];
}

static void unhash(struct held_files *files, struct held *h)
{
	struct held **p = bucket_of(files, h->ino);

	while (*p != h)
		p = &(*p)->next;
	*p = h->next;
	h->hashed = false;
}

static void list_del(struct held_files *files, struct held *h)
{
	*(h->newer ? &h->newer->older : &files->newest) = h->older;
	*(h->older ? &h->older->newer : &files->oldest) = h->newer;
	files->unused--;
}

/* There is one. */
static struct held *list_pop_oldest(struct held_files *files)
{
	struct held *h = files->oldest;

	files->oldest = h->newer;
	*(h->newer ? &h->newer->older : &files->newest) = NULL;
	files->unused--;
	return h;
}

static void list_add(struct held_files *files, struct held *h)
{
	h->newer = NULL;
	h->older = files->newest;
	*(h->older ? &h->older->newer : &files->oldest) = h;
	files->newest = h;
	files->unused++;
}

/* Nobody uses it, and it is not in the list. */
static void destroy(struct held_files *files, struct held *h)
{
	if (h->hashed)
		unhash(files, h);
	if (h->data)
		files->bytes -= h->size;
	buffer_put(h->data, h->size);
	dsfs_file_close(h->file);
	free(h);
}

/* Drop what is not used, the oldest first, until @bytes more are allowed. */
static void make_room(struct held_files *files, u64 bytes)
{
	while (files->oldest &&
	       (files->bytes + bytes > files->limit || files->unused > FILES_MAX))
		destroy(files, list_pop_oldest(files));
}

void held_free(struct held_files *files)
{
	if (!files)
		return;
	while (files->oldest)
		destroy(files, list_pop_oldest(files));
	pthread_mutex_destroy(&files->lock);
	free(files);
}

/* Under the lock. */
static struct held *find(struct held_files *files, u64 ino)
{
	struct held *h = *bucket_of(files, ino);

	while (h && h->ino != ino)
		h = h->next;
	if (h && !h->refs++)
		list_del(files, h);
	return h;
}

struct held *held_find(struct held_files *files, u64 ino)
{
	struct held *h;

	pthread_mutex_lock(&files->lock);
	h = find(files, ino);
	pthread_mutex_unlock(&files->lock);
	return h;
}

static struct held *insert(struct held_files *files, struct held *h)
{
	struct held **bucket = bucket_of(files, h->ino);
	struct held *other = find(files, h->ino);

	if (other)
		return other;
	h->next = *bucket;
	*bucket = h;
	h->hashed = true;
	return h;
}

struct held *held_add(struct held_files *files, u64 ino, struct dsfs_file *file)
{
	struct held *h = calloc(1, sizeof(*h)), *found;

	if (!h) {
		dsfs_file_close(file);
		return NULL;
	}
	h->ino = ino;
	h->file = file;
	h->size = dsfs_file_size(file);
	h->refs = 1;
	h->last_waiting = &h->waiting;
	pthread_mutex_lock(&files->lock);
	found = insert(files, h);
	pthread_mutex_unlock(&files->lock);
	if (found != h) {
		dsfs_file_close(file);
		free(h);
	}
	return found;
}

struct dsfs_file *held_file(const struct held *h)
{
	return h->file;
}

/* Under the lock, which is dropped meanwhile. */
static void fill(struct held_files *files, struct held *h)
{
	u8 *data;

	make_room(files, h->size);
	if (files->bytes + h->size > files->limit)
		return;
	files->bytes += h->size;
	h->state = HELD_READING;
	pthread_mutex_unlock(&files->lock);

	data = buffer_get(h->size);
	if (data && file_pread(h->file, READ_ONCE, data, h->size, 0, NULL) != h->size) {
		buffer_put(data, h->size);
		data = NULL;
	}

	pthread_mutex_lock(&files->lock);
	h->data = data;
	h->state = data ? HELD_READY : HELD_FAILED;
	if (!data)
		files->bytes -= h->size;
}

struct held_wait *held_read(struct held_files *files, struct held *h, struct held_wait *wait)
{
	wait->next = NULL;
	pthread_mutex_lock(&files->lock);
	if (h->state == HELD_READING) {
		*h->last_waiting = wait;
		h->last_waiting = &wait->next;
		wait = NULL;
	} else if (h->state == HELD_EMPTY) {
		fill(files, h);
		wait->next = h->waiting;
		h->waiting = NULL;
		h->last_waiting = &h->waiting;
	}
	pthread_mutex_unlock(&files->lock);
	return wait;
}

const u8 *held_data(const struct held *h)
{
	return h->data;
}

void held_put(struct held_files *files, struct held *h, u64 handed)
{
	pthread_mutex_lock(&files->lock);
	h->handed += handed;
	if (h->data && h->handed >= h->size && h->hashed)
		unhash(files, h);
	if (!--h->refs) {
		if (h->hashed)
			list_add(files, h);
		else
			destroy(files, h);
		make_room(files, 0);
	}
	pthread_mutex_unlock(&files->lock);
}
