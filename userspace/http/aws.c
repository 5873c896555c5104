// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, region and endpoint of S3: from options, then the environment, then the two files of
 * the AWS tools.
 *
 * Instance roles and web identities are not supported.  The thread that runs all transfers reads
 * keys again when the server refuses them; a request for new keys there would delay every reader.
 * A program outside that renews keys can write them to the credentials file instead.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "address.h"
#include "aws.h"

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static char *strip(char *text)
{
	size_t n;

	text += strspn(text, " \t");
	for (n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
		;
	text[n] = '\0';
	return text;
}

/* Whether a line is "[section]" or, as in the config file, "[profile section]" */
static bool is_section(char *line, const char *section)
{
	char *end = strchr(line, ']');

	if (!end)
		return false;
	*end = '\0';
	line = strip(line + 1);
	if (!strncmp(line, "profile ", 8))
		line = strip(line + 8);
	return !strcmp(line, section);
}

/* Copy a setting, unless it is set or empty.  Without memory for it, aws_load() must fail. */
static void keep(struct aws *aws, char **to, const char *value)
{
	if (*to || !value || !*value)
		return;
	*to = strdup(value);
	aws->incomplete |= !*to;
}

static void take_setting(struct aws *aws, char *line)
{
	const struct { const char *name; char **to; } settings[] = {
		{ "aws_access_key_id", &aws->id },
		{ "aws_secret_access_key", &aws->secret },
		{ "aws_session_token", &aws->token },
		{ "region", &aws->region },
		{ "endpoint_url", &aws->endpoint },
		{ "ca_bundle", &aws->bundle },
	};
	char *value = strchr(line, '=');

	if (!value)
		return;
	*value++ = '\0';
	line = strip(line);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (!strcasecmp(line, settings[i].name))
			keep(aws, settings[i].to, strip(value));
}

/* Take settings that are not set yet.  A file that cannot be read has none. */
static void read_file(struct aws *aws, const char *path, const char *section)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t size = 0;
	bool ours = false;

	if (!file) {
		aws->incomplete |= path && errno == ENOMEM;
		return;
	}
	errno = 0;
	while (getline(&line, &size, file) > 0) {
		if (*line == '[')
			ours = is_section(line, section);
		else if (ours && !strchr("#; \t\n", *line))
			take_setting(aws, line);
	}
	aws->incomplete |= errno == ENOMEM;
	if (line)
		explicit_bzero(line, size);
	free(line);
	fclose(file);
}

/* Path that the environment variable @variable names, or ~/.aws/@name; allocated */
static char *file_of(struct aws *aws, const char *variable, const char *name)
{
	const char *path = env(variable), *home = env("HOME");
	char *text = NULL;

	if (path)
		text = strdup(path);
	else if (home && asprintf(&text, "%s/.aws/%s", home, name) < 0)
		text = NULL;
	aws->incomplete |= (path || home) && !text;
	return text;
}

static void read_files(struct aws *aws, const char *section)
{
	char *keys = file_of(aws, "AWS_SHARED_CREDENTIALS_FILE", "credentials");
	char *settings = file_of(aws, "AWS_CONFIG_FILE", "config");

	read_file(aws, keys, section);
	read_file(aws, settings, section);
	free(keys);
	free(settings);
}

/* Keys of the environment are ignored if the user named a profile. */
static void from_environment(struct aws *aws, const struct http_options *o)
{
	if (!o->profile && env("AWS_ACCESS_KEY_ID")) {
		keep(aws, &aws->id, env("AWS_ACCESS_KEY_ID"));
		/* empty if unset: secret and token of a file belong to the key there */
		aws->secret = strdup(env("AWS_SECRET_ACCESS_KEY") ?: "");
		aws->token = strdup(env("AWS_SESSION_TOKEN") ?: "");
		aws->incomplete |= !aws->secret || !aws->token;
	}
	keep(aws, &aws->region, env("AWS_REGION"));
	keep(aws, &aws->region, env("AWS_DEFAULT_REGION"));
	keep(aws, &aws->endpoint, env("AWS_ENDPOINT_URL_S3"));
	keep(aws, &aws->endpoint, env("AWS_ENDPOINT_URL"));
}

static void forget(char **text)
{
	if (*text)
		explicit_bzero(*text, strlen(*text));
	free(*text);
	*text = NULL;
}

void aws_free(struct aws *aws)
{
	forget(&aws->id);
	forget(&aws->secret);
	forget(&aws->token);
	forget(&aws->region);
	forget(&aws->endpoint);
	forget(&aws->bundle);
}

/* Whether a text has only characters that a header may contain */
static bool is_printable(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int check_keys(struct aws *aws, const char *section, char why[HTTP_WHY])
{
	if (!aws->id || !aws->secret) {
		snprintf(why, HTTP_WHY,
			 "no keys for S3 in the environment and in profile %.60s; %s",
			 section, "without keys: the option anonymous");
		return -EACCES;
	}
	if (!*aws->secret) {
		snprintf(why, HTTP_WHY, "AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY");
		return -EACCES;
	}
	if (is_printable(aws->id) && is_printable(aws->secret) && is_printable(aws->token) &&
	    is_printable(aws->region))
		return 0;
	snprintf(why, HTTP_WHY, "keys for S3: a control character in them");
	return -EINVAL;
}

int aws_load(struct aws *aws, const struct http_options *o, char why[HTTP_WHY])
{
	const char *section = o->profile ? o->profile : env("AWS_PROFILE");
	int ret = 0;

	if (!section)
		section = "default";
	*aws = (struct aws){ };
	keep(aws, &aws->region, o->region);
	keep(aws, &aws->endpoint, o->endpoint);
	from_environment(aws, o);
	read_files(aws, section);
	keep(aws, &aws->region, "us-east-1");
	if (aws->token && !*aws->token)
		forget(&aws->token);
	if (aws->incomplete) {
		ret = -ENOMEM;
	} else if (o->anonymous) {
		forget(&aws->id);
		forget(&aws->secret);
		forget(&aws->token);
	} else {
		ret = check_keys(aws, section, why);
	}
	if (ret)
		aws_free(aws);
	return ret;
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool aws_same_keys(const struct aws *a, const struct aws *b)
{
	return same(a->id, b->id) && same(a->secret, b->secret) && same(a->token, b->token);
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

	if (!is_bucket(bucket, len) || !bucket[len] || !bucket[len + 1]) {
		snprintf(why, HTTP_WHY, "not of the form s3://bucket/key");
		return -EINVAL;
	}
	key = address_encode(bucket + len);
	if (!key || format_url(url, aws, bucket, len, key) < 0)
		ret = -ENOMEM;
	free(key);
	return ret;
}
