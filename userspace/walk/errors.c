// SPDX-License-Identifier: GPL-2.0
/*
 * Errors: each is counted, and the first ones of each kind are printed.
 */
#include "dump.h"
#include "msg.h"

bool dump_count(struct dump *d, const char *what)
{
	unsigned int i;

	d->errors++;
	for (i = 0; i < DUMP_KINDS - 1 && d->kinds[i].what; i++)
		if (!strcmp(d->kinds[i].what, what))
			break;
	d->kinds[i].what = what;
	if (!d->per_kind || d->kinds[i].count++ < d->per_kind)
		return true;
	d->hidden++;
	return false;
}

void dump_error(struct dump *d, const char *path, const char *what, int ret,
		const struct dsfs_err *err)
{
	char text[256];

	if (!dump_count(d, what))
		return;
	image_err_text(err, ret, text, sizeof(text));
	msg_error(path, "%s: %s", what, text);
}

void dump_hidden(const struct dump *d, const char *path)
{
	if (d->hidden)
		msg_error(path, "%llu error%s, %llu of them not named: --verbose names all",
			  d->errors, msg_s(d->errors), d->hidden);
}
