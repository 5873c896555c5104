// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses (userspace/http/address.c), generated, beside libcurl's parser: what is taken is the
 * same host, port, path, query and credentials, what curl refuses is not asked for, and no message
 * shows a password or a query.
 *
 * An address is refused, too, if curl refuses the URL that is made of it, as it gets each.  Of more
 * than one @ in an authority curl takes the first, or none, by its version; here it is the last, as
 * in browsers, so curl is asked for the address with the others escaped.
 */
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../userspace/http/address.h"
#include "tap.h"

#define ADDRESSES	2000
#define SECRET		"s3cret"
#define ROOM		512

/* What an address is made of.  An empty part is left out with what stands in front of it. */
static const char * const schemes[] = { "http://", "https://", "HTTP://", "hTTps://" };

static const char * const users[] = {
	"", "u", "a%40b", "%75", "u;o", "\xc3\xbc", "a%", "x%0a", "z%00",
};

static const char * const hosts[] = {
	"h", "H.example", "h.", "127.0.0.1", "0x7f.1", "[::1]", "[::1", "[fe80::1%25lo]", "[v1.x]",
	"", "h%41", "h%2f", "a|b", "a b", "a\\b", "a<b", "h%zz", "\xc3\xbc", "1.2.3.4.5", "[::1]x",
};

static const char * const ports[] = {
	"", "", "", ":80", ":443", ":", ":0", ":65535", ":65536", ":080", ":8a", ":-1", ":80:443",
	":%38",
};

static const char * const paths[] = {
	"", "/", "/a/b.dsfs", "/../a/./b", "//x", "/a%2fb", "/%00", "/a:b", "/a@b", "/\xc3\xbc",
	"/a|",
};

static const char * const fragments[] = { "", "", "", "#", "#f", "#f?g", "#a@b" };

static const char secrets[][4] = {
	"", "p", ":", "%40", "%", "@", "/", "?", "#", "[", "]", "+", ";", "&", "%3a", "%0", "~",
};

static unsigned int random_below(unsigned int n)
{
	static u32 state = 43;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

#define ONE_OF(a)	((a)[random_below(ARRAY_SIZE(a))])

static char *secret(char *to)
{
	return stpcpy(stpcpy(stpcpy(to, ONE_OF(secrets)), SECRET), ONE_OF(secrets));
}

/* Return: where the authority of the address begins. */
static char *generate(char text[ROOM])
{
	char *to = stpcpy(text, ONE_OF(schemes)), *authority = to;
	unsigned int user = random_below(3);

	if (user)
		to = stpcpy(to, ONE_OF(users));
	if (user > 1)
		to = secret(stpcpy(to, ":"));
	if (user)
		to = stpcpy(to, "@");
	to = stpcpy(stpcpy(stpcpy(to, ONE_OF(hosts)), ONE_OF(ports)), ONE_OF(paths));
	if (!random_below(3))
		to = secret(stpcpy(to, "?X-Amz-Signature="));
	strcpy(to, ONE_OF(fragments));
	return authority;
}

/* @text, with each @ of its authority but the last one as %40 */
static void escape(char to[ROOM], const char *text, const char *authority)
{
	const char *end = authority + strcspn(authority, "/?#");
	const char *last = memrchr(authority, '@', end - authority);

	for (; *text; text++)
		if (*text == '@' && text >= authority && text < last)
			to = stpcpy(to, "%40");
		else
			*to++ = *text;
	*to = '\0';
}

/* What curl makes of a part: an allocation of its own, decoded if it is secret, or NULL */
static char *part_of(CURLU *url, CURLUPart part)
{
	char *text = NULL, *decoded;

	curl_url_get(url, part, &text, CURLU_DEFAULT_PORT);
	if (!text || (part != CURLUPART_USER && part != CURLUPART_PASSWORD))
		return text;
	decoded = curl_easy_unescape(NULL, text, 0, NULL);
	curl_free(text);
	return decoded;
}

static bool has_part(CURLU *url, CURLUPart part, const char *want)
{
	const bool secret = part == CURLUPART_USER || part == CURLUPART_PASSWORD;
	char *got = part_of(url, part);
	const int differs = (secret ? strcmp : strcasecmp)(got ?: "", want ?: "");

	curl_free(got);
	return !differs;
}

/* Whether curl takes a text: of a user it does not send a zero, but it says so only then. */
static bool takes(CURLU *url, const char *text)
{
	char *user = NULL;
	bool good;

	if (curl_url_set(url, CURLUPART_URL, text, 0))
		return false;
	curl_url_get(url, CURLUPART_USER, &user, 0);
	good = !user || !strstr(user, "%00");
	curl_free(user);
	return good;
}

static bool same_parts(CURLU *url, CURLU *ours, const struct address *a)
{
	static const CURLUPart parts[] = {
		CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT, CURLUPART_PATH, CURLUPART_QUERY,
	};
	bool same = has_part(ours, CURLUPART_USER, NULL) &&
		    has_part(ours, CURLUPART_PASSWORD, NULL);

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *want = part_of(url, parts[i]);

		same = same && has_part(ours, parts[i], want);
		curl_free(want);
	}
	return same && has_part(url, CURLUPART_USER, a->user) &&
	       has_part(url, CURLUPART_PASSWORD, a->password);
}

/* What curl takes and we do not: a backslash, no host, and what may be the rest of a password */
static bool is_stricter(const char *text, const char *authority)
{
	return strchr(text, '\\') || *authority == '/' ||
	       strchr(authority + strcspn(authority, "/?#"), '@');
}

static const char *judge(const char *text, const char *authority)
{
	char escaped[ROOM], shown[ROOM], why[HTTP_WHY] = "";
	CURLU *url = curl_url(), *ours = curl_url();
	const char *wrong = NULL;
	struct address a = { };
	bool ok, good;

	escape(escaped, text, authority);
	good = takes(url, escaped);
	ok = !authority_is_doubtful(authority) && !address_parse(&a, text, why);
	if (ok && takes(ours, a.url))
		wrong = !good ? "taken, and not by curl" :
			same_parts(url, ours, &a) ? NULL : "another address than curl's";
	else if (!ok && good && !is_stricter(text, authority))
		wrong = "refused, and not by curl";
	if (strstr(http_name(text, shown, sizeof(shown)), SECRET) || strstr(why, SECRET) ||
	    (ok && strstr(a.name, SECRET)))
		wrong = "a message shows a secret";
	address_free(&a);
	curl_url_cleanup(url);
	curl_url_cleanup(ours);
	return wrong;
}

TESTS(addresses)
{
	unsigned int bad = 0;
	char text[ROOM];

	for (unsigned int i = 0; i < ADDRESSES; i++) {
		const char *wrong = judge(text, generate(text));

		bad += !!wrong;
		if (wrong && bad <= 20)
			tap_note("%s: %s", text, wrong);
	}
	OK(!bad, "%u of %u addresses are not what curl makes of them", bad, ADDRESSES);
}
