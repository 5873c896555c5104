// SPDX-License-Identifier: GPL-2.0
/* JSON by jansson, which limits depth itself. */
#include <string.h>

#include "json_load.h"

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
	json_error_t error;

	*root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!*root)
		return say_no_json(&error, what, why);
	if (json_is_object(*root))
		return 0;
	json_decref(*root);
	snprintf(why, HTTP_WHY, "%.60s: no object of JSON", what);
	return -EINVAL;
}

/* A text with a NUL in it would be cut there by what uses it; it counts as absent. */
const char *json_text(const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);
	const char *text = json_string_value(member);

	return text && strlen(text) == json_string_length(member) ? text : NULL;
}

bool json_count(const json_t *object, const char *name, uint64_t *n)
{
	const json_t *member = json_object_get(object, name);

	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return false;
	*n = json_integer_value(member);
	return true;
}
