// SPDX-License-Identifier: GPL-2.0
/* --cat: the content of a file on standard output. */
#include "dump.h"
#include "msg.h"

static int cat_piece(void *arg, u64 pos, const void *data, u64 len)
{
	static const u8 zeros[65536];
	u64 n;

	(void)arg;
	(void)pos;
	for (; len; len -= n) {
		n = data || len < sizeof(zeros) ? len : sizeof(zeros);
		if (fwrite(data ? data : zeros, 1, n, stdout) != n) {
			msg_lost_stdout();
			return -EIO;
		}
	}
	return 0;
}

int dump_cat(struct view *v, const char *path)
{
	struct dsfs_err err = { 0 };
	struct image_node node;
	int ret;

	if (view_find_regular(v, path, &node))
		return -1;
	ret = image_stream(v->src, &node.attr, &node.extra, true, cat_piece, NULL, &err);
	if (ret && !ferror(stdout))
		view_error(v, path, "content", ret, &err);
	return ret ? -1 : 0;
}
