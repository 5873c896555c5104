// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of pieces: Documentation/lists.rst.  Each rule there is a message here, with what is
 * wrong, its value, and the limit.
 */
#include <jansson.h>
#include <stdarg.h>

#include "../http/hash.h"
#include "pieces.h"
#include "utf8.h"

#if PIECES_SUM != HASH_BYTES || PIECES_SUM != DSFS_DIGEST_BYTES
#error "sums of several lengths"
#endif

__printf(2, 3)
static int wrong(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, ERR_FAR, fmt, ap);
	va_end(ap);
	utf8_no_controls(why, '?');
	return -EINVAL;
}

/* Each part of a path is a name of its own; what an address, a shell or a URL could mean is out. */
bool pieces_is_name(const char *name)
{
	static const char of[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len, all = 0;

	do {
		len = strspn(name + all, of);
		if (!len || name[all] == '.' || name[all] == '-')
			return false;
		all += len;
	} while (name[all] == '/' && name[++all]);
	return !name[all] && name[all - 1] != '/' && all <= PIECES_NAME_MAX;
}

/* A member that is a text without NUL */
static const char *text_of(const json_t *object, const char *member)
{
	const json_t *value = json_object_get(object, member);
	const char *text = json_string_value(value);

	return text && strlen(text) == json_string_length(value) ? text : NULL;
}

/* A member that is a number from 1 on; @of: the object, in a message */
static int take_number(const json_t *object, const char *of, const char *member, u64 *n, char *why)
{
	const json_t *value = json_object_get(object, member);

	if (!value)
		return wrong(why, "%s has no \"%s\"", of, member);
	if (!json_is_integer(value))
		return wrong(why, "%s: \"%s\" is no whole number", of, member);
	if (json_integer_value(value) < 1)
		return wrong(why, "%s: \"%s\" is %lld, at least 1 is expected", of, member,
			     (long long)json_integer_value(value));
	*n = json_integer_value(value);
	return 0;
}

static int hex_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Lower case digits, and nothing behind them.  Return: whether they are. */
static bool take_hex(const char *text, u8 *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++, text += 2) {
		if (hex_of(text[0]) < 0 || hex_of(text[1]) < 0)
			return false;
		to[i] = hex_of(text[0]) << 4 | hex_of(text[1]);
	}
	return !*text;
}

static int take_sum(const json_t *object, const char *of, u8 *sum, char *why)
{
	const char *text = text_of(object, "sha256");

	if (text && take_hex(text, sum, PIECES_SUM))
		return 0;
	return wrong(why, "%s: \"sha256\" is %.70s, not 64 hexadecimal digits", of,
		     text ?: "no text");
}

static int take_uuid(const json_t *root, u8 *uuid, char *why)
{
	const char *text = text_of(root, "uuid");
	char digits[33];
	size_t n = 0;

	for (const char *c = text; c && *c && n < sizeof(digits) - 1; c++)
		if (*c != '-' || (c - text != 8 && c - text != 13 && c - text != 18 &&
				  c - text != 23))
			digits[n++] = *c;
	digits[n] = '\0';
	if (text && strlen(text) == 36 && take_hex(digits, uuid, 16))
		return 0;
	return wrong(why, "list: \"uuid\" is %.40s, not a UUID in small letters",
		     text ?: "no text");
}

/* The digest is told for people; what an image keeps is compared with what they expect. */
static int take_digest(const json_t *root, struct expected *e, char *why)
{
	const char *text = text_of(root, "digest");

	if (!json_object_get(root, "digest"))
		return 0;
	if (text && !expected_parse(text, e) && e->kind)
		return 0;
	return wrong(why, "list: \"digest\" is %.90s, not dsfs1-data: or dsfs1-full: and 64 digits",
		     text ?: "no text");
}

static int take_name(const json_t *object, const char *of, char **names, struct piece *p, char *why)
{
	const char *text = text_of(object, "name");

	if (!text || !pieces_is_name(text))
		return wrong(why, "%s: \"name\" is %.100s, which is no name beside the list", of,
			     text ?: "no text");
	p->name = *names;
	*names = stpcpy(*names, text) + 1;
	return 0;
}

static int take_piece(struct pieces *list, const json_t *object, size_t i, char **names, char *why)
{
	struct piece *p = &list->v[i];
	char of[32];
	int ret;

	snprintf(of, sizeof(of), "piece %zu", i);
	if (!json_is_object(object))
		return wrong(why, "%s is no object", of);
	ret = take_name(object, of, names, p, why) ?:
	      take_number(object, of, "bytes", &p->bytes, why) ?: take_sum(object, of, p->sum, why);
	if (ret)
		return ret;
	p->start = list->bytes;
	if (p->bytes > INT64_MAX - list->bytes)
		return wrong(why, "%s: \"bytes\" is %llu, and %llu are before it: at most %llu", of,
			     p->bytes, p->start, (u64)INT64_MAX);
	list->bytes += p->bytes;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct piece *const *p = a, *const *q = b;

	return strcmp((*p)->name, (*q)->name);
}

/* A piece may stand at several places, as it is the same one. */
static int check_names(const struct pieces *list, char *why)
{
	const struct piece **sorted = malloc(list->n * sizeof(*sorted));
	int ret = sorted ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < list->n; i++)
		sorted[i] = &list->v[i];
	if (!ret)
		qsort(sorted, list->n, sizeof(*sorted), by_name);
	for (size_t i = 1; !ret && i < list->n; i++)
		if (!strcmp(sorted[i - 1]->name, sorted[i]->name) &&
		    (sorted[i - 1]->bytes != sorted[i]->bytes ||
		     memcmp(sorted[i - 1]->sum, sorted[i]->sum, PIECES_SUM)))
			ret = wrong(why, "pieces %zu and %zu: two pieces have the name %.70s",
				    sorted[i - 1] - list->v, sorted[i] - list->v, sorted[i]->name);
	free(sorted);
	return ret;
}

/* @len: bytes of the list, which are more than those of all names */
static int take_pieces(struct pieces *list, const json_t *array, size_t len, char *why)
{
	const size_t n = json_array_size(array);
	char *names;
	int ret = 0;

	if (!json_is_array(array))
		return wrong(why, "list: \"pieces\" is no array");
	if (!n || n > PIECES_MAX)
		return wrong(why, "list: \"pieces\" has %zu of them, expected 1 to %d", n,
			     PIECES_MAX);
	list->v = calloc(n, sizeof(*list->v));
	list->names = malloc(len);
	names = list->names;
	if (!list->v || !names)
		return -ENOMEM;
	for (; !ret && list->n < n; list->n++)
		ret = take_piece(list, json_array_get(array, list->n), list->n, &names, why);
	return ret ?: check_names(list, why);
}

static int take_list(struct pieces *list, const json_t *root, size_t len, char *why)
{
	u64 version = 0, bytes = 0;
	int ret = take_number(root, "list", "dsfs-list", &version, why);

	if (!ret && version != 1)
		ret = wrong(why, "list: its version is %llu, this program reads 1", version);
	if (!ret)
		ret = take_number(root, "list", "bytes", &bytes, why) ?:
		      take_number(root, "list", "generation", &list->generation, why) ?:
		      take_uuid(root, list->uuid, why) ?: take_digest(root, &list->digest, why) ?:
		      take_pieces(list, json_object_get(root, "pieces"), len, why);
	if (!ret && bytes != list->bytes)
		ret = wrong(why, "list: \"bytes\" is %llu, its pieces have %llu", bytes,
			    list->bytes);
	return ret;
}

/* What jansson puts behind "near" is a part of the text, which has no limit there. */
static int no_json(const json_error_t *error, char *why)
{
	const char *near = strstr(error->text, " near ");
	const size_t n = near ? (size_t)(near - error->text) : strlen(error->text);

	return wrong(why, "list: no JSON: byte %d: %.*s", error->position, n < 80 ? (int)n : 80,
		     error->text);
}

int pieces_parse(const char *text, size_t len, struct pieces *list, char *why)
{
	json_error_t error;
	json_t *root;
	int ret;

	memset(list, 0, sizeof(*list));
	*why = '\0';
	if (len > PIECES_TEXT_MAX)
		return wrong(why, "list: %zu bytes, at most %d are read", len, PIECES_TEXT_MAX);
	if (len < strlen(PIECES_BEGIN) || memcmp(text, PIECES_BEGIN, strlen(PIECES_BEGIN)))
		return wrong(why, "list: it does not begin with %s", PIECES_BEGIN);
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!root)
		return no_json(&error, why);
	hash_sha256(text, len, list->sum);
	ret = take_list(list, root, len, why);
	json_decref(root);
	return ret;
}

void pieces_free(struct pieces *list)
{
	free(list->v);
	free(list->names);
	*list = (struct pieces){ };
}
