/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing of JSON by jansson, which is loaded when it is first needed. */
#ifndef HTTP_JSON_LOAD_H
#define HTTP_JSON_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "http.h"

/**
 * json_load - parse a text that is a JSON object
 * @what: name of the text, for @why
 * @root: set to the object; free it with json_unload()
 *
 * Duplicate members, and text behind the object, are errors.
 *
 * Return: 0, -EINVAL (no JSON, no object), -EOPNOTSUPP (no jansson).
 */
int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY]);
void json_unload(json_t *root);

/* Members of @object, of any type or NULL.  A member of another type counts as absent. */
json_t *json_member(const json_t *object, const char *name);
const char *json_text(const json_t *object, const char *name);
bool json_count(const json_t *object, const char *name, uint64_t *n);

/* Members one after the other: a place, NULL behind the last one */
void *json_first(const json_t *object);
void *json_next(const json_t *object, void *at);
const char *json_key(void *at);

size_t json_length(const json_t *array);
json_t *json_element(const json_t *array, size_t i);

#endif /* HTTP_JSON_LOAD_H */
