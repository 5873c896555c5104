// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of servers.  Each is read by an object of its own, which is freed then: so retries,
 * waits, redirects and errors are those of ranges of images.
 */
#include <stdlib.h>
#include <string.h>

#include "text.h"

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int ask(struct http_object *of, const struct text_request *q, int (*stop)(void),
	       char why[HTTP_WHY])
{
	int ret = address_parse(&of->first, q->url, why);

	if (ret)
		return ret;
	of->text = true;
	of->accept = q->accept;
	of->form = q->form;
	of->authorization = copy(q->authorization);
	of->header_lines = copy(q->lines);
	if ((q->authorization && !of->authorization) || (q->lines && !of->header_lines))
		return -ENOMEM;
	return object_find(of, stop, why);
}

int text_get(const struct http_object *obj, const struct text_request *q, struct http_text *t,
	     int (*stop)(void), char why[HTTP_WHY])
{
	struct http_options options = obj->opt;
	char text[HTTP_WHY] = "no memory";
	struct http_object *of;
	int ret = -ENOMEM;

	*t = (struct http_text){ };
	options.header_file = NULL;
	options.connections = 1;
	of = object_new(&options, TEXT_MAX);
	if (of) {
		of->curl = obj->curl;
		ret = ask(of, q, stop, text);
		memcpy(t->challenge, of->challenge, sizeof(t->challenge));
	}
	if (!ret) {
		t->body = (char *)of->head;
		t->len = of->head_len;
		of->head = NULL;
	}
	object_free(of);
	if (ret)
		snprintf(why, HTTP_WHY, "%s: %.150s", q->what, text);
	return ret;
}
