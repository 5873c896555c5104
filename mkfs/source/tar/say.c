// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of archives: errors, each with the member that is being read, and notes.
 *
 * A note says what an archive has and the image has not, though the run succeeds: it is
 * said with -q, too.  An archive may have millions of such members, so each kind of them is
 * one line, with a count and the first names.
 */
#include <stdarg.h>

#include "tar.h"

#define NAMES_MAX	5
#define NAME_SHOWN	120	/* bytes of a name */

/* One, and several; what is said of both */
static const char *const texts[TAR_NOTES][3] = {
	[TAR_REPLACED] = { "member", "members",
			   "of a name that comes again: the last one counts" },
	[TAR_DIR_AGAIN] = { "directory", "directories",
			    "again with another mode, owner or attributes: the last ones count" },
	[TAR_CLAMPED] = { "modification time", "modification times",
			  "outside 1677 to 2262: clamped" },
	[TAR_BEHIND] = { "archive", "archives",
			 "with more than zeros behind the end: not read" },
};

int tar_fail(struct tar *t, const char *fmt, ...)
{
	char text[1024], name[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (t->m.path)
		msg_error(t->bytes.path, "%s: %s", msg_escape(name, sizeof(name), t->m.path), text);
	else
		msg_error(t->bytes.path, "at byte %llu: %s", t->bytes.taken, text);
	return -EINVAL;
}

const char *tar_shown(struct tar *t, const char *name)
{
	return msg_escape(t->shown, sizeof(t->shown), name);
}

int tar_bytes_fail(struct tar *t, int ret)
{
	if (!ret)
		return 0;
	/* the data phase has said why it wants no more; here is how far it came */
	tar_fail(t, "%s", ret == -ECANCELED ? "the image could not be written up to here" :
		 ret == -ENODATA ? "cut off: the archive ends in it" : t->bytes.why);
	return ret == -ECANCELED ? ret : -EINVAL;
}

void tar_note(struct tar *t, enum tar_note_kind kind, const char *what)
{
	struct tar_note *n = &t->notes[kind];
	size_t used = strlen(n->names);
	char name[NAME_SHOWN], path[NAME_SHOWN];

	if (n->count++ >= NAMES_MAX)
		return;
	msg_escape(name, sizeof(name), what);
	msg_escape(path, sizeof(path), t->src.o->ntars != 1 ? t->bytes.path : "");
	snprintf(n->names + used, sizeof(n->names) - used, "%s%s%s%s", used ? ", " : "", path,
		 *path && *name ? ": " : "", name);
}

void tar_notes_say(const struct tar *t)
{
	const char *path = t->src.o->ntars == 1 ? t->src.o->tars[0] : NULL;

	for (unsigned int i = 0; i < TAR_NOTES; i++) {
		const struct tar_note *n = &t->notes[i];

		if (n->count)
			msg_warn(path, "%llu %s %s: %s%s", n->count, texts[i][n->count > 1],
				 texts[i][2], n->names, n->count > NAMES_MAX ? ", ..." : "");
	}
}

void tar_note_behind(struct tar *t, u64 other)
{
	char what[64];

	snprintf(what, sizeof(what), "from byte %llu on", other);
	if (other)
		tar_note(t, TAR_BEHIND, what);
}
