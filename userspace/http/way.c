// SPDX-License-Identifier: GPL-2.0
/*
 * Proxies and trusted authorities, by the variables that curl, requests and the AWS tools take.
 *
 * libcurl knows those of proxies, but shows what it cannot parse, with a piece of the password in
 * it.  So it gets host and password one by one.  The variable no_proxy is left to it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "way.h"

/* The first variable that is set, of a list that ends with NULL */
static const char *first_of(const char * const *names)
{
	const char *value;

	for (; *names; names++) {
		value = getenv(*names);
		if (value && *value)
			return value;
	}
	return NULL;
}

/* A server that runs programs (CGI) sets HTTP_PROXY to a header of the request. */
static const char *proxy_of(bool tls)
{
	static const char * const plain[] = { "http_proxy", "all_proxy", "ALL_PROXY", NULL };
	static const char * const upper[] = {
		"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", NULL
	};
	static const char * const secure[] = {
		"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL
	};

	return first_of(tls ? secure : getenv("REQUEST_METHOD") ? plain : upper);
}

/* A proxy has no path: all in front of the last @ is user and password. */
static int set_proxy(struct http_range *r, const char *text)
{
	const struct curl *c = r->obj->curl;
	const char *rest = strstr(text, "://"), *at = strrchr(text, '@'), *host;
	struct address user = { };
	int scheme, ret = 0;
	char *url;

	rest = rest && (!at || rest < at) ? rest + 3 : text;
	scheme = rest - text;
	host = at && at >= rest ? at + 1 : rest;
	if (host > rest)
		ret = address_user(&user, rest, at - rest);
	if (ret || asprintf(&url, "%.*s%.*s", scheme, text, (int)strcspn(host, "/?#"), host) < 0) {
		address_free(&user);
		return -ENOMEM;
	}
	c->easy_setopt(r->easy, CURLOPT_PROXY, url);
	if (user.user) {
		c->easy_setopt(r->easy, CURLOPT_PROXYUSERNAME, user.user);
		c->easy_setopt(r->easy, CURLOPT_PROXYPASSWORD, user.password);
	}
	address_free(&user);
	free(url);
	return 0;
}

/* libcurl has a file and a folder of its own, of which a choice replaces both. */
static void trust_only(struct http_range *r, const char *path)
{
	const struct curl *c = r->obj->curl;
	struct stat st;
	const bool is_folder = !stat(path, &st) && S_ISDIR(st.st_mode);

	c->easy_setopt(r->easy, CURLOPT_CAINFO, is_folder ? NULL : path);
	c->easy_setopt(r->easy, CURLOPT_CAPATH, is_folder ? path : NULL);
}

/* Under the lock, as readers renew what is of a profile. */
static void set_trust(struct http_range *r)
{
	static const char * const all[] = {
		"CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", NULL
	};
	static const char * const s3[] = { "AWS_CA_BUNDLE", NULL };
	struct http_object *obj = r->obj;
	const char *path = obj->opt.cafile;

	pthread_mutex_lock(&obj->lock);
	if (!path && (obj->s3 || obj->form))
		path = first_of(s3) ?: obj->aws.bundle;
	if (!path)
		path = first_of(all);
	if (path)
		trust_only(r, path);
	pthread_mutex_unlock(&obj->lock);
}

int way_set(struct http_range *r)
{
	const char *proxy = proxy_of(r->via.tls);

	set_trust(r);
	return set_proxy(r, proxy ?: "");
}
