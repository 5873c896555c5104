// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest: their values, and that no line, however broken, is read past
 * its end.  Messages are tested on the command line.
 */
#include "source/manifest/entry.h"
#include "source/xattr.h"
#include "mkfs.h"

#include <stdio.h>
#include <stdlib.h>

static int parse(struct entry *e, const char *text)
{
	static char *line;

	free(line);
	line = unit_alloc(strlen(text) + 1);	/* exact, for the sanitizer */
	strcpy(line, text);
	return entry_parse(e, line, strlen(line));
}

static void test_values(struct entry *e)
{
	OK(parse(e, "") == 0 && parse(e, " \t\r") == 0 && parse(e, " #x") == 0,
	   "entry: nothing and comments");
	OK(parse(e, "{\"path\":\"/a b/c\",\"source\":\"x\\\\y\",\"offset\":\"1K\","
		    "\"size\":5}") == 1 &&
	   !strcmp(e->path, "/a b/c") && !strcmp(e->source, "x\\y") &&
	   e->offset == 1024 && e->size == 5 && e->type == S_IFREG,
	   "entry: file");
	OK(parse(e, " { \"path\" : \"/a\" ,\t\"mode\":\"4711\", \"uid\":4294967294,"
		    "\"gid\":\"0x10\",\"mtime\":\"-1.5\" }\r") == 1 &&
	   e->attrs.mode == 04711 && e->attrs.uid == 4294967294U && e->attrs.gid == 16 &&
	   e->attrs.mtime == -1500000000LL, "entry: attributes");
	OK(parse(e, "{\"path\":\"/\"}") == 1 && !strcmp(e->path, "/") && e->type == S_IFDIR,
	   "entry: root");
	OK(parse(e, "{\"path\":\"/d/\"}") == 1 && !strcmp(e->path, "/d") &&
	   e->type == S_IFDIR && parse(e, "{\"path\":\"/d/\",\"type\":\"dir\"}") == 1,
	   "entry: a slash at the end");
	OK(parse(e, "{\"path\":\"/\\u00e9\\udcff\\ud83d\\ude00\\/\","
		    "\"xattrs\":{\"user.a\":\"00fF\"}}") == 1 &&
	   !strcmp(e->path, "/\303\251\377\360\237\230\200") && e->xattrs.n == 1 &&
	   ((struct xattr_item *)e->xattrs.p)->value_len == 2 &&
	   !memcmp(((struct xattr_item *)e->xattrs.p)->value, "\0\377", 2),
	   "entry: escapes and bytes");
	e->defaults.dirmode = 0755;
	OK(!parse(e, "{\"default\":{}}") && e->defaults.dirmode == 0755 &&
	   !parse(e, "{\"default\":{\"dirmode\":\"0\",\"uid\":7}}") && !e->defaults.dirmode &&
	   parse(e, "{\"path\":\"/a\",\"gid\":8}") == 1 && e->attrs.uid == 7 &&
	   !e->defaults.gid, "entry: default");
}

static void test_broken(struct entry *e)
{
	static const char *const lines[] = {
		"a", "/a", "{\"path\":\"//\"}", "{\"path\":\"/..\"}", "{\"path\":\"/./a\"}",
		"{\"path\":\"\"}", "{\"path\":\"a\"}",
		"{", "{\"", "{\"path", "{\"path\"", "{\"path\":", "{\"path\":\"",
		"{\"path\":\"/\\", "{\"path\":\"/\\u", "{\"path\":\"/\\ud83d",
		"{\"path\":\"/\\ud83d\\u", "{\"path\":\"/\\u12", "{\"path\":\"/a\"",
		"{\"path\":\"/a\",", "{\"path\":\"/a\"}x", "{\"path\":\"/a\",\"uid\":",
		"{\"path\":\"/a\",\"uid\":-", "{\"path\":\"/a\",\"uid\":01}",
		"{\"path\":\"/a\",\"uid\":[",
		"{\"path\":\"/a\",\"xattrs\":{", "{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"0",
		"{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"00\"}", "{}", "{\"uid\":1}",
		"{\"path\":\"/a\",\"type\":\"\"}", "{\"path\":\"/a\",\"mode\":\"\"}",
		"{\"path\":\"/a\",\"mtime\":\"1.\"}", "{\"path\":\"/a\",\"source\":\"\"}",
		"{\"path\":\"/a\",\"size\":1}", "{\"path\":\"/a\",\"target\":\"b\"}",
		"{\"path\":\"/a\",\"type\":\"char\",\"major\":1}", "{\"default\":{}",
		"{\"default\":1}",
		"{\"default\":{\"path\":\"/a\"}}", "{\"default\":{\"size\":1}}",
		"{\"path\":\"/\\udc7f\"}", "{\"path\":\"/\x80\"}", "{\"path\":\"/\t\"}",
	};
	unsigned int bad = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++) {
		if (parse(e, lines[i]) == -EINVAL && e->why[0])
			continue;
		printf("# taken: %s\n", lines[i]);
		bad++;
	}
	OK(!bad, "entry: broken lines are refused, with a reason");
}

/* Bytes at random around the words that mean something. */
static void test_random(struct entry *e)
{
	static const char *const words[] = {
		"{", "{\"path\":\"/", "{\"path\":\"/", "a", "\"", "\"}", "\"}", ",", "}", ":", " ",
		"\\", "\\u", "\\n",
		"\",\"type\":\"", "dir", "link", "\",\"uid\":", "9", "..", "-", "\t", "\xff",
		"\"default\":{", "\"xattrs\":{\"user.", "00", "/", "\"mode\":\"", "0\xc3\xa9",
	};
	unsigned int taken = 0, odd = 0;
	char text[256];

	srandom(1);
	for (unsigned int i = 0; i < 200000; i++) {
		text[0] = '\0';
		for (unsigned int k = random() % 12; k; k--)
			strcat(text, words[random() % ARRAY_SIZE(words)]);
		switch (parse(e, text)) {
		case 1:
			taken++;
			odd += e->path[0] != '/';
			break;
		case -EINVAL:
			odd += !e->why[0];
		}
	}
	OK(taken > 100 && !odd, "entry: lines at random");
}

TESTS(entry)
{
	struct entry *e = unit_alloc(sizeof(*e));

	memset(e, 0, sizeof(*e));
	test_values(e);
	test_broken(e);
	test_random(e);
	parse(e, "");
	entry_free(e);
	free(e);
}
