/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing JSON.  Bytes that are no UTF-8 become lone surrogates, U+DC80 to U+DCFF, as Python's
 * "surrogateescape" has it: nothing is lost, and os.fsencode() gives the bytes back.  They and
 * all controls are written as \uXXXX, so that the document is UTF-8 whatever the names are.
 */
#ifndef DSFS_JSON_H
#define DSFS_JSON_H

#include "dsfs_platform.h"

#define JSON_DEPTH	16

/**
 * struct json - a document being written
 * @depth: objects and arrays that are open, up to JSON_DEPTH
 * @more: something stands before, by depth
 * @array: it is an array, by depth
 * @lines: a document is a line
 */
struct json {
	FILE *out;
	unsigned int depth;
	bool more[JSON_DEPTH];
	bool array[JSON_DEPTH];
	bool lines;
};

/*
 * Every function takes the member's name, or NULL inside an array.  A report that is text has no
 * document, @j NULL: then there are no objects, arrays and members.
 */
void json_init(struct json *j, FILE *out);
/** json_report - begin a report on standard output; NULL: it is text, as JSON is not @wanted */
struct json *json_report(struct json *j, bool wanted);
void json_begin_object(struct json *j, const char *key);
void json_begin_array(struct json *j, const char *key);
/** json_end - close the innermost object or array; the outermost ends with a newline */
void json_end(struct json *j);
void json_u64(struct json *j, const char *key, u64 v);
/**
 * json_show_u64 - a number of a report; as text it is what printf(3) makes of @fmt, one %llu
 *
 * JSON has none without a @key, the text none without a @fmt.  So it is with the next two.
 */
#define json_show_u64(j, key, fmt, v) json_show_number(j, key, fmt, (u64)(v))
void json_show_number(struct json *j, const char *key, const char *fmt, ...)
	__printf(3, 4);
/** json_show_str - the same of a string, by one %s */
void json_show_str(struct json *j, const char *key, const char *fmt, ...)
	__printf(3, 4);
/** json_show_size - bytes; as text one %s, with their unit */
void json_show_size(struct json *j, const char *key, const char *fmt, u64 bytes);
/** json_say - what only the text has */
void json_say(const struct json *j, const char *fmt, ...) __printf(2, 3);
void json_s64(struct json *j, const char *key, s64 v);
void json_bool(struct json *j, const char *key, bool v);
void json_put_null(struct json *j, const char *key);
/** json_bytes - a string of @len arbitrary bytes */
void json_bytes(struct json *j, const char *key, const void *v, size_t len);
void json_str(struct json *j, const char *key, const char *v);
/** json_hex - bytes as a string of hexadecimal digits */
void json_hex(struct json *j, const char *key, const void *v, size_t len);
void json_strf(struct json *j, const char *key, const char *fmt, ...)
	__printf(3, 4);

#endif /* DSFS_JSON_H */
