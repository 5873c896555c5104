/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of this folder share: an object, its ranges and its transfers.
 *
 * Callers put ranges into the object's queue and wait.  One thread of the object, which is
 * started with the first of them, runs all transfers (client.c).  Nothing of a range but @done,
 * @cancelled and @waiters is looked at by both sides at once; these and everything of the
 * object that changes are under its lock, which nobody holds while he waits.
 */
#ifndef HTTP_OBJECT_H
#define HTTP_OBJECT_H

#include <pthread.h>
#include <semaphore.h>
#include <sys/queue.h>

#include "address.h"
#include "aws.h"
#include "curl.h"
#include "http.h"
#include "reference.h"

/* Bytes that are asked for when an object is opened, and kept: superblocks and no data */
#define HEAD_BYTES	69632
/* Longest ETag or Last-Modified that is kept */
#define TAG_MAX		200
/* Of a challenge of a registry, WWW-Authenticate */
#define CHALLENGE_MAX	1000
/* And of a region of S3 */
#define REGION_MAX	40
/* Redirects of one try */
#define REDIRECTS	8
/* Bytes of an answer that is no range which are looked at, for its <Code> */
#define BODY_SHOWN	600

/**
 * struct waiter - a thread that waits for a range
 */
struct waiter {
	SLIST_ENTRY(waiter) link;
	sem_t done;
};

SLIST_HEAD(waiters, waiter);

/**
 * struct answer - the head of an answer, as far as it came
 * @status: 0: there is none yet
 * @has_range: Content-Range was there, with @first, @last and @total
 * @length: Content-Length; -1: not given
 * @encoded: the body is not as it is stored
 * @region: of the bucket, where S3 tells it
 * @challenge: of a registry, what it wants to know before it answers
 */
struct answer {
	int status;
	bool has_range;
	uint64_t first;
	uint64_t last;
	uint64_t total;
	int64_t length;
	bool encoded;
	char etag[TAG_MAX];
	char modified[TAG_MAX];
	char region[REGION_MAX];
	char challenge[CHALLENGE_MAX];
};

/**
 * struct http_range - a range that is asked for
 * @iov: where it goes, @n pieces; the range's own
 * @own: memory that it goes to if the caller had none
 * @flags: HTTP_*
 * @opening: the first one, of an object of which nothing is known
 * @urgent: somebody waits for it
 *
 * Of the thread:
 * @tries: that failed
 * @redirects: that were followed in this try
 * @reloaded: keys were read again
 * @due: not before that time, in milliseconds
 * @via: where this try goes: the address itself or where that led to
 * @easy: the transfer under way; @headers: what it sends
 * @answer: and what came; @got: bytes of its body; @body: its begin if it is no range
 * @verdict: what stopped the transfer from here; 0: nothing
 * @text: libcurl's error
 *
 * Of both:
 * @done: @ret and @why are final, and the thread does not know the range any more
 */
struct http_range {
	TAILQ_ENTRY(http_range) link;
	struct http_object *obj;
	uint64_t pos;
	size_t len;
	struct iovec *iov;
	int n;
	uint8_t *own;
	unsigned int flags;
	bool opening;
	bool urgent;

	unsigned int tries;
	unsigned int redirects;
	bool reloaded;
	int64_t due;
	struct address via;
	CURL *easy;
	struct curl_slist *headers;
	struct answer answer;
	size_t got;
	char body[BODY_SHOWN];
	bool refused;
	char text[CURL_ERROR_SIZE];

	bool done;
	bool cancelled;
	int ret;
	char why[HTTP_WHY];
	struct waiters waiters;
};

TAILQ_HEAD(ranges, http_range);

/**
 * struct piece - a range that was asked for ahead
 * @taken: bytes of it that were read
 * @wanted: bytes that will be: more than there are if it was asked for more than once
 * @users: threads that read it now
 * @at: when it was asked for
 */
struct piece {
	TAILQ_ENTRY(piece) link;
	struct http_range *range;
	uint64_t taken;
	uint64_t wanted;
	unsigned int users;
	int64_t at;
};

/**
 * struct http_object - an object
 * @first: where it is, or begins to be looked for
 * @name: in messages: the address as it was given
 * @s3: it is one of S3, with @aws
 * @region: of its bucket, which S3 told when it was asked in another one
 * @header_lines: of the header file
 * @bytes: its length, from the opening on, like @etag, @modified and @identity
 * @head: its first @head_len bytes, of @head_room
 * @text: it is a text, which is read as a whole, of at most @head_room bytes
 * @accept: of a text, the types that are taken; NULL: any
 * @ref: of an artifact of a registry; its base is NULL for all else
 * @size: of the artifact, as its manifest says; 0: of no artifact
 * @authorization: for a registry, or NULL; under @lock, like @challenge, for which it was made
 * @serial: counts these, atomically; @renewing: who makes one
 * @work: held by the thread unless it sleeps, for forks; taken before @lock
 * @target: where the address led to last, or an empty url
 * @waiting: ranges that are not under way; @running: those that are; @in_flight: how many
 * @any_cancelled: some range is
 * @sockets: descriptors of connections, for a child to close
 */
struct http_object {
	LIST_ENTRY(http_object) link;
	const struct curl *curl;
	struct http_options opt;
	struct address first;
	char *name;
	bool s3;
	struct aws aws;
	char region[REGION_MAX];
	char *header_lines;

	uint64_t bytes;
	char etag[TAG_MAX];
	char modified[TAG_MAX];
	char *identity;
	uint8_t *head;
	size_t head_len;
	size_t head_room;

	bool text;
	const char *accept;
	struct reference ref;
	uint64_t size;
	char *authorization;
	char challenge[CHALLENGE_MAX];
	unsigned int serial;
	sem_t renewing;

	pthread_mutex_t work;
	pthread_mutex_t lock;
	struct address target;
	struct ranges waiting;
	struct ranges running;
	unsigned int in_flight;
	CURLM *multi;
	pthread_t thread;
	bool has_thread;
	bool stop;
	bool any_cancelled;
	CURL **idle;
	unsigned int nr_idle;
	int *sockets;
	unsigned int nr_sockets;
	unsigned int room_sockets;
	uint64_t random;

	TAILQ_HEAD(, piece) pieces;
	uint64_t ahead_bytes;
};

/* clock.c: milliseconds since some time */
int64_t now_ms(void);

/*
 * object.c: an object and its first bytes
 */

/** object_new - one that is not looked for yet; NULL: no memory.  @o: copied */
struct http_object *object_new(const struct http_options *o, size_t head_room);

/**
 * object_find - bring in the first bytes, and with them what the object is
 * @stop: as for http_read()
 * @why: gets what is wrong
 *
 * Return: 0 or a negative errno.
 */
int object_find(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY]);
void object_free(struct http_object *obj);

/*
 * range.c: a range, for those who want it
 */

/**
 * range_new - a range that nobody asked for yet
 * @iov: where it goes; NULL: memory of its own
 *
 * Return: NULL: no memory.
 */
struct http_range *range_new(struct http_object *obj, const struct iovec *iov, int n, size_t len,
			     uint64_t pos, unsigned int flags);

/**
 * range_wait - until it is there
 * Return: what came of it, with its @why; or -EINTR, and it is still under way.
 */
int range_wait(struct http_range *r, int (*stop)(void));

/**
 * range_sleep - wait for a semaphore
 * Return: whether a signal, or @stop, ended the wait.
 */
bool range_sleep(sem_t *sem, int (*stop)(void));

/** range_free - forget a range; one that is under way is given up before */
void range_free(struct http_range *r);

/** range_finish - under the lock: the thread is done with it; wake those who wait */
void range_finish(struct http_range *r, int ret);

/* client.c: transfers, by the thread */

/** client_submit - under the lock: have a range brought in; 0 or -EAGAIN, -ENOMEM */
int client_submit(struct http_range *r);
/** client_get - the same, and wait for it; what client_submit() or range_wait() return */
int client_get(struct http_range *r, int (*stop)(void));
/** client_wake - something is to be done */
void client_wake(struct http_object *obj);
/** client_stop - give up what is under way, and end the thread */
void client_stop(struct http_object *obj);
/** client_after_fork - in a child: there is no thread, and connections are the parent's */
void client_after_fork(struct http_object *obj);

/*
 * request.c: what a try sends
 */

/** request_prepare - fill in @r->easy for a try; 0 or a negative errno */
int request_prepare(struct http_range *r);
/** request_done - free what was made for it */
void request_done(struct http_range *r);

/*
 * answer.c: what came
 */

/** answer_header - libcurl's CURLOPT_HEADERFUNCTION, of a range */
size_t answer_header(char *line, size_t size, size_t n, void *range);
/** answer_body - CURLOPT_WRITEFUNCTION */
size_t answer_body(char *data, size_t size, size_t n, void *range);

/* judge.c: what is made of it */
enum verdict {
	VERDICT_GOOD,		/* the range is there */
	VERDICT_FAILED,		/* it cannot be had: @r->ret and @r->why say why */
	VERDICT_AGAIN,		/* try again, after a wait: @r->why */
	VERDICT_AT_ONCE,	/* ask on, without a wait: a redirect, or new keys */
};

/** judge - of a transfer that ended with @code */
enum verdict judge(struct http_range *r, CURLcode code);

/* secrets.c */

/** secrets_load - read the header file; 0 or a negative errno, and why */
int secrets_load(struct http_object *obj, char why[HTTP_WHY]);

/** secrets_reload - read keys and headers again: whether they are others now */
bool secrets_reload(struct http_object *obj);

#endif /* HTTP_OBJECT_H */
