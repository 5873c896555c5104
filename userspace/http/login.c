// SPDX-License-Identifier: GPL-2.0
/*
 * The file that the command "login" of container tools writes: ~/.docker/config.json, or the one
 * that REGISTRY_AUTH_FILE or DOCKER_CONFIG name.  It has user and password in base64, as the
 * header Authorization does, so they are not decoded.  Credential helpers are not run.
 */
#include <stdlib.h>
#include <string.h>

#include "json_load.h"
#include "login.h"

#define FILE_MAX	1048576
#define BASE64		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Path of the file, allocated; NULL: no variable names one, or no memory */
static char *file_path(void)
{
	const char *whole = env("REGISTRY_AUTH_FILE"), *folder = env("DOCKER_CONFIG");
	const char *home = env("HOME");
	char *path = NULL;
	int n = -1;

	if (whole)
		return strdup(whole);
	if (folder)
		n = asprintf(&path, "%s/config.json", folder);
	else if (home)
		n = asprintf(&path, "%s/.docker/config.json", home);
	return n < 0 ? NULL : path;
}

/* A file that cannot be opened has no passwords: NULL. */
static char *read_file(const char *path, size_t *len)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	char *text = file ? malloc(FILE_MAX + 1) : NULL;

	if (text)
		*len = fread(text, 1, FILE_MAX + 1, file);
	if (file)
		fclose(file);
	return text;
}

static int take(const json_t *root, const char *host, char **value, char why[HTTP_WHY])
{
	const char *auth = json_text(json_member(json_member(root, "auths"), host), "auth");

	if (!auth || !*auth)
		return 0;
	if (auth[strspn(auth, BASE64)]) {
		snprintf(why, HTTP_WHY, "what is kept for %.60s is not in base64", host);
		return -EINVAL;
	}
	if (asprintf(value, "Basic %s", auth) < 0) {
		*value = NULL;
		return -ENOMEM;
	}
	return 0;
}

int login_find(const char *host, char **value, char why[HTTP_WHY])
{
	char *path = file_path(), *text;
	size_t len = 0;
	json_t *root;
	int ret = 0;

	*value = NULL;
	text = read_file(path, &len);
	if (len > FILE_MAX) {
		snprintf(why, HTTP_WHY, "%.60s: longer than %d bytes", path, FILE_MAX);
		ret = -EINVAL;
	}
	if (text && !ret)
		ret = json_load(text, len, path, &root, why);
	if (text && !ret) {
		ret = take(root, host, value, why);
		json_unload(root);
	}
	if (text)
		explicit_bzero(text, len);
	free(text);
	free(path);
	return ret;
}
