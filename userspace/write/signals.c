// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that end the run, such as SIGINT.  A thread waits for them, so the cleanup may do what a
 * signal handler must not, whatever other threads are waiting for.  Then the process ends by the
 * same signal, as its parent expects.
 *
 * A run that ends by a signal has changed nothing.  So a signal is ignored once the image is being
 * committed: that takes a few short writes, and the exit status says what became of it.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"

static pthread_mutex_t guard_lock;
static pthread_cond_t guard_change;
static const char *guarded;
static int guarded_fd = -1;
static u64 guarded_bytes;
static unsigned int writing;
static bool ending;
static bool ignored;
static bool broken;

/* Signals that end the run; of them, those that were not ignored from the beginning */
static const int deadly[] = { SIGHUP, SIGINT, SIGTERM, 0 };
static sigset_t waited;

/* Wait for a signal that ends the run.  Return: it, with the lock held; 0: none will. */
static int next_signal(void)
{
	int sig;

	while (!sigwait(&waited, &sig)) {
		pthread_mutex_lock(&guard_lock);
		if (!ignored)
			return sig;
		pthread_mutex_unlock(&guard_lock);
	}
	return 0;
}

static void *wait_signal(void *arg)
{
	sigset_t set;
	int sig = next_signal();

	if (!sig)
		return NULL;
	ending = true;
	/* a write after the truncation would extend the file again */
	while (guarded_fd >= 0 && writing)
		pthread_cond_wait(&guard_change, &guard_lock);
	/* who reads behind the new end would take that for an error of the disk */
	msg_stop();
	if (guarded)
		unlink(guarded);
	/* the added bytes are unused, and do no harm */
	if (guarded_fd >= 0 && ftruncate(guarded_fd, guarded_bytes))
		guarded_fd = -1;
	if (__atomic_load_n(&broken, __ATOMIC_RELAXED))
		_exit(1);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	_exit(128 + sig);
}

/*
 * A page of a mapped file cannot be read: the temporary one of --memory, or an image.  This thread
 * cannot go on, and may hold any lock; the one that waits for signals removes what the run made.
 * It does not during a commit, and if SIGTERM is ignored: then the run ends after a while.
 */
static void on_bus_error(int sig)
{
	static const char text[] =
		"mkfs.dsfs: error: a mapped file, such as that of --memory, cannot be read\n";

	__atomic_store_n(&broken, true, __ATOMIC_RELAXED);
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0 || kill(getpid(), SIGTERM))
		_exit(1);
	sleep(10);
	_exit(1);
}

int signals_init(void)
{
	const struct sigaction bus = { .sa_handler = on_bus_error };
	struct sigaction old;
	static bool done;
	pthread_t thread;
	int ret;

	if (done)
		return 0;
	done = true;
	pthread_mutex_init(&guard_lock, NULL);
	pthread_cond_init(&guard_change, NULL);
	/* ignored: the call that caused them returns an error */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigaction(SIGBUS, &bus, NULL);
	sigemptyset(&waited);
	for (unsigned int i = 0; deadly[i]; i++) {
		/* signals that are ignored stay so: nohup and background shells */
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&waited, deadly[i]);
	}
	pthread_sigmask(SIG_BLOCK, &waited, NULL);
	ret = pthread_create(&thread, NULL, wait_signal, NULL);
	if (ret)
		msg_error(NULL, "cannot start a thread");
	else
		pthread_detach(thread);
	return -ret;
}

void signals_hold(void)
{
	pthread_mutex_lock(&guard_lock);
}

void signals_release(const char *path)
{
	guarded = path;
	pthread_mutex_unlock(&guard_lock);
}

void signals_ignore(void)
{
	pthread_mutex_lock(&guard_lock);
	while (ending)
		pthread_cond_wait(&guard_change, &guard_lock);
	ignored = true;
	pthread_mutex_unlock(&guard_lock);
}

void signals_guard_length(int fd, u64 bytes)
{
	pthread_mutex_lock(&guard_lock);
	guarded_fd = fd;
	guarded_bytes = bytes;
	pthread_mutex_unlock(&guard_lock);
}

void signals_unguard(void)
{
	signals_hold();
	guarded_fd = -1;
	pthread_cond_broadcast(&guard_change);
	signals_release(NULL);
}

void signals_write_begin(void)
{
	pthread_mutex_lock(&guard_lock);
	while (ending)
		pthread_cond_wait(&guard_change, &guard_lock);
	writing++;
	pthread_mutex_unlock(&guard_lock);
}

void signals_write_end(void)
{
	pthread_mutex_lock(&guard_lock);
	writing--;
	pthread_cond_broadcast(&guard_change);
	pthread_mutex_unlock(&guard_lock);
}
