// SPDX-License-Identifier: GPL-2.0
/*
 * Errors of the image in the log, each once.  A reader that gets EBADMSG tries again, and a
 * training job does so in every epoch.  Readers get the error every time.
 */
#include <pthread.h>
#include <syslog.h>

#include "fuse.h"
#include "msg.h"
#include "origin.h"
#include "table.h"

#define SAID_MAX	4096	/* errors that are remembered */

/* Each two numbers: inode and position */
static struct table said;
static bool is_full;
static pthread_mutex_t lock;
static bool background;

void report_background(void)
{
	origin_tell(NULL);
	openlog(msg_name(), LOG_PID, LOG_DAEMON);
	background = true;
}

static void say(const char *text)
{
	if (background)
		syslog(LOG_ERR, "%s", text);
	else
		msg_error(NULL, "%s", text);
}

/* Print a message of libfuse in the form of the tools; pieces of lines, of -d, as they are. */
__printf(2, 0)
static void say_of_fuse(enum fuse_log_level level, const char *fmt, va_list ap)
{
	char text[1024];
	const char *from = text;

	if (level > FUSE_LOG_WARNING) {
		vfprintf(stderr, fmt, ap);
		return;
	}
	vsnprintf(text, sizeof(text), fmt, ap);
	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, "fuse: ", 6))
		from += 6;
	say(from);
}

int report_init(void)
{
	pthread_mutex_init(&lock, NULL);
	fuse_set_log_func(say_of_fuse);
	return table_init(&said, 2 * sizeof(u64), 2 * sizeof(u64));
}

/*
 * Under the lock: take note of an error.
 * Return: 0 if it is known, 1 if it is new, 2 if it is the first one without room.
 */
static int note(u64 ino, u64 pos)
{
	const u64 error[] = { ino, pos };

	if (is_full || table_find(&said, error))
		return 0;
	is_full = said.list.n == SAID_MAX || !table_add(&said, error);
	return is_full ? 2 : 1;
}

void report_once(u64 ino, u64 pos, u64 len, const struct dsfs_error *error)
{
	char text[sizeof(error->message) + 100];
	int new;

	pthread_mutex_lock(&lock);
	new = note(ino, pos);
	pthread_mutex_unlock(&lock);
	if (!new)
		return;
	if (pos == REPORT_INODE)
		snprintf(text, sizeof(text), "%s", error->message);
	else
		snprintf(text, sizeof(text), "inode %llu: data at %llu to %llu: %s", ino, pos,
			 pos + len, error->message);
	say(text);
	if (new == 2)
		say("too many errors: others are not reported");
}

void reply_failed(fuse_req_t req, u64 ino, int ret, const struct dsfs_error *error)
{
	if (ret == -EIO || ret == -EREMOTEIO || ret == -EBADMSG || ret == -EUCLEAN)
		report_once(ino, REPORT_INODE, 0, error);
	fuse_reply_err(req, -ret);
}
