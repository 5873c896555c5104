// SPDX-License-Identifier: GPL-2.0
/*
 * Objects: allocation, and the read of the first bytes, which gives length and tag.
 *
 * All objects are in a list, for fork handlers only: in a child all locks are free, and there
 * are no threads of objects.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "object.h"
#include "words.h"

static LIST_HEAD(, http_object) objects = LIST_HEAD_INITIALIZER(objects);
static pthread_mutex_t objects_lock;

static void before_fork(void)
{
	struct http_object *obj;

	pthread_mutex_lock(&objects_lock);
	LIST_FOREACH(obj, &objects, link) {
		pthread_mutex_lock(&obj->work);
		pthread_mutex_lock(&obj->lock);
	}
}

static void after_in_parent(void)
{
	struct http_object *obj;

	LIST_FOREACH(obj, &objects, link) {
		pthread_mutex_unlock(&obj->lock);
		pthread_mutex_unlock(&obj->work);
	}
	pthread_mutex_unlock(&objects_lock);
}

static void after_in_child(void)
{
	struct http_object *obj;

	LIST_FOREACH(obj, &objects, link)
		client_after_fork(obj);
	pthread_mutex_init(&objects_lock, NULL);
}

static void watch_forks(void)
{
	pthread_mutex_init(&objects_lock, NULL);
	pthread_atfork(before_fork, after_in_parent, after_in_child);
}

static void enlist(struct http_object *obj)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	pthread_mutex_lock(&objects_lock);
	LIST_INSERT_HEAD(&objects, obj, link);
	pthread_mutex_unlock(&objects_lock);
}

static void delist(struct http_object *obj)
{
	pthread_mutex_lock(&objects_lock);
	LIST_REMOVE(obj, link);
	pthread_mutex_unlock(&objects_lock);
}

static int take_text(const char **to, const char *text)
{
	*to = text_copy(text);
	return text && !*to ? -ENOMEM : 0;
}

/*
 * Make a path absolute, as the file is read again later, by a daemon in another directory.
 * Symlinks are not resolved: they may be replaced meanwhile.
 */
static int take_path(const char **to, const char *path)
{
	char *folder = path && *path != '/' ? get_current_dir_name() : NULL, *text = NULL;

	if (folder && asprintf(&text, "%s/%s", folder, path) < 0)
		text = NULL;
	*to = folder ? text : text_copy(path);
	free(folder);
	return path && !*to ? -ENOMEM : 0;
}

static int take_options(struct http_object *obj, const struct http_options *o)
{
	struct http_options *opt = &obj->opt;

	*opt = (struct http_options){
		.connections = o->connections, .timeout = o->timeout, .retries = o->retries,
		.backoff = o->backoff, .anonymous = o->anonymous, .plain = o->plain,
	};
	flight_init(&obj->flight, o->connections);
	obj->idle = calloc(o->connections, sizeof(*obj->idle));
	obj->head = malloc(obj->head_room);
	if (!obj->idle || !obj->head || take_text(&opt->endpoint, o->endpoint) ||
	    take_text(&opt->region, o->region) || take_text(&opt->profile, o->profile) ||
	    take_path(&opt->header_file, o->header_file))
		return -ENOMEM;
	return take_path(&opt->cafile, o->cafile);
}

static void init(struct http_object *obj)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	obj->random = (uint64_t)t.tv_sec << 32 ^ (uint64_t)t.tv_nsec << 8 ^ getpid() ^
		      (uintptr_t)obj;
	obj->random |= !obj->random;
	pthread_mutex_init(&obj->work, NULL);
	pthread_mutex_init(&obj->lock, NULL);
	TAILQ_INIT(&obj->waiting);
	TAILQ_INIT(&obj->running);
	TAILQ_INIT(&obj->aheads);
	sem_init(&obj->renewing, 0, 1);
}

static void free_aheads(struct http_object *obj)
{
	struct ahead *p;

	while ((p = TAILQ_FIRST(&obj->aheads))) {
		TAILQ_REMOVE(&obj->aheads, p, link);
		range_free(p->range);
		free(p);
	}
}

void object_free(struct http_object *obj)
{
	if (!obj)
		return;
	if (obj->curl)
		client_stop(obj);
	delist(obj);
	free_aheads(obj);
	pieces_drop(obj);
	address_free(&obj->own.first);
	address_free(&obj->own.target);
	reference_free(&obj->ref);
	aws_free(&obj->aws);
	secret_free(obj->authorization);
	free(obj->header_lines);
	free((char *)obj->opt.header_file);
	free((char *)obj->opt.endpoint);
	free((char *)obj->opt.region);
	free((char *)obj->opt.profile);
	free((char *)obj->opt.cafile);
	free(obj->idle);
	free(obj->sockets);
	free(obj->head);
	free(obj->identity);
	free(obj->name);
	sem_destroy(&obj->renewing);
	pthread_mutex_destroy(&obj->work);
	pthread_mutex_destroy(&obj->lock);
	free(obj);
}

struct http_object *object_new(const struct http_options *o, size_t head_room)
{
	struct http_object *obj = calloc(1, sizeof(*obj));

	if (!obj)
		return NULL;
	init(obj);
	obj->head_room = head_room;
	enlist(obj);
	if (!take_options(obj, o))
		return obj;
	object_free(obj);
	return NULL;
}

int object_find(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY])
{
	const struct iovec iov = { obj->head, obj->head_room };
	struct http_range *r = range_new(obj, &iov, 1, obj->head_room, 0, 0);
	int ret;

	snprintf(why, HTTP_WHY, "no memory");
	if (!r)
		return -ENOMEM;
	r->opening = true;
	ret = client_get(r, stop);
	/* r->why is not set: the thread still has an interrupted range */
	if (ret == -EINTR)
		snprintf(why, HTTP_WHY, "%s", strerror(-ret));
	else if (ret)
		snprintf(why, HTTP_WHY, "%s", r->why);
	range_free(r);
	return ret;
}
