// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that stop the run: problems that were found are still reported.
 */
#include <signal.h>

#include "fsck.h"

int fsck_stopped;

static void on_signal(int sig)
{
	(void)sig;
	__atomic_store_n(&fsck_stopped, 1, __ATOMIC_RELAXED);
}

void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_RESETHAND | SA_RESTART };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}
