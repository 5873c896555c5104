// SPDX-License-Identifier: GPL-2.0
/* Files that hold a list, as the tools' --order, --filelist and the like take them. */
#include <stdio.h>
#include <stdlib.h>

#include "list.h"
#include "msg.h"

int list_read(const char *path, bool null, int (*fn)(void *ctx, char *line, size_t len, u64 number),
	      void *ctx)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *line = NULL;
	size_t cap = 0;
	u64 number = 0;
	ssize_t len;
	int ret = 0;

	if (!f) {
		ret = -errno;
		msg_error(path, "cannot open: %s", strerror(errno));
		return ret;
	}
	errno = 0;
	while (!ret && (len = getdelim(&line, &cap, null ? 0 : '\n', f)) >= 0) {
		number++;
		if (len && line[len - 1] == (null ? 0 : '\n'))
			line[--len] = '\0';
		if (len)
			ret = fn(ctx, line, len, number);
		errno = 0;
	}
	if (!ret && ferror(f)) {
		ret = errno ? -errno : -EIO;
		if (ret != -EINTR)
			msg_error(path, "cannot read: %s", strerror(-ret));
	}
	free(line);
	if (f != stdin)
		fclose(f);
	return ret;
}
