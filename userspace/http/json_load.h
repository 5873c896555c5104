/* SPDX-License-Identifier: GPL-2.0 */
/* JSON of a registry, by jansson, which is loaded when it is first needed. */
#ifndef HTTP_JSON_LOAD_H
#define HTTP_JSON_LOAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "http.h"

/**
 * json_load - the object that a text is
 * @what: the text's name, for @why
 * @root: gets it; to be given to json_unload()
 *
 * Members that are there twice, and text behind it, are refused.
 *
 * Return: 0, -EINVAL (no JSON, no object), -EOPNOTSUPP (no jansson).
 */
int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY]);
void json_unload(json_t *root);

/* Members of @object, which may be anything or NULL.  What is of another type is not there. */
json_t *json_member(const json_t *object, const char *name);
const char *json_text(const json_t *object, const char *name);
bool json_count(const json_t *object, const char *name, uint64_t *n);
size_t json_length(const json_t *array);
json_t *json_element(const json_t *array, size_t i);

#endif /* HTTP_JSON_LOAD_H */
