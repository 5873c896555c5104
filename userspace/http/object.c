// SPDX-License-Identifier: GPL-2.0
/*
 * An object: opened by its first bytes, known from then on by its length and tag.
 *
 * All objects are in a list, for forks alone: a child is born with their locks free and without
 * their threads.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "object.h"

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

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/*
 * A file that is read again later, maybe in another directory: a daemon's is the root.  What
 * links on the way to it lead to may change.
 */
static int take_path(const char **to, const char *path)
{
	char *folder = path && *path != '/' ? get_current_dir_name() : NULL, *text = NULL;

	if (folder && asprintf(&text, "%s/%s", folder, path) < 0)
		text = NULL;
	*to = folder ? text : copy(path);
	free(folder);
	return path && !*to ? -ENOMEM : 0;
}

static int take_options(struct http_object *obj, const struct http_options *o)
{
	obj->opt = *o;
	obj->opt.endpoint = copy(o->endpoint);
	obj->opt.region = copy(o->region);
	obj->opt.profile = copy(o->profile);
	obj->opt.header_file = NULL;
	obj->opt.cafile = NULL;
	obj->idle = calloc(o->connections, sizeof(*obj->idle));
	obj->head = malloc(HEAD_BYTES);
	if (!obj->idle || !obj->head || take_path(&obj->opt.header_file, o->header_file))
		return -ENOMEM;
	return take_path(&obj->opt.cafile, o->cafile);
}

static int take_address(struct http_object *obj, const char *address, char why[HTTP_WHY])
{
	char *url;
	int ret;

	obj->s3 = !strncasecmp(address, "s3://", 5);
	if (!obj->s3)
		return address_parse(&obj->first, address, why);
	ret = aws_load(&obj->aws, &obj->opt, why);
	if (ret)
		return ret;
	url = aws_url(&obj->aws, address, why);
	if (!url)
		return -EINVAL;
	ret = address_parse(&obj->first, url, why);
	free(url);
	return ret;
}

static struct http_object *new_object(void)
{
	struct http_object *obj = calloc(1, sizeof(*obj));
	struct timespec t;

	if (!obj)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &t);
	obj->random = (uint64_t)t.tv_sec << 32 ^ (uint64_t)t.tv_nsec << 8 ^ getpid() ^
		      (uintptr_t)obj;
	obj->random |= !obj->random;
	pthread_mutex_init(&obj->work, NULL);
	pthread_mutex_init(&obj->lock, NULL);
	TAILQ_INIT(&obj->waiting);
	TAILQ_INIT(&obj->running);
	TAILQ_INIT(&obj->pieces);
	return obj;
}

/* The first bytes: with them comes what the object is. */
static int find_object(struct http_object *obj, char why[HTTP_WHY])
{
	const struct iovec iov = { obj->head, HEAD_BYTES };
	struct http_range *r = range_new(obj, &iov, 1, HEAD_BYTES, 0, 0);
	int ret;

	if (!r)
		return -ENOMEM;
	r->opening = true;
	pthread_mutex_lock(&obj->lock);
	ret = client_submit(r);
	r->done = ret;
	pthread_mutex_unlock(&obj->lock);
	if (!ret) {
		client_wake(obj);
		ret = range_wait(r, NULL);
	}
	/* one that was interrupted is still the thread's, and has no words yet */
	if (ret == -EINTR || ret == -EAGAIN)
		snprintf(why, HTTP_WHY, "%s", strerror(-ret));
	else if (ret)
		snprintf(why, HTTP_WHY, "%s", r->why);
	range_free(r);
	return ret;
}

/*
 * What vouches for bytes, or NULL.  A weak tag may stay while they change.  Objects that only a
 * query tells apart may be of one length and one second.
 */
static const char *vouching_tag(const struct http_object *obj)
{
	if (*obj->etag)
		return strncmp(obj->etag, "W/", 2) ? obj->etag : NULL;
	return *obj->modified && !strchr(obj->first.url, '?') ? obj->modified : NULL;
}

static int identify(struct http_object *obj)
{
	const char *tag = vouching_tag(obj);

	if (tag && asprintf(&obj->identity, "%s %llu %s", obj->first.name,
			    (unsigned long long)obj->bytes, tag) < 0) {
		obj->identity = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int set_up(struct http_object *obj, const char *address, const struct http_options *o,
		  char why[HTTP_WHY])
{
	char name[HTTP_WHY];
	int ret = take_options(obj, o);

	if (!ret)
		ret = take_address(obj, address, why);
	if (!ret)
		ret = secrets_load(obj, why);
	if (!ret) {
		obj->name = strdup(http_name(address, name, sizeof(name)));
		ret = obj->name ? find_object(obj, why) : -ENOMEM;
	}
	return ret ? ret : identify(obj);
}

int http_open(const char *address, const struct http_options *o, struct http_object **out,
	      char why[HTTP_WHY])
{
	struct http_object *obj;
	int ret;

	snprintf(why, HTTP_WHY, "no memory");
	obj = new_object();
	if (!obj)
		return -ENOMEM;
	enlist(obj);
	obj->curl = curl_load();
	if (!obj->curl)
		snprintf(why, HTTP_WHY, "libcurl.so.4 is not installed (Debian: libcurl4)");
	ret = obj->curl ? set_up(obj, address, o, why) : -EOPNOTSUPP;
	if (ret)
		http_close(obj);
	else
		*out = obj;
	return ret;
}

static void free_pieces(struct http_object *obj)
{
	struct piece *p;

	while ((p = TAILQ_FIRST(&obj->pieces))) {
		TAILQ_REMOVE(&obj->pieces, p, link);
		range_free(p->range);
		free(p);
	}
}

void http_close(struct http_object *obj)
{
	if (!obj)
		return;
	if (obj->curl)
		client_stop(obj);
	delist(obj);
	free_pieces(obj);
	address_free(&obj->first);
	address_free(&obj->target);
	aws_free(&obj->aws);
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
	pthread_mutex_destroy(&obj->work);
	pthread_mutex_destroy(&obj->lock);
	free(obj);
}

uint64_t http_bytes(const struct http_object *obj)
{
	return obj->bytes;
}

const char *http_shown(const struct http_object *obj)
{
	return obj->name;
}

const char *http_identity(const struct http_object *obj)
{
	return obj->identity;
}
