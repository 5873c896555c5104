// SPDX-License-Identifier: GPL-2.0
/*
 * Authorization at registries.  The challenge of a registry requires either a password, or a
 * token from a server that the challenge names, which may require the password.  The password is
 * sent to these two servers only, and the token to the registry only: not to where it redirects.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "challenge.h"
#include "json_load.h"
#include "login.h"
#include "oci_manifest.h"
#include "registry.h"
#include "sleep.h"
#include "text.h"

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
		snprintf(why, HTTP_WHY, "token: there is none in the answer");
		ret = -EREMOTEIO;
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
	ret = text_get(obj, &q, &t, stop, why);
	if (!ret)
		ret = take_token(&t, value, why);
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
		snprintf(why, HTTP_WHY, "the registry says 401, no password; %s", said);
		ret = -EACCES;
	}
	if (login)
		explicit_bzero(login, strlen(login));
	free(login);
	return ret;
}

static int authorize(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY])
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

bool registry_can_renew(struct http_object *obj)
{
	bool can;

	pthread_mutex_lock(&obj->lock);
	can = obj->ref.base ? *obj->challenge : obj->s3 && obj->aws.slow;
	pthread_mutex_unlock(&obj->lock);
	return can;
}

/* When a token expires, all readers come here: one of them renews it, the others wait. */
int registry_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		   char why[HTTP_WHY])
{
	int ret = 0;

	snprintf(why, HTTP_WHY, "interrupted");
	if (sleep_on(&obj->renewing, stop))
		return -EINTR;
	if (__atomic_load_n(&obj->serial, __ATOMIC_ACQUIRE) == serial)
		ret = obj->s3 ? secrets_renew(obj, stop, why) : authorize(obj, stop, why);
	sem_post(&obj->renewing);
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
		ret = authorize(obj, NULL, why);
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
	int ret = reference_parse(&obj->ref, address, obj->opt.plain, why);

	if (!ret)
		ret = get_manifest(obj, &t, why);
	if (!ret)
		ret = oci_manifest(t.body, t.len, obj->ref.digest, blob, &obj->size, why);
	free(t.body);
	if (ret)
		return ret;
	if (asprintf(&url, "%s/blobs/%s", obj->ref.base, blob) < 0)
		return -ENOMEM;
	ret = address_parse(&obj->first, url, why);
	free(url);
	return ret;
}
