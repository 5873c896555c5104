// SPDX-License-Identifier: GPL-2.0
/*
 * Where an image comes from.  The scheme of its address picks the reader; options of all
 * readers are one table, as the words of -o of mount(8): "connections=16,header-file=/run/token".
 * Nothing secret is among them, only where it stands.
 */
#include <stdarg.h>
#include <strings.h>
#include <unistd.h>

#include "http.h"
#include "image.h"
#include "origin.h"
#include "part.h"
#include "cache.h"
#include "pieces.h"

/**
 * struct settings - options
 * @policy: of the cache; @verify: what it compares
 * @expected: the digest of the image
 * @words: what texts point into
 */
struct settings {
	struct http_options http;
	struct cache_options cache;
	const char *policy;
	const char *verify;
	struct expected expected;
	char *words[2];
};

/**
 * struct word - an option
 * @name: without the =
 * @to: offset of its member in struct settings: const char *; unsigned int, if @max is set; bool,
 *	if it is a @flag; u64, if it is a @size; struct expected, if it is a @digest
 */
static const struct word {
	const char *name;
	size_t to;
	unsigned int min;
	unsigned int max;
	bool flag;
	bool size;
	bool digest;
} options[] = {
#define TO(member)	.to = offsetof(struct settings, member)
	{ "connections", TO(http.connections), .min = 1, .max = 1024 },
	{ "timeout", TO(http.timeout), .min = 1, .max = 86400 },
	{ "retries", TO(http.retries), .min = 0, .max = 100 },
	{ "backoff", TO(http.backoff), .min = 1, .max = 60000 },
	{ "header-file", TO(http.header_file) },
	{ "cafile", TO(http.cafile) },
	{ "s3-endpoint", TO(http.endpoint) },
	{ "s3-region", TO(http.region) },
	{ "profile", TO(http.profile) },
	{ "digest", TO(expected), .digest = true },
	{ "anonymous", TO(http.anonymous), .flag = true },
	{ "plain-http", TO(http.plain), .flag = true },
	{ "cache-dir", TO(cache.dir) },
	{ "cache-size", TO(cache.bytes), .size = true },
	{ "cache-policy", TO(policy) },
	{ "verify", TO(verify) },
};

#define CACHE_LEAST	(1024 * 1024)
#define NR_OPTIONS	(sizeof(options) / sizeof(*options))

static const struct word *find(const char *word, size_t len)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!strncmp(options[i].name, word, len) && !options[i].name[len])
			return &options[i];
	return NULL;
}

bool origin_has_option(const char *word)
{
	return find(word, strcspn(word, "="));
}

bool origin_is_far(const char *address)
{
	return http_is_address(address);
}

__printf(2, 3)
static int wrong(const char **what, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err_far(), ERR_FAR, fmt, ap);
	va_end(ap);
	*what = err_far();
	return -EINVAL;
}

static int take_number(const struct word *o, const char *value, void *member, const char **what)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno || n < o->min || n > o->max)
		return wrong(what, "source option %s=%.60s: not a number from %u to %u", o->name,
			     value, o->min, o->max);
	*(unsigned int *)member = n;
	return 0;
}

/* Powers of 1024; a cache for less than a few samples is a mistake. */
static int take_size(const struct word *o, const char *value, void *member, const char **what)
{
	const char *end = value;
	u64 n;

	if (!part_number(&end, &n) || *end)
		return wrong(what, "source option %s=%.60s: not a size, as 500G", o->name, value);
	if (n < CACHE_LEAST || n > INT64_MAX)
		return wrong(what, "source option %s=%.60s: not from 1M to 8191P", o->name, value);
	*(u64 *)member = n;
	return 0;
}

static int take_digest(const struct word *o, const char *value, void *member,
		       const char **what)
{
	if (!expected_parse(value, member))
		return 0;
	return wrong(what, "source option %s=%.90s: not sha256: and 64 hexadecimal digits",
		     o->name, value);
}

static int take_word(struct settings *s, char *word, const char **what)
{
	char *value = strchr(word, '=');
	const struct word *o;
	void *member;

	if (value)
		*value++ = '\0';
	o = find(word, strlen(word));
	if (!o)
		return wrong(what, "source option %.60s: there is none", word);
	member = (char *)s + o->to;
	if (o->flag && value)
		return wrong(what, "source option %s: it has no value", o->name);
	if (o->flag) {
		*(bool *)member = true;
		return 0;
	}
	if (!value || !*value)
		return wrong(what, "source option %s: its value is missing", o->name);
	if (o->max)
		return take_number(o, value, member, what);
	if (o->size)
		return take_size(o, value, member, what);
	if (o->digest)
		return take_digest(o, value, member, what);
	*(const char **)member = value;
	return 0;
}

/* Parse a list of options.  @words: gets the memory that the texts of @s point into */
static int take_words(struct settings *s, const char *text, char **words, const char **what)
{
	char *at, *word;
	int ret = 0;

	if (!text || !*text)
		return 0;
	*words = at = strdup(text);
	if (!at)
		return -ENOMEM;
	while (!ret && (word = strsep(&at, ",")))
		if (*word)
			ret = take_word(s, word, what);
	return ret;
}

static int check_cache(struct settings *s, const char **what)
{
	s->cache.lru = s->policy && !strcmp(s->policy, "lru");
	if (s->policy && !s->cache.lru && strcmp(s->policy, "keep"))
		return wrong(what, "source option cache-policy=%.60s: not keep or lru", s->policy);
	s->cache.whole = s->verify;
	if (s->verify && strcmp(s->verify, "pieces"))
		return wrong(what, "source option verify=%.60s: not pieces", s->verify);
	if (!s->cache.dir && (s->policy || s->verify || s->cache.bytes))
		return wrong(what, "source option %s: it needs cache-dir",
			     s->policy ? "cache-policy" : s->verify ? "verify" : "cache-size");
	return 0;
}

static int open_cache(const struct settings *s, struct dsfs_reader **reader, const char **what)
{
	int ret = 0;

	if (s->verify)
		ret = wrong(what, "source option verify=pieces: this is no list of pieces");
	else if (s->cache.dir)
		ret = reader_cache(*reader, &s->cache, reader, what);
	if (!ret)
		return 0;
	(*reader)->ops->close(*reader);
	*reader = NULL;
	if (*what == err_far())
		return ret;
	snprintf(err_far(), ERR_FAR, "%s %.160s", *what, s->cache.dir);
	*what = err_far();
	return ret;
}

/*
 * Parse the options of the environment, then @text, which counts more.  @s has the defaults; the
 * caller calls free_words() in any case.
 */
static int take_all(struct settings *s, const char *text, const char **what)
{
	*what = "options of the source";
	return take_words(s, getenv("DSFS_SOURCE"), &s->words[0], what) ?:
	       take_words(s, text, &s->words[1], what);
}

static void free_words(struct settings *s)
{
	free(s->words[0]);
	free(s->words[1]);
}

int origin_expected(const char *text, struct expected *e, const char **what)
{
	struct settings s = { };
	int ret = take_all(&s, text, what);

	*e = s.expected;
	free_words(&s);
	return ret;
}

/*
 * A digest behind an address: "https://host/flowers.dsfs@sha256:HEX".  It is the option digest= of
 * sources, written where people write which one they mean; so it is made into that option
 * before anybody looks at the address.
 */

/*
 * What stands behind an @ as a digest does, or NULL.  A server may take an address whatever
 * stands at its end, so one with a wrong digit is not taken for a part of the address.
 */
static const char *find_digest(const char *address)
{
	const char *at = strrchr(address, '@');

	if (!at || strchr(at, '/') || !expected_is_begun(at + 1))
		return NULL;
	/* that of a manifest, which the registry's part of the address means by it */
	if (http_is_artifact(address) && !strncmp(at + 1, "sha256:", 7))
		return NULL;
	return origin_is_far(address) || access(address, F_OK) ? at + 1 : NULL;
}

/**
 * struct origin - an address and its options
 * @address: without a digest behind it
 * @source: options, of which that digest is one; NULL: none
 */
struct origin {
	char *address;
	char *source;
};

static int take_whole(struct origin *o, const char *address, const char *source)
{
	o->address = strdup(address);
	o->source = source ? strdup(source) : NULL;
	return o->address && (o->source || !source) ? 0 : -ENOMEM;
}

static int take_parts(struct origin *o, const char *address, const char *digest,
		      const char *source)
{
	o->address = strndup(address, digest - 1 - address);
	if (asprintf(&o->source, "%s,digest=%s", source ? source : "", digest) < 0)
		o->source = NULL;
	return o->address && o->source ? 0 : -ENOMEM;
}

/* An address comes from anywhere: what follows a comma in it must not become an option. */
static int check_digest(const char *digest, const char **what)
{
	struct expected e;

	if (!expected_parse(digest, &e))
		return 0;
	snprintf(err_far(), ERR_FAR, "address: @%.90s: not sha256: and 64 hexadecimal digits",
		 digest);
	*what = err_far();
	return -EINVAL;
}

static void free_origin(struct origin *o)
{
	free(o->address);
	free(o->source);
	*o = (struct origin){ };
}

/*
 * Take a digest behind an address, "@sha256:HEX", for the option digest=, where it counts for more
 * than one in @source.  Behind the path of a file that there is, none stands.  @o is to be freed in
 * any case.
 */
static int split(struct origin *o, const char *address, const char *source, const char **what)
{
	const char *digest = find_digest(address);
	int ret;

	*what = "address";
	*o = (struct origin){ };
	ret = digest ? check_digest(digest, what) : 0;
	if (ret)
		return ret;
	ret = digest ? take_parts(o, address, digest, source) : take_whole(o, address, source);
	if (ret)
		free_origin(o);
	return ret;
}

/* A cache is that of each piece. */
static int open_far(const char *address, struct settings *s, struct dsfs_reader **out,
		    const char **what)
{
	const struct pieces_way way = { address, &s->cache };
	int ret = check_cache(s, what);

	if (ret)
		return ret;
	ret = reader_http(address, &s->http, out);
	*what = ret == -EREMOTEIO || ret == -ENOMEM ? "open" : err_far();
	if (!ret)
		ret = reader_pieces(out, &way, &s->expected, what) ?: open_cache(s, out, what);
	return ret > 0 ? 0 : ret;
}

/* What is written as an address is written, and of no scheme that is known, may be meant so. */
static bool is_like_address(const char *path)
{
	const size_t len = strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789");

	return len > 1 && (path[len] == ':' || !strncmp(path + len, "//", 2));
}

static int open_near(const char *path, struct settings *s, struct image *img, const char **what)
{
	const struct pieces_way way = { .address = path };
	int ret = part_open(path, img, what);

	if (ret == -ENOENT && is_like_address(path))
		*what = "no address (http://, https://, s3:// or oci://), and no file";
	if (!ret && !img->start)
		ret = reader_pieces(&img->reader, &way, &s->expected, what);
	return ret < 0 ? ret : 0;
}

int origin_open(const char *address, const char *source, struct image *img, const char **what)
{
	struct settings s = {
		.http = { .connections = 256, .timeout = 30, .retries = 6, .backoff = 200 },
	};
	struct origin o;
	int ret = split(&o, address, source, what) ?: take_all(&s, o.source, what);

	if (!ret)
		ret = origin_is_far(o.address) ? open_far(o.address, &s, &img->reader, what) :
		      open_near(o.address, &s, img, what);
	img->expected = s.expected;
	free_words(&s);
	free_origin(&o);
	return ret;
}

const char *origin_name(const char *address, char *buf, size_t size)
{
	struct origin o;
	const char *what;

	if (!origin_is_far(address))
		return address;
	if (split(&o, address, NULL, &what))
		return http_name(address, buf, size);
	http_name(o.address, buf, size);
	free_origin(&o);
	return buf;
}
