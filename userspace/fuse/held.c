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
 * A held file that nobody uses is dropped when others need its memory, the one that was asked
 * for least recently first.  A file that does not fit beside those in use is not held.
 */
#include <pthread.h>
#include <sys/queue.h>

#include "held.h"
#include "image.h"

#define FILES_MAX	128	/* that wait; few enough to look at each */

enum held_state { HELD_EMPTY, HELD_READING, HELD_READY, HELD_FAILED };

/**
 * struct held - a file
 * @link: in the list, if @listed: it can be found
 * @waiting: requests that came while @state is HELD_READING; @last_waiting: where the next goes
 * @data: its contents if @state is HELD_READY
 * @handed: bytes of @data that readers got
 * @refs: users
 */
struct held {
	TAILQ_ENTRY(held) link;
	struct held_wait *waiting;
	struct held_wait **last_waiting;
	struct dsfs_file *file;
	u8 *data;
	u64 ino;
	u64 size;
	u64 handed;
	unsigned int refs;
	enum held_state state;
	bool listed;
};

TAILQ_HEAD(held_list, held);

/**
 * struct held_files - all of them
 * @lock: of everything here, and of all fields of files that change
 * @list: the one that was asked for last is the first
 * @count: files in it
 * @bytes: of data, also of what is being read; at most @limit
 */
struct held_files {
	pthread_mutex_t lock;
	struct held_list list;
	unsigned int count;
	u64 bytes;
	u64 limit;
};

struct held_files *held_new(u64 bytes)
{
	struct held_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->limit = bytes;
	TAILQ_INIT(&files->list);
	pthread_mutex_init(&files->lock, NULL);
	return files;
}

static void list_add(struct held_files *files, struct held *h)
{
	TAILQ_INSERT_HEAD(&files->list, h, link);
	h->listed = true;
	files->count++;
}

static void list_del(struct held_files *files, struct held *h)
{
	TAILQ_REMOVE(&files->list, h, link);
	h->listed = false;
	files->count--;
}

/* Free a file that nobody uses. */
static void destroy(struct held_files *files, struct held *h)
{
	if (h->listed)
		list_del(files, h);
	if (h->data)
		files->bytes -= h->size;
	free(h->data);
	dsfs_file_close(h->file);
	free(h);
}

/* Drop what is not used, the oldest first, until @bytes more are allowed. */
static void make_room(struct held_files *files, u64 bytes)
{
	struct held *h, *newer;

	for (h = TAILQ_LAST(&files->list, held_list);
	     h && (files->bytes + bytes > files->limit || files->count > FILES_MAX); h = newer) {
		newer = TAILQ_PREV(h, held_list, link);
		if (!h->refs)
			destroy(files, h);
	}
}

void held_free(struct held_files *files)
{
	struct held *h, *older;

	if (!files)
		return;
	for (h = TAILQ_FIRST(&files->list); h; h = older) {
		older = TAILQ_NEXT(h, link);
		destroy(files, h);
	}
	pthread_mutex_destroy(&files->lock);
	free(files);
}

/* Find a held file and take a reference; lock held. */
static struct held *find(struct held_files *files, u64 ino)
{
	struct held *h;

	TAILQ_FOREACH(h, &files->list, link)
		if (h->ino == ino)
			break;
	if (!h)
		return NULL;
	h->refs++;
	TAILQ_REMOVE(&files->list, h, link);
	TAILQ_INSERT_HEAD(&files->list, h, link);
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

struct held *held_add(struct held_files *files, u64 ino, struct dsfs_file *file)
{
	struct held *h = calloc(1, sizeof(*h)), *other;

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
	other = find(files, ino);
	if (!other)
		list_add(files, h);
	pthread_mutex_unlock(&files->lock);
	if (!other)
		return h;
	dsfs_file_close(file);
	free(h);
	return other;
}

struct dsfs_file *held_file(const struct held *h)
{
	return h->file;
}

/* Read a file into memory, if it fits; lock held, but not while reading. */
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
		free(data);
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
	if (h->data && h->handed >= h->size && h->listed)
		list_del(files, h);
	if (!--h->refs && !h->listed)
		destroy(files, h);
	make_room(files, 0);
	pthread_mutex_unlock(&files->lock);
}
