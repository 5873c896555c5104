// SPDX-License-Identifier: GPL-2.0
/*
 * ^C and its kind.  Nothing that dsfs does leaves anything half made, so stopping is
 * no more than not going on; but what was done until then is worth a report.
 */
#include <signal.h>
#include <unistd.h>

#include "msg.h"
#include "stop.h"

static int stop_signal;

static void asked(int sig)
{
	__atomic_store_n(&stop_signal, sig, __ATOMIC_RELAXED);
}

void stop_init(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	/* Without SA_RESTART: who waits for input is to see it. */
	const struct sigaction act = { .sa_handler = asked };
	struct sigaction old;

	for (unsigned int i = 0; signals[i]; i++) {
		/* nohup and shells in the background have them ignored */
		if (!sigaction(signals[i], NULL, &old) &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
}

int stop_asked(void)
{
	return __atomic_load_n(&stop_signal, __ATOMIC_RELAXED);
}

void stop_end(void)
{
	const int sig = stop_asked();

	if (!sig)
		return;
	msg_flush_stdout();
	signal(sig, SIG_DFL);
	raise(sig);
	_exit(128 + sig);
}
