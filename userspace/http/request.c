// SPDX-License-Identifier: GPL-2.0
/*
 * Requests: the range, the conditions, the credentials and the limits of a transfer.
 *
 * Credentials are sent to the host of the address only.  The target of a redirect, usually an
 * address with a signature, gets neither header file nor keys nor password.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "object.h"
#include "sigv4.h"
#include "words.h"

/* A transfer with fewer bytes a second for as long as the timeout counts as stalled. */
#define SLOW_BYTES	256
/* Lowest average rate of a whole transfer, in bytes a second */
#define LEAST_RATE	(16 << 10)
#define BUFFER_BYTES	(256 << 10)

static int add_header(struct http_range *r, const char *fmt, ...)
{
	struct curl_slist *list;
	char *line;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&line, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	list = r->obj->curl->slist_append(r->headers, line);
	explicit_bzero(line, n);
	free(line);
	if (!list)
		return -ENOMEM;
	r->headers = list;
	return 0;
}

/* If-Match never matches a weak tag (RFC 9110).  Tags of responses are compared in any case. */
static int add_condition(struct http_range *r)
{
	const char *etag = r->of->etag;

	if (r->opening || !*etag || !strncmp(etag, "W/", 2))
		return 0;
	return add_header(r, "If-Match: %s", etag);
}

static int add_range(struct http_range *r)
{
	const unsigned long long pos = r->pos - r->from;
	int ret;

	if (r->obj->text)
		return r->obj->accept ? add_header(r, "Accept: %s", r->obj->accept) : 0;
	ret = add_header(r, "Range: bytes=%llu-%llu", pos, pos + r->len - 1);
	if (!ret)
		ret = add_condition(r);
	if (!ret && r->flags & HTTP_AGAIN)
		ret = add_header(r, "Cache-Control: no-cache");
	return ret;
}

/* Under the lock, as readers renew keys that a program makes. */
static int add_signature(struct http_range *r)
{
	const struct aws *aws = &r->obj->aws;
	struct sigv4 s = {
		.host = address_host(&r->via),
		.region = aws->region, .service = "s3",
		.id = aws->id, .secret = aws->secret, .token = aws->token,
	};
	char date[SIGV4_DATE], *header;
	int ret;

	s.path = address_path(r->via.url, &s.path_len);
	sigv4_date(time(NULL), date);
	header = sigv4_header(&s, date);
	if (!header)
		return -ENOMEM;
	ret = add_header(r, "Authorization: %s", header);
	free(header);
	if (!ret)
		ret = add_header(r, "x-amz-date: %s", date);
	if (!ret)
		ret = add_header(r, "x-amz-content-sha256: %s", SIGV4_NO_BODY);
	if (!ret && aws->token)
		ret = add_header(r, "x-amz-security-token: %s", aws->token);
	return ret;
}

/* The lines of the header file */
static int add_lines(struct http_range *r)
{
	const char *at = r->obj->header_lines;
	size_t n;
	int ret = 0;

	for (; at && *at && !ret; at += n + !!at[n]) {
		n = strcspn(at, "\r\n");
		if (n && *at != '#')
			ret = add_header(r, "%.*s", (int)n, at);
	}
	return ret;
}

/* Add the authorization of a registry, under the lock, as readers renew it. */
static int add_authorization(struct http_range *r)
{
	struct http_object *obj = r->obj;
	int ret = 0;

	pthread_mutex_lock(&obj->lock);
	if (obj->authorization)
		ret = add_header(r, "Authorization: %s", obj->authorization);
	pthread_mutex_unlock(&obj->lock);
	return ret;
}

static int add_credentials(struct http_range *r)
{
	struct http_object *obj = r->obj;
	int ret = add_lines(r) ?: add_authorization(r);

	/* a URL with a query comes from a redirect of S3, and has its own signature */
	if (!ret && obj->s3 && !strchr(r->via.url, '?')) {
		pthread_mutex_lock(&obj->lock);
		ret = obj->aws.id ? add_signature(r) : 0;
		pthread_mutex_unlock(&obj->lock);
	}
	if (!ret && obj->own.first.user) {
		obj->curl->easy_setopt(r->easy, CURLOPT_USERNAME, obj->own.first.user);
		obj->curl->easy_setopt(r->easy, CURLOPT_PASSWORD, obj->own.first.password);
	}
	return ret;
}

/* Set the address of this try: the last target of a redirect, or the object's. */
static int choose_address(struct http_range *r)
{
	struct http_object *obj = r->obj;
	int ret;

	pthread_mutex_lock(&obj->lock);
	address_free(&r->via);
	ret = address_parse(&r->via, r->of->target.url ?: r->of->first.url, r->why);
	pthread_mutex_unlock(&obj->lock);
	return ret;
}

/* Record the descriptor of a connection, which a child closes after a fork. */
static int on_socket(void *object, curl_socket_t fd, curlsocktype type)
{
	struct http_object *obj = object;
	bool has_room;
	int *more;

	pthread_mutex_lock(&obj->lock);
	has_room = obj->nr_sockets < obj->room_sockets;
	if (!has_room) {
		more = realloc(obj->sockets, (obj->room_sockets + 32) * sizeof(*more));
		has_room = more;
		obj->sockets = more ? more : obj->sockets;
		obj->room_sockets += more ? 32 : 0;
	}
	if (has_room)
		obj->sockets[obj->nr_sockets++] = fd;
	pthread_mutex_unlock(&obj->lock);
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return has_room ? CURL_SOCKOPT_OK : CURL_SOCKOPT_ERROR;
}

static int off_socket(void *object, curl_socket_t fd)
{
	struct http_object *obj = object;

	pthread_mutex_lock(&obj->lock);
	for (unsigned int i = 0; i < obj->nr_sockets; i++)
		if (obj->sockets[i] == fd)
			obj->sockets[i--] = obj->sockets[--obj->nr_sockets];
	pthread_mutex_unlock(&obj->lock);
	return close(fd);
}

static void set_limits(struct http_range *r)
{
	const struct curl *c = r->obj->curl;
	const long timeout = r->obj->opt.timeout;

	c->easy_setopt(r->easy, CURLOPT_CONNECTTIMEOUT, timeout);
	c->easy_setopt(r->easy, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
	c->easy_setopt(r->easy, CURLOPT_LOW_SPEED_TIME, timeout);
	c->easy_setopt(r->easy, CURLOPT_TIMEOUT, 2 * timeout + (long)(r->len / LEAST_RATE));
	c->easy_setopt(r->easy, CURLOPT_BUFFERSIZE, (long)BUFFER_BYTES);
	c->easy_setopt(r->easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* an unanswered DNS lookup delays no other transfer; an older libcurl rejects this */
	c->easy_setopt(r->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static void set_callbacks(struct http_range *r)
{
	const struct curl *c = r->obj->curl;

	c->easy_setopt(r->easy, CURLOPT_PRIVATE, r);
	c->easy_setopt(r->easy, CURLOPT_HEADERFUNCTION, answer_header);
	c->easy_setopt(r->easy, CURLOPT_HEADERDATA, r);
	c->easy_setopt(r->easy, CURLOPT_WRITEFUNCTION, answer_body);
	c->easy_setopt(r->easy, CURLOPT_WRITEDATA, r);
	c->easy_setopt(r->easy, CURLOPT_ERRORBUFFER, r->text);
	c->easy_setopt(r->easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	c->easy_setopt(r->easy, CURLOPT_SOCKOPTDATA, r->obj);
	c->easy_setopt(r->easy, CURLOPT_CLOSESOCKETFUNCTION, off_socket);
	c->easy_setopt(r->easy, CURLOPT_CLOSESOCKETDATA, r->obj);
}

/*
 * Proxies and trusted authorities, by the variables that curl, requests and the AWS tools take.
 *
 * libcurl knows those of proxies, but shows what it cannot parse, with a piece of the password in
 * it.  So it gets host and password one by one.  The variable no_proxy is left to it.
 */

/* The first variable that is set, of a list that ends with NULL */
static const char *first_of(const char * const *names)
{
	const char *value;

	for (value = NULL; !value && *names; names++)
		value = text_env(*names);
	return value;
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
	if (ret == -EINVAL)
		return why_fail(r->why, ret, "a proxy with %%00 in its user or password");
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

/* The way to the server, as the environment has it */
static int set_way(struct http_range *r)
{
	const char *proxy = proxy_of(r->via.tls);

	set_trust(r);
	return set_proxy(r, proxy ?: "");
}

int request_prepare(struct http_range *r)
{
	const struct http_object *obj = r->obj;
	const struct curl *c = obj->curl;
	int ret = choose_address(r);

	r->answer = (struct answer){ .length = -1 };
	r->got = 0;
	r->head = 0;
	r->body[0] = '\0';
	r->text[0] = '\0';
	r->refused = false;
	if (!ret)
		ret = add_range(r);
	if (!ret && !strcmp(r->via.origin, obj->own.first.origin))
		ret = add_credentials(r);
	if (ret)
		return ret;
	set_callbacks(r);
	set_limits(r);
	c->easy_setopt(r->easy, CURLOPT_URL, r->via.url);
	c->easy_setopt(r->easy, CURLOPT_PATH_AS_IS, 1L);
	c->easy_setopt(r->easy, CURLOPT_FOLLOWLOCATION, 0L);
	c->easy_setopt(r->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	c->easy_setopt(r->easy, CURLOPT_HTTPHEADER, r->headers);
	/* not to where a redirect leads */
	if (obj->form && !strcmp(r->via.origin, obj->own.first.origin))
		c->easy_setopt(r->easy, CURLOPT_POSTFIELDS, obj->form);
	c->easy_setopt(r->easy, CURLOPT_USERAGENT, "dsfs/" DSFS_VERSION_STRING);
	/* multiplex requests on one connection where the server can (HTTP/2) */
	c->easy_setopt(r->easy, CURLOPT_PIPEWAIT, r->via.tls ? 1L : 0L);
	return set_way(r);
}

void request_done(struct http_range *r)
{
	r->obj->curl->slist_free_all(r->headers);
	r->headers = NULL;
}
