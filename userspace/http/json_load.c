// SPDX-License-Identifier: GPL-2.0
/*
 * JSON by jansson, which limits depth itself.  mkfs.dsfs is linked with it; here it is loaded
 * as libcurl is, because most programs that open an image never use a registry.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "json_load.h"

/* The functions that are used, named without "json_" */
struct jansson {
	__typeof__(&json_loadb) loadb;
	__typeof__(&json_delete) delete;
	__typeof__(&json_object_get) object_get;
	__typeof__(&json_object_iter) object_iter;
	__typeof__(&json_object_iter_next) object_iter_next;
	__typeof__(&json_object_iter_key) object_iter_key;
	__typeof__(&json_array_size) array_size;
	__typeof__(&json_array_get) array_get;
	__typeof__(&json_string_value) string_value;
	__typeof__(&json_string_length) string_length;
	__typeof__(&json_integer_value) integer_value;
};

static struct jansson lib;

static const struct function {
	const char *name;
	void *to;
} wanted[] = {
	{ "json_loadb", &lib.loadb },
	{ "json_delete", &lib.delete },
	{ "json_object_get", &lib.object_get },
	{ "json_object_iter", &lib.object_iter },
	{ "json_object_iter_next", &lib.object_iter_next },
	{ "json_object_iter_key", &lib.object_iter_key },
	{ "json_array_size", &lib.array_size },
	{ "json_array_get", &lib.array_get },
	{ "json_string_value", &lib.string_value },
	{ "json_string_length", &lib.string_length },
	{ "json_integer_value", &lib.integer_value },
};

static bool loaded;

static void load(void)
{
	void *handle = dlopen("libjansson.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	for (size_t i = 0; handle && i < sizeof(wanted) / sizeof(*wanted); i++) {
		void *function = dlsym(handle, wanted[i].name);

		if (!function)
			return;
		*(void **)wanted[i].to = function;
	}
	loaded = handle;
}

/* Not what stands "near" the error: that is a piece of the text, which may be a password. */
static int say_no_json(const json_error_t *error, const char *what, char why[HTTP_WHY])
{
	const char *near = strstr(error->text, " near ");
	const size_t n = near ? (size_t)(near - error->text) : strlen(error->text);

	snprintf(why, HTTP_WHY, "%.60s: no JSON: byte %d: %.*s", what, error->position,
		 n < 80 ? (int)n : 80, error->text);
	return -EINVAL;
}

int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	json_error_t error;

	pthread_once(&once, load);
	if (!loaded) {
		snprintf(why, HTTP_WHY, "libjansson.so.4 is not installed (Debian: libjansson4)");
		return -EOPNOTSUPP;
	}
	*root = lib.loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!*root)
		return say_no_json(&error, what, why);
	if (json_is_object(*root))
		return 0;
	json_unload(*root);
	snprintf(why, HTTP_WHY, "%.60s: no object of JSON", what);
	return -EINVAL;
}

/* The caller has the only reference. */
void json_unload(json_t *root)
{
	if (root)
		lib.delete(root);
}

json_t *json_member(const json_t *object, const char *name)
{
	return json_is_object(object) ? lib.object_get(object, name) : NULL;
}

/* A text with a NUL in it would be cut there by what uses it; it counts as absent. */
const char *json_text(const json_t *object, const char *name)
{
	const json_t *member = json_member(object, name);
	const char *text = json_is_string(member) ? lib.string_value(member) : NULL;

	return text && strlen(text) == lib.string_length(member) ? text : NULL;
}

bool json_count(const json_t *object, const char *name, uint64_t *n)
{
	const json_t *member = json_member(object, name);

	if (!json_is_integer(member) || lib.integer_value(member) < 0)
		return false;
	*n = lib.integer_value(member);
	return true;
}

void *json_first(const json_t *object)
{
	return json_is_object(object) ? lib.object_iter((json_t *)object) : NULL;
}

void *json_next(const json_t *object, void *at)
{
	return lib.object_iter_next((json_t *)object, at);
}

const char *json_key(void *at)
{
	return lib.object_iter_key(at);
}

size_t json_length(const json_t *array)
{
	return json_is_array(array) ? lib.array_size(array) : 0;
}

json_t *json_element(const json_t *array, size_t i)
{
	return lib.array_get(array, i);
}
