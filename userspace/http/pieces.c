// SPDX-License-Identifier: GPL-2.0
/*
 * An object whose bytes lie in pieces: objects of the same server, beside the list that names
 * them.  Ranges of all share the queue, the connections and the keys.
 *
 * Lengths are known before, so a piece is not asked for until a range of it is, and that is one
 * request.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "object.h"

/* The URL of a piece: names have no character that a URL writes in another way. */
static char *url_of(const struct http_object *obj, const struct piece *p)
{
	const char *list = obj->own.first.url;
	const size_t path = strcspn(list, "?");
	const char *slash = memrchr(list, '/', path);
	char *url, hex[HASH_HEX];
	int len;

	hash_hex(p->sum, hex);
	len = obj->ref.base ? asprintf(&url, "%s/blobs/sha256:%s", obj->ref.base, hex) :
	      asprintf(&url, "%.*s%s%s", (int)(slash + 1 - list), list, p->name, list + path);
	return len < 0 ? NULL : url;
}

static struct remote *new_remote(const struct http_object *obj, const struct piece *p)
{
	struct remote *of = calloc(1, sizeof(*of));
	char *url = url_of(obj, p), why[HTTP_WHY];

	if (of && url && !address_parse(&of->first, url, why)) {
		of->bytes = p->bytes;
	} else {
		free(of);
		of = NULL;
	}
	free(url);
	return of;
}

struct remote *pieces_at(struct http_object *obj, uint64_t pos, uint64_t *from)
{
	struct remote *of;
	size_t i;

	*from = 0;
	if (!obj->pieces)
		return &obj->own;
	i = piece_find(obj->pieces, obj->nr_pieces, pos);
	*from = obj->pieces[i].start;
	pthread_mutex_lock(&obj->lock);
	if (!obj->remotes[i])
		obj->remotes[i] = new_remote(obj, &obj->pieces[i]);
	of = obj->remotes[i];
	pthread_mutex_unlock(&obj->lock);
	return of;
}

void pieces_drop(struct http_object *obj)
{
	for (size_t i = 0; obj->remotes && i < obj->nr_pieces; i++) {
		if (!obj->remotes[i])
			continue;
		address_free(&obj->remotes[i]->first);
		address_free(&obj->remotes[i]->target);
		free(obj->remotes[i]);
	}
	free(obj->remotes);
}

int http_pieces(struct http_object *obj, const struct piece *v, size_t n)
{
	obj->nr_pieces = n;
	obj->remotes = calloc(n, sizeof(*obj->remotes));
	obj->pieces = v;
	if (!obj->remotes)
		return -ENOMEM;
	obj->bytes = v[n - 1].start + v[n - 1].bytes;
	obj->head_len = 0;
	return 0;
}
