// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that stop a command.  The commands that use this leave nothing incomplete, so to
 * stop only means not to go on.
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

void stop_init(int flags)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	const struct sigaction act = { .sa_handler = asked, .sa_flags = flags };
	struct sigaction old;

	for (unsigned int i = 0; signals[i]; i++) {
		/* signals that are ignored stay so: nohup and background shells */
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler != SIG_IGN)
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
