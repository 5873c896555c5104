// SPDX-License-Identifier: GPL-2.0
/*
 * The files that "login" of container tools writes, in the order of containers-auth.json(5): that
 * of REGISTRY_AUTH_FILE, or of the runtime directory, then those of ~/.config, of Docker, and
 * Docker's old one.  They have user and password in base64, as the header Authorization does, so
 * they are not decoded.  Programs that keep passwords are not run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry.h"
#include "text.h"
#include "words.h"

#define FILE_MAX	1048576
#define BASE64		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

/**
 * struct login_file - where logins may be
 * @variable: names its folder; NULL, or it is not set: @folder of $HOME
 * @name: of the file in that folder
 * @is_old: it has no member "auths", and its keys are URLs
 */
static const struct login_file {
	const char *variable;
	const char *folder;
	const char *name;
	bool is_old;
} files[] = {
	{ "XDG_RUNTIME_DIR", NULL, "/containers/auth.json", false },
	{ "XDG_CONFIG_HOME", "/.config", "/containers/auth.json", false },
	{ "DOCKER_CONFIG", "/.docker", "/config.json", false },
	{ NULL, "", "/.dockercfg", true },
};

static int path_of(const struct login_file *p, char **path)
{
	const char *folder = p->variable ? text_env(p->variable) : NULL, *home = text_env("HOME");
	const char *given = p == files ? text_env("REGISTRY_AUTH_FILE") : NULL;
	int n = 0;

	*path = NULL;
	if (given)
		n = asprintf(path, "%s", given);
	else if (folder)
		n = asprintf(path, "%s%s", folder, p->name);
	else if (!p->folder)
		n = asprintf(path, "/run/containers/%u%s", getuid(), strrchr(p->name, '/'));
	else if (home)
		n = asprintf(path, "%s%s%s", home, p->folder, p->name);
	return n < 0 ? -ENOMEM : 0;
}

/* A host of keys that are URLs; Docker's own registry has three names. */
static bool same_host(const char *a, size_t len, const char *host)
{
	static const char * const docker[] = {
		"docker.io", "index.docker.io", "registry-1.docker.io"
	};
	bool is_a = false, is_b = false;

	for (size_t i = 0; i < sizeof(docker) / sizeof(*docker); i++) {
		is_a |= strlen(docker[i]) == len && !strncmp(docker[i], a, len);
		is_b |= !strcmp(docker[i], host);
	}
	return (is_a && is_b) || (strlen(host) == len && !strncmp(a, host, len));
}

/* Whether a key is an URL of the host, or its host alone */
static bool is_of_host(const char *key, const char *host, bool is_old)
{
	const char *rest = !strncmp(key, "https://", 8) ? key + 8 :
			   !strncmp(key, "http://", 7) ? key + 7 : key;
	const size_t len = rest > key || is_old ? strcspn(rest, "/") : strlen(rest);

	return same_host(rest, len, host);
}

/* The entry of the longest key that the name begins with, or of one for its host */
static int find(json_t *auths, const struct reference *ref, bool is_old,
		const json_t **entry)
{
	char *key;

	*entry = NULL;
	if (asprintf(&key, "%s/%s", ref->host, ref->name) < 0)
		return -ENOMEM;
	for (char *end = key + strlen(key); end && !*entry; end = strrchr(key, '/')) {
		*end = '\0';
		*entry = json_object_get(auths, key);
	}
	free(key);
	for (void *at = json_object_iter(auths); at && !*entry;
	     at = json_object_iter_next(auths, at))
		if (is_of_host(json_object_iter_key(at), ref->host, is_old))
			*entry = json_object_iter_value(at);
	return 0;
}

/* What is in a file for a name: @has gets it in words if it is no password. */
static int take(json_t *root, const struct reference *ref, bool is_old, char **value,
		const char **has, char why[HTTP_WHY])
{
	const json_t *entry;
	const char *auth;
	int ret = find(is_old ? root : json_object_get(root, "auths"), ref, is_old, &entry);

	if (ret)
		return ret;
	auth = json_text(entry, "auth");
	*has = entry ? "no password" : "not this host";
	if (!auth || !*auth) {
		if (json_text(entry, "identitytoken"))
			*has = "an identity token";
		else if (json_text(json_object_get(root, "credHelpers"), ref->host) ||
			 json_text(root, "credsStore"))
			*has = "a program, not run";
		return 0;
	}
	if (auth[strspn(auth, BASE64)])
		return why_fail(why, -EINVAL, "what is kept for %.60s is not in base64", ref->host);
	if (asprintf(value, "Basic %s", auth) < 0) {
		*value = NULL;
		return -ENOMEM;
	}
	*has = "a password";
	return 0;
}

static int look_into(const char *path, const struct reference *ref, bool is_old, char **value,
		     const char **has, char why[HTTP_WHY])
{
	size_t len;
	char *text = text_of_file(path, FILE_MAX, false, &len);
	json_t *root;
	int ret;

	*has = "no file";
	if (!text && errno != EFBIG)
		return 0;
	if (!text)
		return why_fail(why, -EINVAL, "%.60s: longer than %d bytes", path, FILE_MAX);
	ret = json_load(text, len, path, &root, why);
	if (!ret) {
		ret = take(root, ref, is_old, value, has, why);
		json_decref(root);
	}
	explicit_bzero(text, len);
	free(text);
	return ret;
}

/* Add a file to what is said; the directory of the user is ~. */
static void say(char said[LOGIN_SAID], const char *path, const char *has)
{
	const char *home = text_env("HOME");
	const size_t n = strlen(said), skip = home ? strlen(home) : 0;
	const bool is_home = skip && !strncmp(path, home, skip) && path[skip] == '/';

	snprintf(said + n, LOGIN_SAID - n, "%s%s%s: %s", n ? ", " : "", is_home ? "~" : "",
		 is_home ? path + skip : path, has);
}

int login_find(const struct reference *ref, char **value, char said[LOGIN_SAID],
	       char why[HTTP_WHY])
{
	const struct login_file *end = files + sizeof(files) / sizeof(*files);
	const char *has;
	char *path;
	int ret = 0;

	*value = NULL;
	*said = '\0';
	for (const struct login_file *p = files; p < end && !ret && !*value; p++) {
		ret = path_of(p, &path);
		if (!ret && path)
			ret = look_into(path, ref, p->is_old, value, &has, why);
		if (!ret && path && (!p->is_old || strcmp(has, "no file")))
			say(said, path, has);
		free(path);
	}
	return ret;
}
