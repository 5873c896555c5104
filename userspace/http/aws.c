// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, region and endpoint of S3, from where botocore takes them and in its order: options, then
 * the environment, then the profile in the two files of the AWS tools.
 *
 * Keys are all of one source: ID, secret and token that were made together.  What the profile asks
 * for and is not built is an error, as other keys would be somebody else's.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "aws.h"
#include "ini.h"
#include "object.h"
#include "words.h"

/**
 * struct profile - what settings and keys are taken from, besides the environment
 * @name: of the profile; @named: by an option, so that keys of the environment do not count
 * @keys, @config: the two files
 * @section: of the profile in @config; NULL: none
 */
struct profile {
	const char *name;
	bool named;
	struct ini keys;
	struct ini config;
	char *section;
};

/* Copy a setting, unless it is set or empty.  Without memory for it, aws_load() must fail. */
static void keep(struct aws *aws, char **to, const char *value)
{
	if (*to || !value || !*value)
		return;
	*to = strdup(value);
	aws->incomplete |= !*to;
}

/* A setting of the profile; what is indented below a name has names of its own. */
static const char *setting(const struct profile *s, const char *key)
{
	const char *value = ini_get(&s->keys, s->name, key);

	if (!value && s->section)
		value = ini_get(&s->config, s->section, key);
	return value && *value && *value != '\n' ? value : NULL;
}

/* Whether a section of the config file is the profile: "default", or two words, "profile NAME" */
static int is_profile(const char *section, const char *name)
{
	char **words;
	int n, ret;

	if (strncmp(section, "profile", 7))
		return !strcmp(section, "default") && !strcmp(name, "default");
	n = words_split(section, &words);
	if (n < 0)
		return n == -ENOMEM ? n : 0;
	ret = n == 2 && !strcmp(words[1], name);
	free(words);
	return ret;
}

/* The last one counts. */
static int find_section(struct profile *s)
{
	struct ini_entry *e;
	int ret;

	STAILQ_FOREACH(e, &s->config, link) {
		ret = e->key ? 0 : is_profile(e->section, s->name);
		if (ret < 0)
			return ret;
		if (ret)
			s->section = e->section;
	}
	return 0;
}

/* Path that the environment variable @variable names, or ~/.aws/@name; allocated */
static int file_of(const char *variable, const char *name, char **path)
{
	const char *given = text_env(variable), *home = text_env("HOME");
	int n = 0;

	*path = NULL;
	if (given && !strncmp(given, "~/", 2) && home)
		n = asprintf(path, "%s%s", home, given + 1);
	else if (given)
		n = asprintf(path, "%s", given);
	else if (home)
		n = asprintf(path, "%s/.aws/%s", home, name);
	return n < 0 ? -ENOMEM : 0;
}

static int read_file(struct ini *ini, const char *variable, const char *name, char why[HTTP_WHY])
{
	char *path;
	int ret = file_of(variable, name, &path);

	STAILQ_INIT(ini);
	if (!ret && path)
		ret = ini_read(ini, path, why);
	free(path);
	return ret;
}

static int read_files(struct profile *s, char why[HTTP_WHY])
{
	const int ret = read_file(&s->keys, "AWS_SHARED_CREDENTIALS_FILE", "credentials", why);
	const int more = read_file(&s->config, "AWS_CONFIG_FILE", "config", why);

	return ret ?: more ?: find_section(s);
}

static void take_settings(struct aws *aws, const struct profile *s, const struct http_options *o)
{
	keep(aws, &aws->region, o->region);
	keep(aws, &aws->region, text_env("AWS_REGION"));
	keep(aws, &aws->region, text_env("AWS_DEFAULT_REGION"));
	keep(aws, &aws->region, setting(s, "region"));
	keep(aws, &aws->region, "us-east-1");
	keep(aws, &aws->endpoint, o->endpoint);
	keep(aws, &aws->endpoint, text_env("AWS_ENDPOINT_URL_S3"));
	keep(aws, &aws->endpoint, text_env("AWS_ENDPOINT_URL"));
	keep(aws, &aws->endpoint, setting(s, "endpoint_url"));
	keep(aws, &aws->bundle, setting(s, "ca_bundle"));
}

/* Take keys of a file, all of the same section.  Return: whether it has some. */
static bool take_keys(struct aws *aws, const struct ini *ini, const char *section)
{
	const char *id = section ? ini_get(ini, section, "aws_access_key_id") : NULL;

	if (!id)
		return false;
	keep(aws, &aws->id, id);
	keep(aws, &aws->secret, ini_get(ini, section, "aws_secret_access_key"));
	keep(aws, &aws->token, ini_get(ini, section, "aws_security_token") ?:
	     ini_get(ini, section, "aws_session_token"));
	return true;
}

static int not_built(const struct profile *s, const char *what, char why[HTTP_WHY])
{
	return why_fail(why, -EACCES,
			"profile %.60s: %s is not built; a credential_process can run %s", s->name,
			what, "aws configure export-credentials");
}

/* A variable of a web identity, or the setting of the profile */
static const char *identity(const struct profile *s, const char *variable, const char *key)
{
	return (s->named ? NULL : text_env(variable)) ?: setting(s, key);
}

/* Keys of the profile, by the first of the ways that it has.  Return: 0, or a negative errno. */
static int from_profile(struct aws *aws, const struct profile *s, const struct http_object *obj,
			char why[HTTP_WHY])
{
	static const char * const sso[] = {
		"sso_session", "sso_start_url", "sso_account_id", "sso_role_name", "sso_region"
	};
	const char *file = identity(s, "AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file");

	if (setting(s, "role_arn") && !setting(s, "web_identity_token_file"))
		return not_built(s, "role_arn with keys of another", why);
	if (file)
		return aws_role_web(aws, obj, file, identity(s, "AWS_ROLE_ARN", "role_arn"),
				    identity(s, "AWS_ROLE_SESSION_NAME", "role_session_name"), why);
	for (size_t i = 0; i < sizeof(sso) / sizeof(*sso); i++)
		if (setting(s, sso[i]))
			return not_built(s, sso[i], why);
	if (take_keys(aws, &s->keys, s->name))
		return 0;
	if (setting(s, "credential_process"))
		return aws_role_process(aws, setting(s, "credential_process"), why);
	if (take_keys(aws, &s->config, s->section))
		return 0;
	if (text_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") ||
	    text_env("AWS_CONTAINER_CREDENTIALS_FULL_URI"))
		return not_built(s, "AWS_CONTAINER_CREDENTIALS_*", why);
	return why_fail(why, -EACCES, "no keys for S3 in the environment and %s profile %.60s; %s",
			s->section || ini_has(&s->keys, s->name) ? "in" : "no", s->name,
			"without keys: the option anonymous");
}

static int from_environment(struct aws *aws)
{
	keep(aws, &aws->id, text_env("AWS_ACCESS_KEY_ID"));
	keep(aws, &aws->secret, text_env("AWS_SECRET_ACCESS_KEY"));
	keep(aws, &aws->token, text_env("AWS_SECURITY_TOKEN"));
	keep(aws, &aws->token, text_env("AWS_SESSION_TOKEN"));
	return 0;
}

/* Whether a text has only characters that a header may contain */
static bool is_printable(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int check_keys(struct aws *aws, const char *of, char why[HTTP_WHY])
{
	if (!aws->id || !aws->secret)
		return why_fail(why, -EACCES, "%.60s: AWS_ACCESS_KEY_ID is set without %s", of,
				"AWS_SECRET_ACCESS_KEY, or is empty");
	if (is_printable(aws->id) && is_printable(aws->secret) && is_printable(aws->token))
		return 0;
	return why_fail(why, -EINVAL, "keys for S3: a control character in them");
}

static int find_keys(struct aws *aws, const struct profile *s, const struct http_object *obj,
		     char why[HTTP_WHY])
{
	const bool env = !s->named && text_env("AWS_ACCESS_KEY_ID");
	int ret;

	if (obj->opt.anonymous)
		return 0;
	ret = env ? from_environment(aws) : from_profile(aws, s, obj, why);
	if (!ret && aws->incomplete)
		return -ENOMEM;
	return ret ? ret : check_keys(aws, env ? "environment" : s->name, why);
}

int aws_load(struct aws *aws, const struct http_object *obj, int (*stop)(void), char why[HTTP_WHY])
{
	struct profile s = { .name = obj->opt.profile, .named = obj->opt.profile };
	int ret;

	s.name = s.name ?: text_env("AWS_PROFILE") ?: text_env("AWS_DEFAULT_PROFILE") ?: "default";
	*aws = (struct aws){ .stop = stop };
	ret = read_files(&s, why);
	if (!ret) {
		take_settings(aws, &s, &obj->opt);
		ret = find_keys(aws, &s, obj, why);
	}
	if (!ret && !is_printable(aws->region))
		ret = why_fail(why, -EINVAL, "the region of S3: a control character in it");
	ini_free(&s.keys);
	ini_free(&s.config);
	if (!ret && aws->incomplete)
		ret = -ENOMEM;
	if (ret)
		aws_free(aws);
	return ret;
}

/* A bucket with a dot goes into the path: AWS' certificates match one label before "s3". */
static int format_url(char **url, const struct aws *aws, const char *bucket, size_t len,
		      const char *key)
{
	const char *slash = aws->endpoint && *aws->endpoint &&
			    aws->endpoint[strlen(aws->endpoint) - 1] == '/' ? "" : "/";

	if (aws->endpoint)
		return asprintf(url, "%s%s%.*s%s", aws->endpoint, slash, (int)len, bucket, key);
	if (memchr(bucket, '.', len))
		return asprintf(url, "https://s3.%s.amazonaws.com/%.*s%s", aws->region, (int)len,
				bucket, key);
	return asprintf(url, "https://%.*s.s3.%s.amazonaws.com%s", (int)len, bucket, aws->region,
			key);
}

static bool is_bucket(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("-._", name[i]))
			return false;
	return len;
}

int aws_url(const struct aws *aws, const char *address, char **url, char why[HTTP_WHY])
{
	const char *bucket = address + strlen("s3://");
	const size_t len = strcspn(bucket, "/");
	char *key;
	int ret = 0;

	if (!is_bucket(bucket, len) || !bucket[len] || !bucket[len + 1])
		return why_fail(why, -EINVAL, "not of the form s3://bucket/key");
	key = address_encode(bucket + len);
	if (!key || format_url(url, aws, bucket, len, key) < 0)
		ret = -ENOMEM;
	free(key);
	return ret;
}
