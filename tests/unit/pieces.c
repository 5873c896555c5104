// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of pieces: each rule of Documentation/lists.rst by a list that breaks it alone, and lists
 * that are made of a good one at random (DSFS_LONG=1: many more), of which each is taken whole or
 * refused with a reason.
 */
#include "pieces.h"
#include "tap.h"

#define SUM	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SUM2	"1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UUID	"\"uuid\":\"00000000-0000-4000-8000-00000000000a\""
#define PIECE(name, bytes) "{\"name\":\"" name "\",\"bytes\":" bytes ",\"sha256\":\"" SUM "\"}"
#define LIST(head, pieces) "{\"dsfs-list\":1,\"generation\":1," head ",\"pieces\":[" pieces "]}"
#define GOOD(pieces, bytes) LIST(UUID ",\"bytes\":" bytes, pieces)

/* @why: words of the message; NULL: the list is good */
static const struct {
	const char *name;
	const char *text;
	const char *why;
} cases[] = {
	{ "a piece", GOOD(PIECE("a", "5"), "5"), NULL },
	{ "two, one twice", GOOD(PIECE("a", "5") "," PIECE("b/c-1.x_", "4") "," PIECE("a", "5"),
				 "14"), NULL },
	{ "a digest", LIST(UUID ",\"bytes\":5,\"digest\":\"dsfs1-data:" SUM "\"",
			   PIECE("a", "5")), NULL },
	{ "members of others", LIST(UUID ",\"bytes\":5,\"x\":{\"y\":[1.5e3]}", PIECE("a", "5")),
	  NULL },
	{ "all that fits", GOOD(PIECE("a", "9223372036854775807"), "9223372036854775807"), NULL },
	{ "a blank in front", " {\"dsfs-list\":1}", "does not begin with" },
	{ "a version", "{\"dsfs-list\":2}", "version is 2" },
	{ "a version that is a text", "{\"dsfs-list\":\"1\"}", "\"dsfs-list\" is no whole number" },
	{ "no end", "{\"dsfs-list\":1", "no JSON" },
	{ "bytes behind", "{\"dsfs-list\":1}x", "no JSON" },
	{ "a member twice", "{\"dsfs-list\":1,\"bytes\":1,\"bytes\":2}", "duplicate object key" },
	{ "no bytes", LIST(UUID, PIECE("a", "5")), "list has no \"bytes\"" },
	{ "no generation", "{\"dsfs-list\":1,\"bytes\":1}", "list has no \"generation\"" },
	{ "no UUID", LIST("\"bytes\":5", PIECE("a", "5")), "\"uuid\" is no text" },
	{ "a UUID", LIST("\"bytes\":5,\"uuid\":\"00000000-0000-4000-8000-00000000000A\"",
			 PIECE("a", "5")), "not a UUID" },
	{ "a UUID of dashes", LIST("\"bytes\":5,\"uuid\":\"------------------------------------\"",
				   PIECE("a", "5")), "not a UUID" },
	{ "a digest of neither kind", LIST(UUID ",\"bytes\":5,\"digest\":\"sha256:" SUM "\"",
					   PIECE("a", "5")), "\"digest\" is sha256:" },
	{ "a digest that is null", LIST(UUID ",\"bytes\":5,\"digest\":null", PIECE("a", "5")),
	  "\"digest\" is no text" },
	{ "no pieces", GOOD("", "5"), "has 0 of them, expected 1 to 65536" },
	{ "pieces that are none", "{\"dsfs-list\":1,\"generation\":1," UUID ",\"bytes\":5,"
				  "\"pieces\":{}}", "\"pieces\" is no array" },
	{ "a piece that is none", GOOD("5", "5"), "piece 0 is no object" },
	{ "no name", GOOD("{\"bytes\":5,\"sha256\":\"" SUM "\"}", "5"), "\"name\" is no text" },
	{ "an empty name", GOOD(PIECE("", "5"), "5"), "no name beside the list" },
	{ "an absolute name", GOOD(PIECE("/a", "5"), "5"), "\"name\" is /a, which" },
	{ "a name above", GOOD(PIECE("a/../../b", "5"), "5"), "no name beside the list" },
	{ "this folder", GOOD(PIECE("./a", "5"), "5"), "no name beside the list" },
	{ "an empty component", GOOD(PIECE("a//b", "5"), "5"), "no name beside the list" },
	{ "a folder", GOOD(PIECE("a/", "5"), "5"), "no name beside the list" },
	{ "a scheme", GOOD(PIECE("http://h/a", "5"), "5"), "no name beside the list" },
	{ "another host", GOOD(PIECE("//h/a", "5"), "5"), "no name beside the list" },
	{ "a query", GOOD(PIECE("a?b", "5"), "5"), "no name beside the list" },
	{ "an option", GOOD(PIECE("-a", "5"), "5"), "no name beside the list" },
	{ "percent", GOOD(PIECE("%2e%2e", "5"), "5"), "no name beside the list" },
	{ "a NUL", GOOD(PIECE("a\\u0000b", "5"), "5"), "no JSON" },
	{ "a control", GOOD(PIECE("a\\u001bb", "5"), "5"), "\"name\" is a?b, which" },
	{ "no byte", GOOD(PIECE("a", "0"), "5"), "piece 0: \"bytes\" is 0, at least 1" },
	{ "less than none", GOOD(PIECE("a", "-1"), "5"), "\"bytes\" is -1" },
	{ "a fraction", GOOD(PIECE("a", "5.0"), "5"), "\"bytes\" is no whole number" },
	{ "above 2^63", GOOD(PIECE("a", "9223372036854775808"), "5"), "no JSON" },
	{ "a sum beyond", GOOD(PIECE("a", "9223372036854775807") "," PIECE("b", "1"), "5"),
	  "piece 1: \"bytes\" is 1, and 9223372036854775807 are before it" },
	{ "another sum", GOOD(PIECE("a", "5"), "6"), "\"bytes\" is 6, its pieces have 5" },
	{ "a short SHA-256", GOOD("{\"name\":\"a\",\"bytes\":5,\"sha256\":\"00\"}", "5"),
	  "\"sha256\" is 00, not 64" },
	{ "capitals", GOOD("{\"name\":\"a\",\"bytes\":5,\"sha256\":\"A" SUM "\"}", "5"), "not 64" },
	{ "a name of two", GOOD(PIECE("a", "5") ",{\"name\":\"a\",\"bytes\":5,\"sha256\":\"" SUM2
				"\"}", "10"), "pieces 0 and 1: two pieces have the name a" },
	{ "a name of two lengths", GOOD(PIECE("b", "1") "," PIECE("a", "5") "," PIECE("a", "6"),
					"12"), "two pieces have the name a" },
};

TESTS(rules)
{
	char why[ERR_FAR];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pieces list;
		const char *text = cases[i].text, *want = cases[i].why;
		int ret = pieces_parse(text, strlen(text), &list, why);

		OK(want ? ret == -EINVAL && strstr(why, want) : !ret, "%s", cases[i].name);
		if (want && !strstr(why, want))
			tap_note("%s, expected %s", why, want);
		pieces_free(&list);
	}
}

static char *many(size_t n, size_t *len)
{
	char *text;
	FILE *f = open_memstream(&text, len);

	fprintf(f, "{\"dsfs-list\":1,\"generation\":1," UUID ",\"bytes\":%zu,\"pieces\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s{\"name\":\"p%zu\",\"bytes\":1,\"sha256\":\"" SUM "\"}",
			i ? "," : "", i);
	fputs("]}", f);
	fclose(f);
	return text;
}

TESTS(limits)
{
	char why[ERR_FAR], *text;
	struct pieces list;
	size_t len;

	text = many(PIECES_MAX, &len);
	OK(!pieces_parse(text, len, &list, why) && !piece_find(list.v, list.n, 0) &&
	   piece_find(list.v, list.n, PIECES_MAX - 1) == PIECES_MAX - 1, "as many as there may be");
	pieces_free(&list);
	free(text);
	text = many(PIECES_MAX + 1, &len);
	OK(pieces_parse(text, len, &list, why) == -EINVAL && strstr(why, "65537 of them"),
	   "one more");
	pieces_free(&list);
	OK(pieces_parse(text, PIECES_TEXT_MAX + 1, &list, why) == -EINVAL &&
	   strstr(why, "at most 16777216"), "a text that is too long");
	pieces_free(&list);
	free(text);
}

static unsigned int draw(u64 *state, unsigned int below)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % below;
}

/* What stands in the place of a value */
static const char *const words[] = {
	"9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e400", "null",
	"\"..\"", "\"/\"", "\"s3://b/k\"", "[", "{}", "[]", "}", ",", "\"", "\"\\u0000\"",
	"\"\\ud800\"", "\"\xff\"", "1,\"bytes\":1", "\"a\",\"name\":\"a\"", "[[[[[[[[", "true", "0",
	"-0", "00", "5.0", "", "\"a/../b\"", "\".a\"", "\"\"", "4611686018427387904",
};

/* Write a member, one of @odds times with another value. */
static void put(FILE *f, const char *member, const char *value, u64 *state, unsigned int odds)
{
	const bool odd = !draw(state, odds);

	fprintf(f, "\"%s\":%s", member, odd ? words[draw(state, ARRAY_SIZE(words))] : value);
}

static char *hostile(size_t *len, u64 *state)
{
	const unsigned int n = 1 + draw(state, 5);
	char *text, value[80];
	u64 sum = 0;
	FILE *f = open_memstream(&text, len);

	fputs("{\"dsfs-list\":1," UUID ",\"pieces\":[", f);
	for (unsigned int i = 0; i < n; i++) {
		const u64 bytes = 1ULL << draw(state, draw(state, 8) ? 33 : 63);

		sum += bytes;
		snprintf(value, sizeof(value), "\"%c\"", 'a' + draw(state, 20));
		fputc('{', f);
		put(f, "name", value, state, 60);
		snprintf(value, sizeof(value), "%llu", bytes);
		fputc(',', f);
		put(f, "bytes", value, state, 60);
		fputc(',', f);
		put(f, "sha256", "\"" SUM "\"", state, 60);
		fputs(i + 1 < n ? "}," : "}],", f);
	}
	snprintf(value, sizeof(value), "%llu", sum);
	put(f, "bytes", value, state, 20);
	fputc(',', f);
	put(f, "generation", "1", state, 20);
	fputc('}', f);
	fclose(f);
	return text;
}

/* Whether a list that was taken is as the rules say */
static bool is_sound(const struct pieces *list)
{
	u64 pos = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct piece *p = &list->v[i];

		if (p->start != pos || !p->bytes || !pieces_is_name(p->name) ||
		    strstr(p->name, "..") == p->name || piece_find(list->v, list->n, pos) != i)
			return false;
		pos += p->bytes;
	}
	return list->n && pos == list->bytes && list->generation;
}

TESTS(hostile)
{
	const int rounds = getenv("DSFS_LONG") ? 10000 : 300;
	char why[ERR_FAR], *text;
	u64 state = 1;
	int wrong = 0, taken = 0;

	for (int i = 0; i < rounds; i++) {
		struct pieces list;
		size_t len;
		int ret;

		text = hostile(&len, &state);
		/* the end of it may be missing */
		if (!draw(&state, 40))
			len = draw(&state, len);
		ret = pieces_parse(text, len, &list, why);
		taken += !ret;
		if (ret ? ret != -EINVAL || !*why || strlen(why) >= ERR_FAR : !is_sound(&list)) {
			tap_note("%d: %.*s: %s", i, (int)len, text, why);
			wrong++;
		}
		pieces_free(&list);
		free(text);
	}
	OK(!wrong, "%d lists, %d of them taken", rounds, taken);
	OK(taken > rounds / 5 && taken < rounds * 4 / 5, "and many of either kind");
}
