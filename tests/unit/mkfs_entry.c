// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest.  The messages are the command line's tests' business;
 * here it is values, and that no line, however broken, is read past its end.
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
	static const char json[] =
		"{\"path\":\"/\\u00e9\\udcff\",\"mode\":\"4711\",\"xattrs\":{\"user.a\":\"00ff\"}}";

	OK(parse(e, "") == 0 && parse(e, " \t") == 0 && parse(e, " #x") == 0,
	   "entry: nothing and comments");
	OK(parse(e, "/a\\040b/c source=x\\134y offset=1K size=5") == 1 &&
	   !strcmp(e->path, "/a b/c") && !strcmp(e->source, "x\\y") &&
	   e->offset == 1024 && e->size == 5 && e->type == S_IFREG,
	   "entry: file");
	OK(parse(e, "/a\tmode=4711 uid=4294967294\t gid=0x10 mtime=-1.5") == 1 &&
	   e->mode == 04711 && e->uid == 4294967294U && e->gid == 16 &&
	   e->mtime == -1500000000LL, "entry: attributes");
	OK(parse(e, "/") == 1 && !strcmp(e->path, "/") && e->type == S_IFDIR,
	   "entry: root");
	OK(parse(e, "/d/") == 1 && !strcmp(e->path, "/d") &&
	   e->type == S_IFDIR && parse(e, "/d/ type=dir") == 1,
	   "entry: a slash at the end");
	OK(parse(e, "/a fill=zero size=1") == 1 && e->zero &&
	   parse(e, "/a fill=0xffffffffffffffff size=1") == 1 && !e->zero &&
	   e->seed == ~0ULL, "entry: fill");
	OK(parse(e, json) == 1 &&
	   !strcmp(e->path, "/\303\251\377") && e->mode == 04711 && e->xattrs.n == 1 &&
	   ((struct xattr_item *)e->xattrs.p)->value_len == 2, "entry: JSON");
	OK(parse(e, "default") == 1 && !e->path &&
	   parse(e, "default dirmode=0") == 1 && !e->path && !e->dirmode &&
	   entry_has(e, ENTRY_DIRMODE), "entry: default");
}

static void test_broken(struct entry *e)
{
	static const char *const lines[] = {
		"a", "//", "/..", "/./a", "/a\\", "/a\\0", "/a\\04", "/a\\400",
		"/a\\000", "/a =", "/a type", "/a type=", "/a mode=",
		"/a uid=", "/a mtime=", "/a mtime=1.", "/a source=",
		"/a fill=", "/a size=1", "/a target=b", "/ fill=1 size=1",
		"/a type=char major=1", "default /a", "defaults",
		"{", "{\"", "{\"path", "{\"path\"", "{\"path\":", "{\"path\":\"",
		"{\"path\":\"/\\", "{\"path\":\"/\\u", "{\"path\":\"/\\ud83d",
		"{\"path\":\"/\\ud83d\\u", "{\"path\":\"/\\u12", "{\"path\":\"/a\"",
		"{\"path\":\"/a\",", "{\"path\":\"/a\"}x", "{\"path\":\"/a\",\"uid\":",
		"{\"path\":\"/a\",\"xattrs\":{", "{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"0",
		"{\"path\":\"/a\",\"xattrs\":{\"user.a\":\"00\"}", "{}", "{\"uid\":1}",
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
		"/", "a", " ", "=", "\\", "\\040", "type=", "dir", "link",
		"size=", "fill=", "9", "zero", "mtime=", "target=", "..", "-",
		"default", "\t", "source=", "\xff", "uid=", "major=",
		"{", "\"", "\"path\":\"/", ",", "}", ":", "\\u", "\"xattrs\":{\"user.", "00",
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
			odd += e->path && e->path[0] != '/';
			break;
		case -EINVAL:
			odd += !e->why[0];
		}
	}
	OK(taken > 100 && !odd, "entry: lines at random");
}

static void test_pattern(void)
{
	char whole[1000], part[1000];
	unsigned int bad = 0;

	fill_pattern(whole, sizeof(whole), 5, 0);
	for (unsigned int at = 0; at < sizeof(whole); at += 8) {
		fill_pattern(part, sizeof(whole) - at, 5, at);
		bad += !!memcmp(part, whole + at, sizeof(whole) - at);
	}
	OK(!bad && !memchr(whole, 0, sizeof(whole)),
	   "entry: a pattern from any place on, without a zero");
	fill_pattern(part, sizeof(part), 6, 0);
	OK(memcmp(part + 8, whole, 900) && memcmp(part, whole + 8, 900),
	   "entry: patterns of neighbours are not shifted");
}

void test_entry(void)
{
	struct entry *e = unit_alloc(sizeof(*e));

	memset(e, 0, sizeof(*e));
	test_values(e);
	test_broken(e);
	test_random(e);
	test_pattern();
	parse(e, "");
	entry_free(e);
	free(e);
}
