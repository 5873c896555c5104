// SPDX-License-Identifier: GPL-2.0
/*
 * What registries say, and authorization at them.  The challenge of a registry requires either a
 * password, or a token from a server that the challenge names, which may require the password.  The
 * password is sent to these two servers only, and the token to the registry only: not to where it
 * redirects.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "hash.h"
#include "registry.h"
#include "text.h"
#include "words.h"

/*
 * The challenge of a registry, WWW-Authenticate (RFC 9110), which names the server of tokens.
 * It is not trusted: the token server of a registry with https must have https, too.
 */

static bool is_param_end(char c)
{
	return !c || c == ',' || c == ' ' || c == '\t';
}

/* Copy a value, quoted or not, and move @at behind it. */
static char *take_value(const char **at)
{
	const char *from = *at;
	char *value = malloc(strlen(from) + 1), *to = value;
	const bool quoted = *from == '"';

	for (from += quoted; value && *from; from++) {
		if (quoted ? *from == '"' : is_param_end(*from))
			break;
		if (quoted && *from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	if (value)
		*to = '\0';
	*at = from + (quoted && *from == '"');
	return value;
}

/* Value of a parameter of a challenge, allocated; NULL: none, or no memory */
static char *challenge_value(const char *challenge, const char *name)
{
	const char *at = strchr(challenge, ' ');
	char *value;
	size_t n;

	while (at && *(at += strspn(at, ", \t"))) {
		n = strcspn(at, "=");
		if (!at[n])
			return NULL;
		const bool ours = strlen(name) == n && !strncasecmp(at, name, n);

		at += n + 1;
		value = take_value(&at);
		if (ours || !value)
			return value;
		free(value);
	}
	return NULL;
}

int challenge_url(const char *challenge, const struct reference *ref, char **url,
		  char why[HTTP_WHY])
{
	char *realm = challenge_value(challenge, "realm"), *scope = NULL;
	char *service = challenge_value(challenge, "service");
	char *service_text = address_encode(service ?: "");
	int ret = 0;

	*url = NULL;
	if (asprintf(&scope, "repository%%3A%s%%3Apull", ref->name) < 0)
		scope = NULL;
	if (!realm || strncasecmp(realm, "http", 4) ||
	    (!strncmp(ref->base, "https", 5) && strncasecmp(realm, "https://", 8))) {
		ret = why_fail(why, -EREMOTEIO,
			       "the registry names no server of tokens, or one without %s",
			       "https");
	} else if (!scope || !service_text ||
		   asprintf(url, "%s%c%s%s%sscope=%s", realm, strchr(realm, '?') ? '&' : '?',
			    service ? "service=" : "", service_text, service ? "&" : "",
			    scope) < 0) {
		*url = NULL;
		ret = -ENOMEM;
	}
	free(realm);
	free(scope);
	free(service);
	free(service_text);
	return ret;
}

/* Whether a text has only characters that a token in a header may contain */
static bool is_token(const char *text)
{
	if (!text || !*text)
		return false;
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f)
			return false;
	return true;
}

static int take_token(const struct http_text *t, char **value, char why[HTTP_WHY])
{
	const char *token;
	json_t *root;
	int ret = json_load(t->body, t->len, "token", &root, why);

	if (ret)
		return -EREMOTEIO;
	token = json_text(root, "token");
	if (!token)
		token = json_text(root, "access_token");
	if (!is_token(token)) {
		ret = why_fail(why, -EREMOTEIO, "token: there is none in the answer");
	} else if (asprintf(value, "Bearer %s", token) < 0) {
		*value = NULL;
		ret = -ENOMEM;
	}
	json_decref(root);
	return ret;
}

static int ask_for_token(const struct http_object *obj, const char *challenge, const char *login,
			 char **value, int (*stop)(void), char why[HTTP_WHY])
{
	struct text_request q = { .what = "token", .authorization = login };
	struct http_text t;
	char *url;
	int ret = challenge_url(challenge, &obj->ref, &url, why);

	if (ret)
		return ret;
	q.url = url;
	ret = text_get(obj, &q, &t, stop, why) ?: take_token(&t, value, why);
	if (t.body)
		explicit_bzero(t.body, t.len);
	free(t.body);
	free(url);
	return ret;
}

/* Say which files were looked at for a password. */
static void add_text(char why[HTTP_WHY], const char *said)
{
	const size_t n = strnlen(why, 50);

	snprintf(why + n, HTTP_WHY - n, "; %s", said);
}

/* Make the header Authorization that a challenge requires. */
static int answer(const struct http_object *obj, const char *challenge, char **value,
		  int (*stop)(void), char why[HTTP_WHY])
{
	char said[LOGIN_SAID], *login;
	int ret = login_find(&obj->ref, &login, said, why);

	*value = NULL;
	if (!ret && !strncasecmp(challenge, "Bearer ", 7)) {
		ret = ask_for_token(obj, challenge, login, value, stop, why);
		if (ret == -EACCES)
			add_text(why, said);
	} else if (!ret && !strncasecmp(challenge, "Basic", 5) && login) {
		*value = login;
		return 0;
	} else if (!ret) {
		ret = why_fail(why, -EACCES, "the registry says 401, no password; %s", said);
	}
	secret_free(login);
	return ret;
}

int registry_authorize(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY])
{
	char challenge[CHALLENGE_MAX], *value;
	int ret;

	pthread_mutex_lock(&obj->lock);
	memcpy(challenge, obj->challenge, sizeof(challenge));
	pthread_mutex_unlock(&obj->lock);
	ret = answer(obj, challenge, &value, stop, why);
	if (ret)
		return ret;
	pthread_mutex_lock(&obj->lock);
	free(obj->authorization);
	obj->authorization = value;
	pthread_mutex_unlock(&obj->lock);
	__atomic_fetch_add(&obj->serial, 1, __ATOMIC_RELEASE);
	return 0;
}

/*
 * The manifest of an artifact.  It is an image if it has a layer of type OCI_LAYER or OCI_LIST.
 * Its artifactType is not checked: it is for listings, and OCI 1.0 does not have it.
 */

static int check_digest(const char *text, size_t len, const char *wanted, char why[HTTP_WHY])
{
	char hex[HASH_HEX];

	if (!wanted)
		return 0;
	hash_text(text, len, hex);
	if (!strcmp(wanted + strlen("sha256:"), hex))
		return 0;
	return why_fail(why, -EREMOTEIO, "manifest: its digest is sha256:%s, another was asked for",
			hex);
}

static const json_t *find_layer(const json_t *layers, unsigned int *found)
{
	const json_t *layer = NULL, *at;
	const char *type;

	*found = 0;
	for (size_t i = 0; i < json_array_size(layers); i++) {
		at = json_array_get(layers, i);
		type = json_text(at, "mediaType");
		if (!type || (strcmp(type, OCI_LAYER) && strcmp(type, OCI_LIST)))
			continue;
		layer = at;
		++*found;
	}
	return layer;
}

static int take_layer(const json_t *layer, char blob[OCI_DIGEST], uint64_t *size,
		      char why[HTTP_WHY])
{
	const char *digest = json_text(layer, "digest");

	if (!digest || !reference_is_digest(digest))
		return why_fail(why, -EREMOTEIO,
				"manifest: the digest of its layer is not sha256:HEX");
	if (!json_count(layer, "size", size) || !*size)
		return why_fail(why, -EREMOTEIO,
				"manifest: the size of its layer is no number above 0");
	memcpy(blob, digest, OCI_DIGEST);
	return 0;
}

static int take_manifest(const json_t *root, char blob[OCI_DIGEST], uint64_t *size,
			 char why[HTTP_WHY])
{
	const char *type = json_text(root, "mediaType");
	const json_t *layer;
	unsigned int found;
	uint64_t version;

	if (!json_count(root, "schemaVersion", &version) || version != 2)
		return why_fail(why, -EREMOTEIO, "manifest: its schemaVersion is not 2");
	/* mediaType is optional */
	if (type && strcmp(type, OCI_MANIFEST))
		return why_fail(why, -EREMOTEIO,
				"manifest: it is of type %.80s, expected " OCI_MANIFEST, type);
	layer = find_layer(json_object_get(root, "layers"), &found);
	if (found == 1)
		return take_layer(layer, blob, size, why);
	return why_fail(why, -EREMOTEIO, "manifest: %u layers of type " OCI_LAYER ", expected 1",
			found);
}

int oci_manifest(const char *text, size_t len, const char *wanted, char blob[OCI_DIGEST],
		 uint64_t *size, char why[HTTP_WHY])
{
	json_t *root;
	int ret = check_digest(text, len, wanted, why) ?:
		  json_load(text, len, "manifest", &root, why);

	if (ret)
		return -EREMOTEIO;
	ret = take_manifest(root, blob, size, why);
	json_decref(root);
	return ret;
}

static int get_manifest(struct http_object *obj, struct http_text *t, char why[HTTP_WHY])
{
	struct text_request q = {
		.what = "manifest", .accept = OCI_MANIFEST, .lines = obj->header_lines,
	};
	char *url;
	int ret;

	if (asprintf(&url, "%s/manifests/%s", obj->ref.base, obj->ref.digest ?: obj->ref.tag) < 0)
		return -ENOMEM;
	q.url = url;
	ret = text_get(obj, &q, t, NULL, why);
	if (ret == -EACCES && *t->challenge) {
		memcpy(obj->challenge, t->challenge, sizeof(obj->challenge));
		ret = registry_authorize(obj, NULL, why);
		q.authorization = obj->authorization;
		if (!ret)
			ret = text_get(obj, &q, t, NULL, why);
	}
	free(url);
	return ret;
}

int registry_resolve(struct http_object *obj, const char *address, char why[HTTP_WHY])
{
	char blob[OCI_DIGEST], *url;
	struct http_text t = { };
	int ret = reference_parse(&obj->ref, address, obj->opt.plain, why) ?:
		  get_manifest(obj, &t, why) ?:
		  oci_manifest(t.body, t.len, obj->ref.digest, blob, &obj->size, why);

	free(t.body);
	if (ret)
		return ret;
	if (asprintf(&url, "%s/blobs/%s", obj->ref.base, blob) < 0)
		return -ENOMEM;
	ret = address_parse(&obj->own.first, url, why);
	free(url);
	return ret;
}
