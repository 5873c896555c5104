/* SPDX-License-Identifier: GPL-2.0 */
/* JSON that servers, programs and files of container tools say. */
#ifndef HTTP_JSON_LOAD_H
#define HTTP_JSON_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "http.h"

/**
 * json_load - parse a text that is a JSON object
 * @what: name of the text, for @why
 * @root: set to the object; to be freed with json_decref()
 *
 * Duplicate members, and text behind the object, are errors.
 *
 * Return: 0 or -EINVAL (no JSON, no object).
 */
int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY]);

/* Members of @object, which may be NULL.  A member of another type counts as absent. */
const char *json_text(const json_t *object, const char *name);
bool json_count(const json_t *object, const char *name, uint64_t *n);

#endif /* HTTP_JSON_LOAD_H */
