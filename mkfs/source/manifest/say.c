// SPDX-License-Identifier: GPL-2.0
/*
 * Messages about lines of a manifest.  All errors of a list are found in one run; the first
 * ones are told with their lines, the others counted.
 */
#include <stdarg.h>

#include "manifest.h"
#include "msg.h"

#define ERRORS_MAX	20
#define TEXT		(MANIFEST_SHOWN + 1024)

const char *manifest_show(struct manifest *m, const char *name)
{
	return msg_escape(m->shown, sizeof(m->shown), name);
}

int manifest_leave_out(struct manifest *m, struct node *n, u32 line, const char *fmt, ...)
{
	char text[TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!n || !m->src.o->allow.unreadable) {
		if (m->errors++ < ERRORS_MAX)
			msg_error(m->src.o->manifest, "line %u: %s%s", line, text,
				  n ? ": --allow=unreadable leaves it out" : "");
		return -EINVAL;
	}
	msg_warn(m->src.o->manifest, "line %u: %s: left out", line, text);
	/* its name is still taken, and links to it still have a target */
	n->flags |= NODE_GONE;
	n->size = 0;
	m->src.tree->gone++;
	m->src.skipped++;
	return 0;
}

void manifest_count_errors(const struct manifest *m)
{
	if (m->errors > ERRORS_MAX)
		msg_error(m->src.o->manifest, "%llu errors, the first %d of them listed",
			  m->errors, ERRORS_MAX);
	else if (m->errors > 1)
		msg_error(m->src.o->manifest, "%llu errors", m->errors);
}
