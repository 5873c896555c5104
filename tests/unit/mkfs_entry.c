// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest that are broken.  What good ones say, and messages, are tested on the
 * command line, lines at random by the fuzz target text.
 */
#include "source/manifest/entry.h"
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

TESTS(entry)
{
	struct entry *e = unit_alloc(sizeof(*e));

	memset(e, 0, sizeof(*e));
	test_broken(e);
	parse(e, "");
	entry_free(e);
	free(e);
}
