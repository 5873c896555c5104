// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the target of an extraction.  One that every further object would meet, too, ends
 * the run, so that a full disk is not reported a million times.
 */
#include "extract.h"
#include "msg.h"

bool extract_is_lasting(int err)
{
	return err == ENOSPC || err == EDQUOT || err == EMFILE || err == ENFILE ||
	       err == EROFS;
}

void extract_failed(struct extract *x, const char *path, const char *what)
{
	int err = errno;

	if (x->stop)
		return;
	if (extract_is_lasting(err)) {
		x->stop = -err;
		x->v->errors->count++;
		msg_error(path, "%s: %s: stopped here", what, strerror(err));
	} else if (view_count(x->v, what)) {
		msg_error(path, "%s: %s", what, msg_why(err));
	}
}
