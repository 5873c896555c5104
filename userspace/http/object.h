/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects, ranges and transfers, which the files of this folder share.
 *
 * Callers put ranges into the object's queue and wait.  One thread of the object, which is
 * started with the first range, runs all transfers (client.c).  Callers and thread share @done,
 * @cancelled and @waiters of a range; the object's lock protects these and all fields of the
 * object that change.  It is never held during a wait.
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
#include "sleep.h"
#include "flight.h"

/* Bytes that are read when an object is opened, and kept: both superblocks of an image */
#define HEAD_BYTES	69632
/* Longest ETag or Last-Modified that is kept */
#define TAG_MAX		200
/* Longest challenge of a registry, WWW-Authenticate */
#define CHALLENGE_MAX	1000
/* Longest region of S3 */
#define REGION_MAX	40
/* Bytes of the headers of an answer; libcurl takes no line that is longer */
#define HEADERS_MAX	(100 << 10)
/* Maximum redirects of one try */
#define REDIRECTS	8
/* Bytes that are kept of an error's body, for the <Code> of S3 */
#define BODY_SHOWN	600

/**
 * struct answer - the parsed head of a response
 * @status: 0: none yet
 * @has_range: Content-Range is present and well-formed, with @first, @last and @total
 * @length: Content-Length; -1: not given
 * @encoded: the body has a Content-Encoding
 * @region: x-amz-bucket-region
 * @challenge: WWW-Authenticate
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
 * struct remote - what a server has by one address
 * @first: its URL, which may redirect
 * @target: target of the last redirect; its url is NULL without one; under the object's lock
 * @bytes: its length
 * @etag, @modified: of the first answer, once it is @pinned; of the thread
 */
struct remote {
	struct address first;
	struct address target;
	uint64_t bytes;
	char etag[TAG_MAX];
	char modified[TAG_MAX];
	bool pinned;
};

/**
 * struct http_range - a range to read
 * @of: what has it; @from: where that begins in the object
 * @iov: its buffers, @n of them; the array is owned by the range
 * @own: its buffer if the caller gave none
 * @flags: HTTP_*
 * @opening: the first range, which finds length and tag of the object
 * @urgent: a reader waits for it
 *
 * Of the thread:
 * @tries: tries that failed
 * @redirects: redirects that were followed in this try
 * @reloaded: keys were read again
 * @begun: time of the request, as now_ms()
 * @beside: transfers in flight when this one began; @cuts: those of @flight then
 * @due: earliest time of the next try, as now_ms()
 * @via: address of this try: that of the object, or the target of a redirect
 * @easy: the transfer in flight; @headers: its request headers
 * @answer: its response; @got: bytes of the body so far; @body: beginning of an error's body
 * @head: bytes of its head so far; @long_head: they are too many
 * @refused: a callback aborted the transfer, as the response is not the range
 * @text: libcurl's error message
 *
 * Of both:
 * @done: @ret and @why are final, and the thread has dropped the range
 */
struct http_range {
	TAILQ_ENTRY(http_range) link;
	struct http_object *obj;
	struct remote *of;
	uint64_t from;
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
	int64_t begun;
	unsigned int beside;
	unsigned int cuts;
	int64_t due;
	struct address via;
	CURL *easy;
	struct curl_slist *headers;
	struct answer answer;
	size_t got;
	size_t head;
	bool long_head;
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
 * struct ahead - a range that was read ahead
 * @taken: bytes of it that readers took
 * @wanted: bytes that http_ahead() was told of; files that share contents count each time
 * @users: threads that read it now
 * @at: time of the request, as now_ms()
 */
struct ahead {
	TAILQ_ENTRY(ahead) link;
	struct http_range *range;
	uint64_t taken;
	uint64_t wanted;
	unsigned int users;
	int64_t at;
};

/**
 * struct http_object - an object
 * @own: what its address leads to
 * @pieces: @nr_pieces of them that its ranges are of, if it is a list; NULL: ranges are @own's
 * @remotes: of each piece, NULL until a range of it was wanted; under @lock
 * @name: its address in messages, as http_name() gives it
 * @s3: it is an object of S3, with @aws
 * @region: region of its bucket, if S3 gave it in an error
 * @header_lines: contents of the header file
 * @reload: reads secrets again that a server refused: secrets_reload(); NULL: a text has none
 * @renew: makes an authorization, for which readers wait: registry_authorize(), secrets_keys()
 * @bytes: its length; set when it is opened, like @identity
 * @head: its first @head_len bytes; the buffer has @head_room
 * @text: it is a text, which is read as a whole, of at most @head_room bytes
 * @accept: header Accept of a text; NULL: none
 * @form: body of its request, which is a POST then
 * @ref: reference of an artifact; its base is NULL for all other objects
 * @size: size of the artifact by its manifest; 0: no artifact
 * @authorization: header for a registry, or NULL; under @lock, like @challenge, its reason
 * @serial: atomic counter of authorizations; @renewing: held by the reader that makes one
 * @work: held by the thread unless it sleeps, for forks; taken before @lock
 * @waiting: ranges to start; @running: ranges in flight, @in_flight of them
 * @flight: how many they may be; of the thread
 * @any_cancelled: some range is cancelled
 * @told: when http_tell()'s function was called last, as now_ms(); 0: never
 * @sockets: descriptors of connections, for a child to close
 */
struct http_object {
	LIST_ENTRY(http_object) link;
	const struct curl *curl;
	struct http_options opt;
	struct remote own;
	const struct piece *pieces;
	size_t nr_pieces;
	struct remote **remotes;
	char *name;
	bool s3;
	struct aws aws;
	char region[REGION_MAX];
	char *header_lines;
	bool (*reload)(struct http_object *obj);
	int (*renew)(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY]);

	uint64_t bytes;
	char *identity;
	uint8_t *head;
	size_t head_len;
	size_t head_room;

	bool text;
	const char *accept;
	const char *form;
	struct reference ref;
	uint64_t size;
	char *authorization;
	char challenge[CHALLENGE_MAX];
	unsigned int serial;
	sem_t renewing;

	pthread_mutex_t work;
	pthread_mutex_t lock;
	struct ranges waiting;
	struct ranges running;
	unsigned int in_flight;
	struct http_flight flight;
	CURLM *multi;
	pthread_t thread;
	bool has_thread;
	bool stop;
	bool any_cancelled;
	int64_t told;
	CURL **idle;
	unsigned int nr_idle;
	int *sockets;
	unsigned int nr_sockets;
	unsigned int room_sockets;
	uint64_t random;

	TAILQ_HEAD(, ahead) aheads;
	uint64_t ahead_bytes;
};

/*
 * object.c
 */

/** object_new - allocate an object, with a copy of @o; NULL: no memory */
struct http_object *object_new(const struct http_options *o, size_t head_room);

/**
 * object_find - read the first bytes, and set length and tag
 * @stop: as for http_read()
 * @why: filled in with the reason of an error
 *
 * Return: 0 or a negative errno.
 */
int object_find(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY]);
void object_free(struct http_object *obj);

/*
 * pieces.c
 */

/** pieces_at - what has byte @pos of an object, and where that begins; NULL: no memory */
struct remote *pieces_at(struct http_object *obj, uint64_t pos, uint64_t *from);
void pieces_drop(struct http_object *obj);

/*
 * range.c
 */

/**
 * range_new - allocate a range, which is not in the queue yet
 * @iov: its buffers; NULL: one of its own
 *
 * Return: NULL: no memory.
 */
struct http_range *range_new(struct http_object *obj, const struct iovec *iov, int n, size_t len,
			     uint64_t pos, unsigned int flags);

/**
 * range_wait - wait until a range is done
 * Return: its result, with @why of the range; -EINTR after a signal or @stop: it is not done.
 */
int range_wait(struct http_range *r, int (*stop)(void));

/** range_free - free a range; if it is not done, cancel it and wait for the thread */
void range_free(struct http_range *r);

/** range_finish - complete a range, under the lock, and wake its waiters */
void range_finish(struct http_range *r, int ret);

/* client.c */

/** client_submit - queue a range, under the lock; 0, -EAGAIN (no thread) or -ENOMEM */
int client_submit(struct http_range *r);
/** client_get - submit a range and wait; returns as client_submit() or range_wait() */
int client_get(struct http_range *r, int (*stop)(void));
/** client_wake - wake the thread, which has something to do */
void client_wake(struct http_object *obj);
/** client_stop - end all ranges with -EINTR, and the thread */
void client_stop(struct http_object *obj);
/** client_after_fork - reset an object in a child, where it has neither thread nor connections */
void client_after_fork(struct http_object *obj);

/*
 * request.c
 */

/** request_prepare - fill in @r->easy for a try; 0 or a negative errno */
int request_prepare(struct http_range *r);
/** request_done - free the request headers */
void request_done(struct http_range *r);

/*
 * answer.c
 */

/** answer_header - callback CURLOPT_HEADERFUNCTION */
size_t answer_header(char *line, size_t size, size_t n, void *range);
/** answer_body - callback CURLOPT_WRITEFUNCTION */
size_t answer_body(char *data, size_t size, size_t n, void *range);

enum answer_kind {
	ANSWER_RIGHT,	/* of the object that was opened, as far as its headers tell */
	ANSWER_OTHER,	/* of another object */
	ANSWER_UNKNOWN,	/* without ETag and Last-Modified, which the object had when opened */
};

/** answer_object - compare length and tag of a response with those of the object */
enum answer_kind answer_object(const struct http_range *r);

/** answer_bytes - bytes that the body has of a response that is the requested range */
size_t answer_bytes(const struct http_range *r);

/* judge.c */
enum verdict {
	VERDICT_GOOD,		/* the range is there */
	VERDICT_FAILED,		/* failed, with @r->ret and @r->why */
	VERDICT_AGAIN,		/* try again after a wait; reason in @r->why */
	VERDICT_AT_ONCE,	/* send again without a wait: a redirect, or new keys */
};

/** judge - decide on a transfer that ended with @code */
enum verdict judge(struct http_range *r, CURLcode code);

/* secrets.c */

/** secrets_load - read the header file; 0, or -EINVAL with @why */
int secrets_load(struct http_object *obj, char why[HTTP_WHY]);

/** secrets_keys - have keys made again that the thread does not wait for; 0, -EINTR or an error */
int secrets_keys(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY]);

/** secrets_can_renew - whether its registry sent a challenge, or its keys are made by others */
bool secrets_can_renew(struct http_object *obj);

/**
 * secrets_renew - make a new authorization
 * @serial: that of the refused one; nothing is done if there is a newer one
 *
 * Return: 0 or a negative errno.
 */
int secrets_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		  char why[HTTP_WHY]);

/** secrets_reload - read keys and headers again; true if they have changed */
bool secrets_reload(struct http_object *obj);

#endif /* HTTP_OBJECT_H */
